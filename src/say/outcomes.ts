/** The words for what became of an activity: the same in every format. */
import type { Outcome } from "../plan/report.ts";
import type { Look } from "./section.ts";

/** How good the news is. No format shows it by colour alone. */
export type Tone = "good" | "attention" | "bad";

export const outcomeWords: Readonly<Record<Outcome, string>> = {
	completed: "completed",
	"awaiting-approval": "pending approval",
	"awaiting-authenticator": "waiting for an authenticator",
	rejected: "rejected",
	denied: "denied",
	failed: "failed",
	unknown: "unknown",
	"not-attempted": "not attempted",
};

/** Returns how many of each outcome there are, in the order of the words: `2 completed`. */
export function countOutcomes(outcomes: readonly Outcome[]): readonly string[] {
	const found = Map.groupBy(outcomes, (outcome) => outcome);
	return Object.entries(outcomeWords).flatMap(([outcome, words]) => {
		const number = found.get(outcome as Outcome)?.length ?? 0;
		return number === 0 ? [] : [`${number} ${words}`];
	});
}

export function toneOf({ outcome }: { readonly outcome: Outcome }): Tone {
	if (outcome === "completed") return "good";
	return outcome.startsWith("awaiting") || outcome === "not-attempted" ? "attention" : "bad";
}

/** Returns how a step is marked: `plain` where it was not attempted, for another reason than its own. */
export function lookOf({ outcome }: { readonly outcome: Outcome }): Look {
	return outcome === "not-attempted" ? "plain" : toneOf({ outcome });
}
