/** What became of each change, or why no step makes it now, in a word: the same in every format. */
import type { Plan } from "../plan/plan.ts";
import { groupSteps } from "../plan/step-groups.ts";
import { outcomeWords, toneOf } from "../say/outcomes.ts";
import { type OrganizationResult, resultsByAddress, type Tone } from "./result/organizations.ts";

export interface ChangeWord {
	readonly word: string;
	readonly tone: Tone;
}

/** Returns the word of the change at an address; null for a planned change of which there is nothing to say. */
export function wordsOfChanges(one: OrganizationResult): (address: string) => ChangeWord | null {
	const { command, plan, failed, results } = one;
	const byAddress = resultsByAddress(results);
	const heldAt = holdsOf(plan);
	const unsent = failed !== null ? "no result" : results === null && command === "apply" ? "not sent" : null;
	return (address) => {
		const result = byAddress.get(address);
		if (result !== undefined) return { word: outcomeWords[result.outcome], tone: toneOf(result) };
		const word = heldAt(address) ?? unsent;
		return word === null ? null : { word, tone: "attention" };
	};
}

/** The word for a change that waits for `--retry-rejected`. */
export const heldByRejection = "on hold: rejected";

/** Returns why no step makes the change at an address now; null where one does, or none could. */
export function holdsOf({ steps }: Pick<Plan, "steps">): (address: string) => string | null {
	const groups = groupSteps(steps);
	const [sent, rejected] = [new Set(groups.sent), new Set([...groups.rejected, ...groups.behind])];
	const covering = Map.groupBy(
		steps.flatMap((step) => step.covers.map(({ address }) => ({ address: address as string, step }))),
		({ address }) => address,
	);
	return (address) => {
		const own = (covering.get(address) ?? []).map(({ step }) => step);
		if (own.length === 0 || own.some((step) => sent.has(step))) return null;
		if (own.every((step) => rejected.has(step))) return heldByRejection;
		return own.every(({ earlierActivity }) => earlierActivity?.relation === "same") ? "pending" : "on hold";
	};
}
