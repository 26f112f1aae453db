import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../src/document/parse.ts";

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

describe("a document with one mistake has one problem, told in words", () => {
	test.each(names)("%s", (name) => {
		const file = `${name}.yaml`;
		const { organizations, problems } = parseDocuments(
			[{ file, content: readFileSync(new URL(file, folder)) }],
			environment,
		);
		const told = problems.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}\n`);
		expect(told.join("")).toBe(readFileSync(new URL(`${name}.txt`, folder), "utf8"));
		expect(told).toHaveLength(1);
		expect(organizations).toEqual([]);
		expect(problems[0]?.message).not.toContain("hunter2");
	});

	test("there are at least 45 of them", () => {
		expect(names.length).toBeGreaterThanOrEqual(45);
	});
});
