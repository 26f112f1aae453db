/** What is read of random texts of the policy language, sound and spoiled ones, word for word. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { checkTemplate, templateOf } from "../../../src/policy/language/check-template.ts";
import { idsIn } from "../../../src/policy/language/checker.ts";
import { evaluate, type Scope } from "../../../src/policy/language/evaluate.ts";
import { comparedWith, fieldsIn } from "../../../src/policy/language/mentions.ts";
import { parseExpression } from "../../../src/policy/language/parser.ts";
import { printExpression } from "../../../src/policy/language/printer.ts";
import { readClause } from "../../../src/policy/language/read-clause.ts";
import { openParts } from "../../../src/policy/language/same-expression.ts";
import { type Clause, partsOf } from "../../../src/policy/language/syntax.ts";
import { parseTemplate } from "../../../src/policy/language/template.ts";
import { namesOf } from "../../../src/policy/language/types.ts";
import { brief } from "../brief.ts";
import { mistakesIn } from "../worlds.ts";
import { blur, randomOf, randomValue, spoil, Writer } from "./random-expressions.ts";

const clauses = ["consensus", "condition", "time"] as const;

function scopeOf(clause: Clause, random: () => number): Scope {
	const values = [...namesOf(clause)].map(([name, type]) => [name, randomValue(type, random)] as const);
	return new Map(values.map(([name, value]) => [name, blur(value, name, random)]));
}

/** Returns what is found of a text of the clause. */
function linesOf(text: string, clause: Clause, scope: Scope): readonly string[] {
	const parsed = parseExpression(text);
	const { expression, mistakes } = readClause(text, clause);
	const opaque = partsOf(expression).filter(({ node }) => node === "opaque");
	const template = checkTemplate(parseTemplate(text), clause).map(
		({ code, span }) => `${code} ${span.start}-${span.end}`,
	);
	const wrong = [...mistakesIn(text, clause), ...opaque.map(brief), ...template, ...mistakes.map(brief)];
	if ("mistakes" in parsed) return wrong;
	const tree = parsed.expression;
	return [
		...wrong,
		...new Set([tree, expression].map((one) => brief([printExpression(one), evaluate(one, scope)]))),
		brief([fieldsIn(tree), comparedWith(tree, "activity.kind"), idsIn(tree), openParts(tree).length]),
		...[templateOf(text, { tagNames: new Map([["a", "payers"]]), aliases: new Map([["b", "bob's"]]) })].filter(
			(written) => written !== text,
		),
	];
}

describe("Of random texts", () => {
	it.each(clauses)("what is read is the same as before, as %s", async (clause) => {
		const lines: string[] = [];
		for (let seed = 1; seed <= 60; seed += 1) {
			const random = randomOf(seed);
			const sound = new Writer(random, clause).write({ kind: "bool" }, 1 + (seed % 3));
			const text = seed % 2 === 0 ? spoil(sound, random) : sound;
			const found = linesOf(text, clause, scopeOf(clause, random)).map(
				(line) => `  ${JSON.stringify(line).slice(1, -1)}`,
			);
			lines.push(JSON.stringify(text), ...found);
		}
		const file = new URL(`../../golden/policy/${clause}.txt`, import.meta.url);
		await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(fileURLToPath(file));
	});
});
