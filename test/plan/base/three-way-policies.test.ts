/** Policies in the comparison with a base: what the change means, what drifted, what apply reverts, and what left the document. */
import { describe, expect, it } from "vitest";
import { makeDropped, makeThreeWay, type ThreeWay, unite } from "../../../src/plan/base/three-way.ts";
import { statesPolicies } from "../../../src/plan/kinds/policy-changes.ts";
import type { DesiredOrganization, DesiredPolicy, LivePolicy } from "../../../src/plan/organization.ts";
import { makePlan } from "../../../src/plan/plan.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { limitText } from "../../../src/say/guards.ts";
import { checkSchema } from "../../check-schema.ts";
import { renderThreeWay } from "../../render/as-text.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, unknown, wantTag } from "../support-organizations.ts";

const [alice, bob] = [id("user", 1), id("user", 2)];
const digest = `sha256:${"0".repeat(64)}`;

const want = (name: string, parts: Partial<DesiredPolicy> = {}): DesiredPolicy => {
	const clauses = { effect: "EFFECT_ALLOW", consensus: "true", condition: "" } as const;
	return { kind: "policy", name, previously: [], ...clauses, at, ...parts };
};
const there = (number: number, name: string, parts: Partial<LivePolicy> = {}): LivePolicy => {
	const clauses = { effect: "EFFECT_ALLOW", consensus: "true", condition: "", time: "", notes: "" };
	return { id: id("policy", number), name, ...clauses, ...parts };
};

type Wanted = Partial<DesiredOrganization>;
const documentOf = ({ objects = [], ...parts }: Wanted): DesiredOrganization => ({
	...desiredOf({ digest, users: { alice }, ...parts }),
	objects: [wantTag("payers"), ...objects],
});

function liveWith(policies: readonly LivePolicy[]) {
	const parts = {
		userTags: known([liveTag(1, "payers")]),
		policies: known(policies.map((one) => ({ id: one.id, name: one.name }))),
	};
	return { ...liveOf(parts), policies: known(policies) };
}

function compare(base: Wanted, head: Wanted, policies: readonly LivePolicy[]): ThreeWay {
	const [before, after] = [documentOf(base), documentOf(head)];
	const found = makeThreeWay({ name: "main", desired: before }, after, liveWith(policies));
	expect(checkSchema("three-way.json", found)).toEqual([]);
	return found;
}

const words = (differences: readonly object[]): readonly string[] =>
	(differences as readonly Record<string, unknown>[]).map(({ address, what, field, before, after, fate }) => {
		const values = [before, after].filter((value) => value !== null).map((value) => JSON.stringify(value));
		return [address, what, field, ...values, fate].filter(Boolean).join(" ");
	});

describe("policies", () => {
	it("that the change rewrites are shown by their fields, as the documents write them", () => {
		const found = compare(
			{ objects: [want("pay"), want("same", { consensus: "(true)" })] },
			{ objects: [want("pay", { effect: "EFFECT_DENY", condition: "false", notes: "x" }), want("same")] },
			[there(1, "pay"), there(2, "same")],
		);
		expect(words(found.documentChanges)).toEqual([
			'policy:pay field effect "EFFECT_ALLOW" "EFFECT_DENY"',
			'policy:pay field condition "" "false"',
			'policy:pay field notes "x"',
		]);
		expect([found.drifted, found.reverts, found.alreadyInSync]).toEqual([[], [], []]);
		const text = renderThreeWay(makePlan(documentOf({}), liveWith([]), context), found, plainStyle);
		expect(text).toContain("effect: allow -> deny");
	});

	it("that were changed, removed or added outside are put back, or accepted by the change", () => {
		const base = { objects: [want("pay"), want("gone")], exactly: { policies: { except: [] } } };
		const live = [there(1, "pay", { condition: "false" }), there(3, "extra")];
		const found = compare(base, base, live);
		const extra = `policy:${id("policy", 3)}`;
		expect(words(found.drifted)).toEqual([
			`${extra} is-there "extra" reverted`,
			"policy:gone not-there reverted",
			'policy:pay field condition "" "false" reverted',
		]);
		expect(words(found.reverts)).toEqual([
			`${extra} remove "extra"`,
			"policy:gone create",
			'policy:pay set condition "false" ""',
		]);
		const accepting = {
			objects: [want("pay", { condition: "( false )" }), want("extra")],
			exactly: { policies: { except: [] } },
		};
		const accepted = compare(base, accepting, live);
		expect(accepted.reverts).toEqual([]);
		expect(accepted.drifted.map(({ fate }) => fate)).toEqual(["accepted", "accepted", "accepted"]);
		expect(words(accepted.alreadyInSync)).toEqual(['policy:pay field condition "" "( false )"']);
	});

	it("show their effect as documents write it, also where it drifted, and compare their time as an expression", () => {
		const base = { objects: [want("pay", { time: "time.now > Timestamp('2026-06-01T00:00:00Z')" })] };
		const live = there(1, "pay", { effect: "EFFECT_DENY", time: "time.now  > Timestamp('2026-06-01T00:00:00Z')" });
		const found = compare(base, base, [live]);
		expect(words(found.drifted)).toEqual(['policy:pay field effect "EFFECT_ALLOW" "EFFECT_DENY" reverted']);
		const text = renderThreeWay(makePlan(documentOf(base), liveWith([live]), context), found, plainStyle);
		expect(text).toMatch(/effect.*live.*deny.*base.*allow/s);
		expect(text).not.toContain("EFFECT_");
	});

	it("that the change gives a third value replace what drifted", () => {
		const live = [there(1, "pay", { condition: "false" })];
		const found = compare({ objects: [want("pay")] }, { objects: [want("pay", { condition: "1 == 1" })] }, live);
		expect(words(found.drifted)).toEqual(['policy:pay field condition "" "false" replaced']);
		expect(found.reverts).toEqual([]);
	});

	it("that name a tag which the change renames say the same, also where the tag has its new name, and are never shown by a stand-in", () => {
		const consensus = (name: string) => `approvers.any(user, user.tags.contains('\${userTags.${name}}'))`;
		const before: DesiredOrganization = {
			...documentOf({}),
			objects: [wantTag("payers"), want("pay", { consensus: consensus("payers") })],
		};
		const tag = wantTag("paying", { previously: ["payers"] });
		const after = { ...before, objects: [tag, want("pay", { consensus: consensus("paying") })] };
		const policy = there(1, "pay", { consensus: `approvers.any(user, user.tags.contains('${id("tag", 1)}'))` });
		const compareAt = (name: string): ThreeWay => {
			const live = { ...liveWith([policy]), userTags: known([liveTag(1, name)]) };
			return makeThreeWay({ name: "main", desired: before }, after, live);
		};
		for (const name of ["payers", "paying"])
			expect(words(compareAt(name).documentChanges)).toEqual(['userTag:paying renamed "payers" "paying"']);
		const lost = compareAt("gone");
		expect(words(lost.drifted)).toContain(
			`policy:pay field consensus ${JSON.stringify(consensus("payers"))} ${JSON.stringify(policy.consensus)} replaced`,
		);
	});

	it("that the change renames keep their drift, also where the new name is live already", () => {
		const head = { objects: [want("paying", { previously: ["pay"] })] };
		const found = compare({ objects: [want("pay")] }, head, [there(1, "pay", { condition: "false" })]);
		expect(words(found.documentChanges)).toEqual(['policy:paying renamed "pay" "paying"']);
		expect(words(found.drifted)).toEqual(['policy:paying field condition "" "false" reverted']);
		const applied = compare({ objects: [want("pay")] }, head, [there(1, "paying")]);
		expect(words(applied.alreadyInSync)).toEqual(['policy:paying renamed "pay" "paying"']);
	});

	it("name the users of their own document", () => {
		const consensus = "approvers.any(user, user.id == '${users.alice}')";
		const [base, head] = [
			{ objects: [want("pay", { consensus })] },
			{ objects: [want("pay", { consensus })], users: { alice: bob } },
		];
		const found = compare(base, head, [there(1, "pay", { consensus: `approvers.any(user, user.id == '${alice}')` })]);
		expect(found.drifted).toEqual([]);
		expect(words(found.documentChanges)).toEqual([
			`policy:pay field consensus ${JSON.stringify(consensus)} ${JSON.stringify(consensus)}`,
		]);
	});

	it("that left the document come first, unless the document has them removed or they are gone", () => {
		const live = [there(1, "stays"), there(2, "old"), there(3, "older")];
		const base = { objects: ["stays", "old", "gone"].map((name) => want(name)) };
		const removal = { kind: "policy", userId: null, id: "old" } as const;
		const found = compare(base, { objects: [removal] }, live);
		expect(words(found.documentChanges)).toEqual([
			'policy:gone unmanaged "not-there"',
			'policy:old unmanaged "removed"',
			'policy:stays unmanaged "stays"',
			"policy:old absent",
		]);
		expect(found.alreadyInSync).toEqual([]);
		const plan = makePlan(documentOf({ objects: [removal] }), liveWith(live), context);
		const text = renderThreeWay(plan, found, plainStyle);
		expect(text).toContain(
			"Policies that left the document and stay live:\n  policy:stays: what it still gives is unknown; to remove it, add it to `absent.policies`\n",
		);
		expect(text).not.toContain("policy:old: what it");
		expect(text).toContain("  - policy:old  is no longer listed; apply removes it\n  ~ policy:stays");
		const complete = compare(base, { objects: [], exactly: { policies: { except: ["st*"] } } }, live);
		expect(words(complete.documentChanges).slice(1)).toEqual([
			'policy:old unmanaged "removed"',
			'policy:stays unmanaged "stays"',
			"exactly.policies exactly []".replace("[]", '["st*"]'),
		]);
		expect(words(makeDropped("main", documentOf(base)).documentChanges)).toContain("policy:stays unmanaged");
	});
});

describe("the document's other new keys", () => {
	it("are changes of the document: complete lists, protection and limits", () => {
		const head: Wanted = {
			exactly: { userTags: { except: [] } },
			protect: { userIds: [], userTags: [], policies: ["break glass"] },
			limits: { takeovers: 3, policyUpdates: 2, userTags: 1 },
		};
		const found = compare({ exactly: { policies: { except: ["a*"] } } }, head, []);
		expect(words(found.documentChanges)).toEqual([
			'exactly.policies exactly ["a*"]',
			"exactly.userTags exactly []",
			'protect.policies protected "break glass"',
			"limits.userTags limit 1",
			"limits.policyUpdates limit 2",
			"limits.takeovers limit 3",
		]);
		const text = renderThreeWay(makePlan(documentOf(head), liveWith([]), context), found, plainStyle);
		expect(text).toContain("complete, except a* -> not complete");
		expect(text).toContain("not complete -> complete");
	});

	it("are read where only the base has them", () => {
		const base = desiredOf({ exactly: { policies: { except: [] } } });
		expect(statesPolicies(unite(base, desiredOf()))).toBe(true);
	});
});

describe("user tags", () => {
	it("that a document creates and that are gone, and those under `absent`, drift as a whole", () => {
		const tags = [wantTag("new", { create: true }), { kind: "userTag", absent: true, name: "old", at } as const];
		const live = { ...liveOf({ userTags: known([liveTag(1, "payers"), liveTag(2, "old", { members: unknown })]) }) };
		const document = documentOf({ objects: tags });
		const found = makeThreeWay({ name: "main", desired: document }, document, live);
		expect(words(found.reverts)).toEqual(["userTag:new create", 'userTag:old remove "old"']);
		expect(words(makeThreeWay({ name: "main", desired: documentOf({}) }, document, live).documentChanges)).toEqual([
			"userTag:new managed",
			"userTag:old absent",
		]);
	});
});

describe("limits and protection", () => {
	const guardsOf = (base: Wanted, head: Wanted, live = [there(1, "pay", { condition: "false" })]) => {
		const plan = makePlan(documentOf({ objects: [want("pay")], ...head }), liveWith(live), {
			...context,
			base: documentOf(base),
		});
		return plan.guards.map((guard) => [guard.kind, guard.refuses, limitText(guard)]);
	};

	it("of the base hold where the change loosens them", () => {
		const loose = { limits: { policyUpdates: 5, takeovers: 5 } };
		expect(guardsOf({ limits: { policyUpdates: 0 } }, loose)).toEqual([
			["policyUpdates", true, "at most 0 by the base document"],
			["takeovers", false, "at most 5"],
		]);
		expect(guardsOf({ limits: { policyUpdates: 0 } }, {})).toContainEqual([
			"policyUpdates",
			true,
			"at most 0 by the base document",
		]);
		expect(guardsOf({ protect: { userIds: [], userTags: [], policies: ["pay"] } }, {})).toContainEqual([
			"protected",
			true,
			expect.any(String),
		]);
	});

	it("of the change hold where it tightens them", () => {
		expect(guardsOf({ limits: { policyUpdates: 5 } }, { limits: { policyUpdates: 0 } })).toContainEqual([
			"policyUpdates",
			true,
			"at most 0",
		]);
	});
});
