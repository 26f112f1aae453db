/** Expressions in expressions: lists in lists, who is counted by whom, and which activities a condition is about. */

import { describe, expect, it } from "vitest";
import type { AccessState, AccessUser, Known } from "../../../src/policy/access.ts";
import { printExpression } from "../../../src/policy/language/printer.ts";
import type { ActivityGroup } from "../../../src/policy/powers/groups.ts";
import type { GroupPower } from "../../../src/policy/powers/powers.ts";
import { prepareAccess } from "../../../src/policy/powers/prepare.ts";
import { compareAccess, findPower } from "../in-words.ts";
import { at, mistakesIn, outcome, parseText } from "../worlds.ts";

const known = <T>(value: T): Known<T> => ({ known: true, value });
const sign: ActivityGroup = { resource: "PRIVATE_KEY", action: "SIGN" };

function user(id: string, tags: readonly string[], types: readonly string[] = ["API"]): AccessUser {
	const credentials = types.map((type) => ({ id: null, type, credentialId: null, publicKey: `${id}-${type}` }));
	return { id, tagIds: known(tags), email: known(`${id}@example.com`), credentials: known(credentials) };
}

const people = [
	user("a", ["A"], ["API", "PASSKEY"]),
	user("b", ["A", "B"]),
	user("c", ["B"], ["PASSKEY"]),
	user("d", []),
];

function powerOf(consensus: string, condition = "", group = sign): GroupPower {
	const policy = { id: "p", name: "", effect: "EFFECT_ALLOW", consensus, condition, time: "" };
	const access: AccessState = {
		users: known(people),
		policies: known([policy]),
		rootQuorum: known({ threshold: 1, userIds: [] }),
	};
	return findPower(prepareAccess(access, 0), group);
}

describe("A list in a list", () => {
	const ofUser = "c.user_id == u.id";
	it.each([
		[`approvers.any(u, credentials.any(c, ${ofUser}))`, "a b c d"],
		[`approvers.any(u, credentials.any(c, ${ofUser} && c.type == 'PASSKEY'))`, "a c"],
		[`approvers.any(u, u.tags.contains('A') && credentials.any(c, ${ofUser} && c.type == 'PASSKEY'))`, "a"],
		[`credentials.any(c, approvers.any(u, ${ofUser} && u.tags.contains('A')))`, "a b"],
		[`credentials.any(c, c.type == 'PASSKEY' && approvers.any(u, ${ofUser} && u.tags.contains('A')))`, "a"],
		["approvers.any(u, approvers.any(v, v.id == u.id))", "a b c d"],
		["approvers.any(u, u.id == 'a' && approvers.count() >= 1)", "a"],
		["approvers.any(u, approvers.count() > 4)", ""],
		["approvers.filter(u, u.tags.contains('A')).filter(v, v.tags.contains('B')).count() >= 1", "b"],
		["approvers.any(u, u.tags.contains(u.id))", ""],
		["approvers.any(u, u.id == u.email)", ""],
		["approvers.any(u, !(u.id in ['a', 'd']))", "b c"],
	])("counts who surely approves: %s", (consensus, expected) => {
		const { alone, together, unknown } = powerOf(consensus);
		expect([alone.join(" "), together, unknown]).toEqual([expected, [], null]);
	});

	it.each([
		"approvers.any(u, approvers.any(v, v.id != u.id))",
		"approvers.any(u, approvers.all(v, v.id == u.id))",
		"approvers.any(u, u.id == 'a' && approvers.count() >= 2)",
		"!approvers.all(u, u.id == 'a' || approvers.count() >= 2)",
		"approvers.filter(u, approvers.count() >= 2).count() >= 1",
	])("says that it depends on who else approves: %s", (consensus) => {
		const { alone, together, unknown } = powerOf(consensus);
		expect([alone, together, unknown]).toEqual([[], [], "policy p: it depends on who else approves"]);
	});

	it("says which attribute no read shows", () => {
		expect(powerOf("approvers.any(u, u.alias == 'al')").unknown).toBe("policy p: no read shows `user.alias`");
		expect(powerOf("approvers.any(u, u.id == 'a' && u.alias == 'al')").unknown).toBe(
			"policy p: no read shows `user.alias`",
		);
		expect(powerOf("approvers.any(u, u.id == 'a' || u.alias == 'al') && approvers.any(u, u.id == 'b')").alone).toEqual(
			[],
		);
		expect(powerOf("approvers.any(u, u.id == 'z' && u.alias == 'al')").unknown).toBe(null);
	});
});

describe("The tag of a threshold", () => {
	const tagsOf = (consensus: string) =>
		powerOf(consensus)
			.thresholds.flat()
			.map(({ atLeast, tagId }) => [atLeast, tagId]);

	it("is the one that a policy names alone, and none where it names more", () => {
		expect(tagsOf("approvers.any(u, u.tags.contains('A'))")).toEqual([[1, "A"]]);
		expect(tagsOf("approvers.filter(u, u.tags.contains('B')).count() >= 2")).toEqual([[2, "B"]]);
		expect(tagsOf("approvers.filter(u, u.tags.contains('A')).any(v, v.tags.contains('B'))")).toEqual([[1, null]]);
		expect(tagsOf("approvers.filter(u, u.id != 'd').any(v, v.tags.contains('A'))")).toEqual([[1, null]]);
		expect(tagsOf("approvers.any(u, u.tags.contains('A') || u.tags.contains('B'))")).toEqual([[1, null]]);
		expect(tagsOf("approvers.count() >= 3")).toEqual([[3, null]]);
	});
});

describe("An activity that a condition is about", () => {
	const [signing, exporting] = [sign, { resource: "PRIVATE_KEY", action: "EXPORT" }];
	const unnamed = { kind: "SOMETHING_NEW" };

	it.each<[string, ActivityGroup]>([
		["private_key.id == 'k'", signing],
		["private_key.id == 'k'", exporting],
		["private_key.id == 'k'", unnamed],
		["wallet.id == 'w'", signing],
		["wallet.id == 'w'", { resource: "WALLET", action: "EXPORT" }],
		["wallet.id == 'w'", unnamed],
		["eth.tx.to == 'x'", { kind: "SIGN_TRANSACTION" }],
		["eth.tx.to == 'x'", unnamed],
		["activity.type == 'ACTIVITY_TYPE_CREATE_USERS_V2'", { kind: "CREATE_USERS" }],
		["activity.type == 'ACTIVITY_TYPE_CREATE_USERS_V2'", { resource: "USER", action: "CREATE" }],
		["activity.kind == 'DELETE_POLICIES'", { resource: "POLICY", action: "DELETE" }],
		["activity.kind == 'CREATE_USER_TAG'", { resource: "USER", action: "CREATE" }],
		["activity.kind == 'CREATE_PRIVATE_KEY_TAG'", { resource: "PRIVATE_KEY", action: "CREATE" }],
	])("may have what it asks for: %s, %j", (condition, group) => {
		const { alone, conditional, assumptions } = powerOf("true", condition, group);
		expect([alone, conditional.map((one) => one.condition), assumptions]).toEqual([[], [condition], []]);
	});

	it.each<[string, ActivityGroup]>([
		["private_key.id == 'k'", { resource: "WALLET", action: "EXPORT" }],
		["private_key.id == 'k'", { kind: "CREATE_WALLET" }],
		["wallet.id == 'w'", exporting],
		["eth.tx.to == 'x'", exporting],
		["eth.tx.to == 'x'", { resource: "WALLET", action: "SIGN" }],
	])("lacks what it names: %s, %j", (condition, group) => {
		const { alone, conditional, assumptions } = powerOf("true", condition, group);
		expect([alone, conditional, assumptions]).toEqual([
			[],
			[],
			["policy p: a condition that errs neither allows nor denies"],
		]);
	});

	it.each<[string, ActivityGroup]>([
		["activity.type == 'ACTIVITY_TYPE_CREATE_WALLET_V2'", { kind: "DELETE_WALLETS" }],
		["activity.type == 'ACTIVITY_TYPE_CREATE_WALLET_V2'", { resource: "WALLET", action: "DELETE" }],
		["activity.type == 'ACTIVITY_TYPE_CREATE_WALLET_V2'", { resource: "USER", action: "CREATE" }],
		["activity.kind == 'SOMETHING_NEW'", signing],
	])("is none of these: %s, %j", (condition, group) => {
		const { alone, conditional, assumptions, unknown } = powerOf("true", condition, group);
		expect([alone, conditional, assumptions, unknown]).toEqual([[], [], [], null]);
	});

	it("is any other than one of which it has no kind", () => {
		expect(
			powerOf("true", "activity.kind != 'DELETE_USERS'", { resource: "WALLET", action: "CREATE" }).alone,
		).toHaveLength(4);
		expect(powerOf("true", "activity.kind < 'B'", sign).unknown).toContain("`<` does not compare strings");
	});
});

describe("A credential", () => {
	it("is of the same user on both sides of a change, where another user is on one side only", () => {
		const policy = { id: "p", name: "", effect: "EFFECT_ALLOW", condition: "", time: "" };
		const consensus = "credentials.any(c, c.type == 'PASSKEY')";
		const accessOf = (users: readonly AccessUser[]): AccessState => ({
			users: known(users),
			policies: known([{ ...policy, consensus }]),
			rootQuorum: known({ threshold: 1, userIds: [] }),
		});
		const [one, other] = [user("a", [], ["API", "PASSKEY"]), user("b", [], ["API"])];
		// The other user's own credentials come with the user.
		const changes = (before: readonly AccessUser[], after: readonly AccessUser[]) =>
			compareAccess(accessOf(before), accessOf(after), 0).findings.filter(
				({ group }) => !("resource" in group && group.resource === "CREDENTIAL"),
			);
		expect(changes([one], [one, other])).toEqual([]);
		expect(changes([one, other], [one])).toEqual([]);
		const lost = changes([one, other], [other]);
		expect([...new Set(lost.map(({ change, userIds }) => [change, ...userIds].join(" ")))]).toEqual(["nobody a"]);
	});
});

describe("An expression that is printed", () => {
	it.each([
		"(a && b) || c",
		"a && (b || c)",
		"(a || b) && c",
		"a || (b || c)",
		"!(a && b)",
		"!a && b",
		"(a == b) == c",
		"a == (b && c)",
		"(a && b) == c",
		"a in [1, 2] && b",
		"(!a).b",
		"!a.b",
		"(a || b).c",
		"{ id: 1 }.id",
	])("is written as it was read: %s", (text) => {
		expect(printExpression(parseText(text))).toBe(text);
	});
});

describe("A number", () => {
	const largest = 2n ** 256n - 1n;

	it("has at most 256 bits", () => {
		expect(mistakesIn(`approvers.count() < ${largest}`, "consensus")).toEqual([]);
		const tooLarge = "20: a number of more than 256 bits; the largest is 2^256 - 1";
		expect(mistakesIn(`approvers.count() < ${largest + 1n}`, "consensus")).toEqual([tooLarge]);
		expect(mistakesIn(`approvers.count() < 1${"0".repeat(78)}`, "consensus")).toEqual([tooLarge]);
	});
});

describe("What another language would write", () => {
	it.each([
		["a and b", "2: `and` is not an operator; write `&&`"],
		["a or b", "2: `or` is not an operator; write `||`"],
		["a not in b", "2: `not` is not an operator; write `!`"],
		["a is b", "2: `is` is not an operator; write `==`"],
		["a equals b", "2: `equals` is not an operator; write `==`"],
		["a '==' b", "2: expected an operator or the end, found the string `'=='`"],
		["a 'and' b", "2: expected an operator or the end, found the string `'and'`"],
		["a 'in' b", "2: expected an operator or the end, found the string `'in'`"],
		["a == b == c", "7: comparisons cannot follow each other; join them with `&&`"],
		["any(a, b)", "0: `any` is not a function that begins an expression; write it behind its list: `list.any(…)`"],
		["['a'].contains(['a'])", "15: `contains` does not compare a list; compare one of its values"],
		["[['a']].contains('a')", "17: `contains` does not compare a list; compare one of its values"],
		["['a'].contains(1)", "0: `contains` compares a number with items that are string values"],
		["[1, 'a'].count() > 1", "4: a list holds items of one type: a number first, then a string"],
		["[{ a: 1 }, { a: 'b' }].count() > 1", "11: a list holds items of one type: a struct first, then a struct"],
		["[{ a: 1 }, 'b'].count() > 1", "11: a list holds items of one type: a struct first, then a string"],
		["['b', { a: 1 }].count() > 1", "6: a list holds items of one type: a string first, then a struct"],
		["approvers.any(u, u.ids == 'a')", "17: `User` has no field `ids`; did you mean `id`?"],
		["approvers.any(u, u.tag == 'a')", "17: `User` has no field `tag`; did you mean `tags`?"],
	])("is a mistake that says what to write: %s", (text, expected) => {
		expect(mistakesIn(text, "consensus")).toEqual([expected]);
	});
});

describe("A function of time", () => {
	const oneText = "error: `Timestamp` needs one string";
	const threeTexts = "error: `CronSpan` needs three strings";
	it.each([
		["Timestamp(5) > time.now", oneText],
		["Timestamp('2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z') < time.now", oneText],
		[
			"Timestamp('x') < time.now",
			"error: `Timestamp`: not a time with a zero offset; write it like '2026-03-01T00:00:00Z'",
		],
		["CronSpan('0 9 * * *', '1h')", threeTexts],
		["CronSpan(1, '1h', 'UTC')", threeTexts],
		["CronSpan('0 9 * * *', 1, 'UTC')", threeTexts],
		["CronSpan('0 9 * * *', '1h', 1)", threeTexts],
		["CronSpan('0 9 * * *', '1h', 'UTC')", true],
		["CronSpan(nothing, '1h', 'UTC')", threeTexts],
		["nothing == time.now", "error: no value has the name `nothing`"],
		["time.now == nothing", "error: no value has the name `nothing`"],
	])("takes what it needs: %s", (text, expected) => {
		expect(outcome(text, at("2026-03-01T09:00:00Z"))).toBe(expected);
	});
});
