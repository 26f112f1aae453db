/**
 * The live organization, read with as few queries as the document needs, all of them at once.
 *
 * The rule it keeps: what could not be read is said aloud and is unknown, never empty. It is handed a Reader and cannot
 * change anything.
 */
import { isUnavailable, type ServiceError } from "../errors.ts";
import { readOnlyKinds } from "../plan/kinds/index.ts";
import { type ReadOnlyKindName, type RemovalKindName, removalKindNames } from "../plan/kinds/names.ts";
import {
	type DesiredOrganization,
	expectationsOf,
	type Known,
	type LastApplied,
	type LiveOrganization,
	type LiveRecord,
	type LiveRemovable,
	liveKeyOf,
	removalsOf,
	tagsOf,
} from "../plan/organization.ts";
import type { Reads } from "../plan/plan.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads, type QueryOperation, queries } from "../wire/operations.ts";
import { digestRecord, stringOr, toUserNames, toUserTags } from "./live-values.ts";

export interface LiveReading {
	readonly live: LiveOrganization;
	/**
	 * A time by the service's own clock at which nothing had been read yet, in milliseconds since 1970; undefined when the
	 * service does not say, or nobody measured how long it took. It is the Date header's, which is written when the answer
	 * is, less all the time that the query took; the header counts whole seconds and so errs to the early side too.
	 */
	readonly serverTimeMs: number | undefined;
}

/**
 * What the service has of everything that the document speaks of. With `"auto"` the extended reads are asked too where
 * they show something that the document needs; a service that does not have one (404, 501) or denies it (403) in its own
 * error shape leaves that part unknown. `steadyNow` tells milliseconds from any beginning and is never set back. Throws AuthenticationError, TransportError, and ServiceError where a documented query fails.
 */
export async function readLive(
	desired: DesiredOrganization,
	reader: Reader,
	lastApplied: LastApplied,
	reads: Reads,
	steadyNow?: () => number,
): Promise<LiveReading> {
	const times: number[] = [];
	let isAnswered = false;
	const ask = async (
		operation: QueryOperation,
		fields: Readonly<Record<string, unknown>> = {},
	): Promise<LiveRecord> => {
		const startedAtMs = steadyNow?.();
		const answer = await reader.query(operation, { organizationId: desired.organizationId, ...fields });
		isAnswered = true;
		if (answer.serverTimeMs !== undefined && steadyNow !== undefined && startedAtMs !== undefined) {
			times.push(answer.serverTimeMs - Math.max(0, steadyNow() - startedAtMs));
		}
		return answer.value;
	};
	const wants = wantedReads(desired, reads);
	const gone: ServiceError[] = [];
	const listTags = wants.userTags ? ask(queries.list_user_tags) : undefined;
	const listUsers = wants.users ? queryIfAvailable(ask, extendedReads.list_users) : notRead(reads);
	const [userTags, users, removables, records] = await awaitAll([
		listTags,
		listUsers,
		readRemovables(
			(kind, operation) => (wants.removables.has(kind) ? queryIfAvailable(ask, operation) : notRead(reads)),
			listUsers,
		),
		readRecords({ desired, ask, gone }),
	] as const);
	// Any other answer shows that the organization is there.
	if (gone.length > 0 && !isAnswered) await confirmOrganization(ask);
	const live: LiveOrganization = {
		organizationId: desired.organizationId,
		userTags:
			userTags === undefined
				? { known: false, because: "the document speaks of no user tags" }
				: { known: true, value: toUserTags(userTags, users) },
		removables,
		users: toUserNames(users),
		records,
		lastApplied,
	};
	return { live, serverTimeMs: times.length === 0 ? undefined : Math.min(...times) };
}

/** What was read for more than this document, as if it had been read for this one alone: the same plan comes of it. */
export function narrowReading(desired: DesiredOrganization, live: LiveOrganization, reads: Reads): LiveOrganization {
	const wants = wantedReads(desired, reads);
	if (wants.users) return live;
	const unread = notRead(reads) as Known<never>;
	if (!live.userTags.known) return { ...live, users: unread };
	const userTags = live.userTags.value.map((tag) => ({ ...tag, members: unread }));
	return { ...live, users: unread, userTags: { known: true, value: userTags } };
}

export type QueryFunction = (
	operation: QueryOperation,
	fields?: Readonly<Record<string, unknown>>,
) => Promise<LiveRecord>;

/** Which of the whole-organization reads the document needs: the number of requests is the cost (docs/service.md#rates-and-limits). */
function wantedReads(desired: DesiredOrganization, reads: Reads) {
	const auto = reads === "auto";
	const tags = tagsOf(desired);
	const managesMembers = desired.readsMembers === true || tags.some(({ members }) => members !== undefined);
	const removables = new Set(removalKindNames.filter((kind) => auto && removalsOf(desired, kind).length > 0));
	return {
		userTags: tags.length > 0,
		users: auto && (managesMembers || removables.has("oauthProvider")),
		removables,
	};
}

/** Like Promise.all, but waits for every read to end before the first error goes on, so that none runs on unseen. */
export async function awaitAll<const T extends readonly unknown[]>(
	reads: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
	const results = await Promise.allSettled(reads);
	const failed = results.find((result) => result.status === "rejected");
	if (failed !== undefined) throw failed.reason;
	return results.map((result) => (result.status === "fulfilled" ? result.value : undefined)) as {
		-readonly [K in keyof T]: Awaited<T[K]>;
	};
}

function notRead(reads: Reads): Known<LiveRecord> {
	const because =
		reads === "documented"
			? "the eight documented queries do not show it, and extended reads are off"
			: "the document does not need it";
	return { known: false, because };
}

/** The answer of an extended read, or unknown where the service does not have it or denies it. */
export async function queryIfAvailable(ask: QueryFunction, operation: QueryOperation): Promise<Known<LiveRecord>> {
	return unknownIfUnavailable(() => ask(operation), operation);
}

/** The value, or unknown when the service does not have the query or denies it. Every other error is thrown. */
export async function unknownIfUnavailable<T>(read: () => Promise<T>, operation: QueryOperation): Promise<Known<T>> {
	try {
		return { known: true, value: await read() };
	} catch (error) {
		if (!isUnavailable(error)) throw error;
		const because =
			error.httpStatus === 403
				? `the service denies ${operation.name} to this key`
				: `the service does not answer ${operation.name} (HTTP ${error.httpStatus})`;
		return { known: false, because };
	}
}

/**
 * Nothing when the organization exists. A 404 for one of its objects may be about the organization itself, and then
 * nothing is known of the object. Throws what the query throws; that it is denied shows that there is one.
 */
export async function confirmOrganization(ask: (operation: QueryOperation) => Promise<unknown>): Promise<void> {
	try {
		await ask(queries.list_user_tags);
	} catch (error) {
		if (!isUnavailable(error) || error.httpStatus !== 403) throw error;
	}
}

/** The same, but 404 is an answer: the object is not there, if the organization is; each is added to `gone`. */
async function orAbsent(
	read: () => Promise<LiveRecord>,
	operation: QueryOperation,
	gone: ServiceError[],
): Promise<Known<LiveRecord | null>> {
	try {
		return await unknownIfUnavailable(async () => {
			try {
				return await read();
			} catch (error) {
				if (isUnavailable(error) && error.httpStatus === 404) throw new NotThere(error);
				throw error;
			}
		}, operation);
	} catch (error) {
		if (!(error instanceof NotThere)) throw error;
		gone.push(error.cause);
		return { known: true, value: null };
	}
}

class NotThere extends Error {
	override readonly cause: ServiceError;

	constructor(cause: ServiceError) {
		super(cause.message);
		this.cause = cause;
	}
}

/** What `read` gives for each key, asked for once however often the key occurs. */
async function byKey<T>(all: readonly string[], read: (key: string) => Promise<T>): Promise<Record<string, T>> {
	const keys = [...new Set(all)];
	const values = await awaitAll(keys.map(read));
	return Object.fromEntries(keys.map((key, index) => [key, values[index] as T]));
}

interface RecordQuery {
	readonly desired: DesiredOrganization;
	readonly ask: QueryFunction;
	/** Takes the 404 answers, each of which may be about the organization itself. */
	readonly gone: ServiceError[];
}

type Records = Readonly<Record<string, Known<readonly LiveRecord[]>>>;

/** The queries of each read-only kind, for what the document expects. */
const recordReads: { readonly [K in ReadOnlyKindName]: (query: RecordQuery) => Promise<Records> } = {
	sessionProfile: (query) =>
		readEach("sessionProfile", query, (sessionProfileId) =>
			readOne(query, queries.get_session_profile, { sessionProfileId }),
		),
	mfaPolicy: readMfaPolicies,
	bootProof: (query) =>
		readEach("bootProof", query, (appName) => readOne(query, queries.get_latest_boot_proof, { appName })),
	supportedAsset: (query) =>
		readEach("supportedAsset", query, (caip2) => readList(query, queries.list_supported_assets, { caip2 })),
};

async function readRecords(query: RecordQuery): Promise<LiveOrganization["records"]> {
	const found = await awaitAll(readOnlyKinds.map(async ({ name }) => [name, await recordReads[name](query)] as const));
	return Object.fromEntries(found);
}

function readEach(
	kind: ReadOnlyKindName,
	{ desired }: RecordQuery,
	read: (key: string) => Promise<Known<readonly LiveRecord[]>>,
): Promise<Records> {
	return byKey(expectationsOf(desired, kind).map(liveKeyOf), read);
}

/** The record of an answer; none when the service does not have it. */
async function readOne(
	{ ask, gone }: RecordQuery,
	operation: QueryOperation,
	fields: Readonly<Record<string, unknown>>,
): Promise<Known<readonly LiveRecord[]>> {
	const found = await orAbsent(
		async () => (await ask(operation, fields))[operation.answerKey] as LiveRecord,
		operation,
		gone,
	);
	return found.known ? { known: true, value: found.value === null ? [] : [found.value] } : found;
}

function readList(
	{ ask }: RecordQuery,
	operation: QueryOperation,
	fields: Readonly<Record<string, unknown>>,
): Promise<Known<readonly LiveRecord[]>> {
	return unknownIfUnavailable(
		async () => ((await ask(operation, fields))[operation.answerKey] ?? []) as LiveRecord[],
		operation,
	);
}

/** One `get_mfa_policies` a user, or, where one policy of the user is expected and named by id, one `get_mfa_policy`. */
function readMfaPolicies(query: RecordQuery): Promise<Records> {
	const byUser = Map.groupBy(expectationsOf(query.desired, "mfaPolicy"), liveKeyOf);
	return readEach("mfaPolicy", query, (userId) => {
		const [first, ...others] = byUser.get(userId) ?? [];
		return others.length === 0 && first?.foundBy === "id"
			? readOne(query, queries.get_mfa_policy, { userId, mfaPolicyId: first.key })
			: readList(query, queries.get_mfa_policies, { userId });
	});
}

/** The reads that list objects which can be removed; null: they come with the users. */
const removableReads: { readonly [K in RemovalKindName]: RemovableRead | null } = {
	policy: { operation: extendedReads.list_policies, id: "policyId", name: "policyName" },
	oauthProvider: null,
	tvcApp: { operation: extendedReads.list_tvc_apps, id: "id", name: "name" },
};

interface RemovableRead {
	readonly operation: QueryOperation;
	/** Names of the members that hold the id and the name of each object. */
	readonly id: string;
	readonly name: string;
}

/** Returns what `ask` shows of the objects that can be removed; those of users come from `users`. */
export async function readRemovables(
	ask: (kind: RemovalKindName, operation: QueryOperation) => Known<LiveRecord> | Promise<Known<LiveRecord>>,
	users: Known<LiveRecord> | Promise<Known<LiveRecord>>,
): Promise<LiveOrganization["removables"]> {
	const read = async (kind: RemovalKindName): Promise<Known<readonly LiveRemovable[]>> => {
		const how = removableReads[kind];
		return how === null ? toOauthProviders(await users) : toRemovables(await ask(kind, how.operation), how);
	};
	const found = await awaitAll(removalKindNames.map(async (kind) => [kind, await read(kind)] as const));
	return Object.fromEntries(found) as LiveOrganization["removables"];
}

/** The OAuth providers that `list_users` shows. */
function toOauthProviders(users: Known<LiveRecord>): Known<readonly LiveRemovable[]> {
	if (!users.known) return users;
	const value = (users.value.users as readonly LiveRecord[]).flatMap((user) =>
		((user.oauthProviders ?? []) as readonly LiveRecord[]).map((provider) => ({
			userId: String(user.userId).toLowerCase(),
			id: String(provider.providerId).toLowerCase(),
			name: stringOr(provider.providerName, ""),
			digest: digestRecord(provider),
		})),
	);
	return { known: true, value };
}

/** The objects of an answer's list by id and name. */
function toRemovables(
	answer: Known<LiveRecord>,
	{ operation, id, name }: RemovableRead,
): Known<readonly LiveRemovable[]> {
	if (!answer.known) return answer;
	const value = (answer.value[operation.answerKey] as readonly LiveRecord[]).map((item) => ({
		id: String(item[id]).toLowerCase(),
		userId: null,
		name: stringOr(item[name], ""),
		digest: digestRecord(item),
	}));
	return { known: true, value };
}
