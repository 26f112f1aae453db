/**
 * The eight queries and `getPlan` as functions, each also with an `…Output` form. Each rejects if the address or the key is missing,
 * the key is not accepted, or the object is not found.
 */

import { type QueryName, queries } from "../../wire/operations.ts";
import { functionName, runQuery } from "../functions/queries.ts";
import type { Properties } from "../inputs/inputs.ts";
import { type OrganizationArgs, readOrganization } from "../organization/component.ts";
import { type DocumentPlan, getPlanName, planDocument } from "../organization/get-plan.ts";
import { explain, ResourceFailure } from "../resources/failure.ts";
import { makeForms } from "./function-forms.ts";

// Answers (docs/internals/service.md#objects): a field that the service leaves out at times is optional, and others are passed on.

/** A time in UTC: seconds and nanoseconds since 1970, both as text. */
export interface Timestamp {
	/** Whole seconds since 1970, as text. */
	readonly seconds: string;
	/** Nanoseconds of the second, as text. */
	readonly nanos: string;
}

/** A user tag as the service returns it (docs/internals/service.md#user-tag). */
export interface UserTagRecord {
	/** The id of the tag. */
	readonly tagId: string;
	/** The name of the tag. */
	readonly tagName: string;
	/** The type of the tag: `TAG_TYPE_USER`, or `TAG_TYPE_PRIVATE_KEY`. */
	readonly tagType: string;
	/** When it was created, in seconds and nanoseconds since 1970. */
	readonly createdAt: Timestamp;
	/** When it was last updated, in seconds and nanoseconds since 1970. */
	readonly updatedAt: Timestamp;
}

/** A session profile as the service returns it (docs/internals/service.md#session-profile). */
export interface SessionProfile {
	/** The id of the session profile. */
	readonly sessionProfileId: string;
	/** The name of the session profile. */
	readonly sessionProfileName: string;
	/** The scope of the session profile, as the service spells it. */
	readonly scope: string;
	/** Whole seconds until a session expires, as text. */
	readonly expirationSeconds?: string;
	/** The notes of the session profile. */
	readonly notes?: string;
	/** When it was created, in seconds and nanoseconds since 1970. */
	readonly createdAt: Timestamp;
	/** When it was last updated, in seconds and nanoseconds since 1970. */
	readonly updatedAt: Timestamp;
}

/** A way to authenticate (docs/internals/service.md#mfa-policy). */
export interface AuthenticationMethod {
	/**
	 * The kind of authentication: `AUTHENTICATION_TYPE_` and `EMAIL_OTP`, `SMS_OTP`, `PASSKEY`, `API_KEY`, `OAUTH` or
	 * `SESSION`.
	 */
	readonly type: string;
	/** The id of a specific authenticator, for example of a session profile. */
	readonly id?: string;
}

/** A step: any one of its methods satisfies it. */
export interface AuthenticationStep {
	/** The methods. Any one of them satisfies the step. */
	readonly any: readonly AuthenticationMethod[];
}

/** An MFA policy as the service returns it (docs/internals/service.md#mfa-policy). */
export interface MfaPolicy {
	/** The id of the MFA policy. */
	readonly mfaPolicyId: string;
	/** The name of the MFA policy. */
	readonly mfaPolicyName: string;
	/** The condition of the MFA policy, as the service spells it. */
	readonly condition: string;
	/** Steps in order. Any one method of a step satisfies it. */
	readonly requiredAuthenticationMethods: readonly AuthenticationStep[];
	/** The order among the MFA policies of the user. The lowest is matched first. */
	readonly order: number;
	/** The notes of the MFA policy. */
	readonly notes?: string;
	/** When it was created, in seconds and nanoseconds since 1970. */
	readonly createdAt: Timestamp;
	/** When it was last updated, in seconds and nanoseconds since 1970. */
	readonly updatedAt: Timestamp;
}

/** Whether a voting user satisfies an MFA policy (docs/internals/service.md#mfa-status). */
export interface MfaStatus {
	/** The id of the MFA policy. */
	readonly mfaPolicyId: string;
	/** The id of the voting user. */
	readonly userId: string;
	/** Whether the user satisfies the MFA policy. */
	readonly satisfied: boolean;
	/** The methods that the user has used. */
	readonly satisfiedMethods: readonly AuthenticationMethod[];
	/** Steps in order. Any one method of a step satisfies it. */
	readonly requiredMethods: readonly AuthenticationStep[];
}

/** A boot proof as the service returns it (docs/internals/service.md#boot-proof). */
export interface BootProof {
	/** The ephemeral public key, in hex. */
	readonly ephemeralPublicKeyHex: string;
	/** The attestation document of the cloud, in base64. */
	readonly cloudAttestationDocB64?: string;
	/** The attestation document of the cloud, in base64. Real answers have this name. */
	readonly awsAttestationDocB64?: string;
	/** The manifest, in base64. */
	readonly qosManifestB64: string;
	/** The manifest envelope, in base64. */
	readonly qosManifestEnvelopeB64: string;
	/** The label of the running deployment. */
	readonly deploymentLabel: string;
	/** The name of the enclave app. */
	readonly enclaveApp: string;
	/** The owner of the deployment. */
	readonly owner: string;
	/** When it was created, in seconds and nanoseconds since 1970. */
	readonly createdAt: Timestamp;
	/** The version of the manifest format. */
	readonly qosManifestVersion?: string;
}

/** How policies evaluated one vote (docs/internals/service.md#policy-evaluation). */
export interface PolicyEvaluationRecord {
	/** The id of the evaluation. */
	readonly id: string;
	/** The id of the activity. */
	readonly activityId: string;
	/** The id of the organization. */
	readonly organizationId: string;
	/** The id of the vote. */
	readonly voteId: string;
	/** The outcome of each policy. */
	readonly policyEvaluations: readonly PolicyOutcome[];
	/** When it was created, in seconds and nanoseconds since 1970. */
	readonly createdAt: Timestamp;
}

/** The outcome of one policy (docs/internals/service.md#policy-evaluation). */
export interface PolicyOutcome {
	/** The id of the policy. */
	readonly policyId?: string;
	/**
	 * The outcome: `OUTCOME_` and `ALLOW`, `DENY_EXPLICIT`, `DENY_IMPLICIT`, `REQUIRES_CONSENSUS`, `REJECTED`, `ERROR`,
	 * `REQUIRES_AUTHENTICATORS` or `TIME_INACTIVE`.
	 */
	readonly outcome?: string;
}

/** A supported asset as the service returns it (docs/internals/service.md#supported-asset). */
export interface SupportedAsset {
	/** The CAIP-19 identifier of the asset. */
	readonly caip19?: string;
	/** The symbol that identifies the asset. */
	readonly symbol?: string;
	/** The number of decimals of the asset. */
	readonly decimals?: number;
	/** The URL of the logo. */
	readonly logoUrl?: string;
	/** The name of the asset. */
	readonly name?: string;
	/** Whether the service lists the asset as a stablecoin. */
	readonly stable?: boolean;
	/** The Earn yield providers with vaults for this asset, in any order. */
	readonly earnProviders?: readonly string[];
}

/** The organization to query; defaults to the configured one. */
interface QueriedOrganization {
	/** A UUID. */
	readonly organizationId?: string;
}

/** The queries that return one object; the others return a list. */
const singleResult: readonly QueryName[] = ["get_session_profile", "get_mfa_policy", "get_latest_boot_proof"];

function makeFunctions<Fields extends object, Answer>(name: QueryName) {
	const { answerKey } = queries[name];
	const ifMissing = singleResult.includes(name) ? undefined : [];
	return makeForms<QueriedOrganization & Readonly<Fields>, Answer>({
		name: functionName(name),
		label: name,
		run: async (args, session) => (await runQuery(name, args as Properties, session))[answerKey] as Answer,
		mockedShape: `{ ${answerKey}: … }`,
		readMocked: (result) => (result[answerKey] ?? ifMissing) as Answer | undefined,
	});
}

/** Returns one session profile of the organization (docs/internals/service.md#queries, `get_session_profile`). */
export const [getSessionProfile, getSessionProfileOutput] = makeFunctions<{ sessionProfileId: string }, SessionProfile>(
	"get_session_profile",
);

/** Returns one MFA policy of a user (docs/internals/service.md#queries, `get_mfa_policy`). */
export const [getMfaPolicy, getMfaPolicyOutput] = makeFunctions<{ userId: string; mfaPolicyId: string }, MfaPolicy>(
	"get_mfa_policy",
);

/** Returns all MFA policies of a user (docs/internals/service.md#queries, `get_mfa_policies`). */
export const [getMfaPolicies, getMfaPoliciesOutput] = makeFunctions<{ userId: string }, readonly MfaPolicy[]>(
	"get_mfa_policies",
);

/** Returns which authentication the voters of an activity still need (docs/internals/service.md#queries, `get_mfa_status`). */
export const [getMfaStatus, getMfaStatusOutput] = makeFunctions<
	{ activityId: string; userId?: string },
	readonly MfaStatus[]
>("get_mfa_status");

/** Returns the latest boot proof of an enclave app (docs/internals/service.md#queries, `get_latest_boot_proof`). */
export const [getLatestBootProof, getLatestBootProofOutput] = makeFunctions<{ appName: string }, BootProof>(
	"get_latest_boot_proof",
);

/** Returns how policies evaluated the votes of an activity (docs/internals/service.md#queries, `get_policy_evaluations`). */
export const [getPolicyEvaluations, getPolicyEvaluationsOutput] = makeFunctions<
	{ activityId: string },
	readonly PolicyEvaluationRecord[]
>("get_policy_evaluations");

/** Returns all user tags of the organization (docs/internals/service.md#queries, `list_user_tags`). */
export const [listUserTags, listUserTagsOutput] = makeFunctions<object, readonly UserTagRecord[]>("list_user_tags");

/** Returns the assets of a network that the service supports (docs/internals/service.md#queries, `list_supported_assets`). */
export const [listSupportedAssets, listSupportedAssetsOutput] = makeFunctions<
	{ caip2: string },
	readonly SupportedAsset[]
>("list_supported_assets");

/**
 * Returns what the plan of a document says.
 *
 * It compares the document with the live organization, and submits nothing. The result has the changes, what they mean for
 * who can do what, who has to approve them, and the guards that block them.
 */
export const [getPlan, getPlanOutput] = makeForms<OrganizationArgs, DocumentPlan>({
	name: getPlanName,
	label: getPlanName,
	async run(args, session) {
		try {
			return await planDocument(readOrganization(args), session);
		} catch (error) {
			const reason = error instanceof ResourceFailure ? error.message : explain(error);
			throw new ResourceFailure(`${getPlanName}: ${reason}`);
		}
	},
	mockedShape: "{ inSync: … }",
	readMocked: (result) => (result.inSync !== undefined ? (result as object as DocumentPlan) : undefined),
});
