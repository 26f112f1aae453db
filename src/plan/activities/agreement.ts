/** Compares what a pending activity does with what the document wants. Pure. */
import { diff } from "../diff.ts";
import { findTags } from "../kinds/user-tag.ts";
import {
	type DesiredMembers,
	type DesiredOrganization,
	type DesiredUserTag,
	type LiveOrganization,
	removalsOf,
	tagsOf,
} from "../organization.ts";
import { makeSteps } from "../steps.ts";
import { idsIn, isStepOperation, sameParameters, targetOf } from "./requests.ts";
import type { Disagreement, ReviewedActivity } from "./reviewed-activity.ts";

type Activity = Pick<ReviewedActivity, "operation" | "parameters">;

/** Returns where the activity does what the document does not want, or does not manage; empty where it does a part of it. */
export function findDisagreements(
	{ operation, parameters }: Activity,
	desired: DesiredOrganization,
	live: LiveOrganization,
): readonly Disagreement[] {
	if (operation === null || !isStepOperation(operation)) return [{ code: "unmanaged" }];
	if (operation === "update_user_tag") return findTagDisagreements(parameters, desired, live);
	const { kind, userId, ids } = targetOf({ operation, parameters });
	if (kind === "userTag") return [{ code: "unmanaged" }];
	const absent = removalsOf(desired, kind).filter((one) => one.userId === userId);
	const others = ids.filter((id) => !absent.some((one) => one.id === id));
	return others.length === 0 ? [] : [{ code: "not-absent", ids: others }];
}

function findTagDisagreements(
	parameters: Activity["parameters"],
	desired: DesiredOrganization,
	live: LiveOrganization,
): readonly Disagreement[] {
	const tagId = String(parameters.userTagId).toLowerCase();
	const wanted = findWantedTag(tagId, desired, live);
	if (wanted === undefined) return [{ code: "unmanaged" }];
	if (isOwnStep(parameters, desired, live)) return [];
	const { newUserTagName: name } = parameters;
	const isOther = typeof name === "string" && name !== "" && name !== wanted.name;
	return [
		...(isOther ? [{ code: "renames", name, wanted: wanted.name } as const] : []),
		...findMemberDisagreements(idsIn(parameters.addUserIds), idsIn(parameters.removeUserIds), wanted.members),
	];
}

/** Returns the tag of the document that is this live one. */
function findWantedTag(
	tagId: string,
	desired: DesiredOrganization,
	live: LiveOrganization,
): DesiredUserTag | undefined {
	const tags = tagsOf(desired);
	if (!live.userTags.known) return tags.find(({ id }) => id === tagId);
	return findTags(tags, live.userTags.value, live).found.find(({ tag }) => tag.id === tagId)?.wanted;
}

/** Whether it equals a step of the document's plan, such as a temporary name while tags exchange their names. */
function isOwnStep(parameters: Activity["parameters"], desired: DesiredOrganization, live: LiveOrganization): boolean {
	const { changes, problems } = diff({ ...desired, objects: tagsOf(desired) }, live);
	if (problems.length > 0) return false;
	const steps = makeSteps(changes, live.userTags.known ? live.userTags.value : [], desired.temporaryNames);
	return steps.some((step) => step.operation === "update_user_tag" && sameParameters(step.parameters, parameters));
}

type Standing = "wanted" | "unwanted" | "unmanaged";

function findMemberDisagreements(
	added: readonly string[],
	removed: readonly string[],
	members: DesiredMembers | undefined,
): readonly Disagreement[] {
	const pick = (userIds: readonly string[], standing: Standing) =>
		userIds.filter((userId) => standingOf(userId, members) === standing);
	const unmanaged = [...new Set([...pick(added, "unmanaged"), ...pick(removed, "unmanaged")])].sort();
	const found = [
		{ code: "adds-unwanted", userIds: pick(added, "unwanted") },
		{ code: "removes-wanted", userIds: pick(removed, "wanted") },
		{ code: "members-unmanaged", userIds: unmanaged },
	] as const;
	return found.filter(({ userIds }) => userIds.length > 0);
}

/** Returns whether the document wants the user to have the tag. */
function standingOf(userId: string, members: DesiredMembers | undefined): Standing {
	if (members === undefined) return "unmanaged";
	if (members.mode === "exactly") return members.exactly.includes(userId) ? "wanted" : "unwanted";
	if (members.atLeast.includes(userId)) return "wanted";
	return members.never.includes(userId) ? "unwanted" : "unmanaged";
}
