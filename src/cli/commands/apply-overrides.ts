/**
 * The overrides that `apply` uses, put into the plan of each organization before it is shown: those that it needs, and no
 * other that was given.
 */
import type { Allowed } from "../../plan/guards.ts";
import { abandonOf, allowsOf, type Override, withOverrides } from "../../plan/overrides.ts";
import { nameOf } from "../../plan/pending.ts";
import type { Journal } from "../../sync/journal.ts";
import type { ComparedOrganization } from "./comparing.ts";

/** What was given to `apply`. */
export interface GivenOverrides {
	readonly allowed: Allowed;
	/** Ids and fingerprints in small letters. */
	readonly abandoned: readonly string[];
}

/** Returns the same with the overrides in its plan. The journal has to be as it was before anything was abandoned in it. */
export function recordOverrides(
	{ comparison, ...others }: ComparedOrganization,
	given: GivenOverrides,
	journal: Pick<Journal, "openEntries">,
): ComparedOrganization {
	const { plan } = comparison;
	const allows = plan.problems.length > 0 ? [] : allowsOf(plan.guards, given.allowed);
	const abandons = abandonsOf(comparison, given.abandoned, journal);
	return { comparison: { ...comparison, plan: withOverrides(plan, [...allows, ...abandons]) }, ...others };
}

/** One for each pending activity, and for each open entry of the journal, that was named. */
function abandonsOf(
	{ plan, context }: ComparedOrganization["comparison"],
	names: readonly string[],
	journal: Pick<Journal, "openEntries">,
): readonly Override[] {
	const open = journal.openEntries(plan.organizationId).map(({ activityId, body }) => {
		return { activityId, fingerprint: body.fingerprint };
	});
	const isNamed = ({ activityId, fingerprint }: (typeof open)[number]): boolean =>
		names.includes(activityId?.toLowerCase() ?? "") || names.includes(fingerprint.toLowerCase());
	const found = [...(context.abandoned ?? []), ...open].filter(isNamed);
	return [...new Set(found.map(nameOf))].map(abandonOf);
}
