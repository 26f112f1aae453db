/** The order of the steps of a plan: for references and names, and so that none is denied because another completed before it. */
import { describe, expect, it } from "vitest";
import type { Guard } from "../../../src/plan/guards/guards.ts";
import { forecastStates } from "../../../src/plan/impact/forecast.ts";
import type { DesiredUserTag } from "../../../src/plan/organization.ts";
import { makePlan, type Plan } from "../../../src/plan/plan.ts";
import type { Step } from "../../../src/plan/step.ts";
import { summarizeApprovals } from "../../../src/say/approvals.ts";
import { guardText, limitText } from "../../../src/say/guards.ts";
import { stepText } from "../../../src/say/steps.ts";
import {
	accessOf,
	alice,
	anyOf,
	approvers,
	bob,
	carol,
	condition,
	dave,
	type Members,
	type Organization,
	onlyUser,
	pendingFor,
	planFor,
	policyOf,
	signers,
	twoOf,
} from "../support-access.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../support-organizations.ts";

/** `userTag:signers after userTag:approvers: runs`, by step. */
function told({ steps }: Plan): readonly string[] {
	const names = new Map(
		steps.map(({ id: stepId, covers }) => [stepId, covers.map(({ address }) => address).join("+")]),
	);
	return steps.map(({ id: stepId, dependsOn, approval }) => {
		const after = dependsOn.length === 0 ? "" : ` after ${dependsOn.map((one) => names.get(one)).join(", ")}`;
		return `${names.get(stepId)}${after}: ${approval?.verdict}`;
	});
}

const tagsByApprovers = policyOf(1, { consensus: anyOf(approvers), condition: condition.tags });
const policiesByApprovers = policyOf(2, { consensus: anyOf(approvers), condition: condition.policies });
const other = policyOf(3, { consensus: onlyUser(bob), condition: condition.sign });
/** Approvers may change tags and remove policies; alice, who submits, is one. */
const byApprovers: Organization = {
	members: { approvers: ["alice", "dave"] },
	policies: [tagsByApprovers, policiesByApprovers, other],
};

describe("the steps of a plan", () => {
	it("take from the submitter what the others need after those", () => {
		const plan = planFor(byApprovers, {
			members: { approvers: ["dave"], signers: ["bob"], treasury: ["carol"] },
			absent: [other.id],
		});
		expect(told(plan)).toEqual([
			"userTag:signers: runs",
			"userTag:treasury: runs",
			`policy:${other.id}: runs`,
			`userTag:approvers after userTag:signers, userTag:treasury, policy:${other.id}: runs`,
		]);
	});

	it("give the submitter what the others need before those", () => {
		const organization: Organization = {
			members: {},
			policies: [policyOf(1, { consensus: onlyUser(alice), condition: condition.tags }), policiesByApprovers, other],
			rootQuorum: { threshold: 2, userIds: [bob, dave] },
		};
		const toHer = planFor(organization, { members: { approvers: ["alice"] }, absent: [other.id] });
		expect(told(toHer)).toEqual(["userTag:approvers: runs", `policy:${other.id} after userTag:approvers: runs`]);
		const toAnother = planFor(organization, { members: { approvers: ["carol"] }, absent: [other.id] });
		expect(told(toAnother)).toEqual(["userTag:approvers: runs", `policy:${other.id}: denied`]);
	});

	it("are judged by policies that are asked about once for each type of activity, however many steps are of it", () => {
		let asked = 0;
		const counted = Object.defineProperty(
			policyOf(1, { consensus: onlyUser(alice), condition: condition.tags, time: "true" }),
			"stated",
			{
				get: () => {
					asked += 1;
					return undefined;
				},
			},
		);
		const organization: Organization = { members: {}, policies: [counted] };
		const askedFor = (members: Members): number => {
			const { steps } = planFor(organization, { members });
			const access = accessOf({}, organization.policies);
			const submitter = known({ userId: alice, publicKey: null });
			asked = 0;
			forecastStates(steps, { access, submitter, atMs: context.readAtMs, activities: [], apart: new Set() });
			return asked;
		};
		expect(askedFor({ signers: ["bob"] })).toBe(1);
		expect(askedFor({ signers: ["bob"], approvers: ["carol"], treasury: ["dave"] })).toBe(1);
	});

	it("do not depend on each other where nothing is denied in any order", () => {
		const plan = planFor(byApprovers, { members: { signers: ["bob"], treasury: ["carol"] }, absent: [other.id] });
		expect(plan.steps.map(({ dependsOn }) => dependsOn)).toEqual([[], [], []]);
	});

	it("come as they run, then those that wait, then those that are denied", () => {
		const policies = [
			policyOf(1, { consensus: twoOf(approvers), condition: condition.tags }),
			policyOf(2, { consensus: onlyUser(alice), condition: condition.policies }),
			other,
		];
		const wish = { members: { signers: ["bob"] }, absent: [other.id] } as const;
		const members = { approvers: ["alice", "dave"] } as const;
		expect(told(planFor({ members, policies }, wish))).toEqual([
			`policy:${other.id}: runs`,
			"userTag:signers: pending",
		]);
		const denied = [policyOf(1, { consensus: onlyUser(bob), condition: condition.tags }), ...policies.slice(1)];
		expect(told(planFor({ members, policies: denied }, wish))).toEqual([
			`policy:${other.id}: runs`,
			"userTag:signers: denied",
		]);
	});

	it("keep their order while one of them waits, was rejected or is held by another activity", () => {
		const wish = { members: { approvers: ["dave"], signers: ["bob"] } } as const;
		const plan = planFor(byApprovers, wish);
		const order = ["userTag:signers", "userTag:approvers after userTag:signers"];
		const withoutVerdicts = (one: Plan): readonly string[] => told(one).map((line) => line.replace(/: \w+$/, ""));
		expect(withoutVerdicts(plan)).toEqual(order);
		for (const parts of [
			{ waiting: [pendingFor(plan, 0, { approvedBy: [alice] })] },
			{ waiting: [pendingFor(plan, 0, { parameters: { userTagId: signers, addUserIds: [alice] } })] },
			{ rejected: [pendingFor(plan, 0, { state: "rejected", status: "ACTIVITY_STATUS_REJECTED" })] },
		]) {
			const held = planFor(byApprovers, wish, parts);
			expect(withoutVerdicts(held)).toEqual(order);
			expect(held.steps.map(({ earlierActivity }) => earlierActivity === null)).toEqual([false, true]);
		}
	});

	it("that depend on the removal of policies depend on each part of it", () => {
		// No user may change tags while the first policy denies it.
		const denies = policyOf(4, { effect: "EFFECT_DENY", condition: condition.tags });
		const organization = { ...byApprovers, policies: [...byApprovers.policies, denies] };
		const wish = { members: { signers: ["bob"] }, absent: [other.id, denies.id] } as const;
		const plan = planFor(organization, wish);
		expect(told(plan)).toEqual([
			`policy:${other.id}+policy:${denies.id}: runs`,
			`userTag:signers after policy:${other.id}+policy:${denies.id}: runs`,
		]);
		const waiting = [pendingFor(plan, 0, { parameters: { policyIds: [other.id] }, approvedBy: [alice] })];
		const held = planFor(organization, wish, { waiting });
		expect(held.steps.map(({ id: stepId, dependsOn }) => [stepId, dependsOn])).toEqual([
			["step-1", []],
			["step-2", []],
			["step-3", ["step-1", "step-2"]],
		]);
	});

	it("are in the order of names alone where it is not known who can do what", () => {
		const wish = { members: { approvers: ["dave"], signers: ["bob"] } } as const;
		const nameless = planFor(byApprovers, wish, {
			submitter: { known: false, because: { kind: "not-asked" } } as never,
		});
		expect(nameless.steps.map(({ dependsOn }) => dependsOn)).toEqual([[], []]);
	});

	it("that are many and change nothing for each other are ordered like one of them", () => {
		const wish = {
			members: { approvers: ["dave"], signers: ["bob"], treasury: ["carol"] },
			names: { treasury: "money" },
		} as const;
		const plan = planFor(byApprovers, wish);
		expect(plan.steps.map(({ dependsOn }) => dependsOn.length)).toEqual([0, 0, 2]);
		expect(id("tag", 2)).toBe(approvers);
	});
});

describe("the removal of several policies", () => {
	const denies = policyOf(4, { effect: "EFFECT_DENY", condition: condition.tags });
	const allows = policyOf(5, { consensus: anyOf(approvers), condition: condition.tags });
	const further = policyOf(6, { consensus: onlyUser(bob), condition: condition.export });
	/** A tag cannot be changed before one of the policies is removed, and not after the other. */
	const organization: Organization = {
		members: { approvers: ["alice", "dave"] },
		policies: [policiesByApprovers, denies, allows, further],
	};
	const members = { signers: ["bob"] } as const;
	const wish = { members, absent: [denies.id, allows.id, further.id] } as const;
	const [first, last] = [`policy:${denies.id}+policy:${further.id}`, `policy:${allows.id}`];

	it("is split where another step has to run between two of them, into no more activities than that takes", () => {
		const plan = planFor(organization, wish);
		expect(told(plan)).toEqual([
			`${first}: runs`,
			`userTag:signers after ${first}: runs`,
			`${last} after userTag:signers: runs`,
		]);
		expect(plan.steps.map((step) => [stepText(step), step.parameters])).toEqual([
			["remove 2 policies at once", { policyIds: [denies.id, further.id] }],
			["change who has `signers`", expect.anything()],
			["remove a policy", { policyIds: [allows.id] }],
		]);
		expect(plan.guards.filter(({ kind }) => kind === "stranded")).toEqual([]);
		expect(summarizeApprovals(plan)).toEqual([["they run in order, none needs approval"]]);
		const [one, two] = plan.steps as [Step, Step, Step];
		const earlierActivity = {
			state: "pending",
			status: "",
			activityId: null,
			fingerprint: "",
			relation: "same",
		} as const;
		const waiting = [
			{ ...one, earlierActivity },
			{ ...two, dependsOn: [one.id] },
		];
		expect(summarizeApprovals({ ...plan, steps: waiting })).toEqual([
			["it needs no approval, but waits for a step that is pending"],
		]);
		expect(summarizeApprovals({ ...plan, steps: [...waiting, { ...one, id: "step-9" }] })).toEqual([
			["none needs approval, but some wait for steps that are pending"],
		]);
	});

	it("is one activity where no split keeps a step from being denied", () => {
		const never = { ...organization, policies: [policiesByApprovers, denies, further] };
		const plan = planFor(never, { members, absent: [denies.id, further.id] });
		expect(told(plan)).toEqual([`policy:${denies.id}+policy:${further.id}: runs`, "userTag:signers: denied"]);
		// The policy that denies it now is no longer there then.
		expect(plan.steps[1]?.approval).toMatchObject({ policyIds: [], because: { kind: "no-policy" } });
		const free = { ...organization, policies: [policiesByApprovers, allows, further] };
		expect(told(planFor(free, { members, absent: [allows.id, further.id] }))).toEqual([
			"userTag:signers: runs",
			`policy:${allows.id}+policy:${further.id} after userTag:signers: runs`,
		]);
	});

	it("is one activity where policies decide alike: the second would change what the first did not", () => {
		const twin = { ...denies, id: id("policy", 7) };
		const plan = planFor(
			{ ...organization, policies: [...organization.policies, twin] },
			{ members, absent: [...wish.absent, twin.id] },
		);
		expect(plan.steps.map(({ covers }) => covers.length)).toEqual([3, 1, 1]);
	});

	it("blocks the plan where no split and no order lets all run", () => {
		// The tag has to change between the two removals, and then its members may remove no policy.
		const single = policyOf(8, { consensus: onlyUser(alice), condition: "activity.resource == 'POLICY'" });
		const tagged = policyOf(9, { effect: "EFFECT_DENY", consensus: anyOf(signers), condition: condition.policies });
		const plan = planFor(
			{
				...organization,
				policies: [denies, allows, single, tagged],
				rootQuorum: { threshold: 2, userIds: [bob, dave] },
			},
			{ members: { signers: ["alice"] }, absent: [denies.id, allows.id] },
		);
		const both = `policy:${denies.id}+policy:${allows.id}`;
		expect(told(plan)).toEqual([`${both}: runs`, `userTag:signers after ${both}: denied`]);
		const [guard] = plan.guards.filter(({ kind }) => kind === "stranded");
		expect(guard).toMatchObject({ found: 1, refuses: true });
		expect(guardText(guard as Guard)).toBe(
			`userTag:signers would be denied when its turn comes: no policy allows it; no order of the activities avoids it`,
		);
	});

	it("stays one activity while the same one is pending, in doubt or rejected", () => {
		const parameters = { policyIds: [denies.id, allows.id, further.id] };
		const activity = pendingFor(planFor(organization, wish), 0, { parameters });
		const plans = [
			planFor(organization, wish, { waiting: [activity] }),
			planFor(organization, wish, { waiting: [{ ...activity, state: "in-doubt" }] }),
			planFor(organization, wish, {
				rejected: [{ ...activity, state: "rejected", status: "ACTIVITY_STATUS_REJECTED" }],
			}),
		];
		expect(
			plans.map(({ steps }) =>
				steps
					.filter(({ operation }) => operation === "delete_policies")
					.map((step) => [step.parameters, step.earlierActivity?.relation]),
			),
		).toEqual([[[parameters, "same"]], [[parameters, undefined]], [[parameters, "rejected"]]]);
	});

	it("joins the pending activity that is one of its parts", () => {
		const plan = planFor(organization, wish);
		const held = planFor(organization, wish, { waiting: [pendingFor(plan, 2, { approvedBy: [alice] })] });
		expect(held.steps.map(({ covers }) => covers.length)).toEqual([2, 1, 1]);
		expect(held.steps.map(({ earlierActivity }) => earlierActivity?.relation)).toEqual([undefined, undefined, "same"]);
	});
});

describe("the removal of several OAuth providers of a user", () => {
	const [first, last, further] = [1, 2, 3].map((number) => id("provider", number)) as [string, string, string];
	const daveWith = (type: string): string => `credentials.any(c, c.user_id == '${dave}' && c.type == '${type}')`;
	/** While dave has the first, his approval alone is enough, so hers has no part in it; then it takes hers and the last. */
	const policies = [
		policyOf(1, { consensus: onlyUser(alice), condition: "activity.kind == 'DELETE_OAUTH_PROVIDERS'" }),
		policyOf(2, { consensus: daveWith("FIRST"), condition: condition.tags }),
		policyOf(3, { consensus: `${onlyUser(alice)} && ${daveWith("LAST")}`, condition: condition.tags }),
	];
	const plan = (providerIds: readonly string[], wanted: readonly string[] = [bob]): Plan => {
		const { users, ...others } = accessOf({}, policies, { threshold: 2, userIds: [bob, carol] });
		if (!users.known) throw new Error("the users are known");
		const credentials = known(
			[
				[first, "FIRST"],
				[last, "LAST"],
				[further, "FURTHER"],
			].map(([own, type]) => ({ id: own as string, type: type as string, credentialId: null, publicKey: null })),
		);
		const access = {
			...others,
			users: known(users.value.map((one) => (one.id === dave ? { ...one, credentials } : one))),
		};
		const live = liveOf({
			userTags: known([liveTag(1, "signers")]),
			oauthProviders: known([first, last, further].map((one) => ({ userId: dave, id: one, name: one }))),
		});
		const absent = { policyIds: [], oauthProviders: [{ userId: dave, providerIds }], tvcAppIds: [] };
		const userTags = [wantTag("signers", { members: { mode: "exactly", exactly: wanted } })];
		return makePlan(desiredOf({ userTags, absent }), live, {
			...context,
			...{ access, submitter: known({ userId: alice, publicKey: null }) },
		});
	};
	const stepsOf = ({ steps }: Plan): readonly unknown[] =>
		steps.map(({ operation, parameters, approval, dependsOn }) => [
			operation === "update_user_tag" ? "signers" : "providerIds" in parameters && parameters.providerIds,
			approval?.verdict,
			dependsOn,
		]);

	it("is split where another step has to run between two of them", () => {
		expect(stepsOf(plan([first, last, further]))).toEqual([
			[[first], "runs", []],
			["signers", "pending", ["step-1"]],
			[[last, further], "runs", ["step-2"]],
		]);
	});

	it("is one activity where the order of the two does not matter", () => {
		expect(stepsOf(plan([first, further]))).toEqual([
			[[first, further], "runs", []],
			["signers", "pending", ["step-1"]],
		]);
		expect(stepsOf(plan([first, last, further], []))).toEqual([[[first, last, further], "runs", []]]);
	});
});

describe("a plan of which each order denies a step", () => {
	// Both tags are needed, and alice loses both.
	const both = policyOf(1, { consensus: `${anyOf(approvers)} && ${anyOf(signers)}`, condition: condition.tags });
	const organization: Organization = {
		members: { approvers: ["alice", "dave"], signers: ["alice", "dave"] },
		policies: [both],
		rootQuorum: { threshold: 2, userIds: [bob, dave] },
	};
	const wish = { members: { approvers: ["dave"], signers: ["dave"], treasury: ["bob"] } } as const;
	const strandedIn = ({ guards }: Plan) => guards.filter(({ kind }) => kind === "stranded");

	it("is blocked by the guard, which says which step, after which, and why", () => {
		const plan = planFor(organization, wish);
		expect(told(plan)).toEqual([
			"userTag:treasury: runs",
			"userTag:approvers after userTag:treasury: runs",
			"userTag:signers after userTag:approvers: denied",
		]);
		const [guard] = strandedIn(plan);
		expect(guard).toMatchObject({ found: 1, refuses: true, where: ["userTag:signers"] });
		expect(guardText(guard as Guard)).toMatch(
			/^userTag:signers would be denied once userTag:approvers has changed: .+; no order of the activities avoids it$/,
		);
		expect(limitText(guard as Guard)).toBe("no activity denied because of another one of the plan");
	});

	it("is not blocked where one of the two was rejected: then nothing denies the other", () => {
		const plan = planFor(organization, wish);
		const rejected = [pendingFor(plan, 1, { state: "rejected", status: "ACTIVITY_STATUS_REJECTED" })];
		expect(strandedIn(planFor(organization, wish, { rejected }))).toEqual([]);
	});

	it("is not one whose step is denied in every order", () => {
		const never = { ...organization, policies: [policyOf(1, { consensus: onlyUser(bob), condition: condition.tags })] };
		expect(strandedIn(planFor(never, wish))).toEqual([]);
	});
});

describe("a plan of more steps than can be searched", () => {
	const numbers = Array.from({ length: 12 }, (_, index) => index + 10);
	/** Twelve tags of alice, of which she needs one to change any tag; she loses them, all or all but one. */
	function planMany(keeps: number, more: readonly DesiredUserTag[] = []): Plan {
		const policies = [
			policyOf(1, {
				consensus: numbers.map((number) => anyOf(id("tag", number))).join(" || "),
				condition: condition.tags,
			}),
		];
		const names = numbers.map((number) => `tag-${number}`);
		const { users, ...others } = accessOf({}, policies, { threshold: 2, userIds: [bob, dave] });
		const tagIds = known(numbers.map((number) => id("tag", number)));
		const access = {
			...others,
			users: users.known ? known(users.value.map((user) => (user.id === alice ? { ...user, tagIds } : user))) : users,
		};
		const live = liveOf({
			userTags: known([
				liveTag(3, "treasury"),
				...names.map((name, index) => liveTag(numbers[index] ?? 0, name, { members: known([alice]) })),
			]),
		});
		const wanted = names.map((name, index) =>
			wantTag(name, { members: { mode: "exactly", exactly: index < keeps ? [alice, bob] : [] } }),
		);
		return makePlan(desiredOf({ userTags: [...wanted, ...more] }), live, {
			...context,
			...{ access, submitter: known({ userId: alice, publicKey: null }) },
		});
	}
	const guardOf = ({ guards }: Plan): Guard | undefined => guards.find(({ kind }) => kind === "stranded");

	it("says how many were not searched, and blocks nothing", () => {
		const guard = guardOf(planMany(1));
		expect(guard).toMatchObject({ found: 0, refuses: false });
		expect(guardText(guard as Guard)).toBe("not every order of 12 activities was checked");
	});

	it("takes the last of many tags after what needs one of them", () => {
		const plan = planMany(0, [wantTag("treasury", { members: { mode: "exactly", exactly: [bob] } })]);
		const treasury = plan.steps.find(({ covers }) => covers[0]?.address === "userTag:treasury");
		const later = plan.steps.filter(({ dependsOn }) => dependsOn.includes(treasury?.id ?? ""));
		expect(later.length).toBe(1);
		expect(plan.steps.map(({ approval }) => approval?.verdict)).not.toContain("denied");
		expect(guardOf(plan)?.refuses).toBe(false);
	});
});
