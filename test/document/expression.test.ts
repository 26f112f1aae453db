/** Expressions of policies in documents: where their problems are, and what becomes of their variables. */
import { describe, expect, it } from "vitest";
import { type Cell, entryOf } from "../../src/document/cell.ts";
import { Problems } from "../../src/document/problems.ts";
import { readTemplate, resolveExpression } from "../../src/document/read/expression.ts";
import { readPlainTree } from "../../src/document/read/plain-tree.ts";
import { readTree } from "../../src/document/read/tree.ts";
import { Substitution } from "../../src/document/read/variables.ts";
import { readYaml } from "../../src/document/read/yaml.ts";
import type { Clause } from "../../src/policy/language/syntax.ts";
import { renderProblem } from "../../src/render/problem-text.ts";

const aliceId = "22222222-2222-4222-8222-222222222222";

interface Read {
	readonly root: Cell;
	readonly problems: Problems;
	/** The clause of the first policy. */
	readonly cell: Cell;
}

function read(text: string, environment: Readonly<Record<string, string>> = {}, key = "condition"): Read {
	const problems = new Problems();
	const yaml = readYaml("d.yaml", text, problems);
	const [document] = yaml.documents;
	if (document === undefined) throw new Error(JSON.stringify(problems.sorted(["d.yaml"])));
	const root = readTree(document, yaml, new Substitution({ environment }), problems);
	const cell = entryOf(entryOf(root, "policies")?.items[0], key);
	if (cell === undefined) throw new Error("no clause");
	return { root, problems, cell };
}

/** Returns the expression with its values, or the problems as `line:column code message`. */
function resolved(
	text: string,
	environment: Readonly<Record<string, string>> = {},
	clause: Clause = "condition",
): unknown {
	const { cell, problems } = read(text, environment, clause);
	const template = readTemplate(cell, clause);
	const ids = { userTags: new Map<string, string>(), users: new Map([["alice", aliceId]]) };
	const found = template === undefined ? undefined : resolveExpression(cell, clause, template, ids);
	return found ?? problems.sorted([]).map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}

const styles: Readonly<Record<string, string>> = {
	plain: "policies:\n  - condition: wallet.label == 'ä🔑b' &&\n\n      eth.tx.too == 'x' # wallet\n",
	"single-quoted": "policies:\n  - { condition: 'wallet.label == ''ä🔑b''\n     && eth.tx.too == ''x''', name: a }\n",
	"double-quoted": "policies:\n  - condition: \"wallet.label == 'ä🔑b' &&\n      eth.tx.too \\\n        == 'x'\"\n",
	folded:
		"policies:\n  - name: a\n    condition: >- # wallet\n      wallet.label == 'ä🔑b'\n\n      && eth.tx.too\n        == 'x'\n",
	literal:
		"policies:\n  - condition: |-\n\n      wallet.label == 'ä🔑b'\n\n        && eth.tx.too == 'x'\n    name: a\n",
	"literal with an indentation":
		"policies:\n  - condition: &a !!str |2-\n        wallet.label == 'ä🔑b' &&\n      eth.tx.too == 'x'\n",
};

const cases = Object.entries(styles).flatMap(([style, text]) => [
	[style, text] as const,
	[`${style} with CRLF`, text.replaceAll("\n", "\r\n")] as const,
]);

describe("a character of an expression", () => {
	it.each(cases)("of a %s scalar has its place in the file", (_style, text) => {
		const { cell } = read(text);
		const value = String(cell.value);
		const lines = text.split("\n");
		let before = "1:0";
		for (let offset = 0; offset < value.length; offset += 1) {
			const place = cell.expression?.placeOf(offset);
			if (place === undefined) throw new Error("no place");
			if (/\s/.test(value.charAt(offset))) continue;
			expect(lines[place.line - 1]?.charAt(place.column - 1)).toBe(value.charAt(offset));
			const now = `${place.line}:${place.column}`;
			expect(now.localeCompare(before, "en", { numeric: true }), `${now} after ${before}`).toBe(1);
			before = now;
		}
		const end = cell.expression?.placeOf(value.length);
		expect(lines[(end?.line ?? 0) - 1]?.slice(0, (end?.column ?? 0) - 1)).toMatch(/'x'{1,2}$/);
	});

	it("of a scalar with escapes is behind what they are", () => {
		const text = String.raw`policies: [{ condition: "\x61\U0001F511\t\u00e9\"\n\ \\\/b" }]`;
		const { cell } = read(text);
		const value = String(cell.value);
		expect(value).toBe('a🔑\té"\n \\/b');
		const column = (offset: number): string => text.slice((cell.expression?.placeOf(offset).column ?? 0) - 1);
		expect(column(value.indexOf("🔑"))).toMatch(/^\\U0001/);
		expect(column(value.indexOf("é"))).toMatch(/^\\u00e9/);
		expect(column(value.indexOf('"'))).toMatch(/^\\"/);
		expect(column(value.indexOf("\\"))).toMatch(/^\\\\/);
		expect(column(value.indexOf("b"))).toMatch(/^b"/);
	});

	it.each(cases)("that is wrong in a %s scalar is shown in its line", (_style, text) => {
		const { cell, problems } = read(text);
		expect(readTemplate(cell, "condition")).toBe(undefined);
		const [problem] = problems.sorted([]);
		expect(problem?.message).toBe("`EthereumTransaction` has no field `too`; did you mean `to`?");
		const [line = "", caret = ""] = problem?.excerpt?.split("\n") ?? [];
		expect(text.split(/\r?\n/)).toContain(line);
		expect([...line].slice(caret.indexOf("^"), caret.length).join("")).toBe("eth.tx.too");
		expect(caret).toMatch(/^\s*\^+$/);
	});

	it("is shown with the 80 characters on each side of a long line", () => {
		const { cell } = read(`policies: [{ condition: "${"a || ".repeat(100)}b" }]`);
		const [line = "", caret = ""] = cell.expression?.excerptOf({ start: 250, end: 251 }).split("\n") ?? [];
		expect([line.length, caret.length, line[80]]).toEqual([160, 81, "a"]);
	});
});

describe("a variable in an expression", () => {
	it("is no text: it is put in after the expression was parsed", () => {
		const text =
			"policies:\n  - condition: |-\n      wallet.label == '${ORGSYNC_VAR_A}' && eth.tx.gas < ${ORGSYNC_VAR_N}\n    notes: ${ORGSYNC_VAR_A}\n";
		const environment = { ORGSYNC_VAR_A: "a || b", ORGSYNC_VAR_N: "5" };
		const { root, cell } = read(text, environment);
		expect(cell.value).toContain("'${ORGSYNC_VAR_A}'");
		expect(cell.fromEnvironment).toBe(true);
		expect(entryOf(entryOf(root, "policies")?.items[0], "notes")?.value).toBe("a || b");
		expect(resolved(text, environment)).toBe("wallet.label == 'a || b' && eth.tx.gas < 5");
	});

	it.each([
		[
			"'${ORGSYNC_VAR_A}'",
			{ ORGSYNC_VAR_A: "' || 'hunter2" },
			/^2:32 bad-value the value of `\$\{ORGSYNC_VAR_A\}` has a quote/,
		],
		["'${ORGSYNC_VAR_A}'", {}, /^2:32 unset-variable the environment variable `ORGSYNC_VAR_A` is not set/],
		["'${ORGSYNC_VAR_A}'", { ORGSYNC_VAR_A: "hunter\u200b2" }, /^2:32 invisible-character/],
		["'${each.a}'", {}, /^2:32 each-without-list/],
		["'${users.alicia}'", {}, /^2:32 unknown-reference no alias `alicia` under `users`; there are `alice`/],
		["'a ${ORGSYNC_VAR_A}'", { ORGSYNC_VAR_A: "hunter2" }, /^2:35 bad-reference/],
		["'${HOME}'", { HOME: "hunter2" }, /^2:33 bad-reference an expression cannot use `\$\{HOME\}`/],
	])("that is %s with %j is a problem at its place, without its value", (literal, environment, message) => {
		const found = resolved(`policies:\n  - condition: wallet.label == ${literal}\n`, environment);
		expect(found).toEqual([expect.stringMatching(message)]);
		expect(JSON.stringify(found)).not.toContain("hunter");
	});

	it("is shown where its value is wrong, and the value is not", () => {
		const text = "policies:\n  - condition: |-\n      true &&\n      wallet.label == '${ORGSYNC_VAR_A}'\n";
		const { cell, problems } = read(text, { ORGSYNC_VAR_A: "it's hunter2" });
		const template = readTemplate(cell, "condition");
		if (template === undefined) throw new Error("no template");
		resolveExpression(cell, "condition", template, { userTags: new Map(), users: new Map() });
		expect(problems.sorted([]).map(renderProblem)).toEqual([
			[
				"d.yaml:4:23: the value of `${ORGSYNC_VAR_A}` has a quote `'`, a `\\` or a control character, which a string cannot have",
				"  |       wallet.label == '${ORGSYNC_VAR_A}'",
				"  |                       ^^^^^^^^^^^^^^^^^^",
			].join("\n"),
		]);
	});

	it("adds to what documents can gain", () => {
		const text = `policies:\n  - condition: "['\${ORGSYNC_VAR_A}'].count() > 1"\n    consensus: "['\${ORGSYNC_VAR_A}'].count() > 1"\n`;
		expect(resolved(text, { ORGSYNC_VAR_A: "a".repeat(2 * 1024 * 1024) })).toEqual([
			expect.stringMatching(/^2:18 expansion variables and aliases add more than 1 MiB/),
		]);
	});

	it("of a time is checked with its value", () => {
		const text = "policies:\n  - time: time.now < Timestamp('${ORGSYNC_VAR_T}')\n";
		expect(resolved(text, { ORGSYNC_VAR_T: "2026-03-01T00:00:00Z" }, "time")).toMatch(/2026/);
		expect(resolved(text, { ORGSYNC_VAR_T: "hunter2" }, "time")).toEqual([
			"2:11 expression-type the values of its variables make no time that is understood",
		]);
	});

	it("is a variable of text everywhere else", () => {
		const text =
			"policies:\n  - condition: 'true'\nrules:\n  - condition: ${ORGSYNC_VAR_A}\nexactly: { policies: [{ time: '${ORGSYNC_VAR_A}' }] }\n";
		const { root } = read(text, { ORGSYNC_VAR_A: "b" });
		expect(entryOf(entryOf(root, "rules")?.items[0], "condition")).toHaveProperty("value", "b");
		expect(entryOf(entryOf(entryOf(root, "exactly"), "policies")?.items[0], "time")?.value).toBe("b");
	});
});

describe("a value of a list in an expression", () => {
	const text = "policies:\n  - condition: wallet.label == '${each.label}'\n";
	const at = { file: "list.csv", line: 7, column: 3 };

	/** Returns the expression for a row with the value, its problems, and the cells that the row does not have. */
	function resolvedFor(value: string | undefined) {
		const problems = new Problems();
		const yaml = readYaml("d.yaml", text, problems);
		const missing: Cell[] = [];
		const row = { isTable: true, find: () => ({ value, at }) };
		const part = { row, onMissing: (cell: Cell) => missing.push(cell) };
		const [document] = yaml.documents;
		if (document === undefined) throw new Error("no document");
		const root = readTree(document, yaml, new Substitution({ environment: {} }), problems, part);
		const cell = entryOf(entryOf(root, "policies")?.items[0], "condition");
		const template = cell === undefined ? undefined : readTemplate(cell, "condition");
		if (cell === undefined || template === undefined) throw new Error("no template");
		const ids = { userTags: new Map<string, string>(), users: new Map<string, string>() };
		return {
			found: resolveExpression(cell, "condition", template, ids),
			problems: problems.sorted([]),
			missing,
		};
	}

	it("is put in", () => {
		expect(resolvedFor("cold").found).toBe("wallet.label == 'cold'");
	});

	it("has its problem at its place in the list, which names the place in the expression", () => {
		const { found, problems } = resolvedFor("' || true");
		expect(found).toBe(undefined);
		expect(problems).toMatchObject([{ ...at, code: "bad-value", path: "policies[0].condition" }]);
		expect(problems[0]?.message).toMatch(/control character.* \(`\$\{each\.label\}` at d\.yaml:2:32\)$/);
		expect(problems[0]?.message).not.toContain("true");
	});

	it("is missing where the row does not have it, which is no problem before the list is read", () => {
		const { found, problems, missing } = resolvedFor(undefined);
		expect([found, problems]).toEqual([undefined, []]);
		expect(missing).toMatchObject([{ usedAs: { text: "${each.label}", at: { file: "d.yaml", line: 2, column: 32 } } }]);
	});
});

describe("an expression that is not checked", () => {
	it.each([
		["a = b $${c}", "a = b ${c}"],
		["true && wallet.x || '${users.alice}' == 'x'", `true && wallet.x || '${aliceId}' == 'x'`],
	])("is the text of %s", (text, expected) => {
		const { cell, problems } = read(`policies: [{ condition: "${text}" }]`);
		const template = readTemplate(cell, "condition", true);
		if (template === undefined) throw new Error("a problem");
		const ids = { userTags: new Map<string, string>(), users: new Map([["alice", aliceId]]) };
		expect(resolveExpression(cell, "condition", template, ids)).toBe(expected);
		expect(problems.isEmpty).toBe(true);
	});

	it("has a problem at a reference where it is not understood", () => {
		const { cell, problems } = read(`policies: [{ condition: "a = '\${users.alice}'" }]`);
		const template = readTemplate(cell, "condition", true);
		if (template === undefined) throw new Error("a problem");
		const ids = { userTags: new Map<string, string>(), users: new Map([["alice", aliceId]]) };
		expect(resolveExpression(cell, "condition", template, ids)).toBe(undefined);
		expect(problems.sorted([])).toMatchObject([{ line: 1, column: 31, code: "bad-reference" }]);
	});
});

describe("an expression of a program", () => {
	it("has no reference: `${` is text", () => {
		const root = readPlainTree("p", { policies: [{ condition: "wallet.label == '${x}'" }] });
		const cell = entryOf(entryOf(root, "policies")?.items[0], "condition");
		const problems = new Problems();
		const template = cell === undefined ? undefined : readTemplate(cell, "condition");
		expect(template?.references).toEqual([]);
		expect(problems.isEmpty).toBe(true);
	});
});
