/** The resources that remove objects, as classes for programs. What each does is its definition. */
import type * as pulumi from "@pulumi/pulumi";
import { oauthProviderRemoval, policyRemoval, tvcAppRemoval, userTagRemoval } from "../resources/removal.ts";
import { OrgsyncResource } from "./resource-class.ts";

interface RemovalArgs {
	/** The organization, a UUID. Defaults to the Provider's. Changing it replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
}

export interface PolicyRemovalArgs extends RemovalArgs {
	/**
	 * Ids of policies that must not exist. Changing it removes the policies that it adds; an id that it drops restores
	 * nothing.
	 */
	readonly policyIds: pulumi.Input<pulumi.Input<string>[]>;
	/**
	 * How many policies one update may remove, for example `{ policies: 5 }`. Changing it submits nothing: it applies
	 * from the next update.
	 */
	readonly limits?: pulumi.Input<PolicyRemovalLimits>;
}

/** How many policies one update may remove. */
interface PolicyRemovalLimits {
	/** Max policies that may be deleted. */
	readonly policies?: pulumi.Input<number>;
}

/**
 * Policies that must not exist.
 *
 * One `delete_policies` removes those that do. Destroying the resource submits nothing, and fails while its activity
 * is pending.
 */
export class PolicyRemoval extends OrgsyncResource {
	/** The policies; after a refresh, those that do not exist. */
	declare readonly policyIds: pulumi.Output<string[]>;

	constructor(name: string, args: PolicyRemovalArgs, options?: pulumi.CustomResourceOptions) {
		super(policyRemoval, name, { ...args }, options);
	}
}

export interface UserTagRemovalArgs extends RemovalArgs {
	/**
	 * Ids of user tags that must not exist. Changing it removes the tags that it adds; an id that it drops restores
	 * nothing.
	 */
	readonly tagIds: pulumi.Input<pulumi.Input<string>[]>;
	/**
	 * How many user tags one update may remove, for example `{ userTags: 1 }`. Changing it submits nothing: it applies from
	 * the next update.
	 */
	readonly limits?: pulumi.Input<UserTagRemovalLimits>;
}

/** How many user tags one update may remove. */
interface UserTagRemovalLimits {
	/** Max user tags that may be deleted. */
	readonly userTags?: pulumi.Input<number>;
}

/**
 * User tags that must not exist.
 *
 * One `delete_user_tags` removes those that do. Their members lose the tag. Destroying the resource submits nothing, and
 * fails while its activity is pending.
 */
export class UserTagRemoval extends OrgsyncResource {
	/** The user tags; after a refresh, those that do not exist. */
	declare readonly tagIds: pulumi.Output<string[]>;

	constructor(name: string, args: UserTagRemovalArgs, options?: pulumi.CustomResourceOptions) {
		super(userTagRemoval, name, { ...args }, options);
	}
}

export interface OauthProviderRemovalArgs extends RemovalArgs {
	/** The user, a UUID. Changing it replaces the resource. */
	readonly userId: pulumi.Input<string>;
	/**
	 * Ids of OAuth providers that the user must not have. Changing it removes the providers that it adds; an id that it
	 * drops restores nothing.
	 */
	readonly providerIds: pulumi.Input<pulumi.Input<string>[]>;
	/**
	 * How many OAuth providers one update may remove, for example `{ oauthProviders: 1 }`. Changing it submits nothing:
	 * it applies from the next update.
	 */
	readonly limits?: pulumi.Input<OauthProviderRemovalLimits>;
}

/** How many OAuth providers one update may remove. */
interface OauthProviderRemovalLimits {
	/** Max OAuth providers that may be deleted. */
	readonly oauthProviders?: pulumi.Input<number>;
}

/**
 * OAuth providers that a user must not have.
 *
 * One `delete_oauth_providers` removes those that exist. Destroying the resource submits nothing, and fails while its activity
 * is pending.
 */
export class OauthProviderRemoval extends OrgsyncResource {
	/** The user, in lower case. */
	declare readonly userId: pulumi.Output<string>;
	/** The OAuth providers; after a refresh, those that do not exist. */
	declare readonly providerIds: pulumi.Output<string[]>;

	constructor(name: string, args: OauthProviderRemovalArgs, options?: pulumi.CustomResourceOptions) {
		super(oauthProviderRemoval, name, { ...args }, options);
	}
}

export interface TvcAppRemovalArgs extends RemovalArgs {
	/** The app, a UUID. Changing it replaces the resource. */
	readonly appId: pulumi.Input<string>;
	/**
	 * How many TVC apps one update may remove, for example `{ tvcApps: 1 }`. Changing it submits nothing: it applies from
	 * the next update.
	 */
	readonly limits?: pulumi.Input<TvcAppRemovalLimits>;
}

/** How many TVC apps one update may remove. */
interface TvcAppRemovalLimits {
	/** Max TVC apps that may be deleted. */
	readonly tvcApps?: pulumi.Input<number>;
}

/**
 * A TVC app that must not exist.
 *
 * One `delete_tvc_app_and_deployments` removes it and its deployments. Destroying the resource submits nothing, and fails while its activity
 * is pending.
 */
export class TvcAppRemoval extends OrgsyncResource {
	/** The app, in lower case. */
	declare readonly appId: pulumi.Output<string>;

	constructor(name: string, args: TvcAppRemovalArgs, options?: pulumi.CustomResourceOptions) {
		super(tvcAppRemoval, name, { ...args }, options);
	}
}
