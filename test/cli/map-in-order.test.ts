import { describe, expect, test } from "vitest";
import { mapInOrder } from "../../src/cli/map-in-order.ts";

const limits = { maxConcurrency: 2, maxAhead: 4 };

/** Calls of work that end when the test says so. */
function makeWork() {
	const begun: number[] = [];
	const ends = new Map<number, PromiseWithResolvers<string>>();
	const endOf = (item: number): PromiseWithResolvers<string> => {
		const end = ends.get(item) ?? Promise.withResolvers<string>();
		ends.set(item, end);
		return end;
	};
	const work = (item: number): Promise<string> => {
		begun.push(item);
		return endOf(item).promise;
	};
	return { begun, work, finish: (item: number) => endOf(item).resolve(`result ${item}`), endOf };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("mapInOrder", () => {
	test("yields results in the order of the items, and runs ahead no further than its limits", async () => {
		const { begun, work, finish } = makeWork();
		const results = mapInOrder([1, 2, 3, 4, 5, 6, 7, 8], limits, work);
		const first = results.next();
		await settled();
		expect(begun).toEqual([1, 2]);
		for (const item of [2, 3, 4, 5, 6, 7]) {
			finish(item);
			await settled();
		}
		// The first is not there yet: four others wait for it, and no more begin.
		expect(begun).toEqual([1, 2, 3, 4, 5]);
		finish(1);
		expect((await first).value).toBe("result 1");
		finish(8);
		const rest: string[] = [];
		for await (const result of results) rest.push(result);
		expect(rest).toEqual([2, 3, 4, 5, 6, 7, 8].map((item) => `result ${item}`));
	});

	test("throws the failure of an item in its turn, begins no other, and waits for those that began", async () => {
		const { begun, work, finish, endOf } = makeWork();
		const results = mapInOrder([1, 2, 3], limits, work);
		const first = results.next();
		await settled();
		endOf(2).reject(new Error("two failed"));
		await settled();
		finish(1);
		expect((await first).value).toBe("result 1");
		await expect(results.next()).rejects.toThrow("two failed");
		expect(begun).toEqual([1, 2]);
	});

	test("waits for the calls that began when its consumer stops", async () => {
		const { begun, work, finish } = makeWork();
		const results = mapInOrder([1, 2, 3], limits, work);
		finish(1);
		await results.next();
		let hasEnded = false;
		const end = results.return().then(() => {
			hasEnded = true;
		});
		await settled();
		expect(hasEnded).toBe(false);
		for (const item of begun) finish(item);
		await end;
		expect(begun).toEqual([1, 2, 3]);
	});
});
