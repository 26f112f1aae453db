/**
 * SECURITY.md names a test for each promise: the test has to exist.
 */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const text = readFileSync(new URL("../SECURITY.md", import.meta.url), "utf8");

/** The rows of tables with a column for tests: the promise, and the tests that it links to. */
const promises = text
	.split("\n\n")
	.filter((block) => block.startsWith("| promise | test |"))
	.flatMap((block) => block.trim().split("\n").slice(2))
	.map((row) => {
		const [promise = "", tests = ""] = row.split(" | ");
		const links = [...tests.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name = "", file = ""]) => ({ name, file }));
		return { promise: promise.replace(/^\| /, ""), links };
	});

describe("the threat model", () => {
	test("makes promises about every trust boundary that it names", () => {
		const boundaries = text.split("## Trust boundaries")[1]?.split("\n## ")[0]?.match(/^### /gm)?.length;
		const tables = text.match(/^\| promise \| test \|$/gm)?.length;
		expect(boundaries).toBeGreaterThan(4);
		expect(tables).toBe(boundaries);
	});

	test.each(promises)("names a test that exists: $promise", ({ links }) => {
		expect(links.length).toBeGreaterThan(0);
		for (const { name, file } of links) {
			const path = new URL(`../${file}`, import.meta.url);
			expect(existsSync(path), file).toBe(true);
			expect(readFileSync(path, "utf8"), file).toContain(name);
		}
	});
});
