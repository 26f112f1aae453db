/**
 * How many random cases a property is tried on: a sample that is the same in each run. `ORGSYNC_CASES=20000 ORGSYNC_CASES_SEED=5
 * npx vitest run FILE` tries so many others of each property in the file.
 */

const { ORGSYNC_CASES: chosen, ORGSYNC_CASES_SEED: seed = "1" } = process.env;

/** In ms, for all cases of a property, on a busy machine; those that someone chose take as long as they take. */
export const casesTimeoutMs = chosen === undefined ? 300_000 : 0;

/** Returns the settings of fast-check. */
export function casesToTry(sample: number): { readonly numRuns: number; readonly seed: number } {
	return { numRuns: Number(chosen ?? sample), seed: Number(seed) };
}

/** Runs a check with one seed after another; a failure names the seed that repeats it. Returns how many there were. */
export function forEachSeed(sample: number, check: (seed: number) => void): number {
	const { numRuns, seed: first } = casesToTry(sample);
	for (let at = first; at < first + numRuns; at += 1) {
		try {
			check(at);
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			throw new Error(`with ORGSYNC_CASES=1 ORGSYNC_CASES_SEED=${at}: ${message}`, { cause: error });
		}
	}
	return numRuns;
}
