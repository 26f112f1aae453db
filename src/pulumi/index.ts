/** `orgsync/pulumi`: resources, functions and the Provider for Pulumi programs (docs/pulumi.md). */
export * from "./functions.ts";
export type { Members } from "./inputs.ts";
export { Organization, type OrganizationArgs, type OrganizationSummary } from "./organization.ts";
export { Provider, type ProviderArgs } from "./provider-resource.ts";
export {
	OauthProviderRemoval,
	type OauthProviderRemovalArgs,
	PolicyRemoval,
	type PolicyRemovalArgs,
	TvcAppRemoval,
	type TvcAppRemovalArgs,
} from "./removals.ts";
export { type MembersArgs, UserTag, type UserTagArgs } from "./user-tag.ts";
