/** Large groups of steps in order, which states steps can reach, and the parts of a step. */
import { describe, expect, it } from "vitest";
import { orderLarge } from "../../../src/plan/order/large-groups.ts";
import { canReach, type UnsafeMoment } from "../../../src/plan/order/moments.ts";
import { findParts } from "../../../src/plan/order/parts.ts";
import type { Step } from "../../../src/plan/step.ts";
import { accessOf, alice, bob, carol, dave, policyOf, signers, treasury } from "../support-access.ts";
import { id, unknown } from "../support-organizations.ts";

const step = (name: string, dependsOn: readonly string[] = [], parts: object = {}): Step =>
	({
		id: name,
		dependsOn,
		operation: "update_user_tag",
		earlierActivity: null,
		covers: [],
		...parts,
	}) as unknown as Step;
const moment = (completed: readonly Step[], open: readonly Step[]) => ({ completed, open }) as unknown as UnsafeMoment;
const told = (steps: readonly Step[], ...unsafe: readonly UnsafeMoment[]) =>
	[...orderLarge(steps, unsafe)].map(([one, before]) => [one.id, ...before.map((other) => other.id)].join(" "));

describe("A large group of steps", () => {
	const [a, b, c, d] = [step("a"), step("b"), step("c"), step("d")];

	it("keeps its order where no state is to avoid, each after all that it depends on", () => {
		expect(told([a, b, c])).toEqual(["a", "b", "c"]);
		const [late, later] = [step("late", ["b"]), step("later", ["late"])];
		expect(told([later, late, a, b])).toEqual(["a", "b", "late b", "later late b"]);
		expect(told([later, late, b, a])).toEqual(["b", "late b", "later late b", "a"]);
	});

	it("has first what leads to no state, and that before what must not complete earlier", () => {
		expect(told([a, b], moment([a], [b]))).toEqual(["b", "a b"]);
		expect(told([a, b, c], moment([a], [b]), moment([b], [c]))).toEqual(["c", "b c", "a b c"]);
		expect(told([a, b, c], moment([a, b], [c]))).toEqual(["a", "c", "b c"]);
		expect(told([a, b, c, d], moment([a], [b]), moment([a], [c]))).toEqual(["b", "c", "a b c", "d"]);
		expect(told([a, b, c, d], moment([c], [d]))).toEqual(["a", "b", "d", "c d"]);
	});

	it("has the step that leads to the fewest where each leads to one, which the order does not avoid", () => {
		expect(told([a, b], moment([a], [b]), moment([b], [a]))).toEqual(["a", "b a"]);
		expect(
			told([a, b, c], moment([a], [b]), moment([a], [c]), moment([b], [a]), moment([c], [a]), moment([c], [b])),
		).toEqual([...["b", "a b", "c a b"]]);
		expect(told([a, b], moment([a, b], []))).toEqual(["a", "b"]);
		expect(told([a, b], moment([a], [a]))).toEqual(["a", "b"]);
	});

	it("whose steps depend on each other has no order", () => {
		expect(() => told([step("a", ["b"]), step("b", ["a"])])).toThrow(RangeError);
	});
});

describe("A state between steps", () => {
	const [a, b, c] = [step("a"), step("b", ["a"]), step("c", ["b"])];
	const held = (name: string, relation: string, dependsOn: readonly string[] = []) =>
		step(name, dependsOn, { earlierActivity: { relation } });
	const reaches = (completed: readonly Step[], open: readonly Step[], steps: readonly Step[] = [a, b, c]) =>
		canReach({ completed, open }, steps);

	it("can be reached where nothing open must have completed before", () => {
		expect([reaches([a], [b]), reaches([a], [b, c]), reaches([b], [c])]).toEqual([true, true, true]);
		expect([reaches([b], [a]), reaches([c], [a]), reaches([c], [a, step("x")]), reaches([a], [a])]).toEqual([
			...[false, false, false, false],
		]);
		expect(reaches([], [a])).toBe(true);
	});

	it("is not reached through a rejected step, and through a pending one without what it depends on", () => {
		const rejected = held("b", "rejected", ["a"]);
		expect(reaches([rejected], [], [a, rejected])).toBe(false);
		expect(reaches([c], [], [a, rejected, c])).toBe(false);
		const pending = held("b", "same", ["a"]);
		expect(reaches([pending], [a], [a, pending])).toBe(true);
		expect(reaches([c], [a], [a, pending, c])).toBe(true);
		expect(reaches([c], [pending], [a, pending, c])).toBe(false);
	});

	it("has no part in steps that the plan does not have, nor in circles", () => {
		expect(reaches([step("gone", ["a"])], [a])).toBe(true);
		const [one, other] = [step("one", ["other"]), step("other", ["one"])];
		expect(reaches([one], [a], [a, one, other])).toBe(true);
	});
});

describe("The parts of a step", () => {
	const policies = [policyOf(1), policyOf(2), policyOf(3, { effect: "EFFECT_DENY" }), policyOf(4)];
	const ids = policies.map((one) => one.id);
	const access = accessOf({ signers: ["alice", "bob"] }, policies);
	const removal = {
		...step("step-1", [], {
			...{ operation: "delete_policies", parameters: { policyIds: ids } },
			covers: ids.map((one) => ({ address: `policy:${one}`, id: one })),
			reason: { kind: "remove", of: "policy", count: 4 },
		}),
	} as Step;
	const activity = (operation: string, parameters: object) => ({ operation, parameters }) as never;
	const partsOf = (
		one: Step,
		deciding: readonly string[],
		activities: readonly never[] = [],
		steps: readonly Step[] = [one],
	) =>
		findParts(one, access, { deciding: new Set(deciding), activities, steps }).map((part) => {
			const { parameters } = part;
			const list =
				"policyIds" in parameters
					? parameters.policyIds
					: "addUserIds" in parameters
						? [...parameters.addUserIds, ...parameters.removeUserIds]
						: [];
			return [part.id, ...list.map((one) => one.slice(0, 8))].join(" ");
		});
	const [one, two, three, four] = ids.map((policyId) => policyId.slice(0, 8));

	it("are the policies that decide in different ways, the first with all that decides nothing", () => {
		expect(partsOf(removal, [])).toEqual([`step-1 ${one} ${two} ${three} ${four}`]);
		expect(partsOf(removal, [ids[0] ?? ""])).toEqual([`step-1 ${one} ${two} ${three} ${four}`]);
		expect(partsOf(removal, [ids[0] ?? "", ids[2] ?? ""])).toEqual([
			`step-1.1 ${one} ${two} ${four}`,
			`step-1.2 ${three}`,
		]);
		// Policies 1, 2 and 4 decide alike.
		expect(partsOf(removal, ids)).toEqual([`step-1.1 ${one} ${two} ${four}`, `step-1.2 ${three}`]);
		const unread = { ...access, policies: unknown };
		expect(findParts(removal, unread, { deciding: new Set(ids), activities: [], steps: [removal] })).toHaveLength(4);
	});

	it("keep together what one activity does", () => {
		const both = activity("delete_policies", { policyIds: [ids[2], ids[3]] });
		expect(partsOf(removal, ids, [both])).toEqual([`step-1 ${one} ${two} ${three} ${four}`]);
		const single = activity("delete_policies", { policyIds: [ids[2]] });
		expect(partsOf(removal, ids, [single])).toHaveLength(2);
		const other = activity("delete_user_tags", { userTagIds: [ids[2], ids[3]] });
		expect(partsOf(removal, ids, [other])).toHaveLength(2);
	});

	const users = [alice, bob, carol, dave];
	const update = (
		name: string,
		userTagId: string,
		addUserIds: readonly string[],
		removeUserIds: readonly string[] = [],
	) =>
		step(name, [], {
			parameters: { userTagId, addUserIds, removeUserIds },
			covers: [{ address: "userTag:t", id: userTagId }],
		});

	it("of a tag that decides are its users, where they are few", () => {
		const tag = update("step-1", signers, [carol, dave], [alice]);
		expect(partsOf(tag, [])).toHaveLength(1);
		expect(partsOf(tag, [signers])).toEqual(
			[alice, carol, dave].map((user, index) => `step-1.${index + 1} ${user.slice(0, 8)}`),
		);
		const adding = activity("update_user_tag", { userTagId: signers, addUserIds: [dave], removeUserIds: [alice] });
		expect(partsOf(tag, [signers], [adding])).toEqual([
			`step-1.1 ${dave.slice(0, 8)} ${alice.slice(0, 8)}`,
			`step-1.2 ${carol.slice(0, 8)}`,
		]);
		const elsewhere = activity("update_user_tag", { userTagId: treasury, addUserIds: [dave], removeUserIds: [alice] });
		expect(partsOf(tag, [signers], [elsewhere])).toHaveLength(3);
	});

	it("of a tag are groups of users with the same tags who move alike, where they are many", () => {
		const others = Array.from({ length: 4 }, (_, index) => id("user", 20 + index));
		const tag = update("step-1", treasury, [...users, ...others]);
		const elsewhere = update("step-2", signers, [carol], [alice]);
		expect(partsOf(tag, [treasury], [], [tag, elsewhere])).toHaveLength(8);
		const more = update("step-3", id("tag", 7), [dave]);
		const [first, ...rest] = partsOf(tag, [treasury], [], [tag, elsewhere, more, removal]);
		expect([first, ...rest].map((text) => text?.split(" ").slice(1).length)).toEqual([1, 1, 1, 1, 4]);
		// Alice and bob have the tag of signers, and nobody else moves with them.
		const apart = findParts(
			tag,
			{ ...access, users: unknown },
			{ deciding: new Set([treasury]), activities: [], steps: [tag, elsewhere, more] },
		);
		expect(apart).toHaveLength(4);
	});
});
