/** Rules about powers where not everything is known, or where there is too much to write out. */

import { describe, expect, it } from "vitest";
import { findImpactBetween } from "../../../src/plan/impact/impact.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { powersOf, type RulePowers } from "../../../src/plan/rules/powers.ts";
import type { RuleOf } from "../../../src/plan/rules/rules.ts";
import { findTag } from "../../../src/plan/rules/tags.ts";
import type { ActivityGroup } from "../../../src/policy/powers/groups.ts";
import type { GroupPower } from "../../../src/policy/powers/powers.ts";
import { judgeMinApprovers, judgeNewAccess, judgeOnlyBy, makePlan } from "../../policy/in-words.ts";
import {
	accessOf,
	alice,
	anyOf,
	bob,
	carol,
	condition,
	dave,
	type Organization,
	onlyUser,
	planFor,
	policyOf,
	signers,
	treasury,
	twoOf,
} from "../support-access.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag } from "../support-organizations.ts";

const signing = { resource: "PRIVATE_KEY", action: "SIGN" };

/** The powers of an organization in which this is what policies allow: so many sets that none could be written out. */
function powersWith(...thresholds: readonly (readonly [atLeast: number, ...of: readonly string[]])[]): RulePowers {
	const written = thresholds.map(([atLeast, ...of]) => [{ atLeast, of, tagId: null, isRootQuorum: false }]);
	const byPolicies = (group: ActivityGroup): GroupPower => ({
		...{ group, alone: [], together: [], thresholds: written, isComplete: false, unknown: null },
		...{ rootQuorumOnly: [], denied: [], conditions: [], conditional: [], policyIds: [], assumptions: [] },
	});
	return { access: accessOf({}, []), atMs: 0, byPolicies };
}

describe("minApprovers with too many sets to write out", () => {
	const rule = (min: number): RuleOf<"minApprovers"> => ({ rule: "minApprovers", power: "sign", min, at });
	const tooMany = { breaches: [], unknown: "too many sets of users could approve it" };

	it("cannot be checked where fewer than it asks for could be enough", () => {
		expect(judgeMinApprovers(rule(3), powersWith([2, alice, bob, carol]))).toEqual({
			breaches: [{ what: "rootQuorum", userIds: [carol, dave], threshold: 2 }],
			unknown: tooMany.unknown,
		});
		expect(judgeMinApprovers(rule(2), powersWith([1, alice, bob]))).toEqual(tooMany);
	});

	it("is broken by a root quorum that can be reached and is smaller than the rule asks for, and by no other", () => {
		const judge = (threshold: number, ...userIds: readonly string[]) => {
			const access = accessOf({}, [], { threshold, userIds });
			return judgeMinApprovers(rule(3), { ...powersWith(), access }).breaches.length;
		};
		expect([judge(2, alice, bob), judge(2, alice, bob, carol), judge(1, alice)]).toEqual([1, 1, 1]);
		expect([judge(3, alice, bob, carol), judge(2, alice), judge(0), judge(1)]).toEqual([0, 0, 0, 0]);
	});

	it("is kept where as many as it asks for are needed, or no one can do it", () => {
		const kept = { breaches: [], unknown: null };
		expect(judgeMinApprovers(rule(2), powersWith([2, alice, bob, carol]))).toEqual(kept);
		expect(judgeMinApprovers(rule(2), powersWith([3, alice, bob, carol]))).toEqual(kept);
		expect(judgeMinApprovers(rule(2), powersWith())).toEqual(kept);
	});
});

describe("onlyBy with too many sets to write out", () => {
	const rule: RuleOf<"onlyBy"> = { rule: "onlyBy", power: "sign", tags: ["none"], at };
	const tags = new Map([["none", known(null)]]);

	it("is broken by each user who counts for a threshold, sorted and each once", () => {
		const outsider = (userId: string) => ({ what: "outsider", userIds: [userId], group: signing, condition: null });
		const powers = powersWith([2, carol, alice], [2, bob, carol]);
		expect(judgeOnlyBy(rule, powers, tags)).toEqual({ breaches: [alice, bob, carol].map(outsider), unknown: null });
	});

	it("is broken by those of the sets alone where all of them are written out", () => {
		const members = { signers: ["alice", "bob"] } as const;
		const policies = [policyOf(1, { consensus: twoOf(signers), condition: condition.sign })];
		const powers = powersOf(accessOf(members, policies), context.readAtMs);
		const whole: RulePowers = {
			...powers,
			byPolicies: (group) => {
				const thresholds = [[{ atLeast: 1, of: [dave], tagId: null, isRootQuorum: false }]];
				return { ...powers.byPolicies(group), thresholds };
			},
		};
		expect(powers.byPolicies(signing).isComplete).toBe(true);
		expect(judgeOnlyBy(rule, whole, tags).breaches.flatMap(({ userIds }) => userIds)).toEqual([alice, bob]);
	});
});

describe("onlyBy where two tags have the name", () => {
	const rule: RuleOf<"onlyBy"> = { rule: "onlyBy", power: "sign", tags: ["approvers", "signers"], at };
	const because = '2 live user tags have the name "signers"';

	/** Judges the rule where tags 2 and 3 are called signers, and tag 1 approvers. */
	function judge(organization: Organization) {
		const live = liveOf({
			userTags: known([liveTag(1, "approvers"), liveTag(2, "signers"), liveTag(3, "signers")]),
		});
		const access = accessOf(organization.members, organization.policies);
		const tags = new Map(rule.tags.map((name) => [name, findTag(live.userTags, name)]));
		const found = judgeOnlyBy(rule, powersOf(access, context.readAtMs), tags);
		const plan = makePlan(desiredOf({ rules: [rule] }), live, { ...context, access });
		return { ...found, state: plan.rules?.[0]?.before };
	}
	const policies = [policyOf(1, { consensus: anyOf(treasury), condition: condition.sign })];

	it("cannot be checked for a user who may have one of them", () => {
		expect(judge({ members: { treasury: ["alice"] }, policies })).toEqual({
			...{ breaches: [], unknown: because },
			state: { state: "unknown", because },
		});
	});

	it("is kept by users who have another tag of the rule", () => {
		// The tags of this test are called otherwise: tag 1, signers elsewhere, is called approvers here.
		const members = { signers: ["alice"], treasury: ["alice"] } as const;
		expect(judge({ members, policies })).toEqual({ breaches: [], unknown: null, state: { state: "kept" } });
	});

	it("is broken by a user of a policy who is not among the users, since that user has no tag", () => {
		const powers = powersWith([2, alice, id("user", 9)]);
		const tags = new Map(rule.tags.map((name) => [name, known(null)]));
		expect(judgeOnlyBy(rule, powers, tags).breaches.map(({ userIds }) => userIds)).toEqual([[alice], [id("user", 9)]]);
	});

	it("is kept where no user takes part", () => {
		expect(judge({ members: {}, policies })).toMatchObject({ state: { state: "kept" } });
	});
});

describe("noNewAccess", () => {
	const readable = policyOf(1, { consensus: twoOf(signers), condition: condition.sign });
	const unclear = policyOf(2, { consensus: `${anyOf(signers)} == 1`, condition: condition.export });
	const impactOf = ({ impact = [], impactVerdict: verdict = "unknown" }: Plan) => ({ impact, verdict });

	it("gives the reason of what cannot be compared, behind findings that are known", () => {
		const organization: Organization = { members: { signers: ["alice", "bob"] }, policies: [readable, unclear] };
		const found = impactOf(planFor(organization, { members: { signers: ["bob"] } }));
		expect(found.impact.map(({ change }) => change)).toEqual(["nobody", "unknown"]);
		const { breaches, unknown } = judgeNewAccess(found);
		expect(breaches).toEqual([]);
		expect(unknown).toMatch(/^policy \S+ the consensus is not understood: /);
	});

	it("is about a consensus of which a part is not understood only for users whom the rest allows", () => {
		const [before, quorum] = [accessOf({}, []), { threshold: 1, userIds: [dave] }];
		const withConsensus = (consensus: string) => {
			const after = accessOf({}, [policyOf(1, { consensus, condition: condition.sign })], quorum);
			const { impact, impactVerdict: verdict } = findImpactBetween({ ...before, rootQuorum: known(quorum) }, after, 0);
			return judgeNewAccess({ impact, verdict }).unknown;
		};
		const opaque = "approvers.any(user, user.group == 'x')";
		expect(withConsensus(opaque)).toContain("not understood");
		expect(withConsensus(`${onlyUser(bob)} && ${opaque}`)).toContain("not understood");
		expect(withConsensus(`${onlyUser(dave)} && ${opaque}`)).toBeNull();
		expect(withConsensus(`${onlyUser(dave)} || ${opaque}`)).toContain("not understood");
		expect(withConsensus(`false && ${opaque}`)).toBeNull();
	});

	it("is kept by the first policy about credentials, which can only take from users, and not by the end of the last", () => {
		const covering = policyOf(1, { consensus: "false", condition: "activity.resource == 'CREDENTIAL'" });
		const [without, covered] = [accessOf({}, []), accessOf({}, [covering])];
		const between = (before: typeof without, after: typeof without) => {
			const { impact, impactVerdict: verdict } = findImpactBetween(before, after, 0);
			expect(impact.map(({ change }) => change)).toContain("unknown");
			return judgeNewAccess({ impact, verdict });
		};
		expect(between(without, covered)).toEqual({ breaches: [], unknown: null });
		expect(between(covered, without).unknown).toContain("disagree");
	});

	it("is unknown where the whole impact is, and nothing more is said", () => {
		expect(judgeNewAccess({ impact: [], verdict: "unknown" })).toEqual({
			...{ breaches: [], unknown: "the impact is unknown" },
		});
	});

	it("has one breach of its own where only the verdict says that the plan is more permissive", () => {
		const whole = { what: "newAccess", userIds: [], group: null, condition: null, change: null };
		for (const verdict of ["more-permissive", "both"] as const) {
			expect(judgeNewAccess({ impact: [], verdict })).toEqual({ breaches: [whole], unknown: null });
		}
		for (const verdict of ["less-permissive", "equivalent"] as const) {
			expect(judgeNewAccess({ impact: [], verdict })).toEqual({ breaches: [], unknown: null });
		}
	});

	it("has no other breach where findings say what is permitted", () => {
		const organization: Organization = { members: { signers: ["alice"] }, policies: [readable] };
		const found = impactOf(planFor(organization, { members: { signers: ["alice", "bob"] } }));
		expect(found.verdict).toBe("more-permissive");
		expect(judgeNewAccess(found).breaches).toMatchObject([{ group: signing, userIds: [alice, bob] }]);
	});
});
