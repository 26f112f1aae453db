/** The moments between the steps of a plan: none gives or takes what neither before nor after the plan does. */
import { describe, expect, it } from "vitest";
import { findContradiction } from "../../../src/document/saved/saved-plan-check.ts";
import { orderLarge } from "../../../src/plan/order/large-groups.ts";
import type { UnsafeMoment } from "../../../src/plan/order/moments.ts";
import type { Step } from "../../../src/plan/step.ts";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import {
	alice,
	anyOf,
	approvers,
	bob,
	carol,
	condition,
	dave,
	onlyUser,
	policyOf,
	signers,
	treasury,
} from "../support-access.ts";
import { momentsOf, planWritten, toldOrder } from "./support-policies.ts";

const signing = (number: number, consensus: string, more: Partial<AccessPolicy> = {}): AccessPolicy =>
	policyOf(number, { name: `p${number}`, consensus, condition: condition.sign, ...more });
const denied = { effect: "EFFECT_DENY" } as const;

describe("the steps of a plan that writes policies", () => {
	const old = signing(1, anyOf(signers));
	const members = { signers: ["bob"], approvers: ["bob"] } as const;

	it("create what replaces a policy before they remove it, so that its users can sign all the time", () => {
		const plan = planWritten(
			{ members, policies: [old] },
			{ policies: [signing(2, anyOf(approvers))], absent: [old.id] },
		);
		expect(toldOrder(plan)).toEqual(["create_policies p2", `delete_policies ${old.id} after create_policies p2`]);
		expect(momentsOf(plan)).toBeUndefined();
	});

	it("deny before they allow what is denied after the plan", () => {
		const live = signing(1, anyOf(signers), { condition: condition.export });
		const deny = signing(2, onlyUser(bob), denied);
		const plan = planWritten(
			{ members, policies: [live] },
			{ policies: [{ ...live, condition: condition.sign }, deny] },
		);
		expect(toldOrder(plan)).toEqual(["create_policies p2", "update_policy p1 after create_policies p2"]);
	});

	it("take the denied users from a tag before they remove what denies them", () => {
		const deny = signing(2, onlyUser(bob), denied);
		const plan = planWritten(
			{ members, policies: [old, deny] },
			{ members: { signers: ["carol"] }, absent: [deny.id] },
		);
		expect(toldOrder(plan)).toEqual([
			"update_user_tag signers",
			`delete_policies ${deny.id} after update_user_tag signers`,
		]);
	});

	it("are independent where no moment is worse", () => {
		const plan = planWritten(
			{ members, policies: [old] },
			{ members: { treasury: ["carol"] }, policies: [signing(2, anyOf(treasury), { condition: condition.export })] },
		);
		expect(toldOrder(plan)).toEqual(["update_user_tag treasury", "create_policies p2"]);
	});
});

describe("a tag whose users move", () => {
	// A tag that signs becomes the tag that is denied: the user who moves first is in neither, or in both.
	const members = { signers: ["bob"], approvers: ["bob"] } as const;
	const policies = [signing(1, anyOf(signers)), signing(2, anyOf(approvers), denied)];
	const wish = { members: { signers: ["carol"], approvers: ["carol"] } } as const;

	it("is changed user by user where only that is safe: who is denied comes first, and goes last", () => {
		const plan = planWritten({ members, policies }, wish);
		const moves = plan.steps.map(({ operation, parameters, covers }) => {
			if (operation !== "update_user_tag") return operation;
			const { addUserIds, removeUserIds } = parameters;
			return `${covers[0]?.address} +${addUserIds.length} -${removeUserIds.length}`;
		});
		expect(moves).toEqual(["userTag:approvers +1 -0", "userTag:signers +1 -1", "userTag:approvers +0 -1"]);
		expect(plan.steps.map(({ dependsOn }) => dependsOn)).toEqual([[], ["step-1"], ["step-2"]]);
		expect(momentsOf(plan)).toBeUndefined();
	});

	it("stays one activity where that is as safe", () => {
		const plan = planWritten({ members, policies: policies.slice(0, 1) }, wish);
		expect(toldOrder(plan)).toEqual(["update_user_tag approvers", "update_user_tag signers"]);
	});
});

describe("an object that takes a name and changes besides", () => {
	const toldNames = ({ steps }: ReturnType<typeof planWritten>) =>
		steps.map(({ id, operation, parameters, dependsOn }) => {
			const {
				newUserTagName = "",
				addUserIds = [],
				removeUserIds = [],
				policyName = newUserTagName,
			} = parameters as {
				readonly [key in "newUserTagName" | "policyName"]?: string;
			} & { readonly [key in "addUserIds" | "removeUserIds"]?: readonly string[] };
			return [id, operation, policyName, `+${addUserIds.length} -${removeUserIds.length}`, ...dependsOn].join(" ");
		});

	it("is renamed in an activity of its own where only then the tag that frees the name can lose its users last", () => {
		// Bob signs by `signers`, and by `approvers` from then on, which takes the name of the other tag.
		const policies = [signing(1, anyOf(signers)), signing(2, anyOf(approvers))];
		const names = { signers: "former", approvers: "signers" } as const;
		const plan = planWritten(
			{ members: { signers: ["bob"] }, policies },
			{ members: { signers: [], approvers: ["bob"] }, names },
		);
		expect(momentsOf(plan)).toBeUndefined();
		expect(toldNames(plan)).toEqual([
			"step-1 update_user_tag  +1 -0",
			"step-2 update_user_tag former +0 -1 step-1",
			"step-3 update_user_tag signers +0 -0 step-2",
		]);
		expect(findContradiction(plan)).toBeUndefined();
	});

	it("is changed as safely as if no name changed, whoever had the tags and has them then", () => {
		const denies = [signing(1, anyOf(signers)), signing(2, anyOf(approvers), denied)];
		const either = [signing(1, anyOf(signers)), signing(2, anyOf(approvers))];
		const exchange = { signers: "approvers", approvers: "signers" } as const;
		const chain = { signers: "former", approvers: "signers" } as const;
		const who = [[], ["bob"], ["carol"]] as const;
		const two = who.slice(0, 2);
		for (const policies of [either, denies])
			for (const names of [exchange, chain])
				for (const [was, had, is, has] of who.flatMap((a) =>
					two.flatMap((b) => two.flatMap((c) => two.map((d) => [a, b, c, d] as const))),
				)) {
					const before = { members: { signers: was, approvers: had }, policies };
					const wish = { members: { signers: is, approvers: has } };
					const [plain, named] = [planWritten(before, wish), planWritten(before, { ...wish, names })];
					expect(momentsOf(named) ?? null, JSON.stringify([names, before.members, wish])).toEqual(
						momentsOf(plain) === undefined ? null : expect.anything(),
					);
					expect(findContradiction(named)).toBeUndefined();
				}
	});

	const [old, other] = [signing(1, anyOf(signers)), signing(2, anyOf(treasury))];
	const freed = [
		{ ...old, name: "p0", condition: condition.export },
		{ ...other, name: "p1", consensus: anyOf(signers) },
	];

	it("stays whole where only another one has to take its name first", () => {
		const others = [3, 4, 5, 6, 7].map((number) => signing(number, onlyUser(carol), { condition: condition.tags }));
		const changed = others.map((one) => ({ ...one, name: `${one.name} new`, condition: condition.policies }));
		for (const at of [0, 2, 5]) {
			const policies = [...changed.slice(0, at), ...freed, ...changed.slice(at)];
			const plan = planWritten({ members: { signers: ["bob"] }, policies: [old, other, ...others] }, { policies });
			expect(momentsOf(plan)).toBeUndefined();
			const updates = plan.steps.flatMap(({ covers }) => covers.map(({ address }) => address));
			expect(updates.filter((address, index) => updates.indexOf(address) !== index)).toEqual(["policy:p0"]);
		}
	});

	it("takes it first where a policy frees it for one that allows the same", () => {
		const plan = planWritten({ members: { signers: ["bob"] }, policies: [old, other] }, { policies: freed });
		expect(momentsOf(plan)).toBeUndefined();
		expect(toldNames(plan)).toEqual([
			"step-1 update_policy p0 +0 -0",
			"step-2 update_policy p1 +0 -0 step-1",
			"step-3 update_policy p0 +0 -0 step-1 step-2",
		]);
		expect(findContradiction(plan)).toBeUndefined();
	});
});

describe("a plan without a safe order", () => {
	// Two policies exchange what they allow: after the first update, bob can do one of the two no more.
	const first = signing(1, onlyUser(bob));
	const second = signing(2, onlyUser(bob), { condition: condition.export });
	const plan = planWritten(
		{ members: {}, policies: [first, second] },
		{
			policies: [
				{ ...first, condition: condition.export },
				{ ...second, condition: condition.sign },
			],
		},
	);

	it("blocks, and says which moment and for whom", () => {
		expect(plan.guards.find(({ kind }) => kind === "unsafeMoments")).toMatchInlineSnapshot(`
			{
			  "found": 1,
			  "kind": "unsafeMoments",
			  "limit": "no moment between two activities that is worse than before and after the plan",
			  "message": "while policy:p1 has changed and policy:p2 has not, bob could not sign with any wallet or key (PRIVATE_KEY/SIGN), as before and after the plan",
			  "refuses": true,
			  "where": [
			    "policy:p1",
			    "policy:p2",
			  ],
			}
		`);
	});
});

describe("a plan of which more than 12 steps change the same", () => {
	const live = Array.from({ length: 13 }, (_, index) => signing(index + 1, onlyUser(bob)));
	const plan = planWritten(
		{ members: {}, policies: live },
		{ policies: live.map((one) => ({ ...one, consensus: onlyUser(carol) })) },
	);

	it("warns that not every moment was checked, and names the first", () => {
		expect(plan.guards.find(({ kind }) => kind === "unsafeMoments")?.refuses).toBe(false);
		expect(momentsOf(plan)).toMatchInlineSnapshot(
			`"not every moment between 13 activities was checked, first of all who can sign with any wallet or key (PRIVATE_KEY/SIGN) while policy:p1 and policy:p10 have changed and policy:p11 and policy:p12 and policy:p13 and 8 more have not"`,
		);
	});
});

describe("a plan whose policies decide about its own steps", () => {
	const members = { approvers: ["alice"], signers: ["bob"] } as const;
	const tags = policyOf(1, { name: "p1", consensus: anyOf(approvers), condition: condition.tags });
	const writing = policyOf(2, {
		...{ name: "p2", consensus: anyOf(approvers) },
		condition: "activity.resource == 'POLICY'",
	});
	const rootQuorum = { threshold: 2, userIds: [carol, dave] };
	const organization = { members, policies: [tags, writing], rootQuorum };

	it("creates what denies the submitter a step after that step", () => {
		const deny = policyOf(3, { name: "p3", ...denied, consensus: onlyUser(alice), condition: condition.tags });
		const plan = planWritten(organization, { members: { signers: ["carol"] }, policies: [deny] });
		expect(toldOrder(plan)).toEqual(["update_user_tag signers", "create_policies p3 after update_user_tag signers"]);
	});

	it("changes what allows the submitter a step after that step", () => {
		const plan = planWritten(organization, {
			members: { signers: ["carol"] },
			policies: [{ ...tags, consensus: onlyUser(bob) }],
		});
		expect(toldOrder(plan)).toEqual(["update_user_tag signers", "update_policy p1 after update_user_tag signers"]);
	});

	it("creates what allows the submitter a step before that step", () => {
		const plan = planWritten(
			{ ...organization, policies: [writing] },
			{ members: { signers: ["carol"] }, policies: [tags] },
		);
		expect(toldOrder(plan)).toEqual(["create_policies p1", "update_user_tag signers after create_policies p1"]);
	});

	it("creates two policies one after the other, where another step needs one of them and is denied by the other", () => {
		const creating = policyOf(2, {
			...{ name: "p2", consensus: anyOf(approvers) },
			condition: "activity.kind == 'CREATE_POLICIES'",
		});
		const old = policyOf(3, { name: "p3", ...denied, consensus: onlyUser(alice), condition: condition.tags });
		const deleting = policyOf(4, { name: "p4", consensus: anyOf(approvers), condition: condition.policies });
		const deny = { ...old, id: "", name: "p5", consensus: anyOf(approvers) };
		const plan = planWritten(
			{ members, policies: [tags, creating, old], rootQuorum },
			{ members: { signers: ["carol"] }, policies: [deleting, deny], absent: [old.id] },
		);
		expect(toldOrder(plan)).toEqual([
			"create_policies p4",
			`delete_policies ${old.id} after create_policies p4`,
			`update_user_tag signers after delete_policies ${old.id}`,
			"create_policies p5 after update_user_tag signers",
		]);
		expect(momentsOf(plan)).toMatchInlineSnapshot(
			`"while policy:30000003-7a3f-4c9e-9d40-000000000003 has changed and policy:p5 has not, alice could submit UPDATE_USER_TAG activities, and neither before nor after the plan"`,
		);
	});
});

describe("more steps than can be searched", () => {
	const group = Array.from({ length: 30 }, (_, index): Step => {
		return {
			...{ id: `step-${index + 1}`, operation: "delete_policies", parameters: { policyIds: [`${index}`] } },
			...{ covers: [], dependsOn: index === 29 ? ["step-29"] : [], earlierActivity: null },
			reason: { kind: "remove", of: "policy", count: 1 },
		};
	});
	const [first, ...others] = group as [Step, ...Step[]];
	const moment = (completed: Step, open: Step): UnsafeMoment => ({
		...{ completed: [completed], open: [open], change: "gains", userIds: [] },
		...{ group: { resource: "PRIVATE_KEY", action: "SIGN" }, condition: null },
	});

	it("come after those that keep them safe, and after what they depend on", () => {
		const before = orderLarge(
			group,
			others.map((other) => moment(first, other)),
		);
		expect(before.get(first)).toHaveLength(29);
		expect(others.slice(0, -1).map((step) => before.get(step)?.length)).toEqual(others.slice(1).map(() => 0));
		expect(before.get(group[29] as Step)).toEqual([group[28]]);
	});

	it("come after the first of several that keep a state from being reached", () => {
		const [second, third] = others as [Step, Step];
		const state = { ...moment(first, second), open: [third, second], completed: [first] };
		const before = orderLarge(group, [state, moment(first, second)]);
		expect([first, second, third].map((step) => before.get(step))).toEqual([[second], [], []]);
	});

	it("wait for no step that waits for them, where not every moment can be avoided", () => {
		const [second, third] = others as [Step, Step];
		const before = orderLarge(group, [moment(first, second), moment(second, first), moment(second, third)]);
		expect([first, second, third].map((step) => before.get(step))).toEqual([[], [first, third], []]);
	});
});
