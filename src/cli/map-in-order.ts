interface LookAhead {
	/** Max calls of `work` at once. */
	readonly maxConcurrency: number;
	/** Max results that wait for their turn, running calls included. */
	readonly maxAhead: number;
}

/**
 * Yields what `work` returns for each item, in the order of the items, as soon as it is its turn. Calls run ahead of the
 * consumer, within the limits. After a call fails, no other begins; the generator yields what comes before it and throws
 * its failure. It always waits for the calls that began.
 */
export async function* mapInOrder<T, U>(
	items: Iterable<T>,
	{ maxConcurrency, maxAhead }: LookAhead,
	work: (item: T) => Promise<U>,
): AsyncGenerator<U, void> {
	const rest = items[Symbol.iterator]();
	const begun: Promise<PromiseSettledResult<U>>[] = [];
	let running = 0;
	let isStopped = false;
	const begin = (): void => {
		while (!isStopped && running < maxConcurrency && begun.length < maxAhead) {
			const next = rest.next();
			if (next.done === true) return;
			running += 1;
			begun.push(settle(next.value));
		}
	};
	const settle = async (item: T): Promise<PromiseSettledResult<U>> => {
		try {
			return { status: "fulfilled", value: await work(item) };
		} catch (reason) {
			isStopped = true;
			return { status: "rejected", reason };
		} finally {
			running -= 1;
			begin();
		}
	};
	try {
		begin();
		for (;;) {
			const turn = begun.shift();
			if (turn === undefined) return;
			const settled = await turn;
			begin();
			if (settled.status === "rejected") throw settled.reason;
			yield settled.value;
		}
	} finally {
		isStopped = true;
		await Promise.all(begun);
	}
}
