/** Which mutants are judged: all of a room, without text literals, and a sample of them. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Mutant, MutantResult } from "@stryker-mutator/api/core";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { root } from "../../scripts/manifest.ts";

/** The parts that are different for two mutants of the same sources. */
export type MutantKey = Pick<Mutant, "fileName" | "location" | "mutatorName" | "replacement">;

/** Stryker's names of the mutations that no test has to notice: which words a message has is for the tests of messages. */
export const textLiterals = ["StringLiteral"];

const ignore = (): void => undefined;
const no = (): boolean => false;
const silent = {
	...{ trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore },
	...{
		isTraceEnabled: no,
		isDebugEnabled: no,
		isInfoEnabled: no,
		isWarnEnabled: no,
		isErrorEnabled: no,
		isFatalEnabled: no,
	},
};

/** Returns the mutants of the files, without text literals. */
export async function listMutants(files: readonly string[]): Promise<readonly Mutant[]> {
	const sources = files.map((name) => ({ name, content: readFileSync(name, "utf8"), mutate: true }));
	const { mutants } = await new Instrumenter(silent).instrument(sources, {
		plugins: null,
		ignorers: [],
		excludedMutations: textLiterals,
	});
	return mutants.filter(({ mutatorName }) => !textLiterals.includes(mutatorName));
}

/** Returns the mutants that the seed ranks first. The rank of a mutant follows from the seed and the mutant alone. */
export function sample(
	mutants: readonly Mutant[],
	{ cases, seed }: { cases: number; seed: number },
): readonly Mutant[] {
	const rank = new Map(mutants.map((mutant) => [mutant, hash(`${seed} ${keyOf(mutant)}`)]));
	return mutants.toSorted((one, other) => ((rank.get(one) ?? "") < (rank.get(other) ?? "") ? -1 : 1)).slice(0, cases);
}

export function keyOf({ fileName, location: { start, end }, mutatorName, replacement }: MutantKey): string {
	const place = [start.line, start.column, end.line, end.column].join(":");
	return [relative(root, fileName), place, mutatorName, replacement].join(" ");
}

/** Returns a mutant of a report as it was before: a report's lines and columns begin at 1, and a mutant's at 0. */
export function fromReport(mutant: MutantResult): MutantResult {
	const { start, end } = mutant.location;
	const before = ({ line, column }: typeof start) => ({ line: line - 1, column: column - 1 });
	return { ...mutant, location: { start: before(start), end: before(end) } };
}

function hash(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
