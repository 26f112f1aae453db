/** Who can do something by one consensus, for each form of it that is understood. */

import { describe, expect, it } from "vitest";
import type { AccessState, AccessUser, Known } from "../../../src/policy/access.ts";
import { findPowers } from "../in-words.ts";
import { abilityByPolicies } from "../support-access.ts";

const known = <T>(value: T): Known<T> => ({ known: true, value });
const atMs = Date.parse("2026-06-01T12:00:00Z");
const signing = { resource: "PRIVATE_KEY", action: "SIGN" };

function user(id: string, tags: readonly string[], types: readonly string[] = ["API"]): AccessUser {
	const credentials = types.map((type) => ({ id: null, type, credentialId: null, publicKey: `${id}-${type}` }));
	return { id, tagIds: known(tags), email: known(`${id}@example.com`), credentials: known(credentials) };
}

const people = [user("a", ["A"]), user("b", ["A", "B"]), user("c", ["B"]), user("d", [])];

function accessOf(consensus: string, users: readonly AccessUser[] = people, deny: string | null = null): AccessState {
	const policy = { name: "", condition: "", time: "" };
	const denies = deny === null ? [] : [{ ...policy, id: "q", effect: "EFFECT_DENY", consensus: deny }];
	return {
		users: known(users),
		policies: known([{ ...policy, id: "p", effect: "EFFECT_ALLOW", consensus }, ...denies]),
		rootQuorum: known({ threshold: 1, userIds: [] }),
	};
}

/** Users who can do it alone, and the sets of users who can do it together: `a b | c+d`. */
function who(...call: Parameters<typeof accessOf>): string {
	const { alone, together } = abilityByPolicies(accessOf(...call), signing, atMs);
	return `${alone.join(" ")} | ${together.map((set) => set.join("+")).join(" ")}`;
}

const is = (id: string): string => `approvers.any(u, u.id == '${id}')`;
const hasA = "u.tags.contains('A')";
const hasB = "u.tags.contains('B')";

describe("A consensus", () => {
	it.each([
		["true", "a b c d | "],
		["false", " | "],
		["1 == 1", "a b c d | "],
		[`approvers.any(u, ${hasA})`, "a b | "],
		["approvers.any(u, u.id == 'c')", "c | "],
		["approvers.any(u, 'c' == u.id)", "c | "],
		["approvers.any(u, u.id != 'c')", "a b d | "],
		["approvers.any(u, u.email == 'd@example.com')", "d | "],
		[`approvers.any(u, ${hasA} && ${hasB})`, "b | "],
		[`approvers.any(u, ${hasA} || ${hasB})`, "a b c | "],
		[`approvers.any(u, !(${hasA}))`, "c d | "],
		[`approvers.all(u, ${hasA})`, "a b | "],
		[`approvers.all(u, ${hasA}) && approvers.count() >= 2`, " | a+b"],
		["approvers.count() >= 3", " | a+b+c a+b+d a+c+d b+c+d"],
		["approvers.count() > 3", " | a+b+c+d"],
		["3 <= approvers.count()", " | a+b+c a+b+d a+c+d b+c+d"],
		["3 < approvers.count()", " | a+b+c+d"],
		["approvers.count() <= 1", "a b c d | "],
		["approvers.count() < 2", "a b c d | "],
		["1 >= approvers.count()", "a b c d | "],
		["2 > approvers.count()", "a b c d | "],
		["approvers.count() < 1", " | "],
		["approvers.count() == 4", " | a+b+c+d"],
		["approvers.count() != 1 && approvers.count() >= 1", " | a+b a+c a+d b+c b+d c+d"],
		[`approvers.filter(u, ${hasB}).count() >= 2`, " | b+c"],
		[`approvers.filter(u, ${hasB}).count() == 2`, " | b+c"],
		[`approvers.filter(u, ${hasA}).filter(u, ${hasB}).count() >= 1`, "b | "],
		[`approvers.filter(u, ${hasA}).any(u, ${hasB})`, "b | "],
		[`approvers.filter(u, ${hasA}).all(u, ${hasB})`, "b c d | "],
		[`approvers.filter(u, ${hasA}).count() < 1`, "c d | "],
		[`!approvers.any(u, ${hasA})`, "c d | "],
		[`!(approvers.count() >= 2)`, "a b c d | "],
		[`approvers.any(u, ${hasA}) && approvers.any(u, ${hasB})`, "b | a+c"],
		["approvers.any(u, ['A'].contains('A'))", "a b c d | "],
		["approvers.any(u, ['A'].contains('B'))", " | "],
		["approvers.any(u, 'A' in u.tags && ['B'].contains('B'))", "a b | "],
		["credentials.count() >= 2", " | a+b a+c a+d b+c b+d c+d"],
		["credentials.any(c, c.user_id == 'a')", "a | "],
		["credentials.any(c, c.type == 'API' && c.user_id != 'a')", "b c d | "],
	])("%s", (consensus, expected) => {
		expect(who(consensus)).toBe(expected);
	});

	it("names no tag where it asks for two, though everybody has one of them", () => {
		const users = [user("a", ["A", "B"]), user("b", ["A"])];
		const tagsOf = (consensus: string) =>
			abilityByPolicies(accessOf(consensus, users), signing, atMs)
				.thresholds.flat()
				.map(({ tagId }) => tagId);
		expect(tagsOf(`approvers.filter(u, ${hasA}).any(v, v.tags.contains('B'))`)).toEqual([null]);
		expect(tagsOf(`approvers.any(v, v.tags.contains('B'))`)).toEqual(["B"]);
	});

	it("counts each credential of a user", () => {
		const users = [user("a", [], ["API", "PASSKEY"]), user("b", [], ["API"]), user("c", [], [])];
		expect(who("credentials.any(c, c.type == 'PASSKEY')", users)).toBe("a | ");
		expect(who("credentials.any(c, c.type == 'API')", users)).toBe("a b | ");
		expect(who("credentials.all(c, c.type == 'API')", users)).toContain("a b");
	});

	it("is never true where a part of it errs", () => {
		expect(who("approvers.any(u, u.tags[1] == 'B')")).toBe("b | ");
		expect(who("approvers.any(u, u.id == 'a') || approvers.any(u, u.tags[5] == 'B')")).toBe(" | ");
		expect(who("approvers.any(u, u.id == 'b') || 'x'[5] == 'y'")).toBe(" | ");
	});

	it("of a user for whom it errs is true for the others alone", () => {
		expect(who("approvers.any(u, u.tags[0] == 'A')")).toBe("a b | ");
	});
});

describe("A consensus that denies", () => {
	it.each([
		["approvers.any(u, u.id == 'a')", "b c d | "],
		[`approvers.any(u, ${hasA})`, "c d | "],
		["approvers.count() >= 2", "a b c d | "],
		["approvers.count() == 1", " | a+b a+c a+d b+c b+d c+d"],
		["approvers.count() < 3", " | a+b+c a+b+d a+c+d b+c+d"],
		[`approvers.all(u, ${hasA})`, "c d | "],
		[`!approvers.any(u, ${hasB})`, "b c | "],
		["true", " | "],
		["false", "a b c d | "],
		[`approvers.any(u, ${hasA}) && approvers.any(u, ${hasB})`, "a c d | "],
	])("%s leaves the others", (deny, expected) => {
		expect(who("true", people, deny)).toBe(expected);
	});
});

describe("A consensus that is not understood", () => {
	const unknownOf = (consensus: string, users?: readonly AccessUser[]) =>
		findPowers(accessOf(consensus, users), atMs, [signing]).find(
			({ group }) => "action" in group && group.action === "SIGN",
		)?.unknown;

	it.each([
		"approvers == credentials",
		"approvers.any(u, u.id == 'a') == true",
		"approvers.count() == credentials.count()",
		"approvers.count() in [1, 2]",
		"approvers[0].id == 'a'",
		"approvers.count() >= 'a'",
		"approvers.count() >= approvers.count()",
	])("gives no one a power, and says why: %s", (consensus) => {
		expect(who(consensus)).toBe(" | ");
		expect(unknownOf(consensus)).toMatch(/^policy p: /);
	});

	it("names the part, cut where it is long", () => {
		expect(unknownOf("approvers[0].id == 'a'")).toBe(
			"policy p: `approvers[0].id == 'a'` depends on more than how many of a set approve",
		);
		expect(unknownOf(`approvers[0].id == '${"a".repeat(80)}'`)).toBe(
			`policy p: \`approvers[0].id == '${"a".repeat(59)}…\` depends on more than how many of a set approve`,
		);
	});

	it.each([
		"approvers.count() == credentials.count()",
		"credentials.count() >= approvers.count()",
		"approvers[0].tags.count() == 1",
		"1 == approvers[0].tags.count()",
		"['a'].any(x, approvers.count() > 1)",
		"['a'].all(x, approvers.count() > 1)",
		"[1, 2].contains(approvers.count())",
		"['a'].filter(x, approvers.count() > 1).count() >= 1",
		"approvers.filter(u, true)[0].id == 'a'",
	])("names the whole of what counts no approvers, or counts them twice: %s", (consensus) => {
		expect(who(consensus)).toBe(" | ");
		expect(unknownOf(consensus)).toBe(`policy p: \`${consensus}\` depends on more than how many of a set approve`);
	});

	it.each([
		[`${is("b")} || approvers[0].id == 'a'`, "b | "],
		[`${is("b")} || approvers[1].id == 'a'`, " | "],
		[`${is("b")} || approvers.filter(u, u.id == 'a')[0].id == 'a'`, " | "],
		[`${is("b")} || approvers[0..2].count() == 2`, " | "],
		["approvers.any(u, u.id == 'b' || u.alias == 'al')", "b | "],
		["approvers.any(u, u.id == 'b' || u.alias[0..2] == 'al')", " | "],
	])("is never surely true where an item may be missing: %s", (consensus, expected) => {
		expect(who(consensus)).toBe(expected);
		expect(unknownOf(consensus)).toMatch(/^policy p: /);
	});

	it("says why a number or a part that names no approver is not known", () => {
		expect(unknownOf("approvers.count() >= [1, 2][5]")).toBe("policy p: there is no item 5: the list has 2");
		const ascii = "policy p: a part of a string with other characters than ASCII is not documented";
		expect(unknownOf(`${is("b")} || 'é'[0] == 'x'`)).toBe(ascii);
		expect(who(`${is("b")} || 'é'[0] == 'x'`)).toBe("b | ");
		expect(unknownOf(`${is("b")} && 'é'[0] == 'x'`)).toBe(ascii);
		expect(who(`${is("b")} && 'é'[0] == 'x'`)).toBe(" | ");
	});

	it("says which part is not known beside parts that are", () => {
		const alias = "approvers.any(u, u.alias == 'al')";
		const because = "policy p: no read shows `user.alias`";
		expect(unknownOf(`${alias} && ${is("b")}`)).toBe(because);
		expect(unknownOf(`${is("b")} && ${alias}`)).toBe(because);
		expect(unknownOf(`${is("b")} || ${alias}`)).toBe(because);
	});

	it("is known where the reading makes no difference", () => {
		expect(unknownOf("approvers[0].id == 'a' && false")).toBe(null);
	});
});

describe("A user whose tags are not shown", () => {
	const users = [
		...people,
		{
			...user("e", []),
			tagIds: { known: false, because: { kind: "stated", text: "tags are not shown" } },
		} as AccessUser,
	];

	it("has no power by a tag, and may have it", () => {
		expect(who(`approvers.any(u, ${hasA})`, users)).toBe("a b | ");
		const power = findPowers(accessOf(`approvers.any(u, ${hasA})`, users), atMs, [signing])[0];
		expect(power?.unknown).toContain("the users' attributes are not all known");
	});

	it("has a power that no tag decides", () => {
		expect(who("approvers.any(u, u.id == 'e')", users)).toBe("e | ");
	});

	it("may be one of those whom a tag denies, and is none who can surely do it", () => {
		expect(who("true", users, `approvers.any(u, ${hasA})`)).toBe("c d | ");
	});
});
