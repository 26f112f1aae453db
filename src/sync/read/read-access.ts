/** Reads users, policies, the root quorum and whose key it is: queries outside the thirteen, so a service may lack any. */
import { ServiceError } from "../../common/errors.ts";
import type { LiveRecord } from "../../plan/organization.ts";
import { type AccessState, type Known, mapKnown, type NotRead } from "../../policy/access.ts";
import type { SubmittingUser } from "../../policy/powers/forecast.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, type QueryOperation, queries } from "../../wire/operations.ts";
import { toAccessPolicies, toAccessUsers, toRootQuorum, toStatedTimes } from "./access-objects.ts";
import { toUserCredentials } from "./credentials.ts";
import { recordsOf, toId, toUserNames, toUserTags } from "./live-objects.ts";
import { awaitAll, type QueryFunction, queryIfAvailable } from "./live-queries.ts";
import { timeQueries } from "./read.ts";
import { whyUncertainTime, withServiceClock } from "./service-clock.ts";

/** Returns users, policies and the root quorum. What is missing, denied or malformed is unknown. Throws other errors. */
async function readAccess(query: QueryFunction): Promise<AccessState> {
	const [users, policies, configs] = await awaitAll([
		queryIfUsable(query, extendedReads.list_users),
		readPolicies(query),
		queryIfUsable(query, extendedReads.get_organization_configs),
	] as const);
	const access = {
		users: users.known ? toAccessUsers(users.value) : users,
		policies,
		rootQuorum: configs.known ? toRootQuorum(configs.value) : configs,
	};
	const known = read.get(policies);
	if (known?.users === access.users && known.rootQuorum === access.rootQuorum) return known;
	read.set(policies, access);
	return access;
}

/** What was read last with these policies: the same object, prepared once, for all resources that share the answers. */
const read = new WeakMap<AccessState["policies"], AccessState>();

/** Returns the policies, with the service's word on which are in force now where one has a time. */
async function readPolicies(query: QueryFunction): Promise<AccessState["policies"]> {
	const answer = await queryIfUsable(query, extendedReads.list_policies);
	const policies = answer.known ? toAccessPolicies(answer.value) : answer;
	if (!policies.known || policies.value.every(({ time }) => time.trim() === "")) return policies;
	const active = await queryIfUsable(query, extendedReads.get_active_policies);
	return active.known ? { known: true, value: toStatedTimes(active.value, policies.value) } : policies;
}

/** Returns the access, its policies unknown if one depends on the time and that is not certain: `because` says why. */
export function accessAtKnownTime(access: AccessState, because: NotRead | undefined): AccessState {
	const isTimed = access.policies.known && access.policies.value.some(({ time }) => time.trim() !== "");
	return because === undefined || !isTimed ? access : { ...access, policies: { known: false, because } };
}

/** Returns the same with what else `list_users` shows of users. `query` asks it once. Throws as `readAccess` does. */
export async function readNamedAccess(query: QueryFunction) {
	const [access, users] = await awaitAll([readAccess(query), queryIfUsable(query, extendedReads.list_users)] as const);
	return { access, userNames: toUserNames(users), credentials: users.known ? toUserCredentials(users.value) : users };
}

/** Returns the user of the key, unless `userId` names another; `publicKey` is that of the key. Throws as `readAccess` does. */
export async function readSubmitter(
	query: QueryFunction,
	{ userId, publicKey }: { readonly userId?: string | undefined; readonly publicKey: () => string | undefined },
): Promise<Known<SubmittingUser>> {
	if (userId !== undefined) return { known: true, value: { userId, publicKey: null } };
	const caller = toCaller(await queryIfUsable(query, extendedReads.whoami));
	return mapKnown(caller, (callerId) => ({ userId: callerId, publicKey: publicKey()?.toLowerCase() ?? null }));
}

/** Returns the user id of a `whoami` answer. */
export function toCaller(answer: Known<LiveRecord>): Known<string> {
	if (!answer.known) return answer;
	const { userId } = answer.value;
	return typeof userId === "string"
		? { known: true, value: toId(userId) }
		: { known: false, because: { kind: "caller-not-shown" } };
}

/** Returns the organization's name by `whoami`; undefined if that has none or is about another one, such as the parent. */
export async function readOrganizationName(query: QueryFunction, organizationId: string): Promise<string | undefined> {
	const answer = await queryIfUsable(query, extendedReads.whoami);
	if (!answer.known) return undefined;
	const { organizationId: named, organizationName } = answer.value;
	const isThis = typeof named === "string" && toId(named) === organizationId;
	return isThis && typeof organizationName === "string" && organizationName !== "" ? organizationName : undefined;
}

/** All that `readAccessOnly` reads of one organization. */
export type AccessReading = Awaited<ReturnType<typeof readAccessOnly>>;

/**
 * Reads who can do what without a document: four queries. `list_user_tags` has the names of tags, and shows that the
 * organization exists where the others are missing. `now` is in milliseconds since 1970. `isTimeGiven`: whether powers are judged
 * at another time than now. Throws as `readAccess` does.
 */
export async function readAccessOnly(organizationId: string, reader: Reader, now: () => number, isTimeGiven = false) {
	const readAtMs = now();
	const clocked = withServiceClock(reader, now);
	const { query } = timeQueries(organizationId, askOnce(clocked));
	const [named, tags, users] = await awaitAll([
		readNamedAccess(query),
		query(queries.list_user_tags),
		queryIfUsable(query, extendedReads.list_users),
	] as const);
	const userTags = toUserTags(tags, users);
	return {
		...named,
		access: accessAtKnownTime(named.access, isTimeGiven ? undefined : whyUncertainTime(clocked)),
		userTags,
		/** Tag id to name. */
		tagNames: Object.fromEntries(userTags.map(({ id, name }) => [id, name])),
		/** When it was read, milliseconds since 1970 by our clock. */
		readAtMs,
		/** The same by the service's clock, which decides time windows; undefined where it does not say. */
		serverTimeMs: clocked.serviceTimeMs(),
	};
}

export type CredentialsReading = Awaited<ReturnType<typeof readCredentials>>;

/** Reads the same, and names of session profiles where a key has one: one query more. Throws as `readAccess` does. */
export async function readCredentials(organizationId: string, reader: Reader, now: () => number) {
	const reading = await readAccessOnly(organizationId, reader, now);
	const { credentials, serverTimeMs, readAtMs } = reading;
	const keys = (credentials.known ? credentials.value : []).flatMap(({ apiKeys }) =>
		apiKeys.known ? apiKeys.value : [],
	);
	const { query } = timeQueries(organizationId, askOnce(reader));
	const profiles = keys.some(({ sessionProfileId }) => sessionProfileId !== null)
		? await queryIfUsable(query, extendedReads.get_session_profiles)
		: undefined;
	const records = profiles?.known === true ? recordsOf(profiles.value, "sessionProfiles") : [];
	const names = records.map((one) => [toId(one.sessionProfileId), String(one.sessionProfileName)] as const);
	// By the service's clock where it says so.
	return { ...reading, sessionProfiles: Object.fromEntries(names), atMs: serverTimeMs ?? readAtMs };
}

/** Returns the answer; unknown if the service does not have the query, denies it, or answers in another shape. */
async function queryIfUsable(query: QueryFunction, operation: QueryOperation): Promise<Known<LiveRecord>> {
	try {
		return await queryIfAvailable(query, operation);
	} catch (error) {
		if (!(error instanceof ServiceError) || error.httpStatus < 200 || error.httpStatus >= 300) throw error;
		return { known: false, because: { kind: "unusable-answer", message: error.message } };
	}
}

/** The queries that live state, guards and access have in common. */
const askedOnce: readonly string[] = [
	...["list_users", "list_policies", "get_active_policies", "get_organization_configs", "whoami"],
];

/** Returns the reader, which asks each of these queries once, so that live state and access cannot contradict each other. */
export function askOnce<R extends Reader>(reader: R): R {
	const asked = new Map<string, ReturnType<Reader["query"]>>();
	return {
		...reader,
		query(operation, fields) {
			if (!askedOnce.includes(operation.name)) return reader.query(operation, fields);
			const key = `${operation.name} ${JSON.stringify(fields)}`;
			const answer = asked.get(key) ?? reader.query(operation, fields);
			asked.set(key, answer);
			return answer;
		},
	};
}
