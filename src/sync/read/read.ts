/** Reads the live organization with the fewest queries, all at once. What cannot be read is unknown, never empty. */
import { readOnlyKinds } from "../../plan/kinds/index.ts";
import { type ReadOnlyKindName, type RemovalKindName, removalKindNames } from "../../plan/kinds/names.ts";
import { statesPolicies } from "../../plan/kinds/policy-changes.ts";
import {
	absentTagsOf,
	type DesiredOrganization,
	expectationsOf,
	type Known,
	type LastApplied,
	type LiveOrganization,
	type LiveRecord,
	liveKeyOf,
	removalsOf,
	tagsOf,
} from "../../plan/organization.ts";
import type { Reads } from "../../plan/plan.ts";
import { namesTags } from "../../plan/rules/rules.ts";
import { mapKnown } from "../../policy/access.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, type QueryOperation, queries } from "../../wire/operations.ts";
import { toLivePolicies } from "./access-objects.ts";
import { onceEach, recordsOf, toId, toRemovable, toUserNames, toUserTags } from "./live-objects.ts";
import {
	awaitAll,
	confirmOrganization,
	type QueryFunction,
	queryIfAvailable,
	queryList,
	queryOne,
} from "./live-queries.ts";

export interface LiveReading {
	readonly live: LiveOrganization;
	/**
	 * A time by the service's clock at which nothing had been read yet, in milliseconds since 1970. Undefined if the service
	 * does not say, or if it was not measured how long the queries took. It is the time of the Date header, which is written
	 * with the answer, less all the time that the query took. The header has whole seconds, so it errs to the early side too.
	 */
	readonly serverTimeMs: number | undefined;
}

/**
 * Reads what the document is about. With `"auto"` that includes the extended reads that show something it needs. What a
 * service does not have (404, 501) or denies (403), in its own error shape, is unknown. `steadyNow` returns milliseconds
 * from any start and is never set back. Throws AuthenticationError, TransportError, and ServiceError if a documented query
 * fails.
 */
export async function readLive(
	desired: DesiredOrganization,
	reader: Reader,
	lastApplied: LastApplied,
	reads: Reads,
	steadyNow?: () => number,
): Promise<LiveReading> {
	const { query, answerTimes } = timeQueries(desired.organizationId, reader, steadyNow);
	const [changeable, records] = await awaitAll([
		readChangeable(desired, query, reads),
		readRecords(desired, query),
	] as const);
	// Without an answer, what is known of an object is a 404, which can be about the organization.
	const isKnown = Object.values(records).some((found) => Object.values(found).some(({ known }) => known));
	if (isKnown && answerTimes.length === 0) await confirmOrganization(query);
	const live: LiveOrganization = {
		organizationId: desired.organizationId,
		...changeable,
		records,
		lastApplied,
	};
	const times = answerTimes.filter((time) => !Number.isNaN(time));
	return { live, serverTimeMs: times.length === 0 ? undefined : Math.min(...times) };
}

/** What activities change in an organization, and the names of users. */
type Changeable = Pick<LiveOrganization, "userTags" | "users" | "removables" | "policies">;

/** Reads of live state what activities change, as far as the document is about it. */
export async function readChangeable(desired: DesiredOrganization, query: QueryFunction, reads: Reads) {
	return (await readWanted(wantedReads(desired, reads), query, reads)).changeable;
}

/** Reads these lists. Returns live state, and the answer of `list_users`, which has more of each user. */
export async function readWanted(wants: WantedReads, query: QueryFunction, reads: Reads) {
	const list = (isWanted: boolean, operation: QueryOperation) =>
		isWanted ? queryIfAvailable(query, operation) : notRead(reads);
	const [userTags, users, policies, tvcApps] = await awaitAll([
		wants.userTags ? query(queries.list_user_tags) : undefined,
		list(wants.users, extendedReads.list_users),
		list(wants.removables.has("policy"), extendedReads.list_policies),
		list(wants.removables.has("tvcApp"), extendedReads.list_tvc_apps),
	] as const);
	const changeable: Changeable = {
		userTags:
			userTags === undefined
				? { known: false, because: { kind: "no-user-tags-wanted" } }
				: { known: true, value: toUserTags(userTags, users) },
		removables: {
			policy: mapKnown(policies, toRemovablePolicies),
			oauthProvider: mapKnown(users, toRemovableProviders),
			tvcApp: mapKnown(tvcApps, toRemovableApps),
		},
		users: toUserNames(users),
		...(wants.policies ? { policies: policies.known ? toLivePolicies(policies.value) : policies } : {}),
	};
	return { changeable, users };
}

/** Returns what was read for more as if read for this document alone, so that both lead to the same plan. */
export function narrowReading(desired: DesiredOrganization, live: LiveOrganization, reads: Reads): LiveOrganization {
	const wants = wantedReads(desired, reads);
	if (wants.users) return live;
	const unread = notRead(reads);
	if (!live.userTags.known) return { ...live, users: unread };
	const userTags = live.userTags.value.map((tag) => ({ ...tag, members: unread }));
	return { ...live, users: unread, userTags: { known: true, value: userTags } };
}

/** Queries an organization. `answerTimes`: for each answer, the service's clock before it was asked; NaN where unknown. */
export function timeQueries(organizationId: string, reader: Reader, steadyNow = () => Number.NaN) {
	const answerTimes: number[] = [];
	const query: QueryFunction = async (operation, fields = {}) => {
		const startedAtMs = steadyNow();
		const { value, serverTimeMs } = await reader.query(operation, { organizationId, ...fields });
		const tookMs = Math.max(0, steadyNow() - startedAtMs);
		answerTimes.push((serverTimeMs ?? Number.NaN) - tookMs);
		return value;
	};
	return { query, answerTimes };
}

/** Which lists of an organization are read: requests are the cost (docs/internals/service.md#rates-and-limits). */
interface WantedReads {
	readonly userTags: boolean;
	readonly users: boolean;
	/** Whether live state has the texts of policies too. */
	readonly policies: boolean;
	readonly removables: ReadonlySet<RemovalKindName>;
}

/** Returns which lists the document needs. */
function wantedReads(desired: DesiredOrganization, reads: Reads): WantedReads {
	const auto = reads === "auto";
	const tags = tagsOf(desired);
	const removesTags = absentTagsOf(desired).length > 0 || desired.exactly?.userTags !== undefined;
	const managesMembers =
		desired.readsMembers === true || removesTags || tags.some(({ members }) => members !== undefined);
	const policies = statesPolicies(desired);
	const removables = new Set(removalKindNames.filter((kind) => auto && removalsOf(desired, kind).length > 0));
	if (auto && policies) removables.add("policy");
	const hasTagRules = namesTags(desired.rules ?? []);
	return {
		userTags: tags.length > 0 || hasTagRules || removesTags || desired.cases !== undefined,
		policies,
		users: auto && (managesMembers || hasTagRules || removables.has("oauthProvider")),
		removables,
	};
}

/** Returns an unknown value, with the reason why it was not read. */
export function notRead(reads: Reads): Known<never> {
	return { known: false, because: { kind: reads === "documented" ? "extended-reads-off" : "not-needed" } };
}

/** Reads the records of one kind under a key: those among which an expected object is (`liveKeyOf`). */
type RecordRead = (
	key: string,
	query: QueryFunction,
	desired: DesiredOrganization,
) => Promise<Known<readonly LiveRecord[]>>;

const recordReads: { readonly [K in ReadOnlyKindName]: RecordRead } = {
	sessionProfile: (sessionProfileId, query) => queryOne(query, queries.get_session_profile, { sessionProfileId }),
	mfaPolicy: readMfaPolicies,
	bootProof: (appName, query) => queryOne(query, queries.get_latest_boot_proof, { appName }),
	supportedAsset: (caip2, query) => queryList(query, queries.list_supported_assets, { caip2 }),
};

/** Reads one policy if the document expects only that one of the user, by its id; otherwise all of the user. */
function readMfaPolicies(
	userId: string,
	query: QueryFunction,
	desired: DesiredOrganization,
): Promise<Known<readonly LiveRecord[]>> {
	const [first, ...others] = expectationsOf(desired, "mfaPolicy").filter(({ group }) => group === userId);
	return others.length === 0 && first?.foundBy === "id"
		? queryOne(query, queries.get_mfa_policy, { userId, mfaPolicyId: first.key })
		: queryList(query, queries.get_mfa_policies, { userId });
}

const noRecords: LiveOrganization["records"] = Object.fromEntries(readOnlyKinds.map(({ name }) => [name, {}]));

async function readRecords(desired: DesiredOrganization, query: QueryFunction): Promise<LiveOrganization["records"]> {
	if (desired.objects.every(({ kind }) => !(kind in recordReads))) return noRecords;
	const readKind = async (kind: ReadOnlyKindName) => {
		const keys = [...new Set(expectationsOf(desired, kind).map(liveKeyOf))];
		const found = await awaitAll(keys.map(async (key) => [key, await recordReads[kind](key, query, desired)] as const));
		return [kind, Object.fromEntries(found)] as const;
	};
	return Object.fromEntries(await awaitAll(readOnlyKinds.map(({ name }) => readKind(name))));
}

const toRemovablePolicies = onceEach((answer) =>
	recordsOf(answer, "policies").map((one) => toRemovable(one, "policyId", "policyName")),
);

const toRemovableProviders = onceEach((answer) =>
	recordsOf(answer, "users").flatMap((user) =>
		recordsOf(user, "oauthProviders").map((one) => toRemovable(one, "providerId", "providerName", toId(user.userId))),
	),
);

const toRemovableApps = onceEach((answer) => recordsOf(answer, "tvcApps").map((one) => toRemovable(one, "id", "name")));
