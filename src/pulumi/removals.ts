/** The removal resources. Each removes what exists of the objects that it lists; an object that is back is drift. */
import type * as pulumi from "@pulumi/pulumi";
import { oauthProvider } from "../plan/kinds/oauth-provider.ts";
import { policy } from "../plan/kinds/policy.ts";
import { tvcApp } from "../plan/kinds/tvc-app.ts";
import { nameOfUser } from "../plan/objects.ts";
import { defineRemoval } from "./removal.ts";
import { OrgsyncResource } from "./resource-class.ts";

export const policyRemoval = defineRemoval({
	name: "PolicyRemoval",
	kind: policy,
	idsInput: "policyIds",
	idOf: ({ organizationId }) => `${organizationId}/policies`,
	suffixOf: () => "policies",
});

export const oauthProviderRemoval = defineRemoval({
	name: "OauthProviderRemoval",
	kind: oauthProvider,
	idsInput: "providerIds",
	idOf: ({ organizationId, userId }) => `${organizationId}/${userId}`,
	suffixOf: ({ userId }, desired) => `oauth-providers-${nameOfUser(desired, userId ?? "")}`,
});

export const tvcAppRemoval = defineRemoval({
	name: "TvcAppRemoval",
	kind: tvcApp,
	idsInput: "appId",
	isSingle: true,
	idOf: ({ appId }) => String(appId),
	suffixOf: ({ id }) => `tvc-app-${id}`,
});

interface RemovalArgs<Limit extends string> {
	/** The organization, a UUID. Defaults to the Provider's. Changing it replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
	/** How much one update may remove. */
	readonly limits?: pulumi.Input<{ readonly [Name in Limit]?: pulumi.Input<number> }>;
}

export interface PolicyRemovalArgs extends RemovalArgs<"policies"> {
	/** Ids of policies that must not exist. */
	readonly policyIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** Policies that must not exist: removes all that exist with one `delete_policies`. Destroying submits nothing. */
export class PolicyRemoval extends OrgsyncResource {
	declare readonly policyIds: pulumi.Output<string[]>;

	constructor(name: string, args: PolicyRemovalArgs, options?: pulumi.CustomResourceOptions) {
		super(policyRemoval, name, { ...args }, options);
	}
}

export interface OauthProviderRemovalArgs extends RemovalArgs<"oauthProviders"> {
	/** The user, a UUID. Changing it replaces the resource. */
	readonly userId: pulumi.Input<string>;
	/** Ids of OAuth providers that the user must not have. */
	readonly providerIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** OAuth providers that a user must not have: one `delete_oauth_providers` removes them. Destroying submits nothing. */
export class OauthProviderRemoval extends OrgsyncResource {
	declare readonly userId: pulumi.Output<string>;
	declare readonly providerIds: pulumi.Output<string[]>;

	constructor(name: string, args: OauthProviderRemovalArgs, options?: pulumi.CustomResourceOptions) {
		super(oauthProviderRemoval, name, { ...args }, options);
	}
}

export interface TvcAppRemovalArgs extends RemovalArgs<"tvcApps"> {
	/** The app that must not exist; its deployments are removed with it. Changing it replaces the resource. */
	readonly appId: pulumi.Input<string>;
}

/** A TVC app that must not exist: one `delete_tvc_app_and_deployments` removes it. Destroying submits nothing. */
export class TvcAppRemoval extends OrgsyncResource {
	declare readonly appId: pulumi.Output<string>;

	constructor(name: string, args: TvcAppRemovalArgs, options?: pulumi.CustomResourceOptions) {
		super(tvcAppRemoval, name, { ...args }, options);
	}
}
