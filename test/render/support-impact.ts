/** A plan whose impact and approvals are made by hand: a reader sees from the values what a format has to say. */
import type { PlanImpact } from "../../src/plan/impact/impact.ts";
import { makePlan, type Plan } from "../../src/plan/plan.ts";
import type { Step } from "../../src/plan/step.ts";
import type { Approval } from "../../src/policy/powers/forecast.ts";
import type { ImpactVerdict } from "../../src/policy/powers/impact.ts";
import type { Threshold } from "../../src/policy/powers/powers.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../plan/support-organizations.ts";
import type { Naming } from "./support.ts";

export const [alice, bob, carol, dave, erin] = [1, 2, 3, 4, 5].map((number) => id("user", number)) as [
	string,
	string,
	string,
	string,
	string,
];

export const [signers, treasury] = [id("tag", 1), id("tag", 2)];
const admins = id("tag", 3);

export const signPolicy = id("policy", 1);
const [exportPolicy, denyPolicy] = [id("policy", 2), id("policy", 3)];

const peaceful: Naming = (name) => name;

export function thresholdOf(atLeast: number, of: readonly string[], parts: Partial<Threshold> = {}): Threshold {
	return { atLeast, of, tagId: null, isRootQuorum: false, ...parts };
}

export type Side = PlanImpact["before"];

export function sideOf(parts: Partial<Side> = {}): Side {
	return { alone: [], together: [], thresholds: [], isComplete: true, unknown: null, ...parts };
}

export const rootQuorum = [thresholdOf(2, [alice, erin], { isRootQuorum: true })];
const asRoot = { together: [[alice, erin]], thresholds: [rootQuorum] };

const twoSigners = sideOf({
	together: [
		[alice, bob],
		[alice, carol],
		[alice, erin],
		[bob, carol],
	],
	thresholds: [[thresholdOf(2, [alice, bob, carol], { tagId: signers })], rootQuorum],
});
const bobOrTwoSigners = {
	...twoSigners,
	...{ alone: [bob], thresholds: [[thresholdOf(1, [bob])], [thresholdOf(2, [alice, carol])], rootQuorum] },
};
export const twoOfTreasury = sideOf({
	together: [
		[alice, erin],
		[carol, dave],
	],
	thresholds: [[thresholdOf(2, [carol, dave], { tagId: treasury })], rootQuorum],
});

export function findingOf(parts: Partial<PlanImpact> & Pick<PlanImpact, "change" | "group">): PlanImpact {
	return {
		...{ userIds: [], witness: [], condition: null, before: sideOf(), after: sideOf(), policyIds: [] },
		...{ isEscalation: false, unless: [], because: null },
		...parts,
	};
}

/** One finding of each change, and one power in several groups. `say` makes the reasons. */
function findingsOf(name: Naming, say: Naming): readonly PlanImpact[] {
	const twoAdmins = (...users: string[]) => sideOf({ thresholds: [[thresholdOf(2, users, { tagId: admins })]] });
	const admin = { before: twoAdmins(alice, bob, erin), after: twoAdmins(alice, bob, dave), policyIds: [denyPolicy] };
	return [
		findingOf({
			...{ change: "nobody", group: { resource: "WALLET", action: "EXPORT" }, userIds: [carol, dave] },
			...{ before: twoOfTreasury, after: sideOf(asRoot), policyIds: [exportPolicy], witness: [carol, dave] },
		}),
		findingOf({
			...{ change: "alone", group: { resource: "PRIVATE_KEY", action: "SIGN" }, userIds: [bob] },
			...{ before: twoSigners, after: bobOrTwoSigners },
			...{ policyIds: [signPolicy], witness: [bob], isEscalation: true },
		}),
		findingOf({
			...{ change: "fewer", group: { resource: "WALLET", action: "CREATE" }, userIds: [alice, bob, carol] },
			...{ before: twoSigners, after: sideOf({ thresholds: [[thresholdOf(1, [alice, bob, carol])]] }) },
			...{ policyIds: [signPolicy], condition: name("wallet.exported"), witness: [alice] },
		}),
		...["CREATE", "UPDATE", "DELETE"].map((action) =>
			findingOf({
				...{ change: "gains", group: { resource: "POLICY", action }, userIds: [dave], witness: [alice, dave] },
				...admin,
			}),
		),
		findingOf({
			...{ change: "loses", group: { resource: "POLICY", action: "DELETE" }, userIds: [erin], witness: [alice, erin] },
			...admin,
		}),
		findingOf({
			...{ change: "unknown", group: { kind: name("CREATE_WALLET_ACCOUNTS") } },
			because: { kind: "not-evaluated", clause: "condition", message: say("the condition is not understood") },
		}),
	];
}

/** A plan that takes dave from treasury, gives bob another tag and removes a policy. */
export function changingPlanOf(name: Naming = peaceful): Plan {
	const exactly = (...users: string[]) => ({ members: { mode: "exactly", exactly: users } }) as const;
	return makePlan(
		desiredOf({
			users: Object.fromEntries(
				Object.entries({ alice, bob, carol, dave }).map(([alias, userId]) => [name(alias), userId]),
			),
			userTags: [
				wantTag(name("admins"), {
					id: admins,
					...exactly(alice, bob, dave),
					at: { file: "orgsync.yaml", line: 5, column: 3 },
				}),
				wantTag(name("treasury"), {
					id: treasury,
					...exactly(carol),
					at: { file: "orgsync.yaml", line: 9, column: 3 },
				}),
			],
			absent: { policyIds: [signPolicy], oauthProviders: [], tvcAppIds: [] },
		}),
		liveOf({
			users: known({
				...{ [alice]: name("alice"), [bob]: name("bob"), [carol]: name("carol") },
				...{ [dave]: name("dave"), [erin]: name("erin") },
			}),
			userTags: known([
				liveTag(2, name("treasury"), { members: known([carol, dave]) }),
				liveTag(3, name("admins"), { members: known([alice, bob, erin]) }),
			]),
			policies: known([{ id: signPolicy, name: name("two signers") }]),
		}),
		context,
	);
}

export function approvalOf(parts: Partial<Approval> = {}): Approval {
	return { verdict: "runs", approverSets: [], thresholds: [], policyIds: [], because: null, ...parts };
}

export const pendingApproval = approvalOf({
	verdict: "pending",
	approverSets: [[carol], [dave]],
	thresholds: [[thresholdOf(1, [carol, dave])], [thresholdOf(1, [erin], { isRootQuorum: true })]],
	policyIds: [signPolicy],
});

/** Returns the plan with this forecast for its steps, in their order. */
export function withApprovals(plan: Plan, approvals: readonly (Approval | undefined)[]): Plan {
	const steps = plan.steps.map((step, index): Step => {
		const approval = approvals[index];
		return approval === undefined ? step : { ...step, approval };
	});
	return { ...plan, steps, submitterId: alice };
}

/** Returns the plan with names of tags and policies, and this impact. */
export function withImpact(
	plan: Plan,
	impact: readonly PlanImpact[],
	impactVerdict: ImpactVerdict = "both",
	name: Naming = peaceful,
): Plan {
	return {
		...plan,
		impact,
		impactVerdict,
		tagNames: { [signers]: name("signers"), [treasury]: name("treasury"), [admins]: name("admins") },
		policyNames: {
			[signPolicy]: name("two signers"),
			[exportPolicy]: name("2-of-treasury"),
			[denyPolicy]: name("admins"),
		},
	};
}

/** A plan with everything that impact and approvals can say. `say` makes the reasons, which are sentences. */
export function impactPlanOf(name: Naming = peaceful, say: Naming = name): Plan {
	const plan = withApprovals(changingPlanOf(name), [
		pendingApproval,
		approvalOf({ verdict: "denied" }),
		approvalOf({
			verdict: "unknown",
			because: { kind: "not-read", why: { kind: "stated", text: say("policies could not be read") } },
		}),
	]);
	return withImpact(plan, findingsOf(name, say), "both", name);
}

/** A plan that changes nothing for who can do what, and that runs without approval. */
export function calmPlanOf(name: Naming = peaceful): Plan {
	const plan = changingPlanOf(name);
	return withImpact(
		withApprovals(
			plan,
			plan.steps.map(() => approvalOf()),
		),
		[],
		"equivalent",
		name,
	);
}

/** A plan in which so many users can sign alone who could only together. */
export function manyPowersPlanOf(number: number): Plan {
	const users = Array.from({ length: number }, (_, index) => id("user", index + 1));
	const plan = changingPlanOf();
	const finding = findingOf({
		...{ change: "alone", group: { resource: "PRIVATE_KEY", action: "SIGN" }, userIds: users },
		...{ before: sideOf({ thresholds: [[thresholdOf(2, users)]] }), after: sideOf({ alone: users }) },
	});
	const userNames = Object.fromEntries(users.map((userId, index) => [userId, `user-${index + 1}`]));
	const { liveNames: _, ...named } = { ...plan, userNames };
	return withImpact(named, [finding], "more-permissive");
}
