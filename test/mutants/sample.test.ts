/** Which mutants a seed draws. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeFolder, removeFolder } from "../prove/leftovers.ts";
import { keyOf, listMutants, sample } from "./sample.ts";

const folder = makeFolder("mutants");
afterAll(() => removeFolder(folder));

let files = 0;
function fileWith(code: string): string {
	files += 1;
	const file = join(folder, `code-${files}.ts`);
	writeFileSync(file, code);
	return file;
}

const file = fileWith("export const isLess = (one: number, other: number) => one < other && one >= 0 && one <= 9;\n");
const keysOf = async (call: { cases: number; seed: number }) => sample(await listMutants([file]), call).map(keyOf);

describe("a sample of mutants", () => {
	it("is the same for the same seed, and another for another", async () => {
		expect(await keysOf({ cases: 5, seed: 1 })).toEqual(await keysOf({ cases: 5, seed: 1 }));
		expect(await keysOf({ cases: 5, seed: 1 })).not.toEqual(await keysOf({ cases: 5, seed: 2 }));
	});

	it("of fewer cases is the start of one with more", async () => {
		expect((await keysOf({ cases: 9, seed: 3 })).slice(0, 4)).toEqual(await keysOf({ cases: 4, seed: 3 }));
	});

	it("has no text literals", async () => {
		const mutants = await listMutants([fileWith('export const text = (name: string) => "a" + `b${name}`;\n')]);
		expect(mutants.map(({ mutatorName }) => mutatorName)).not.toContain("StringLiteral");
		expect(mutants).not.toEqual([]);
	});

	it("has what a comment of Stryker disables, as disabled", async () => {
		const mutants = await listMutants([
			fileWith("// Stryker disable next-line all: it is equal\nexport const is = (one: number) => one < 3;\n"),
		]);
		expect([...new Set(mutants.map(({ status }) => status))]).toEqual(["Ignored"]);
	});
});
