/** Random templates with random values: a value is a leaf of the tree, or there is no expression. */
import { describe, expect, it } from "vitest";
import { templateOf } from "../../../src/policy/language/check-template.ts";
import { parseExpression } from "../../../src/policy/language/parser.ts";
import { resolveTemplate } from "../../../src/policy/language/resolve-template.ts";
import { sameExpression } from "../../../src/policy/language/same-expression.ts";
import type { Clause, Expression } from "../../../src/policy/language/syntax.ts";
import { parseTemplate, type Reference } from "../../../src/policy/language/template.ts";
import { forEachSeed } from "../../case-count.ts";
import { randomOf, spoil, Writer } from "./random-expressions.ts";

const sample = 4_000;
const clauses: readonly Clause[] = ["consensus", "condition", "time"];

/** What an attacker writes into a cell of a list, and what people write. */
const values = [
	..."'\\\"`\n\r\0\u0085\u2028()[]{}$!&|0",
	...["' || true || '", "') || true || ('a' == 'a", "'}", "\\'", "1 || true", "1..2", "1]", "-1", "1e9", "0x10", "007"],
	...[
		"${userTags.a}",
		"$${",
		"'${each.v}'",
		"0",
		"7",
		"12345678901234567890",
		"alice",
		"é ü",
		"",
		" ",
		"5 ",
		"//",
		"true",
	],
];

const names = ["userTags.a", "users.b c", "userTags['it''s }']", "each.v", "each.w x", "ORGSYNC_VAR_A"];

/** What may break a template. */
const debris = [
	...names.flatMap((name) => [`'\${${name}}'`, `\${${name}}`, `\${${name}`, `$\${${name}}`]),
	"${",
	"$",
	"}",
	"'",
	"''",
	"]}'",
];

function pick<One>(random: () => number, of: readonly One[]): One {
	return of[Math.floor(random() * of.length)] as One;
}

/** Returns the text with references in place of some literals. */
function withReferences(text: string, random: () => number): string {
	return text.replace(/'[^']*'|(?<![\w.])\d+(?!\w)/g, (literal) => {
		const chance = random();
		if (chance < 0.5) return literal;
		if (literal.startsWith("'")) return `'\${${pick(random, names)}}'`;
		return `\${${pick(random, names.slice(3))}}`;
	});
}

function strew(text: string, random: () => number): string {
	const at = Math.floor(random() * (text.length + 1));
	return text.slice(0, at) + pick(random, debris) + text.slice(at);
}

/** Returns the tree without positions, with the leaves of references by their values. */
function shape(expression: Expression, leaves: ReadonlyMap<number, string | bigint> = new Map()): string {
	return JSON.stringify(expression, (key, value) => {
		if (key === "span") return undefined;
		if (typeof value === "bigint") return `${value}n`;
		const leaf = value?.node === "literal" ? leaves.get(value.span.start) : undefined;
		return leaf === undefined ? value : { node: "literal", value: leaf };
	});
}

describe("a random template", () => {
	it("has the same tree with any values, but for the leaves, or has problems", () => {
		const seen = { resolved: 0, refused: 0, wrong: 0 };
		const cases = forEachSeed(sample, (seed) => {
			const random = randomOf(seed);
			const clause = pick(random, clauses);
			const plain = new Writer(random, clause).write({ kind: "bool" }, 1 + Math.floor(random() * 3));
			let text = withReferences(plain, random);
			text = text.replace(/\s(?=\$\{)|(?<=[^'\]]\})\s/g, (space) => (random() < 0.3 ? "" : space));
			if (random() < 0.3) text = strew(text, random);
			if (random() < 0.2) text = spoil(text, random);
			const template = parseTemplate(text);
			const used = new Map<string, string>();
			const valueFor = (name: string): string => {
				const value = used.get(name) ?? (random() < 0.6 ? pick(random, ["7", "0", "123"]) : pick(random, values));
				used.set(name, value);
				return value;
			};
			const result = resolveTemplate(template, {
				userTags: new Map([
					["a", "id-a"],
					["it's }", "id-it"],
				]),
				users: new Map([["b c", "id-b"]]),
				variable: (name) => ({ value: valueFor(name) }),
			});
			const context = `${text}\n${JSON.stringify([...used])}`;
			if (template.expression === null || template.problems.length > 0) seen.wrong += 1;
			else if ("problems" in result) {
				seen.refused += 1;
				for (const { message } of result.problems) {
					for (const value of used.values()) {
						if (value.length > 3 && message.includes(value)) throw new Error(`shows ${value}: ${context}`);
					}
				}
			} else {
				const leaf = ({ name, as, kind }: Reference): string | bigint => {
					if (kind !== "variable") return { a: "id-a", "it's }": "id-it", "b c": "id-b" }[name] ?? "";
					return as === "number" ? BigInt(valueFor(name)) : valueFor(name);
				};
				const leaves = new Map(template.references.map((one) => [one.span.start, leaf(one)]));
				const parsed = parseExpression(result.text);
				const found = "expression" in parsed ? shape(parsed.expression) : "not understood";
				if (found !== shape(template.expression, leaves)) throw new Error(`${result.text}: ${context}`);
				if (leaves.size > 0) seen.resolved += 1;
			}
		});
		expect(Math.min(seen.resolved, seen.refused, seen.wrong)).toBeGreaterThan(cases * 0.05);
	});

	it("of a live expression is resolved to its text, and is the same with spaces and parentheses around it", () => {
		let named = 0;
		const cases = forEachSeed(sample, (seed) => {
			const random = randomOf(seed);
			const clause = pick(random, clauses);
			const whole = new Writer(random, clause).write({ kind: "bool" }, 1 + Math.floor(random() * 3));
			const plain =
				clause === "consensus" ? `(${whole}) && approvers.any(u, u.id == '\${x}' || u.tags.contains('a'))` : whole;
			const text = random() < 0.3 ? spoil(strew(plain, random), random) : plain;
			const template = templateOf(text, { tagNames: new Map([["a", "it's }"]]), aliases: new Map([["${x}", "b c"]]) });
			const parsed = parseTemplate(template);
			named += parsed.references.length;
			const result = resolveTemplate(parsed, {
				userTags: new Map([["it's }", "a"]]),
				users: new Map([["b c", "${x}"]]),
				variable: () => ({ code: "", message: "" }),
			});
			if (!("text" in result) || result.text !== text) throw new Error(`${text}\n${template}`);
			const tree = parseExpression(text);
			const isSame = (other: string): boolean => sameExpression(text, other) && sameExpression(other, text);
			const spaced = text === "" ? text : ` ${text}\n`;
			if ("expression" in tree && (!isSame(spaced) || !isSame(`(${text})`))) throw new Error(`not the same: ${text}`);
		});
		expect(named).toBeGreaterThan(cases * 0.2);
	});
});
