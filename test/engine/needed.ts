/** What only some tests need, and a machine may lack. */
import type { TestContext } from "vitest";

/** Something is not on this machine; the message names what makes it. */
export class NotHere extends Error {}

/**
 * Returns what `make` makes. Where that is not possible on this machine, the test is skipped with the reason; with CI set, it
 * fails.
 */
export async function orSkip<T>({ skip }: TestContext, make: () => Promise<T>): Promise<T> {
	try {
		return await make();
	} catch (error) {
		if (error instanceof NotHere && !process.env.CI) skip(error.message);
		throw error;
	}
}
