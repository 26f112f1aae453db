/** docs/internals/policies.md: its examples are parsed and checked, and its tables are what the code says. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Clause } from "../../../src/policy/language/syntax.ts";
import { namesOf, type Type } from "../../../src/policy/language/types.ts";
import { ofActivity } from "../../../src/policy/language/values.ts";
import { mistakesIn, outcome } from "../worlds.ts";

const page = readFileSync(fileURLToPath(new URL("../../../docs/internals/policies.md", import.meta.url)), "utf8");

/** Returns the cells of the rows of a table, by the head of its first column. `\|` is a bar. */
function rowsOf(section: string, head: string): readonly (readonly string[])[] {
	const [, text = ""] = page.split(`\n## ${section}\n`);
	const [, table = ""] = text.split(`\n| ${head} |`);
	const lines = table.split("\n").slice(2);
	const end = lines.findIndex((line) => !line.startsWith("|"));
	return lines.slice(0, end).map((line) =>
		line
			.slice(2, -2)
			.split(/ \| /)
			.map((cell) => cell.replaceAll("\\|", "|")),
	);
}

const codeIn = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, clause, text = ""]) =>
	text
		.trim()
		.split("\n")
		.map((line) => [clause as Clause, line] as const),
);

describe("the page of the policy language", () => {
	it("has examples of every clause", () => {
		expect(new Set(blocks.map(([clause]) => clause))).toEqual(new Set(["consensus", "condition", "time"]));
	});

	it.each(blocks)("shows a %s that is well typed: %s", (clause, text) => {
		expect(mistakesIn(text, clause)).toEqual([]);
	});

	it.each(
		page.match(/^\| `(consensus|condition|time)` \| .* \| `.*` \|$/gm) ?? [],
	)("shows a clause at its beginning: %s", (row) => {
		const [clause = "", text = ""] = codeIn(row);
		expect(mistakesIn(text, clause as Clause)).toEqual([]);
	});

	it.each(rowsOf("Unknown", "expression"))("says what %s is: %s", (text, value) => {
		const found = outcome(text.slice(1, -1), new Map([["wallet", ofActivity]]));
		expect(typeof found === "boolean" ? String(found) : "unknown").toBe(value);
	});

	it.each(rowsOf("Mistakes", "written"))("says what is wrong in %s: %s", (text, message) => {
		expect(mistakesIn(text.slice(1, -1), "condition").map((mistake) => mistake.replace(/^\d+: /, ""))).toEqual([
			message,
		]);
	});

	it("names every name of each clause", () => {
		const rows = rowsOf("Names", "clause").map(([clause = "", names = ""]) => [clause.slice(1, -1), codeIn(names)]);
		const expected = (["consensus", "condition", "time"] as const).map((clause) => [
			clause,
			[...namesOf(clause).keys()],
		]);
		expect(rows).toEqual(expected);
	});

	it("names every field of each name", () => {
		const types = new Map((["consensus", "condition", "time"] as const).flatMap((clause) => [...namesOf(clause)]));
		const fieldsOf = (type: Type | undefined): readonly string[] => {
			if (type?.kind === "list") return fieldsOf(type.of);
			return type?.kind === "struct" ? [...type.fields.keys()] : [];
		};
		const named: string[] = [];
		for (const [values = "", fields = ""] of rowsOf("Names", "value")) {
			for (const value of codeIn(values)) {
				const name = value.replace("[0]", "");
				named.push(name);
				expect([name, codeIn(fields)]).toEqual([name, fieldsOf(types.get(name))]);
			}
		}
		expect(new Set(named)).toEqual(new Set(types.keys()));
	});
});
