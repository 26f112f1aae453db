/**
 * What a saved plan adds to `apply`, and that nothing does where there is none: no question is asked about what was
 * reviewed, and nothing else than that may run.
 */
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Reads } from "../../plan/plan.ts";
import type { Comparison } from "../../sync/compare.ts";
import type { Result } from "../voice.ts";

export interface Review {
	/** Why it is not even tried; null when it is. */
	readonly refusal: Result | null;
	/** The documents, narrowed to what the plan touches; null: those that the flags name. */
	readonly organizations: readonly DesiredOrganization[] | null;
	/** How the plan was read; null: as the flags say. */
	readonly reads: Reads | null;
	/** What every report says of the plan. */
	readonly report: { readonly planDigest?: string };
	/** Throws StalePlanError when what is read now is not what was planned. */
	readonly refuseStale: (comparisons: readonly Comparison[]) => void;
	/** The result with which plan it was. */
	readonly tell: (result: Result) => Result;
}

/** Of an `apply` that plans by itself. */
export const noReview: Review = {
	refusal: null,
	organizations: null,
	reads: null,
	report: {},
	refuseStale: () => {},
	tell: (result) => result,
};
