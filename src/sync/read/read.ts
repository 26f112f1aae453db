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
	type LiveRemovable,
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

/** Reads of live state what activities change, and the names of users. */
export async function readChangeable(
	desired: DesiredOrganization,
	query: QueryFunction,
	reads: Reads,
): Promise<Pick<LiveOrganization, "userTags" | "users" | "removables" | "policies">> {
	const wants = wantedReads(desired, reads);
	const listTags = wants.userTags ? query(queries.list_user_tags) : undefined;
	const listUsers = wants.users ? queryIfAvailable(query, extendedReads.list_users) : notRead(reads);
	const listRemovables = (kind: RemovalKindName, operation: QueryOperation) =>
		wants.removables.has(kind) ? queryIfAvailable(query, operation) : notRead(reads);
	// The answer has what policies say too.
	const listPolicies = wants.removables.has("policy")
		? queryIfAvailable(query, extendedReads.list_policies)
		: notRead(reads);
	const list = (kind: RemovalKindName, operation: QueryOperation) =>
		kind === "policy" ? listPolicies : listRemovables(kind, operation);
	const [userTags, users, removables, policies] = await awaitAll([
		listTags,
		listUsers,
		readRemovables(list, listUsers),
		wants.policies ? listPolicies : undefined,
	] as const);
	return {
		userTags:
			userTags === undefined
				? { known: false, because: { kind: "no-user-tags-wanted" } }
				: { known: true, value: toUserTags(userTags, users) },
		removables,
		users: toUserNames(users),
		...(policies === undefined ? {} : { policies: policies.known ? toLivePolicies(policies.value) : policies }),
		...(statesPolicies(desired) && policies === undefined ? { policies: notRead(reads) as Known<never> } : {}),
	};
}

/** Returns what was read for more as if read for this document alone, so that both lead to the same plan. */
export function narrowReading(desired: DesiredOrganization, live: LiveOrganization, reads: Reads): LiveOrganization {
	const wants = wantedReads(desired, reads);
	if (wants.users) return live;
	const unread = notRead(reads) as Known<never>;
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

/** Which of the whole-organization reads the document needs: requests are the cost (docs/internals/service.md#rates-and-limits). */
function wantedReads(desired: DesiredOrganization, reads: Reads) {
	const auto = reads === "auto";
	const tags = tagsOf(desired);
	const removesTags = absentTagsOf(desired).length > 0 || desired.exactly?.userTags !== undefined;
	const managesMembers =
		desired.readsMembers === true || removesTags || tags.some(({ members }) => members !== undefined);
	const policies = auto && statesPolicies(desired);
	const removables = new Set(removalKindNames.filter((kind) => auto && removalsOf(desired, kind).length > 0));
	if (policies) removables.add("policy");
	const hasTagRules = namesTags(desired.rules ?? []);
	return {
		userTags: tags.length > 0 || hasTagRules || removesTags || desired.cases !== undefined,
		policies,
		users: auto && (managesMembers || hasTagRules || removables.has("oauthProvider")),
		removables,
	};
}

function notRead(reads: Reads): Known<LiveRecord> {
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

interface RemovableRead {
	/** Null: the objects come with the users. */
	readonly operation: QueryOperation | null;
	readonly objects: (answer: LiveRecord) => readonly LiveRemovable[];
}

/** How the objects of each kind that can only be removed are read. */
const removableReads: { readonly [K in RemovalKindName]: RemovableRead } = {
	policy: {
		operation: extendedReads.list_policies,
		objects: onceEach((answer) =>
			recordsOf(answer, "policies").map((one) => toRemovable(one, "policyId", "policyName")),
		),
	},
	oauthProvider: {
		operation: null,
		objects: onceEach((answer) =>
			recordsOf(answer, "users").flatMap((user) =>
				recordsOf(user, "oauthProviders").map((one) =>
					toRemovable(one, "providerId", "providerName", toId(user.userId)),
				),
			),
		),
	},
	tvcApp: {
		operation: extendedReads.list_tvc_apps,
		objects: onceEach((answer) => recordsOf(answer, "tvcApps").map((one) => toRemovable(one, "id", "name"))),
	},
};

type Answer = Known<LiveRecord> | Promise<Known<LiveRecord>>;

/** Returns the objects that can be removed, as far as `list` shows them; those of users come from `users`. */
export async function readRemovables(
	list: (kind: RemovalKindName, operation: QueryOperation) => Answer,
	users: Answer,
): Promise<LiveOrganization["removables"]> {
	const read = async (kind: RemovalKindName) => {
		const { operation, objects } = removableReads[kind];
		return [kind, mapKnown(await (operation === null ? users : list(kind, operation)), objects)] as const;
	};
	// One entry for each name, which `Object.fromEntries` cannot say in its type.
	return Object.fromEntries(await awaitAll(removalKindNames.map(read))) as LiveOrganization["removables"];
}
