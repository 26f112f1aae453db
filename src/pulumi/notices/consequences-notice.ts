/** What the change of one resource means for who can do what, and who has to approve it: lines for the engine's output. */
import { showText } from "../../common/escape.ts";
import type { Plan } from "../../plan/plan.ts";
import { phraseText } from "../../render/print/text.ts";
import { describeImpact, summarizeImpact } from "../../render/sections/impact-words.ts";
import { describeApprovals } from "../../say/approvals.ts";
import type { MetaInputs } from "../inputs/inputs.ts";

/** Max lines about powers of one resource; the rest is counted. */
const maxLines = 10;

/**
 * Returns a line for each change of who can do what, worst first, and one for each approval that is needed. None where powers
 * stay the same and the step runs at once. Beside secret inputs, lines count people and name none.
 */
export function describeConsequences(
	{ resource, secretInputs = [] }: Pick<MetaInputs, "resource" | "secretInputs">,
	given: Plan,
): readonly string[] {
	const plan = withLiveNames(given);
	const names = secretInputs.length === 0;
	const found = describeImpact(plan);
	const sentences = found.map(({ sign, sentence }) => `${sign} ${phraseText(sentence)}`);
	const shown = sentences.length > maxLines + 1 ? sentences.slice(0, maxLines) : sentences;
	const more = sentences.length - shown.length;
	const impact = names ? [...shown, ...(more === 0 ? [] : [`and ${more} more changes of who can do what`])] : [];
	const summary = found.length > 0 && !names ? (summarizeImpact(plan) ?? "") : "";
	const approvals = describeApprovals(plan)
		.filter(({ verdict }) => verdict !== "runs")
		.map(({ verdict, sentence }) => (names ? phraseText(sentence) : withoutNames[verdict]));
	return [...impact, ...(summary === "" ? [] : [summary]), ...approvals].map((line) =>
		showText(`${resource}: ${line}`),
	);
}

/** Returns a line for each warning of the plan; none beside secret inputs. */
export function describeWarnings(
	{ resource, secretInputs = [] }: Pick<MetaInputs, "resource" | "secretInputs">,
	{ warnings = [] }: Plan,
): readonly string[] {
	return secretInputs.length > 0 ? [] : warnings.map(({ message }) => showText(`${resource}: ${message}`));
}

/** Returns the plan with live names as aliases: a resource has none, and a sentence about users is hard to read with their ids. */
export function withLiveNames(plan: Plan): Plan {
	const named = Object.entries(plan.liveNames ?? {}).filter(([, name]) => name !== "");
	return { ...plan, userNames: { ...Object.fromEntries(named), ...plan.userNames } };
}

const withoutNames = {
	runs: "runs at once",
	pending: "will be pending approval",
	denied: "would be denied",
	unknown: "approval unknown",
} as const;
