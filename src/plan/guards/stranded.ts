/** The guard `stranded`: a step that is denied because another one of the plan completes before it (docs/guards.md). */
import type { OrderedSteps, StrandedStep } from "../order/order-steps.ts";
import { coveredAddresses, type Step } from "../step.ts";
import { groupSteps } from "../step-groups.ts";
import { compareText } from "../value.ts";
import type { StrandedChange } from "./finding.ts";
import type { Guard } from "./guards.ts";

/** Returns the guard where the best order denies a step, or where not every order was looked at. `steps` are those of the plan. */
export function judgeStranded(
	{ stranded, unsearched }: Pick<OrderedSteps, "stranded" | "unsearched">,
	steps: readonly Step[],
): readonly Guard[] {
	const { sent, pending, behind } = groupSteps(steps);
	if (sent.length === 0) return [];
	const open = [...sent, ...pending, ...behind];
	const changes = stranded.flatMap((one) => findChange(one, open));
	if (changes.length + unsearched.length === 0) return [];
	const where = changes.length === 0 ? coveredAddresses(unsearched) : changes.flatMap(({ addresses }) => addresses);
	return [
		{
			kind: "stranded",
			found: changes.length,
			refuses: changes.length > 0,
			where: [...new Set(where)].sort(compareText),
			finding: { what: "stranded", changes, unsearched: unsearched.length },
		},
	];
}

/** Returns the change of a step that is still to come, after one that is; none where one of them is not. */
function findChange({ step, by }: StrandedStep, open: readonly Step[]): readonly StrandedChange[] {
	const addresses = coveredAddresses([step]);
	const find = (addressesOf: readonly string[]): Step | undefined =>
		open.find((one) => coveredAddresses([one]).some((address) => addressesOf.includes(address)));
	const own = open.findLast((one) => coveredAddresses([one]).some((address) => addresses.includes(address)));
	const first = by === null ? null : coveredAddresses([by]);
	if (own === undefined || (first !== null && find(first) === undefined)) return [];
	return [{ addresses, by: first, because: own.approval?.verdict === "denied" ? own.approval.because : null }];
}
