/** A saved plan is stale where it means something else for who can do what by now; only that, and not who approves it. */
import { describe, expect, it } from "vitest";
import { refuseStale } from "../../../src/document/saved/refuse-stale.ts";
import { makePlan, type Plan, type PlanContext } from "../../../src/plan/plan.ts";
import { findOutdated, type Revisited } from "../../../src/plan/stale.ts";
import { outdatedObject } from "../../../src/say/stale.ts";
import { unknownAccess } from "../../policy/support-access.ts";
import {
	alice,
	anyOf,
	approvers,
	bob,
	carol,
	condition,
	dave,
	desiredFor,
	liveFor,
	type Organization,
	pendingFor,
	planFor,
	policyOf,
	signers,
	twoOf,
} from "../support-access.ts";
import { context, id, known } from "../support-organizations.ts";

const outdatedIn = (revisited: Revisited) => findOutdated(revisited).map(outdatedObject);

const organization: Organization = {
	members: { signers: ["alice", "bob", "carol"] },
	policies: [policyOf(1, { consensus: twoOf(signers), condition: condition.sign })],
	rootQuorum: { threshold: 1, userIds: [dave] },
};
const wish = { members: { signers: ["alice", "bob"] } } as const;
const saved = planFor(organization, wish);

/** Returns why the saved plan is stale in this organization, whose tags and members are what they were. */
function why(now: Partial<Organization>, parts: Partial<PlanContext> = {}, stated: Plan = saved): readonly string[] {
	const fresh = planFor({ ...organization, ...now }, wish, parts);
	return outdatedIn({ saved: stated, fresh, live: liveFor(organization) }).map(({ reason, address, because }) => {
		expect([reason, address]).toEqual(["impact-differs", "userTag:signers"]);
		return because;
	});
}

const both = [...organization.policies, policyOf(2, { consensus: anyOf(signers), condition: condition.export })];
const notBefore = "time.now > Timestamp('2026-06-01T00:00:00Z')";

describe("a saved plan is not stale", () => {
	it("where its impact is the same", () => {
		expect(saved.impact?.map(({ change, userIds }) => [change, userIds])).toEqual([["loses", [carol]]]);
		expect(why({})).toEqual([]);
	});

	it("where a policy was added that its changes do not touch, or one was renamed", () => {
		const others = policyOf(2, { consensus: anyOf(id("tag", 9)), condition: condition.export });
		expect(why({ policies: [...organization.policies, others] })).toEqual([]);
		expect(why({ policies: organization.policies.map((one) => ({ ...one, name: "renamed" })) })).toEqual([]);
	});

	it("where only approvals differ: someone else submits it, or others have to approve", () => {
		const submitter = known({ userId: dave, publicKey: null });
		const tags = policyOf(2, { consensus: anyOf(id("tag", 9)), condition: "activity.kind == 'DELETE_POLICIES'" });
		const fresh = planFor({ ...organization, policies: [...organization.policies, tags] }, wish, { submitter });
		expect(fresh.submitterId).not.toBe(saved.submitterId);
		expect(findOutdated({ saved, fresh, live: liveFor(organization) })).toEqual([]);
	});

	it("where nothing would be submitted", () => {
		const rejected = [pendingFor(saved, 0, { state: "rejected", status: "ACTIVITY_STATUS_REJECTED" })];
		expect(why({}, { rejected })).toEqual([]);
		expect(why({ policies: both }, { rejected })).toEqual([]);
	});
});

describe("the rest of a saved plan", () => {
	// Alice and bob get the tag of approvers, which completed; carol loses that of signers, which is left.
	const policies = [
		policyOf(1, { consensus: anyOf(signers), condition: condition.sign }),
		policyOf(2, { consensus: anyOf(approvers), condition: condition.export }),
	];
	const before: Organization = { ...organization, policies, members: { signers: ["alice", "carol"] } };
	const whole = planFor(before, { members: { approvers: ["alice", "bob"], signers: ["alice"] } });
	const [step] = whole.steps.filter(({ parameters }) => "userTagId" in parameters && parameters.userTagId === signers);
	if (step === undefined) throw new Error("no step");
	const left = ["userTag:signers"];
	const rest: Plan = {
		...whole,
		steps: [{ ...step, dependsOn: [] }],
		changes: whole.changes.filter(({ address }) => left.includes(address)),
		touched: whole.touched.filter(({ address }) => left.includes(address)),
	};
	const approversNow = { signers: ["alice", "carol"], approvers: ["alice", "bob"] } as const;
	const staleIn = (now: Partial<Organization>, isBegun = true) => {
		const organizationNow = { ...before, members: approversNow, ...now };
		const fresh = planFor(organizationNow, { members: { signers: ["alice"] } });
		return outdatedIn({ saved: rest, fresh, live: liveFor(organizationNow), isBegun }).map(({ reason }) => reason);
	};

	it("is not stale where what the completed steps changed is so already", () => {
		expect(whole.impact?.map(({ change, userIds }) => [change, userIds])).toEqual([
			["alone", [alice, bob]],
			["loses", [carol]],
		]);
		expect(staleIn({})).toEqual([]);
		expect(staleIn({}, false)).toEqual(["impact-differs"]);
	});

	it("is stale where what is left changes more, less or something else by now", () => {
		const more = policyOf(3, { consensus: anyOf(signers), condition: condition.policies });
		expect(staleIn({ policies: [...policies, more] })).toEqual(["impact-differs"]);
		expect(staleIn({ policies: policies.slice(1) })).toEqual(["impact-differs"]);
		const other = [policyOf(1, { consensus: twoOf(signers), condition: condition.sign }), ...policies.slice(1)];
		expect(staleIn({ policies: other })).toEqual(["impact-differs"]);
	});
});

describe("a saved plan is stale, and the error names before and after,", () => {
	it("where it takes a power from everyone by now", () => {
		const policies = [policyOf(1, { consensus: twoOf(signers).replace(">= 2", ">= 3"), condition: condition.sign })];
		expect(why({ policies })).toEqual([
			"the plan file states that carol could no longer sign with any wallet or key (PRIVATE_KEY/SIGN); now no one could sign with any wallet or key (PRIVATE_KEY/SIGN) any more; its reviewers went by that",
		]);
	});

	it("where it means more than was reviewed", () => {
		expect(why({ policies: both })).toEqual([
			"the plan file does not state that carol could no longer export wallets (WALLET/EXPORT); now that is so; its reviewers went by that",
		]);
	});

	it("where it means less than was reviewed", () => {
		const stated = planFor({ ...organization, policies: both }, wish);
		expect(why({}, {}, stated)).toEqual([
			"the plan file states that carol could no longer export wallets (WALLET/EXPORT); now that is not so; its reviewers went by that",
		]);
		expect(why({ policies: [] })).toEqual([
			"the plan file states that carol could no longer sign with any wallet or key (PRIVATE_KEY/SIGN); now who can do what would stay the same; its reviewers went by that",
		]);
	});

	it("where the same is so for others", () => {
		expect(why({ rootQuorum: { threshold: 2, userIds: [alice, dave] } })).toEqual([
			"the plan file states that carol could no longer sign with any wallet or key (PRIVATE_KEY/SIGN); now it is so for other users, or by other policies; its reviewers went by that",
		]);
	});

	it("where a window of time began since", () => {
		const policies = organization.policies.map((one) => ({ ...one, time: notBefore }));
		const stated = planFor({ ...organization, policies }, wish, { readAtMs: Date.parse("2026-05-01T00:00:00Z") });
		expect(stated.impact).toEqual([]);
		expect(why({ policies }, { readAtMs: Date.parse("2026-07-01T00:00:00Z") }, stated)).toEqual([
			"the plan file states that who can do what would stay the same; now carol could no longer sign with any wallet or key (PRIVATE_KEY/SIGN); its reviewers went by that",
		]);
	});

	it("where others are in danger at another time than was reviewed", () => {
		const later = policyOf(2, { consensus: anyOf(signers), condition: condition.sign, time: notBefore });
		const two: Organization = { ...organization, members: { signers: ["alice", "bob"] }, policies: [later] };
		const none = { members: { signers: [] } } as const;
		const readAtMs = Date.parse("2026-05-01T00:00:00Z");
		const stated = planFor(two, none, { readAtMs });
		const export2 = { ...later, condition: condition.export };
		const fresh = planFor({ ...two, policies: [export2] }, none, { readAtMs });
		expect([stated.impact, fresh.impact]).toEqual([[], []]);
		const outdated = (plan: Plan) => outdatedIn({ saved: stated, fresh: plan, live: liveFor(two) });
		expect(outdated(stated)).toEqual([]);
		expect(outdated({ ...stated, impactAtOtherTimes: [] })).toEqual([]);
		expect(outdated(fresh).map(({ because }) => because)).toEqual([
			"the plan file does not state that, at another time, no one could export wallets (WALLET/EXPORT) any more; now that is so; its reviewers went by that",
		]);
	});

	it("where it is not known any more, or was not known", () => {
		const unknown = { access: unknownAccess("the service does not list policies") };
		const [because = ""] = why({}, unknown);
		expect(because).toMatch(
			/^the plan file states that carol could no longer sign .*; now it is unknown who could do what; /,
		);
		const stated = planFor(organization, wish, unknown);
		expect(why({}, {}, stated)[0]).toMatch(
			/^the plan file states that it is unknown who could do what; now carol could no /,
		);
	});

	it("where the file states none, or a nicer one", () => {
		const { impact: _impact, impactVerdict: _verdict, ...without } = saved;
		expect(why({}, {}, without)[0]).toMatch(/^the plan file states nothing about who can do what; now carol could no /);
		const nicer = { ...saved, impact: [], impactVerdict: "equivalent" } as const;
		expect(why({}, {}, nicer)[0]).toMatch(/^the plan file states that who can do what would stay the same; now carol /);
		expect(why({}, {}, { ...saved, impactVerdict: "unknown" })).toEqual([
			"the plan file states that its impact is unknown; now it is less-permissive; its reviewers went by that",
		]);
	});

	it("where it has several findings more, and some that are not known", () => {
		const others = ["WALLET", "POLICY", "USER"].map((resource, index) =>
			policyOf(index + 2, {
				consensus: anyOf(signers),
				condition: `activity.resource == '${resource}' && activity.action == 'CREATE'`,
			}),
		);
		expect(why({ policies: [...organization.policies, ...others] })).toEqual([
			"the plan file does not state that carol could no longer create policies (POLICY/CREATE); carol could no longer create users (USER/CREATE); carol could no longer create wallets (WALLET/CREATE); now that is so; its reviewers went by that",
		]);
		const unclear = policyOf(2, { consensus: `${anyOf(signers)} == 1`, condition: condition.export });
		expect(why({ policies: [...organization.policies, unclear] })).toEqual([
			"the plan file does not state that it is unknown who could export wallets (WALLET/EXPORT); now that is so; its reviewers went by that",
		]);
	});

	it("where one of its steps would be submitted, although another one was rejected", () => {
		const two = { members: { ...wish.members, treasury: ["dave"] } } as const;
		const first = planFor(organization, two);
		const index = first.steps.findIndex(({ covers }) => covers[0]?.address === "userTag:treasury");
		const rejected = [pendingFor(first, index, { state: "rejected", status: "ACTIVITY_STATUS_REJECTED" })];
		const [planned, fresh] = [organization, { ...organization, policies: both }].map((one) => {
			return planFor(one, two, { rejected });
		}) as unknown as [Plan, Plan];
		expect(findOutdated({ saved: planned, fresh: planned, live: liveFor(organization) })).toEqual([]);
		expect(outdatedIn({ saved: planned, fresh, live: liveFor(organization) })).toMatchObject([
			{ reason: "impact-differs", because: expect.stringContaining("export wallets (WALLET/EXPORT); now that is so") },
		]);
	});

	it("where policies are not read any more", () => {
		const unread = (stated: Plan) => {
			const fresh = makePlan(desiredFor(wish), liveFor(organization), context);
			return outdatedIn({ saved: stated, fresh, live: liveFor(organization) }).map(({ because }) => because);
		};
		expect(unread(saved)).toEqual([
			"the plan file states that carol could no longer sign with any wallet or key (PRIVATE_KEY/SIGN); now policies are not read; its reviewers went by that",
		]);
		const nicer = { ...saved, impact: [], impactVerdict: "equivalent" } as const;
		expect(unread(nicer)).toEqual([
			"the plan file states that who can do what would stay the same; now policies are not read; its reviewers went by that",
		]);
		expect(unread({ ...nicer, impactVerdict: "unknown" })).toEqual([
			"the plan file states that it is unknown who could do what; now policies are not read; its reviewers went by that",
		]);
	});

	it("with all text of the file escaped, and users by the names that they have now", () => {
		const [finding] = saved.impact ?? [];
		if (finding === undefined) throw new Error("there is no finding");
		const group = { resource: "X\u001b[31m\n", action: "Y\u202e" };
		const forged = { ...saved, impact: [{ ...finding, group, condition: "a\nb\u0007", userIds: [dave] }] };
		const [because = ""] = why({}, {}, { ...forged, userNames: { ...saved.userNames, [dave]: "erin\u001b" } });
		expect(because).toContain("dave could no longer ");
		// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
		expect(because).not.toMatch(/[\u0000-\u001f\u202e]/);
	});
});

describe("an impact by another model", () => {
	const fresh = planFor({ ...organization, policies: both }, wish);
	const live = liveFor(organization);
	const thrown = (stated: Plan, now: Plan): unknown => {
		try {
			refuseStale([{ saved: stated, fresh: now, live }]);
			return null;
		} catch (error) {
			return error;
		}
	};
	const { impactModel: model = 0, ...older } = saved;

	it("is of the model that the plan states, and never stale", () => {
		expect(findOutdated({ saved: older, fresh, live })).toEqual([]);
		expect(thrown(older, fresh)).toMatchObject({
			code: "plan-model",
			message: expect.stringContaining("an older orgsync"),
		});
		expect(thrown(older, planFor(organization, wish))).toMatchObject({ code: "plan-model", exitCode: 6 });
		const newer = { ...saved, impactModel: model + 1 };
		expect(thrown(newer, fresh)).toMatchObject({
			code: "plan-model",
			message: expect.stringContaining("a newer orgsync"),
		});
		expect(thrown(saved, fresh)).toMatchObject({ code: "stale-plan" });
	});

	it("does not matter where an object is stale, or nothing is submitted", () => {
		const moved = liveFor({ ...organization, members: { signers: ["alice"] } });
		const other = planFor({ ...organization, members: { signers: ["alice"] } }, wish);
		expect(() => refuseStale([{ saved: older, fresh: other, live: moved }])).toThrow(/stale/);
		const waiting = [pendingFor(saved, 0)];
		expect(thrown(older, planFor(organization, wish, { waiting }))).toBe(null);
	});
});
