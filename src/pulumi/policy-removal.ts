/**
 * Policies that must not exist, as a Pulumi resource.
 */
import type * as pulumi from "@pulumi/pulumi";
import { RemovalDefinition } from "./removal.ts";
import { OrgsyncResource } from "./resource-class.ts";

export interface PolicyRemovalArgs {
	/** Ids of policies that must not exist. */
	readonly policyIds: pulumi.Input<pulumi.Input<string>[]>;
	/** The organization, a UUID. Defaults to the Provider's. Changing it replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
	/** How much one update may remove. */
	readonly limits?: pulumi.Input<{ readonly policies?: pulumi.Input<number> }>;
}

/**
 * Policies that must not exist. Removes all that exist with one `delete_policies`. A policy that is back is drift.
 * Destroying the resource submits nothing.
 */
export class PolicyRemoval extends OrgsyncResource {
	declare readonly organizationId: pulumi.Output<string>;
	declare readonly policyIds: pulumi.Output<string[]>;

	constructor(name: string, args: PolicyRemovalArgs, options?: pulumi.CustomResourceOptions) {
		super(policyRemoval, name, { organizationId: undefined, ...args }, options);
	}
}

/** See RemovalDefinition. */
export const policyRemoval = new RemovalDefinition({
	name: "PolicyRemoval",
	kind: "policy",
	operation: "delete_policies",
	idsInput: "policyIds",
	idOf: ({ organizationId }) => `${organizationId}/policies`,
	partsOf: (removals) =>
		removals.length === 0
			? []
			: [
					{
						suffix: "policies",
						args: { policyIds: removals.map(({ id }) => id) },
						covers: (address) => address.startsWith("policy:"),
						limit: "policies",
					},
				],
});
