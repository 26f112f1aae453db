/** What a rule is called, what it says, and whether it is broken in another way than before. */
import { describe, expect, it } from "vitest";
import type { DesiredRule } from "../../../src/plan/organization.ts";
import {
	addressOfRule,
	type Breach,
	factsOf,
	isWorse,
	joinFacts,
	keptFacts,
	namesTags,
	needsPowers,
	tagNamesOf,
	valueOfRule,
	withoutKnown,
} from "../../../src/plan/rules/rules.ts";
import { withoutMembers } from "../../../src/plan/rules/tags.ts";
import { at, known, liveTag, unknown } from "../support-organizations.ts";

const except = { userIds: ["u"], userTags: ["t"] };
const nobody = { userIds: [], userTags: [] };

describe("A rule", () => {
	it.each<[DesiredRule, string, string, readonly string[]]>([
		[{ rule: "exclusive", tags: ["a", 'b+"', "c"], at }, 'rule:exclusive.a+"b+\\""+c', 'a, b+", c', ["a", 'b+"', "c"]],
		[{ rule: "members", tag: "a", min: 1, max: 2, at }, "rule:members.a", "min 1, max 2", ["a"]],
		[{ rule: "members", tag: "a", max: 2, at }, "rule:members.a", "max 2", ["a"]],
		[{ rule: "members", tag: "a", min: 0, at }, "rule:members.a", "min 0", ["a"]],
		[{ rule: "minApprovers", power: "sign", min: 2, at }, "rule:powers.sign.minApprovers", "2", []],
		[{ rule: "onlyBy", power: "sign", tags: ["a", "b"], at }, "rule:powers.sign.onlyBy", "a, b", ["a", "b"]],
		[{ rule: "noNewAccess", at }, "rule:noNewAccess", "true", []],
		[
			{ rule: "credentials", check: "maxKeyAge", maxMs: 1, written: "90d", at },
			"rule:credentials.maxKeyAge",
			"90d",
			[],
		],
		[{ rule: "credentials", check: "issuers", issuers: ["x", "y"], at }, "rule:credentials.issuers", "x, y", []],
		[{ rule: "credentials", check: "keysExpire", except, at }, "rule:credentials.keysExpire", "except u, t", ["t"]],
		[{ rule: "credentials", check: "notKeysOnly", except: nobody, at }, "rule:credentials.notKeysOnly", "true", []],
		[
			{ rule: "credentials", check: "sensitiveNeedsAuthenticator", at },
			"rule:credentials.sensitiveNeedsAuthenticator",
			"true",
			[],
		],
	])("has an address, a value and tags: %j", (rule, address, value, tags) => {
		expect([addressOfRule(rule), valueOfRule(rule), tagNamesOf(rule)]).toEqual([address, value, tags]);
		expect(namesTags([{ rule: "noNewAccess", at }, rule])).toBe(tags.length > 0);
		expect(needsPowers([{ rule: "noNewAccess", at }, rule])).toBe(/powers|credentials/.test(address));
	});
});

const group = { resource: "WALLET", action: "EXPORT" } as never;
const other = { resource: "WALLET", action: "CREATE" } as never;
const tags = (userId: string, ...held: string[]): Breach => ({ what: "tags", userIds: [userId], tags: held });
const members = (beyond: number): Breach => ({ what: "members", userIds: ["u"], count: 3, beyond });
const quorum = (threshold: number): Breach => ({ what: "rootQuorum", userIds: ["u"], threshold });
const power = (
	what: "enough" | "outsider",
	userIds: readonly string[],
	condition: string | null = null,
	of = group,
): Breach => ({ what, userIds, group: of, condition });
const credential = (name: string): Breach => ({ what: "credential", userIds: ["u"], credential: name, detail: null });

describe("A breach is new", () => {
	it.each<[string, Breach, Breach, boolean]>([
		["where it is the same", tags("u", "a", "b"), tags("u", "a", "b"), false],
		["where the user has one tag more", tags("u", "a", "b"), tags("u", "a", "b", "c"), true],
		["where the user has one tag less", tags("u", "a", "b", "c"), tags("u", "a", "b"), false],
		["where another user has the tags", tags("u", "a", "b"), tags("v", "a", "b"), true],
		["where there are more members too many", members(1), members(2), true],
		["where there are fewer members too many", members(2), members(1), false],
		["where there are more members too few", members(-1), members(-2), true],
		["where too many become too few", members(2), members(-1), true],
		["where fewer are enough for everything", quorum(2), quorum(1), true],
		["where as many are, of other users", quorum(1), { ...quorum(1), userIds: ["v"] }, false],
		["where more are enough for everything", quorum(1), quorum(2), false],
		["where fewer users are enough", power("enough", ["u", "v"]), power("enough", ["u"]), true],
		["where more users are enough", power("enough", ["u"]), power("enough", ["u", "v"]), false],
		[
			"where they are enough for something else",
			power("enough", ["u"]),
			power("enough", ["u", "v"], null, other),
			true,
		],
		["where they are enough under a condition", power("enough", ["u"]), power("enough", ["u", "v"], "x"), false],
		["where they no longer need the condition", power("enough", ["u"], "x"), power("enough", ["u", "v"]), true],
		["where the condition is another one", power("enough", ["u"], "x"), power("enough", ["u", "v"], "y"), true],
		["where the condition is the same", power("enough", ["u"], "x"), power("enough", ["u", "v"], "x"), false],
		["where one without the tags takes part", power("enough", ["u"]), power("outsider", ["u", "v"]), true],
		["where the same one takes part under a condition", power("outsider", ["u"]), power("outsider", ["u"], "x"), false],
		["where another credential breaks it", credential("a"), credential("b"), true],
		["where it is of another kind", members(1), quorum(1), true],
	])("%s, or not", (_what, before, after, isNew) => {
		expect(withoutKnown([after], [before])).toEqual(isNew ? [after] : []);
		const facts = (...breaches: readonly Breach[]) => ({ breaches, unknown: null });
		expect(isWorse(facts(before), facts(after))).toBe(isNew);
		expect(isWorse(facts(), facts(after))).toBe(true);
		expect(isWorse(facts(before), facts())).toBe(false);
	});
});

describe("Facts", () => {
	const because = { kind: "order" } as never;

	it("are joined with the first reason why something is unknown", () => {
		const one = { breaches: [members(1)], unknown: null };
		const two = { breaches: [quorum(1)], unknown: because };
		expect(joinFacts([one, two, { breaches: [], unknown: { kind: "other" } as never }])).toEqual({
			breaches: [members(1), quorum(1)],
			unknown: because,
		});
		expect(joinFacts([])).toEqual(keptFacts);
		expect(keptFacts).toEqual({ breaches: [], unknown: null });
	});

	it("are those of a value that is known", () => {
		expect(factsOf(known(2), (value) => ({ breaches: [members(value)], unknown: null })).breaches).toEqual([
			members(2),
		]);
		expect(factsOf(unknown, () => keptFacts)).toMatchObject({ breaches: [], unknown: { kind: "not-read" } });
	});
});

it("A tag without members has none, and is the same tag", () => {
	const tag = liveTag(1, "a", { members: known(["u"]) });
	expect(withoutMembers(tag)).toEqual({ ...tag, members: known([]) });
});
