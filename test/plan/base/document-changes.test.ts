/** In what two documents differ, without live state and with it. */
import { describe, expect, it } from "vitest";
import { compareDocuments } from "../../../src/plan/base/document-changes.ts";
import { judgeByStricter } from "../../../src/plan/base/stricter.ts";
import { policyDifferences } from "../../../src/plan/base/three-way-policies.ts";
import { pairTags } from "../../../src/plan/base/three-way-tags.ts";
import type { Guard } from "../../../src/plan/guards/guards.ts";
import {
	type DesiredOrganization,
	type DesiredPolicy,
	type DesiredUserTag,
	type LiveOrganization,
	tagsOf,
} from "../../../src/plan/organization.ts";
import {
	at,
	type DesiredParts,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingAbsent,
	nothingExpected,
	wantTag,
} from "../support-organizations.ts";

const [alice, bob] = [id("user", 1), id("user", 2)];

/** `ADDRESS WHAT FIELD: BEFORE -> AFTER`, and what of live it demands something of. */
function compare(base: DesiredOrganization, head: DesiredOrganization, live: LiveOrganization | null = null) {
	const pairs = pairTags(tagsOf(base), tagsOf(head), live);
	return compareDocuments(base, head, { pairs, policies: [], live }).map(({ difference, demands }) => {
		const { address, what, userId, field, before, after } = difference;
		const of = [userId, field].filter((one) => one !== null).join(" ");
		const values = before === null && after === null ? "" : `: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`;
		return `${address} ${what}${of === "" ? "" : ` ${of}`}${values}${demands === null ? "" : ` [${demands}]`}`;
	});
}
const differences = (base: DesiredParts, head: DesiredParts, live: LiveOrganization | null = null) =>
	compare(desiredOf(base), desiredOf(head), live);

describe("Two documents differ", () => {
	const tags = (...names: readonly string[]) => names.map((name) => wantTag(name));

	it("in user tags, in the order of their addresses, with what of each", () => {
		const members = (list: readonly string[], parts: object = {}): Partial<DesiredUserTag> => ({
			members: { mode: "exactly", exactly: list, ...parts },
		});
		expect(differences({ userTags: tags("b") }, { userTags: tags("a", "c") })).toEqual([
			...["userTag:a managed", "userTag:b unmanaged", "userTag:c managed"],
		]);
		expect(differences({ userTags: tags("a") }, { userTags: [wantTag("a", { create: true })] })).toEqual([
			"userTag:a field create: false -> true",
		]);
		expect(differences({ userTags: [wantTag("a", { create: true })] }, { userTags: tags("a") })).toEqual([
			"userTag:a field create: true -> false",
		]);
		expect(differences({ userTags: tags("a") }, { userTags: [wantTag("a", members([bob, alice]))] })).toEqual([
			'userTag:a members-mode: null -> "exactly"',
			...[`userTag:a member ${alice}`, `userTag:a member ${bob}`],
		]);
		const never = { never: [alice] };
		expect(
			differences({ userTags: [wantTag("a", members([bob], never))] }, { userTags: [wantTag("a", members([bob]))] }),
		).toEqual([`userTag:a no-never ${alice}`]);
		const windows = { windows: [{ userId: bob, untilMs: 0, at }] };
		expect(
			differences({ userTags: [wantTag("a", members([bob]))] }, { userTags: [wantTag("a", members([bob], windows))] }),
		).toEqual(['userTag:a window: null -> {"until":"1970-01-01T00:00:00.000Z"}'.replace("window", `window ${bob}`)]);
	});

	it("in what must not exist, by the names that are live, and demand that of live", () => {
		const live = liveOf({
			userTags: known([liveTag(1, "one"), liveTag(2, "two")]),
			policies: known([{ id: id("policy", 1), name: "pay" }]),
		});
		const absent = (name: string) => ({ kind: "userTag", absent: true, name, at }) as const;
		const document = (...names: readonly string[]) => ({ ...desiredOf(), objects: names.map(absent) });
		const demand = (address: string) => `[["object","${address}"]]`;
		expect(compare(document("gone"), document(id("tag", 2), "one", "other"), live)).toEqual([
			...[`userTag:two absent ${demand("userTag:two")}`, `userTag:one absent ${demand("userTag:one")}`],
			...[`userTag:other absent ${demand("userTag:other")}`, "userTag:gone not-absent"],
		]);
		expect(compare(document(), document(id("tag", 2)))).toEqual([
			`userTag:${id("tag", 2)} absent ${demand(`userTag:${id("tag", 2)}`)}`,
		]);
		const policies = (...policyIds: readonly string[]) => ({ absent: { ...nothingAbsent, policyIds } });
		expect(differences(policies("x"), policies("pay", "b", "a"), live)).toEqual([
			...[`policy:a absent ${demand("policy:a")}`, `policy:b absent ${demand("policy:b")}`],
			...[`policy:pay absent ${demand(`policy:${id("policy", 1)}`)}`, "policy:x not-absent"],
		]);
	});

	it("in what they expect, and in each field of that", () => {
		const expected = (...all: readonly (readonly [number, object])[]) => ({
			expect: {
				...nothingExpected,
				sessionProfiles: all.map(([number, fields]) => ({ id: id("other", number), fields: { ...fields }, at })),
			},
		});
		const [one, two] = [1, 2].map((number) => `sessionProfile:${id("other", number)}`);
		const demand = (field: string) => `[["field","${one}","${field}"]]`;
		expect(differences(expected([2, {}]), expected([1, {}]))).toEqual([`${one} expected`, `${two} not-expected`]);
		expect(differences(expected([1, { a: 1, b: 2, c: 3 }]), expected([1, { a: 1, b: 3, d: 4 }]))).toEqual([
			`${one} field b: 2 -> 3 ${demand("b")}`,
			`${one} field d: null -> 4 ${demand("d")}`,
			`${one} field c: 3 -> null`,
		]);
		expect(differences(expected(), expected([1, { a: 1 }]))).toEqual([
			`${one} expected`,
			`${one} field a: null -> 1 ${demand("a")}`,
		]);
	});

	it("in what is protected, limited, complete, required and ruled", () => {
		const protect = (userIds: readonly string[], userTags: readonly string[], policies?: readonly string[]) => ({
			protect: { userIds, userTags, ...(policies === undefined ? {} : { policies }) },
		});
		expect(differences(protect([alice], ["a"], ["p"]), protect([bob], ["b"]))).toEqual([
			...[`protect.users protected ${bob}`, `protect.users unprotected ${alice}`],
			...['protect.userTags protected: null -> "b"', 'protect.userTags unprotected: "a" -> null'],
			'protect.policies unprotected: "p" -> null',
		]);
		expect(
			differences(
				{ limits: { memberRemovals: { percent: 5 }, policies: 1, lockout: "strict" } },
				{ limits: { memberRemovals: { count: 2 }, lockout: "strict", expiries: "any" } },
			),
		).toEqual([
			...['limits.memberRemovals limit: "5%" -> 2', "limits.policies limit: 1 -> null"],
			'limits.expiries limit: null -> "any"',
		]);
		const complete = { except: ["a"] };
		expect(differences({ exactly: { policies: complete } }, { exactly: { userTags: complete } })).toEqual([
			...['exactly.policies exactly: ["a"] -> null', 'exactly.userTags exactly: null -> ["a"]'],
		]);
		const only = (part: object) => ({ ...complete, part: { selected: [part], entries: [], unlisted: [] } });
		// With `--only ADDRESS`, one of the documents can list the object, and the other one have only its complete list.
		expect(differences({ exactly: { policies: only({ label: "x" }) } }, {})).toEqual([]);
		expect(differences({}, { exactly: { userTags: only({ label: "x" }) } })).toEqual([]);
		expect(differences({ exactly: { policies: only({ glob: "x*" }) } }, {})).toEqual([
			'exactly.policies exactly: ["a"] -> null',
		]);
		expect(differences({}, { accessTests: "required" })).toEqual(['accessTests limit: null -> "required"']);
		expect(differences({ accessTests: "required" }, {})).toEqual(['accessTests limit: "required" -> null']);
		const members = (tag: string, min: number) => ({ rule: "members", tag, min, at }) as const;
		expect(
			differences(
				{ rules: [members("b", 1), members("c", 1), members("d", 1)] },
				{ rules: [members("d", 1), members("b", 2), members("a", 1)] },
			),
		).toEqual([
			'rule:members.a rule: null -> "min 1"',
			'rule:members.b rule: "min 1" -> "min 2"',
			'rule:members.c rule: "min 1" -> null',
		]);
		expect(differences({ rules: [members("a", 1)] }, {})).toHaveLength(1);
	});
});

describe("The mark that a policy is not understood", () => {
	const policy = (parts: Partial<DesiredPolicy> = {}): DesiredPolicy => ({
		...{ kind: "policy", name: "p", previously: [], effect: "EFFECT_ALLOW", consensus: "", condition: "", at },
		...parts,
	});
	const marks = (base: Partial<DesiredPolicy>, head: Partial<DesiredPolicy>) => {
		const [one, other] = [policy(base), policy(head)];
		const found = policyDifferences(desiredOf(), desiredOf(), [{ base: one, head: other, live: null }], liveOf());
		return found.map(({ difference: { field, before, after } }) => [field, before, after]);
	};

	it("is a difference where one document has it alone", () => {
		expect(marks({}, { unchecked: true })).toEqual([["unchecked", false, true]]);
		expect(marks({ unchecked: true }, {})).toEqual([["unchecked", true, false]]);
		expect(marks({ unchecked: true }, { unchecked: true })).toEqual([]);
		expect(marks({ notes: "n" }, { notes: "", time: "t" })).toEqual([
			["time", "", "t"],
			["notes", "n", ""],
		]);
		expect(marks({}, { notes: "n" })).toEqual([["notes", null, "n"]]);
	});
});

describe("Guards by the limits of two documents", () => {
	const guard = (kind: string, found: number, refuses: boolean) => ({ kind, found, refuses }) as unknown as Guard;
	const [own, base] = [{ policies: 1 }, { policies: 2 }];
	const judge = (byOwn: readonly Guard[], byBase: readonly Guard[]) =>
		judgeByStricter(
			desiredOf({ limits: own }),
			{ limits: base, protect: { userIds: [], userTags: [] } },
			({ limits }) => (limits.policies === 1 ? byOwn : byBase),
		).map((one) => [one.kind, one.found, one.refuses, "isOfBase" in one]);

	it("are the one that refuses, or that finds more where both refuse, and those that only the base refuses by", () => {
		const [refuses, warns] = [guard("policies", 2, true), guard("policies", 2, false)];
		expect(judge([warns], [refuses])).toEqual([["policies", 2, true, true]]);
		expect(judge([refuses], [warns])).toEqual([["policies", 2, true, false]]);
		expect(judge([refuses], [refuses])).toEqual([["policies", 2, true, false]]);
		expect(judge([refuses], [guard("policies", 3, true)])).toEqual([["policies", 3, true, true]]);
		expect(judge([refuses], [guard("policies", 1, true)])).toEqual([["policies", 2, true, false]]);
		expect(judge([warns], [guard("policies", 3, false)])).toEqual([["policies", 2, false, false]]);
		expect(judge([], [refuses, guard("tvcApps", 1, false)])).toEqual([["policies", 2, true, true]]);
		expect(judge([refuses], [])).toEqual([["policies", 2, true, false]]);
	});

	it("protect what either document protects", () => {
		const seen: DesiredOrganization["protect"][] = [];
		const protect = (...names: readonly string[]) => ({ userIds: names, userTags: names, policies: names });
		judgeByStricter(
			desiredOf({ protect: protect("b", "c") }),
			{ limits: {}, protect: { ...protect("c", "a"), policies: ["p"] } },
			(desired) => {
				seen.push(desired.protect);
				return [];
			},
		);
		const [both, policies] = [
			["a", "b", "c"],
			["b", "c", "p"],
		];
		const united = { userIds: both, userTags: both, policies };
		expect(seen).toEqual([united, united]);
	});
});
