/**
 * `drift`: the same comparison as `plan`, as a finding for whoever is woken by it. It cannot submit anything either.
 */
import { exitCodes } from "../../errors.ts";
import { findsDifference } from "../../plan/plan.ts";
import { summarizeDrift } from "../../plan/render/text.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { type AcceptFlags, acceptFound } from "./accept.ts";
import { type ComparisonFlags, compareAll, showPlans } from "./comparing.ts";

export interface DriftFlags extends ComparisonFlags, AcceptFlags {}

/** The same plans, as a finding: exit 2 when anything is not as the document says, 0 when all is. */
export async function drift(flags: DriftFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	const { comparisons, accepted } = await acceptFound(() => compareAll(flags, terminal, voice), flags, terminal, voice);
	const found = comparisons.some((comparison) => findsDifference(comparison.plan));
	const result = showPlans(comparisons, found ? exitCodes.changes : exitCodes.converged, summarizeDrift);
	return { ...result, json: { ...result.json, ...accepted } };
}
