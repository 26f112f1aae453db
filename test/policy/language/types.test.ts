/** The type that the items of a list have, and what of the language only looks at the tree of an expression. */
import { describe, expect, it } from "vitest";
import { mentionsName, mentionsVotes } from "../../../src/policy/language/mentions.ts";
import { type Type, unify } from "../../../src/policy/language/types.ts";
import { mistakesIn, parseText } from "../worlds.ts";

const [any, number, string] = (["any", "number", "string"] as const).map((kind): Type => ({ kind })) as [
	Type,
	Type,
	Type,
];
const list = (of: Type): Type => ({ kind: "list", of });
const map = (of: Type): Type => ({ kind: "map", of });
const struct = (fields: Readonly<Record<string, Type>>, name = ""): Type => {
	return { kind: "struct", name, fields: new Map(Object.entries(fields)), isOpen: false };
};

describe("Two types in one list", () => {
	it("are the one that is known", () => {
		expect(unify(any, string)).toEqual(string);
		expect(unify(number, any)).toEqual(number);
		expect(unify(list(any), list(string))).toEqual(list(string));
		expect(unify(map(string), map(any))).toEqual(map(string));
		expect(unify(struct({ a: any }), struct({ a: number }))).toEqual(struct({ a: number }));
	});

	it("are none where kinds, items or fields differ", () => {
		expect(unify(string, number)).toBe(null);
		expect(unify(list(string), list(number))).toBe(null);
		expect(unify(map(string), map(number))).toBe(null);
		expect(unify(list(string), map(string))).toBe(null);
		expect(unify(map(string), list(string))).toBe(null);
		expect(unify(struct({ a: string }), struct({ a: number }))).toBe(null);
		expect(unify(struct({ a: string }), struct({ b: string }))).toBe(null);
		expect(unify(struct({ a: string }), struct({ a: string, b: string }))).toBe(null);
		expect(unify(struct({ a: string }), string)).toBe(null);
	});

	it("are one of two with a name where the name is the same", () => {
		const [user, wallet] = [struct({ id: string }, "User"), struct({ id: string }, "Wallet")];
		expect(unify(user, struct({ id: string }, "User"))).toBe(user);
		expect(unify(user, wallet)).toBe(null);
	});
});

describe("A name in an expression", () => {
	it.each([
		"secret",
		"['a', secret]",
		"{ id: secret }.id == 'a'",
		"wallets[secret]",
		"secret[0]",
		"secret[0..1]",
		"eth.tx.data[secret..1]",
		"eth.tx.data[0..secret]",
		"secret.count() == 1",
		"wallets.any(wallet, wallet.id == secret)",
		"Timestamp(secret)",
		"secret.static_properties",
		"!secret",
		"secret == 1",
		"1 == secret",
		"true && (false || secret)",
	])("is found in %s", (text) => {
		expect(mentionsName(parseText(text), ["secret"])).toBe(true);
		expect(mentionsName(parseText(text), ["tron"])).toBe(false);
	});

	it("is not found in a text or a field", () => {
		expect(mentionsName(parseText("activity.secret == 'secret'"), ["secret"])).toBe(false);
	});

	it("is one of those who vote: approvers and their credentials", () => {
		const found = ["approvers.count() == 1", "credentials.count() == 1", "wallets.count() == 1"].map((text) =>
			mentionsVotes(parseText(text)),
		);
		expect(found).toEqual([true, true, false]);
	});
});

describe("A message about types", () => {
	it.each([
		["condition", "eth.tx.value == '1500'", "0: `==` compares a number with a string; write `1500` without quotes"],
		["condition", "eth.tx.value == 'x15'", "0: `==` compares a number with a string"],
		["condition", "eth.tx.value == '15x'", "0: `==` compares a number with a string"],
		["time", "time.now > 5", "0: `>` compares a timestamp with a number"],
		[
			"time",
			"CronSpan(1, '8h', 'UTC')",
			"0: `CronSpan` needs 3 strings in single quotes: `CronSpan('0 9 * * 1-5', '8h', 'America/New_York')`",
		],
		[
			"time",
			"time.now > Timestamp(5)",
			"11: `Timestamp` needs 1 string in single quotes: `Timestamp('2026-03-01T00:00:00Z')`",
		],
	] as const)("of %s names the fix where there is one: %s", (clause, text, mistake) => {
		expect(mistakesIn(text, clause)).toEqual([mistake]);
	});
});
