import type { Plan } from "../plan.ts";
import { isHeldByRejection } from "../step-groups.ts";
import type { DriftedDifference, ThreeWay } from "./three-way.ts";

/** Returns the three-way plan with the fate `held` for drift that no step puts back, because it was rejected before. */
export function holdThreeWay(threeWay: ThreeWay, plan: Pick<Plan, "steps">): ThreeWay {
	const isHeld = ({ address }: { readonly address: string }): boolean => isHeldByRejection(address, plan);
	const hold = (one: DriftedDifference): DriftedDifference =>
		(one.fate === "reverted" || one.fate === "replaced") && isHeld(one) ? { ...one, fate: "held" } : one;
	return {
		...threeWay,
		drifted: threeWay.drifted.map(hold),
		reverts: threeWay.reverts.filter((one) => !isHeld(one)),
	};
}
