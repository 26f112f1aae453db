/** The guards `rules` and `newAccess`: which changes they name as the reason. */
import { describe, expect, it } from "vitest";
import type { DesiredRule, LiveOrganization } from "../../../src/plan/organization.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import type { WordedPlan } from "../../in-words.ts";
import { makePlan } from "../../in-words.ts";
import {
	accessOf,
	alice,
	anyOf,
	bob,
	carol,
	condition,
	dave,
	desiredFor,
	liveFor,
	type Organization,
	planFor,
	policyOf,
	signers,
	type Wish,
} from "../support-access.ts";
import {
	at,
	context,
	type DesiredParts,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingExpected,
	wantTag,
	withLive,
} from "../support-organizations.ts";

const whereOf = (kind: "rules" | "newAccess", { guards }: Plan) => guards.find((guard) => guard.kind === kind)?.where;
const exactly = (...userIds: readonly string[]) => ({ members: { mode: "exactly", exactly: userIds } }) as const;
const atMostOne = (tag: string): DesiredRule => ({ rule: "members", tag, max: 1, at });

/** A policy to remove, two tags without members, and a session profile that is not as the document says. */
const live: LiveOrganization = liveOf({
	userTags: known([liveTag(1, "approvers"), liveTag(2, "signers"), liveTag(3, "treasury")]),
	policies: known([{ id: id("policy", 1), name: "old" }]),
	sessionProfiles: { [id("other", 1)]: known({ sessionProfileName: "night" }) },
});
const policyIds = [id("policy", 1)];
const others: DesiredParts = {
	absent: { policyIds, oauthProviders: [], tvcAppIds: [] },
	expect: {
		...{ mfaPolicies: [], bootProofs: [], supportedAssets: [] },
		sessionProfiles: [{ id: id("other", 1), fields: { name: "day" }, at }],
	},
};

describe("the guard of rules", () => {
	const planOf = (rules: readonly DesiredRule[], parts: DesiredParts) =>
		makePlan(desiredOf({ ...others, ...parts, rules }), live, context);

	it("names the tag of a rule about members, and no other change", () => {
		const plan = planOf([atMostOne("signers")], {
			userTags: [wantTag("approvers", exactly(carol)), wantTag("signers", exactly(alice, bob))],
		});
		expect(plan.changes.map(({ action }) => action)).toEqual(expect.arrayContaining(["update", "remove", "report"]));
		expect(whereOf("rules", plan)).toEqual(["userTag:signers"]);
	});

	it("names the tags of a rule about exclusive tags that change, and no other change", () => {
		const rule: DesiredRule = { rule: "exclusive", tags: ["approvers", "signers"], at };
		const plan = planOf([rule], {
			userTags: [
				wantTag("approvers", exactly(alice)),
				wantTag("signers", exactly(alice)),
				wantTag("treasury", exactly(dave)),
			],
		});
		expect(whereOf("rules", plan)).toEqual(["userTag:approvers", "userTag:signers"]);
	});

	it("names a tag that gets the name of the rule", () => {
		const given = planOf([atMostOne("keepers")], {
			userTags: [wantTag("keepers", { id: id("tag", 2), ...exactly(alice, bob) }), wantTag("treasury", exactly(dave))],
		});
		expect(given.changes).toContainEqual(expect.objectContaining({ address: "userTag:keepers" }));
		expect(whereOf("rules", given)).toEqual(["userTag:keepers"]);
	});

	it("names the changes of all broken rules, sorted and each once", () => {
		const exclusive: DesiredRule = { rule: "exclusive", tags: ["approvers", "treasury"], at };
		const plan = planOf([atMostOne("treasury"), atMostOne("approvers"), exclusive], {
			userTags: [wantTag("approvers", exactly(alice, bob)), wantTag("treasury", exactly(alice, bob))],
		});
		const guard = plan.guards.find(({ kind }) => kind === "rules");
		expect(guard).toMatchObject({ found: 3, where: ["userTag:approvers", "userTag:treasury"] });
	});

	it("names every change that is submitted where the rule is about powers, whatever tags it names", () => {
		const organization: Organization = {
			members: {},
			policies: [policyOf(1, { consensus: anyOf(signers), condition: condition.sign }), policyOf(2)],
		};
		const { sessionProfiles } = others.expect as NonNullable<typeof others.expect>;
		const [expected] = desiredOf({ expect: { ...nothingExpected, sessionProfiles } }).objects;
		const { objects, ...wanted } = desiredFor({
			members: { signers: ["alice"], treasury: ["bob"] },
			absent: [id("policy", 2)],
		});
		const access = accessOf({}, [organization.policies[0] as (typeof organization.policies)[number]]);
		const found = withLive(liveFor(organization), {
			sessionProfiles: { [id("other", 1)]: known({ sessionProfileName: "night" }) },
		});
		for (const rule of [
			{ rule: "minApprovers", power: "sign", min: 2, at },
			{ rule: "onlyBy", power: "sign", tags: ["treasury"], at },
		] as const) {
			const desired = {
				...wanted,
				rules: [rule],
				objects: [...objects, ...(expected === undefined ? [] : [expected])],
			};
			const plan = makePlan(desired, found, { ...context, access });
			expect(plan.changes.map(({ action }) => action)).toContain("report");
			expect(whereOf("rules", plan)).toEqual([`policy:${id("policy", 2)}`, "userTag:signers", "userTag:treasury"]);
		}
	});
});

describe("the guard of new access", () => {
	const noNewAccess: DesiredRule = { rule: "noNewAccess", at };
	const readable = policyOf(1, { consensus: anyOf(signers), condition: condition.sign });
	const unclear = policyOf(2, { consensus: `${anyOf(signers)} == 1`, condition: condition.export });
	const wish: Wish = { members: { signers: ["alice", "bob"] } };

	function planWith(policies: Organization["policies"]): WordedPlan {
		const organization: Organization = { members: { signers: ["alice"] }, policies };
		const access = accessOf(organization.members, policies);
		return makePlan({ ...desiredFor(wish), rules: [noNewAccess] }, liveFor(organization), { ...context, access });
	}
	const because = /whether the plan gives new access is unknown: policy \S+: the consensus is not understood: .*/;

	it("counts what is not known as one finding beside the others, and says why", () => {
		const plan = planWith([readable, unclear]);
		expect(plan.impact?.map(({ change }) => change)).toEqual(["alone", "unknown"]);
		const guard = plan.guards.find(({ kind }) => kind === "newAccess");
		expect(guard).toMatchObject({ found: 2, where: ["userTag:signers"] });
		expect(guard?.message).toMatch(/^would break rule:noNewAccess: bob could sign .* alone; whether the plan /);
		expect(guard?.message).toMatch(because);
	});

	it("says why nothing is known where that is all there is", () => {
		const guard = planWith([unclear]).guards.find(({ kind }) => kind === "newAccess");
		expect(guard).toMatchObject({ found: 1, message: expect.stringMatching(because) });
	});

	it("is there where only one of several changes can give access, and nothing was read", () => {
		const organization: Organization = { members: { signers: ["alice"] }, policies: [readable] };
		const planOf = (wanted: Wish) =>
			makePlan({ ...desiredFor(wanted), rules: [noNewAccess] }, liveFor(organization), context);
		const names = { treasury: "money" };
		expect(whereOf("newAccess", planOf({ ...wish, names }))).toEqual(["userTag:money", "userTag:signers"]);
		expect(whereOf("newAccess", planOf({ names }))).toBe(undefined);
	});

	it("is not there without the rule", () => {
		const plan = planFor({ members: { signers: ["alice"] }, policies: [readable] }, wish);
		expect(whereOf("newAccess", plan)).toBe(undefined);
		expect(plan.impact?.map(({ change }) => change)).toEqual(["alone"]);
	});
});
