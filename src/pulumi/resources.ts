/**
 * The resources of a Pulumi program. Each is a name, its inputs and a constant text by which the engine finds the code in
 * provider.ts: nothing is captured, so nothing secret reaches the state, and an upgrade of the package needs no migration.
 */
import * as pulumi from "@pulumi/pulumi";
import { addInputs, type ResourceKind, typeOf } from "./added-inputs.ts";
import type { Members } from "./inputs.ts";

const userTag: ResourceKind = { name: "UserTag", provider: "userTag", isLive: true };
const oauthProviderRemoval: ResourceKind = {
	name: "OauthProviderRemoval",
	provider: "oauthProviderRemoval",
	isLive: false,
};
const policyRemoval: ResourceKind = { name: "PolicyRemoval", provider: "policyRemoval", isLive: false };
const tvcAppRemoval: ResourceKind = { name: "TvcAppRemoval", provider: "tvcAppRemoval", isLive: false };

/** Limits of the guards for one resource, as in a document's `limits`. */
export interface ResourceLimits {
	/** Of a user tag: how many members one update may remove; a number, or a percentage of the known ones (`"25%"`). */
	readonly memberRemovals?: pulumi.Input<number | string>;
	/** How many policies, OAuth providers or TVC apps one update may remove. */
	readonly policies?: pulumi.Input<number>;
	readonly oauthProviders?: pulumi.Input<number>;
	readonly tvcApps?: pulumi.Input<number>;
}

export interface UserTagArgs {
	/** The tag's name. Another one renames it. */
	readonly name: pulumi.Input<string>;
	/** The organization, a UUID; by default the Provider's. Another one replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
	/** The tag's id, a UUID. Without it the tag is found by its name. */
	readonly tagId?: pulumi.Input<string>;
	/** Names by which the tag is found when `name` is not there: then it is renamed. */
	readonly previously?: pulumi.Input<pulumi.Input<string>[]>;
	/** Who has the tag, by user id; left out, membership is not managed. Either `exactly`, or `atLeast` and `never`. */
	readonly members?: pulumi.Input<MembersArgs>;
	/** What one update may take away. */
	readonly limits?: pulumi.Input<Pick<ResourceLimits, "memberRemovals">>;
	/**
	 * What `pulumi destroy` does: nothing (`keep`, the default), or take the tag away from the members that are managed
	 * here. The tag itself cannot be deleted through the interface.
	 */
	readonly onDestroy?: pulumi.Input<"keep" | "removeMembers">;
}

/** See Members; lists of user ids. */
export interface MembersArgs {
	/** These users have the tag, and nobody else; `[]` is nobody. */
	readonly exactly?: pulumi.Input<pulumi.Input<string>[]>;
	/** These users have the tag; others are left alone. */
	readonly atLeast?: pulumi.Input<pulumi.Input<string>[]>;
	/** These users do not have the tag. */
	readonly never?: pulumi.Input<pulumi.Input<string>[]>;
}

/**
 * A user tag: its name and its members. It adopts the tag that is there, by `tagId`, `name` or `previously`, and changes it
 * with at most one `update_user_tag` an update (docs/service.md#submits). Creating fails when there is no such tag.
 */
export class UserTag extends pulumi.CustomResource {
	/** The organization, in lower case. */
	declare readonly organizationId: pulumi.Output<string>;
	declare readonly name: pulumi.Output<string>;
	declare readonly tagId: pulumi.Output<string>;
	declare readonly previously: pulumi.Output<string[] | undefined>;
	/** The members that are managed; after a refresh, the part of them that is so. */
	declare readonly members: pulumi.Output<Members | undefined>;
	declare readonly onDestroy: pulumi.Output<"keep" | "removeMembers">;

	/**
	 * The live tag with this id, to be read and not managed: nothing is submitted for it, now or when it is taken out of the
	 * program. `members` holds who has it, where the service shows that. Fails when there is no such tag.
	 */
	static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): UserTag {
		return new UserTag(name, { name: undefined } as unknown as UserTagArgs, { ...options, id });
	}

	constructor(name: string, args: UserTagArgs, options?: pulumi.CustomResourceOptions) {
		// What is not listed here has no output: `check` and `read` fill in what the program leaves out.
		const left = { tagId: undefined, organizationId: undefined, previously: undefined, members: undefined };
		const inputs = { ...left, onDestroy: undefined, ...args };
		const { inputs: all, complete } = addInputs(userTag, name, inputs, options);
		super(typeOf(userTag), name, all, options);
		complete(this);
	}
}

export interface OauthProviderRemovalArgs {
	/** The user, a UUID. Another one replaces the resource. */
	readonly userId: pulumi.Input<string>;
	/** Ids of OAuth providers that the user must not have. */
	readonly providerIds: pulumi.Input<pulumi.Input<string>[]>;
	/** The organization, a UUID; by default the Provider's. Another one replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
	/** What one update may take away. */
	readonly limits?: pulumi.Input<Pick<ResourceLimits, "oauthProviders">>;
}

/**
 * OAuth providers that a user must not have: removed with one `delete_oauth_providers` where they are there (docs/service.md#submits). One that is back is drift. Destroying submits nothing.
 */
export class OauthProviderRemoval extends pulumi.CustomResource {
	declare readonly organizationId: pulumi.Output<string>;
	declare readonly userId: pulumi.Output<string>;
	declare readonly providerIds: pulumi.Output<string[]>;

	constructor(name: string, args: OauthProviderRemovalArgs, options?: pulumi.CustomResourceOptions) {
		const inputs = { organizationId: undefined, ...args };
		const { inputs: all, complete } = addInputs(oauthProviderRemoval, name, inputs, options);
		super(typeOf(oauthProviderRemoval), name, all, options);
		complete(this);
	}
}

export interface PolicyRemovalArgs {
	/** Ids of policies that must not exist. */
	readonly policyIds: pulumi.Input<pulumi.Input<string>[]>;
	/** The organization, a UUID; by default the Provider's. Another one replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
	/** What one update may take away. */
	readonly limits?: pulumi.Input<Pick<ResourceLimits, "policies">>;
}

/**
 * Policies that must not exist: removed with one `delete_policies` for all that are there (docs/service.md#submits). One that is
 * back is drift. Destroying submits nothing.
 */
export class PolicyRemoval extends pulumi.CustomResource {
	declare readonly organizationId: pulumi.Output<string>;
	declare readonly policyIds: pulumi.Output<string[]>;

	constructor(name: string, args: PolicyRemovalArgs, options?: pulumi.CustomResourceOptions) {
		const inputs = { organizationId: undefined, ...args };
		const { inputs: all, complete } = addInputs(policyRemoval, name, inputs, options);
		super(typeOf(policyRemoval), name, all, options);
		complete(this);
	}
}

export interface TvcAppRemovalArgs {
	/** The app, a UUID; its deployments go with it. Another one replaces the resource. */
	readonly appId: pulumi.Input<string>;
	/** The organization, a UUID; by default the Provider's. Another one replaces the resource. */
	readonly organizationId?: pulumi.Input<string>;
	/** What one update may take away. */
	readonly limits?: pulumi.Input<Pick<ResourceLimits, "tvcApps">>;
}

/**
 * A TVC app that must not exist: removed with one `delete_tvc_app_and_deployments` where it is there (docs/service.md#submits).
 * One that is back is drift. Destroying submits nothing.
 */
export class TvcAppRemoval extends pulumi.CustomResource {
	declare readonly organizationId: pulumi.Output<string>;
	declare readonly appId: pulumi.Output<string>;

	constructor(name: string, args: TvcAppRemovalArgs, options?: pulumi.CustomResourceOptions) {
		const inputs = { organizationId: undefined, ...args };
		const { inputs: all, complete } = addInputs(tvcAppRemoval, name, inputs, options);
		super(typeOf(tvcAppRemoval), name, all, options);
		complete(this);
	}
}
