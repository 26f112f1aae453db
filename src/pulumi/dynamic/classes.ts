/** The resources as classes for programs. What each does is its definition. */
import type * as pulumi from "@pulumi/pulumi";
import { oauthProviderRemoval, policyRemoval, tvcAppRemoval } from "../resources/removal.ts";
import type { Members, MemberWindow } from "../user-tag/members.ts";
import { userTag } from "../user-tag/user-tag.ts";
import { OrgsyncResource } from "./resource-class.ts";

export interface UserTagArgs {
	/** The desired name of the tag. Changing it renames the tag. */
	readonly name: pulumi.Input<string>;
	/** The organization, a UUID. Defaults to the Provider's. Changing it replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
	/** The id of the tag. Without it the tag is identified by its name. Changing it replaces the resource. */
	readonly tagId?: pulumi.Input<string>;
	/**
	 * Former names of the tag. If no tag has `name`, a tag with one of these names is renamed. Changing it submits
	 * nothing once the tag is found.
	 */
	readonly previously?: pulumi.Input<pulumi.Input<string>[]>;
	/**
	 * The members of the tag. If left out, they are unmanaged. Either `exactly`, or `atLeast` and `never`: lists of user
	 * ids. For access with an end, an entry of the first two is an object with `user` and `until`. Changing it adds and
	 * removes members in one activity.
	 */
	readonly members?: pulumi.Input<MembersArgs>;
	/**
	 * How many members one update may remove, for example `{ memberRemovals: "25%" }`. Changing it submits nothing: it
	 * applies from the next update.
	 */
	readonly limits?: pulumi.Input<UserTagLimits>;
	/**
	 * What destroying the resource does: `keep` (the default) submits nothing, `removeMembers` removes the managed
	 * members from the tag. The tag itself stays: the service has no operation to delete it. Destroying fails while an
	 * activity of the resource is pending. Changing it submits nothing.
	 */
	readonly onDestroy?: pulumi.Input<"keep" | "removeMembers">;
}

/** How many members one update may remove. */
interface UserTagLimits {
	/**
	 * Max members that may lose a tag: a percentage of the known members, or a number. 0% and 0 allow none, 100% allows
	 * all.
	 */
	readonly memberRemovals?: pulumi.Input<number | string>;
	/**
	 * `any`: removals of members whose access expired do not count for `memberRemovals`. Every other guard judges them as
	 * before.
	 */
	readonly expiries?: pulumi.Input<"any">;
}

/** The members of a user tag, as lists of user ids and of users with a window, each of them a value or an output. */
export interface MembersArgs {
	/** These users and no others, each always or in a window. `[]` means no members. */
	readonly exactly?: pulumi.Input<pulumi.Input<string | MemberWindowArgs>[]>;
	/** These users must have the tag, each always or in a window. Other users are unmanaged. */
	readonly atLeast?: pulumi.Input<pulumi.Input<string | MemberWindowArgs>[]>;
	/** These users must not have the tag. Other users are unmanaged. */
	readonly never?: pulumi.Input<pulumi.Input<string>[]>;
}

/** A user who has the tag in a window, with at least one of `from` and `until`. */
export type MemberWindowArgs = { readonly [Field in keyof MemberWindow]: pulumi.Input<MemberWindow[Field]> };

/**
 * The name and the members of a user tag.
 *
 * It adopts the live tag, by `tagId`, `name` or `previously`, and changes it with at most one `update_user_tag` per
 * update. Creating fails if there is no such tag.
 */
export class UserTag extends OrgsyncResource {
	/** The name of the tag. */
	declare readonly name: pulumi.Output<string>;
	/** The id of the tag. */
	declare readonly tagId: pulumi.Output<string>;
	/** Former names of the tag. If no tag has `name`, a tag with one of these names is renamed. */
	declare readonly previously: pulumi.Output<string[] | undefined>;
	/** The managed members; after a refresh, the part of them that is in sync. */
	declare readonly members: pulumi.Output<Members | undefined>;
	/** What destroying the resource does. */
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

type ResourceClass = new (name: string, args: never, options?: pulumi.CustomResourceOptions) => pulumi.Resource;

/** The class of each resource, by its name. */
export const classes: Readonly<Record<string, ResourceClass>> = {
	UserTag,
	PolicyRemoval,
	OauthProviderRemoval,
	TvcAppRemoval,
};
