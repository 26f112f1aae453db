/** How a run of the last phase may end without being in sync. */
import type { Ended } from "../command.ts";

/** What a run could not know, or could not do. */
export interface Known {
	readonly reads: "all" | "documented";
	readonly isLimited: boolean;
	/** Whether the journal has all that the runners made. */
	readonly hasAll: boolean;
	/** Whether a duplicate was left out: the second activity of a change can fail. */
	readonly hasLeftOut: boolean;
	/** Whether another tool removed an object that the document removes. */
	readonly removedByOthers: boolean;
}

/** Returns "next" where the next apply goes on, else why no apply can, by the name that is counted; null for what nothing explains. */
export function explainEnd({ code, stdout, stderr }: Ended, known: Known): "next" | { readonly name: string } | null {
	const text = stdout + stderr;
	const hasFailed = code === 1 || code === 7;
	if (code === 8) return "next";
	// An apply can learn only now that the activity of the same bytes was rejected, or failed a moment ago; the next one goes on.
	if (code === 9 || /^ +(rejected$|failed: failed because of a fault)/m.test(text)) return "next";
	if (hasFailed && known.hasLeftOut) return "next";
	// Someone deleted a tag, and a runner made it again, which this journal does not know: a person looks, and allows it.
	if (isRebound({ code, stdout, stderr }) && !known.hasAll) return "next";
	if (code === 5 && known.isLimited) return { name: "ended blocked by a guard" };
	if (hasFailed && /in doubt|unknown|submitted before/.test(text)) {
		return known.reads === "all" ? "next" : { name: "ended in doubt: activities unreadable" };
	}
	// No query shows that an object is gone: the message says to take it out of the document.
	const isGone = /failed: .*no \w.* found with id/.test(text);
	if (hasFailed && isGone && known.reads === "documented" && known.removedByOthers) {
		return { name: "ended with an object that another tool removed, unreadable" };
	}
	return null;
}

/** Whether the guard `rebound` blocks. */
export function isRebound({ code, stdout, stderr }: Ended): boolean {
	return code === 5 && (stdout + stderr).includes("--allow rebound=1");
}
