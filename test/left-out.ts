/**
 * What a run of the tests leaves out, because the machine lacks something that only some tests need. Each is said once, at the
 * end of the run. With CI set, nothing may be left out.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { TestContext } from "vitest";

export interface LeftOut {
	/** The tests, for example "the tests in a browser". */
	readonly what: string;
	/** What is missing, as a sentence without its end. */
	readonly missing: string;
	/** The command or page that installs it. */
	readonly install: string;
}

/** Something is not on this machine. */
export class NotHere extends Error {
	readonly leftOut: LeftOut;

	constructor(leftOut: LeftOut, options?: ErrorOptions) {
		super(describe(leftOut), options);
		this.leftOut = leftOut;
	}
}

function describe({ what, missing, install }: LeftOut): string {
	return `left out: ${what}, because ${missing}, install it by ${install}`;
}

/** The environment variable with the file that has what was left out, one line each. */
const fileVariable = "ORGSYNC_TESTS_LEFT_OUT";

/** Begins a run whose list is in this file. */
export function beginList(file: string): void {
	process.env[fileVariable] = file;
}

/** Puts it on the list of the run. Throws it with CI set, if it is not optional: something that other tests check too. */
export function leaveOut(reason: NotHere, { isOptional = false }: { readonly isOptional?: boolean } = {}): void {
	if (process.env.CI && !isOptional) throw reason;
	const file = process.env[fileVariable];
	if (file !== undefined) appendFileSync(file, `${reason.message}\n`);
}

/** The list, without repetitions. */
export function leftOut(): readonly string[] {
	const file = process.env[fileVariable];
	if (file === undefined || !existsSync(file)) return [];
	return [...new Set(readFileSync(file, "utf8").split("\n"))].filter((line) => line !== "");
}

/**
 * Returns what `make` makes. Where that is not possible on this machine, the test is skipped with the reason; with CI set, it
 * fails.
 */
export async function orSkip<T>({ skip }: Pick<TestContext, "skip">, make: () => Promise<T>): Promise<T> {
	try {
		return await make();
	} catch (error) {
		if (error instanceof NotHere) {
			leaveOut(error);
			skip(error.message);
		}
		throw error;
	}
}
