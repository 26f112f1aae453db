/** Refuses a saved plan that would not do what was reviewed. */
import { PlanModelError, StalePlanError } from "../../common/errors.ts";
import { showAddress, showText } from "../../common/escape.ts";
import { ageOfImpact, isCompared } from "../../plan/impact/stale-impact.ts";
import { showOrganization } from "../../plan/organization-name.ts";
import { findOutdated, type Revisited } from "../../plan/stale.ts";
import { outdatedObject } from "../../say/stale.ts";

/**
 * Throws StalePlanError when an object that one of the plans touches is stale; all of them are named, in words too. Throws
 * PlanModelError when no object is, and another version of orgsync found an impact by other rules.
 */
export function refuseStale(revisited: readonly Revisited[]): void {
	const outdated = revisited.flatMap(findOutdated).map(outdatedObject);
	if (outdated.length === 0) {
		const ages = revisited.flatMap(({ saved, fresh }) => (isCompared(fresh) ? ageOfImpact(saved) : "same"));
		const age = ages.find((one) => one !== "same");
		if (age !== undefined) throw new PlanModelError(age);
		return;
	}
	const plans = new Map(revisited.map(({ fresh }) => [fresh.organizationId, fresh]));
	const all = revisited.reduce((sum, { saved }) => sum + saved.touched.length, 0);
	const isDone = outdated.length === all && outdated.every(({ reason }) => reason === "already-applied");
	throw new StalePlanError(
		outdated,
		outdated.map(({ organizationId, address, because }) => {
			const plan = plans.get(organizationId) ?? { organizationId };
			const about = revisited.length > 1 ? `organization ${showOrganization(plan)}: ` : "";
			return `${about}${showAddress(address)}: ${showText(because)}`;
		}),
		isDone
			? "every object is as the plan wanted already: there is nothing left to apply"
			: "plan again, and have the new plan reviewed",
	);
}
