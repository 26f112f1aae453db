/** Why a user has a power or not, and the powers of one user or of one tag. */

import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState, AccessUser, Known } from "../../../src/policy/access.ts";
import { explainActivity, type PolicyExplanation } from "../../../src/policy/powers/explain-power.ts";
import { readFields } from "../../../src/policy/powers/fields.ts";
import { type ActivityGroup, printGroup } from "../../../src/policy/powers/groups.ts";
import { narrowToTag, narrowToUser } from "../../../src/policy/powers/select-powers.ts";
import { explainPower, findPowers } from "../in-words.ts";

const known = <T>(value: T): Known<T> => ({ known: true, value });
const atMs = Date.parse("2026-06-01T12:00:00Z");
const signing: ActivityGroup = { resource: "PRIVATE_KEY", action: "SIGN" };

function user(id: string, tags: readonly string[] | null = []): AccessUser {
	const credential = { id: null, type: "CREDENTIAL_TYPE_API_KEY_P256", credentialId: null, publicKey: id };
	const tagIds: AccessUser["tagIds"] =
		tags === null ? { known: false, because: { kind: "stated", text: "tags are not shown" } } : known(tags);
	return { id, tagIds, email: known(null), credentials: known([credential]) };
}

const policy = (id: string, parts: Partial<AccessPolicy>): AccessPolicy => {
	return { id, name: "", effect: "EFFECT_ALLOW", consensus: "", condition: "", time: "", ...parts };
};

const people = [user("alice", ["A"]), user("bob", ["A", "B"]), user("carol", ["B"]), user("dave")];
const accessOf = (policies: readonly AccessPolicy[], users: readonly AccessUser[] = people): AccessState => ({
	users: known([...users, user("olga"), user("otto")]),
	policies: known(policies),
	rootQuorum: known({ threshold: 2, userIds: ["olga", "otto"] }),
});

const oneOf = (tag: string): string => `approvers.any(user, user.tags.contains('${tag}'))`;
const twoOf = (tag: string): string => `approvers.filter(user, user.tags.contains('${tag}')).count() >= 2`;
const isSigning = "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'";
const isExporting = "activity.resource == 'WALLET' && activity.action == 'EXPORT'";
const toTreasury = `${isSigning} && eth.tx.to == '0x01'`;

const verdictOf = (policies: readonly AccessPolicy[], userId: string): string =>
	explainPower(accessOf(policies), signing, userId, atMs).verdict;
const explain = (policies: readonly AccessPolicy[], userId: string): readonly PolicyExplanation[] =>
	explainPower(accessOf(policies), signing, userId, atMs).policies;
const shortly = ({ policyId, applies, clauses }: PolicyExplanation): string =>
	[policyId, applies, ...clauses.map(({ verdict }) => verdict)].join(" ");

describe("The verdict on a power of a user", () => {
	it("is alone where the user's approval is enough, and no where no policy counts the user", () => {
		const policies = [policy("p", { consensus: oneOf("A"), condition: isSigning })];
		expect(verdictOf(policies, "alice")).toBe("alone");
		expect(verdictOf(policies, "carol")).toBe("no");
	});

	it("is together where others of a policy must approve too", () => {
		const policies = [policy("p", { consensus: twoOf("B"), condition: isSigning })];
		expect([verdictOf(policies, "carol"), verdictOf(policies, "alice")]).toEqual(["together", "no"]);
	});

	it("is root-quorum for its members, also where a policy denies them", () => {
		const deny = policy("d", {
			effect: "EFFECT_DENY",
			consensus: "approvers.any(user, user.id == 'olga')",
			condition: isSigning,
		});
		expect(verdictOf([], "olga")).toBe("root-quorum");
		expect(verdictOf([deny], "olga")).toBe("root-quorum");
	});

	it("is denied where a policy denies the user with any other approvers", () => {
		const allow = policy("a", { consensus: oneOf("A"), condition: isSigning });
		const deny = policy("d", { effect: "EFFECT_DENY", consensus: oneOf("B"), condition: isSigning });
		expect([verdictOf([allow, deny], "bob"), verdictOf([allow, deny], "alice")]).toEqual(["denied", "alone"]);
	});

	it("is conditional where a condition on the activity decides", () => {
		const policies = [policy("p", { consensus: oneOf("A"), condition: toTreasury })];
		expect([verdictOf(policies, "alice"), verdictOf(policies, "carol")]).toEqual(["conditional", "no"]);
	});

	it("is unknown where a policy is not understood", () => {
		expect(verdictOf([policy("p", { consensus: "approvers.any(", condition: isSigning })], "alice")).toBe("unknown");
	});
});

describe("The explanation of a power", () => {
	it("has the alternatives with the user only, and none for a user without a part", () => {
		const policies = [
			policy("p", { consensus: oneOf("A"), condition: isSigning }),
			policy("q", { consensus: twoOf("B"), condition: isSigning }),
		];
		const thresholdsOf = (userId: string) =>
			explainPower(accessOf(policies), signing, userId, atMs).thresholds.map((all) =>
				all.map(({ atLeast, of }) => `${atLeast} of ${of.join()}`),
			);
		expect(thresholdsOf("alice")).toEqual([["1 of alice,bob"]]);
		expect(thresholdsOf("olga")).toEqual([["2 of olga,otto"]]);
		expect(thresholdsOf("dave")).toEqual([]);
	});

	it("has the conditions under which the user has a part, not those of others", () => {
		const policies = [policy("p", { consensus: oneOf("A"), condition: toTreasury })];
		const conditionsOf = (userId: string) =>
			explainPower(accessOf(policies), signing, userId, atMs).conditional.map(({ condition }) => condition);
		expect(conditionsOf("alice")).toEqual(["eth.tx.to == '0x01'"]);
		expect(conditionsOf("dave")).toEqual([]);
	});

	it("leaves out policies about other activities", () => {
		const policies = [
			policy("export", { consensus: oneOf("A"), condition: isExporting }),
			policy("sign", { consensus: oneOf("A"), condition: isSigning }),
		];
		expect(explain(policies, "alice").map(({ policyId }) => policyId)).toEqual(["sign"]);
	});

	it("has a policy about these activities that applies to none of them", () => {
		const eitherSigner = `${isSigning} && (wallet.id == 'A' || private_key.id == 'B')`;
		const [found] = explain([policy("p", { consensus: oneOf("A"), condition: eitherSigner })], "alice");
		expect(found && shortly(found)).toBe("p never true false absent");
	});

	it("has a policy that errs for these activities, and says what they lack", () => {
		const policies = [policy("p", { consensus: oneOf("A"), condition: "wallet.id == 'A'" })];
		const creating = { resource: "POLICY", action: "CREATE" };
		const [found] = explainPower(accessOf(policies), creating, "alice", atMs).policies;
		expect(found && shortly(found)).toBe("p never true errs absent");
		expect(found?.clauses[1]?.because).toBe("the activity has no `wallet`");
	});

	it("has the policies that apply first, and of those that do as much, those that deny first", () => {
		const policies = [
			policy("others", { consensus: "approvers.any(user, user.id == 'dave')", condition: isSigning }),
			policy("never", { consensus: "approvers.any(user, user.id == 'nobody')", condition: isSigning }),
			policy("unknown", { consensus: "approvers.any(", condition: isSigning }),
			policy("partly", { consensus: oneOf("A"), condition: toTreasury }),
			policy("together", { consensus: twoOf("A"), condition: isSigning }),
			policy("alone", { consensus: oneOf("A"), condition: isSigning }),
			policy("deny", { effect: "EFFECT_DENY", consensus: oneOf("A"), condition: isSigning }),
		];
		expect(explain(policies, "alice").map(shortly)).toEqual([
			"deny alone true true absent",
			"alone alone true true absent",
			"together together partly true absent",
			"partly partly true partly absent",
			"unknown unknown unknown true absent",
			"others others false true absent",
			"never never false true absent",
		]);
	});

	it("names the tags that a consensus counts and the user lacks, each once", () => {
		const consensus = `${twoOf("B")} || ${oneOf("B")} && approvers.count() >= 2`;
		const [lacks] = explain([policy("p", { consensus, condition: isSigning })], "alice");
		const [has] = explain([policy("p", { consensus, condition: isSigning })], "carol");
		expect([lacks?.missingTagIds, has?.missingTagIds]).toEqual([["B"], []]);
	});

	it("has each clause as the policy has it, judged on its own", () => {
		const [found] = explain(
			[
				policy("p", {
					consensus: oneOf("B"),
					condition: toTreasury,
					time: "CronSpan('0 9 * * *', '1h', 'Europe/London')",
				}),
			],
			"alice",
		);
		expect(found?.clauses).toMatchInlineSnapshot(`
			[
			  {
			    "because": null,
			    "clause": "consensus",
			    "text": "approvers.any(user, user.tags.contains('B'))",
			    "verdict": "false",
			  },
			  {
			    "because": null,
			    "clause": "condition",
			    "text": "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN' && eth.tx.to == '0x01'",
			    "verdict": "partly",
			  },
			  {
			    "because": null,
			    "clause": "time",
			    "opensAt": "2026-06-02T08:00:00.000Z",
			    "text": "CronSpan('0 9 * * *', '1h', 'Europe/London')",
			    "verdict": "false",
			  },
			]
		`);
		expect(found?.applies).toBe("never");
	});

	it("says from when the user can, where only a time window refuses it now", () => {
		const laterOf = (policies: readonly AccessPolicy[], userId: string) =>
			explainPower(accessOf(policies), signing, userId, atMs).later;
		const opening = { condition: isSigning, time: "CronSpan('0 9 * * *', '1h', 'Europe/London')" };
		const ending = { condition: isSigning, time: "time.now < Timestamp('2026-06-03T00:00:00Z')" };
		const at = "2026-06-02T08:00:00.000Z";
		const inMornings = policy("p", { consensus: oneOf("B"), ...opening });
		expect(laterOf([inMornings], "bob")).toEqual({ at, verdict: "alone" });
		expect(laterOf([{ ...inMornings, consensus: twoOf("B") }], "bob")).toEqual({ at, verdict: "together" });
		expect(laterOf([policy("p", { consensus: oneOf("B"), ...opening, condition: toTreasury })], "bob")).toEqual({
			at,
			verdict: "conditional",
		});
		const deny = policy("d", { effect: "EFFECT_DENY", consensus: oneOf("B"), ...ending });
		expect(laterOf([{ ...inMornings, time: "" }, deny], "bob")?.at).toBe("2026-06-03T00:00:00.000Z");
		expect([laterOf([inMornings], "alice"), laterOf([{ ...inMornings, time: "" }], "bob")]).toEqual([
			undefined,
			undefined,
		]);
	});

	it("says that clauses are absent where the policy has none, and applies to each user alone then", () => {
		expect(explain([policy("p", { consensus: " ", condition: "", time: "\n" })], "dave").map(shortly)).toEqual([
			"p alone absent absent absent",
		]);
	});

	it("says why a clause is not understood, without the policy that it is of", () => {
		const [found] = explain([policy("p", { consensus: "approvers.any(", condition: isSigning })], "alice");
		expect(found?.clauses[0]?.because).toMatchInlineSnapshot(
			`"the consensus is not understood: expected a name for each item: \`any(item, item == 'text')\`, found the end of the expression"`,
		);
	});

	it("has no policies where they could not be read, and says why", () => {
		const access = {
			...accessOf([]),
			policies: { known: false, because: { kind: "stated", text: "policies are not shown" } },
		} as const;
		const { policies, verdict, unknown } = explainPower(access, signing, "alice", atMs);
		expect([policies, verdict, unknown]).toEqual([[], "unknown", "policies are not shown"]);
	});
});

/** Signing, as `users of alone | sets of together | conditions`. */
function signingIn(powers: ReturnType<typeof narrowToUser>): string | undefined {
	const power = powers.find(({ group }) => printGroup(group) === printGroup(signing));
	if (power === undefined) return undefined;
	const { alone, together, conditional } = power;
	const conditions = conditional.map(({ condition, alone: users }) => `${condition}: ${users.join()}`);
	return [alone.join(), together.map((set) => set.join("+")).join(), conditions.join()].join(" | ");
}

describe("The powers of one user", () => {
	const powersOf = (policies: readonly AccessPolicy[], userId: string) =>
		narrowToUser(findPowers(accessOf(policies), atMs, [signing]), userId);
	const powerOf = (policies: readonly AccessPolicy[], userId: string) =>
		powersOf(policies, userId).find(({ group }) => printGroup(group) === printGroup(signing));

	it("have that user of those who can do it alone, and the sets with the user", () => {
		const policies = [
			policy("p", { consensus: oneOf("A"), condition: isSigning }),
			policy("q", {
				consensus: "approvers.any(user, user.id == 'carol') && approvers.any(user, user.id == 'dave')",
				condition: isSigning,
			}),
		];
		expect(signingIn(powersOf(policies, "bob"))).toBe("bob |  | ");
		expect(signingIn(powersOf(policies, "dave"))).toBe(" | carol+dave | ");
		expect(signingIn(powersOf(policies, "olga"))).toBe(" | olga+otto | ");
		const power = powerOf(policies, "dave");
		expect(power?.thresholds.flat().map(({ of }) => of)).toEqual([["carol"], ["dave"]]);
	});

	it("leave out a power in which the user has no part", () => {
		const policies = [policy("p", { consensus: oneOf("A"), condition: isSigning })];
		expect(signingIn(powersOf(policies, "bob"))).toBe("bob |  | ");
		expect(signingIn(powersOf(policies, "dave"))).toBe(undefined);
	});

	it("keep a power that is denied to the user, and one that is not known", () => {
		const deny = policy("d", {
			effect: "EFFECT_DENY",
			consensus: "approvers.any(user, user.id == 'dave')",
			condition: isSigning,
		});
		expect(powerOf([deny], "dave")?.denied).toEqual(["dave"]);
		const open = policy("u", { consensus: "approvers.any(", condition: isSigning });
		expect(powerOf([open], "dave")?.unknown).toContain("is not understood");
	});

	it("have only the conditions under which the user has a part", () => {
		const policies = [
			policy("p", { consensus: oneOf("A"), condition: toTreasury }),
			policy("q", { consensus: oneOf("B"), condition: `${isSigning} && eth.tx.to == '0x02'` }),
		];
		expect(signingIn(powersOf(policies, "alice"))).toBe(" |  | eth.tx.to == '0x01': alice");
		expect(powerOf(policies, "alice")?.conditions).toEqual(["eth.tx.to == '0x01'"]);
		expect(powerOf(policies, "dave")).toBe(undefined);
	});

	it("have the root quorum only of members who have no other part", () => {
		const power = powerOf([policy("p", { consensus: oneOf("A"), condition: isSigning })], "olga");
		expect([power?.rootQuorumOnly, power?.denied]).toEqual([["olga"], []]);
		expect(powerOf([policy("p", { consensus: oneOf("A"), condition: isSigning })], "bob")?.rootQuorumOnly).toEqual([]);
	});
});

describe("One activity", () => {
	const explained = (fields: string, policies: readonly AccessPolicy[]) => {
		const read = readFields(fields);
		if ("mistakes" in read) throw new Error(read.mistakes[0]?.message);
		const { policies: found, notSaid } = explainActivity({
			access: accessOf(policies),
			group: signing,
			atMs,
			fields: read.fields,
		});
		return [...found.map(({ policyId, applies }) => `${policyId} ${applies}`), ...notSaid];
	};

	it("depends in part on what is not said of it, and not where that decides nothing", () => {
		const policies = [policy("p", { consensus: oneOf("A"), condition: toTreasury })];
		expect(explained("wallet.id == 'w'", policies)).toEqual(["p partly", "eth.tx.to"]);
		expect(explained("eth.tx.to == '0x01'", policies)).toEqual(["p others"]);
		expect(explained("eth.tx.to == '0x02'", policies)).toEqual(["p never"]);
		const open = [policy("q", { consensus: "approvers.any(", condition: toTreasury })];
		expect(explained("eth.tx.to == '0x01'", open)).toEqual(["q unknown"]);
		const never = [policy("r", { consensus: "approvers.count() > 90", condition: toTreasury })];
		expect(explained("eth.tx.to == '0x01'", never)).toEqual(["r never"]);
	});
});

describe("The powers of one tag", () => {
	const groupsOf = (policies: readonly AccessPolicy[], tagId: string, users = people): readonly string[] => {
		const access = accessOf(policies, users);
		return narrowToTag(findPowers(access, atMs), tagId, access, atMs).map(({ group }) => printGroup(group));
	};
	const policies = [
		policy("p", { consensus: oneOf("A"), condition: isSigning }),
		policy("q", { consensus: twoOf("B"), condition: isExporting }),
	];

	it("are those that change when no user has it", () => {
		expect(groupsOf(policies, "A")).toEqual(["PRIVATE_KEY/SIGN"]);
		expect(groupsOf(policies, "B")).toEqual(["WALLET/EXPORT"]);
		expect(groupsOf(policies, "C")).toEqual([]);
	});

	it("are those with a condition too", () => {
		expect(groupsOf([policy("p", { consensus: oneOf("B"), condition: toTreasury })], "B")).toEqual([
			"PRIVATE_KEY/SIGN",
		]);
	});

	it("are those that it denies", () => {
		const deny = policy("d", { effect: "EFFECT_DENY", consensus: oneOf("B"), condition: isSigning });
		expect(groupsOf([...policies, deny], "B")).toEqual(["PRIVATE_KEY/SIGN", "WALLET/EXPORT"]);
	});

	it("are all powers where users could not be read", () => {
		const access: AccessState = {
			...accessOf(policies),
			users: { known: false, because: { kind: "stated", text: "users are not shown" } },
		};
		const powers = findPowers(access, atMs);
		expect(narrowToTag(powers, "A", access, atMs)).toBe(powers);
	});

	it("are no different for a user whose tags are not shown", () => {
		expect(groupsOf(policies, "C", [...people, user("eve", null)])).toEqual([]);
	});
});
