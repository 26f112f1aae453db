/** Judges what a crash and the run after it left, by the emulator's own list and the rows of the journal. */
import { asksFor, changesOf, isVote, type ListedActivity, missingFrom, type SmallWorld } from "../small-world.ts";
import type { CrashWorld, Who } from "./world.ts";

/** A promise that was broken. `kind` is the same for the same promise, whatever the details. */
export class Broken extends Error {
	readonly kind: string;

	constructor(kind: string, detail: string) {
		super(`${kind}: ${detail}`);
		this.kind = kind;
	}
}

const hasNoEffect = ["ACTIVITY_STATUS_FAILED", "ACTIVITY_STATUS_REJECTED"];

/**
 * Fails if a change has two activities that take effect, one failed, or one makes a change that the document does not ask for.
 * `isUndone`: others changed a policy or a tag, which is then written again.
 */
export function judgeActivities(world: CrashWorld, small: SmallWorld, isUndone = false): void {
	for (const { activities } of world.views()) {
		const all = activities.filter((one) => !isVote(one));
		const failed = all.filter(({ status }) => hasNoEffect.includes(status));
		if (failed.length > 0) throw new Broken("an activity failed", failed.map(describe).join("; "));
		const byChange = new Map<string, ListedActivity>();
		for (const activity of all) {
			for (const change of changesOf(activity)) {
				const other = byChange.get(change);
				if (other !== undefined && !(isUndone && /^(create (policy|tag)|text) /.test(change)))
					throw new Broken("one change has two activities", `${describe(other)}; ${describe(activity)}`);
				byChange.set(change, activity);
				if (!asksFor(small, change))
					throw new Broken("an activity makes a change that the document does not ask for", change);
			}
		}
	}
}

function describe(activity: ListedActivity): string {
	const { id, status, fingerprint } = activity;
	return `${id} ${status} ${fingerprint.slice(0, 15)} (${changesOf(activity).join(", ")})`;
}

/** Fails if there are more activities, votes aside, than the same document made without a crash. */
export function judgeNumber(world: CrashWorld, most: number): void {
	const count = world.views().flatMap(({ activities }) => activities.filter((one) => !isVote(one))).length;
	if (count > most) throw new Broken("there are more activities than without a crash", `${count}, not ${most}`);
}

/**
 * Fails if an organization is not as the document says. Without the extended reads, no one can know which other members to remove
 * from a tag that lists all of its members.
 */
export function judgeState(world: CrashWorld, small: SmallWorld, reads: "all" | "documented"): void {
	const isUnknowable = (change: string): boolean => {
		const [verb, tag = ""] = change.split(" ");
		return reads === "documented" && verb === "remove" && small.exactly.has(tag);
	};
	for (const { organization } of world.views()) {
		const missing = missingFrom(small, organization).filter((change) => !isUnknowable(change));
		if (missing.length > 0) throw new Broken("the organization is not as the document says", missing.join(", "));
	}
}

/** Fails unless each activity has exactly one vote of each of these users. */
export function judgeVotes(world: CrashWorld, userIds: readonly string[]): void {
	for (const { activities } of world.views()) {
		for (const { id, votes } of activities.filter((one) => !isVote(one))) {
			const voters = votes.map(({ userId }) => userId).sort();
			if (voters.join() !== [...userIds].sort().join())
				throw new Broken("an activity has other votes than one of each user", `${id}: ${voters.join(", ")}`);
		}
	}
}

/**
 * Fails if the journal lacks a request or a vote that was sent, or does not know that a request completed which arrived. Whether a
 * vote counts is read from its activity, so its row can stay open.
 */
export function judgeJournal(world: CrashWorld, who: Who, sent: ReadonlySet<string>, isAllKnown: boolean): void {
	const arrived = new Set(world.views().flatMap(({ activities }) => activities.map(({ fingerprint }) => fingerprint)));
	const rows = new Map(world.journalOf(who).map((row) => [row.fingerprint, row]));
	for (const fingerprint of sent) {
		const row = rows.get(fingerprint);
		if (row === undefined) throw new Broken("the journal lacks a request that was sent", fingerprint);
		if (isAllKnown && arrived.has(fingerprint) && !row.isVote && row.outcome !== "completed")
			throw new Broken("the journal does not know that a request completed", `${fingerprint}: ${row.outcome}`);
	}
	if (!world.isLeftOutOfGit(who)) throw new Broken("git would take the journal", "its folder has no .gitignore");
}
