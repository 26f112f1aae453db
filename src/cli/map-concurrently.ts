/**
 * Returns what `work` returns for each item, in the order of the items. At most `maxConcurrency` calls run at once. After a
 * call fails, no other begins; when those that began have ended, it throws one of the failures.
 */
export async function mapConcurrently<T, U>(
	items: readonly T[],
	maxConcurrency: number,
	work: (item: T, index: number) => Promise<U>,
): Promise<readonly U[]> {
	const results: U[] = [];
	let next = 0;
	let hasFailed = false;
	const runWorker = async (): Promise<void> => {
		while (next < items.length && !hasFailed) {
			const index = next++;
			try {
				results[index] = await work(items[index] as T, index);
			} catch (error) {
				hasFailed = true;
				throw error;
			}
		}
	};
	const workers = await Promise.allSettled(Array.from({ length: Math.min(maxConcurrency, items.length) }, runWorker));
	const failed = workers.find((one) => one.status === "rejected");
	if (failed !== undefined) throw failed.reason;
	return results;
}
