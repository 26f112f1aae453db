/**
 * The 13 operations of the interface as one table. Data only: nothing here sends, signs or parses. An operation is one entry.
 *
 * Source: docs/service.md#operations. Each row has a JSON Schema of the same name under schemas/operations/. The two tables
 * below the first, `extendedReads` and `approvals`, are outside the 13 (docs/service.md#extended-reads and
 * docs/service.md#votes): a server may not have them, and nothing here may depend on them.
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
	readonly summary: string;
}

/** One submit, which creates an activity. Its answer has an `activity` (docs/service.md#activity-object). */
export interface SubmitOperation {
	readonly name: string;
	readonly family: "submit";
	readonly path: `/public/v1/submit/${string}`;
	/** The only value that `type` may have in the envelope (docs/service.md#submits). */
	readonly type: `ACTIVITY_TYPE_${string}`;
	/** Members of `parameters`, in the order they are written. */
	readonly fields: readonly string[];
	readonly intentKey: string;
	readonly resultKey: string;
	readonly summary: string;
}

export type Operation = QueryOperation | SubmitOperation;

type Rows<Row> = Readonly<Record<string, Omit<Row, "name" | "family" | "path">>>;
type Named<Row, Names> = { readonly [Name in keyof Names & string]: Row & { readonly name: Name } };

/** Returns the rows with the name and the path that their keys give them. */
function withNames(family: Operation["family"], rows: Readonly<Record<string, object>>): object {
	const path = (name: string) => `/public/v1/${family}/${name}`;
	return Object.fromEntries(
		Object.entries(rows).map(([name, row]) => [name, { name, family, path: path(name), ...row }]),
	);
}

const defineQueries = <const Given extends Rows<QueryOperation>>(rows: Given) =>
	withNames("query", rows) as Named<QueryOperation, Given>;
const defineSubmits = <const Given extends Rows<SubmitOperation>>(rows: Given) =>
	withNames("submit", rows) as Named<SubmitOperation, Given>;

/** The eight queries (docs/service.md#queries). */
export const queries = defineQueries({
	get_session_profile: {
		fields: ["organizationId", "sessionProfileId"],
		answerKey: "sessionProfile",
		summary: "one session profile of the organization",
	},
	get_mfa_policy: {
		fields: ["organizationId", "userId", "mfaPolicyId"],
		answerKey: "mfaPolicy",
		summary: "one MFA policy of a user",
	},
	get_mfa_policies: {
		fields: ["organizationId", "userId"],
		answerKey: "mfaPolicies",
		summary: "all MFA policies of a user",
	},
	get_mfa_status: {
		fields: ["organizationId", "activityId", "userId"],
		answerKey: "mfaStatuses",
		summary: "which MFA requirements the voters of an activity have met",
	},
	get_latest_boot_proof: {
		fields: ["organizationId", "appName"],
		answerKey: "bootProof",
		summary: "the latest boot proof of an enclave app",
	},
	get_policy_evaluations: {
		fields: ["organizationId", "activityId"],
		answerKey: "policyEvaluations",
		summary: "how the policies judged an activity",
	},
	list_user_tags: {
		fields: ["organizationId"],
		answerKey: "userTags",
		summary: "all user tags of the organization",
	},
	list_supported_assets: {
		fields: ["organizationId", "caip2"],
		answerKey: "assets",
		summary: "the assets that a network supports",
	},
});

/** The five submits (docs/service.md#submits). */
export const submits = defineSubmits({
	update_user_tag: {
		type: "ACTIVITY_TYPE_UPDATE_USER_TAG",
		fields: ["userTagId", "newUserTagName", "addUserIds", "removeUserIds"],
		intentKey: "updateUserTagIntent",
		resultKey: "updateUserTagResult",
		summary: "rename a user tag, add members and remove members, together or not at all",
	},
	delete_oauth_providers: {
		type: "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS",
		fields: ["userId", "providerIds"],
		intentKey: "deleteOauthProvidersIntent",
		resultKey: "deleteOauthProvidersResult",
		summary: "remove OAuth providers of one user",
	},
	delete_policies: {
		type: "ACTIVITY_TYPE_DELETE_POLICIES",
		fields: ["policyIds"],
		intentKey: "deletePoliciesIntent",
		resultKey: "deletePoliciesResult",
		summary: "remove policies",
	},
	delete_tvc_app_and_deployments: {
		type: "ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS",
		fields: ["appId"],
		intentKey: "deleteTvcAppAndDeploymentsIntent",
		resultKey: "deleteTvcAppAndDeploymentsResult",
		summary: "remove a TVC app and all its deployments",
	},
	init_import_private_key: {
		type: "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY",
		fields: ["userId"],
		intentKey: "initImportPrivateKeyIntent",
		resultKey: "initImportPrivateKeyResult",
		summary: "get the bundle that a private key is encrypted to before it is imported",
	},
});

/** The 13 operations of the interface: the eight queries and the five submits. */
export const operations = { ...queries, ...submits } as const;

/**
 * Reads outside the 13, which show what the 13 cannot (docs/service.md#extended-reads). Extensions: a server may answer
 * 404, 501 or 403 to them, and then what they would have shown is unknown.
 */
export const extendedReads = defineQueries({
	list_users: {
		fields: ["organizationId"],
		answerKey: "users",
		summary: "users with their tags and OAuth providers",
	},
	list_policies: {
		fields: ["organizationId"],
		answerKey: "policies",
		summary: "policies of the organization",
	},
	list_tvc_apps: {
		fields: ["organizationId"],
		answerKey: "tvcApps",
		summary: "TVC apps of the organization",
	},
	whoami: {
		fields: ["organizationId"],
		answerKey: "userId",
		summary: "whose key stamps the requests; alone among the queries its answer has several members",
	},
	get_activity: {
		fields: ["organizationId", "activityId"],
		answerKey: "activity",
		summary: "one activity",
	},
	list_activities: {
		fields: ["organizationId", "filterByStatus", "filterByType", "paginationOptions"],
		answerKey: "activities",
		summary: "activities, newest first, by status and type, a page at a time",
	},
	get_session_profiles: {
		fields: ["organizationId"],
		answerKey: "sessionProfiles",
		summary: "all session profiles of the organization",
	},
});

/** Approving and rejecting an activity by its fingerprint. Outside the 13 (docs/service.md#votes). */
export const approvals = defineSubmits({
	approve_activity: {
		type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
		fields: ["fingerprint"],
		intentKey: "approveActivityIntent",
		resultKey: "approveActivityResult",
		summary: "approve a pending activity",
	},
	reject_activity: {
		type: "ACTIVITY_TYPE_REJECT_ACTIVITY",
		fields: ["fingerprint"],
		intentKey: "rejectActivityIntent",
		resultKey: "rejectActivityResult",
		summary: "reject a pending activity",
	},
});

export type QueryName = keyof typeof queries;
export type SubmitName = keyof typeof submits;
export type ExtendedReadName = keyof typeof extendedReads;

/** Activity statuses (docs/service.md#activity-statuses). Any other is unknown, and never a success. */
export const activityStatuses = [
	"ACTIVITY_STATUS_CREATED",
	"ACTIVITY_STATUS_PENDING",
	"ACTIVITY_STATUS_COMPLETED",
	"ACTIVITY_STATUS_FAILED",
	"ACTIVITY_STATUS_CONSENSUS_NEEDED",
	"ACTIVITY_STATUS_REJECTED",
	"ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
] as const;

/** What `fingerprint` begins with, before the lower-case hex SHA-256 of the body (docs/service.md#fingerprint-and-idempotency). */
export const fingerprintPrefix = "sha256:";

/** `timestampMs` must be younger than this (docs/service.md#time-window). */
export const bodyLifetimeMs = 60 * 60 * 1000;

/** `timestampMs` may lie this far ahead of the service's clock (docs/service.md#time-window). */
export const maxClockLeadMs = 5 * 60 * 1000;

/** Networks of `list_supported_assets` (docs/service.md#networks). */
export const caip2Networks = [
	"eip155:1",
	"eip155:11155111",
	"eip155:8453",
	"eip155:84532",
	"eip155:137",
	"eip155:80002",
	"eip155:56",
	"eip155:97",
	"eip155:10",
	"eip155:11155420",
	"eip155:143",
	"eip155:10143",
	"eip155:42161",
	"eip155:4217",
	"eip155:42431",
	"eip155:421614",
	"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
	"solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
] as const;

/** Aliases that the service normalizes to the canonical values (docs/service.md#networks). */
export const caip2Aliases = {
	"solana:mainnet": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
	"solana:devnet": "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
} as const;

/** Authentication methods of an MFA policy's steps (docs/service.md#mfa-policy). */
export const authenticationTypes = [
	"AUTHENTICATION_TYPE_EMAIL_OTP",
	"AUTHENTICATION_TYPE_SMS_OTP",
	"AUTHENTICATION_TYPE_PASSKEY",
	"AUTHENTICATION_TYPE_API_KEY",
	"AUTHENTICATION_TYPE_OAUTH",
	"AUTHENTICATION_TYPE_SESSION",
] as const;
