/** What pending activities would do to the live organization, as plans: of each as signed, and of several. Pure. */
import { defined, nonEmpty } from "../../common/defined.ts";
import type { Expiry } from "../access-window.ts";
import type { Change, TagChange } from "../change.ts";
import { removalOf } from "../kinds/removal.ts";
import { tagChangeOf } from "../kinds/tag-change.ts";
import {
	type DesiredObject,
	type DesiredOrganization,
	type LiveOrganization,
	type LiveUserTag,
	tagsOf,
} from "../organization.ts";
import { makePlan, namesOfUsers, type Plan, type PlanContext } from "../plan.ts";
import type { Step } from "../step.ts";
import { compareText, digestOf } from "../value.ts";
import { approversOf } from "./activity-events.ts";
import type { PendingActivity } from "./pending.ts";
import { idsIn, isStepOperation, targetOf } from "./requests.ts";
import type { ReviewedActivity } from "./reviewed-activity.ts";
import { fullUpdate, isRealWriting, isWriting, writtenChangesOf } from "./written-effect.ts";

/** What an activity changes is planned with. */
export interface EffectContext {
	/** The document, for names, limits and rules; left out where there is none. */
	readonly desired?: DesiredOrganization | undefined;
	/** The windows of a saved plan, for where there is no document. */
	readonly plannedExpiries?: readonly Expiry[];
	readonly live: LiveOrganization;
	readonly context: PlanContext;
}

export type PlainActivity = Omit<ReviewedActivity, "effect">;

/** Returns the document, or what stands for one that manages nothing, with these objects and nothing else. */
export function withObjects(
	organizationId: string,
	desired: DesiredOrganization | undefined,
	objects: readonly DesiredObject[],
): DesiredOrganization {
	const empty: DesiredOrganization = {
		...{ organizationId, users: {}, objects, limits: {}, files: [], digest: digestOf({ organizationId }) },
		protect: { userIds: [], userTags: [] },
	};
	return { ...empty, ...desired, objects, narrowed: true };
}

/** Returns the objects that have to be read to plan these requests. They have no desired state. */
export function objectsToRead(
	requests: readonly Pick<PlainActivity, "operation" | "parameters">[],
): readonly DesiredObject[] {
	return requests.flatMap(({ operation, parameters }): readonly DesiredObject[] => {
		if (operation === null || !isStepOperation(operation)) return [];
		const { kind, userId, ids } = targetOf({ operation, parameters });
		return ids.map((id): DesiredObject => {
			const at = { file: "", line: 1, column: 1 };
			// What policies say is read where a document states one.
			const text = { name: id, previously: [], effect: "EFFECT_DENY", consensus: "", condition: "" } as const;
			if (operation === "create_policies" || operation === "update_policy") return { kind: "policy", ...text, at };
			if (kind !== "userTag") return { kind, id, userId };
			const members = { mode: "atLeast", atLeast: [], never: [] } as const;
			return { kind, id, name: id, previously: [], members, at };
		});
	});
}

/** Returns the plan of one activity, its change exactly as it was signed; null where it changes no object of a plan. */
export function planActivity(activity: PlainActivity, effectContext: EffectContext): Plan | null {
	const { desired, plannedExpiries = [], live, context } = effectContext;
	const changes = changesOf(activity, live, desired);
	if (changes.length === 0) return null;
	const { rules: _rules, ...without } = withObjects(activity.organizationId, desired, windowTags(desired));
	const waiting = [toPending(activity, live)];
	const { expiries = plannedExpiries, ...plan } = makePlan(
		without,
		live,
		{ ...context, waiting },
		differencesOf(changes),
	);
	const own = expiries.filter(({ address, userId }) => changes.some((one) => moves(one, address, userId)));
	return { ...plan, ...defined({ expiries: nonEmpty(own) }) };
}

/** Returns the tags of the document, which a plan of given changes takes nothing but their windows from. */
function windowTags(desired: DesiredOrganization | undefined): readonly DesiredObject[] {
	return desired === undefined ? [] : tagsOf(desired);
}

function moves(change: Change, address: string, userId: string): boolean {
	if (change.kind !== "userTag" || change.address !== address) return false;
	return change.addUserIds.includes(userId) || change.removeUserIds.includes(userId);
}

/** Returns the plan of what these activities would really change together, the oldest first; null if that is nothing. */
export function planActivities(
	organizationId: string,
	activities: readonly PlainActivity[],
	{ desired, live, context }: EffectContext,
): Plan | null {
	const state = new Map<string, Change>();
	for (const change of activities.flatMap((one) => changesOf(one, live, desired))) {
		const before = state.get(change.address);
		if (isTagUpdate(change)) {
			const earlier = before !== undefined && isTagUpdate(before) ? before : undefined;
			state.set(change.address, mergeTag(change, earlier));
		} else state.set(change.address, change);
	}
	const changes = [...state.values()].filter((change) => isReal(change, live));
	if (changes.length === 0) return null;
	const waiting = activities.flatMap((one) =>
		changesOf(one, live, desired).length === 0 ? [] : [toPending(one, live)],
	);
	const sorted = changes.sort((left, right) => compareText(left.address, right.address));
	return makePlan(
		// A limit may not count what a window ends.
		withObjects(organizationId, desired, windowTags(desired)),
		live,
		{ ...context, waiting },
		differencesOf(sorted.map(narrowToReal)),
	);
}

export function isDone(step: Step, { desired, live }: Pick<EffectContext, "desired" | "live">): boolean {
	const { organizationId } = live;
	return changesOf({ ...step, organizationId, mistakes: [] }, live, desired).every((change) => !isReal(change, live));
}

function differencesOf(changes: readonly Change[]) {
	return { changes, problems: [], unread: [] };
}

/** Returns the activity as one that is pending. A rename to the name that the tag has is none. */
function toPending(activity: PlainActivity, live: LiveOrganization): PendingActivity {
	const { activityId, fingerprint, status, createdAt, voterNames, votes } = activity;
	const isUpdate = activity.operation === "update_policy";
	const { newUserTagName, ...others } = isUpdate ? fullUpdate(activity.parameters, live) : activity.parameters;
	const tag = findTag(activity, live);
	const isRenamed = newUserTagName !== undefined && newUserTagName !== tag?.name;
	return {
		...{ activityId, fingerprint, state: "pending", status, createdAt, saidBy: "service" },
		operation: activity.operation ?? "init_import_private_key",
		parameters: isRenamed ? { newUserTagName, ...others } : others,
		...approversOf(votes.filter(({ selection }) => selection === "approved")),
		liveNames: voterNames,
	};
}

function findTag({ parameters }: Pick<PlainActivity, "parameters">, { userTags }: LiveOrganization) {
	const tagId = String(parameters.userTagId).toLowerCase();
	return userTags.known ? userTags.value.find(({ id }) => id === tagId) : undefined;
}

/** Returns the changes of an activity as it was signed, also where live has a part of them; none for what is no step. */
function changesOf(
	activity: Pick<PlainActivity, "operation" | "parameters" | "mistakes" | "organizationId">,
	live: LiveOrganization,
	desired: DesiredOrganization | undefined,
): readonly Change[] {
	const { operation, parameters, mistakes } = activity;
	if (operation === null || !isStepOperation(operation) || mistakes.length > 0) return [];
	if (operation === "update_user_tag") return [tagUpdateOf(activity, findTag(activity, live), desired)];
	if (isWriting(operation))
		return writtenChangesOf({ operation, parameters }, { organizationId: activity.organizationId, live, desired });
	const { kind, userId, ids } = targetOf({ operation, parameters });
	if (kind === "userTag") return [];
	const names = namesOfUsers(desired);
	const owner = userId === null ? "" : `${Object.hasOwn(names, userId) ? names[userId] : userId}/`;
	const objects = live.removables[kind];
	return ids.map((id) => {
		const found = objects.known ? objects.value.find((one) => one.id === id && one.userId === userId) : undefined;
		return removalOf({ kind, id, userId }, `${owner}${id}`, objects.known, found?.name);
	});
}

function tagUpdateOf(
	{ parameters }: Pick<PlainActivity, "parameters">,
	tag: LiveUserTag | undefined,
	desired: DesiredOrganization | undefined,
): TagChange {
	const tagId = String(parameters.userTagId).toLowerCase();
	const written = desired === undefined ? undefined : tagsOf(desired).find(({ id }) => id === tagId);
	const name = tag?.name ?? written?.name ?? tagId;
	const { newUserTagName } = parameters;
	const isNamed = typeof newUserTagName === "string" && newUserTagName !== "";
	const after = isNamed ? newUserTagName : name;
	const members = tag?.members.known === true ? tag.members.value : null;
	const [addUserIds, removeUserIds] = [idsIn(parameters.addUserIds), idsIn(parameters.removeUserIds)];
	return tagChangeOf("update", { tagId, name, after, members, addUserIds, removeUserIds });
}

/** Returns the change of a tag by an earlier activity and then by this one. */
function mergeTag(change: TagChange, before: TagChange | undefined): TagChange {
	if (before === undefined) return change;
	const without = (userIds: readonly string[], others: readonly string[]): readonly string[] =>
		userIds.filter((userId) => !others.includes(userId));
	const added = [...without(before.addUserIds, change.removeUserIds), ...change.addUserIds];
	const removed = [...without(before.removeUserIds, change.addUserIds), ...change.removeUserIds];
	const isRenamed = change.after.name !== change.before.name;
	return tagChangeOf("update", {
		tagId: change.tagId,
		name: before.before.name,
		after: isRenamed ? change.after.name : before.after.name,
		members: before.before.members,
		addUserIds: [...new Set(added)].sort(compareText),
		removeUserIds: [...new Set(removed)].sort(compareText),
	});
}

/** Returns the change without what live has already. */
function narrowToReal(change: Change): Change {
	if (!isTagUpdate(change) || change.before.members === null) return change;
	const { members, name } = change.before;
	const had = new Set(members);
	return tagChangeOf("update", {
		...{ tagId: change.tagId, name, after: change.after.name, members },
		addUserIds: change.addUserIds.filter((userId) => !had.has(userId)),
		removeUserIds: change.removeUserIds.filter((userId) => had.has(userId)),
	});
}

/** Whether the change makes a difference, or could. */
function isReal(change: Change, live: LiveOrganization): boolean {
	if (change.kind === "policy" && change.action !== "remove") return isRealWriting(change, live);
	if (change.kind === "userTag") {
		if (change.action !== "update") return isRealWriting(change, live);
		const real = narrowToReal(change) as TagChange;
		return real.addUserIds.length + real.removeUserIds.length > 0 || real.before.name !== real.after.name;
	}
	return change.action === "remove" && (change.before !== null || !live.removables[change.kind].known);
}

function isTagUpdate(change: Change): change is TagChange {
	return change.kind === "userTag" && change.action === "update";
}
