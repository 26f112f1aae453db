/** The resources as classes for programs. What each does is its definition. */
import type * as pulumi from "@pulumi/pulumi";
import { policy } from "../policy/policy.ts";
import type { Members, MemberWindow } from "../user-tag/members.ts";
import { userTag } from "../user-tag/user-tag.ts";
import { OauthProviderRemoval, PolicyRemoval, TvcAppRemoval, UserTagRemoval } from "./removal-classes.ts";
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
	 * `true`: the tag is created, and a live tag of that name is an error unless `adopt` is `true`. Left out, the live tag
	 * is adopted, and must exist. Changing it submits nothing once the tag is found.
	 */
	readonly create?: pulumi.Input<boolean>;
	/** With `create`, `true` adopts a live tag of that name, which this resource did not create. Changing it submits nothing. */
	readonly adopt?: pulumi.Input<boolean>;
	/**
	 * What destroying the resource does: `keep` submits nothing, `removeMembers` removes the managed members from the tag,
	 * `delete` deletes the tag. Defaults to `delete` for a tag that this resource created, and to `keep` for any other.
	 * Destroying fails while an activity of the resource is pending. Changing it submits nothing.
	 */
	readonly onDestroy?: pulumi.Input<"keep" | "removeMembers" | "delete">;
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
 * update. With `create: true` it creates the tag instead; without it, creating fails if there is no such tag.
 */
export class UserTag extends OrgsyncResource {
	/** The name of the tag. */
	declare readonly name: pulumi.Output<string>;
	/** The id of the tag; while its creation is pending, an id of orgsync that no live tag has. */
	declare readonly tagId: pulumi.Output<string>;
	/** Former names of the tag. If no tag has `name`, a tag with one of these names is renamed. */
	declare readonly previously: pulumi.Output<string[] | undefined>;
	/** The managed members; after a refresh, the part of them that is in sync. */
	declare readonly members: pulumi.Output<Members | undefined>;
	/** Whether the tag is created. */
	declare readonly create: pulumi.Output<boolean | undefined>;
	/** Whether a live tag of that name is adopted. */
	declare readonly adopt: pulumi.Output<boolean | undefined>;
	/** What destroying the resource does, if the program says so. */
	declare readonly onDestroy: pulumi.Output<"keep" | "removeMembers" | "delete" | undefined>;

	/**
	 * Reads the live tag with this id without managing it: it is never changed. `members` holds all members, where the
	 * service shows them. Fails when there is no such tag.
	 */
	static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): UserTag {
		return new UserTag(name, { name: undefined } as unknown as UserTagArgs, { ...options, id });
	}

	constructor(name: string, args: UserTagArgs, options?: pulumi.CustomResourceOptions) {
		// Only what is listed here becomes an output: `check` and `read` fill in what the program leaves out.
		const outputs = {
			tagId: undefined,
			previously: undefined,
			members: undefined,
			create: undefined,
			adopt: undefined,
		};
		super(userTag, name, { ...outputs, onDestroy: undefined, ...args }, options);
	}
}

export interface PolicyArgs {
	/** The name of the policy, which approvers read: it gets no random suffix. Changing it renames the policy. */
	readonly name: pulumi.Input<string>;
	/** What the policy does where its condition and its consensus hold: `allow` or `deny`. Changing it updates the policy. */
	readonly effect: pulumi.Input<"allow" | "deny">;
	/**
	 * Who has to approve, in the policy language; `""` for none, which a deny may have. `${userTags.NAME}`, as a whole
	 * string of it, is the id under `references`. Changing it updates the policy, unless it is the same expression.
	 */
	readonly consensus: pulumi.Input<string>;
	/**
	 * What the policy is about, in the policy language; `""` for every activity. It may have references like `consensus`.
	 * Changing it updates the policy, unless it is the same expression.
	 */
	readonly condition: pulumi.Input<string>;
	/** Why the policy exists, for approvers. Left out, the notes are unmanaged. Changing it updates the policy. */
	readonly notes?: pulumi.Input<string>;
	/** When the policy applies, in the policy language. Left out, it always does. Changing it updates the policy. */
	readonly time?: pulumi.Input<string>;
	/**
	 * Ids of user tags by the names that expressions use: with `{ signers: tag.tagId }`, `'${userTags.signers}'` is the id of
	 * that tag. While an id is unknown, a preview still checks everything else. Changing it updates the policy if an
	 * expression has the name.
	 */
	readonly references?: pulumi.Input<{ readonly [name: string]: pulumi.Input<string> }>;
	/** The organization, a UUID. Defaults to the Provider's. Changing it replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
	/** Former names of the policy, by which `adopt` finds it if no policy has `name`. Changing it submits nothing. */
	readonly previously?: pulumi.Input<pulumi.Input<string>[]>;
	/**
	 * `true` adopts a live policy of that name, which this resource did not create, and replaces its text. Otherwise such a
	 * policy is an error of the preview. Changing it submits nothing.
	 */
	readonly adopt?: pulumi.Input<boolean>;
	/**
	 * `true`: orgsync does not understand the expressions. They are compared and submitted as exact text. Changing it submits
	 * nothing.
	 */
	readonly unchecked?: pulumi.Input<boolean>;
}

/**
 * A policy of the organization.
 *
 * It is created with one `create_policies`, changed in place with one `update_policy`, and deleted with the resource.
 * Each policy is judged alone: in production, use an `Organization`, which judges all changes together.
 */
export class Policy extends OrgsyncResource {
	/** The id of the policy; while its creation is pending, an id of orgsync that no live policy has. */
	declare readonly policyId: pulumi.Output<string>;
	/** When the policy was created, ISO 8601 in UTC. Not set if the service does not say. */
	declare readonly createdAt: pulumi.Output<string | undefined>;
	/** The name of the policy. */
	declare readonly name: pulumi.Output<string>;
	/** What the policy does. */
	declare readonly effect: pulumi.Output<"allow" | "deny">;
	/** Who has to approve, as the program writes it. */
	declare readonly consensus: pulumi.Output<string>;
	/** What the policy is about, as the program writes it. */
	declare readonly condition: pulumi.Output<string>;
	/** Why the policy exists. */
	declare readonly notes: pulumi.Output<string | undefined>;
	/** When the policy applies. */
	declare readonly time: pulumi.Output<string | undefined>;
	/** Ids of user tags by the names that expressions use. */
	declare readonly references: pulumi.Output<{ readonly [name: string]: string } | undefined>;
	/** Former names of the policy. */
	declare readonly previously: pulumi.Output<string[] | undefined>;
	/** Whether a live policy of that name is adopted. */
	declare readonly adopt: pulumi.Output<boolean | undefined>;
	/** Whether the expressions are exact text. */
	declare readonly unchecked: pulumi.Output<boolean | undefined>;

	/** Reads the live policy with this id without managing it: it is never changed. Fails when there is no such policy. */
	static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): Policy {
		return new Policy(name, { name: undefined } as unknown as PolicyArgs, { ...options, id });
	}

	constructor(name: string, args: PolicyArgs, options?: pulumi.CustomResourceOptions) {
		const made = { policyId: undefined, createdAt: undefined, effect: undefined, consensus: undefined };
		const more = { condition: undefined, notes: undefined, time: undefined, references: undefined };
		const rest = { previously: undefined, adopt: undefined, unchecked: undefined };
		super(policy, name, { ...made, ...more, ...rest, ...args }, options);
	}
}

type ResourceClass = new (name: string, args: never, options?: pulumi.CustomResourceOptions) => pulumi.Resource;

/** The class of each resource, by its name. */
export const classes: Readonly<Record<string, ResourceClass>> = {
	UserTag,
	Policy,
	PolicyRemoval,
	UserTagRemoval,
	OauthProviderRemoval,
	TvcAppRemoval,
};
