/** The emulator's own evaluator of the policy language: what each expression gives, and which are not understood. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileExpression } from "../../src/emulator/policies/compile.ts";
import { PolicyError } from "../../src/emulator/policies/tokens.ts";
import { vocabularies } from "../../src/emulator/policies/vocabularies.ts";
import { randomOf, Writer } from "../policy/language/random-expressions.ts";

const alice = { id: "alice", tags: ["A", "B"], email: "a@acme.test", alias: "alice" };
const bob = { id: "bob", tags: ["B"], email: "", alias: "bob" };
const carol = { id: "carol", tags: [], email: "", alias: "carol" };
const key = { id: "k", user_id: "alice", type: "CREDENTIAL_TYPE_API_KEY_P256", credential_id: "", public_key: "02" };
const activity = {
	type: "ACTIVITY_TYPE_DELETE_POLICIES",
	kind: "DELETE_POLICIES",
	resource: "POLICY",
	action: "DELETE",
};

const consensus = (text: string, ...approvers: object[]) =>
	compileExpression(text, vocabularies.consensus)({ approvers, credentials: [key] } as never);
const condition = (text: string) => compileExpression(text, vocabularies.condition)({ activity });
const time = (text: string, now: string) =>
	compileExpression(text, vocabularies.time)({ time: { now: Date.parse(now) } });

describe("a consensus", () => {
	it.each([
		["approvers.any(user, user.id == 'alice')", [true, false, false]],
		["approvers.any(user, user.tags.contains('A'))", [true, false, false]],
		["approvers.any(user, 'B' in user.tags)", [true, true, false]],
		["approvers.any(user, user.id in ['bob', 'carol'])", [false, true, true]],
		["approvers.all(user, user.tags.count() > 0)", [true, true, false]],
		["approvers.any(user, user.tags.contains('A')) || approvers.any(user, user.id == 'carol')", [true, false, true]],
		["!approvers.any(user, user.email == 'a@acme.test')", [false, true, true]],
	])("%s is of each user alone as it says", (text, expected) => {
		expect([alice, bob, carol].map((user) => consensus(text, user))).toEqual(expected);
	});

	it("counts a user who has both tags for both", () => {
		const text =
			"approvers.any(user, user.tags.contains('A') || user.tags.contains('B')) && " +
			"(approvers.filter(user, user.tags.contains('A')).count() >= 1 && " +
			"approvers.filter(user, user.tags.contains('B')).count() >= 2)";
		expect([consensus(text, alice), consensus(text, bob, carol), consensus(text, alice, bob)]).toEqual([
			false,
			false,
			true,
		]);
	});

	it("sees the credentials that were used", () => {
		const isType = (type: string) => consensus(`credentials.any(credential, credential.type == '${type}')`, alice);
		expect([isType(key.type), isType("CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR")]).toEqual([true, false]);
	});
});

describe("a condition", () => {
	it.each([
		["activity.resource == 'POLICY' && activity.action == 'DELETE'", true],
		["activity.kind == 'DELETE_POLICIES' || activity.kind == 'SIGN_TRANSACTION'", true],
		["activity.type != 'ACTIVITY_TYPE_DELETE_POLICIES'", false],
		["true || true && false", true],
		["(true || true) && false", false],
		["1 < 2", true],
		["2 in [1, 2, 3]", true],
		["[1, 2, 3][0] == 1 && 'abc'[0] == 'a'", true],
		["[1, 2, 3][0..2].count() == 2 && 'abc'[0..2] == 'ab'", true],
		["[1, 2, 3].filter(x, x == 1).all(x, x == 1)", true],
		["[].any(x, x == 1)", false],
		["{ id: 'abc' }.id == 'abc'", true],
		["[['a'], ['b']].contains(['b'])", true],
		[`${2n ** 256n - 1n} > 170141183460469231731687303715884105728`, true],
		["activity.action[0..3] == 'DEL'", true],
		["(activity.resource == 'POLICY') == true", true],
		["(activity.resource == 'POLICY') != true", false],
	])("%s is %s", (text, expected) => {
		expect(condition(text)).toBe(expected);
	});

	it.each([
		["a field that the activity lacks", "wallet.id == 'x'"],
		["no short circuit of `||`", "true || wallet.id == 'x'"],
		["no short circuit of `&&`", "false && eth.tx.to == 'x'"],
		["no short circuit inside a list", "[1, 2].any(x, x == 1 || activity.params.threshold == 2)"],
		["an index out of range", "[1][1] == 1"],
		["a slice out of range", "'abc'[2..4] == 'c'"],
	])("errs for %s", (_what, text) => {
		expect(() => condition(text)).toThrow(PolicyError);
	});
});

describe("an expression that is not understood", () => {
	it.each([
		"activity.kind",
		"activity.kind = 'SIGN'",
		'activity.kind == "SIGN"',
		"activity.kind == 'it''s'",
		"activity.kind == 'a\\'b'",
		"activity.count() == 1",
		"[1].count == 1",
		"1 == '1'",
		"true < true",
		"'a' < 'b'",
		"1 == 1 == true",
		"[1, 'a'].count() == 2",
		"1 in ['a']",
		"approvers.count() == 1",
		"time.now == time.now",
		"user.id == 'a'",
		"[1].any(in, true)",
		"[1].any(activity, true)",
		"[1].any(x)",
		"[1].map(x, true)",
		"'abc'.contains('a')",
		"-1 < 2",
		"1 + 1 == 2",
		"!1",
		"!(1 == 1",
		"true true",
		"&& true",
		"{ id: 'a', id: 'b' }.id == 'a'",
		`${2n ** 256n} > 1`,
		"(".repeat(5_000),
		`true${" && true".repeat(5_000)}`,
		"activity.__proto__ == 'a'",
		"constructor",
	])("is a PolicyError and nothing else: %s", (text) => {
		expect(() => compileExpression(text, vocabularies.condition)).toThrow(PolicyError);
	});

	it("is none of the vendor's examples, and none that plans find well typed", () => {
		const page = readFileSync(new URL("../../docs/internals/policy-examples.md", import.meta.url), "utf8");
		const examples = [...page.matchAll(/^\| [^|`]+ \| `(.*?)` \|/gm)].map(([, text = ""]) =>
			text.replaceAll("\\|", "|"),
		);
		expect(examples.length).toBeGreaterThan(25);
		for (const text of examples) compileExpression(text, vocabularies.condition);
		const random = randomOf(33);
		for (const clause of ["consensus", "condition", "time"] as const) {
			for (let count = 0; count < 200; count += 1) {
				const text = new Writer(random, clause).write({ kind: "bool" }, count % 5);
				compileExpression(text, vocabularies[clause]);
			}
		}
	});

	it("is one that reads the names of another field", () => {
		const inConsensus = (text: string) => () => compileExpression(text, vocabularies.consensus);
		const inTime = (text: string) => () => compileExpression(text, vocabularies.time);
		expect(inConsensus("activity.kind == 'SIGN'")).toThrow(PolicyError);
		expect(inConsensus("CronSpan('0 9 * * *', '8h', 'UTC')")).toThrow(PolicyError);
		expect(inTime("approvers.count() > 0")).toThrow(PolicyError);
	});

	it("ends instead of looking at a million items", () => {
		const users = Array.from({ length: 100 }, () => alice);
		const nested = "approvers.all(a, approvers.all(b, approvers.all(c, approvers.all(d, a.id == d.id))))";
		expect(() => consensus(nested, ...users)).toThrow("too many items");
	});
});

describe("a time", () => {
	it.each([
		["time.now < Timestamp('2026-04-01T00:00:00Z')", "2026-03-31T23:59:59.999Z", true],
		["time.now < Timestamp('2026-04-01T00:00:00Z')", "2026-04-01T00:00:00Z", false],
		["time.now >= Timestamp('2026-03-01T00:00:00+00:00')", "2026-03-01T00:00:00Z", true],
		["CronSpan('0 9 * * 1-5', '8h', 'America/New_York')", "2026-01-05T14:00:00Z", true],
		["CronSpan('0 9 * * 1-5', '8h', 'America/New_York')", "2026-01-05T13:59:59Z", false],
		["CronSpan('0 9 * * 1-5', '8h', 'America/New_York')", "2026-01-05T21:59:59.999Z", true],
		["CronSpan('0 9 * * 1-5', '8h', 'America/New_York')", "2026-01-05T22:00:00Z", false],
		["CronSpan('0 9 * * 1-5', '8h', 'America/New_York')", "2026-01-04T15:00:00Z", false],
		// A night of New York: an hour off at its end when the clocks change.
		["CronSpan('0 22 * * *', '8h', 'America/New_York')", "2026-03-08T10:59:00Z", true],
		["CronSpan('0 22 * * *', '8h', 'America/New_York')", "2026-03-08T11:00:00Z", false],
		["CronSpan('0 22 * * *', '8h', 'America/New_York')", "2026-11-01T09:59:00Z", true],
		["CronSpan('0 22 * * *', '8h', 'America/New_York')", "2026-11-01T10:00:00Z", false],
		// On the first, and on every Monday.
		["CronSpan('0 9 1 * 1', '1h', 'UTC')", "2026-01-01T09:30:00Z", true],
		["CronSpan('0 9 1 * 1', '1h', 'UTC')", "2026-01-05T09:30:00Z", true],
		["CronSpan('0 9 1 * 1', '1h', 'UTC')", "2026-01-06T09:30:00Z", false],
		["CronSpan('0 0 * * 0', '1d12h', 'UTC')", "2026-01-05T11:59:59Z", true],
		["CronSpan('0 0 * * 0', '1d12h', 'UTC')", "2026-01-05T12:00:00Z", false],
		["CronSpan('0,30 9-10 * 1,2 *', '10m', 'Europe/Berlin')", "2026-02-03T09:35:00Z", true],
		[
			"!CronSpan('0 9 * * *', '8h', 'UTC') && time.now != Timestamp('2026-01-01T00:00:00Z')",
			"2026-01-01T08:00:00Z",
			true,
		],
	])("%s at %s is %s", (text, now, expected) => {
		expect(time(text, now)).toBe(expected);
	});

	it.each([
		"Timestamp('2026-04-01T00:00:00-05:00') > time.now",
		"Timestamp('2026-04-01') > time.now",
		"Timestamp('2026-02-28T25:00:00Z') > time.now",
		"Timestamp('2026-02-30T00:00:00Z') > time.now",
		"Timestamp(1) > time.now",
		"CronSpan('*/5 * * * *', '1h', 'UTC')",
		"CronSpan('@daily', '1h', 'UTC')",
		"CronSpan('0 9 * * MON', '1h', 'UTC')",
		"CronSpan('0 9 * * 7', '1h', 'UTC')",
		"CronSpan('60 9 * * *', '1h', 'UTC')",
		"CronSpan('0 0 9 * * *', '1h', 'UTC')",
		"CronSpan('0 9 * * *', '0h', 'UTC')",
		"CronSpan('0 9 * * *', '8d', 'UTC')",
		"CronSpan('0 9 * * *', '7d1m', 'UTC')",
		"CronSpan('0 9 * * *', '1.5h', 'UTC')",
		"CronSpan('0 9 * * *', '30s', 'UTC')",
		"CronSpan('0 9 * * *', '8h', 'Mars/Olympus')",
		"CronSpan('0 9 * * *', '8h', '+02:00')",
		"CronSpan('0 9 * * *', '8h')",
		"time.now",
		"time.now < 5",
	])("that is not understood: %s", (text) => {
		expect(() => compileExpression(text, vocabularies.time)).toThrow(PolicyError);
	});
});
