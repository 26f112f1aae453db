/**
 * The fewest activities that make the changes, in an order in which each can succeed: the tags that a plan creates come before
 * the policies that name them, and a name before the object that takes it (renames.ts).
 */
import { type Change, isWritten, type RemovalChange, type TagChange } from "./change.ts";
import { removalKinds } from "./kinds/index.ts";
import type { StepDraft } from "./kinds/kind.ts";
import type { RemovalKindName } from "./kinds/names.ts";
import { removalDraft } from "./kinds/removal.ts";
import type { DesiredOrganization, Named } from "./organization.ts";
import { policyDrafts } from "./policy-steps.ts";
import { asideKey, changedKey, orderRenames, type Rename, type TemporaryNames, temporaryName } from "./renames.ts";
import type { Step } from "./step.ts";
import { compareText } from "./value.ts";

type StepOptions = Pick<DesiredOrganization, "temporaryNames" | "separately"> & {
	/** Ids of tags and policies that take their new names in activities of their own, before they are changed besides. */
	readonly renamedFirst?: ReadonlySet<string>;
};

/**
 * Returns the steps in order. An object of a cycle of renames takes its name in `temporaryNames`, if that is free. `separately`: each
 * policy is created by an activity of its own.
 */
export function makeSteps(
	changes: readonly Change[],
	liveTags: readonly Named[],
	{ temporaryNames = {}, separately, renamedFirst = new Set() }: StepOptions = {},
	livePolicies: readonly Named[] = [],
): readonly Step[] {
	const tagChanges = changes.filter((change) => change.kind === "userTag");
	const removals = removalKinds.flatMap(({ name, steps }) => steps(changes.filter((one) => isRemoval(one, name))));
	const removedIds = removedPolicies(changes);
	const drafts = [
		...tagDrafts(tagChanges, liveTags, temporaryNames, renamedFirst),
		...policyDrafts(changes.filter(isWritten), tagChanges, livePolicies, {
			removedIds,
			temporaryNames,
			renamedFirst,
			separately: separately === true,
		}),
		...removals,
		...tagRemovals(tagChanges),
	];
	const ids = new Map(drafts.map(({ key }, index) => [key, `step-${index + 1}`]));
	return drafts.map(({ key, after, covers, reason, ...request }) => ({
		id: ids.get(key) ?? key,
		...request,
		covers,
		dependsOn: after.flatMap((other) => ids.get(other) ?? []),
		reason,
		earlierActivity: null,
	}));
}

/** Returns the operations of the steps that make these changes, each once. A change that is only reported has none. */
export function operationsFor(changes: readonly Change[]): readonly Step["operation"][] {
	const tags = new Set(changes.filter(({ kind }) => kind === "userTag").map(({ action }) => action));
	const policies = new Set(changes.filter(({ kind }) => kind === "policy").map(({ action }) => action));
	const removals = removalKinds.filter(({ name }) => changes.some((change) => isRemoval(change, name)));
	return [
		...(tags.has("create") ? (["create_user_tag"] as const) : []),
		...(tags.has("update") ? (["update_user_tag"] as const) : []),
		...(policies.has("create") ? (["create_policies"] as const) : []),
		...(policies.has("update") ? (["update_policy"] as const) : []),
		...removals.map(({ operation }) => operation),
		...(tags.has("remove") ? (["delete_user_tags"] as const) : []),
	];
}

function isRemoval(change: Change, kind: RemovalKindName): change is RemovalChange {
	return change.kind === kind && change.action === "remove";
}

function removedPolicies(changes: readonly Change[]): ReadonlySet<string> {
	return new Set(changes.filter((change) => isRemoval(change, "policy")).map(({ id }) => id));
}

function tagDrafts(
	changes: readonly TagChange[],
	liveTags: readonly Named[],
	temporaryNames: TemporaryNames,
	renamedFirst: ReadonlySet<string>,
): readonly StepDraft[] {
	const holders = new Map(liveTags.map(({ id, name }) => [name, id]));
	const updates = changes.filter(({ action }) => action === "update");
	const byId = new Map(updates.map((change) => [change.tagId, change]));
	const { order, asides, after, freedBy } = orderRenames(updates.filter(isRename).map(toRename), holders);
	const taken = new Set([...holders.keys(), ...changes.map(({ after: { name } }) => name)]);
	const removed = new Set(changes.filter(({ action }) => action === "remove").map(({ tagId }) => tagId));
	const removal = (name: string): readonly string[] => (removed.has(holders.get(name) ?? "") ? [removalKey] : []);
	return [
		...asides.map((one) => temporaryDraft(one, temporaryName(one.id, taken, temporaryNames))),
		...order.flatMap((one) => {
			const change = byId.get(one.id);
			if (change === undefined) return [];
			const before = [...after(one), ...removal(one.to)];
			if (!renamedFirst.has(one.id)) return [tagDraft(change, before)];
			const { before: was, after: now } = change;
			const renamed: TagChange = { ...change, reason: "name-differs", addUserIds: [], removeUserIds: [] };
			const moved: TagChange = { ...change, reason: "members-differ", before: { ...was, name: now.name } };
			return [tagDraft(renamed, before), { ...tagDraft(moved, []), key: changedKey(one.id) }];
		}),
		...updates.filter((change) => !isRename(change)).map((change) => tagDraft(change, [])),
		...changes
			.filter(({ action }) => action === "create")
			.map((change) => creationDraft(change, [...freedBy(change.after.name), ...removal(change.after.name)])),
	];
}

const removalKey = "userTags:removed";

function isRename(change: TagChange): boolean {
	return change.before.name !== change.after.name;
}

function toRename({ tagId: id, address, before, after }: TagChange): Rename {
	return { id, address, from: before.name, to: after.name };
}

function temporaryDraft({ id, address, from }: Rename, name: string): StepDraft {
	return {
		key: asideKey(id),
		operation: "update_user_tag",
		parameters: { userTagId: id, newUserTagName: name, addUserIds: [], removeUserIds: [] },
		covers: [{ address, id }],
		after: [],
		reason: { kind: "names-exchanged", from, to: name },
	};
}

function creationDraft(
	{ tagId, address, after: { name }, addUserIds }: TagChange,
	after: readonly string[],
): StepDraft {
	return {
		key: tagId,
		operation: "create_user_tag",
		parameters: { userTagName: name, userIds: addUserIds },
		covers: [{ address, id: tagId }],
		after,
		reason: { kind: "create", of: "userTag", count: 1, name },
	};
}

function tagRemovals(changes: readonly TagChange[]): readonly StepDraft[] {
	const removed = changes.flatMap(({ action, address, tagId: id }) => (action === "remove" ? [{ address, id }] : []));
	const userTagIds = removed.map(({ id }) => id).sort(compareText);
	const request = { operation: "delete_user_tags", parameters: { userTagIds } } as const;
	return removed.length === 0 ? [] : [removalDraft(removalKey, request, removed, "userTag")];
}

function tagDraft(change: TagChange, after: readonly string[]): StepDraft {
	return {
		key: change.tagId,
		operation: "update_user_tag",
		parameters: {
			userTagId: change.tagId,
			...(isRename(change) ? { newUserTagName: change.after.name } : {}),
			addUserIds: change.addUserIds,
			removeUserIds: change.removeUserIds,
		},
		covers: [{ address: change.address, id: change.tagId }],
		after,
		reason: { kind: change.reason, from: change.before.name, to: change.after.name },
	};
}
