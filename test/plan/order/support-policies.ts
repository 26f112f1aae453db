/** Organizations whose policies and tags a document writes: the plan that makes one the other, in words. */
import { defined } from "../../../src/common/defined.ts";
import type { DesiredPolicy, LivePolicy } from "../../../src/plan/organization.ts";
import type { Plan, PlanContext } from "../../../src/plan/plan.ts";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import { makePlan, type WordedPlan } from "../../in-words.ts";
import { accessOf, alice, desiredFor, liveFor, type Organization, type Wish } from "../support-access.ts";
import { at, context, known } from "../support-organizations.ts";

export interface WrittenWish extends Wish {
	/** Policies as they shall be, by name. */
	readonly policies?: readonly AccessPolicy[];
	/** Whether the policies are marked as not understood. */
	readonly unchecked?: true;
}

const liveText = (policy: AccessPolicy): LivePolicy => ({ ...policy, notes: "" });

/** A policy with the id of a live one is renamed. */
const wanted =
	(live: readonly AccessPolicy[], unchecked: true | undefined) =>
	({ id, name, effect, consensus, condition, time }: AccessPolicy): DesiredPolicy => ({
		...(live.some((one) => one.id === id) ? { id } : {}),
		...defined({ time: time || undefined, unchecked }),
		...{ kind: "policy", name, previously: [], effect: effect as DesiredPolicy["effect"], consensus, condition, at },
	});

/** The plan of alice, who is the root quorum unless the organization says otherwise. */
export function planWritten(
	organization: Organization,
	{ policies = [], unchecked, ...wish }: WrittenWish,
	parts: Partial<PlanContext> = {},
): WordedPlan {
	const rootQuorum = { threshold: 1, userIds: [alice] };
	const own = { rootQuorum, ...organization };
	const desired = desiredFor(wish);
	const live = {
		...liveFor(own),
		policies: known(own.policies.map(liveText)),
	};
	const plan = makePlan(
		{ ...desired, objects: [...desired.objects, ...policies.map(wanted(own.policies, unchecked))] },
		{
			...live,
			removables: {
				...live.removables,
				policy: known(own.policies.map(({ id, name }) => ({ id, name, userId: null }))),
			},
		},
		{
			...context,
			access: accessOf(own.members, own.policies, own.rootQuorum),
			submitter: known({ userId: alice, publicKey: null }),
			...parts,
		},
	);
	if (plan.problems.length > 0) throw new Error(`the plan has problems: ${JSON.stringify(plan.problems)}`);
	return plan;
}

/** `create_policies a+b after delete_policies c`, by step. */
export function toldOrder({ steps }: Pick<Plan, "steps">): readonly string[] {
	const nameOf = (id: string): string => {
		const step = steps.find((one) => one.id === id);
		return step === undefined
			? id
			: `${step.operation} ${step.covers.map(({ address }) => address.replace(/^\w+:/, "")).join("+")}`;
	};
	return steps.map(({ id, dependsOn }) => {
		return dependsOn.length === 0 ? nameOf(id) : `${nameOf(id)} after ${dependsOn.map(nameOf).join(", ")}`;
	});
}

/** What the guard of moments says; undefined where it says nothing. */
export const momentsOf = ({ guards }: WordedPlan): string | undefined =>
	guards.find(({ kind }) => kind === "unsafeMoments")?.message;
