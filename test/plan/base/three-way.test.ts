/**
 * How changes and drift are distinguished in the most common cases, one fact a test.
 */

import { describe, expect, it } from "vitest";
import { makeDropped, makeThreeWay, type ThreeWay, unite } from "../../../src/plan/base/three-way.ts";
import type { DesiredMembers, DesiredOrganization } from "../../../src/plan/organization.ts";
import { makePlan } from "../../../src/plan/plan.ts";
import { renderMarkdown } from "../../../src/render/markdown.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { checkSchema } from "../../check-schema.ts";
import { renderThreeWay } from "../../render/as-text.ts";
import { complete } from "../../render/complete.ts";
import {
	at,
	context,
	type DesiredParts,
	desiredOf,
	id,
	known,
	type LiveParts,
	liveOf,
	liveTag,
	nothingAbsent,
	nothingExpected,
	sectionsOf,
	unknown,
	wantTag,
} from "../support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];
const digest = `sha256:${"0".repeat(64)}`;

const exactly = (...users: string[]): { members: DesiredMembers } => ({ members: { mode: "exactly", exactly: users } });
const atLeast = (wanted: string[], never: string[] = []): { members: DesiredMembers } => ({
	members: { mode: "atLeast", atLeast: wanted, never },
});

function compare(base: DesiredParts | null, head: DesiredParts, live: Partial<LiveParts>): ThreeWay {
	const before = base === null ? null : desiredOf({ digest, ...base });
	const found = makeThreeWay({ name: "main", desired: before }, desiredOf({ digest, ...head }), liveOf(live));
	expect(checkSchema("three-way.json", found)).toEqual([]);
	return found;
}

/** Each difference in a few words. */
function words(differences: readonly object[]): readonly string[] {
	return (differences as readonly Record<string, unknown>[]).map(({ address, what, userId, fate }) => {
		const user = { [alice]: " alice", [bob]: " bob", [carol]: " carol" }[String(userId)] ?? "";
		return `${address} ${what}${user}${fate === undefined ? "" : `, ${fate}`}`;
	});
}

const one = (...members: string[]) => ({ userTags: known([liveTag(1, "signers", { members: known(members) })]) });
const wants = (parts: object, name = "signers") => ({ userTags: [wantTag(name, parts)] });

describe("members", () => {
	it("whom the change adds and live has already are in sync, and no drift of the base is left to undo", () => {
		const found = compare(wants(exactly(alice)), wants(exactly(alice, bob)), one(alice, bob));
		expect(words(found.documentChanges)).toEqual(["userTag:signers member bob"]);
		expect(words(found.alreadyInSync)).toEqual(["userTag:signers member bob"]);
		expect(words(found.drifted)).toEqual(["userTag:signers member-gained bob, accepted"]);
		expect(found.reverts).toEqual([]);
	});

	it("who were added outside and whom neither document mentions would be removed", () => {
		const found = compare(wants(exactly(alice)), wants(exactly(alice)), one(alice, bob));
		expect(found.documentChanges).toEqual([]);
		expect(words(found.reverts)).toEqual(["userTag:signers remove-member bob"]);
	});

	it("whom atLeast leaves alone are no drift, and become removals that the change means when it says exactly", () => {
		const found = compare(wants(atLeast([alice])), wants(exactly(alice)), one(alice, bob));
		expect(words(found.documentChanges)).toEqual(["userTag:signers members-mode"]);
		expect([found.drifted, found.reverts]).toEqual([[], []]);
	});

	it("stay when the change no longer manages them", () => {
		const found = compare(wants(exactly(alice)), wants({}), one(alice, bob));
		expect(words(found.drifted)).toEqual(["userTag:signers member-gained bob, accepted"]);
		expect(found.reverts).toEqual([]);
	});

	it("who is forbidden all along and got the tag outside would lose it", () => {
		const found = compare(wants(atLeast([], [bob])), wants(atLeast([alice], [bob])), one(bob));
		expect(words(found.reverts)).toEqual(["userTag:signers remove-member bob"]);
		expect(words(found.documentChanges)).toEqual(["userTag:signers member alice"]);
	});

	it("who cannot be read have not drifted as far as is known, and that is said", () => {
		const live = { userTags: known([liveTag(1, "signers", { members: unknown })]) };
		const found = compare(wants(exactly(alice)), wants(exactly(alice, bob)), live);
		expect([found.drifted, found.reverts, found.alreadyInSync]).toEqual([[], [], []]);
		expect(found.unread).toEqual([
			{ scope: "object", address: "userTag:signers", because: unknown.because, standsIn: "nothing" },
		]);
	});
});

describe("names", () => {
	const called = (name: string) => ({ userTags: known([liveTag(1, name, { members: known([]) })]) });

	it("that the change gives are its meaning, not drift", () => {
		const found = compare(wants({}), wants({ previously: ["signers"] }, "signatories"), called("signers"));
		expect(found.documentChanges).toMatchObject([{ what: "renamed", before: "signers", after: "signatories" }]);
		expect([found.drifted, found.reverts, found.alreadyInSync]).toEqual([[], [], []]);
	});

	it("that were given already are in sync, although the base finds its tag no more", () => {
		const found = compare(wants({}), wants({ previously: ["signers"] }, "signatories"), called("signatories"));
		expect(words(found.alreadyInSync)).toEqual(["userTag:signatories renamed"]);
		expect(words(found.drifted)).toEqual(["userTag:signatories renamed, accepted"]);
	});

	it("that were changed outside are put back, and where the change asks for a third one, replaced", () => {
		const byId = { id: id("tag", 1) };
		const back = compare(wants(byId), wants(byId), called("approvers"));
		expect(back.reverts).toMatchObject([{ what: "rename", before: "approvers", after: "signers" }]);
		const third = compare(wants(byId), wants(byId, "signatories"), called("approvers"));
		expect(words(third.drifted)).toEqual(["userTag:signatories renamed, replaced"]);
		expect(third.reverts).toEqual([]);
	});

	it("that are exchanged belong to their tags, not to each other's", () => {
		const swap = (first: string, second: string) => ({
			userTags: [wantTag(first, { id: id("tag", 1) }), wantTag(second, { id: id("tag", 2) })].sort((left, right) =>
				left.name < right.name ? -1 : 1,
			),
		});
		const live = { userTags: known([liveTag(1, "ann"), liveTag(2, "ben")]) };
		const found = compare(swap("ann", "ben"), swap("ben", "ann"), live);
		expect(found.documentChanges).toMatchObject([
			{ address: "userTag:ann", tagId: id("tag", 2), before: "ben" },
			{ address: "userTag:ben", tagId: id("tag", 1), before: "ann" },
		]);
	});

	it("that mean another live tag than before are another tag", () => {
		const live = { userTags: known([liveTag(1, "signers"), liveTag(2, "others")]) };
		const found = compare(wants({}), wants({ id: id("tag", 2) }), live);
		expect(words(found.documentChanges)).toEqual(["userTag:signers managed", "userTag:signers unmanaged"]);
		expect(found.drifted).toEqual([]);
	});

	it("are of the same tag where only one of the documents has its id, and no live tag is found for the other", () => {
		const [plain, byId] = [wants({}), wants({ id: id("tag", 1) })];
		const live = { userTags: known([liveTag(2, "others")]) };
		for (const [base, head] of [
			[plain, byId],
			[byId, plain],
		] as const) {
			expect(words(compare(base, head, live).documentChanges)).toEqual([]);
		}
		const another = compare(byId, wants({ id: id("tag", 3) }), live);
		expect(words(another.documentChanges)).toEqual(["userTag:signers managed", "userTag:signers unmanaged"]);
	});

	it("that no tag has any more are reported as what the base no longer meets", () => {
		const found = compare(wants({}), {}, called("approvers"));
		expect(found.drifted).toMatchObject([
			{ what: "problem", fate: "accepted", message: expect.stringContaining("no user tag is called `signers`") },
		]);
	});
});

describe("what must not exist", () => {
	const policies = known([{ id: id("policy", 1), name: "old rule" }]);
	const without = (...policyIds: string[]) => ({ absent: { ...nothingAbsent, policyIds } });

	it("is removed again when it came back, and the change does not mention it", () => {
		const found = compare(without(id("policy", 1)), without(id("policy", 1)), { policies });
		expect(found.reverts).toMatchObject([{ what: "remove", before: "old rule" }]);
	});

	it("and was not forbidden before is a change of the document, not drift", () => {
		const found = compare(without(), without(id("policy", 1)), { policies });
		expect(words(found.documentChanges)).toEqual([`policy:${id("policy", 1)} absent`]);
		expect([found.drifted, found.reverts]).toEqual([[], []]);
	});

	it("is said of one object after the other, in the order of their addresses", () => {
		const ids = [1, 2, 3, 4].map((number) => id("policy", number)) as [string, string, string, string];
		const found = compare(without(ids[0], ids[2]), without(ids[1], ids[3]), { policies });
		expect(words(found.documentChanges)).toEqual([
			`policy:${ids[0]} not-absent`,
			`policy:${ids[1]} absent`,
			`policy:${ids[2]} not-absent`,
			`policy:${ids[3]} absent`,
		]);
	});

	it("and cannot be read is removed once more, which reverts nothing that is known", () => {
		const found = compare(without(id("policy", 1)), without(id("policy", 1)), { policies: unknown });
		expect([found.drifted, found.reverts]).toEqual([[], []]);
		expect(found.unread).toMatchObject([{ scope: "kind", kind: "policy" }]);
	});
});

describe("what can only be read", () => {
	const expecting = (deploymentLabel: string) => ({
		expect: {
			...nothingExpected,
			bootProofs: [{ appId: id("app", 1), fields: { deploymentLabel }, at: wantTag("x").at }],
		},
	});
	const live = (label: string | null) => ({
		bootProofs: { [id("app", 1)]: known(label === null ? null : { deploymentLabel: label }) },
	});

	it("stays as it is: apply reverts nothing of it", () => {
		const found = compare(expecting("one"), expecting("one"), live("two"));
		expect(words(found.drifted)).toEqual([`bootProof:${id("app", 1)} field, remains`]);
		expect(found.reverts).toEqual([]);
	});

	it("is in sync where live has what the change expects, and not where there is nothing", () => {
		expect(compare(expecting("one"), expecting("two"), live("two")).alreadyInSync).toHaveLength(1);
		const nothing = compare(expecting("one"), expecting("two"), live(null));
		expect(nothing.alreadyInSync).toEqual([]);
		expect(words(nothing.drifted)).toEqual([`bootProof:${id("app", 1)} not-there, remains`]);
	});
});

describe("a change of limits or protection", () => {
	it("is seen, with what it was", () => {
		const found = compare(
			{ limits: { policies: 1, memberRemovals: { percent: 25 } }, protect: { userIds: [alice], userTags: ["root"] } },
			{ limits: { policies: 7 }, protect: { userIds: [bob], userTags: [] } },
			{},
		);
		expect(found.documentChanges.map(({ address, before, after }) => [address, before, after])).toEqual([
			["protect.users", null, null],
			["protect.users", null, null],
			["protect.userTags", "root", null],
			["limits.memberRemovals", "25%", null],
			["limits.policies", 1, 7],
		]);
	});
});

describe("a change of rules", () => {
	const members = { rule: "members", tag: "signers", at } as const;
	const exclusive = { rule: "exclusive", tags: ["approvers", "signers"], at } as const;
	const power = { power: "sign", at } as const;

	it("is seen, with what each rule said", () => {
		const found = compare(
			{ rules: [exclusive, { ...members, min: 2, max: 5 }, { rule: "minApprovers", ...power, min: 3 }] },
			{
				rules: [
					{ ...members, min: 1 },
					{ rule: "noNewAccess", at },
					{ rule: "minApprovers", ...power, min: 3 },
				],
			},
			{},
		);
		expect(found.documentChanges.map(({ address, what, before, after }) => [address, what, before, after])).toEqual([
			["rule:exclusive.approvers+signers", "rule", "approvers, signers", null],
			["rule:members.signers", "rule", "min 2, max 5", "min 1"],
			["rule:noNewAccess", "rule", null, "true"],
		]);
	});
});

describe("of several organizations in a comment", () => {
	it("one with nothing to do is shown all the same where the change loosens its limits", () => {
		const [quiet, loose] = [2, 3].map((number) => {
			const organizationId = id("org", number);
			const head = desiredOf({ organizationId, digest, ...(number === 3 ? { limits: { policies: 9 } } : {}) });
			const live = liveOf({ organizationId });
			const base = { name: "main", desired: desiredOf({ organizationId, digest }) };
			return { plan: makePlan(head, live, context), threeWay: makeThreeWay(base, head, live) };
		});
		const all = [quiet, loose].flatMap((found) => found ?? []);
		const result = { plans: all.map(({ plan }) => plan), threeWay: all.map(({ threeWay }) => threeWay) };
		const markdown = renderMarkdown(complete({ command: "plan", ...result }));
		expect(markdown).toContain("Nothing to decide (1)");
		expect(markdown).toContain(`#### Organization \`${id("org", 3)}\``);
		expect(markdown).toContain("~ limits.policies\n    no limit -> 9");
	});
});

describe("windows of members", () => {
	const endMs = context.readAtMs;
	const dayMs = 24 * 3_600_000;
	const bobUntil = (untilMs: number, reason?: string): { members: DesiredMembers } => {
		const window = { userId: bob, untilMs, at, ...(reason === undefined ? {} : { reason }) };
		return { members: { mode: "exactly", exactly: [alice, bob], windows: [window] } };
	};
	const atTime = (timeMs: number, base: object, head: object, ...members: string[]): ThreeWay => {
		const [before, after] = [desiredOf({ digest, ...wants(base) }), desiredOf({ digest, ...wants(head) })];
		const found = makeThreeWay({ name: "main", desired: before }, after, liveOf(one(...members)), timeMs);
		expect(checkSchema("three-way.json", found)).toEqual([]);
		return found;
	};

	it("that a change gives, moves or takes away are changes of the document, whether they are open or not", () => {
		for (const timeMs of [endMs - dayMs, endMs + 2 * dayMs]) {
			const given = atTime(timeMs, exactly(alice, bob), bobUntil(endMs, "migration"), alice, bob);
			expect(given.documentChanges).toMatchObject([
				{
					what: "window",
					userId: bob,
					before: null,
					after: { until: "2026-01-01T00:00:00.000Z", reason: "migration" },
				},
			]);
			const moved = atTime(timeMs, bobUntil(endMs), bobUntil(endMs + dayMs), alice, bob);
			expect(words(moved.documentChanges)).toEqual(["userTag:signers window bob"]);
			const ended = atTime(timeMs, bobUntil(endMs), exactly(alice), alice);
			expect(words(ended.documentChanges)).toEqual(["userTag:signers no-member bob"]);
			const listed = atTime(timeMs, exactly(alice), bobUntil(endMs), alice);
			expect(listed.documentChanges).toMatchObject([
				{ what: "member", userId: bob, after: { until: "2026-01-01T00:00:00.000Z" } },
			]);
			expect(listed.alreadyInSync).toEqual([]);
		}
	});

	it("that have ended are no drift by others, and what apply removes for it is not reverted", () => {
		const found = atTime(endMs, bobUntil(endMs), bobUntil(endMs), alice, bob);
		expect(found.drifted).toMatchObject([
			{ what: "member-expired", userId: bob, before: "2026-01-01T00:00:00.000Z", fate: "reverted" },
		]);
		expect([found.documentChanges, found.reverts]).toEqual([[], []]);
		const extended = atTime(endMs, bobUntil(endMs), bobUntil(endMs + dayMs), alice, bob);
		expect(words(extended.drifted)).toEqual(["userTag:signers member-expired bob, accepted"]);
		const early = atTime(endMs - 1, bobUntil(endMs), bobUntil(endMs), alice, bob, carol);
		expect(words(early.drifted)).toEqual(["userTag:signers member-gained carol, reverted"]);
	});

	it("are shown with both their moments, and with the reason as a text of others", () => {
		const [base, head] = [bobUntil(endMs), bobUntil(endMs + dayMs, 'for "on call"')];
		const threeWay = atTime(endMs, base, head, alice, bob);
		const plan = makePlan(desiredOf({ digest, ...wants(head) }), liveOf(one(alice, bob)), context);
		const text = renderThreeWay(plan, threeWay, plainStyle);
		const given = renderThreeWay(plan, atTime(endMs - 1, exactly(alice), base, alice), plainStyle);
		expect(given).toContain(`    + member ${bob}  (until 2026-01-01 00:00 UTC)\n`);
		const moments = "until 2026-01-01 00:00 UTC -> until 2026-01-02 00:00 UTC";
		expect(text).toContain(`    window of ${bob}: ${moments}, reason "for \\"on call\\""\n`);
		expect(text).toContain(`    member ${bob}  (expired 2026-01-01 00:00 UTC; this change accepts it)\n`);
	});
});

describe("an organization of one of the documents only", () => {
	it("is new in the head: all is a change of the document, nothing has drifted", () => {
		const found = compare(null, wants(exactly(alice)), one(bob));
		expect(found.base).toEqual({ name: "main", documentDigest: null });
		expect(words(found.documentChanges)).toEqual([
			"userTag:signers managed",
			"userTag:signers members-mode",
			"userTag:signers member alice",
		]);
		expect([found.drifted, found.reverts]).toEqual([[], []]);
	});

	it("is let go where only the base has it", () => {
		const found = makeDropped("main", desiredOf({ digest, ...wants(exactly(alice)) }));
		expect(checkSchema("three-way.json", found)).toEqual([]);
		expect(found.head).toBe(null);
		expect(words(found.documentChanges)).toEqual(["userTag:signers unmanaged"]);
	});
});

it("one MFA policy that both documents expect by its id is one expectation, so that one query shows it", () => {
	const expecting = (number: number, order: number) => {
		const mfaPolicies = [{ userId: alice, id: id("other", number), fields: { order }, at: wantTag("x").at }];
		return desiredOf({ expect: { ...nothingExpected, mfaPolicies } });
	};
	const united = (...[one, other]: [typeof head, typeof head]) => sectionsOf(unite(one, other)).expect.mfaPolicies;
	const head = expecting(1, 1);
	expect(united(head, head)).toHaveLength(1);
	expect(united(head, expecting(1, 2))).toMatchObject([{ fields: { order: 2 } }]);
	expect(united(head, expecting(2, 1))).toHaveLength(2);
});

it("a user tag that the documents describe differently is read for both", () => {
	const [base, head] = [exactly(alice), exactly(bob)].map((members) => desiredOf(wants(members)));
	expect(sectionsOf(unite(base as DesiredOrganization, head as DesiredOrganization)).userTags).toHaveLength(2);
	expect(sectionsOf(unite(base as DesiredOrganization, base as DesiredOrganization)).userTags).toHaveLength(1);
});

describe("drift", () => {
	it("has what the base wants of a name or a field, and what live has, and nothing where one of them is no value", () => {
		const policyIds = [id("policy", 1)];
		const bootProofs = (label: string) => [{ appId: id("app", 1), fields: { deploymentLabel: label }, at }];
		const document = {
			userTags: [wantTag("signers", { id: id("tag", 1), ...exactly(alice) })],
			absent: { ...nothingAbsent, policyIds },
			expect: { ...nothingExpected, bootProofs: bootProofs("one") },
		};
		const live = {
			userTags: known([liveTag(1, "others", { members: known([bob]) })]),
			policies: known([{ id: id("policy", 1), name: "old rule" }]),
			bootProofs: { [id("app", 1)]: known({ deploymentLabel: "two" }) },
		};
		expect(
			compare(document, document, live).drifted.map(({ what, userId, before, after }) => [what, userId, before, after]),
		).toEqual([
			["renamed", null, "signers", "others"],
			["member-lost", alice, null, null],
			["member-gained", bob, null, null],
			["is-there", null, null, "old rule"],
			["field", null, "one", "two"],
		]);
		const gone = compare(document, document, { ...live, bootProofs: { [id("app", 1)]: known(null) } });
		expect(gone.drifted.at(-1)).toMatchObject({ what: "not-there", before: null, after: null });
	});
});

describe("thousands of changes that would be reverted", () => {
	const users = Array.from({ length: 3_000 }, (_, index) => id("user", index));
	const head = desiredOf({ digest, ...wants(exactly()), limits: { memberRemovals: { count: 1 } } });
	const live = liveOf(one(...users));
	const plan = makePlan(head, live, context);
	const threeWay = makeThreeWay({ name: "main", desired: head }, head, live);

	it("fit into a comment with the guard, and lose their last lines only after everything else", () => {
		const markdown = renderMarkdown(complete({ command: "plan", plans: [plan], threeWay: [threeWay] }));
		expect(Buffer.byteLength(markdown)).toBeLessThan(65_536);
		expect(markdown).toContain("--allow memberRemovals=3000");
		expect(markdown).toContain("Apply would revert 3000 changes made outside that this change does not mention.");
		expect(markdown.match(/takes the tag back from/g)?.length).toBeGreaterThan(500);
		expect(markdown).toContain("**Apply would revert, though this change does not mention it (3000)**");
		expect(markdown).not.toMatch(/Memberships lost|Changes \(/);
	});

	it("are all in the text", () => {
		const text = renderThreeWay(plan, threeWay, plainStyle);
		expect(text.match(/takes the tag back from/g)).toHaveLength(3_000);
		expect(text.match(/- member \S+ {2}\(reverts drift\)/g)).toHaveLength(3_000);
	});
});
