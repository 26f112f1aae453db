/** Data in words, as the command line prints it. */
import { expect } from "vitest";
import { textOf } from "../src/common/said.ts";
import type { StepResult } from "../src/plan/report.ts";
import type { NotRead } from "../src/policy/access.ts";
import { reasonText } from "../src/say/reason.ts";

export function inWords<Result extends Pick<StepResult, "message">>(
	results: readonly Result[],
): readonly (Omit<Result, "message"> & { readonly message: string | null })[] {
	return results.map((one) => ({ ...one, message: one.message === null ? null : textOf(one.message) }));
}

/** Matches a reason whose words are this text, or match this expression. */
export function saying(words: string | RegExp): unknown {
	return expect.toSatisfy((why: NotRead) =>
		typeof words === "string" ? reasonText(why) === words : words.test(reasonText(why)),
	);
}
