/**
 * What a saved plan adds to `apply`, and that nothing does where there is none: no question is asked about what was
 * reviewed, and nothing else than that may run.
 */
import type { NotPlannedError } from "../../errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan, Reads } from "../../plan/plan.ts";
import type { Comparison } from "../../sync/compare.ts";
import type { Result } from "../voice.ts";

export interface Review {
	/** Why it is not even tried; null when it is. */
	readonly refusal: Result | null;
	/** The documents, narrowed to what the plan touches; null: those that the flags name. */
	readonly organizations: readonly DesiredOrganization[] | null;
	/** Plans of what cannot be: they are left alone, and shown. */
	readonly setAside: readonly Plan[];
	/** Organizations that could not be read when the plan was made, so that nothing of them was reviewed. */
	readonly notPlanned: readonly NotPlanned[];
	/** How the plan was read; null: as the flags say. */
	readonly reads: Reads | null;
	/** What every report says of the plan. */
	readonly report: { readonly planDigest?: string };
	/** Throws StalePlanError when what is read now is not what was planned. */
	readonly refuseStale: (comparisons: readonly Comparison[]) => void;
	/** The result with which plan it was. */
	readonly tell: (result: Result) => Result;
}

/** An organization of which there is no plan, and why nothing is sent to it. */
export interface NotPlanned {
	readonly organizationId: string;
	readonly error: NotPlannedError;
}

/** Of an `apply` that plans by itself. */
export const noReview: Review = {
	refusal: null,
	organizations: null,
	setAside: [],
	notPlanned: [],
	reads: null,
	report: {},
	refuseStale: () => {},
	tell: (result) => result,
};
