/**
 * Finds out who caused drift, from the service's list of activities: one query an organization, and only if there is drift.
 *
 * It never guesses. An activity explains a difference only if orgsync understands its type, it changed the object in this
 * way, it was not submitted from here, and no later or simultaneous activity may have changed the object too.
 */

import { OrgsyncError } from "../common/errors.ts";
import { isRecord, textOrNull } from "../common/json.ts";
import {
	idOf,
	idsOfName,
	type NamedWrites,
	policyWrites,
	type RecordedActivity,
	tagWrites,
} from "../plan/activities/named-writes.ts";
import { labelOf } from "../plan/address.ts";
import type { Change, PolicyChange, ReportChange } from "../plan/change.ts";
import type { Attribution } from "../plan/drift/attribution.ts";
import type { AddedCredential } from "../plan/drift/credentials.ts";
import { accessExpired, knownDifferences } from "../plan/drift/difference.ts";
import { readOnlyKindOf, removalKinds } from "../plan/kinds/index.ts";
import type { Plan } from "../plan/plan.ts";
import { endOfPrecision, readTime } from "../wire/activity.ts";
import type { Reader } from "../wire/client.ts";
import { writes } from "../wire/operations.ts";
import { type ActivityRecord, isOldestFirst, listPages } from "./read/list-activities.ts";

/** Who caused which difference, by address. */
export interface DriftAttributions {
	readonly attributions: ReadonlyMap<string, Attribution>;
	/** Why no one can be named; null if activities were listed, or if there was nothing to ask. */
	readonly unattributed: string | null;
}

/**
 * Returns who caused each known difference of the plan, by address, and each of these credentials, by key. Asks nothing with documented reads, or if no activity could explain a
 * difference. It is no error that activities cannot be listed: the drift matters more than who caused it.
 */
export async function attributeDrift(
	plan: Plan,
	reader: Reader,
	isOurs: (fingerprint: string) => boolean,
	credentials: readonly Pick<AddedCredential, "key" | "id">[] = [],
): Promise<DriftAttributions> {
	const questions = new Map([
		...credentials.map(({ key, id }) => [key, [existenceFact(id, createsCredentials)]] as const),
		...knownDifferences(plan).flatMap(({ address, change, earlierActivity, what }) => {
			// No one makes access expire.
			const isAsked = change !== null && earlierActivity === null && what !== accessExpired;
			const facts = isAsked ? factsOf(change, plan) : [];
			return facts.length === 0 ? [] : [[address, facts] as const];
		}),
	]);
	if (plan.reads === "documented" || questions.size === 0) return { attributions: new Map(), unattributed: null };
	const listed = await listCompleted(plan.organizationId, reader);
	if (typeof listed === "string") return { attributions: new Map(), unattributed: listed };
	const attributions = [...questions].flatMap(([address, facts]) => {
		const found = facts.flatMap((fact) => findCause(fact, listed, isOurs) ?? []);
		const newest = newestOf(found);
		return newest === undefined ? [] : [[address, describe(newest, plan)] as const];
	});
	return { attributions: new Map(attributions), unattributed: null };
}

/** A completed activity, as far as it matters here. */
interface CompletedActivity extends RecordedActivity {
	readonly id: string;
	readonly fingerprint: string;
	/** Every string in intent and result, in lower case. The ids of its objects are among them. */
	readonly names: ReadonlySet<string>;
	readonly userId: string | null;
	readonly userName: string | null;
	readonly atMs: number | undefined;
}

/** Returns the activities, newest first, or why they cannot be listed. */
async function listCompleted(organizationId: string, reader: Reader): Promise<readonly CompletedActivity[] | string> {
	const filters = { organizationId, filterByStatus: ["ACTIVITY_STATUS_COMPLETED"] };
	try {
		// Older activities are not asked for: each page is a request.
		for await (const { isLast, activities } of listPages(reader, filters)) {
			if (!isLast && isOldestFirst(activities))
				return "the service lists the oldest activities first, and more of them";
			return activities.map(readCompleted);
		}
		return "the service does not list activities to this key";
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		return `the activities could not be listed: ${error.message}`;
	}
}

function readCompleted(record: ActivityRecord): CompletedActivity {
	return {
		id: String(record.id),
		fingerprint: String(record.fingerprint),
		...recordedActivity(record),
		names: new Set([...textsIn(record.intent), ...textsIn(record.result)]),
		...submitterOf(record),
		atMs: completionTime(record),
	};
}

/** Returns what an activity is about: the inner objects of its intent and its result. */
export function recordedActivity({ type, intent, result }: ActivityRecord): RecordedActivity {
	const innerOf = (outer: unknown) => (isRecord(outer) ? Object.values(outer).find(isRecord) : undefined) ?? {};
	return { type: String(type), intent: innerOf(intent), result: innerOf(result) };
}

/** Returns who submitted the activity, and what it calls that user; null where it does not say. */
export function submitterOf(record: ActivityRecord): Pick<CompletedActivity, "userId" | "userName"> {
	const vote = firstOf(Array.isArray(record.votes) ? record.votes.filter(isRecord) : []);
	const user = isRecord(vote?.user) ? vote.user : undefined;
	return { userId: textOrNull(vote?.userId)?.toLowerCase() ?? null, userName: textOrNull(user?.userName) };
}

/** Returns when a completed activity took effect, milliseconds since 1970. */
export function completionTime({ updatedAt, createdAt }: ActivityRecord): number | undefined {
	return readTime(updatedAt) ?? readTime(createdAt);
}

type Vote = Readonly<Record<string, unknown>>;

/** The submitter's vote, the first in time (docs/internals/service.md#votes). Undefined if there are several without times. */
function firstOf(votes: readonly Vote[]): Vote | undefined {
	const timed = votes.map((vote) => ({ vote, atMs: readTime(vote.createdAt) ?? Number.NaN }));
	return timed.find((one) => timed.every((other) => one === other || one.atMs < other.atMs))?.vote;
}

/** Deeper than any known intent; strings that are nested deeper are ignored. */
const maxDepth = 8;

function textsIn(value: unknown, depth = 0): readonly string[] {
	if (typeof value === "string") return [value.toLowerCase()];
	if (value === null || typeof value !== "object" || depth === maxDepth) return [];
	return Object.values(value).flatMap((item) => textsIn(item, depth + 1));
}

/** A property of an object that an activity can have changed. */
interface Fact {
	/** Whether the activity, one of `all`, may have changed it in any way. */
	readonly touches: (activity: CompletedActivity, all: readonly CompletedActivity[]) => boolean;
	/** Whether it is known to have changed it to what it is now. */
	readonly explains: (activity: CompletedActivity, all: readonly CompletedActivity[]) => boolean;
}

function factsOf(change: Change, plan: Plan): readonly Fact[] {
	if (change.kind === "userTag") {
		const { action, tagId, before, after, addUserIds, removeUserIds } = change;
		if (action === "create") return [goneFact(after.name, tagWrites)];
		if (action === "remove") return [existenceFact(tagId, tagWrites.creates)];
		const renamed = before.name === after.name ? [] : [nameFact(tagId, before.name)];
		return [
			...renamed,
			...addUserIds.map((userId) => memberFact(tagId, userId, "removeUserIds", "addUserIds")),
			...removeUserIds.map((userId) => memberFact(tagId, userId, "addUserIds", "removeUserIds")),
		];
	}
	if (change.action === "remove") {
		const kind = removalKinds.find(({ name }) => name === change.kind);
		return kind === undefined ? [] : [existenceFact(change.id, kind.creations)];
	}
	if (change.kind === "policy") return [policyFact(change)];
	const { activities, groupedBy } = readOnlyKindOf(change.kind);
	if (activities === null) return [];
	const label = labelOf(change.address);
	if (groupedBy !== "user") return [expectedFact([label], change, activities)];
	const [user = "", ...name] = label.split("/");
	return [expectedFact([idOfUser(user, plan), name.join("/")], change, activities)];
}

/** An object that should exist and does not: its removal or a new name, if listed activities say which id had its name. */
function goneFact(name: string, kind: NamedWrites): Fact {
	const takes = ({ type, intent, names }: CompletedActivity, all: readonly CompletedActivity[]): boolean => {
		const ids = idsOfName(name, kind, all);
		const newName = textOrNull(intent[kind.renamed]);
		if (kind.removes.test(type)) return [...ids].some((id) => names.has(id));
		const isRenamed = kind.updates.test(type) && newName !== null && newName !== name;
		return isRenamed && ids.has(idOf(intent[kind.updatedId]) ?? "");
	};
	return { touches: takes, explains: takes };
}

/** What gave a policy the text that it has, or took a policy of the document away. */
function policyFact({ action, id, before, after }: PolicyChange): Fact {
	if (action === "create") return goneFact(after.name, policyWrites);
	const { creates, updates } = policyWrites;
	const isUpdate = ({ type, intent }: CompletedActivity): boolean =>
		updates.test(type) && textOrNull(intent.policyId)?.toLowerCase() === id;
	const isCreation = ({ type, names }: CompletedActivity): boolean => creates.test(type) && names.has(id);
	const live = {
		policyName: before?.name,
		policyEffect: before?.effect,
		policyConsensus: before?.consensus,
		policyCondition: before?.condition,
		policyNotes: before?.notes,
	};
	return {
		touches: (one) => isUpdate(one) || isCreation(one),
		explains: (one) =>
			isCreation(one) || Object.entries(live).every(([key, value]) => (one.intent[key] ?? value) === value),
	};
}

/** The tag that an update of a user tag is about; undefined for any other activity, and for one in a shape of its own. */
function updatedTag({ type, intent }: CompletedActivity): string | undefined {
	return type.startsWith(writes.update_user_tag.type) ? textOrNull(intent.userTagId)?.toLowerCase() : undefined;
}

type MemberList = "addUserIds" | "removeUserIds";

/** Only an update of the tag shows its members. Any other activity that names the tag or the user may have changed them. */
function memberFact(tagId: string, userId: string, changed: MemberList, other: MemberList): Fact {
	const lists = ({ intent }: CompletedActivity, key: MemberList): boolean => textsIn(intent[key]).includes(userId);
	return {
		touches: (one) => {
			const updated = updatedTag(one);
			if (updated === undefined) return one.names.has(tagId) || one.names.has(userId);
			return updated === tagId && (lists(one, changed) || lists(one, other));
		},
		explains: (one) => updatedTag(one) === tagId && lists(one, changed) && !lists(one, other),
	};
}

function nameFact(tagId: string, liveName: string): Fact {
	return {
		touches: (one) => {
			const updated = updatedTag(one);
			if (updated === undefined) return one.names.has(tagId);
			return updated === tagId && textOrNull(one.intent.newUserTagName) !== null;
		},
		explains: (one) => updatedTag(one) === tagId && one.intent.newUserTagName === liveName,
	};
}

/** Users get credentials with their creation, an invitation or a recovery too. */
const createsCredentials = /_(CREATE|ACCEPT|RECOVER)_/;

const removes = /_(DELETE|REMOVE)_/;

/** An object that exists and should not: its creation, because an id is created once. A removal of it explains nothing. */
function existenceFact(id: string, creates: RegExp): Fact {
	return {
		touches: ({ names, type }) => names.has(id) && (creates.test(type) || removes.test(type)),
		explains: ({ type }) => creates.test(type),
	};
}

/** Of something expected: what names it. Others of the family may name it by another id, and count as having touched it. */
function expectedFact(texts: readonly string[], { reason }: ReportChange, family: RegExp): Fact {
	const wanted = texts.map((text) => text.toLowerCase());
	return {
		touches: ({ type }) => family.test(type),
		explains: ({ type, names }) =>
			wanted.every((text) => names.has(text)) && removes.test(type) === (reason === "not-there"),
	};
}

function idOfUser(name: string, { userNames }: Plan): string {
	return Object.entries(userNames).find(([, alias]) => alias === name)?.[0] ?? name;
}

/** Returns the newest activity that touched it, if it is known to be the newest, made this change and was not submitted from here. */
function findCause(
	{ touches, explains }: Fact,
	activities: readonly CompletedActivity[],
	isOurs: (fingerprint: string) => boolean,
): CompletedActivity | undefined {
	const touching = activities.filter((one) => touches(one, activities));
	const isLast = (one: CompletedActivity): boolean => touching.every((other) => one === other || isNewer(one, other));
	const last = touching.find(isLast);
	return last === undefined || !explains(last, activities) || isOurs(last.fingerprint) ? undefined : last;
}

/** Compares when they took effect, which differs from the order of the list if one was pending. False if that is not known. */
function isNewer(one: CompletedActivity, other: CompletedActivity): boolean {
	return (one.atMs ?? Number.NaN) > endOfPrecision(other.atMs ?? Number.NaN);
}

/** Returns the newest of the activities that changed parts of an object; the first one if their times are not known. */
function newestOf(activities: readonly CompletedActivity[]): CompletedActivity | undefined {
	return activities.reduce<CompletedActivity | undefined>(
		(newest, one) => (newest === undefined || isNewer(one, newest) ? one : newest),
		undefined,
	);
}

function describe({ id, type, userId, userName, atMs }: CompletedActivity, { userNames }: Plan): Attribution {
	const alias = userId !== null && Object.hasOwn(userNames, userId) ? (userNames[userId] ?? null) : null;
	const at = atMs === undefined ? null : new Date(atMs).toISOString();
	return { activityId: id, type, userId, userName: alias ?? userName, liveName: userName, at };
}
