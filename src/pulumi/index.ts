/**
 * `orgsync/pulumi`: what a Pulumi program uses. The rules are the command line's; a resource submits what its part of the
 * document would.
 *
 * ```ts
 * import { UserTag } from "orgsync/pulumi";
 * new UserTag("signers", { name: "signers", members: { exactly: [alice, bob] } });
 * ```
 */
export type {
	AuthenticationMethod,
	AuthenticationStep,
	BootProof,
	MfaPolicy,
	MfaStatus,
	PolicyEvaluationRecord,
	SessionProfile,
	SupportedAsset,
	Timestamp,
	UserTagRecord,
} from "./answers.ts";
export * from "./functions.ts";
export type { Members } from "./inputs.ts";
export { Organization, type OrganizationArgs, type OrganizationSummary } from "./organization.ts";
export { Provider, type ProviderArgs } from "./provider-resource.ts";
export {
	type MembersArgs,
	OauthProviderRemoval,
	type OauthProviderRemovalArgs,
	PolicyRemoval,
	type PolicyRemovalArgs,
	type ResourceLimits,
	TvcAppRemoval,
	type TvcAppRemovalArgs,
	UserTag,
	type UserTagArgs,
} from "./resources.ts";
