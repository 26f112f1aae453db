/** The submits that the emulator serves, but for votes. */
import {
	defineSubmits,
	type ExtendedSubmitName,
	extendedSubmits,
	type SubmitName,
	submits,
} from "../wire/operations.ts";

/** Submits of the vendor's service that no document causes. */
const others = defineSubmits({
	create_policy: {
		fields: ["policyName", "effect", "condition", "consensus", "notes", "time"],
		type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
		intentKey: "createPolicyIntentV3",
	},
	create_oauth_providers: {
		fields: ["userId", "oauthProviders"],
		type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
		intentKey: "createOauthProvidersIntentV2",
		resultKey: "createOauthProvidersResultV2",
	},
});

export const servedSubmits = { ...submits, ...extendedSubmits, ...others };

export type ServedSubmitName = SubmitName | ExtendedSubmitName | keyof typeof others;
