/** `orgsync/pulumi`: resources, functions and the Provider for Pulumi programs (docs/pulumi-node.md). */
export type { OrganizationArgs } from "../organization/component.ts";
export type {
	AccessExpiry,
	BlockingGuard,
	DocumentPlan,
	PlannedChange,
	PlanProblem,
} from "../organization/get-plan.ts";
export type { OrganizationSummary, PlannedApproval } from "../organization/organization-fields.ts";
export type { Member, Members, MemberWindow } from "../user-tag/members.ts";
export {
	type MembersArgs,
	type MemberWindowArgs,
	Policy,
	type PolicyArgs,
	UserTag,
	type UserTagArgs,
} from "./classes.ts";
export type { FunctionOptions, Outputs } from "./function-forms.ts";
export * from "./functions.ts";
export { Organization } from "./organization.ts";
export { Provider, type ProviderArgs } from "./provider-resource.ts";
export {
	OauthProviderRemoval,
	type OauthProviderRemovalArgs,
	PolicyRemoval,
	type PolicyRemovalArgs,
	TvcAppRemoval,
	type TvcAppRemovalArgs,
	UserTagRemoval,
	type UserTagRemovalArgs,
} from "./removal-classes.ts";
