/**
 * Answers of the eight queries, as interface.md sections 2.3 to 2.8 and 4.2 give them; where service-facts.md knows a field
 * to be left out at times, it is optional. Fields that neither names come through as the service sent them.
 */

/** Seconds and nanoseconds since 1970, both as text. */
export interface Timestamp {
	readonly seconds: string;
	readonly nanos: string;
}

/** interface.md 2.3. */
export interface UserTagRecord {
	readonly tagId: string;
	readonly tagName: string;
	readonly tagType: string;
	readonly createdAt: Timestamp;
	readonly updatedAt: Timestamp;
}

/** interface.md 2.4. */
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

/** interface.md 2.5: one way of authenticating, at times a particular one. */
export interface AuthenticationMethod {
	/** `AUTHENTICATION_TYPE_…` */
	readonly type: string;
	readonly id?: string;
}

/** One step of a policy: any one of its methods satisfies it. */
export interface AuthenticationStep {
	readonly any: readonly AuthenticationMethod[];
}

/** interface.md 2.5. */
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

/** interface.md 2.6. */
export interface MfaStatus {
	readonly mfaPolicyId: string;
	readonly userId: string;
	readonly satisfied: boolean;
	readonly satisfiedMethods: readonly AuthenticationMethod[];
	readonly requiredMethods: readonly AuthenticationStep[];
}

/** interface.md 2.7; the attestation's field has another name in real answers (service-facts.md). */
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

/** interface.md 2.7a. */
export interface PolicyEvaluationRecord {
	readonly id: string;
	readonly activityId: string;
	readonly organizationId: string;
	readonly voteId: string;
	/** `outcome` is `OUTCOME_…`. */
	readonly policyEvaluations: readonly { readonly policyId?: string; readonly outcome?: string }[];
	readonly createdAt: Timestamp;
}

/** interface.md 2.8; every field is optional. */
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
