/** How the proofs and the mutants read the words that they are called with. */

/** The words are wrong. The message is for the person who wrote them. */
export class WrongCall extends Error {}

/** Returns the number that is written there, or `otherwise`. Throws WrongCall for anything but a whole number in these bounds. */
export function readNumber<Otherwise>(
	flag: string,
	written: string | undefined,
	otherwise: Otherwise,
	[least, most]: readonly [number, number] = [1, 999_999_999],
): number | Otherwise {
	if (written === undefined) return otherwise;
	const number = /^\d{1,15}$/.test(written) ? Number(written) : -1;
	if (number >= least && number <= most) return number;
	throw new WrongCall(`--${flag} must be a whole number from ${least} to ${most}, got "${written}"`);
}

/** Prints what is wrong with a call, with how it would be right, and sets the exit code. Throws any other error again. */
export function refuseCall(error: unknown, usage: string): void {
	if (!(error instanceof WrongCall)) throw error;
	process.stderr.write(`error: ${error.message}\n${usage}\n`);
	process.exitCode = 2;
}
