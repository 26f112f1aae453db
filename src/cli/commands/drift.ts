/**
 * `drift`: the same comparison as `plan`, as a finding for whoever is woken by it. It cannot submit anything either.
 */
import { exitCodes } from "../../errors.ts";
import { findsDifference } from "../../plan/plan.ts";
import { summarizeDrift } from "../../plan/render/text.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { type ComparisonFlags, compareAll } from "./comparing.ts";
import { showPlans } from "./showing.ts";

/** The same plans, as a finding: exit 2 when anything is not as the document says, 0 when all is. */
export async function drift(flags: ComparisonFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	return showPlans(await compareAll(flags, terminal, voice), {
		command: "drift",
		summarize: summarizeDrift,
		codeOf: (one) => (findsDifference(one) ? exitCodes.changes : exitCodes.converged),
	});
}
