/** Policies that left the document and stay live: what each still gives. */
import type { AccessState } from "../../policy/access.ts";
import { labelOf } from "../address.ts";
import { accessAfter } from "../impact/access-after.ts";
import { findImpactBetween, type PlanImpact } from "../impact/impact.ts";
import type { Step } from "../step.ts";
import type { DocumentChange } from "./document-changes.ts";

export interface LeftPolicy {
	readonly address: string;
	/** What it adds to what the others that stay give: now, or at another time by its window. */
	readonly impact: readonly PlanImpact[];
}

/** Returns the policies of these differences that stay live after the steps; `access` is before them. `atMs`: since 1970. */
export function findLeftPolicies(
	changes: readonly DocumentChange[],
	steps: readonly Step[],
	access: AccessState,
	atMs: number,
): readonly LeftPolicy[] {
	const left = changes.filter(({ what, after }) => what === "unmanaged" && after === "stays");
	if (left.length === 0) return [];
	const submitted = steps.filter(({ earlierActivity }) => earlierActivity?.relation !== "rejected");
	const { policies, ...others } = accessAfter(access, submitted);
	if (!policies.known) return [];
	const byName = new Map(left.map(({ address }) => [labelOf(address), address]));
	const rest = policies.value.filter(({ name }) => !byName.has(name));
	return policies.value.flatMap((policy) => {
		const address = byName.get(policy.name);
		if (address === undefined) return [];
		const accessWith = (value: typeof rest): AccessState => ({ ...others, policies: { known: true, value } });
		const { impact, impactAtOtherTimes = [] } = findImpactBetween(
			accessWith(rest),
			accessWith([...rest, policy]),
			atMs,
		);
		return [{ address, impact: [...impact, ...impactAtOtherTimes] }];
	});
}
