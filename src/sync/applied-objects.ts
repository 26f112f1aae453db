/** What a completed activity adds to the last-applied state, which holds only what the service confirmed. */

import { type AnyParameters, idsIn, isStepOperation, targetOf } from "../plan/activities/requests.ts";
import { labelOf } from "../plan/address.ts";
import type { Change, PolicyChange, TagChange } from "../plan/change.ts";
import { findObjects } from "../plan/kinds/found-objects.ts";
import type { RemovalKindName } from "../plan/kinds/names.ts";
import { findTags } from "../plan/kinds/user-tag.ts";
import { keyOfRemoval } from "../plan/objects.ts";
import { type LastAppliedTag, policiesOf, tagsOf } from "../plan/organization.ts";
import { compareText } from "../plan/value.ts";
import { parametersOf } from "../wire/request-body.ts";
import type { Comparison } from "./converge.ts";
import type { AppliedObject, Journal, JournalEntry } from "./journal/journal.ts";
import type { ActivityRequest, Completion } from "./submit/activity-request.ts";

type AppliedObjects = NonNullable<ActivityRequest["appliedObjects"]>;

/** Returns what a completed step applied. A tag that took a temporary name keeps its last-applied members. */
export function appliedByStep(parameters: AnyParameters, changes: readonly Change[]): AppliedObjects {
	return (covers, findTag, at) =>
		changes
			.filter(({ address }) => covers.includes(address))
			.flatMap((change): readonly AppliedObject[] => {
				if (change.action === "report") return [];
				if (change.kind !== "userTag") {
					return change.action === "remove"
						? [appliedRemoval(change.kind, change, at)]
						: appliedPolicy(change, parameters, at);
				}
				if (change.action === "remove") return [];
				if (change.action === "create")
					return (at.createdIds ?? []).flatMap((tagId) => appliedChange({ ...change, tagId }, undefined, at));
				const earlier = findTag(change.tagId);
				return isPartOf(change, parameters)
					? appliedToTag(change.tagId, parameters, change.after.name, earlier, at)
					: appliedChange(change, earlier, at);
			});
}

/** Records the policies that live state has as the document has them, and its tags beside them: they count as applied from here. */
export function recordInSync(
	{ desired, live, plan }: Pick<Comparison, "desired" | "live" | "plan">,
	journal: Pick<Journal, "lastApplied" | "recordApplied">,
): void {
	const { organizationId, changes, readAt: appliedAt } = plan;
	if (plan.problems.length > 0 || live.policies?.known !== true) return;
	const { policies = {}, userTags } = journal.lastApplied(organizationId);
	const changed = changes.flatMap((change) =>
		change.kind === "policy" ? change.id : change.kind === "userTag" ? change.tagId : [],
	);
	const known = new Set([...changed, ...Object.keys(policies), ...Object.keys(userTags)]);
	const texts = findObjects(policiesOf(desired), live.policies.value).found.map(
		({ live: { id, name } }): AppliedObject => ({ kind: "policyText", id, value: { appliedAt, name } }),
	);
	// Without tags in the document, none were read.
	const liveTags = live.userTags.known ? live.userTags.value : [];
	// Of a tag whose members are unknown, no live `updatedAt` is that of the record: its members stay unknown.
	const tags = findTags(tagsOf(desired), liveTags).found.map(({ live: { id, name, members, updatedAt } }) =>
		appliedTag(id, name, members.known ? members.value : [], [], { appliedAt }, members.known ? updatedAt : "unknown"),
	);
	const applied = [...texts, ...tags].filter(({ id }) => !known.has(id));
	if (applied.length > 0) journal.recordApplied(organizationId, applied);
}

/** Whether a request moves some of the users whom the change moves, or gives the tag its name or its users only. */
function isPartOf({ addUserIds, removeUserIds, before, after }: TagChange, parameters: AnyParameters): boolean {
	const moved = idsIn(parameters.addUserIds).length + idsIn(parameters.removeUserIds).length;
	const name = parameters.newUserTagName ?? before.name;
	return moved < addUserIds.length + removeUserIds.length || name !== after.name;
}

/** Returns what an activity applied that completed after its run. Only its body is known: the plan of that run is gone. */
export function appliedByEntry({ body, covers }: JournalEntry): AppliedObjects {
	const parameters = parametersOf(body);
	const operation = body.operation.name;
	return (_covers, findTag, at) => {
		if (!isStepOperation(operation)) return [];
		const { kind, userId, ids } = targetOf({ operation, parameters });
		if (operation === "delete_user_tags") return [];
		if (operation === "create_user_tag") return createdTag(parameters, at);
		if (operation === "create_policies" || operation === "update_policy") return writtenPolicies(parameters, at);
		if (kind !== "userTag") return ids.map((id) => appliedRemoval(kind, { userId, id }, at));
		return ids.flatMap((id) => appliedToTag(id, parameters, labelOf(covers[0] ?? ""), findTag(id), at));
	};
}

function createdTag({ userTagName, userIds }: AnyParameters, at: Completion): readonly AppliedObject[] {
	return (at.createdIds ?? []).map((id) => appliedTag(id, String(userTagName), idsIn(userIds), [], at));
}

/** Of policies that were created, the answer has the ids in the order of the request. Fewer ids do not say whose they are. */
function writtenPolicies(
	{ policyId, policyName, policies }: AnyParameters,
	{ appliedAt, createdIds = [] }: Completion,
): readonly AppliedObject[] {
	const names: readonly string[] = Array.isArray(policies) ? policies.map((one) => String(one.policyName)) : [];
	const ids = names.length === createdIds.length ? createdIds : [];
	const written =
		policies === undefined ? [[String(policyId), String(policyName)]] : ids.map((id, at) => [id, names[at]]);
	return written.map(([id = "", name = ""]) => ({ kind: "policyText", id, value: { appliedAt, name } }));
}

function appliedToTag(
	id: string,
	parameters: AnyParameters,
	name: string,
	earlier: LastAppliedTag | undefined,
	at: Completion,
): readonly AppliedObject[] {
	const [add, remove] = [idsIn(parameters.addUserIds), idsIn(parameters.removeUserIds)];
	const isTemporary = parameters.newUserTagName !== undefined && parameters.newUserTagName !== name;
	if (isTemporary || (earlier === undefined && add.length + remove.length === 0)) return [];
	const present = [...without(earlier?.present ?? [], remove), ...add];
	return [appliedTag(id, name, present, [...without(earlier?.gone ?? [], add), ...remove], at)];
}

function appliedChange(
	{ tagId: id, addUserIds, removeUserIds, after, basis }: TagChange,
	earlier: LastAppliedTag | undefined,
	at: Completion,
): readonly AppliedObject[] {
	if (after.members === null && addUserIds.length + removeUserIds.length === 0) {
		// Only the name was changed and the members are not known: the last-applied members and their time stay.
		return earlier === undefined ? [] : [{ kind: "userTag", id, value: { ...earlier, name: after.name } }];
	}
	// The earlier state does not count if others changed the tag since, or if there was none.
	const goneBefore = basis === "unknown" ? [] : (earlier?.gone ?? []);
	const present = after.members ?? addUserIds;
	return [appliedTag(id, after.name, present, without([...goneBefore, ...removeUserIds], present), at)];
}

function appliedRemoval(
	kind: RemovalKindName,
	object: { readonly userId: string | null; readonly id: string },
	{ appliedAt }: Completion,
): AppliedObject {
	return { kind, id: keyOfRemoval(object), value: { appliedAt } };
}

function appliedPolicy(
	{ id, action, after: { name } }: PolicyChange,
	parameters: AnyParameters,
	at: Completion,
): readonly AppliedObject[] {
	if (action === "update") return [{ kind: "policyText", id, value: { appliedAt: at.appliedAt, name } }];
	return writtenPolicies(parameters, at).filter((one) => one.kind === "policyText" && one.value.name === name);
}

function appliedTag(
	id: string,
	name: string,
	present: readonly string[],
	gone: readonly string[],
	at: Completion,
	updatedAt = "",
): AppliedObject {
	const sorted = (users: readonly string[]) => [...new Set(users)].sort(compareText);
	const { createdIds: _, ...times } = at;
	return {
		kind: "userTag",
		id,
		value: { ...times, name, present: sorted(present), gone: sorted(gone), updatedAt },
	};
}

function without(users: readonly string[], others: readonly string[]): readonly string[] {
	return users.filter((user) => !others.includes(user));
}
