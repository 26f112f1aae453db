/**
 * What every proof has in common: its cases, each made from a seed alone, and what it counts. Case `n` of a run has the seed
 * `seed + n`, so that `--seed THAT --cases 1` repeats it.
 */

/** One kind of proof: it makes cases until the budget ends, and tries to break a promise in each. */
export interface Proof {
	/** The promise, as one sentence without a full stop. */
	readonly promise: string;
	/** How many cases a run without `--cases` and `--seconds` has. */
	readonly defaultCases: number;
	/** Whether a case goes on where the one before it ended, so that a finding needs all of them again. */
	readonly goesOn?: boolean;
	/** Runs one case. Throws an `Error`, with everything that a person needs to understand it, if the promise is broken. */
	run(seed: number, counts: Counts): Promise<void> | void;
	/** Prepares what all cases share. Called once, before the first case. */
	begin?(seed: number): Promise<void> | void;
	/** Judges the run as a whole, and ends what `begin` started. Throws if a promise is broken. */
	end?(counts: Counts): Promise<void> | void;
}

/** What was seen how often. */
export class Counts {
	readonly #counts = new Map<string, number>();

	add(what: string, count = 1): void {
		this.#counts.set(what, this.of(what) + count);
	}

	/** Keeps the largest value. */
	most(what: string, value: number): void {
		this.#counts.set(what, Math.max(this.of(what), value));
	}

	of(what: string): number {
		return this.#counts.get(what) ?? 0;
	}

	toString(): string {
		return [...this.#counts].map(([what, count]) => `${count} ${what}`).join(", ");
	}
}

/** A case that broke the promise. */
export interface Finding {
	/** `--seed` of the case, or null for one of the run as a whole. */
	readonly seed: number | null;
	readonly what: string;
}

export interface Budget {
	readonly seed: number;
	/** No limit if it is undefined. */
	readonly cases: number | undefined;
	/** No case begins after this time. No limit if it is undefined. */
	readonly seconds: number | undefined;
}

/** What was found so far, and in the end. */
export interface Proven {
	cases: number;
	readonly counts: Counts;
	readonly findings: Finding[];
}

/** A run ends early after this many findings: more of them seldom teach more. */
const enoughFindings = 5;

/** Runs cases until the budget ends, and notes them in `proven`. Calls `found` at each finding. Throws nothing that a case throws. */
export async function prove(
	proof: Proof,
	{ seed, cases, seconds }: Budget,
	found: (finding: Finding) => void = () => undefined,
	proven: Proven = { cases: 0, counts: new Counts(), findings: [] },
): Promise<Proven> {
	const { counts, findings } = proven;
	const keep = (seedOfCase: number | null, error: unknown): void => {
		const finding = { seed: seedOfCase, what: error instanceof Error ? (error.stack ?? error.message) : String(error) };
		findings.push(finding);
		found(finding);
	};
	const endMs = seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1000;
	await proof.begin?.(seed);
	while (
		proven.cases < (cases ?? Number.POSITIVE_INFINITY) &&
		findings.length < enoughFindings &&
		performance.now() < endMs
	) {
		try {
			await proof.run(seed + proven.cases, counts);
		} catch (error) {
			keep(seed + proven.cases, error);
		}
		proven.cases += 1;
	}
	try {
		await proof.end?.(counts);
	} catch (error) {
		keep(null, error);
	}
	return proven;
}

/** Numbers in [0, 1) that follow from the seed alone (mulberry32). */
export function randomFrom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
