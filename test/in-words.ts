/** Results of steps with their messages in words, as the command line prints them. */
import { textOf } from "../src/common/said.ts";
import type { StepResult } from "../src/plan/report.ts";

export function inWords<Result extends Pick<StepResult, "message">>(
	results: readonly Result[],
): readonly (Omit<Result, "message"> & { readonly message: string | null })[] {
	return results.map((one) => ({ ...one, message: one.message === null ? null : textOf(one.message) }));
}
