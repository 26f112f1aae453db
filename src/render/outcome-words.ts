/** The words for what became of an activity: the same in every format. */
import type { Outcome } from "../plan/report.ts";

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

export function toneOf({ outcome }: { readonly outcome: Outcome }): Tone {
	if (outcome === "completed") return "good";
	return outcome.startsWith("awaiting") || outcome === "not-attempted" ? "attention" : "bad";
}
