/**
 * Work on many things, some of them at once: for organizations, which know nothing of each other.
 */

/**
 * What `work` gives for each item, in the order of the items; at most `most` of them are under way at once. What it throws
 * goes on only when everything begun has ended, so that nothing runs on unseen; then nothing further is begun.
 */
export async function sideBySide<T, U>(
	items: readonly T[],
	most: number,
	work: (item: T, index: number) => Promise<U>,
): Promise<readonly U[]> {
	const results: U[] = [];
	let next = 0;
	let isBroken = false;
	const worker = async (): Promise<void> => {
		while (next < items.length && !isBroken) {
			const index = next++;
			try {
				results[index] = await work(items[index] as T, index);
			} catch (error) {
				isBroken = true;
				throw error;
			}
		}
	};
	const ended = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker));
	const failed = ended.find((one) => one.status === "rejected");
	if (failed !== undefined) throw failed.reason;
	return results;
}
