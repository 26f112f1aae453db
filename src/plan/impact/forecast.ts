/**
 * Forecasts what becomes of each step, step by step: a step is judged after those that it depends on. Other steps run at the
 * same time, so a step is judged in every order in which they can complete; where the answers differ, it is unknown.
 */
import { defined } from "../../common/defined.ts";
import { remember } from "../../common/remember.ts";
import type { AccessPolicy, AccessState, Known } from "../../policy/access.ts";
import { factsOfType } from "../../policy/powers/activity.ts";
import { hasPart, judgeTime } from "../../policy/powers/compile.ts";
import {
	type Approval,
	forecastApproval,
	type SubmittedActivity,
	type SubmittingUser,
	unknownApproval,
} from "../../policy/powers/forecast.ts";
import { findLater } from "../../policy/powers/moments.ts";
import { readsAnyTag } from "../../policy/powers/versions.ts";
import type { PendingActivity, RelatedActivity } from "../activities/pending.ts";
import type { StepForecasts } from "../order/order-steps.ts";
import { closedSets, has, setOf } from "../order/partial-order.ts";
import { findParts } from "../order/parts.ts";
import type { Step } from "../step.ts";
import { compareText, sameValue } from "../value.ts";
import { accessAfter } from "./access-after.ts";

interface ForecastContext {
	readonly access: AccessState;
	readonly submitter: Known<SubmittingUser>;
	/** Milliseconds since 1970. */
	readonly atMs: number;
	/** Pending and rejected activities for objects of the steps. */
	readonly waiting: readonly RelatedActivity[];
}

/** Max concurrent steps of which every order is judged: each doubles the number of judgments. */
const maxConcurrent = 6;

/** Returns the steps with their approvals; where a pending activity does the same, who can still complete that. */
export function forecastSteps(steps: readonly Step[], context: ForecastContext): readonly Step[] {
	const forecasts = new Map<number, Forecast>();
	const forecastAt = (atMs: number): Forecast =>
		remember(forecasts, atMs, () => new Forecast(steps, { ...context, atMs }));
	return steps.map((step) => {
		const now = forecastAt(context.atMs);
		const approval = now.approvalOf(step);
		if (approval.verdict !== "denied") return { ...step, approval };
		const verdictAt = (atMs: number) => forecastAt(atMs).approvalOf(step).verdict;
		const later = findLater(now.policiesAbout(step), context.atMs, verdictAt, ["runs", "pending"]);
		return { ...step, approval: { ...approval, ...defined({ later }) } };
	});
}

/** Returns those of these steps of a plan that will be pending. */
export function findPending(some: readonly Step[], steps: readonly Step[], context: ForecastContext): readonly Step[] {
	const forecast = new Forecast(steps, context);
	return some.filter((step) => forecast.approvalOf(step).verdict === "pending");
}

/** Returns the step with who can still complete its pending activity, which these users have approved. */
export function forecastPending(
	step: Step,
	approvedBy: readonly string[],
	context: Omit<ForecastContext, "waiting">,
): Step {
	return { ...step, approval: new Forecast([step], { ...context, waiting: [] }).completionOf(step, approvedBy) };
}

/** Returns what becomes of these steps in every state that they lead to, when this user submits them. */
export function forecastStates(
	steps: readonly Step[],
	{
		submitter = { known: false, because: { kind: "not-asked" } },
		activities,
		apart,
		...context
	}: Pick<ForecastContext, "access" | "atMs"> & {
		/** Where it is not known, every step is forecast to run. */
		readonly submitter: Known<SubmittingUser> | undefined;
		/** Activities whose objects stay together. */
		readonly activities: readonly PendingActivity[];
		/** Ids of objects that may be activities of their own besides. */
		readonly apart: ReadonlySet<string>;
	},
): StepForecasts {
	const given: ForecastContext = { ...context, submitter, waiting: [] };
	const isKnown = submitter.known;
	const deciding = new Set([...(isKnown ? new Forecast(steps, given).findDeciding() : []), ...apart]);
	const parts = new Map(steps.map((step) => [step, findParts(step, context.access, { deciding, activities, steps })]));
	const forecast = new Forecast([...parts.values()].flat(), given);
	return {
		partsOf: (step) => parts.get(step) ?? [step],
		keyOf: (step) => JSON.stringify(activityOf(step)),
		relevantTo: (step) => (isKnown ? forecast.relevantTo(step) : []),
		verdictAfter: (step, completed) =>
			isKnown ? forecast.judgeAfter(step, completed, submitter.value).verdict : "runs",
		unsafe: [],
	};
}

class Forecast {
	readonly #steps: readonly Step[];
	readonly #context: ForecastContext;
	readonly #byId: ReadonlyMap<string, Step>;
	/** Policies that can apply, by type of activity. */
	readonly #policies = new Map<string, readonly AccessPolicy[]>();
	/** By activity, as JSON. */
	readonly #relevant = new Map<string, readonly Step[]>();
	/** By activity, submitter and completed steps. */
	readonly #judged = new Map<string, Approval>();

	constructor(steps: readonly Step[], context: ForecastContext) {
		this.#steps = steps;
		this.#context = context;
		this.#byId = new Map(steps.map((step) => [step.id, step]));
	}

	approvalOf(step: Step): Approval {
		const { submitter, waiting } = this.#context;
		const { earlierActivity } = step;
		if (earlierActivity?.relation === "same") {
			const activity = waiting.find(({ fingerprint }) => fingerprint === earlierActivity.fingerprint);
			return this.completionOf(step, activity?.approvedBy ?? [], activity?.lapsed);
		}
		if (!submitter.known) return unknownApproval({ kind: "submitter-unknown", why: submitter.because });
		return this.#judge(step, submitter.value);
	}

	/** Returns who can still complete an activity that is pending with these votes. */
	completionOf(step: Step, approvedBy: readonly string[], lapsed: readonly string[] = []): Approval {
		const votes = new Set(approvedBy.filter((one) => !lapsed.includes(one)).map((userId) => userId.toLowerCase()));
		if (votes.size === 0)
			return unknownApproval({ kind: lapsed.length === 0 ? "approvers-unknown" : "approvals-lapsed" });
		const judged = [...votes].sort(compareText).map((userId) => this.#judge(step, { userId, publicKey: null }));
		const pending = judged.find(({ verdict }) => verdict === "pending");
		if (pending === undefined) {
			return judged.find(({ verdict }) => verdict === "unknown") ?? unknownApproval({ kind: "awaited-unknown" });
		}
		const sets = pending.approverSets.map((set) => set.filter((userId) => !votes.has(userId)));
		if (sets.some((set) => set.length === 0)) return unknownApproval({ kind: "complete-but-pending" });
		return { ...pending, approverSets: smallest(sets), thresholds: votes.size > 1 ? [] : pending.thresholds };
	}

	relevantTo(step: Step): readonly Step[] {
		return this.#relevantFor(activityOf(step));
	}

	/** Returns what becomes of the step where these have completed. */
	judgeAfter(step: Step, completed: readonly Step[], submitter: SubmittingUser): Approval {
		const relevant = new Set(this.relevantTo(step));
		return this.#judgeAfter(
			completed.filter((one) => relevant.has(one)),
			activityOf(step),
			submitter,
		);
	}

	#judge(step: Step, submitter: SubmittingUser): Approval {
		const activity = activityOf(step);
		const relevant = this.#relevantFor(activity);
		const judge = (completed: readonly Step[]): Approval => this.#judgeAfter(completed, activity, submitter);
		if (relevant.length === 0) return judge([]);
		const before = this.#ancestorsOf(step);
		const done = relevant.filter((one) => before.has(one));
		const concurrent = relevant.filter((one) => this.#isConcurrent(one, step, before));
		if (concurrent.length > maxConcurrent) {
			if (!this.#isDecidedWithoutPolicies(activity, submitter))
				return unknownApproval({ kind: "too-many-orders", steps: concurrent.length });
			return judge(done);
		}
		const first = judge(done);
		const others = ordersOf(concurrent, (one) => this.#ancestorsOf(one)).map((some) => judge([...done, ...some]));
		const found = unite(first, others, concurrent);
		if (found.verdict !== "denied") return found;
		// The reason is that of the state in which it is submitted: what is listed before it, and runs, has completed.
		const isEarlier = (one: Step): boolean =>
			one.earlierActivity === null && this.#steps.indexOf(one) < this.#steps.indexOf(step);
		const earlier = concurrent.filter((one) => isEarlier(one) && this.#judge(one, submitter).verdict === "runs");
		return judge([...done, ...earlier]);
	}

	#judgeAfter(completed: readonly Step[], activity: SubmittedActivity, submitter: SubmittingUser): Approval {
		const ids = completed.map(({ id }) => id).sort(compareText);
		const key = JSON.stringify([activity, submitter, ids]);
		const { access, atMs } = this.#context;
		return remember(this.#judged, key, () =>
			forecastApproval(accessAfter(access, completed), activity, submitter, atMs),
		);
	}

	/** Whether the root quorum decides it, so that no order of steps matters. */
	#isDecidedWithoutPolicies(activity: SubmittedActivity, submitter: SubmittingUser): boolean {
		const { access, atMs } = this.#context;
		const without: AccessState = { ...access, policies: { known: false, because: { kind: "not-asked" } } };
		return forecastApproval(without, activity, submitter, atMs).verdict === "runs";
	}

	/** Returns the steps that can change the answer for this activity; the others are as good as not there. */
	#relevantFor(activity: SubmittedActivity): readonly Step[] {
		return remember(this.#relevant, JSON.stringify(activity), () => this.#findRelevant(activity));
	}

	#findRelevant(activity: SubmittedActivity): readonly Step[] {
		const policies = this.#policiesFor(activity);
		const ids = new Set(policies.map(({ id }) => id));
		const texts = policies.map(({ consensus, condition }) => `${consensus}\n${condition}`.toLowerCase());
		const namesAnyTag = texts.some(readsAnyTag);
		const namesCredentials = texts.some((text) => text.includes("credential"));
		const isNamed = (tagId: string): boolean => namesAnyTag || texts.some((text) => text.includes(tagId));
		return this.#steps.filter((step) => {
			switch (step.operation) {
				case "update_user_tag": {
					const { userTagId, addUserIds, removeUserIds } = step.parameters;
					return addUserIds.length + removeUserIds.length > 0 && isNamed(userTagId);
				}
				case "create_user_tag":
					return step.parameters.userIds.length > 0 && step.covers.some(({ id }) => isNamed(id));
				case "delete_user_tags":
					return step.parameters.userTagIds.some(isNamed);
				// Users may change their own credentials until any policy is about credentials, this activity or not.
				case "delete_policies":
					return activity.ownerId !== null || step.parameters.policyIds.some((id) => ids.has(id));
				case "create_policies":
				case "update_policy":
					return activity.ownerId !== null || step.covers.some(({ id }) => ids.has(id));
				default:
					return step.operation === "delete_oauth_providers" && namesCredentials;
			}
		});
	}

	/** Returns the ids of the live policies and credentials whose removal can change the answer for some step. */
	findDeciding(): ReadonlySet<string> {
		const { users, policies } = this.#context.access;
		const activities = this.#steps.map(activityOf);
		const isOwned = activities.some(({ ownerId }) => ownerId !== null);
		const all = policies.known ? policies.value : [];
		const deciding = isOwned ? all : activities.flatMap((one) => this.#policiesFor(one));
		const listed = users.known ? users.value : [];
		const credentials = listed.flatMap((user) => (user.credentials.known ? user.credentials.value : []));
		const live = new Set(all.map(({ id }) => id));
		const ids = deciding.flatMap(({ id }) => (live.has(id) ? id : []));
		return new Set([...ids, ...credentials.flatMap(({ id }) => id ?? [])]);
	}

	/** Returns the policies that can apply to the activity, as they are live and as steps write them. */
	#policiesFor({ type }: SubmittedActivity): readonly AccessPolicy[] {
		return remember(this.#policies, type, () =>
			this.#allPolicies().filter(
				(policy) => hasPart(policy, factsOfType(type)) && judgeTime(policy, this.#context.atMs) !== "closed",
			),
		);
	}

	/** Returns the policies that can decide the step at any time. Of own credentials, it matters whether any policy is in force. */
	policiesAbout(step: Step): readonly AccessPolicy[] {
		const { type, ownerId } = activityOf(step);
		return this.#allPolicies().filter((policy) => ownerId !== null || hasPart(policy, factsOfType(type)));
	}

	/** Returns the policies as they are live and as steps write them. */
	#allPolicies(): readonly AccessPolicy[] {
		const { access } = this.#context;
		if (!access.policies.known) return [];
		const written = this.#steps
			.filter(({ operation }) => operation === "create_policies" || operation === "update_policy")
			.map((step) => accessAfter(access, [step]).policies);
		return [...new Set([access.policies, ...written].flatMap((policies) => (policies.known ? policies.value : [])))];
	}

	/** Returns the steps that have completed before this one is submitted. */
	#ancestorsOf({ dependsOn }: Step): ReadonlySet<Step> {
		const found = new Set<Step>();
		const open = [...dependsOn];
		for (let id = open.pop(); id !== undefined; id = open.pop()) {
			const step = this.#byId.get(id);
			if (step === undefined || found.has(step)) continue;
			found.add(step);
			open.push(...step.dependsOn);
		}
		return found;
	}

	/** Whether the other step may complete before this one is submitted, and need not. */
	#isConcurrent(other: Step, step: Step, before: ReadonlySet<Step>): boolean {
		if (other === step || before.has(other)) return false;
		const ancestors = this.#ancestorsOf(other);
		return !ancestors.has(step) && [other, ...ancestors].every(canComplete);
	}
}

/** Whether the step is submitted, or a pending activity does the same. */
function canComplete({ earlierActivity }: Step): boolean {
	return earlierActivity === null || earlierActivity.relation === "same";
}

export const typeOfStep = ({ operation }: Step): string => `ACTIVITY_TYPE_${operation.toUpperCase()}`;

function activityOf(step: Step): SubmittedActivity {
	return {
		type: typeOfStep(step),
		ownerId: step.operation === "delete_oauth_providers" ? step.parameters.userId : null,
	};
}

/** Returns every set of these steps that can have completed at some moment, without the empty one. */
function ordersOf(
	steps: readonly Step[],
	ancestorsOf: (step: Step) => ReadonlySet<Step>,
): readonly (readonly Step[])[] {
	const before = steps.map((step) => setOf([...steps.keys()].filter((at) => ancestorsOf(step).has(steps[at] as Step))));
	return closedSets(before)
		.slice(1)
		.map((set) => steps.filter((_, at) => has(set, at)));
}

/** Returns the answer that holds in every order: `first` where no concurrent step has completed, or unknown. */
function unite(first: Approval, others: readonly Approval[], concurrent: readonly Step[]): Approval {
	const verdicts = [...new Set([first, ...others].map(({ verdict }) => verdict))];
	const stepIds = concurrent.map(({ id }) => id);
	if (verdicts.length > 1) return unknownApproval({ kind: "order", stepIds, verdicts });
	const differs = others.some(({ approverSets }) => !sameValue(approverSets, first.approverSets));
	if (differs) return unknownApproval({ kind: "order", stepIds, verdicts: [] });
	const policyIds = [...new Set([first, ...others].flatMap((one) => one.policyIds))].sort(compareText);
	return { ...first, policyIds };
}

/** Returns the sets that contain no other of them, each once, by size and then by their ids. */
function smallest(sets: readonly (readonly string[])[]): readonly (readonly string[])[] {
	const ordered = [...new Map(sets.map((set) => [set.join(), set])).values()].sort(
		(left, right) => left.length - right.length || compareText(left.join(), right.join()),
	);
	return ordered.filter((set, at) => !ordered.slice(0, at).some((one) => one.every((id) => set.includes(id))));
}
