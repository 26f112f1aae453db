/**
 * Activities that wait for somebody, held against the steps of a plan: a step that one of them already stands for joins it
 * instead of opening a second, and an object that one of them would change otherwise is left alone until it ends.
 */
import type { Step } from "./steps.ts";
import { compareText, sameValue } from "./value.ts";

/** An activity of the organization that has not ended. */
export interface WaitingActivity {
	readonly activityId: string;
	readonly fingerprint: string;
	/** As the service says it, for example `ACTIVITY_STATUS_CONSENSUS_NEEDED`. */
	readonly status: string;
	readonly operation: Step["operation"];
	readonly parameters: Readonly<Record<string, unknown>>;
	/** ISO 8601 in UTC, or null when it is not known. */
	readonly createdAt: string | null;
	/** Who approved it so far, by user id; null when it is not known. */
	readonly approvedBy: readonly string[] | null;
	/** Who said that it waits: the service a moment ago, or our journal when it was last asked for. */
	readonly saidBy: "service" | "journal";
}

/** A waiting activity that touches what the plan touches. */
export interface Waiting extends WaitingActivity {
	/** `joins`: it does what a step wants. `contradicts`: it would change the same object otherwise. */
	readonly verdict: "joins" | "contradicts";
	/** Addresses of the changes that wait with it. */
	readonly covers: readonly string[];
}

export interface Held {
	readonly steps: readonly Step[];
	readonly waiting: readonly Waiting[];
}

/**
 * The steps with those that wait marked, split where a waiting activity stands for a part of one. The order in which the
 * activities are listed does not matter.
 */
export function holdSteps(steps: readonly Step[], activities: readonly WaitingActivity[]): Held {
	// What does one step of a tag that takes two, its stepping aside, stands in the way of neither.
	const joining = new Set(activities.filter((one) => steps.some((step) => joins(step, one))));
	const waiting = new Map<string, Waiting>();
	const held = steps.flatMap((step) => {
		const touching = activities.filter(
			(one) => touchedObjects(step, one).length > 0 && (joins(step, one) || !joining.has(one)),
		);
		// Where several touch the same object, one that does what is wanted stands for it; then the oldest.
		const rank = (one: WaitingActivity): string => `${joins(step, one) ? 0 : 1} ${one.activityId}`;
		return holdStep(
			step,
			touching.sort((left, right) => compareText(rank(left), rank(right))),
			waiting,
		);
	});
	// Splitting makes new steps in the middle; the ids follow the order again.
	const ids = new Map(held.map(({ id }, index) => [id, `step-${index + 1}`]));
	const renamed = held.map((step) => ({
		...step,
		id: ids.get(step.id) ?? step.id,
		dependsOn: step.dependsOn.map((id) => ids.get(id) ?? id),
	}));
	return { steps: renamed, waiting: [...waiting.values()].sort((a, b) => compareText(a.activityId, b.activityId)) };
}

function holdStep(step: Step, touching: readonly WaitingActivity[], waiting: Map<string, Waiting>): readonly Step[] {
	const parts: Step[] = [];
	const free = new Set(objectsOf(step));
	for (const activity of touching) {
		const { activityId, fingerprint, status } = activity;
		const verdict = joins(step, activity) ? "joins" : "contradicts";
		const touched = touchedObjects(step, activity);
		const covers = new Set([...(waiting.get(activityId)?.covers ?? []), ...narrowed(step, touched).covers]);
		waiting.set(activityId, { ...activity, verdict, covers: [...covers] });
		const taken = touched.filter((id) => free.delete(id));
		if (taken.length === 0) continue;
		const waitsFor = { activityId, fingerprint, status, verdict } as const;
		parts.push({ ...narrowed(step, taken), id: `${step.id}/${activityId}`, waitsFor });
	}
	const [first, ...others] = parts;
	if (first === undefined) return [step];
	if (free.size > 0) return [...parts, narrowed(step, [...free])];
	// Whoever depends on the step depends on what keeps its id: the part that waits, when nothing else is left of it.
	return [{ ...first, id: step.id }, ...others];
}

function joins(step: Step, activity: WaitingActivity): boolean {
	return touchedObjects(step, activity).length > 0 && (isSameWish(step, activity) || isPartOf(activity, step));
}

/** The list of ids that a removal names, and the parameter it stands under; a tag or an app is one object by itself. */
const listOf: Partial<Record<Step["operation"], string>> = {
	delete_policies: "policyIds",
	delete_oauth_providers: "providerIds",
};

const ownerOf: Partial<Record<Step["operation"], string>> = {
	update_user_tag: "userTagId",
	delete_oauth_providers: "userId",
	delete_tvc_app_and_deployments: "appId",
};

/** What the step changes: the ids that it lists, or the tag or app itself. */
function objectsOf({ operation, parameters }: Step): readonly string[] {
	const list = listOf[operation];
	return list === undefined ? [String(parameters[ownerOf[operation] ?? ""])] : idsOf(parameters[list]);
}

/** Ids of the step that the activity touches too; for a tag or an app its own id. */
function touchedObjects(step: Step, activity: WaitingActivity): readonly string[] {
	if (step.operation !== activity.operation) return [];
	const owner = ownerOf[step.operation];
	if (owner !== undefined && !sameId(step.parameters[owner], activity.parameters[owner])) return [];
	const list = listOf[step.operation];
	if (list === undefined) return objectsOf(step);
	const theirs = new Set(idsOf(activity.parameters[list]));
	return objectsOf(step).filter((id) => theirs.has(id));
}

function isSameWish(step: Step, { parameters }: WaitingActivity): boolean {
	return sameValue(normalize(step.parameters), normalize(parameters));
}

/** Whether everything the activity removes is wanted gone by the step too. */
function isPartOf({ operation, parameters }: WaitingActivity, step: Step): boolean {
	const list = listOf[operation];
	if (list === undefined) return false;
	const ours = new Set(idsOf(step.parameters[list]));
	return idsOf(parameters[list]).every((id) => ours.has(id));
}

/** The part of the step that is about these objects. */
function narrowed(step: Step, ids: readonly string[]): Step {
	const list = listOf[step.operation];
	if (list === undefined) return step;
	return {
		...step,
		parameters: { ...step.parameters, [list]: [...ids] },
		covers: step.covers.filter((address) => ids.some((id) => address.endsWith(id))),
	};
}

/** Parameters in a form in which the order of ids, their case, and what is left out, null or empty mean nothing. */
function normalize(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(parameters)
			.filter(([, value]) => value !== null && value !== undefined && value !== "" && !isEmptyList(value))
			.map(([key, value]) => [
				key,
				Array.isArray(value) ? idsOf(value) : key === "newUserTagName" ? value : String(value).toLowerCase(),
			]),
	);
}

function isEmptyList(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

function idsOf(value: unknown): readonly string[] {
	return Array.isArray(value) ? [...new Set(value.map((id) => String(id).toLowerCase()))].sort(compareText) : [];
}

function sameId(left: unknown, right: unknown): boolean {
	return typeof left === "string" && typeof right === "string" && left.toLowerCase() === right.toLowerCase();
}
