/** Powers in words: what a reader sees of groups, users and thresholds. */
import { describe, expect, it } from "vitest";
import type { ActivityGroup } from "../../src/policy/groups.ts";
import type { Ability, Threshold } from "../../src/policy/powers.ts";
import {
	describeGroup,
	describeThreshold,
	describeThresholds,
	describeTogether,
	listUsers,
	type PowerNames,
	showPolicy,
	showTag,
} from "../../src/render/power-words.ts";
import { id } from "../plan/support-organizations.ts";

const users = Array.from({ length: 26 }, (_, at) => id("user", at + 1));
const [alice = "", bob = "", carol = ""] = users;
const [signers, policy] = [id("tag", 1), id("policy", 1)];
const names: PowerNames = {
	userNames: Object.fromEntries(
		users.map((userId, at) => [userId, at < 3 ? (["alice", "bob", "carol"][at] ?? "") : `u${at}`]),
	),
	tagNames: { [signers]: "signers" },
	policyNames: { [policy]: "two, please" },
};

const threshold = (atLeast: number, of: readonly string[], more: Partial<Threshold> = {}): Threshold => ({
	...{ atLeast, of, tagId: null, isRootQuorum: false },
	...more,
});

const ability = (parts: Partial<Ability>): Ability => ({
	alone: [],
	together: [],
	thresholds: [],
	isComplete: true,
	...parts,
});

describe("a group of activities", () => {
	it.each<[ActivityGroup, string]>([
		[{ resource: "PRIVATE_KEY", action: "SIGN" }, "sign (PRIVATE_KEY/SIGN)"],
		[{ resource: "WALLET", action: "UPDATE" }, "WALLET/UPDATE"],
		[{ kind: "CREATE_WALLET" }, "kind CREATE_WALLET"],
		[{ type: "A\u001b[31m" }, "type A\\u{1b}[31m"],
	])("%j is shown as %s", (group, shown) => {
		expect(describeGroup(group)).toBe(shown);
	});
});

describe("a threshold", () => {
	it.each<[Threshold, string]>([
		[threshold(1, [alice]), "alice"],
		[threshold(2, [alice, bob]), "alice and bob"],
		[threshold(3, [alice, bob, carol]), "alice, bob and carol"],
		[threshold(1, [alice, bob]), "1 of alice, bob"],
		[threshold(2, [alice, bob], { tagId: signers }), "2 of signers (alice, bob)"],
		[threshold(2, [], { tagId: signers }), "2 of signers (no members)"],
		[threshold(1, [bob], { tagId: id("tag", 2) }), `1 of tag ${id("tag", 2)} (bob)`],
		[threshold(2, [alice, bob, carol], { isRootQuorum: true }), "the root quorum (2 of alice, bob, carol)"],
		[threshold(1, [alice], { isRootQuorum: true }), "the root quorum (alice)"],
		[threshold(1, users), `1 of ${listUsers(users.slice(0, 10), names)}, … and 16 more`],
	])("%j is shown as %s", (one, shown) => {
		expect(describeThreshold(one, names)).toBe(shown);
	});

	it("of an alternative is joined by and, alternatives by or, and many of them are counted", () => {
		const both = [threshold(1, [alice]), threshold(2, [bob, carol])];
		expect(describeThresholds([both, [threshold(1, [carol])]], names)).toBe("alice and bob and carol, or carol");
		expect(
			describeThresholds(
				users.slice(0, 9).map((one) => [threshold(1, [one])]),
				names,
			),
		).toBe("alice, or bob, or carol, or u3, or one of 5 more");
	});
});

describe("what users can do together", () => {
	it("leaves out the users who can do it alone", () => {
		const together = [[alice, bob]];
		const thresholds = [[threshold(1, [carol])], [threshold(2, [alice, bob], { tagId: signers })]];
		expect(describeTogether(ability({ alone: [carol], together, thresholds }), names)).toBe(
			"2 of signers (alice, bob)",
		);
		expect(describeTogether(ability({ alone: [carol], thresholds: thresholds.slice(0, 1) }), names)).toBe("");
	});

	it("is listed by its sets where no threshold says it", () => {
		expect(
			describeTogether(
				ability({
					together: [
						[alice, bob],
						[bob, carol],
					],
				}),
				names,
			),
		).toBe("alice and bob, or bob and carol");
	});
});

describe("a tag and a policy", () => {
	it("are shown by name, else by id", () => {
		expect([showTag(signers, names), showPolicy(policy, names)]).toEqual(["signers", '"two, please"']);
		expect([showTag(policy, names), showPolicy(signers, names)]).toEqual([`tag ${policy}`, `policy ${signers}`]);
	});
});
