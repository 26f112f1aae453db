/** Evaluation in three values: what is known, what errs, and what stays unknown with its reason. */

import { describe, expect, it } from "vitest";
import type { Scope } from "../../../src/policy/language/evaluate.ts";
import { listOf, ofActivity, structOf, timestampOf, unread, type Value } from "../../../src/policy/language/values.ts";
import { cpuMsOf } from "../../cpu-time.ts";
import { at, outcome } from "../worlds.ts";

/** A user as policies see one. */
function user(id: string, ...tags: string[]): Value {
	return structOf({
		id,
		tags: listOf(tags),
		email: `${id}@example.com`,
		alias: unread("no read shows it"),
	});
}

const approvers = listOf([user("alice", "security", "operations"), user("bob", "operations"), user("carol")]);

/** A transfer that a wallet signs. */
const scope: Scope = new Map<string, Value>([
	["approvers", approvers],
	[
		"activity",
		structOf({ type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", resource: "PRIVATE_KEY", action: "SIGN" }, ofActivity),
	],
	["wallet", ofActivity],
	["private_key", structOf({})],
	["numbers", listOf([1n, 2n, 3n])],
	["people", listOf([user("alice", "a"), ofActivity, user("carol", "c")])],
	["time", structOf({ now: timestampOf(Date.UTC(2026, 2, 15)) })],
]);

describe("an expression", () => {
	it.each([
		["true && false", false],
		["true || false && false", true],
		["(true || false) && false", false],
		["!true || true", true],
		["1 < 2", true],
		["2 <= 1", false],
		["170141183460469231731687303715884105728 > 256", true],
		["'a' != 'b'", true],
		["'a' == 'A'", false],
		["1 in [1, 2, 3]", true],
		["'x' in []", false],
		["[1, 2, 3][0] == 1", true],
		["'abc'[0] == 'a'", true],
		["[1, 2, 3][0..2].count() == 2", true],
		["'0xa9059cbb00'[0..10] == '0xa9059cbb'", true],
		["'abc'[1..1] == ''", true],
		["[1, 1, 1].all(x, x == 1)", true],
		["[1, 2, 3].any(x, x == 4)", false],
		["[].all(x, x == 1)", true],
		["[1, 2, 3].contains(3)", true],
		["[1, 2, 3].filter(x, x > 1).count() == 2", true],
		["{ id: 'abc' }.id == 'abc'", true],
		["numbers.any(x, numbers.all(y, x >= y))", true],
		["time.now >= Timestamp('2026-03-01T00:00:00Z') && time.now < Timestamp('2026-04-01T00:00:00Z')", true],
		["CronSpan('0 9 * * 1-5', '8h', 'America/New_York')", false],
	])("%s is %s", (text, expected) => {
		expect(outcome(text, scope)).toBe(expected);
	});
});

describe("no short circuit", () => {
	it.each([
		["private_key.id == 'k' || true", "error: there is no `private_key.id`"],
		["true || private_key.id == 'k'", "error: there is no `private_key.id`"],
		["false && (true || private_key.id == 'k')", "error: there is no `private_key.id`"],
		["wallet.id == 'w' || private_key.id == 'k'", "error: there is no `private_key.id`"],
		["[1, 2].any(x, x == 1 || x == 'a')", "error: `==` does not compare a number with a string"],
		["[1][1] == 1 || true", "error: there is no item 1: the list has 1"],
		["'abc'[2..4] == 'c'", "error: there is no part 2..4: the string has 3 characters"],
		["[1].contains([1][3]) || true", "error: there is no item 3: the list has 1"],
		["nothing == 1 || true", "error: no value has the name `nothing`"],
		["[].contains([1][3]) || true", "error: there is no item 3: the list has 1"],
		["[1][3] in [] || true", "error: there is no item 3: the list has 1"],
		["[1][3] == wallet.id || true", "error: there is no item 3: the list has 1"],
		["wallet.id == [1][3] || true", "error: there is no item 3: the list has 1"],
		["Timestamp(wallet.id) == time.now || [1][3] == 1", "error: `Timestamp` needs one string"],
		["1 && true", "error: `&&` needs a bool, not a number"],
		["false || 'a'", "error: `||` needs a bool, not a string"],
		["numbers.id == 1", "error: a list has no fields"],
		["numbers['id'] == 1", "error: a list has no keys"],
	])("%s errs: %s", (text, expected) => {
		expect(outcome(text, scope)).toBe(expected);
	});
});

describe("an operand that errs", () => {
	const [none, noItem] = ["error: no value has the name `none`", "error: there is no item 3: the list has 1"];
	it.each([
		["[1][3] in []", noItem],
		["none in []", none],
		["1 in none", none],
		["none in [1][3]", none],
		["[1][3] in none", noItem],
		["wallet in none", none],
		["none in wallet", none],
		["none == wallet.id", none],
		["wallet.id != none", none],
		["wallet.id > none", none],
		["none <= wallet.id", none],
		["none == [1][3]", none],
		["[1][3] == none", noItem],
		["[].contains([1][3])", noItem],
		["[].contains(none)", none],
		["wallet.contains(none)", none],
		["none.contains(1)", none],
		["none.contains([1][3])", none],
		["none.count() == 1", none],
		["none.any(x, true)", none],
		["!none", none],
		["none.id", none],
		["none['id']", none],
		["[1, none].count()", none],
		["{ a: 1, b: none }.a == 1", none],
		["Timestamp(none) == time.now", "error: `Timestamp` needs one string"],
		["Timestamp(wallet.id) == time.now", "error: `Timestamp` needs one string"],
		["CronSpan('0 9 * * *', wallet.id, none)", "error: `CronSpan` needs three strings"],
	])("%s makes the whole err: %s", (text, expected) => {
		expect(outcome(text, scope)).toBe(expected);
	});
});

describe("a value where another type is needed", () => {
	it.each([
		["1['a']", "error: a number has no keys"],
		["true.a", "error: a bool has no fields"],
		["'a'.b", "error: a string has no fields"],
		["[1]['a']", "error: a list has no keys"],
		["numbers.a", "error: a list has no fields"],
		["1 && true", "error: `&&` needs a bool, not a number"],
		["false || 'a'", "error: `||` needs a bool, not a string"],
		["true || [1]", "error: `||` needs a bool, not a list"],
		["false && numbers.count()", "error: `&&` needs a bool, not a number"],
		["true && 1 && wallet.id == 'w'", "error: `&&` needs a bool, not a number"],
		["!1", "error: `!` needs a bool, not a number"],
		["1.count() == 1", "error: `count` needs a list, not a number"],
		["'a'.any(x, x == 'a')", "error: `any` needs a list, not a string"],
		["'a'.filter(x, x == 'a')", "error: `filter` needs a list, not a string"],
		["'abc'.contains('a')", "error: `contains` needs a list, not a string"],
		["wallet.any(x, x == 'a')", "activity: it depends on the activity"],
		["1 in 1", "error: `in` needs a list, not a number"],
		["[1, 2].all(x, x)", "error: the condition of `all` is a number, not a bool"],
		["Timestamp(1) == time.now", "error: `Timestamp` needs one string"],
		["Timestamp('2026-03-15T00:00:00Z', 'a') == time.now", "error: `Timestamp` needs one string"],
		["CronSpan('0 9 * * *', '8h', 'UTC', 'a')", "error: `CronSpan` needs three strings"],
		["CronSpan('0 9 * * *', '8h')", "error: `CronSpan` needs three strings"],
	])("%s is %s", (text, expected) => {
		expect(outcome(text, scope)).toBe(expected);
	});
});

describe("a bound below zero", () => {
	const below = new Map<string, Value>([
		["below", -1n],
		["text", "abc"],
		["list", listOf([1n, 2n, 3n])],
	]);
	it.each([
		["text[below]", "error: there is no part -1..0: the string has 3 characters"],
		["text[below..2]", "error: there is no part -1..2: the string has 3 characters"],
		["text[below..below]", "error: there is no part -1..-1: the string has 3 characters"],
		["list[below]", "error: there is no item -1: the list has 3"],
		["list[below..2]", "error: there is no slice -1..2: the list has 3"],
		["list[0..3].count()", 3n],
		["list[3..3].count()", 0n],
		["text[0..3]", "abc"],
	])("%s is outside: %s", (text, expected) => {
		expect(outcome(text, below)).toBe(expected);
	});
});

describe("the moment of a window", () => {
	const isOpenAt = (timestamp: bigint): unknown =>
		outcome("CronSpan('0 0 * * *', '1h', 'UTC')", new Map([["time", structOf({ now: { timestamp } })]]));
	const hour = 3_600_000_000_000n;

	it("is exact to the nanosecond, before 1970 as after", () => {
		expect([0n, 1n, hour - 1n].map(isOpenAt)).toEqual([true, true, true]);
		expect([hour, hour + 1n, -1n, -1_000_000n].map(isOpenAt)).toEqual([false, false, false, false]);
		expect([-24n * hour, -23n * hour - 1n].map(isOpenAt)).toEqual([true, true]);
		expect([-24n * hour - 1n, -23n * hour].map(isOpenAt)).toEqual([false, false]);
	});

	it("is unknown where the time is, and missing where there is none or it is no time", () => {
		const text = "CronSpan('0 0 * * *', '1h', 'UTC')";
		const withNow = (now: Value): unknown => outcome(text, new Map([["time", structOf({ now })]]));
		expect(withNow(ofActivity)).toBe("activity: it depends on the activity");
		expect(outcome(text, new Map<string, Value>([["time", ofActivity]]))).toBe("activity: it depends on the activity");
		const missing = "error: there is no `time.now`";
		expect([withNow(1n), withNow("a"), outcome(text, new Map())]).toEqual([missing, missing, missing]);
		expect(outcome(text, new Map([["time", structOf({})]]))).toBe(missing);
	});
});

describe("a comparison of a time", () => {
	const now = at("2026-03-15T00:00:00Z");

	it.each([
		["time.now == Timestamp('2026-03-15T00:00:00Z')", true],
		["time.now != Timestamp('2026-03-15T00:00:00Z')", false],
		["time.now < Timestamp('2026-03-15T00:00:00Z')", false],
		["time.now <= Timestamp('2026-03-15T00:00:00Z')", true],
		["time.now == 5", "error: `==` does not compare a timestamp with a number"],
		["5 == time.now", "error: `==` does not compare a number with a timestamp"],
		["time.now < 5", "error: `<` does not compare a timestamp with a number"],
		["5 >= time.now", "error: `>=` does not compare a number with a timestamp"],
	])("%s is %s", (text, expected) => {
		expect(outcome(text, now)).toBe(expected);
	});
});

describe("an unknown operand", () => {
	it.each([
		["wallet.id == 'w' && false", false],
		["wallet.id == 'w' || true", true],
		["wallet.id == 'w'", "activity: it depends on the activity"],
		["!(wallet.id == 'w') && true", "activity: it depends on the activity"],
		["wallet.tags[0]['a'] == 1", "activity: it depends on the activity"],
		["activity.params.user_ids.count() == 1", "activity: it depends on the activity"],
		["wallet.id == 'w' || activity.kind == 'A' || wallet.id == 'v'", "activity: it depends on the activity"],
		["approvers[0].alias == 'a'", "unread: no read shows it"],
		["approvers[0].alias == 'a' && wallet.id == 'w'", "unread: no read shows it"],
		["'é'[0] == 'e'", "unread: a part of a string with other characters than ASCII is not documented"],
	])("%s is %s", (text, expected) => {
		expect(outcome(text, scope)).toBe(expected);
	});
});

describe("a list with an unknown item", () => {
	const depends = "activity: it depends on the activity";
	it.each([
		["people.any(p, p.id == 'alice')", true],
		["people.any(p, p.id == 'bob')", depends],
		["people.all(p, p.id == 'alice')", false],
		["people.all(p, p.id != 'bob')", depends],
		["people.count() == 3", true],
		["people.filter(p, p.id == 'alice').count() >= 1", true],
		["people.filter(p, p.id == 'alice').count() >= 2", depends],
		["people.filter(p, p.id == 'alice').count() >= 3", false],
		["people.filter(p, p.id == 'alice').count() < 1", false],
		["people.filter(p, p.id == 'alice').count() == 3", false],
		["people.filter(p, p.id == 'alice').count() in [1, 2]", depends],
		["people.filter(p, p.id == 'alice').count() in [3, 4]", false],
		["people.filter(p, p.id == 'alice').any(p, p.id == 'alice')", true],
		["people.filter(p, p.id == 'alice').count() < people.filter(p, p.id == 'alice').count()", depends],
		["people.filter(p, p.id == 'alice').count() <= people.count()", true],
		["people.filter(p, p.id != 'bob')[0].id == 'alice'", true],
		["people.filter(p, p.id != 'bob')[1].id == 'carol'", depends],
	])("%s is %s", (text, expected) => {
		expect(outcome(text, scope)).toBe(expected);
	});
});

describe("an item that may be missing", () => {
	const noRead = "unread: no read shows it";
	it.each([
		["approvers.filter(u, u.alias == 'a')[0].id == 'alice'", noRead],
		["approvers.filter(u, u.alias == 'a')[0..1].count() == 1", noRead],
		["approvers.filter(u, u.alias == 'a').any(u, u.tags[9] == 'a')", noRead],
		["approvers.filter(u, u.alias == 'a').any(u, u.id == 'dave')", false],
		["approvers.filter(u, u.alias == 'a').all(u, u.id != 'dave')", true],
		["approvers.filter(u, u.alias == 'a').count() > 3", false],
		["approvers.filter(u, u.alias == 'a')[3].id == 'a'", "error: there is no item 3: the list has 3"],
	])("%s is %s", (text, expected) => {
		expect(outcome(text, scope)).toBe(expected);
	});
});

describe("functions in functions in functions", () => {
	it("are unknown where they take too long", () => {
		const many = new Map([["approvers", listOf(Array.from({ length: 100 }, (_, index) => user(`user-${index}`)))]]);
		const inside = (depth: number): string =>
			depth === 0 ? "false" : `approvers.any(u${depth}, u${depth}.id == 'a' || ${inside(depth - 1)})`;
		expect(outcome(inside(2), many)).toBe(false);
		const ms = cpuMsOf(() => {
			expect(outcome(inside(6), many)).toBe("unread: the expression takes too long to evaluate");
		});
		// Code with mutants in it is slower.
		if (!process.env.ORGSYNC_MUTANTS_TESTS) expect(ms).toBeLessThan(1_000);
	});
});
