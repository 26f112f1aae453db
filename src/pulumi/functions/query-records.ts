/** What the results of the queries hold, for the package schema. Their types are those of schemas/operations/. */
import type { Text } from "../resources/resource-texts.ts";

/** What the only field of each result is, by the query. */
export const resultTexts: Readonly<Record<string, string>> = {
	get_session_profile: "The session profile.",
	get_mfa_policy: "The MFA policy.",
	get_mfa_policies: "The MFA policies of the user.",
	get_mfa_status: "One entry for each MFA policy and voting user.",
	get_latest_boot_proof: "The latest boot proof.",
	get_policy_evaluations: "One entry for each evaluated vote.",
	list_user_tags: "The user tags.",
	list_supported_assets: "The supported assets.",
};

interface RecordTexts {
	readonly description: string;
	readonly properties: Readonly<Record<string, Text>>;
}

const times = {
	createdAt: "When it was created, in seconds and nanoseconds since 1970.",
	updatedAt: "When it was last updated, in seconds and nanoseconds since 1970.",
};

/** The objects in results, by the names of their types. */
export const recordTexts: Readonly<Record<string, RecordTexts>> = {
	Timestamp: {
		description: "A time in UTC: seconds and nanoseconds since 1970, both as text.",
		properties: { seconds: "Whole seconds since 1970, as text.", nanos: "Nanoseconds of the second, as text." },
	},
	UserTagRecord: {
		description: "A user tag as the service returns it.",
		properties: {
			tagId: "The id of the tag.",
			tagName: "The name of the tag.",
			tagType: "The type of the tag: `TAG_TYPE_USER`, or `TAG_TYPE_PRIVATE_KEY`.",
			...times,
		},
	},
	SessionProfile: {
		description: "A session profile as the service returns it.",
		properties: {
			sessionProfileId: { document: "sessionProfile.id" },
			sessionProfileName: { document: "sessionProfile.name" },
			scope: "The scope of the session profile, as the service spells it.",
			expirationSeconds: "Whole seconds until a session expires, as text.",
			notes: { document: "sessionProfile.notes" },
			...times,
		},
	},
	AuthenticationMethod: {
		description: "A way to authenticate.",
		properties: {
			type: "The kind of authentication: `AUTHENTICATION_TYPE_` and `EMAIL_OTP`, `SMS_OTP`, `PASSKEY`, `API_KEY`, `OAUTH` or `SESSION`.",
			id: { document: "method.id" },
		},
	},
	AuthenticationStep: {
		description: "A step: any one of its methods satisfies it.",
		properties: { any: { document: "step.any" } },
	},
	MfaPolicy: {
		description: "An MFA policy as the service returns it.",
		properties: {
			mfaPolicyId: "The id of the MFA policy.",
			mfaPolicyName: { document: "mfaPolicy.name" },
			condition: "The condition of the MFA policy, as the service spells it.",
			requiredAuthenticationMethods: { document: "mfaPolicy.requiredAuthenticationMethods" },
			order: { document: "mfaPolicy.order" },
			notes: { document: "mfaPolicy.notes" },
			...times,
		},
	},
	MfaStatus: {
		description: "Whether a voting user satisfies an MFA policy.",
		properties: {
			mfaPolicyId: "The id of the MFA policy.",
			userId: "The id of the voting user.",
			satisfied: "Whether the user satisfies the MFA policy.",
			satisfiedMethods: "The methods that the user has used.",
			requiredMethods: { document: "mfaPolicy.requiredAuthenticationMethods" },
		},
	},
	BootProof: {
		description: "A boot proof as the service returns it.",
		properties: {
			ephemeralPublicKeyHex: { document: "bootProof.ephemeralPublicKeyHex" },
			cloudAttestationDocB64: { document: "bootProof.cloudAttestationDocB64" },
			awsAttestationDocB64: { document: "bootProof.cloudAttestationDocB64", and: "Real answers have this name." },
			qosManifestB64: { document: "bootProof.qosManifestB64" },
			qosManifestEnvelopeB64: { document: "bootProof.qosManifestEnvelopeB64" },
			qosManifestVersion: { document: "bootProof.qosManifestVersion" },
			deploymentLabel: { document: "bootProof.deploymentLabel" },
			enclaveApp: { document: "bootProof.enclaveApp" },
			owner: { document: "bootProof.owner" },
			createdAt: times.createdAt,
		},
	},
	PolicyEvaluationRecord: {
		description: "How policies evaluated one vote.",
		properties: {
			id: "The id of the evaluation.",
			activityId: "The id of the activity.",
			organizationId: "The id of the organization.",
			voteId: "The id of the vote.",
			policyEvaluations: "The outcome of each policy.",
			createdAt: times.createdAt,
		},
	},
	PolicyOutcome: {
		description: "The outcome of one policy.",
		properties: {
			policyId: "The id of the policy.",
			outcome:
				"The outcome: `OUTCOME_` and `ALLOW`, `DENY_EXPLICIT`, `DENY_IMPLICIT`, `REQUIRES_CONSENSUS`, `REJECTED`, `ERROR`, `REQUIRES_AUTHENTICATORS` or `TIME_INACTIVE`.",
		},
	},
	SupportedAsset: {
		description: "A supported asset as the service returns it.",
		properties: {
			caip19: { document: "asset.caip19" },
			symbol: { document: "asset.symbol" },
			decimals: { document: "asset.decimals" },
			logoUrl: { document: "asset.logoUrl" },
			name: { document: "asset.name" },
			stable: { document: "asset.stable" },
			earnProviders: { document: "asset.earnProviders" },
		},
	},
};
