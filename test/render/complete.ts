/**
 * Results of commands out of the fields that a test is about.
 */
import type { CommandResult } from "../../src/render/result/result.ts";

/** Name and version of the program, as the golden files have it. */
export const generatedBy = "orgsync 0.0.0-test";

/** Returns the result with what every result has. */
export function complete(fields: Readonly<Record<string, unknown>> & { readonly command: string }): CommandResult {
	return { formatVersion: 1, exitCode: 0, error: null, problems: [], ...fields } as unknown as CommandResult;
}

/** Returns every result with what every result has. */
export function completeAll(
	all: Readonly<Record<string, Parameters<typeof complete>[0]>>,
): Readonly<Record<string, CommandResult>> {
	return Object.fromEntries(Object.entries(all).map(([name, fields]) => [name, complete(fields)]));
}
