/** Expressions of documents: what is a reference, what is wrong with one, and what becomes of it. */
import { describe, expect, it } from "vitest";
import { resolveTemplate } from "../../../src/policy/language/resolve-template.ts";
import { escapeTemplate, noVariable, parseTemplate } from "../../../src/policy/language/template.ts";

const signersId = "11111111-1111-4111-8111-111111111111";
const aliceId = "22222222-2222-4222-8222-222222222222";

/** Returns the references of a text as `kind name as`, and fails where it has a problem. */
function referencesIn(text: string): readonly string[] {
	const { references, problems } = parseTemplate(text);
	expect(problems).toEqual([]);
	return references.map(({ kind, name, as, span }) => {
		expect(text.slice(span.start, span.end)).toMatch(as === "string" ? /^'\$\{.*\}'$/ : /^\$\{.*\}$/);
		return `${kind} ${name} ${as}`;
	});
}

/** Returns the problems of a text: their place in it, and what they say. */
function problemsIn(text: string): readonly (readonly [string, string, string])[] {
	return parseTemplate(text).problems.map(
		({ code, message, span }) => [code, text.slice(span.start, span.end), message] as const,
	);
}

/** Returns the text with its references put in, or what is wrong. `variables`: their values. */
function resolved(text: string, variables: Readonly<Record<string, string>> = {}): unknown {
	const result = resolveTemplate(parseTemplate(text), {
		userTags: new Map([
			["signers", signersId],
			["a } 'name'", aliceId],
		]),
		users: new Map([["alice", aliceId]]),
		variable: (name) => {
			const value = variables[name];
			return value === undefined ? { code: "unset-variable", message: `${name} is not set` } : { value };
		},
	});
	if ("text" in result) return result.text;
	return result.problems.map(({ code, message, span }) => [code, text.slice(span.start, span.end), message]);
}

describe("a reference", () => {
	it.each([
		["user.tags.contains('${userTags.signers}')", "userTag signers string"],
		["user.id == '${users.alice}'", "user alice string"],
		["user.id == '${users.Zoë Q. van-der_Berg 2}'", "user Zoë Q. van-der_Berg 2 string"],
		["x == '${userTags['a } name']}'", "userTag a } name string"],
		["x == '${userTags['it''s']}'", "userTag it's string"],
		["x == '${users['''']}'", "user ' string"],
		["x == '${userTags['${each.x} $${']}'", "userTag ${each.x} $${ string"],
		["x == '${each.owner id}'", "variable each.owner id string"],
		["x == '${ORGSYNC_VAR_OWNER}'", "variable ORGSYNC_VAR_OWNER string"],
		["eth.tx.value < ${each.limit}", "variable each.limit number"],
		["x[${ORGSYNC_VAR_FROM}]", "variable ORGSYNC_VAR_FROM number"],
	])("of %s is %s", (text, reference) => {
		expect(referencesIn(text)).toEqual([reference]);
	});

	it("has the span of its literal in the tree", () => {
		const text = "true && x == '${userTags['a''b']}'";
		const { expression, references } = parseTemplate(text);
		expect(references[0]?.span).toEqual({ start: 13, end: text.length });
		expect(expression).toMatchObject({ right: { right: { node: "literal", span: { start: 13, end: text.length } } } });
	});

	it("is one of several in one text, in their order", () => {
		const text = "x['${users.a}'..${each.b}] && '${userTags['c']}' in ['$${users.d}', '${userTags.e}', 'f']";
		expect(referencesIn(text)).toEqual([
			"user a string",
			"variable each.b number",
			"userTag c string",
			"userTag e string",
		]);
	});
});

describe("a `${` that is no reference", () => {
	it.each([
		[
			"x == 'a ${each.x}'",
			"${each.x}",
			"`${each.x}` is only a part of its string; write `'${each.x}'`, or `$${` for a literal `${`",
		],
		["x == '${users.a}${users.b}'", "${users.a}", /only a part/],
		[
			"x == '${userTags.a/b}'",
			"${userTags.a/b}",
			"the name in `${userTags.a/b}` needs brackets; write `${userTags['a/b']}`",
		],
		["x == '${userTags. a}'", "${userTags. a}", /needs brackets; write `\$\{userTags\[' a'\]\}`/],
		["x == '${STAGE}'", "${STAGE}", /name the environment variable `ORGSYNC_VAR_STAGE`/],
		["x == '${usertags.a}'", "${usertags.a}", /is not a reference; write `\$\{userTags.NAME\}`/],
		["x == '${userTags.}'", "${userTags.}", /is not a reference/],
		["x == '${userTags.${each.team}}'", "${userTags.${each.team}", /a name in a reference takes no variable/],
		["x == '${}'", "${}", /is not a reference/],
		["x == '${userTags.a'", "${userTags.a", /without its closing/],
		["x == '${userTags['a]}'", "${userTags['a]}", /is not a reference/],
		["x == ${userTags.a}", "${userTags.a}", "an id is a string; write `'${userTags.a}'` in single quotes"],
		["x == ${STAGE}", "${STAGE}", /ORGSYNC_VAR_STAGE/],
		["x == 1${each.a}", "${each.a}", /is a part of a word/],
		["${each.a}in [1]", "${each.a}", /is a part of a word/],
	])("in %s is a problem at %s", (text, place, message) => {
		const [[code, at, said] = [], ...more] = problemsIn(text).filter((one) => one[0] !== "expression-syntax");
		expect([code, at, more]).toEqual(["bad-reference", place, []]);
		expect(said).toMatch(message);
	});

	it("is one problem where the text behind it is not understood because of it", () => {
		expect(problemsIn("x == '${userTags['a]}' && true")).toHaveLength(1);
		expect(problemsIn("x == '${a' && y == 'b'")).toHaveLength(1);
	});

	it("is reported once for each string or number", () => {
		expect(problemsIn("['${a}', '${b} ${c}', ${userTags.d}]").map(([, at]) => at)).toEqual([
			"${a}",
			"${b}",
			"${userTags.d}",
		]);
	});
});

describe("a text that is not understood", () => {
	it("has a problem at its place, and no tree", () => {
		const { expression, references, problems } = parseTemplate("user.id = '${users.alice}'");
		expect([expression, references]).toEqual([null, []]);
		expect(problems).toEqual([
			{ code: "expression-syntax", message: "`=` is not an operator; write `==`", span: { start: 8, end: 9 } },
		]);
	});

	it("says a variable as the text has it", () => {
		expect(problemsIn("1 == 1 ${each.x}")[0]?.[2]).toBe("expected an operator or the end, found `${each.x}`");
	});

	it("is resolved to itself, and cannot have references", () => {
		expect(resolved("a = '$${b}' // it\\'s $${")).toBe("a = '${b}' // it\\'s ${");
		expect(resolved("a = '${users.alice}'")).toEqual([
			["bad-reference", "${users.alice}", expect.stringMatching(/^an expression that is not understood/)],
		]);
	});

	it("is none where it is empty", () => {
		expect(parseTemplate("")).toEqual({ text: "", expression: null, references: [], problems: [] });
		expect(resolved("")).toBe("");
		expect(problemsIn(" ")[0]?.[0]).toBe("expression-syntax");
	});
});

describe("a resolved template", () => {
	it("has ids and values in place of references, and the rest as it is", () => {
		const text =
			"x['${userTags['a } ''name''']}'] ==  '$${y}'\n&& n < ${each.n}&& user.tags.contains('${userTags.signers}') && z == '${each.z}'";
		expect(resolved(text, { "each.n": "12", "each.z": "" })).toBe(
			`x['${aliceId}'] ==  '\${y}'\n&& n < 12&& user.tags.contains('${signersId}') && z == ''`,
		);
	});

	it.each([
		"a'b",
		"a\\b",
		"a\nb",
		"\u0000",
		"\u0085",
		"' || 'a' == 'a",
		"'",
	])("has no string with the value %j", (value) => {
		const result = resolved("x == '${each.v}'", { "each.v": value });
		expect(result).toEqual([
			["bad-value", "'${each.v}'", expect.stringMatching(/^the value of `\$\{each\.v\}` has a quote/)],
		]);
	});

	it.each([
		"",
		" 1",
		"1 ",
		"01",
		"-1",
		"1.5",
		"0x1",
		"1e3",
		"1 || true",
		"true",
		"١",
		(2n ** 256n).toString(),
	])("has no number with the value %j", (value) => {
		expect(resolved("x == ${each.v}", { "each.v": value })).toEqual([
			["bad-value", "${each.v}", expect.stringMatching(/^the value of `\$\{each\.v\}` is not a decimal number/)],
		]);
	});

	it("has no id that would be more than a string, also one of the service", () => {
		const lookups = {
			userTags: new Map([["t", "x') || true || ('"]]),
			users: new Map<string, string>(),
			variable: () => ({ value: "" }),
		};
		expect(resolveTemplate(parseTemplate("user.tags.contains('${userTags.t}')"), lookups)).toMatchObject({
			problems: [{ code: "bad-value", span: { start: 19, end: 34 } }],
		});
	});

	it("takes a value with a reference in it as text", () => {
		expect(resolved("x == '${each.v}'", { "each.v": "${users.alice}" })).toBe("x == '${users.alice}'");
	});

	it("is none where a name or a value is missing, with all that is", () => {
		expect(resolved("['${users['lead ${each.team}']}', '${userTags.signer}', '${users.bob}', '${each.v}']")).toEqual([
			["unknown-reference", "'${users['lead ${each.team}']}'", noVariable],
			["unknown-reference", "'${userTags.signer}'", "no tag `signer` under `userTags`; did you mean `signers`?"],
			["unknown-reference", "'${users.bob}'", "no alias `bob` under `users`; there are `alice`"],
			["unset-variable", "'${each.v}'", "each.v is not set"],
		]);
	});

	it("is none where it is too long", () => {
		expect(resolved("x == '${each.v}'", { "each.v": "a".repeat(100_000) })).toEqual([
			["expression-syntax", "x == '${each.v}'", expect.stringMatching(/^the expression is too long/)],
		]);
	});
});

describe("an escaped expression", () => {
	it.each([
		"x == '${userTags.a}'",
		"$${",
		"$$${a}",
		"'$'${",
		"a = ${",
		"${${",
		"x == '${users['a']}'",
	])("%s reads back as itself", (text) => {
		const { references } = parseTemplate(escapeTemplate(text));
		expect([references, resolved(escapeTemplate(text))]).toEqual([[], text]);
	});
});
