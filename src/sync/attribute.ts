/**
 * Who moved what is not as the document says, as far as the service's list of activities tells: one question an
 * organization, asked only when there is something to explain.
 *
 * The rule it keeps: nobody is blamed by a guess. Of everything that touched the object in question the newest counts, and
 * only when it moved the object the way it differs, and was not sent from here.
 */
import { OrgsyncError, ServiceError } from "../errors.ts";
import type { Change } from "../plan/change.ts";
import type { Attribution } from "../plan/drift.ts";
import { knownDifferences } from "../plan/drift-difference.ts";
import type { Plan } from "../plan/plan.ts";
import { isRecord, readTime } from "../wire/activity.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads, submits } from "../wire/operations.ts";

/** Who moved what, by address. */
export interface Attributed {
	readonly attributions: ReadonlyMap<string, Attribution>;
	/** Why nobody can be named; null when activities were listed, or there was nothing to ask. */
	readonly unattributed: string | null;
}

/** Most activities in one answer (service-facts.md, last table); older ones are not asked for: each page is a request. */
const pageLimit = 100;

/**
 * Who last moved each known difference of the plan. With documented reads, and when nothing differs that an activity could
 * explain, nobody is asked. That activities cannot be listed is no error: what was found is worth more than by whom.
 */
export async function attribute(
	plan: Plan,
	reader: Reader,
	isOurs: (fingerprint: string) => boolean,
): Promise<Attributed> {
	const questions = new Map(
		knownDifferences(plan).flatMap(({ address, change, waitsFor }) => {
			const facts = change === null || waitsFor !== null ? [] : factsOf(change, plan);
			return facts.length === 0 ? [] : [[address, facts] as const];
		}),
	);
	if (plan.reads === "documented" || questions.size === 0) return { attributions: new Map(), unattributed: null };
	const listed = await listCompleted(plan.organizationId, reader);
	if (typeof listed === "string") return { attributions: new Map(), unattributed: listed };
	const attributions = [...questions].flatMap(([address, facts]) => {
		const found = facts.flatMap((fact) => findMover(fact, listed, isOurs) ?? []);
		const newest = newestOf(found);
		return newest === undefined ? [] : [[address, describe(newest, plan)] as const];
	});
	return { attributions: new Map(attributions), unattributed: null };
}

/** A completed activity, as far as it matters here. */
interface Completed {
	readonly id: string;
	readonly type: string;
	readonly fingerprint: string;
	/** The inner objects of intent and result. */
	readonly intent: Readonly<Record<string, unknown>>;
	/** Every text in intent and result, in lower case: the ids of what it is about are among them. */
	readonly names: ReadonlySet<string>;
	readonly userId: string | null;
	readonly userName: string | null;
	readonly atMs: number | undefined;
}

/** The activities, newest first, or why they could not be listed. */
async function listCompleted(organizationId: string, reader: Reader): Promise<readonly Completed[] | string> {
	const filterByStatus = ["ACTIVITY_STATUS_COMPLETED"];
	const fields = { organizationId, filterByStatus, paginationOptions: { limit: String(pageLimit) } };
	try {
		const { activities } = (await reader.query(extendedReads.list_activities, fields)).value;
		return (Array.isArray(activities) ? activities : []).filter(isRecord).map(readCompleted);
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		if (error instanceof ServiceError && [403, 404, 501].includes(error.httpStatus)) {
			return "the service does not list activities to this key";
		}
		return `the activities could not be listed: ${error.message}`;
	}
}

function readCompleted(record: Readonly<Record<string, unknown>>): Completed {
	const vote = Array.isArray(record.votes) ? record.votes.find(isRecord) : undefined;
	const user = isRecord(vote?.user) ? vote.user : undefined;
	const intents = isRecord(record.intent) ? Object.values(record.intent).filter(isRecord) : [];
	return {
		id: String(record.id),
		type: String(record.type),
		fingerprint: String(record.fingerprint),
		intent: intents[0] ?? {},
		names: new Set([...textsIn(record.intent), ...textsIn(record.result)]),
		// The submitter's own request is the first vote (service-facts.md, "Activity").
		userId: textOrNull(vote?.userId)?.toLowerCase() ?? null,
		userName: textOrNull(user?.userName),
		atMs: readTime(record.updatedAt) ?? readTime(record.createdAt),
	};
}

/** Deeper than any intent known; what is nested deeper says nothing. */
const deepest = 8;

function textsIn(value: unknown, depth = 0): readonly string[] {
	if (typeof value === "string") return [value.toLowerCase()];
	if (value === null || typeof value !== "object" || depth === deepest) return [];
	return Object.values(value).flatMap((item) => textsIn(item, depth + 1));
}

function textOrNull(value: unknown): string | null {
	return typeof value === "string" && value !== "" ? value : null;
}

/** Something about an object that an activity can have moved. */
interface Fact {
	/** Whether the activity was about it, whichever way it moved it. */
	readonly touches: (activity: Completed) => boolean;
	/** Whether it moved it the way it differs now. */
	readonly moves: (activity: Completed) => boolean;
}

function factsOf(change: Change, plan: Plan): readonly Fact[] {
	if (change.kind === "userTag") {
		const { tagId, before, after, addUserIds, removeUserIds } = change;
		const renamed = before.name === after.name ? [] : [nameFact(tagId, before.name)];
		return [
			...renamed,
			...addUserIds.map((userId) => memberFact(tagId, userId, "removeUserIds")),
			...removeUserIds.map((userId) => memberFact(tagId, userId, "addUserIds")),
		];
	}
	if (change.action === "remove") return [thereFact(change.id)];
	const label = change.address.slice(change.address.indexOf(":") + 1);
	switch (change.kind) {
		case "sessionProfile":
		case "bootProof":
			return [namedFact([label])];
		case "mfaPolicy": {
			const [user = "", ...name] = label.split("/");
			return [namedFact([idOfUser(user, plan), name.join("/")])];
		}
		// Which assets there are the service decides, not an activity of the organization.
		case "supportedAsset":
			return [];
	}
}

const isUpdateOfTag = ({ type }: Completed): boolean => type.startsWith(submits.update_user_tag.type);

/** Of a type that orgsync does not know, its name tells which way it cannot have moved a member. */
const unlikely = { addUserIds: /_(DELETE|REMOVE)_/, removeUserIds: /_(CREATE|ADD)_/ } as const;

function memberFact(tagId: string, userId: string, moved: keyof typeof unlikely): Fact {
	return {
		touches: ({ names }) => names.has(tagId) && names.has(userId),
		moves: (one) =>
			isUpdateOfTag(one) ? textsIn(one.intent[moved]).includes(userId) : !unlikely[moved].test(one.type),
	};
}

function nameFact(tagId: string, liveName: string): Fact {
	return {
		touches: (one) => one.names.has(tagId) && (!isUpdateOfTag(one) || textOrNull(one.intent.newUserTagName) !== null),
		moves: (one) =>
			isUpdateOfTag(one) ? one.intent.newUserTagName === liveName : one.names.has(liveName.toLowerCase()),
	};
}

/** Of something that is there and should not be: whatever named it last, but for its removal. */
function thereFact(id: string): Fact {
	return { touches: ({ names }) => names.has(id), moves: ({ type }) => !unlikely.addUserIds.test(type) };
}

function namedFact(texts: readonly string[]): Fact {
	const wanted = texts.map((text) => text.toLowerCase());
	return { touches: ({ names }) => wanted.every((text) => names.has(text)), moves: () => true };
}

function idOfUser(name: string, { userNames }: Plan): string {
	return Object.entries(userNames).find(([, alias]) => alias === name)?.[0] ?? name;
}

/** The newest activity that touched it, if it moved it so and was not sent from here. */
function findMover(
	{ touches, moves }: Fact,
	activities: readonly Completed[],
	isOurs: (fingerprint: string) => boolean,
): Completed | undefined {
	const last = newestOf(activities.filter(touches));
	return last === undefined || !moves(last) || isOurs(last.fingerprint) ? undefined : last;
}

/** By when it took effect, which is not the order of the list where one waited; as listed where that is not said. */
function newestOf(activities: readonly Completed[]): Completed | undefined {
	return activities.reduce<Completed | undefined>(
		(newest, one) => (newest === undefined || (one.atMs ?? 0) > (newest.atMs ?? 0) ? one : newest),
		undefined,
	);
}

function describe({ id, type, userId, userName, atMs }: Completed, { userNames }: Plan): Attribution {
	const alias = userId !== null && Object.hasOwn(userNames, userId) ? (userNames[userId] ?? null) : null;
	const at = atMs === undefined || Number.isNaN(new Date(atMs).getTime()) ? null : new Date(atMs).toISOString();
	return { activityId: id, type, userId, userName: alias ?? userName, at };
}
