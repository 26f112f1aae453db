/** `orgsync/pulumi`: resources, functions and the Provider for Pulumi programs (docs/pulumi-node.md). */
export type { OrganizationArgs } from "../component.ts";
export type { AccessExpiry, BlockingGuard, DocumentPlan, PlannedChange, PlanProblem } from "../get-plan.ts";
export type { Member, Members, MemberWindow } from "../members.ts";
export type { OrganizationSummary, PlannedApproval } from "../organization-fields.ts";
export {
	type MembersArgs,
	type MemberWindowArgs,
	OauthProviderRemoval,
	type OauthProviderRemovalArgs,
	PolicyRemoval,
	type PolicyRemovalArgs,
	TvcAppRemoval,
	type TvcAppRemovalArgs,
	UserTag,
	type UserTagArgs,
} from "./classes.ts";
export type { FunctionOptions, Outputs } from "./function-forms.ts";
export * from "./functions.ts";
export { Organization } from "./organization.ts";
export { getPlan, getPlanOutput } from "./plan-function.ts";
export { Provider, type ProviderArgs } from "./provider-resource.ts";
