/** The steps that the changes of a saved plan imply: what its own steps are compared with, and whose reasons are shown. */
import { holdSteps } from "../../plan/activities/pending.ts";
import { narrowToPieces, piecesOf, subjectOf } from "../../plan/activities/requests.ts";
import { isWritten } from "../../plan/change.ts";
import { isOnlyName, renamedFirstIn } from "../../plan/order/renamed-first.ts";
import type { Plan } from "../../plan/plan.ts";
import { isTemporaryName } from "../../plan/renames.ts";
import { standInsIn } from "../../plan/stand-in.ts";
import type { Step } from "../../plan/step.ts";
import { makeSteps } from "../../plan/steps.ts";
import { compareText, sameValue } from "../../plan/value.ts";

/** By id: the names that its steps give to tags and policies and that no change wants. */
export function temporaryNamesOf({ steps, changes }: Plan): Readonly<Record<string, string>> {
	const wanted = new Set(changes.map(({ kind, after }) => (after === null ? "" : `${kind} ${after.name}`)));
	return Object.fromEntries(
		steps.flatMap((step) => {
			const [kind, id, name] = renameIn(step);
			const isTemporary = name !== undefined && !wanted.has(`${kind} ${name}`) && isTemporaryName(name, id);
			return isTemporary ? [[id, name]] : [];
		}),
	);
}

/** Returns the name that a step gives to a live object. */
function renameIn({ operation, parameters }: Step): readonly [kind: string, id: string, name: string | undefined] {
	if (operation === "update_user_tag") return ["userTag", parameters.userTagId, parameters.newUserTagName];
	return operation === "update_policy" ? ["policy", parameters.policyId, parameters.policyName] : ["", "", undefined];
}

/** Returns the steps that the changes imply, whole or held by pending activities. */
export function deriveSteps(plan: Plan) {
	// Of tags that nothing changes only the names matter, and those were looked at when the temporary names were chosen.
	const tags = plan.changes
		.filter((change) => change.kind === "userTag")
		.map(({ tagId, before }) => ({ id: tagId, name: before.name }))
		.sort((left, right) => compareText(left.id, right.id));
	const policies = plan.changes.flatMap((change) =>
		change.kind === "policy" && change.before !== null ? [{ id: change.id, name: change.before.name }] : [],
	);
	const pending = plan.waiting.filter(({ relation }) => relation !== "rejected");
	const renamedFirst = renamedFirstIn(plan.changes, plan.steps);
	const whole = makeSteps(plan.changes, tags, { temporaryNames: temporaryNamesOf(plan), renamedFirst }, policies);
	const apart = tagsApart(plan.steps);
	const awaited = whole.filter(({ covers }) => covers.some(({ id }) => apart.has(id)));
	const changed = plan.changes.filter(isWritten).filter(({ id }) => renamedFirst.has(id));
	const keyOf = (step: Step): string => {
		const isName = changed.some((change) => isOnlyName(step, change));
		return JSON.stringify([keyIn(step, apart), ...(isName ? ["name"] : [])]);
	};
	return { ...holdSteps(whole, pending, new Set(awaited.map(({ id }) => id))), keyOf };
}

/**
 * Returns the stand-ins of tags for which policies wait apart from others: no step creates a policy that names one beside a policy
 * that names none. Whether an approval was forecast for the tag, only the service can confirm.
 */
function tagsApart(steps: readonly Step[]): ReadonlySet<string> {
	const created = steps.flatMap((step) =>
		step.operation === "create_policies" && isFree(step) ? [step.parameters.policies.map(standInsIn)] : [],
	);
	const free = (apart: ReadonlySet<string>) => (ids: readonly string[]) => !ids.some((id) => apart.has(id));
	for (let apart = new Set(created.flat(2)); ; ) {
		const mixed = new Set(created.filter((all) => all.some(free(apart))).flat(2));
		const left = new Set([...apart].filter((id) => !mixed.has(id)));
		if (left.size === apart.size) return apart;
		apart = left;
	}
}

/** Returns the plan with the reasons of its steps as this version says them: those of the file are not compared, nor shown. */
export function withOwnReasons(plan: Plan): Plan {
	if (plan.steps.length === 0) return plan;
	const { steps: derived, keyOf } = deriveSteps(plan);
	const implied = Map.groupBy(derived, keyOf);
	const steps = plan.steps.map((step) => {
		return { ...step, reason: impliedStep(step, implied.get(keyOf(step)) ?? [])?.reason ?? step.reason };
	});
	return { ...plan, steps };
}

/** Returns what the changes imply in the place of the step: the one that is pending for it, or its part of the others; `derived` have its key. */
export function impliedStep(step: Step, derived: readonly Step[]): Step | undefined {
	if (!isFree(step)) return derived.find((one) => !isFree(one) && sameValue(one.parameters, step.parameters));
	const whole = derived.find(isFree);
	return whole === undefined || piecesOf(whole).length === 0 ? whole : narrowToPieces(whole, piecesOf(step));
}

/** What distinguishes a step from the others that could be parts of the same one. */
function keyIn(step: Step, apart: ReadonlySet<string>): string {
	const isCreatedTag = step.operation === "create_user_tag";
	const newName = isCreatedTag ? step.parameters.userTagName : renameIn(step)[2];
	const isApart = step.operation === "create_policies" && standInsIn(step.parameters).some((id) => apart.has(id));
	return JSON.stringify([step.operation, subjectOf(step), newName, isApart]);
}

/** Whether the step is one that was not pending when it was derived: rejections are looked at by themselves. */
export function isFree({ earlierActivity }: Step): boolean {
	return earlierActivity === null || earlierActivity.relation === "rejected";
}
