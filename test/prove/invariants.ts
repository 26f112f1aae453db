/**
 * What the proofs hold orgsync to, written down apart from `src/`: by what the emulator lists, and by the tables of the journal
 * as docs/exactly-once.md describes them.
 */
import { DatabaseSync } from "node:sqlite";
import { type Change, changesOf, hasChange, isVote, type ListedActivity } from "./small-world.ts";

/** A service at one moment. */
export interface Seen {
	/** The organization in the form of a seed. */
	readonly organization: object;
	/** Oldest first. */
	readonly activities: readonly ListedActivity[];
}

const ended = ["COMPLETED", "FAILED", "REJECTED"].map((name) => `ACTIVITY_STATUS_${name}`);

/** Whether an activity can still take effect. */
export function isOpen({ status }: ListedActivity): boolean {
	return !ended.includes(status);
}

export interface Duplicate {
	readonly change: Change;
	/** The newest activity before that makes the same change. Undefined: the organization had it already. */
	readonly earlier: ListedActivity | undefined;
	readonly why: string;
}

/**
 * Returns each change of a new activity that another activity makes already, or that the organization has. An activity that failed
 * or was rejected makes no change, and one whose change was undone since may be repeated.
 */
export function findDuplicates(made: ListedActivity, { organization, activities }: Seen): readonly Duplicate[] {
	const earlier = activities.filter((one) => !isVote(one) && one.id !== made.id);
	return changesOf(made).flatMap((change): Duplicate[] => {
		const same = earlier.filter((one) => changesOf(one).includes(change));
		const open = same.findLast(isOpen);
		if (open !== undefined)
			return [{ change, earlier: open, why: `${open.id} makes it already, and is ${open.status}` }];
		if (!hasChange(organization, change)) return [];
		const done = same.findLast(({ status }) => status === "ACTIVITY_STATUS_COMPLETED");
		const why = done === undefined ? "the organization is like that" : `${done.id} made it already`;
		return [{ change, earlier: done, why: `${why}, and nothing undid it` }];
	});
}

/** Returns what is wrong with how activities went on, or undefined: what ended stays, and takes effect with enough approvals only. */
export function findBrokenCourse(before: Seen, after: Seen, approvals: number): string | undefined {
	const now = new Map(after.activities.map((one) => [one.id, one]));
	for (const { id, status } of before.activities) {
		const next = now.get(id);
		if (next === undefined) return `${id} was ${status}, and the service has lost it`;
		if (ended.includes(status) && next.status !== status) return `${id} was ${status}, and is ${next.status} now`;
	}
	for (const one of after.activities) {
		const approving = one.votes.filter(({ selection }) => selection === "VOTE_SELECTION_APPROVED");
		const voters = new Set(approving.map(({ userId }) => userId)).size;
		if (isVote(one) || one.status !== "ACTIVITY_STATUS_COMPLETED" || voters >= approvals) continue;
		return `${one.id} is completed with ${voters} approvals, and needs ${approvals}`;
	}
	return undefined;
}

/** What a journal has of one request. */
interface JournalRow {
	readonly fingerprint: string;
	readonly outcome: string | null;
	readonly activityId: string | null;
}

/** Returns the requests in the file of a journal. Throws what SQLite throws. */
export function readRequests(file: string): readonly JournalRow[] {
	const database = new DatabaseSync(file, { readOnly: true });
	try {
		const rows = database.prepare("SELECT fingerprint, outcome, activity_id AS activityId FROM sent").all();
		return rows as unknown as readonly JournalRow[];
	} finally {
		database.close();
	}
}
