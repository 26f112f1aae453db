/** Lists of which some items may be missing, counts that are not exact, and the reasons of what is unknown. */
import { describe, expect, it } from "vitest";
import { evaluate, type Scope } from "../../../src/policy/language/evaluate.ts";
import { compare, equal } from "../../../src/policy/language/evaluate-operators.ts";
import {
	type Count,
	combine,
	describeValue,
	errs,
	isUnknown,
	listOf,
	ofActivity,
	ofSomeActivities,
	structOf,
	timestampOf,
	type Unknown,
	unread,
	type Value,
} from "../../../src/policy/language/values.ts";
import { outcome, parseText } from "../worlds.ts";

const doubt = unread("it may be missing");
const user = (id: string): Value => structOf({ id });
/** alice surely, and bob perhaps. */
const voters: Value = { items: [user("alice"), user("bob")], doubts: new Map([[1, doubt]]) };
const all: Value = {
	items: [user("alice"), user("bob")],
	doubts: new Map([
		[0, doubt],
		[1, doubt],
	]),
};
const scope = new Map<string, Value>([
	["approvers", voters],
	["perhaps", all],
	["texts", listOf(["a", "b"])],
	["text", "abc"],
	["wallet", ofActivity],
	["hidden", unread("it is not shown")],
	["number", 7n],
]);
const resultOf = (text: string): unknown => outcome(text, scope);
const maybe = "unread: it may be missing";

describe("A list in which an item may be missing", () => {
	it.each([
		["approvers.any(user, user.id == 'alice')", true],
		["approvers.any(user, user.id == 'bob')", maybe],
		["approvers.any(user, user.id == 'carol')", false],
		["approvers.all(user, user.id == 'alice')", maybe],
		["approvers.all(user, user.id == 'bob')", false],
		["approvers.all(user, user.id != 'carol')", true],
		["perhaps.any(user, user.id != 'carol')", maybe],
		["perhaps.all(user, user.id == 'alice')", maybe],
		["approvers.any(user, user.nothing == 1)", "error: there is no `user.nothing`"],
		["perhaps.any(user, user.nothing == 1)", maybe],
	])("%s is %s", (text, expected) => {
		expect(resultOf(text)).toBe(expected);
	});

	it.each([
		["approvers.count() >= 1", true],
		["approvers.count() > 2", false],
		["approvers.count() >= 2", maybe],
		["approvers.count() == 2", maybe],
		["approvers.count() == 3", false],
		["approvers.count() != 3", true],
		["approvers.count() == 0", false],
		["perhaps.count() == 0", maybe],
		["perhaps.count() <= 2", true],
		["approvers.count() < 3", true],
		["approvers.count() <= 1", maybe],
		["approvers.count() == perhaps.count()", maybe],
		["approvers.filter(user, user.id == 'bob').count() <= 1", true],
		["approvers.filter(user, user.id == 'bob').count() == 1", maybe],
		["approvers.filter(user, user.id == 'alice').count() == 1", true],
		["approvers.filter(user, user.id == 'alice' || user.id == 'bob').count() == 2", maybe],
		["approvers.filter(user, user.id == 'carol').count() == 0", true],
	])("counts: %s is %s", (text, expected) => {
		expect(resultOf(text)).toBe(expected);
	});

	it("has items by index up to the first that may be missing", () => {
		expect(resultOf("approvers[0].id")).toBe("alice");
		expect(resultOf("approvers[1].id")).toBe(maybe);
		expect(resultOf("approvers[2].id")).toBe("error: there is no item 2: the list has 2");
		expect(resultOf("approvers[0..0].count()")).toBe(0n);
		expect(resultOf("approvers[0..2].count()")).toBe(maybe);
		expect(resultOf("texts[0..1].count()")).toBe(1n);
		expect(resultOf("texts[1]")).toBe("b");
	});
});

describe("An index or a slice", () => {
	it.each([
		["text[0..2]", "ab"],
		["text[1]", "b"],
		["text[2..2]", ""],
		["text[2..1]", "error: there is no part 2..1: the string has 3 characters"],
		["text[0..4]", "error: there is no part 0..4: the string has 3 characters"],
		["text[3]", "error: there is no part 3..4: the string has 3 characters"],
		["texts[0..3]", "error: there is no slice 0..3: the list has 2"],
		["texts[1..0]", "error: there is no slice 1..0: the list has 2"],
		["number[0]", "error: a number has no index"],
		["number[0..1]", "error: a number has no slice"],
		["text[true]", "error: a bool is no index"],
		["text['a'..'b']", "error: a slice needs two numbers"],
		["text[0..'b']", "error: a slice needs two numbers"],
		["wallet[0..2]", "activity: it depends on the activity"],
		["wallet[0]", "activity: it depends on the activity"],
		["wallet['a']", "activity: it depends on the activity"],
		["wallet[true]", "activity: it depends on the activity"],
		["wallet[0..'b']", "activity: it depends on the activity"],
		["wallet['a'..2]", "activity: it depends on the activity"],
		["wallet[nothing..1]", "error: no value has the name `nothing`"],
		["wallet[0..nothing]", "error: no value has the name `nothing`"],
		["wallet[nothing]", "error: no value has the name `nothing`"],
		["nothing[wallet]", "error: no value has the name `nothing`"],
		["text[wallet]", "activity: it depends on the activity"],
		["text[wallet..1]", "activity: it depends on the activity"],
		["text[0..wallet]", "activity: it depends on the activity"],
		["text[perhaps.count()]", maybe],
		["text[0..perhaps.count()]", maybe],
	])("%s is %s", (text, expected) => {
		expect(resultOf(text)).toBe(expected);
	});
});

describe("A comparison", () => {
	const count = (atLeast: bigint, atMost: bigint): Count => ({ atLeast, atMost, because: doubt });

	it("of a count with a number is known where all that it may be agree", () => {
		const orders = ["<", "<=", ">", ">="] as const;
		const known = (left: Value, right: Value) =>
			orders.map((order) => compare(order, left, right)).map((one) => (isUnknown(one) ? null : one));
		expect(known(count(2n, 4n), 2n)).toEqual([false, null, null, true]);
		expect(known(count(2n, 4n), 4n)).toEqual([null, true, false, null]);
		expect(known(count(2n, 4n), 5n)).toEqual([true, true, false, false]);
		expect(known(3n, count(4n, 5n))).toEqual([true, true, false, false]);
		expect(known(count(2n, 4n), count(4n, 5n))).toEqual([null, true, false, null]);
		expect(known(3n, 3n)).toEqual([false, true, false, true]);
	});

	it("of a count for equality is false where it cannot be, and never surely true", () => {
		const equals = (left: Value, right: Value) => {
			const found = equal(left, right, "==");
			return isUnknown(found) ? null : found;
		};
		expect(equals(count(2n, 4n), 1n)).toBe(false);
		expect(equals(count(2n, 4n), 5n)).toBe(false);
		expect(equals(5n, count(2n, 4n))).toBe(false);
		expect(equals(count(2n, 4n), 2n)).toBe(null);
		expect(equals(4n, count(2n, 4n))).toBe(null);
		expect(equals(count(2n, 4n), count(4n, 6n))).toBe(null);
	});

	it("of values of two kinds errs, and names them", () => {
		const because = (value: boolean | Unknown) => (isUnknown(value) ? `${value.error}: ${value.because}` : value);
		expect(because(compare("<", "a", "b"))).toBe("wrong-type: `<` does not compare a string with a string");
		expect(because(compare("<", 1n, timestampOf(0)))).toBe(
			"wrong-type: `<` does not compare a number with a timestamp",
		);
		expect(because(equal(1n, "1", "!="))).toBe("wrong-type: `!=` does not compare a number with a string");
		expect(because(equal(true, "true", "=="))).toBe("wrong-type: `==` does not compare a bool with a string");
		expect(because(equal(true, 1n, "in"))).toBe("wrong-type: `in` does not compare a bool with a number");
		expect(because(equal(1n, listOf([]), "in"))).toBe("wrong-type: `in` does not compare a number with a list");
	});

	it("of timestamps is that of their times", () => {
		const [early, late] = [timestampOf(1), timestampOf(2)];
		expect([compare("<", early, late), compare(">=", early, late), compare("<=", early, early)]).toEqual([
			true,
			false,
			true,
		]);
		expect([equal(early, timestampOf(1), "=="), equal(early, late, "==")]).toEqual([true, false]);
		expect([equal(true, true, "in"), equal(true, false, "==")]).toEqual([true, false]);
	});

	it("with something unknown has its reason, or that of both", () => {
		const [wallet, hidden] = [ofActivity, unread("hidden")];
		expect(compare("<", wallet, 1n)).toBe(wallet);
		expect(compare("<", 1n, wallet)).toBe(wallet);
		expect(compare("<", wallet, hidden)).toBe(hidden);
		expect(compare("<", wallet, ofSomeActivities)).toBe(wallet);
	});
});

describe("The reason of several that are unknown", () => {
	it("is an error before what is not shown, and that before what depends on the activity", () => {
		const [error, hidden, wallet] = [errs("wrong-type", "it errs"), unread("hidden"), ofActivity];
		expect(combine([wallet, hidden, error])).toBe(error);
		expect(combine([wallet, hidden])).toBe(hidden);
		expect(combine([wallet, ofSomeActivities])).toBe(wallet);
		expect(combine([])).toBe(null);
	});
});

it("A message calls each value what it is", () => {
	const count: Count = { atLeast: 0n, atMost: 1n, because: doubt };
	const values: Value[] = [true, 1n, count, "a", timestampOf(0), listOf([]), structOf({}), doubt];
	expect(values.map(describeValue)).toEqual([
		...["a bool", "a number", "a number", "a string", "a timestamp", "a list", "a struct"],
		"an unknown value",
	]);
});

it("A number that neither 128 nor 256 bits hold is out of range", () => {
	const of = (number: bigint) => evaluate(parseText("number > 0"), new Map([["number", number]]) as Scope);
	expect(of(2n ** 256n - 1n)).toBe(true);
	expect(of(-(2n ** 127n))).toBe(false);
	expect(of(2n ** 256n)).toMatchObject({ error: "out-of-range" });
	expect(of(-(2n ** 127n) - 1n)).toMatchObject({ error: "out-of-range" });
});
