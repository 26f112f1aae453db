/**
 * What a saved plan adds to `apply`, and that nothing does where there is none: no question is asked about what was
 * reviewed, and nothing else than that may run.
 */
import type { AppliedPlanError, LiveProblemError, NotPlannedError } from "../../errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Reads } from "../../plan/plan.ts";
import type { Comparison } from "../../sync/compare.ts";
import type { JournalView } from "../../sync/journal.ts";
import type { Result } from "../output.ts";

export interface Review {
	/** Why it is not even tried; null when it is. */
	readonly refusal: Result | null;
	/** The documents, narrowed to what the plan touches; null: those that the flags name. */
	readonly organizations: readonly DesiredOrganization[] | null;
	/** Organizations of which nothing was reviewed: they could not be read then, or could not be brought in sync. */
	readonly notPlanned: readonly NotPlanned[];
	/** How the plan was read; null: as the flags say. */
	readonly reads: Reads | null;
	/** What every report says of the plan. */
	readonly report: { readonly planDigest?: string };
	/** Why it is not applied again, when the journal has it that all of the plan for an organization was carried out. */
	readonly findApplied: (journal: Pick<JournalView, "completedEntries">) => AppliedPlanError | null;
	/**
	 * Throws StalePlanError when what is read now is not what was planned, and AppliedPlanError when a step would be sent that
	 * was completed for this plan before.
	 */
	readonly refuseStale: (comparisons: readonly Comparison[], journal: Pick<JournalView, "completedEntries">) => void;
	/** The result with which plan it was. */
	readonly tell: (result: Result) => Result;
}

/** An organization of which there is no plan, and why nothing is sent to it. */
interface NotPlanned {
	readonly organizationId: string;
	readonly error: NotPlannedError | LiveProblemError;
}

/** Of an `apply` that plans by itself. */
export const noReview: Review = {
	refusal: null,
	organizations: null,
	notPlanned: [],
	reads: null,
	report: {},
	findApplied: () => null,
	refuseStale: () => {},
	tell: (result) => result,
};
