/** `orgsync/pulumi`: resources, functions and the Provider for Pulumi programs (docs/pulumi.md). */
export type { OrganizationArgs, OrganizationSummary } from "../component.ts";
export type { Members } from "../inputs.ts";
export {
	type MembersArgs,
	OauthProviderRemoval,
	type OauthProviderRemovalArgs,
	PolicyRemoval,
	type PolicyRemovalArgs,
	TvcAppRemoval,
	type TvcAppRemovalArgs,
	UserTag,
	type UserTagArgs,
} from "./classes.ts";
export * from "./functions.ts";
export { Organization } from "./organization.ts";
export { Provider, type ProviderArgs } from "./provider-resource.ts";
