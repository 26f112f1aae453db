/** Compares what a pending activity does with what the document wants. Pure. */
import { isWritten } from "../change.ts";
import { diff } from "../diff.ts";
import { findObjects } from "../kinds/found-objects.ts";
import { policyFields } from "../kinds/policy-content.ts";
import { findTags } from "../kinds/user-tag.ts";
import { renamedAndChanged } from "../order/renamed-first.ts";
import {
	absentTagsOf,
	type DesiredMembers,
	type DesiredOrganization,
	type DesiredUserTag,
	type LiveOrganization,
	policiesOf,
	removalsOf,
	tagsOf,
} from "../organization.ts";
import type { Step } from "../step.ts";
import { makeSteps } from "../steps.ts";
import {
	commonObjects,
	idsIn,
	isSameRequest,
	isStepOperation,
	narrowStep,
	objectsOf,
	sameParameters,
	targetOf,
} from "./requests.ts";
import type { Disagreement, ReviewedActivity } from "./reviewed-activity.ts";
import { findTaken } from "./taken-names.ts";
import { isWriting, writtenChangesOf } from "./written-effect.ts";

type Activity = Pick<ReviewedActivity, "operation" | "parameters">;

/** Returns where the activity does what the document does not want, or does not manage; empty where it does a part of it. */
export function findDisagreements(
	{ operation, parameters }: Activity,
	desired: DesiredOrganization,
	live: LiveOrganization,
): readonly Disagreement[] {
	if (operation === null || !isStepOperation(operation)) return [{ code: "unmanaged" }];
	if (operation === "update_user_tag") return findTagDisagreements(parameters, desired, live);
	if (isWriting(operation)) return findWrittenDisagreements({ operation, parameters }, desired, live);
	const { kind, userId, ids } = targetOf({ operation, parameters });
	if (kind === "userTag") return [{ code: "unmanaged" }];
	if (kind === "policy" && stepsOf(desired, live).some((step) => covers(step, { operation, parameters }))) return [];
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
	return findTags(tags, live.userTags.value).found.find((one) => one.live.id === tagId)?.wanted;
}

/** Whether it equals a step of the document's plan, such as a temporary name while tags exchange their names. */
function isOwnStep(parameters: Activity["parameters"], desired: DesiredOrganization, live: LiveOrganization): boolean {
	const steps = stepsOf(desired, live, tagsOf(desired));
	return steps.some((step) => step.operation === "update_user_tag" && sameParameters(step.parameters, parameters));
}

/** Returns the steps that make these objects, tags and policies, as the document has them, whole and names first; none where that has problems. */
function stepsOf(
	desired: DesiredOrganization,
	live: LiveOrganization,
	objects: DesiredOrganization["objects"] = [...tagsOf(desired), ...absentTagsOf(desired), ...policiesOf(desired)],
): readonly Step[] {
	const { changes, problems } = diff({ ...desired, objects }, live);
	if (problems.length > 0) return [];
	const { userTags, policies } = live;
	const [tags, written] = [userTags.known ? userTags.value : [], policies?.known === true ? policies.value : []];
	return [new Set<string>(), renamedAndChanged(changes)].flatMap((renamedFirst) =>
		makeSteps(changes, tags, { ...desired, renamedFirst }, written),
	);
}

function findWrittenDisagreements(
	request: StepLike,
	desired: DesiredOrganization,
	live: LiveOrganization,
): readonly Disagreement[] {
	const steps = stepsOf(desired, live);
	if (steps.some((step) => covers(step, request))) return [];
	if (request.operation === "delete_user_tags") {
		const absent = steps.flatMap((step) => commonObjects(step, request));
		return [{ code: "not-absent", ids: objectsOf(request).filter((id) => !absent.includes(id)) }];
	}
	const taken = findNamesTaken(request, live);
	if (taken.length > 0) return taken;
	if (request.operation === "create_user_tag") {
		const isWanted = steps.some((step) => commonObjects(step, request).length > 0);
		return [
			isWanted ? { code: "differs", fields: ["members"], unmanaged: [], isPartial: false } : { code: "unmanaged" },
		];
	}
	const compared = comparePolicies(request, desired, live);
	const managed = compared.filter(({ fields }) => fields !== null);
	if (managed.length === 0) return [{ code: "unmanaged" }];
	const fields = [...new Set(managed.flatMap((one) => one.fields ?? []))];
	const unmanaged = compared.flatMap((one) => (one.fields === null ? [one.name] : []));
	return [{ code: "differs", fields, unmanaged, isPartial: managed.some((one) => one.isPartial) }];
}

/** Returns that the names are taken which the activity gives, whatever a document wants. */
export function findNamesTaken(activity: Activity, live: LiveOrganization): readonly Disagreement[] {
	const operation = activity.operation ?? "";
	const taken = findTaken({ ...activity, operation }, live);
	const kind = operation.endsWith("_user_tag") ? "userTag" : "policy";
	return taken.length === 0 ? [] : [{ code: "name-taken", kind, taken }];
}

/** Returns in which fields each policy of a request would not be as the document has it; null for one that it does not have. */
function comparePolicies(request: StepLike, desired: DesiredOrganization, live: LiveOrganization) {
	const { organizationId } = desired;
	const { changes } = diff({ ...desired, objects: [...tagsOf(desired), ...policiesOf(desired)] }, live);
	const { found } = findObjects(policiesOf(desired), live.policies?.known === true ? live.policies.value : []);
	const changed = new Map(changes.filter(isWritten).map(({ id, after }) => [id, after]));
	const wanted = new Map([...found.map(({ live: policy }) => [policy.id, policy] as const), ...changed]);
	return writtenChangesOf(request, { organizationId, desired, live })
		.filter(isWritten)
		.map(({ id, after }) => {
			const other = wanted.get(id);
			if (other === undefined) return { name: after.name, fields: null, isPartial: false };
			const fields = policyFields.filter((field) => after[field] !== other[field]);
			return { name: after.name, fields, isPartial: fields.length === 0 && changed.has(id) };
		});
}

type StepLike = Parameters<typeof commonObjects>[1] & Parameters<typeof objectsOf>[0];

/** Whether the request is the step, or the part of it that is about the same objects. */
function covers(step: Step, request: StepLike): boolean {
	const common = commonObjects(step, request);
	if (common.length === 0 || common.length < objectsOf(request).length) return false;
	return isSameRequest(narrowStep(step, common), request.parameters);
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
