/** What is wrong with an expression of a document, how a live one is written, and which two are the same. */
import { describe, expect, it } from "vitest";
import { checkTemplate, isId, templateOf } from "../../../src/policy/language/check-template.ts";
import { resolveTemplate } from "../../../src/policy/language/resolve-template.ts";
import { sameExpression } from "../../../src/policy/language/same-expression.ts";
import type { Clause } from "../../../src/policy/language/syntax.ts";
import { parseTemplate } from "../../../src/policy/language/template.ts";

const signersId = "11111111-1111-4111-8111-111111111111";
const aliceId = "22222222-2222-4222-8222-222222222222";

/** Returns the problems of a text: code, place and message of each. */
function problemsIn(text: string, clause: Clause = "consensus"): readonly (readonly [string, string, string])[] {
	return checkTemplate(parseTemplate(text), clause).map(
		({ code, message, span }) => [code, text.slice(span.start, span.end), message] as const,
	);
}

describe("An id", () => {
	it.each([
		[signersId, true],
		[signersId.toUpperCase(), true],
		[`x${signersId}`, false],
		[`${signersId}x`, false],
		[signersId.slice(1), false],
		[signersId.replaceAll("-", ""), false],
		["", false],
	])("is a UUID and nothing else: %s", (text, expected) => {
		expect(isId(text)).toBe(expected);
	});
});

describe("a checked template", () => {
	it.each<[Clause, string]>([
		["consensus", "approvers.any(user, user.tags.contains('${userTags.signers}'))"],
		["consensus", `approvers.any(user, user.tags.contains('${signersId}') || user.id == '\${each.owner}')`],
		["consensus", "approvers.count() >= ${each.approvals}"],
		["consensus", "(approvers.count() > 1 && true) || true"],
		["condition", "!wallet.imported == true"],
		["condition", "activity.kind == 'SIGN_TRANSACTION' && eth.tx.value < ${ORGSYNC_VAR_LIMIT}"],
		["condition", "activity.params.user_id in ['${users.alice}', '${each.owner}']"],
		["condition", "activity.kind == '${each.kind}' && wallet.label == '$${x}'"],
		["time", "time.now < Timestamp('${each.until}')"],
	])("of %s has no problem in %s", (clause, text) => {
		expect(problemsIn(text, clause)).toEqual([]);
	});

	it.each<[string, string, string, string | RegExp]>([
		[
			"approvers.any(user, user.tag.contains('a'))",
			"expression-type",
			"user.tag",
			/`User` has no field `tag`; did you mean `id`|did you mean `tags`/,
		],
		["approver.count() > 1", "expression-type", "approver", /is not a name of consensus; did you mean `approvers`\?/],
		["approvers.count()", "expression-type", "approvers.count()", /needs a bool, not a number/],
		[
			"approvers.any(u, u.id == ${each.n})",
			"expression-type",
			"u.id == ${each.n}",
			"`==` compares a string with a number; write `'${each.n}'` in quotes",
		],
		[
			"approvers.any(u, u.tags.contains('signers'))",
			"not-an-id",
			"'signers'",
			"`'signers'` is not the id of a tag, so nothing matches it; write `'${userTags.signers}'`",
		],
		["approvers.any(u, 'it}' in u.tags)", "not-an-id", "'it}'", /write `'\$\{userTags\['it\}'\]\}'`/],
		["approvers.any(u, u.tags.any(t, t in ['a']))", "not-an-id", "'a'", /write `'\$\{userTags\.a\}'`/],
		[
			"approvers.filter(u, u.id != 'bob').count() > 1",
			"not-an-id",
			"'bob'",
			/is not the id of a user.*write `'\$\{users\.bob\}'`/,
		],
		["[1, '${each.a}'].count() > 1", "expression-type", "'${each.a}'", /a list holds items of one type/],
		["approvers.any(u, 'bob' == u.id)", "not-an-id", "'bob'", /users/],
		["approvers[0].id == 'bob'", "not-an-id", "'bob'", /users/],
		["credentials.all(c, ['bob'].contains(c.user_id))", "not-an-id", "'bob'", /users/],
		[
			"approvers.any(u, u.id == '${userTags.signers}')",
			"not-an-id",
			"'${userTags.signers}'",
			"expected the id of a user, found the tag `'${userTags.signers}'`",
		],
		[
			"true && true || true",
			"mixed-operators",
			"true && true",
			"`&&` beside `||` without parentheses: which comes first is not documented; write `(true && true)`",
		],
		["true || true && true && true", "mixed-operators", "true && true && true", /write/],
		["!(true || true && true)", "mixed-operators", "true && true", /write/],
		["a = b", "expression-syntax", "=", /is not an operator/],
		["approvers.any(u, u.id == '${x}')", "bad-reference", "${x}", /./],
	])("of consensus has one in %s", (text, code, place, message) => {
		const problems = problemsIn(text);
		expect(problems).toEqual([[code, place, expect.stringMatching(/./)]]);
		expect(problems[0]?.[2]).toMatch(message);
	});

	it("has one for each mistake, in the order of the text", () => {
		const text =
			"approvers.any(u, u.tags.contains('a') || u.mail == '${each.a}' && u.id == 'b') || aprovers.count() > 1";
		expect(problemsIn(text).map(([code, place]) => `${code} ${place}`)).toEqual([
			"not-an-id 'a'",
			"expression-type u.mail",
			"mixed-operators u.mail == '${each.a}' && u.id == 'b'",
			"not-an-id 'b'",
			"expression-type aprovers",
		]);
	});

	it("has one for a name of tags of keys, which are no tags of users, nowhere", () => {
		expect(problemsIn("private_key.tags.contains('cold') && wallet.id == 'w'", "condition")).toEqual([]);
	});
});

describe("a live expression as a template", () => {
	const names = {
		tagNames: new Map([[signersId, "it's } \\ ok"]]),
		aliases: new Map([[aliceId, "alice"]]),
	};

	it.each([
		[`approvers.any(user, user.id == '${aliceId}')`, "approvers.any(user, user.id == '${users.alice}')"],
		[
			`approvers.any(u,\n\tu.tags.contains( '${signersId}' ))`,
			"approvers.any(u,\n\tu.tags.contains( '${userTags['it''s } \\ ok']}' ))",
		],
		[
			`approvers.any(u, u.id in ['${aliceId}', '${signersId}'])`,
			`approvers.any(u, u.id in ['\${users.alice}', '${signersId}'])`,
		],
		[`wallet.id == '${signersId}' && x == '\${y}'`, `wallet.id == '${signersId}' && x == '$\${y}'`],
		[
			`approvers.any(u, u.id == '${aliceId}') // '\${users.alice}'`,
			`approvers.any(u, u.id == '${aliceId}') // '$\${users.alice}'`,
		],
		["", ""],
	])("of %s is %s", (text, template) => {
		expect(templateOf(text, names)).toBe(template);
		const lookups = {
			userTags: new Map([["it's } \\ ok", signersId]]),
			users: new Map([["alice", aliceId]]),
			variable: () => ({ value: "" }),
		};
		expect(resolveTemplate(parseTemplate(template), lookups)).toEqual({ text });
	});

	it("keeps an id whose name no template can have", () => {
		const text = `approvers.any(user, user.id == '${aliceId}')`;
		expect(templateOf(text, { ...names, aliases: new Map([[aliceId, "a\nb"]]) })).toBe(text);
	});
});

describe("two expressions", () => {
	it.each([
		["a == 1&&b", "a==1\n  && b\n"],
		["((a)) && (b == ('c'))", "a && b == 'c'"],
		["(a && b) && c", "a && b && c"],
		["(a && b) || c", "( (a) && b) || (c)"],
		["a && b || (c)", "(a && b  || c)"],
		["[a && b || c]", "[(a && b || c)]"],
		["(!a) && b", "!a && b"],
		["a = 'x'", "a = 'x'"],
		["", ""],
	])("%j and %j are the same", (left, right) => {
		expect([sameExpression(left, right), sameExpression(right, left)]).toEqual([true, true]);
	});

	it.each([
		["a && (b && c)", "a && b && c"],
		["a && b || c", "(a && b) || c"],
		["a || b && c", "a || (b && c)"],
		["a && b || c || d", "(a && b || c) || d"],
		["!a == b", "(!a) == b"],
		["a == '1'", "a == 1"],
		["a == 'b'", "a == 'B'"],
		["a == 'b  c'", "a == 'b c'"],
		["a.b", "a['b']"],
		["a in [[b], c]", "a in [[b, c]]"],
		["{ a: b }", "{ c: b }"],
		["a.any(x, x)", "a.any(y, y)"],
		["a in ['b', 'c']", "a in ['c', 'b']"],
		["a = 'x'", "a  = 'x'"],
		["a", ""],
	])("%j and %j are not the same", (left, right) => {
		expect([sameExpression(left, right), sameExpression(right, left)]).toEqual([false, false]);
	});

	it("are compared where they are as long and as deep as one can be", () => {
		const chain = Array.from({ length: 1_900 }, (_, index) => `a == ${index}`).join(" && ");
		expect(sameExpression(chain, `(${chain} )`)).toBe(true);
		expect(sameExpression(`${chain} || b`, `(${chain}) || b`)).toBe(false);
	});
});
