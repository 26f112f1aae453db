/** Compares pending activities and requests in doubt with the steps of a plan (docs/exactly-once.md). */
import { quoteForShell } from "../../common/escape.ts";
import { earlierInput, flag, type Said, say } from "../../common/said.ts";
import type { Named } from "../organization.ts";
import type { ActivityState, CoveredObject, EarlierActivity, Relation, Step, StepOperation } from "../step.ts";
import { compareText, sameValue } from "../value.ts";
import { commonObjects, isSameRequest, listParameter, narrowStep, objectsOf, sameParameters } from "./requests.ts";
import { findHolders } from "./taken-names.ts";

/** An activity of the organization that has not ended, or bytes that were sent and perhaps made one. */
export type PendingActivity = ActivityState & {
	/** Null when no answer named one: then it is unknown whether there is an activity at all. */
	readonly activityId: string | null;
	readonly fingerprint: string;
	readonly operation: StepOperation | "init_import_private_key";
	readonly parameters: Readonly<Record<string, unknown>>;
	/** When it was made, or by our journal when it was sent, ISO 8601 in UTC; null when it is not known. */
	readonly createdAt: string | null;
	/** Who approved it so far, by user id; null when it is not known. */
	readonly approvedBy: readonly string[] | null;
	/** Those of them whose approval counts no longer; left out where there is none. */
	readonly lapsed?: readonly string[];
	/** What the activity itself calls those users, by user id; left out where it does not say. */
	readonly liveNames?: Readonly<Record<string, string>>;
	/** Set where it is in doubt and the service lists its activities without it: it has not arrived so far. */
	readonly isMissing?: true;
	/** Who said that it waits: the service a moment ago, or our journal when it was last asked for. */
	readonly saidBy: "service" | "journal";
};

/** A waiting activity that touches what the plan touches. */
export type RelatedActivity = PendingActivity & {
	readonly relation: Relation;
	/** The objects of the plan that it changes. */
	readonly covers: readonly CoveredObject[];
	/** The live objects that have a name which it gives to another; left out where there is none. */
	readonly taken?: readonly Named[];
};

export interface Held {
	readonly steps: readonly Step[];
	readonly waiting: readonly RelatedActivity[];
}

/** What `--abandon` takes for it: the activity's id, or where none is known the fingerprint of its bytes. */
export function nameOf({ activityId, fingerprint }: Pick<PendingActivity, "activityId" | "fingerprint">): string {
	return activityId ?? fingerprint;
}

export function earlierActivityOf(activity: PendingActivity, relation: Relation): EarlierActivity {
	const { activityId, fingerprint, state } = activity;
	const known = state === "in-doubt" ? { state } : { state, status: activity.status };
	return { activityId, fingerprint, ...known, relation };
}

export const rejectedBefore: Said = say`it was rejected before, so it was not submitted again; ${flag("retry-rejected")} submits it`;

/** What a person can do about what was sent and never answered. */
export function settleOrAbandon(name: string): Said {
	return say`if live state has not changed since, ${earlierInput} sends the same request and learns what became of it; otherwise ${flag("abandon", quoteForShell(name))} abandons it`;
}

/**
 * Whether a request in doubt can take effect. One that has not arrived writes no policy once another one has a name that it gives.
 * Unverified, chosen: the service creates all policies of a request, or none.
 */
export function canTakeEffect(
	{ isMissing, operation, parameters }: PendingActivity,
	livePolicies: readonly Named[],
): boolean {
	if (isMissing !== true || !(operation === "create_policies" || operation === "update_policy")) return true;
	return findHolders({ operation, parameters }, livePolicies).length === 0;
}

/**
 * Marks the steps that wait, split where an activity does part of one. The order of activities does not matter. `awaited`: ids of
 * steps whose tags will be pending too; null: policies are not split by tags.
 */
export function holdSteps(
	steps: readonly Step[],
	activities: readonly PendingActivity[],
	awaited: ReadonlySet<string> | null = new Set(),
): Held {
	// An activity equal to one of a tag's two rename steps blocks neither.
	const joining = new Set(activities.filter((one) => steps.some((step) => joins(step, one))));
	const waiting = new Map<string, RelatedActivity>();
	const held = steps.map((step) => {
		const touching = activities.filter(
			(one) => commonObjects(step, one).length > 0 && (joins(step, one) || !joining.has(one)),
		);
		// Of several for the same object, one that does the same comes first, then the oldest. A request is resubmitted only
		// where no other activity touches the object.
		const rank = (one: PendingActivity): string =>
			`${joins(step, one) ? (one.state === "in-doubt" ? 2 : 0) : 1} ${nameOf(one)}`;
		return holdStep(
			step,
			touching.sort((left, right) => compareText(rank(left), rank(right))),
			waiting,
		);
	});
	const tags = awaited === null ? new Map<string, string>() : pendingTags(steps, held, awaited);
	const parts = held.map((some) => some.flatMap((step) => splitByTags(step, tags)));
	// Splitting makes new steps in the middle; the ids follow the order again.
	const all = parts.flat();
	const ids = new Map(all.map((step, index) => [step, `step-${index + 1}`]));
	const ofParts = new Map(steps.map(({ id }, index) => [id, (parts[index] ?? []).map((part) => ids.get(part) ?? id)]));
	const renamed = all.map((step) => ({
		...step,
		id: ids.get(step) ?? step.id,
		dependsOn: step.dependsOn.flatMap((id) => ofParts.get(id) ?? id),
	}));
	return { steps: renamed, waiting: [...waiting.values()].sort((a, b) => compareText(nameOf(a), nameOf(b))) };
}

/** By step id, the stand-ins of tags whose creation is pending, or will be. */
function pendingTags(
	steps: readonly Step[],
	held: readonly (readonly Step[])[],
	awaited: ReadonlySet<string>,
): ReadonlyMap<string, string> {
	return new Map(
		steps.flatMap(({ id, operation, covers }, index) => {
			const isHeld = awaited.has(id) || held[index]?.some(({ earlierActivity }) => earlierActivity !== null) === true;
			return isHeld && operation === "create_user_tag" ? [[id, covers[0]?.id ?? ""] as const] : [];
		}),
	);
}

/** Policies that name a tag whose creation is pending, a stand-in by its step, are created later: the others come first. */
export function splitByTags(step: Step, tags: ReadonlyMap<string, string>): readonly Step[] {
	if (step.operation !== "create_policies" || step.earlierActivity !== null || tags.size === 0) return [step];
	const [waiting, free] = [[], []] as [string[], string[]];
	for (const { policyName, consensus, condition } of step.parameters.policies) {
		const isWaiting = [...tags.values()].some((id) => consensus.includes(id) || condition.includes(id));
		(isWaiting ? waiting : free).push(policyName);
	}
	if (waiting.length === 0 || free.length === 0) return [step];
	const dependsOn = step.dependsOn.filter((id) => !tags.has(id));
	return [{ ...narrowStep(step, free), dependsOn }, narrowStep(step, waiting)];
}

/** Marks the steps that were rejected before; each stays unsent until `--retry-rejected`. */
export function holdRejected({ steps, waiting }: Held, rejected: readonly PendingActivity[]): Held {
	const found = new Map<string, RelatedActivity>();
	const held = steps.map((step) => {
		if (step.earlierActivity !== null) return step;
		const same = rejected.findLast((one) => one.operation === step.operation && isExactly(step, one));
		if (same === undefined) return step;
		found.set(step.id, { ...same, relation: "rejected", covers: step.covers });
		return { ...step, earlierActivity: earlierActivityOf(same, "rejected") };
	});
	return { steps: held, waiting: [...waiting, ...found.values()] };
}

function holdStep(
	step: Step,
	touching: readonly PendingActivity[],
	waiting: Map<string, RelatedActivity>,
): readonly Step[] {
	const parts: Step[] = [];
	const free = new Set(objectsOf(step));
	for (const activity of touching) {
		const name = nameOf(activity);
		const touched = commonObjects(step, activity);
		const taken = touched.filter((id) => free.delete(id));
		const part = narrowStep(step, taken);
		const isSendable =
			activity.state === "in-doubt" && joins(step, activity) && isAlone(activity, touched, touching, step);
		if (isSendable && taken.length === 0) continue;
		if (isSendable && taken.length === touched.length) {
			// The same bytes ask what became of it, and can make no second activity.
			parts.push(part);
			continue;
		}
		const relation = activity.state !== "in-doubt" && joins(step, activity) ? "same" : "conflicting";
		const covers = [...(waiting.get(name)?.covers ?? []), ...narrowStep(step, touched).covers];
		const { isMissing: _, ...shown } = activity;
		waiting.set(name, { ...shown, relation, covers: withoutRepeats(covers) });
		// What was submitted before follows no other step.
		const dependsOn = relation === "same" ? [] : part.dependsOn;
		if (taken.length > 0) parts.push({ ...part, dependsOn, earlierActivity: earlierActivityOf(activity, relation) });
	}
	if (parts.length === 0) return [step];
	return free.size > 0 ? [...parts, narrowStep(step, [...free])] : parts;
}

/** Whether no other request in doubt may have changed the same; if one may, resubmitting this could duplicate it. */
function isAlone(
	activity: PendingActivity,
	touched: readonly string[],
	touching: readonly PendingActivity[],
	step: Step,
): boolean {
	return touching.every(
		(other) =>
			other.state !== "in-doubt" ||
			sameValue(other.parameters, activity.parameters) ||
			!commonObjects(step, other).some((id) => touched.includes(id)),
	);
}

/** Whether the activity does what the step does, or a part of it; in doubt, only if the request is the same. */
function joins(step: Step, activity: PendingActivity): boolean {
	const touched = commonObjects(step, activity);
	if (touched.length === 0) return false;
	if (activity.state === "in-doubt") return isExactly(narrowStep(step, touched), activity);
	return isSameRequest(step, activity.parameters) || isPartOf(activity, step);
}

export function touches(step: Step, activity: PendingActivity): boolean {
	return commonObjects(step, activity).length > 0;
}

/** Whether the step would be sent by the same bytes as the activity: only then can it make no second. */
function isExactly(step: Step, { parameters }: PendingActivity): boolean {
	return sameValue(step.parameters, parameters);
}

/** Whether everything the activity removes is wanted gone by the step too. */
function isPartOf({ operation, parameters }: PendingActivity, step: Step): boolean {
	if (operation !== step.operation || listParameter(operation) === undefined) return false;
	const [ours, theirs] = [new Set(objectsOf(step)), objectsOf({ operation, parameters })];
	return theirs.every((id) => ours.has(id)) && sameParameters(narrowStep(step, theirs).parameters, parameters);
}

function withoutRepeats(covers: readonly CoveredObject[]): readonly CoveredObject[] {
	return [...new Map(covers.map((one) => [one.address, one])).values()];
}
