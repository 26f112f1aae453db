/**
 * The guard `reversals`: two documents that want opposite things of one user tag undo each other's activities for ever
 * (docs/guards.md#changes-made-and-undone). Only user tags can be changed back: what orgsync removes has an id that never comes back.
 */
import { idsIn } from "../activities/requests.ts";
import type { TagChange } from "../change.ts";
import { type AccessWindow, type DesiredOrganization, tagsOf } from "../organization.ts";
import { isTemporaryName } from "../renames.ts";
import type { CompletedActivity, Reversal } from "./finding.ts";
import { type Guard, guardOf } from "./guards.ts";

interface JudgedReversals {
	/** Changes of user tags that steps of the plan submit. */
	readonly changes: readonly TagChange[];
	/** The newest first, as far as they are known. */
	readonly completed: readonly CompletedActivity[];
	/** The service's time, milliseconds since 1970. */
	readonly timeMs: number;
}

/**
 * Refuses to make a change for the third time: either the last two completed activities on the tag undo each other and the
 * plan repeats the first of them, or a part of the change was made twice before and undone each time.
 */
export function judgeReversals(
	desired: DesiredOrganization,
	{ changes, completed, timeMs }: JudgedReversals,
): readonly Guard[] {
	const found = changes.flatMap((change) => {
		const wanted = tagsOf(desired).find(({ name }) => name === change.after.name);
		const windows = wanted?.members?.windows ?? [];
		const history = historyOf(change.tagId, completed, (userId) => phaseStart(userId, windows, timeMs));
		const reversal = findReversal(change, history, wanted?.previously ?? []);
		return reversal === undefined ? [] : [{ address: change.address, ...reversal }];
	});
	const { files, users } = desired;
	const where = found.map(({ address }) => address);
	return guardOf("reversals", found.length, where, { what: "reversals", reversals: found, document: { files, users } });
}

/** What an activity made of the parts of a tag: its name under `name`, and each user as `added` or `removed`. */
type Parts = ReadonlyMap<string, string>;

interface Past {
	readonly activity: CompletedActivity;
	readonly parts: Parts;
}

const added = "added";
const removed = "removed";

/** Returns since when the document wants the same of the user: access that was granted, ended and granted is no exchange. */
function phaseStart(userId: string, windows: readonly AccessWindow[], timeMs: number): number {
	const own = windows.filter((window) => window.userId === userId);
	if (own.length === 0) return Number.NEGATIVE_INFINITY;
	const moments = own.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]);
	const past = moments.filter((moment) => moment !== undefined && moment <= timeMs) as readonly number[];
	return past.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...past);
}

function historyOf(
	tagId: string,
	completed: readonly CompletedActivity[],
	startOf: (userId: string) => number,
): readonly Past[] {
	const own = completed.filter(({ parameters }) => String(parameters.userTagId).toLowerCase() === tagId);
	return own.map((activity) => {
		const { newUserTagName: name, addUserIds, removeUserIds } = activity.parameters;
		const atMs = activity.completedAtMs ?? Number.NEGATIVE_INFINITY;
		const counts = (userId: string): boolean => atMs >= startOf(userId);
		// A tag of a cycle of renames takes a temporary name first, which undoes nothing.
		const isNamed = typeof name === "string" && name !== "" && !isTemporaryName(name, tagId);
		return {
			activity,
			parts: new Map([
				...(isNamed ? [["name", name] as const] : []),
				...idsIn(addUserIds)
					.filter(counts)
					.map((userId) => [userId, added] as const),
				...idsIn(removeUserIds)
					.filter(counts)
					.map((userId) => [userId, removed] as const),
			]),
		};
	});
}

function partsOf({ before, after, addUserIds, removeUserIds }: TagChange): Parts {
	return new Map([
		...(before.name === after.name ? [] : [["name", after.name] as const]),
		...addUserIds.map((userId) => [userId, added] as const),
		...removeUserIds.map((userId) => [userId, removed] as const),
	]);
}

function findReversal(
	change: TagChange,
	history: readonly Past[],
	formerNames: readonly string[],
): Omit<Reversal, "address"> | undefined {
	const wanted = partsOf(change);
	const touching = history.filter(({ parts }) => [...wanted.keys()].some((part) => parts.has(part)));
	if (takesBackOwn(wanted, touching[0])) return undefined;
	const [undone, made] = touching;
	if (undone !== undefined && made !== undefined) {
		const older = history.slice(history.indexOf(made) + 1);
		const nameBefore = older.find(({ parts }) => parts.has("name"))?.parts.get("name");
		const isFormer = (name: string): boolean =>
			nameBefore === undefined ? formerNames.includes(name) : nameBefore === name;
		const repeats = [...wanted].every(([part, value]) => !made.parts.has(part) || made.parts.get(part) === value);
		if (repeats && undoes(undone.parts, made.parts, isFormer)) {
			return { made: made.activity, undone: undone.activity, times: 1 };
		}
	}
	const isLive = change.basis === "live";
	const repeated = [...wanted].flatMap(([part, value]) =>
		part === "name" || isLive ? (findRepeated(part, value, touching) ?? []) : [],
	);
	return repeated[0];
}

/**
 * Whether the change only removes members, and the last activity on them was submitted from here: a grant that ends early, as
 * often as access is granted. Where two documents share a journal, the one that adds the members is refused.
 */
function takesBackOwn(wanted: Parts, last: Past | undefined): boolean {
	return last?.activity.isOurs === true && [...wanted.values()].every((value) => value === removed);
}

/** Whether the later activity takes back all that the earlier one did, and nothing else. */
function undoes(later: Parts, earlier: Parts, isFormer: (name: string) => boolean): boolean {
	if (later.size !== earlier.size) return false;
	return [...later].every(([part, value]) => {
		const before = earlier.get(part);
		return before !== undefined && before !== value && (part !== "name" || isFormer(value));
	});
}

/**
 * Finds a part that was made to be this twice before. Live is something else, so it was undone each time, also where no
 * activity shows that. Of equal activities that the service lists one behind the other, all but one changed nothing.
 */
function findRepeated(part: string, value: string, touching: readonly Past[]): Omit<Reversal, "address"> | undefined {
	const steps = touching.filter(({ parts }) => parts.has(part));
	const makes = steps.filter(({ parts, activity }, index) => {
		const next = steps[index + 1];
		const isRepeat = next?.parts.get(part) === value && activity.saidBy === "service";
		return parts.get(part) === value && !isRepeat;
	});
	const first = steps.find(({ parts }) => parts.get(part) === value);
	if (first === undefined || makes.length < 2) return undefined;
	return { made: first.activity, undone: steps[steps.indexOf(first) - 1]?.activity, times: makes.length };
}
