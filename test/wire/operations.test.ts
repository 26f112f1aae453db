/** The table of operations has what the published schemas have. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { approvals, extendedReads, extendedSubmits, operations } from "../../src/wire/operations.ts";

const all = Object.values({ ...operations, ...extendedReads, ...extendedSubmits, ...approvals });

it.each(all.map((one) => [one.name, one] as const))("%s has the fields of its schema", (name, operation) => {
	const file = new URL(`../../schemas/operations/${name}.json`, import.meta.url);
	const { request, parameters, response } = JSON.parse(readFileSync(file, "utf8")).$defs;
	const isQuery = operation.family === "query";
	expect(Object.keys((isQuery ? request : parameters).properties).toSorted()).toEqual([...operation.fields].sort());
	if (isQuery) expect(JSON.stringify(response)).toMatch(new RegExp(`\\b${operation.answerKey}\\b`));
	else expect(request.properties.type.const).toBe(operation.type);
});
