/** Files of access cases: what is wrong in them is a problem with its place. */
import { describe, expect, test } from "vitest";
import { problemsOf, readCases } from "./support.ts";

const one = (more: string): string => `tests: [{ name: it, ${more} }]`;

describe("a file of access cases", () => {
	test("has an organization, a root quorum aside, new users and cases", () => {
		const file = readCases(`organizationId: 0A5D6D8E-1c1f-4c8e-9f35-3b0f8d3f0a11
rootQuorum: aside
given: { users: { newcomer: [interns] } }
tests:
  - { name: ops can page, power: sign, at: 2026-12-25T03:00:00Z, alone: { atLeast: [erin, 1 of ops] } }`);
		expect(file).toMatchObject({
			organizationId: "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11",
			isRootQuorumAside: true,
			given: [{ name: "newcomer", tags: [{ text: "interns", at: { line: 3, column: 30 } }] }],
			cases: [
				{
					name: "ops can page",
					at: { line: 5, column: 13 },
					asked: { text: "sign", isOwn: false },
					atMs: Date.UTC(2026, 11, 25, 3),
					lists: [
						{
							about: "alone",
							mode: "atLeast",
							sets: [{ users: [{ text: "erin" }] }, { count: 1, tag: { text: "ops" } }],
						},
					],
					by: null,
				},
			],
		});
	});

	test("says of activities what policies read, with numbers as they are written", () => {
		const where = "where: { wallet.id: w, eth.tx.value: 123456789012345678901234567890, eth.tx.to: null }";
		const [found] = readCases(one(`activity: { kind: SIGN_TRANSACTION, ${where} }, alone: { exactly: [] }`)).cases;
		expect(found?.asked.text).toBe(
			"kind SIGN_TRANSACTION where wallet.id == 'w' && eth.tx.value == 123456789012345678901234567890 && eth.tx.to == null",
		);
	});
});

describe("a mistake in a file of access cases", () => {
	test("is named by its place in the second document, and for what it is", () => {
		const infinite = one("activity: { kind: SIGN_TRANSACTION, where: { eth.tx.value: .inf } }, never: [a]");
		expect(problemsOf(`${one("power: sign, alone: { exactly: [a] }")}\n---\n\ntests: null`)).toEqual([
			expect.stringMatching(/^4:1 expected access cases, .*, and no other document$/),
		]);
		expect(problemsOf(infinite)[0]).toMatch(
			/^1:80 `eth.tx.value` must be text or a number .*, but is the number .inf$/,
		);
	});

	test.each<[string, string, string]>([
		["a key", one("powr: sign, alone: { exactly: [] }"), "1:21 unknown key `powr`; did you mean `power`?"],
		[
			"a power",
			one("power: sing, alone: { exactly: [] }"),
			"1:28 unknown value `sing` of `power`; did you mean `sign`?",
		],
		[
			"no activity",
			one("alone: { exactly: [] }"),
			"1:9 a case is about `power: sign`, or an `activity` with one of `kind`, `power` and `body`; write one",
		],
		[
			"two activities",
			one("power: sign, activity: { kind: CREATE_WALLET }, never: [a]"),
			"1:9 a case is about `power: sign`, or an `activity` with one of `kind`, `power` and `body`; keep one",
		],
		[
			"no statement",
			one("power: sign"),
			"1:9 the case states nothing; add one of `alone`, `together`, `never` and `by`",
		],
		[
			"a kind",
			one("activity: { kind: SIGN_TRANSACTIONS }, never: [a]"),
			"1:39 unknown kind of activities `SIGN_TRANSACTIONS`; did you mean `SIGN_TRANSACTION`?",
		],
		[
			"a type as a kind",
			one("activity: { kind: ACTIVITY_TYPE_CREATE_WALLET_V2 }, never: [a]"),
			"1:39 unknown kind of activities `ACTIVITY_TYPE_CREATE_WALLET_V2`; did you mean `CREATE_WALLET`?",
		],
		[
			"a set of one",
			one("power: sign, alone: { exactly: [2 of signers] }"),
			"1:53 `2 of signers` is not expected here; these are single users: write `1 of TAG` for each member of a tag, and sets under `together`",
		],
		[
			"a user as a set",
			one("power: sign, together: { atLeast: [alice] }"),
			"1:56 `alice` is not expected here; write a set as `2 of TAG`, or in brackets: `[[alice, bob]]`",
		],
		["a time", one("power: sign, at: 2026-12-25, never: [a]"), "1:38 `at` `2026-12-25` has no offset"],
		[
			"a fraction",
			one("activity: { kind: SIGN_TRANSACTION, where: { eth.tx.value: 1.5 } }, never: [a]"),
			"1:80 `1.5` is not a whole number",
		],
		[
			"an exponent",
			one("activity: { kind: SIGN_TRANSACTION, where: { eth.tx.value: 1e18 } }, never: [a]"),
			"1:80 `1e18` is not a whole number of at least 0; write it out in base units, such as `2000000000000000000`",
		],
		["a field", one("activity: { kind: SIGN_TRANSACTION, where: { eth.tx.valeu: 1 } }, never: [a]"), "1:66 "],
		[
			"a field of another type",
			one("activity: { kind: SIGN_TRANSACTION, where: { eth.tx.value: big } }, never: [a]"),
			"1:66 ",
		],
		[
			"a name twice",
			"tests: [{ name: it, power: sign, never: [a] }, { name: it, power: sign, never: [a] }]",
			"1:56 duplicate `it`, first on this line; keep one",
		],
		[
			"an empty name",
			'tests: [{ name: " ", power: sign, never: [a] }]',
			"1:17 `name` is empty; write what the case states",
		],
		["an id", `organizationId: acme\n${one("power: sign, never: [a]")}`, "1:17 "],
		[
			"a new user's name",
			`given: { users: { " a": [] } }\n${one("power: sign, never: [a]")}`,
			"1:19 the name ` a` begins or ends with a space; remove the space",
		],
		["an empty map", one("power: sign, alone: {}"), "1:9 the case states nothing; add one of"],
		[
			"an empty list",
			one("power: sign, never: []"),
			"1:41 `never` is empty, so it states nothing; write users, or remove it",
		],
		["an empty list of a mode", one("power: sign, alone: { atLeast: [] }"), "1:52 `atLeast` is empty"],
		["an empty set", one("power: sign, together: { exactly: [[]] }"), "1:56 an item of `exactly` is empty"],
		["a misspelled list", one("power: sign, alone: { exactyl: [] }"), "1:43 unknown key `exactyl`"],
		["no cases", "tests: []", "1:8 `tests` has no case"],
		["a document", "organizationId: 0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11\n", "1:1 missing key `tests`"],
		["an empty file", "", "1:1 expected access cases"],
		["a list", "- a", "1:1 expected access cases"],
	])("is a problem with its place: %s", (_, yaml, expected) => {
		const [first = "", ...others] = problemsOf(yaml);
		expect(first).toContain(expected);
		expect(first).not.toBe("");
		expect(others).toEqual([]);
	});

	test("in a body is at its place in that file", () => {
		const yaml = one("activity: { body: b.json }, never: [a]");
		expect(() => readCases(yaml, { "b.json": '{ "type": "ACTIVITY_TYPE_NONE" }' })).toThrow(
			"1:11 unknown type of activities",
		);
	});
});
