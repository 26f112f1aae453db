/** The overrides that were used: as each was given, and what it overrides. */
import { listCovers, quoteForShell } from "../../common/escape.ts";
import type { Guard } from "../../plan/guards/guards.ts";
import { isFor, type Override } from "../../plan/guards/overrides.ts";
import { guardText, limitText } from "../../say/guards.ts";
import { identifier, type Phrase, reason, type Span } from "../../say/phrase.ts";
import { type Section, section } from "../../say/section.ts";

/** `planned` are those of the run that made a saved plan. */
export function overridesSection(
	overrides: readonly Override[] | undefined,
	guards: readonly Guard[] = [],
	planned: readonly Override[] = [],
): Section {
	return section("overrides", [
		...(overrides ?? []).map((one) => ({ said: sayOverride(one, guards) })),
		...planned.map((one) => ({ said: [...sayOverride(one), ", when the plan was made"] })),
	]);
}

export function sayOverride(override: Override, guards: readonly Guard[] = []): Phrase {
	const given = (value: string | null = null): Span => ({ kind: "override", flag: override.flag, value });
	switch (override.flag) {
		case "allow": {
			const guard = guards.find((one) => isFor(override, one));
			const found: Phrase =
				guard === undefined ? [] : [": ", reason(guardText(guard)), ` (allowed: ${limitText(guard)})`];
			return [given(`${override.kind}=${override.number}`), ...found];
		}
		case "abandon":
			return [given(quoteForShell(override.activity)), ": this activity can still be approved, and apply ignores it"];
		case "retry-rejected": {
			const { steps, covers } = override;
			const what: Phrase = covers.length === 0 ? [] : [": ", identifier(listCovers(covers))];
			return [given(), `: ${steps} rejected ${steps === 1 ? "step" : "steps"} submitted again`, ...what];
		}
		case "insecure":
			return [given(), ": the certificate of the service is not verified"];
	}
}
