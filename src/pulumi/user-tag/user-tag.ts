/** The user tag as a Pulumi resource: what differs from other resources. */
import { defined } from "../../common/defined.ts";
import { tagsOf } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { hasUnknown, type Properties } from "../inputs/inputs.ts";
import { isDone, ResourceFailure } from "../resources/failure.ts";
import type { ResourceDefinition, Target } from "../resources/resource.ts";
import { deleteTag, isContinuedByDelete, membersToRemove } from "./delete.ts";
import {
	claimAdvice,
	claimOf,
	findEndedWindows,
	findTag,
	readManagedTag,
	readTag,
	readTagInputs,
	type TagInputs,
	type TagOutputs,
	tagDocument,
} from "./inputs.ts";
import { importTag, isLookUp, lookUpTag } from "./look-up.ts";
import { comparableMembers, observeMembers, writeMembers } from "./members.ts";

export const userTag: ResourceDefinition<TagInputs, TagOutputs> = {
	...tagDocument,
	name: "UserTag",
	isReadable: true,
	identity: ["organizationId", "tagId"],
	guardedInput: "members",
	claimedInput: "name",
	claimAdvice,
	complete(news, olds) {
		// Once found, it is the same tag whatever its name is.
		const mayBeSame = hasUnknown(news.organizationId) || olds.organizationId === news.organizationId?.toLowerCase();
		const tagId = news.tagId ?? (mayBeSame ? olds.tagId : undefined);
		return { ...news, onDestroy: news.onDestroy ?? "keep", ...defined({ tagId }) };
	},
	claims: ({ tagId }) => (tagId === undefined ? [] : [claimOf(tagId)]),
	explainProblems,
	locate({ inputs, desired }, live) {
		const tagId = inputs.tagId ?? findTag(desired, live)?.id;
		return tagId === undefined ? inputs : { ...inputs, tagId };
	},
	comparable({ name, previously, members, onDestroy }) {
		return {
			name,
			previously: comparablePreviously(name, previously),
			members: comparableMembers(members),
			onDestroy,
		};
	},
	due: findEndedWindows,
	async findTarget(inputs, olds, session) {
		// Read as `check` did, which did not know the id.
		const { tagId: _tagId, ...written } = inputs;
		const known = olds?.tagId ?? inputs.tagId;
		const tagId = known ?? (await readTag(inputs.resource, readTagInputs(inputs), session))?.id;
		const desired = readTagInputs(written);
		if (tagId === undefined) return { inputs, desired };
		const objects = tagsOf(desired).map((tag) => ({ ...tag, id: tagId }));
		return { inputs: { ...inputs, tagId }, desired: { ...desired, objects } };
	},
	idOf({ tagId, name }) {
		if (tagId === undefined) throw new ResourceFailure(`no user tag is called \`${name}\``);
		return tagId;
	},
	writtenIn: ({ managed, ...inputs }) => ({ ...inputs, ...defined({ members: managed ?? inputs.members }) }),
	objectsIn: ({ tagId }) => ({ userTagId: tagId }),
	outputsOf({ inputs, desired }, { plan, report, journal, timeMs }) {
		const { tagId = "", organizationId, members: managed } = inputs;
		const lastApplied = journal.lastApplied(organizationId).userTags[tagId];
		const before = isDone(report) ? {} : observeBefore({ inputs, desired }, plan, timeMs);
		return defined({ ...inputs, ...before, managed, lastApplied, validUntil: plan.validUntil });
	},
	read: (id, props, session) => (isLookUp(props) ? lookUpTag(id, props, session) : readManagedTag(id, props, session)),
	import: importTag,
	remove: deleteTag,
	submitsAtDelete: (props) => membersToRemove(props).length > 0,
	isContinuedByDelete,
	partsOf: (desired) =>
		tagsOf(desired).map(({ name, id, previously, members }) => ({
			suffix: name,
			earlierSuffixes: previously,
			args: defined({
				name,
				tagId: id,
				previously: previously.length === 0 ? undefined : [...previously],
				members: writeMembers(members),
			}),
			covers: (address) => address === `userTag:${name}`,
			limit: "memberRemovals",
		})),
};

/** The earlier names with `undefined` for the tag's own. What is no list is unknown or from an edited state: it is as it is. */
function comparablePreviously(name: string | undefined, previously: TagInputs["previously"]): unknown {
	if (!Array.isArray(previously)) return previously;
	const earlier = previously.map((one: unknown) => (one === name ? undefined : one));
	return earlier.every((one) => one === undefined) ? undefined : earlier;
}

/** Problems of the plan. A name that is taken is none yet: another resource of the program may release it. */
function explainProblems(plan: Plan, inputs: TagInputs, news: Partial<TagInputs>) {
	const isFromState = inputs.tagId !== undefined && news.tagId === undefined;
	const property = news.tagId === undefined ? "name" : "tagId";
	const hint = isFromState
		? "; the state still has this tag: `pulumi refresh` removes it, and then the tag is looked up by name"
		: "";
	return plan.problems
		.filter(({ code }) => code !== "tag-name-taken")
		.map(({ code, message }) =>
			code === "user-not-there" ? { property: "members", reason: message } : { property, reason: message + hint },
		);
}

/** Name and members before a change that did not complete. */
function observeBefore({ inputs, desired }: Target<TagInputs>, plan: Plan, timeMs: number): Properties {
	const change = plan.changes.find((one) => one.kind === "userTag" && one.tagId === inputs.tagId);
	if (change?.kind !== "userTag") return { name: inputs.name, members: inputs.members };
	const live = change.before.members;
	const members = live === null ? undefined : observeMembers(tagsOf(desired)[0]?.members, live, timeMs);
	return { name: change.before.name, members };
}
