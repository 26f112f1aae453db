import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../src/document/read/parse.ts";

const folder = new URL("../golden/documents/bad/", import.meta.url);
const environment = {
	ORGSYNC_VAR_SECRET_USER: "hunter2",
	ORGSYNC_VAR_NOT_AN_ID: "hunter2",
	ORGSYNC_VAR_FIVE: "5",
	CI_JOB_TOKEN: "hunter2",
	ORGSYNC_API_PRIVATE_KEY: "hunter2",
};
const names = readdirSync(folder)
	.filter((name) => name.endsWith(".yaml"))
	.map((name) => name.slice(0, -".yaml".length))
	.sort();

describe("a document with one mistake", () => {
	test.each(names)("has exactly one problem: %s", async (name) => {
		const file = `${name}.yaml`;
		const { organizations, problems } = parseDocuments(
			[{ file, content: readFileSync(new URL(file, folder)) }],
			environment,
		);
		const lines = problems.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}\n`);
		await expect(lines.join("")).toMatchFileSnapshot(fileURLToPath(new URL(`${name}.txt`, folder)));
		expect(lines).toHaveLength(1);
		expect(organizations).toEqual([]);
		expect(problems[0]?.message).not.toContain("hunter2");
	});

	test("is tested with at least 45 examples", () => {
		expect(names.length).toBeGreaterThanOrEqual(45);
	});
});
