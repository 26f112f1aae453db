/** Policies that left the document and stay live: what each still gives. */
import type { AccessState } from "../../policy/access.ts";
import { printAddress } from "../address.ts";
import { accessAfter, completing } from "../impact/access-after.ts";
import { findImpactBetween, type PlanImpact } from "../impact/impact.ts";
import { findObjects } from "../kinds/found-objects.ts";
import { type DesiredOrganization, type LiveOrganization, policiesOf } from "../organization.ts";
import type { Step } from "../step.ts";
import type { DocumentChange } from "./document-changes.ts";

export interface LeftPolicy {
	readonly address: string;
	/** What it adds to what the others that stay give: now, or at another time by its window. */
	readonly impact: readonly PlanImpact[];
}

/** Returns the policies of these differences from the base that stay after the steps; live state is before them. `atMs`: since 1970. */
export function findLeftPolicies(
	changes: readonly DocumentChange[],
	base: DesiredOrganization,
	live: LiveOrganization["policies"],
	steps: readonly Step[],
	access: AccessState,
	atMs: number,
): readonly LeftPolicy[] {
	const left = changes.filter(({ what, after }) => what === "unmanaged" && after === "stays");
	if (left.length === 0) return [];
	const { policies, ...others } = accessAfter(access, completing(steps));
	if (!policies.known) return [];
	const { found } = findObjects(policiesOf(base), live?.known === true ? live.value : []);
	const addresses = new Set(left.map(({ address }) => address));
	const byId = new Map(
		found.flatMap((one) => {
			const address = printAddress("policy", one.wanted.name);
			return addresses.has(address) ? [[one.live.id, address] as const] : [];
		}),
	);
	const rest = policies.value.filter(({ id }) => !byId.has(id));
	return policies.value.flatMap((policy) => {
		const address = byId.get(policy.id);
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
