/** The user tag as a Pulumi resource: the class for programs, and what differs from other resources. */

import type * as pulumi from "@pulumi/pulumi";
import { tagsOf } from "../plan/organization.ts";
import type { Plan } from "../plan/plan.ts";
import { sameValue } from "../plan/value.ts";
import { isDone, ResourceFailure } from "./failure.ts";
import {
	hasUnknown,
	type Members,
	observeMembers,
	type Properties,
	sameMembers,
	withoutUndefined,
	writeMembers,
} from "./inputs.ts";
import type { ResourceDefinition } from "./resource.ts";
import { OrgsyncResource } from "./resource-class.ts";
import { deleteTag } from "./user-tag-delete.ts";
import {
	earlierNames,
	findTag,
	readTag,
	readTagInputs,
	type TagInputs,
	type TagOutputs,
	tagDocument,
} from "./user-tag-inputs.ts";

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

export const userTag: ResourceDefinition<TagInputs, TagOutputs> = {
	...tagDocument,
	name: "UserTag",
	isReadable: true,
	identity: ["organizationId", "tagId"],
	guardedInput: "members",
	claimedInput: "name",
	claimAdvice: "manage each tag with one resource",
	complete(news, olds) {
		// Once found, it is the same tag whatever its name is.
		const mayBeSame = hasUnknown(news.organizationId) || olds.organizationId === news.organizationId?.toLowerCase();
		const tagId = news.tagId ?? (mayBeSame ? olds.tagId : undefined);
		return { ...news, onDestroy: news.onDestroy ?? "keep", ...withoutUndefined({ tagId }) };
	},
	claims: ({ tagId }) =>
		tagId === undefined ? [] : [{ object: `userTag/${tagId}`, subject: `the user tag ${tagId} is managed` }],
	explainProblems,
	async locate({ inputs, desired }, session) {
		const tagId = inputs.tagId ?? (await findTag(inputs.resource, desired, session))?.id;
		return tagId === undefined ? inputs : { ...inputs, tagId };
	},
	isSame: (olds, news) =>
		sameMembers(olds.members, news.members) &&
		sameValue(earlierNames(olds), earlierNames(news)) &&
		olds.name === news.name &&
		olds.onDestroy === news.onDestroy,
	async findTarget(inputs, olds, session) {
		// Read as `check` did, which did not know the id.
		const { tagId: _tagId, ...written } = inputs;
		const known = olds?.tagId ?? inputs.tagId;
		const tagId = known ?? (await findTag(inputs.resource, readTagInputs(inputs), session))?.id;
		const desired = readTagInputs(written);
		if (tagId === undefined) return { inputs, desired };
		const objects = tagsOf(desired).map((tag) => ({ ...tag, id: tagId }));
		return { inputs: { ...inputs, tagId }, desired: { ...desired, objects } };
	},
	idOf({ tagId, name }) {
		if (tagId === undefined) throw new ResourceFailure(`no user tag is called \`${name}\``);
		return tagId;
	},
	outputsOf({ inputs }, { plan, report, journal }) {
		const { tagId = "", organizationId, members: managed } = inputs;
		const lastApplied = journal.lastApplied(organizationId).userTags[tagId];
		const before = isDone(report) ? {} : observeBefore(inputs, plan);
		return withoutUndefined({ ...inputs, ...before, managed, lastApplied });
	},
	read: readTag,
	remove: deleteTag,
	partsOf: (desired) =>
		tagsOf(desired).map(({ name, id, previously, members }) => ({
			suffix: name,
			earlierSuffixes: previously,
			args: withoutUndefined({
				name,
				tagId: id,
				previously: previously.length === 0 ? undefined : [...previously],
				members: writeMembers(members),
			}),
			covers: (address) => address === `userTag:${name}`,
			limit: "memberRemovals",
		})),
};

/** Problems of the plan. A name that is taken is none yet: another resource of the program may release it. */
function explainProblems(plan: Plan, inputs: TagInputs, news: Partial<TagInputs>) {
	const isFromState = inputs.tagId !== undefined && news.tagId === undefined;
	const property = news.tagId === undefined ? "name" : "tagId";
	const hint = isFromState
		? "; the state still has this tag: `pulumi refresh` removes it, and then the tag is looked up by name"
		: "";
	return plan.problems
		.filter(({ code }) => code !== "tag-name-taken")
		.map(({ message }) => ({ property, reason: message + hint }));
}

/** Name and members before a change that did not complete. */
function observeBefore(inputs: TagInputs, plan: Plan): Properties {
	const change = plan.changes.find((one) => one.kind === "userTag" && one.tagId === inputs.tagId);
	if (change?.kind !== "userTag") return { name: inputs.name, members: inputs.members };
	const live = change.before.members;
	return { name: change.before.name, members: live === null ? undefined : observeMembers(inputs.members, live) };
}
