/** Judges rules about the members of user tags: `exclusive` and `members`. */
import { notRead, type Reason } from "../../policy/powers/reason.ts";
import { type CoveringRequest, coveredId } from "../impact/access-after.ts";
import type { Known, LiveUserTag } from "../organization.ts";
import type { StepRequest } from "../step.ts";
import { compareText } from "../value.ts";
import { type Breach, factsOf, type RuleFacts, type RuleOf } from "./rules.ts";

/** Returns the tags as they are once these steps have completed. The last name of a tag is its name. */
export function tagsAfter(
	tags: Known<readonly LiveUserTag[]>,
	steps: readonly CoveringRequest[],
): Known<readonly LiveUserTag[]> {
	if (!tags.known) return tags;
	const updates = steps.filter((step) => step.operation === "update_user_tag").map(({ parameters }) => parameters);
	const removed = new Set(
		steps.flatMap((step) => (step.operation === "delete_user_tags" ? step.parameters.userTagIds : [])),
	);
	const created = steps.flatMap((step) => (step.operation === "create_user_tag" ? [createdTag(step)] : []));
	const kept = tags.value.filter(({ id }) => !removed.has(id));
	const changed = kept.map((tag) => {
		const own = updates.filter(({ userTagId }) => userTagId === tag.id);
		const name = own.findLast(({ newUserTagName }) => newUserTagName !== undefined)?.newUserTagName ?? tag.name;
		const members = own.reduce(
			(now, { addUserIds, removeUserIds }) => changeMembers(now, addUserIds, removeUserIds),
			tag.members,
		);
		return { ...tag, name, members };
	});
	return { known: true, value: [...changed, ...created] };
}

function createdTag(step: CoveringRequest & StepRequest<"create_user_tag">): LiveUserTag {
	const { userTagName: name, userIds } = step.parameters;
	const members = { known: true, value: userIds } as const;
	return { id: coveredId(step, name), name, type: "TAG_TYPE_USER", updatedAt: "", members };
}

function changeMembers(
	members: LiveUserTag["members"],
	added: readonly string[],
	removed: readonly string[],
): LiveUserTag["members"] {
	if (!members.known) return members;
	const kept = members.value.filter((userId) => !removed.includes(userId));
	return { known: true, value: [...new Set([...kept, ...added])].sort(compareText) };
}

/** The live tag of a name; null where no tag has it. Unknown where several have. */
export type NamedTag = Known<LiveUserTag | null>;

/** Tags by the name that a rule gives them. */
export type NamedTags = ReadonlyMap<string, NamedTag>;

export function findTag(tags: Known<readonly LiveUserTag[]>, name: string): NamedTag {
	if (!tags.known) return tags;
	const [tag = null, ...others] = tags.value.filter((one) => one.name === name);
	if (others.length === 0) return { known: true, value: tag };
	return { known: false, because: { kind: "tags-of-name", name, count: others.length + 1 } };
}

/**
 * Returns the tag of a base document's rule once the steps have completed: the live tag of that name, whatever its name is then. One
 * that is removed has no members.
 */
export function followTag(name: string, before: NamedTag, after: Known<readonly LiveUserTag[]>): NamedTag {
	if (!before.known || before.value === null || !after.known) return findTag(after, name);
	const { value: tag } = before;
	const same = after.value.find(({ id }) => id === tag.id);
	return { known: true, value: same ?? withoutMembers(tag) };
}

export function withoutMembers(tag: LiveUserTag): LiveUserTag {
	return { ...tag, members: { known: true, value: [] } };
}

export function judgeExclusive({ tags: names }: RuleOf<"exclusive">, tags: NamedTags): RuleFacts {
	const byUser = new Map<string, string[]>();
	let unknown: Reason | null = null;
	for (const name of names) {
		const members = membersOf(name, tags);
		if (!members.known) unknown ??= notRead(members.because);
		for (const userId of members.known ? members.value : []) {
			byUser.set(userId, [...(byUser.get(userId) ?? []), name]);
		}
	}
	const breaches = [...byUser]
		.filter(([, held]) => held.length > 1)
		.sort(([left], [right]) => compareText(left, right))
		.map(([userId, held]): Breach => ({ what: "tags", userIds: [userId], tags: held }));
	return { breaches, unknown };
}

export function judgeMembers({ tag, min, max }: RuleOf<"members">, tags: NamedTags): RuleFacts {
	return factsOf(membersOf(tag, tags), (userIds) => {
		const count = userIds.length;
		const beyond = Math.max(0, count - (max ?? count)) - Math.max(0, (min ?? count) - count);
		return { breaches: beyond === 0 ? [] : [{ what: "members", userIds, count, beyond }], unknown: null };
	});
}

export function membersOf(name: string, tags: NamedTags): Known<readonly string[]> {
	const tag = tags.get(name);
	if (tag?.known === false) return tag;
	return tag?.value?.members ?? { known: false, because: { kind: "tags-of-name", name, count: 0 } };
}
