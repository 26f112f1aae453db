/**
 * The eight queries as functions, each also with an `…Output` form. Each rejects if the address or the key is missing,
 * the key is not accepted, or the object is not found.
 */
import * as pulumi from "@pulumi/pulumi";
import { type QueryName, queries } from "../../wire/operations.ts";
import { type Properties, withoutUndefined } from "../inputs.ts";
import { functionName, runQuery } from "../queries.ts";
import { programError } from "./configuration.ts";
import { makeForms } from "./function-forms.ts";

// Answers (docs/service.md#objects): a field that the service leaves out at times is optional, and others are passed on.

/** Seconds and nanoseconds since 1970, both as text. */
export interface Timestamp {
	readonly seconds: string;
	readonly nanos: string;
}

/** docs/service.md#user-tag. */
export interface UserTagRecord {
	readonly tagId: string;
	readonly tagName: string;
	readonly tagType: string;
	readonly createdAt: Timestamp;
	readonly updatedAt: Timestamp;
}

/** docs/service.md#session-profile. */
export interface SessionProfile {
	readonly sessionProfileId: string;
	readonly sessionProfileName: string;
	readonly scope: string;
	/** Whole seconds, as text. */
	readonly expirationSeconds?: string;
	readonly notes?: string;
	readonly createdAt: Timestamp;
	readonly updatedAt: Timestamp;
}

/** docs/service.md#mfa-policy: an authentication method, or a particular authenticator. */
export interface AuthenticationMethod {
	/** `AUTHENTICATION_TYPE_…` */
	readonly type: string;
	readonly id?: string;
}

/** One step of a policy: any one of its methods satisfies it. */
export interface AuthenticationStep {
	readonly any: readonly AuthenticationMethod[];
}

/** docs/service.md#mfa-policy. */
export interface MfaPolicy {
	readonly mfaPolicyId: string;
	readonly mfaPolicyName: string;
	readonly condition: string;
	readonly requiredAuthenticationMethods: readonly AuthenticationStep[];
	readonly order: number;
	readonly notes?: string;
	readonly createdAt: Timestamp;
	readonly updatedAt: Timestamp;
}

/** docs/service.md#mfa-status. */
export interface MfaStatus {
	readonly mfaPolicyId: string;
	readonly userId: string;
	readonly satisfied: boolean;
	readonly satisfiedMethods: readonly AuthenticationMethod[];
	readonly requiredMethods: readonly AuthenticationStep[];
}

/** The attestation's field has another name in real answers (docs/service.md#boot-proof). */
export interface BootProof {
	readonly ephemeralPublicKeyHex: string;
	readonly cloudAttestationDocB64?: string;
	readonly awsAttestationDocB64?: string;
	readonly qosManifestB64: string;
	readonly qosManifestEnvelopeB64: string;
	readonly deploymentLabel: string;
	readonly enclaveApp: string;
	readonly owner: string;
	readonly createdAt: Timestamp;
	readonly qosManifestVersion?: string;
}

/** docs/service.md#policy-evaluation. */
export interface PolicyEvaluationRecord {
	readonly id: string;
	readonly activityId: string;
	readonly organizationId: string;
	readonly voteId: string;
	/** `outcome` is `OUTCOME_…`. */
	readonly policyEvaluations: readonly { readonly policyId?: string; readonly outcome?: string }[];
	readonly createdAt: Timestamp;
}

/** docs/service.md#supported-asset; every field is optional. */
export interface SupportedAsset {
	/** CAIP-19. */
	readonly caip19?: string;
	readonly symbol?: string;
	readonly decimals?: number;
	readonly logoUrl?: string;
	readonly name?: string;
	readonly stable?: boolean;
	readonly earnProviders?: readonly string[];
}

/** The organization to query; defaults to the configured one. */
export interface QueriedOrganization {
	/** A UUID. */
	readonly organizationId?: string;
}

/** The queries that return one object; the others return a list. */
const singleResult: readonly QueryName[] = ["get_session_profile", "get_mfa_policy", "get_latest_boot_proof"];

/** The result of the mocks, which return the service's answer. */
async function queryMocks<Answer>(name: QueryName, args: object): Promise<Answer> {
	const { answerKey } = queries[name];
	const token = `orgsync:index:${functionName(name)}`;
	const answer = (await pulumi.runtime.invoke(token, withoutUndefined(args)))?.[answerKey];
	if (answer !== undefined) return answer as Answer;
	if (!singleResult.includes(name)) return [] as Answer;
	throw programError(`${name}: the mocks return nothing for it: return { ${answerKey}: … } for ${token}`);
}

function makeFunctions<Fields extends object, Answer>(name: QueryName) {
	return makeForms<QueriedOrganization & Readonly<Fields>, Answer>({
		label: name,
		async run(args, session) {
			const answer = await runQuery(name, args as Properties, session);
			return answer[queries[name].answerKey] as Answer;
		},
		mocked: (args) => queryMocks<Answer>(name, args),
	});
}

/** One session profile (docs/service.md#queries, `get_session_profile`). */
export const [getSessionProfile, getSessionProfileOutput] = makeFunctions<{ sessionProfileId: string }, SessionProfile>(
	"get_session_profile",
);

/** One MFA policy of a user (docs/service.md#queries, `get_mfa_policy`). */
export const [getMfaPolicy, getMfaPolicyOutput] = makeFunctions<{ userId: string; mfaPolicyId: string }, MfaPolicy>(
	"get_mfa_policy",
);

/** All MFA policies of a user (docs/service.md#queries, `get_mfa_policies`). */
export const [getMfaPolicies, getMfaPoliciesOutput] = makeFunctions<{ userId: string }, readonly MfaPolicy[]>(
	"get_mfa_policies",
);

/** The MFA status of an activity, one entry for each policy and voting user (docs/service.md#queries, `get_mfa_status`). */
export const [getMfaStatus, getMfaStatusOutput] = makeFunctions<
	{ activityId: string; userId?: string },
	readonly MfaStatus[]
>("get_mfa_status");

/** The latest boot proof of an enclave app; `appName` is its id, a UUID (docs/service.md#queries, `get_latest_boot_proof`). */
export const [getLatestBootProof, getLatestBootProofOutput] = makeFunctions<{ appName: string }, BootProof>(
	"get_latest_boot_proof",
);

/** How policies evaluated the votes of an activity (docs/service.md#queries, `get_policy_evaluations`). */
export const [getPolicyEvaluations, getPolicyEvaluationsOutput] = makeFunctions<
	{ activityId: string },
	readonly PolicyEvaluationRecord[]
>("get_policy_evaluations");

/** All user tags of the organization (docs/service.md#queries, `list_user_tags`). */
export const [listUserTags, listUserTagsOutput] = makeFunctions<object, readonly UserTagRecord[]>("list_user_tags");

/** Assets of a network that the service supports; `caip2` by docs/service.md#networks (`list_supported_assets`). */
export const [listSupportedAssets, listSupportedAssetsOutput] = makeFunctions<
	{ caip2: string },
	readonly SupportedAsset[]
>("list_supported_assets");
