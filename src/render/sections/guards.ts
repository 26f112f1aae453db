/** The guards of a plan: those that block apply, those that warn or were overridden, and those that pass. */
import type { Guard } from "../../plan/guards/guards.ts";
import { blockingGuards, warningGuards } from "../../plan/guards/overrides.ts";
import type { Plan } from "../../plan/plan.ts";
import { guardText, limitText } from "../../say/guards.ts";
import { flag, reason } from "../../say/phrase.ts";
import { listed, notesOf, type Row, type Section, section } from "../../say/section.ts";

type Guarded = Parameters<typeof blockingGuards>[0] & Parameters<typeof warningGuards>[0] & Pick<Plan, "guards">;

/** What the command is stopped by, with the flag that overrides it. */
export function blockingSection(plan: Guarded, command: "apply" | "approve" = "apply"): Section {
	const rows = blockingGuards(plan).map((guard) => ({
		...foundBy(guard, "blocks", "bad"),
		notes: notesOf("plain", ["to override: ", flag("allow", `${guard.kind}=${guard.found}`)]),
	}));
	return section("guards", rows, { title: `Guards that block ${command}` });
}

/** What does not stop apply and should be known. */
export function warningGuardsSection(plan: Guarded): Section {
	return listed("guards-that-warn", warningGuards(plan), (guard) => foundBy(guard, "warns", "attention"));
}

export function passingSection(plan: Guarded): Section {
	const warnings = warningGuards(plan);
	const passing = plan.guards.filter((guard) => !guard.refuses && !warnings.includes(guard));
	return listed("guards-that-pass", passing, (guard) => foundBy(guard, "passes", "good"));
}

function foundBy(guard: Guard, word: string, look: "bad" | "attention" | "good"): Row {
	const said = [reason(guardText(guard)), ` (allowed: ${limitText(guard)})`];
	return { badge: { word, look }, said, about: guard.where };
}
