/**
 * The 13 operations of the interface as one table: nothing here sends, signs or parses. An operation is one row.
 *
 * Source: docs/internals/service.md#operations. Each row has a JSON Schema of the same name under schemas/operations/. The tables
 * `extendedReads`, `extendedSubmits` and `approvals` are outside the 13 (docs/internals/service.md#extended-reads,
 * docs/internals/service.md#extended-submits and docs/internals/service.md#votes): a server may not have them, and nothing here may
 * depend on them.
 */

/** One query. Its answer is a flat object with the member `answerKey`. */
export interface QueryOperation {
	readonly name: string;
	readonly family: "query";
	readonly path: `/public/v1/query/${string}`;
	/** Fields of the request body, in the order they are written; `organizationId` is always the first. */
	readonly fields: readonly string[];
	/** The one member of the answer that carries what was asked for. */
	readonly answerKey: string;
}

/** One submit, which creates an activity. Its answer has an `activity` (docs/internals/service.md#activity-object). */
export interface SubmitOperation {
	readonly name: string;
	readonly family: "submit";
	readonly path: `/public/v1/submit/${string}`;
	/** The only value that `type` may have in the envelope (docs/internals/service.md#submits). */
	readonly type: `ACTIVITY_TYPE_${string}`;
	/** Members of `parameters`, in the order they are written. */
	readonly fields: readonly string[];
	readonly intentKey: string;
	readonly resultKey: string;
}

export type Operation = QueryOperation | SubmitOperation;

type QueryRows = Readonly<Record<string, Pick<QueryOperation, "fields" | "answerKey">>>;
/** What a name does not give, or gives without the version of a newer type. */
type SubmitRow = Pick<SubmitOperation, "fields"> & Partial<Pick<SubmitOperation, "type" | "intentKey" | "resultKey">>;
type SubmitRows = Readonly<Record<string, SubmitRow>>;
type Named<Row, Names> = { readonly [Name in keyof Names & string]: Row & { readonly name: Name } };

function defineQueries<const Given extends QueryRows>(rows: Given): Named<QueryOperation, Given> {
	const named = Object.entries(rows).map(([name, row]) => {
		return [name, { name, family: "query", path: `/public/v1/query/${name}`, ...row }];
	});
	return Object.fromEntries(named);
}

/** Returns the rows with what their names give them: `update_user_tag` has the intent `updateUserTagIntent`. */
export function defineSubmits<const Given extends SubmitRows>(rows: Given): Named<SubmitOperation, Given> {
	const named = Object.entries(rows).map(([name, row]) => {
		const [type, path] = [`ACTIVITY_TYPE_${name.toUpperCase()}`, `/public/v1/submit/${name}`];
		const key = name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
		return [name, { name, family: "submit", path, type, intentKey: `${key}Intent`, resultKey: `${key}Result`, ...row }];
	});
	return Object.fromEntries(named);
}

/** The eight queries (docs/internals/service.md#queries). */
export const queries = defineQueries({
	get_session_profile: { fields: ["organizationId", "sessionProfileId"], answerKey: "sessionProfile" },
	get_mfa_policy: { fields: ["organizationId", "userId", "mfaPolicyId"], answerKey: "mfaPolicy" },
	get_mfa_policies: { fields: ["organizationId", "userId"], answerKey: "mfaPolicies" },
	get_mfa_status: { fields: ["organizationId", "activityId", "userId"], answerKey: "mfaStatuses" },
	get_latest_boot_proof: { fields: ["organizationId", "appName"], answerKey: "bootProof" },
	get_policy_evaluations: { fields: ["organizationId", "activityId"], answerKey: "policyEvaluations" },
	list_user_tags: { fields: ["organizationId"], answerKey: "userTags" },
	list_supported_assets: { fields: ["organizationId", "caip2"], answerKey: "assets" },
});

/** The five submits (docs/internals/service.md#submits). */
export const submits = defineSubmits({
	update_user_tag: { fields: ["userTagId", "newUserTagName", "addUserIds", "removeUserIds"] },
	delete_oauth_providers: { fields: ["userId", "providerIds"] },
	delete_policies: { fields: ["policyIds"] },
	delete_tvc_app_and_deployments: { fields: ["appId"] },
	init_import_private_key: { fields: ["userId"] },
});

export const operations = { ...queries, ...submits } as const;

/** Reads outside the 13 (docs/internals/service.md#extended-reads). A service may lack or deny them: then it is unknown. */
export const extendedReads = defineQueries({
	list_users: { fields: ["organizationId"], answerKey: "users" },
	list_policies: { fields: ["organizationId"], answerKey: "policies" },
	get_active_policies: { fields: ["organizationId"], answerKey: "statuses" },
	list_tvc_apps: { fields: ["organizationId"], answerKey: "tvcApps" },
	whoami: { fields: ["organizationId"], answerKey: "userId" },
	get_activity: { fields: ["organizationId", "activityId"], answerKey: "activity" },
	list_activities: {
		fields: ["organizationId", "filterByStatus", "filterByType", "paginationOptions"],
		answerKey: "activities",
	},
	get_session_profiles: { fields: ["organizationId"], answerKey: "sessionProfiles" },
	get_organization_configs: { fields: ["organizationId"], answerKey: "configs" },
	list_suborgs: {
		fields: ["organizationId", "filterType", "filterValue", "paginationOptions"],
		answerKey: "organizationIds",
	},
});

/** Submits outside the 13 (docs/internals/service.md#extended-submits). A service may lack them. */
export const extendedSubmits = defineSubmits({
	create_policies: { fields: ["policies"] },
	update_policy: {
		fields: ["policyId", "policyName", "policyEffect", "policyCondition", "policyConsensus", "policyNotes", "time"],
		type: "ACTIVITY_TYPE_UPDATE_POLICY_V2",
		intentKey: "updatePolicyIntentV2",
		resultKey: "updatePolicyResultV2",
	},
	create_user_tag: { fields: ["userTagName", "userIds"] },
	delete_user_tags: { fields: ["userTagIds"] },
});

/** All submits that a plan can make, and the import of a key. */
export const writes = { ...submits, ...extendedSubmits } as const;

/** Returns the write whose activities have this type; undefined for every other type. */
export function writeOfType(type: unknown): (SubmitOperation & { readonly name: WriteName }) | undefined {
	return Object.values(writes).find((operation) => operation.type === type);
}

/** Approving and rejecting an activity by its fingerprint. Outside the 13 (docs/internals/service.md#votes). */
export const approvals = defineSubmits({
	approve_activity: { fields: ["fingerprint"] },
	reject_activity: { fields: ["fingerprint"] },
});

export type QueryName = keyof typeof queries;
export type SubmitName = keyof typeof submits;
export type WriteName = keyof typeof writes;
export type ExtendedSubmitName = keyof typeof extendedSubmits;
export type VoteName = keyof typeof approvals;
export type ExtendedReadName = keyof typeof extendedReads;

/** Activity statuses (docs/internals/service.md#activity-statuses). Any other is unknown, and never a success. */
export const activityStatuses = [
	"ACTIVITY_STATUS_CREATED",
	"ACTIVITY_STATUS_PENDING",
	"ACTIVITY_STATUS_COMPLETED",
	"ACTIVITY_STATUS_FAILED",
	"ACTIVITY_STATUS_CONSENSUS_NEEDED",
	"ACTIVITY_STATUS_REJECTED",
	"ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
] as const;

/** What `fingerprint` begins with, before the lower-case hex SHA-256 of the body (docs/internals/service.md#fingerprint-and-idempotency). */
export const fingerprintPrefix = "sha256:";

/** `timestampMs` must be younger than this (docs/internals/service.md#time-window). */
export const bodyLifetimeMs = 60 * 60 * 1000;

/** `timestampMs` may lie this far ahead of the service's clock (docs/internals/service.md#time-window). */
export const maxClockLeadMs = 5 * 60 * 1000;

/** Aliases that the service normalizes to the canonical values (docs/internals/service.md#networks). */
export const caip2Aliases = {
	"solana:mainnet": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
	"solana:devnet": "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
} as const;
