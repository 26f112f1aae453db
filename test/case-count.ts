/** How many random cases a property is tried on. */

/**
 * Returns the settings of fast-check: `inCi` new cases with `CI` set, and elsewhere a share of `sample` cases that is the same in
 * each run.
 */
export function casesToTry(inCi: number, sample: number): { readonly numRuns: number; readonly seed?: number } {
	return process.env.CI ? { numRuns: inCi } : { numRuns: sample, seed: 1 };
}
