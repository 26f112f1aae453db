/**
 * The guards lockout and escalation, in plans that people make: what each finds, in which words, at which changes, and
 * what its limit lets through.
 */
import { describe, expect, it } from "vitest";
import { refusingGuards } from "../../../src/plan/guards/guards.ts";
import type { PlanContext } from "../../../src/plan/plan.ts";
import { describeImpact } from "../../../src/render/sections/impact-words.ts";
import type { WordedGuard, WordedPlan } from "../../in-words.ts";
import { makePlan } from "../../in-words.ts";
import { unknownAccess } from "../../policy/support-access.ts";
import {
	accessOf,
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
	onlyUser,
	pendingFor,
	planFor,
	policyOf,
	signers,
	treasury,
	twoOf,
	type Wish,
} from "../support-access.ts";
import { at, context, id } from "../support-organizations.ts";

function guardsOf({ guards }: Pick<WordedPlan, "guards">): readonly WordedGuard[] {
	return guards.filter(({ kind }) => kind === "lockout" || kind === "escalation");
}

/** Both signers are needed to sign. */
const bothSign: Organization = {
	members: { signers: ["alice", "bob"] },
	policies: [policyOf(1, { consensus: twoOf(signers), condition: condition.sign })],
};
const withoutAlice: Wish = { members: { signers: ["bob"] } };

/** Treasury may export, and a policy denies exports. */
const exportsDenied: Organization = {
	members: { treasury: ["bob"] },
	policies: [
		policyOf(1, { consensus: anyOf(treasury), condition: condition.export }),
		policyOf(2, { effect: "EFFECT_DENY", condition: condition.export }),
	],
};

/** A signer and an approver are needed to change tags. */
const bothApprove: Organization = {
	members: { signers: ["alice"], approvers: ["bob"] },
	policies: [policyOf(1, { consensus: `${anyOf(signers)} && ${anyOf(approvers)}`, condition: condition.tags })],
};

/** One policy to sign, whose time is over, and one that still holds. */
const windowOver: Organization = {
	members: { signers: ["alice", "bob"] },
	policies: [
		policyOf(1, {
			...{ consensus: anyOf(signers), condition: condition.sign },
			time: "time.now < Timestamp('1969-12-31T00:00:00Z')",
		}),
		policyOf(2, { consensus: twoOf(signers), condition: condition.sign }),
	],
};

describe("the guard lockout", () => {
	it("blocks an expiry like any other removal, whatever `limits.expiries` says", () => {
		const desired = desiredFor({ ...withoutAlice, limits: { memberRemovals: { count: 0 }, expiries: "any" } });
		const windows = [{ userId: alice, untilMs: context.readAtMs, at }];
		const objects = desired.objects.map((object) =>
			object.kind === "userTag" && !("absent" in object) && object.members !== undefined
				? { ...object, members: { ...object.members, windows } }
				: object,
		);
		const access = accessOf(bothSign.members, bothSign.policies);
		const { guards, expiries } = makePlan({ ...desired, objects }, liveFor(bothSign), { ...context, access });
		expect(expiries).toMatchObject([{ state: "expired", userId: alice }]);
		expect(guards).toMatchObject([{ kind: "lockout", refuses: true }]);
	});

	it("blocks removing the last member but one of a tag of which a policy needs two", () => {
		expect(guardsOf(planFor(bothSign, withoutAlice))).toEqual([
			{
				kind: "lockout",
				limit: "at most 0",
				found: 1,
				refuses: true,
				where: ["userTag:signers"],
				message: "no one could sign with any wallet or key (PRIVATE_KEY/SIGN) any more, except the root quorum",
			},
		]);
	});

	it("blocks removing a policy where the other one that allows the same is out of its time", () => {
		const plan = planFor(windowOver, { absent: [id("policy", 2)] });
		expect(guardsOf(plan)).toMatchObject([
			{ kind: "lockout", found: 1, refuses: true, where: [`policy:${id("policy", 2)}`] },
		]);
		const earlier = { readAtMs: Date.parse("1969-12-30T00:00:00Z") };
		expect(guardsOf(planFor(windowOver, { absent: [id("policy", 2)] }, earlier))).toMatchObject([
			{
				...{ kind: "lockout", found: 1, refuses: true },
				message:
					"at another time (from 1969-12-31T00:00:00.000Z), by time windows of policies: no one could sign with any wallet or key (PRIVATE_KEY/SIGN) any more, except the root quorum",
			},
		]);
	});

	it("counts each power, and names those that policies name by a kind once", () => {
		const organization = { ...bothSign, policies: [...bothSign.policies, policyOf(2, { condition: condition.tags })] };
		const [lockout, ...others] = guardsOf(planFor(organization, { ...withoutAlice, absent: [id("policy", 2)] }));
		expect(others).toEqual([]);
		expect(lockout).toMatchObject({ found: 2, where: [`policy:${id("policy", 2)}`, "userTag:signers"] });
		expect(lockout?.message).toBe(
			"no one could sign with any wallet or key (PRIVATE_KEY/SIGN) or submit UPDATE_USER_TAG activities any more, except the root quorum",
		);
	});

	it("lists five powers and counts the others", () => {
		const [lockout] = guardsOf(planFor({ members: {}, policies: [policyOf(1)] }, { absent: [id("policy", 1)] }));
		expect(lockout?.message).toMatch(
			/^no one could sign with .*, change policies \(POLICY\/UPDATE\) or do 11 other things any more, /,
		);
	});

	it("names only the changes that it comes from", () => {
		const plan = planFor(bothSign, { members: { signers: ["bob"], treasury: ["alice"] } });
		expect(guardsOf(plan)).toMatchObject([{ kind: "lockout", where: ["userTag:signers"] }]);
	});

	it("counts a step that a pending activity already does, and none that was rejected", () => {
		const plan = planFor(bothSign, withoutAlice);
		const pending = planFor(bothSign, withoutAlice, { waiting: [pendingFor(plan, 0)] });
		expect(pending.steps[0]?.earlierActivity?.relation).toBe("same");
		expect(guardsOf(pending)).toEqual(guardsOf(plan));
		const status = "ACTIVITY_STATUS_REJECTED";
		const rejected = [pendingFor(plan, 0, { state: "rejected", status })];
		const after = planFor(bothSign, withoutAlice, { rejected });
		expect(after.steps[0]?.earlierActivity?.relation).toBe("rejected");
		expect([guardsOf(after), after.impact]).toEqual([[], []]);
		expect(guardsOf(planFor(bothSign, withoutAlice, { rejected, retryRejected: true }))).toEqual(guardsOf(plan));
	});
});

describe("the guard escalation", () => {
	it("blocks removing the policy that denied exports, where one person may export then", () => {
		expect(guardsOf(planFor(exportsDenied, { absent: [id("policy", 2)] }))).toEqual([
			{
				kind: "escalation",
				limit: "at most 0",
				found: 1,
				refuses: true,
				where: [`policy:${id("policy", 2)}`],
				message: "bob could export wallets (WALLET/EXPORT) alone, where two or more were needed",
			},
		]);
	});

	it("blocks giving the approvers' tag to the one who submits", () => {
		const plan = planFor(bothApprove, { members: { approvers: ["alice", "bob"] } });
		expect(plan.submitterId).toBe(alice);
		expect(guardsOf(plan)).toMatchObject([
			{
				...{ kind: "escalation", found: 1, refuses: true, where: ["userTag:approvers"] },
				message: "alice could submit UPDATE_USER_TAG activities alone, where two or more were needed",
			},
		]);
		// Bob's approval completes the step that makes it so, or that of the root quorum.
		expect(plan.steps[0]?.approval).toMatchObject({ verdict: "pending", approverSets: [[bob], [carol, dave]] });
	});

	it("counts a user for each power", () => {
		const organization = {
			members: { treasury: ["alice", "bob"] },
			policies: [
				policyOf(1, { consensus: twoOf(treasury), condition: condition.export }),
				policyOf(2, { consensus: twoOf(treasury), condition: condition.sign }),
				policyOf(3, { consensus: anyOf(approvers), condition: condition.export }),
				policyOf(4, { consensus: anyOf(approvers), condition: condition.sign }),
			],
		} as const;
		const [escalation] = guardsOf(planFor(organization, { members: { approvers: ["alice", "bob"] } }));
		expect(escalation).toMatchObject({
			found: 4,
			message:
				"alice and bob could each sign with any wallet or key (PRIVATE_KEY/SIGN) and export wallets (WALLET/EXPORT) alone, where two or more were needed",
		});
	});

	it("does not find what only a second person can do, or what someone could do alone before", () => {
		const organization = {
			members: { signers: ["alice"], treasury: ["bob"] },
			policies: [
				policyOf(1, { consensus: anyOf(signers), condition: condition.sign }),
				policyOf(2, { consensus: twoOf(treasury), condition: condition.export }),
			],
		} as const;
		const plan = planFor(organization, { members: { signers: ["alice", "dave"], treasury: ["bob", "dave"] } });
		expect(plan.impact?.map(({ change }) => change)).toEqual(["alone", "gains"]);
		expect(guardsOf(plan)).toEqual([]);
	});
});

describe("neither guard", () => {
	it("finds anything in a rename, whatever the limits, and the plan has no impact", () => {
		for (const limit of [0, "strict"] as const) {
			const plan = planFor(bothSign, {
				names: { signers: "keyholders" },
				limits: { lockout: limit, escalation: limit },
			});
			expect(plan.steps.length).toBe(1);
			expect([plan.impact, plan.impactVerdict, guardsOf(plan)]).toEqual([[], "equivalent", []]);
		}
	});

	it("finds anything where members change that no policy names", () => {
		const plan = planFor(bothSign, { members: { treasury: ["alice"] }, limits: { lockout: "strict" } });
		expect([plan.impact, plan.impactVerdict, guardsOf(plan)]).toEqual([[], "equivalent", []]);
	});

	it("is judged where nothing is submitted, or where the organization cannot converge", () => {
		expect(guardsOf(planFor(bothSign, { members: { signers: ["alice", "bob"] } }))).toEqual([]);
		const names = { signers: "treasury" };
		const stuck = planFor(bothSign, { ...withoutAlice, names, limits: { lockout: "strict" } });
		expect(stuck.problems.length).toBe(1);
		expect([guardsOf(stuck), stuck.impact]).toEqual([[], undefined]);
	});
});

describe("a limit", () => {
	const refuses = (limits: Wish["limits"], wish: Wish = withoutAlice, parts: Partial<PlanContext> = {}) =>
		guardsOf(planFor(bothSign, { ...wish, limits }, parts)).map(({ kind, refuses, found }) => [kind, found, refuses]);

	it("that is a number lets so many through", () => {
		expect(refuses({ lockout: 0 })).toEqual([["lockout", 1, true]]);
		expect(refuses({ lockout: 1 })).toEqual([["lockout", 1, false]]);
		expect(refuses({ escalation: 5 })).toEqual([["lockout", 1, true]]);
	});

	it("is overridden by the number that was found, and by no other", () => {
		const guards = guardsOf(planFor(bothSign, withoutAlice));
		expect(refusingGuards(guards, new Map([["lockout", new Set([1])]]))).toEqual([]);
		expect(refusingGuards(guards, new Map([["lockout", new Set([0, 2])]]))).toEqual(guards);
		expect(refusingGuards(guards, new Map([["escalation", new Set([1])]]))).toEqual(guards);
	});

	const unknown = unknownAccess("the service does not list policies");

	it("of strict also blocks where policies are not known; any other warns", () => {
		const access = { access: unknown };
		expect(refuses({}, withoutAlice, access)).toEqual([
			["lockout", 0, false],
			["escalation", 0, false],
		]);
		expect(refuses({ lockout: "strict" }, withoutAlice, access)).toEqual([
			["lockout", 1, true],
			["escalation", 0, false],
		]);
		const strict = { lockout: "strict", escalation: "strict" } as const;
		expect(guardsOf(planFor(bothSign, { ...withoutAlice, limits: strict }, access))).toMatchObject([
			{
				limit: "none, and nothing unknown",
				message: "who can still do what is unknown: the service does not list policies",
				where: ["userTag:signers"],
			},
			{ message: "whether one person can do more alone is unknown: the service does not list policies" },
		]);
	});

	it("of strict also blocks where policies were not asked for; any other says nothing", () => {
		const strict = { lockout: "strict", escalation: "strict" } as const;
		const { policies: _policies, ...organization } = bothSign;
		const plan = (limits: Wish["limits"]) =>
			makePlan(desiredFor({ ...withoutAlice, limits }), liveFor({ ...organization, policies: [] }), context);
		expect(guardsOf(plan({}))).toEqual([]);
		expect(guardsOf(plan(strict)).map(({ kind, message, refuses }) => [kind, message, refuses])).toEqual([
			["lockout", "who can still do what is unknown: policies were not read", true],
			["escalation", "whether one person can do more alone is unknown: policies were not read", true],
		]);
	});

	it("of strict leaves out activities of which no documentation says what policies see, listed once", () => {
		const policies = [
			policyOf(1, { consensus: twoOf(approvers), condition: "activity.kind in ['IMPORT_SECRETS', 'EXPORT_SECRETS']" }),
			policyOf(2, { consensus: anyOf(signers), condition: "activity.resource == 'PRIVATE_KEY'" }),
		];
		const limits = { lockout: "strict", escalation: "strict" } as const;
		const organization = { members: { signers: ["alice", "bob"], approvers: ["carol", "dave"] }, policies } as const;
		const plan = planFor(organization, { ...withoutAlice, limits });
		expect(plan.impact?.filter(({ change }) => change === "unknown").map(({ group }) => group)).toEqual([
			{ kind: "EXPORT_SECRETS" },
			{ kind: "IMPORT_SECRETS" },
		]);
		expect(describeImpact(plan).filter(({ sign }) => sign === "?")).toHaveLength(1);
		expect(guardsOf(plan)).toEqual([]);
	});

	it("of strict leaves out what the vendor's pages disagree on: whether users may change their own credentials", () => {
		const aboutCredentials = { condition: "activity.resource == 'CREDENTIAL'" };
		const policies = [
			policyOf(1, { consensus: onlyUser(carol), ...aboutCredentials }),
			policyOf(2, { effect: "EFFECT_DENY", consensus: anyOf(signers), ...aboutCredentials }),
		];
		const limits = { lockout: "strict", escalation: "strict" } as const;
		const plan = planFor({ members: { signers: ["alice", "bob"] }, policies }, { ...withoutAlice, limits });
		expect(plan.impact?.map(({ change, because }) => [change, because])).toContainEqual([
			"unknown",
			{ kind: "own-credentials-disputed" },
		]);
		expect(plan.impactVerdict).toBe("unknown");
		expect(guardsOf(plan)).toEqual([]);
	});

	it("of strict also blocks where one policy is not understood; any other warns", () => {
		const unclear = policyOf(2, { consensus: `${anyOf(signers)} == 1`, condition: condition.sign });
		const organization = { ...bothSign, policies: [...bothSign.policies, unclear] };
		const guards = (limits: Wish["limits"]) => guardsOf(planFor(organization, { ...withoutAlice, limits }));
		expect(guards({}).map(({ kind, found, refuses }) => [kind, found, refuses])).toEqual([
			["lockout", 0, false],
			["escalation", 0, false],
		]);
		expect(guards({})[0]?.message).toMatch(
			/^who could still sign with any wallet or key \(PRIVATE_KEY\/SIGN\) is unknown: policy policy 2: the consensus is not understood: /,
		);
		expect(guards({ lockout: "strict" })[0]).toMatchObject({ kind: "lockout", found: 1, refuses: true });
	});
});

describe("the message of a guard", () => {
	it("escapes what policies and users are called", () => {
		const evil = "x'\u001b[31m\nno impact";
		const organization: Organization = {
			members: { signers: ["alice", "bob"] },
			policies: [
				policyOf(1, { consensus: twoOf(signers), condition: `activity.kind == 'A\u001b[31mB'` }),
				policyOf(2, { consensus: onlyUser(bob), condition: `activity.kind == 'A\u001b[31mB'` }),
				policyOf(3, { effect: "EFFECT_DENY", condition: `activity.kind == 'A\u001b[31mB'` }),
			],
		};
		const desired = { ...desiredFor({ absent: [id("policy", 3)] }), users: { [evil]: bob } };
		const access = accessOf(organization.members, organization.policies);
		const plan = makePlan(desired, liveFor(organization), { ...context, access });
		const message = guardsOf(plan)
			.map((guard) => guard.message)
			.join();
		expect(message).toContain("alone, where two or more were needed");
		// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
		expect(message).not.toMatch(/[\u0000-\u001f]/);
	});
});
