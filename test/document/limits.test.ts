/** The largest documents: what is refused is refused after seconds, not minutes. */
import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../src/document/read/parse.ts";

describe("what a run reads", { timeout: 60_000 }, () => {
	test("is limited for all documents, also where each is within the limit for one", () => {
		const items = "    - ${ORGSYNC_VAR_LONG}\n".repeat(100);
		const one = (index: number) =>
			`organizationId: 0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a${String(index).padStart(2, "0")}\nprotect:\n  userTags:\n${items}`;
		const sources = Array.from({ length: 68 }, (_, index) => ({ file: `${index}.yaml`, content: one(index) }));
		const { problems } = parseDocuments(sources, { ORGSYNC_VAR_LONG: "x".repeat(10_000) });
		expect(problems.flatMap(({ code, file }) => (code === "expansion" ? [file] : []))).toEqual(["67.yaml"]);
	});

	test("is at most a million values in a document: two million line breaks are a problem at the last", () => {
		const { problems, organizations } = parseDocuments([{ file: "d.yaml", content: "\n".repeat(2_000_001) }], {});
		expect(organizations).toEqual([]);
		expect(problems).toMatchObject([{ line: 2_000_001, column: 1, code: "too-many-values" }]);
	});
});

describe("a hostile file", () => {
	test("with 20,000 mistakes under long keys has 10,000 problems with short paths", () => {
		const keys = Array.from({ length: 50 }, (_, level) => `${" ".repeat(level + 2)}"${"k".repeat(900)}${level}":\n`);
		const content = `organizationId: 0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11\nprotect:\n${keys.join("")}${`${" ".repeat(52)}- ~\n`.repeat(20_000)}`;
		const { problems } = parseDocuments([{ file: "hostile.yaml", content }], {});
		expect(problems.length).toBe(10_001);
		expect(problems.filter(({ code }) => code === "too-many-problems")).toHaveLength(1);
		for (const { path } of problems) expect(path.length).toBeLessThan(5000);
	});

	// With time that grows with the square of the keys, this takes longer than a test may.
	test("with 40,000 missing keys has 10,000 problems, and no other for what such a key may be meant as", () => {
		const { problems } = parseDocuments([{ file: "hostile.yaml", content: `users: {}\n${":\n".repeat(40_000)}` }], {});
		const codes = Map.groupBy(problems, ({ code }) => code);
		expect([...codes].map(([code, found]) => [code, found.length])).toEqual([
			["key-not-text", 10_000],
			["too-many-problems", 1],
		]);
	});
});
