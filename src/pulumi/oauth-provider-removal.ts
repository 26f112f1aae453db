/**
 * OAuth providers that a user must not have, as a Pulumi resource.
 */
import type * as pulumi from "@pulumi/pulumi";
import { RemovalDefinition } from "./removal.ts";
import { OrgsyncResource } from "./resource-class.ts";

export interface OauthProviderRemovalArgs {
	/** The user, a UUID. Changing it replaces the resource. */
	readonly userId: pulumi.Input<string>;
	/** Ids of OAuth providers that the user must not have. */
	readonly providerIds: pulumi.Input<pulumi.Input<string>[]>;
	/** The organization, a UUID. Defaults to the Provider's. Changing it replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
	/** How much one update may remove. */
	readonly limits?: pulumi.Input<{ readonly oauthProviders?: pulumi.Input<number> }>;
}

/**
 * OAuth providers that a user must not have. Removes all that exist with one `delete_oauth_providers`. A provider that is
 * back is drift. Destroying the resource submits nothing.
 */
export class OauthProviderRemoval extends OrgsyncResource {
	declare readonly organizationId: pulumi.Output<string>;
	declare readonly userId: pulumi.Output<string>;
	declare readonly providerIds: pulumi.Output<string[]>;

	constructor(name: string, args: OauthProviderRemovalArgs, options?: pulumi.CustomResourceOptions) {
		super(oauthProviderRemoval, name, { organizationId: undefined, ...args }, options);
	}
}

/** See RemovalDefinition. */
export const oauthProviderRemoval = new RemovalDefinition({
	name: "OauthProviderRemoval",
	kind: "oauthProvider",
	operation: "delete_oauth_providers",
	idsInput: "providerIds",
	hasUser: true,
	idOf: ({ organizationId, userId }) => `${organizationId}/${userId}`,
	partsOf: (removals, aliasOf) =>
		[...Map.groupBy(removals, ({ userId }) => userId ?? "")].map(([userId, ofUser]) => ({
			suffix: `oauth-providers-${aliasOf(userId)}`,
			args: { userId, providerIds: ofUser.map(({ id }) => id) },
			covers: (address) => address.startsWith(`oauthProvider:${aliasOf(userId)}/`),
			limit: "oauthProviders",
		})),
});
