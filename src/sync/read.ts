/**
 * The live organization, read with as few queries as the document needs, all of them at once.
 *
 * The rule it keeps: what could not be read is said aloud and is unknown, never empty. It is handed a Reader and cannot
 * change anything.
 */
import { isUnavailable, type ServiceError } from "../errors.ts";
import type {
	DesiredOrganization,
	Known,
	LiveNamed,
	LiveOauthProvider,
	LiveOrganization,
	LiveRecord,
	LiveUserTag,
	Memory,
} from "../plan/organization.ts";
import type { Reads } from "../plan/plan.ts";
import { compareText, digestOf } from "../plan/value.ts";
import { readTime } from "../wire/activity.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads, type QueryOperation, queries } from "../wire/operations.ts";

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
	memory: Memory,
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
	const [userTags, users, policies, tvcApps, sessionProfiles, mfaPolicies, bootProofs, supportedAssets] =
		await awaitAll([
			wants.userTags ? ask(queries.list_user_tags) : undefined,
			wants.users ? queryIfAvailable(ask, extendedReads.list_users) : notRead(reads),
			wants.policies ? queryIfAvailable(ask, extendedReads.list_policies) : notRead(reads),
			wants.tvcApps ? queryIfAvailable(ask, extendedReads.list_tvc_apps) : notRead(reads),
			readSessionProfiles(desired, ask, gone),
			readMfaPolicies(desired, ask, gone),
			readBootProofs(desired, ask, gone),
			readSupportedAssets(desired, ask),
		] as const);
	// Any other answer shows that the organization is there.
	if (gone.length > 0 && !isAnswered) await confirmOrganization(ask);
	const live: LiveOrganization = {
		organizationId: desired.organizationId,
		userTags:
			userTags === undefined
				? { known: false, because: "the document speaks of no user tags" }
				: { known: true, value: toUserTags(userTags, users) },
		policies: toNamed(policies, "policies", "policyId", "policyName"),
		oauthProviders: toOauthProviders(users),
		tvcApps: toNamed(tvcApps, "tvcApps", "id", "name"),
		users: toUserNames(users),
		sessionProfiles,
		mfaPolicies,
		bootProofs,
		supportedAssets,
		memory,
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
	const managesMembers = desired.readsMembers === true || desired.userTags.some(({ members }) => members !== undefined);
	return {
		userTags: desired.userTags.length > 0,
		users: auto && (managesMembers || desired.absent.oauthProviders.length > 0),
		policies: auto && desired.absent.policyIds.length > 0,
		tvcApps: auto && desired.absent.tvcAppIds.length > 0,
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

function readSessionProfiles(desired: DesiredOrganization, ask: QueryFunction, gone: ServiceError[]) {
	const operation = queries.get_session_profile;
	return byKey(
		desired.expect.sessionProfiles.map(({ id }) => id),
		(sessionProfileId) =>
			orAbsent(async () => (await ask(operation, { sessionProfileId })).sessionProfile as LiveRecord, operation, gone),
	);
}

/** One `get_mfa_policies` a user, or, where one policy of the user is expected and named by id, one `get_mfa_policy`. */
function readMfaPolicies(desired: DesiredOrganization, ask: QueryFunction, gone: ServiceError[]) {
	const byUser = Map.groupBy(desired.expect.mfaPolicies, ({ userId }) => userId);
	return byKey([...byUser.keys()], async (userId): Promise<Known<readonly LiveRecord[]>> => {
		const expected = byUser.get(userId) ?? [];
		if (expected.length === 1 && expected[0]?.id !== undefined) {
			const mfaPolicyId = expected[0].id;
			const operation = queries.get_mfa_policy;
			const found = await orAbsent(
				async () => (await ask(operation, { userId, mfaPolicyId })).mfaPolicy as LiveRecord,
				operation,
				gone,
			);
			return found.known ? { known: true, value: found.value === null ? [] : [found.value] } : found;
		}
		const operation = queries.get_mfa_policies;
		return unknownIfUnavailable(
			async () => ((await ask(operation, { userId })).mfaPolicies ?? []) as LiveRecord[],
			operation,
		);
	});
}

function readBootProofs(desired: DesiredOrganization, ask: QueryFunction, gone: ServiceError[]) {
	const operation = queries.get_latest_boot_proof;
	return byKey(
		desired.expect.bootProofs.map(({ appId }) => appId),
		(appName) => orAbsent(async () => (await ask(operation, { appName })).bootProof as LiveRecord, operation, gone),
	);
}

function readSupportedAssets(desired: DesiredOrganization, ask: QueryFunction) {
	const operation = queries.list_supported_assets;
	return byKey(
		desired.expect.supportedAssets.map(({ caip2 }) => caip2),
		(caip2) =>
			unknownIfUnavailable(async () => ((await ask(operation, { caip2 })).assets ?? []) as LiveRecord[], operation),
	);
}

/** The tags of `list_user_tags`, sorted by id, with the members that `list_users` shows. */
export function toUserTags(answer: LiveRecord, users: Known<LiveRecord>): readonly LiveUserTag[] {
	const members = users.known ? membersByTag(users.value) : undefined;
	return (answer.userTags as readonly LiveRecord[])
		.map((tag): LiveUserTag => {
			const id = String(tag.tagId).toLowerCase();
			return {
				id,
				name: String(tag.tagName),
				type: typeof tag.tagType === "string" ? tag.tagType : "",
				updatedAt: toInstant(tag.updatedAt),
				...timeOf(tag.updatedAt),
				members: members === undefined ? (users as Known<never>) : { known: true, value: members.get(id) ?? [] },
			};
		})
		.sort((left, right) => compareText(left.id, right.id));
}

function membersByTag(answer: LiveRecord): ReadonlyMap<string, readonly string[]> {
	const members = new Map<string, string[]>();
	for (const user of answer.users as readonly LiveRecord[]) {
		for (const tagId of (user.userTags ?? []) as readonly string[]) {
			const id = tagId.toLowerCase();
			const list = members.get(id) ?? [];
			list.push(String(user.userId).toLowerCase());
			members.set(id, list);
		}
	}
	for (const list of members.values()) list.sort(compareText);
	return members;
}

/** The names of users that `list_users` shows. */
export function toUserNames(users: Known<LiveRecord>): Known<Readonly<Record<string, string>>> {
	if (!users.known) return users;
	const entries = ((users.value.users ?? []) as readonly LiveRecord[]).map(
		(user) => [String(user.userId).toLowerCase(), stringOr(user.userName, "")] as const,
	);
	return { known: true, value: Object.fromEntries(entries) };
}

/** The OAuth providers that `list_users` shows. */
export function toOauthProviders(users: Known<LiveRecord>): Known<readonly LiveOauthProvider[]> {
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

/** Of all that the service says of an object but when it said so: editing it back and forth changes nothing. */
function digestRecord({ createdAt: _createdAt, updatedAt: _updatedAt, ...record }: LiveRecord): string {
	// Ids are the same in any case.
	const text = JSON.stringify(record).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, (id) => id.toLowerCase());
	return digestOf(JSON.parse(text));
}

/** The objects of an answer's list by id and name. */
export function toNamed(
	answer: Known<LiveRecord>,
	list: string,
	idField: string,
	nameField: string,
): Known<readonly LiveNamed[]> {
	if (!answer.known) return answer;
	const value = (answer.value[list] as readonly LiveRecord[]).map((item) => ({
		id: String(item[idField]).toLowerCase(),
		name: stringOr(item[nameField], ""),
		digest: digestRecord(item),
	}));
	return { known: true, value };
}

function timeOf(value: unknown): Pick<LiveUserTag, "updatedAtMs"> {
	const updatedAtMs = readTime(value);
	return updatedAtMs === undefined ? {} : { updatedAtMs };
}

/** `{seconds, nanos}` or a plain string, as one text to compare (docs/service.md#times). */
function toInstant(value: unknown): string {
	if (typeof value === "string") return value;
	if (value === null || typeof value !== "object") return "";
	const { seconds, nanos } = value as { seconds?: unknown; nanos?: unknown };
	return `${seconds ?? ""}.${nanos ?? ""}`;
}

/** The value where it is a text. */
export function stringOr(value: unknown, otherwise: string): string {
	return typeof value === "string" ? value : otherwise;
}
