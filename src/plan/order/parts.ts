/** The parts of a step that can be activities of their own: objects that matter to other steps in different ways. */
import type { AccessState } from "../../policy/access.ts";
import type { PendingActivity } from "../activities/pending.ts";
import { commonObjects, listParameter, narrowStep, objectsOf } from "../activities/requests.ts";
import type { Step } from "../step.ts";

/**
 * Returns the parts of the step, itself where it has only one. Objects that change nothing for other steps are in the first part.
 * Objects of one activity stay together, so that the step still equals it.
 */
export function findParts(
	step: Step,
	access: AccessState,
	{ deciding, activities }: { readonly deciding: ReadonlySet<string>; readonly activities: readonly PendingActivity[] },
): readonly Step[] {
	if (listParameter(step.operation) === undefined) return [step];
	const ids = objectsOf(step).filter((id) => deciding.has(id));
	const alike = [...Map.groupBy(ids, (id) => effectOf(id, access)).values()];
	const [first = [], ...others] = activities.reduce((all: readonly (readonly string[])[], activity) => {
		const common = commonObjects(step, activity);
		const isTouched = (some: readonly string[]): boolean => some.some((id) => common.includes(id));
		const touched = all.filter(isTouched);
		return touched.length < 2 ? all : [touched.flat(), ...all.filter((some) => !isTouched(some))];
	}, alike);
	if (others.length === 0) return [step];
	const rest = objectsOf(step).filter((id) => !ids.includes(id));
	return [[...first, ...rest], ...others].map((some, index) => {
		const own = objectsOf(step).filter((id) => some.includes(id));
		return { ...narrowStep(step, own), id: `${step.id}.${index + 1}` };
	});
}

/** Returns the same text for policies that decide alike: while one of them is left, the others change nothing. */
function effectOf(id: string, { policies }: AccessState): string {
	const policy = policies.known ? policies.value.find((one) => one.id === id) : undefined;
	return policy === undefined ? id : JSON.stringify([policy.effect, policy.consensus, policy.condition, policy.time]);
}
