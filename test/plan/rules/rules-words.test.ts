/** What breaks a rule, in words: what is said together and what apart, how long lists are, and who is called how. */
import { describe, expect, it } from "vitest";
import type { DesiredRule } from "../../../src/plan/organization.ts";
import type { Breach } from "../../../src/plan/rules/rules.ts";
import { tagsAfter } from "../../../src/plan/rules/tags.ts";
import { brokenText } from "../../../src/say/rules.ts";
import { makePlan } from "../../in-words.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, unknown } from "../support-organizations.ts";

const people = ["ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal"];
const ids = people.map((_, index) => id("user", index + 1));
const [ann = "", ben = "", cat = "", dan = ""] = ids;
const userNames = Object.fromEntries(people.map((name, index) => [ids[index], name]));
const describeAs = (rule: DesiredRule, ...breaches: readonly Breach[]) =>
	brokenText({ kind: "breaches", rule, breaches, names: { userNames } });

const wallets = { resource: "WALLET", action: "EXPORT" };
const keys = { resource: "PRIVATE_KEY", action: "EXPORT" };
const enough = (userIds: readonly string[], group = wallets, condition: string | null = null): Breach => {
	return { what: "enough", userIds, group, condition };
};
const outsider = (userId: string, group = wallets, condition: string | null = null): Breach => {
	return { what: "outsider", userIds: [userId], group, condition };
};

describe("the words of a rule about approvers", () => {
	const rule: DesiredRule = { rule: "minApprovers", power: "export", min: 3, at };
	const demand = "the rule asks for at least 3 approvers";

	it("say who is enough alone and which sets are, apart", () => {
		expect(describeAs(rule, enough([ann]), enough([ben]), enough([cat, dan]))).toBe(
			`ann and ben are each enough alone to export wallets (WALLET/EXPORT); cat and dan are enough to export wallets (WALLET/EXPORT); ${demand}`,
		);
	});

	it("say powers apart, and conditions", () => {
		expect(describeAs(rule, enough([ann]), enough([ann], keys), enough([ann], wallets, "wallet.id == 'w'"))).toBe(
			`ann alone is enough to export wallets (WALLET/EXPORT); ann alone is enough to export private keys (PRIVATE_KEY/EXPORT); ann alone is enough to export wallets (WALLET/EXPORT) where the wallet is w; ${demand}`,
		);
	});

	it("ask for one approver in the singular", () => {
		expect(describeAs({ ...rule, min: 1 }, { what: "rootQuorum", userIds: [ann], threshold: 1 })).toBe(
			"1 approver of the root quorum (ann) is enough for every activity; the rule asks for at least 1 approver",
		);
	});
});

describe("the words of a rule about who may take part", () => {
	const rule: DesiredRule = { rule: "onlyBy", power: "export", tags: ["signers", "treasury"], at };
	const demand = "the rule asks for a tag of `signers`, `treasury`";

	it("say users with the same power together, powers and conditions apart", () => {
		expect(describeAs(rule, outsider(ann), outsider(ben), outsider(ann, keys), outsider(ann, keys, "a == 1"))).toBe(
			`ann and ben can approve exporting wallets (WALLET/EXPORT); ann can approve exporting private keys (PRIVATE_KEY/EXPORT); ann can approve exporting private keys (PRIVATE_KEY/EXPORT) where a == 1; ${demand}`,
		);
	});

	it("name users once each, in the order of their ids, whatever the order of what was found", () => {
		expect(describeAs(rule, outsider(cat), outsider(ann), outsider(ben), outsider(ann))).toBe(
			`ann, ben and cat can approve exporting wallets (WALLET/EXPORT); ${demand}`,
		);
	});
});

describe("the words of a rule about new access", () => {
	const rule: DesiredRule = { rule: "noNewAccess", at };
	const gives = (change: "alone" | "fewer" | "gains", userIds: readonly string[], group = wallets): Breach => {
		return { what: "newAccess", userIds, group, condition: null, change };
	};

	it("say each change and power apart", () => {
		expect(describeAs(rule, gives("alone", [ann]), gives("alone", [ben], keys), gives("gains", [cat]))).toBe(
			"ann could export wallets (WALLET/EXPORT) alone; ben could export private keys (PRIVATE_KEY/EXPORT) alone; cat could newly approve exporting wallets (WALLET/EXPORT)",
		);
		expect(describeAs(rule, gives("fewer", [ann, ben]))).toBe(
			"fewer approvers would be enough to export wallets (WALLET/EXPORT)",
		);
		const whole: Breach = { what: "newAccess", userIds: [], group: null, condition: null, change: null };
		expect(describeAs(rule, whole)).toBe("the plan is more permissive");
	});
});

describe("a list in these words", () => {
	const rule: DesiredRule = { rule: "exclusive", tags: ["one", "two"], at };
	const both = (userId: string, tags = ["one", "two"]): Breach => ({ what: "tags", userIds: [userId], tags });

	it.each([
		[1, "ann has"],
		[2, "ann and ben have"],
		[4, "ann, ben, cat and dan have"],
		[5, "ann, ben, cat, dan and eve have"],
		[6, "ann, ben, cat, dan, eve and fay have"],
		[7, "ann, ben, cat, dan, eve and 2 more have"],
		[8, "ann, ben, cat, dan, eve and 3 more have"],
	])("of %d users: %s", (count, who) => {
		const breaches = ids.slice(0, count).map((userId) => both(userId));
		expect(describeAs(rule, ...breaches)).toBe(`${who} \`one\` and \`two\``);
	});

	it("of parts counts those after the fifth where there are seven", () => {
		const parts = (count: number) =>
			describeAs(rule, ...ids.slice(0, count).map((userId, index) => both(userId, [`tag-${index}`, "two"]))).split(
				"; ",
			);
		expect(parts(6)).toHaveLength(6);
		expect(parts(7)).toHaveLength(6);
		expect(parts(7).at(-1)).toBe("2 more");
	});
});

describe("a user who breaks a rule", () => {
	const rule: DesiredRule = { rule: "exclusive", tags: ["one", "two"], at };
	const members = { members: known([ann]) };
	const live = liveOf({
		userTags: known([liveTag(1, "one", members), liveTag(2, "two", members)]),
		users: known({ [ann]: "Ann Example", [ben]: "Ben Example" }),
	});

	it("is named as the service does, although no change is about that user", () => {
		const plan = makePlan(desiredOf({ rules: [rule] }), live, context);
		expect(plan.changes).toEqual([]);
		expect(plan.liveNames).toEqual({ [ann]: "Ann Example" });
		expect(plan.rules?.[0]?.before).toMatchObject({
			message: expect.stringMatching(/^Ann Example \(id 10000001…\) has `one` and `two`$/),
		});
	});
});

describe("the tags after some steps", () => {
	const tags = known([liveTag(1, "one", { members: known([ann, ben]) }), liveTag(2, "two", { members: unknown })]);
	const step = (number: number, addUserIds: readonly string[], removeUserIds: readonly string[], name?: string) => {
		const renamed = name === undefined ? {} : { newUserTagName: name };
		return {
			operation: "update_user_tag",
			parameters: { userTagId: id("tag", number), ...renamed, addUserIds, removeUserIds },
		} as const;
	};

	it("have the last name that a step gives, also where a later one gives none", () => {
		const after = tagsAfter(tags, [step(1, [], [], "a"), step(1, [], [], "b"), step(1, [cat], [])]);
		expect(after.known && after.value.map(({ name }) => name)).toEqual(["b", "two"]);
	});

	it("have the members of all steps, sorted and each once, and unknown ones stay unknown", () => {
		const steps = [step(1, [cat, ann], [ben]), step(1, [ben, cat], [ann]), step(2, [ann], [])];
		const removal = { operation: "delete_policies", parameters: { policyIds: [id("policy", 1)] } } as const;
		const after = tagsAfter(tags, [...steps, removal]);
		expect(after.known && after.value.map((tag) => tag.members)).toEqual([known([ben, cat]), unknown]);
		expect(tagsAfter(unknown, steps)).toEqual(unknown);
	});
});
