/** The resources as classes for programs. What each does is its definition. */
import type * as pulumi from "@pulumi/pulumi";
import type { Members } from "../inputs.ts";
import { oauthProviderRemoval, policyRemoval, tvcAppRemoval } from "../removals.ts";
import { userTag } from "../user-tag.ts";
import { OrgsyncResource } from "./resource-class.ts";

export interface UserTagArgs {
	/** The tag's name. Changing it renames the tag. */
	readonly name: pulumi.Input<string>;
	/** The organization, a UUID. Defaults to the Provider's. Changing it replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
	/** The tag's id, a UUID. Without it, the tag is found by its name. */
	readonly tagId?: pulumi.Input<string>;
	/** Earlier names of the tag. If no tag is called `name`, the tag with an earlier name is renamed. */
	readonly previously?: pulumi.Input<pulumi.Input<string>[]>;
	/** The tag's members, by user id: either `exactly`, or `atLeast` and `never`. Left out, members are not managed. */
	readonly members?: pulumi.Input<MembersArgs>;
	/** How many members one update may remove: a number, or a percentage of the known members (`"25%"`). */
	readonly limits?: pulumi.Input<{ readonly memberRemovals?: pulumi.Input<number | string> }>;
	/**
	 * What `pulumi destroy` does: nothing (`keep`, the default), or remove the managed members from the tag. The tag itself
	 * cannot be deleted: the service has no operation for it.
	 */
	readonly onDestroy?: pulumi.Input<"keep" | "removeMembers">;
}

/** The members of a user tag, as lists of user ids, each of them a value or an output. */
export type MembersArgs = { readonly [List in keyof Members]: pulumi.Input<pulumi.Input<string>[]> };

/**
 * A user tag: its name and its members. It adopts the live tag, by `tagId`, `name` or `previously`, and changes it with at
 * most one `update_user_tag` per update. Creating fails when there is no such tag.
 */
export class UserTag extends OrgsyncResource {
	declare readonly name: pulumi.Output<string>;
	declare readonly tagId: pulumi.Output<string>;
	declare readonly previously: pulumi.Output<string[] | undefined>;
	/** The managed members; after a refresh, the part of them that is in sync. */
	declare readonly members: pulumi.Output<Members | undefined>;
	declare readonly onDestroy: pulumi.Output<"keep" | "removeMembers">;

	/**
	 * Reads the live tag with this id without managing it: it is never changed. `members` holds all members, where the
	 * service shows them. Fails when there is no such tag.
	 */
	static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): UserTag {
		return new UserTag(name, { name: undefined } as unknown as UserTagArgs, { ...options, id });
	}

	constructor(name: string, args: UserTagArgs, options?: pulumi.CustomResourceOptions) {
		// Only what is listed here becomes an output: `check` and `read` fill in what the program leaves out.
		const outputs = { tagId: undefined, previously: undefined, members: undefined };
		super(userTag, name, { ...outputs, onDestroy: undefined, ...args }, options);
	}
}

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

type ResourceClass = new (name: string, args: never, options?: pulumi.CustomResourceOptions) => pulumi.Resource;

/** The class of each resource, by its name. */
export const classes: Readonly<Record<string, ResourceClass>> = {
	UserTag,
	PolicyRemoval,
	OauthProviderRemoval,
	TvcAppRemoval,
};
