/**
 * Answers of the eight queries (docs/service.md#objects). A field that the service leaves out at times is optional.
 * Other fields are passed on as the service sends them.
 */

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
