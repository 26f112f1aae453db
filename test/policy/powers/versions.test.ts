/** What steps do to policies and users, and whether all of it goes one way. */
import { describe, expect, it } from "vitest";
import { type AccessPolicy, type AccessState, type AccessUser, mapKnown } from "../../../src/policy/access.ts";
import { isOneWay, versionsOf } from "../../../src/policy/powers/versions.ts";
import { accessOf, allow, deny, is, known, people, unread } from "./change-lines.ts";

type StepOf = (access: AccessState) => AccessState;

const changed =
	(change: (all: readonly AccessPolicy[]) => readonly AccessPolicy[]): StepOf =>
	(access) => ({
		...access,
		policies: mapKnown(access.policies, change),
	});
const add = (policy: AccessPolicy): StepOf => changed((all) => [...all, policy]);
const remove = (policy: AccessPolicy): StepOf => changed((all) => all.filter(({ id }) => id !== policy.id));
const moved =
	(parts: (user: AccessUser) => Partial<AccessUser>): StepOf =>
	(access) => ({
		...access,
		users: mapKnown(access.users, (all) => all.map((user) => (user.id === "a" ? { ...user, ...parts(user) } : user))),
	});
const tagged = (...tags: readonly string[]): StepOf => moved(() => ({ tagIds: known(tags) }));

/** `EFFECT +adders -removers ~movers` of each version, and whether they go one way. */
function shortly(before: AccessState, ...steps: readonly StepOf[]): readonly string[] {
	const { effects, versions } = versionsOf(before, steps);
	const lines = versions.map(
		({ policy, adders, removers, movers }) => `${policy.effect.slice(7)} +${adders} -${removers} ~${movers}`,
	);
	return [...lines, isOneWay(versions, effects) ? "one way" : "both ways"];
}

const byTag = allow("approvers.any(u, u.tags.contains('t1'))");

describe("Steps", () => {
	it("add, remove and replace policies; a rename is none of it", () => {
		const kept = allow(is("a"));
		expect(shortly(accessOf([kept]), add(allow(is("b"))), add(allow(is("c"))))).toEqual([
			...["ALLOW +0 -0 ~0", "ALLOW +1 -0 ~0", "ALLOW +2 -0 ~0", "one way"],
		]);
		expect(shortly(accessOf([kept]), add(allow(is("b"))), remove(kept)).at(-1)).toBe("both ways");
		expect(shortly(accessOf([kept]), remove(kept), add(deny(is("b"))))).toEqual([
			"ALLOW +0 -1 ~0",
			"DENY +2 -0 ~0",
			"one way",
		]);
		expect(
			shortly(
				accessOf([kept]),
				changed((all) => all.map((one) => ({ ...one, name: "other" }))),
			),
		).toEqual([...["ALLOW +0 -0 ~0", "both ways"]]);
		for (const parts of [{ consensus: is("b") }, { condition: "true" }, { time: "false" }, { effect: "EFFECT_DENY" }]) {
			const [was, is] = shortly(
				accessOf([kept]),
				changed((all) => all.map((one) => ({ ...one, ...parts }))),
			);
			expect([was, is?.slice(-8)]).toEqual(["ALLOW +0 -1 ~0", "+1 -0 ~0"]);
		}
	});

	it("move the users of policies that name a tag, and of all that read tags in another way", () => {
		expect(shortly(accessOf([byTag, allow(is("a"))]), tagged("t1"), tagged("t2"))).toEqual([
			...["ALLOW +0 -0 ~1", "ALLOW +0 -0 ~0", "one way"],
		]);
		const counted = allow("approvers.any(u, u.tags.count() > 1)");
		expect(shortly(accessOf([counted]), tagged("t1"), tagged("t2"))).toEqual(["ALLOW +0 -0 ~3", "one way"]);
		expect(shortly(accessOf([counted]), tagged())).toEqual(["ALLOW +0 -0 ~0", "both ways"]);
		const byKey = allow("credentials.any(c, c.type == 'T')");
		expect(
			shortly(
				accessOf([byKey, byTag]),
				tagged("t2"),
				moved(() => ({ credentials: known([]) })),
			),
		).toEqual([...["ALLOW +0 -0 ~3", "ALLOW +0 -0 ~3", "both ways"]]);
	});

	it("go one way where users get a tag that allows, or lose one that denies, and nothing is negated", () => {
		const users = known(people.map((user) => ({ ...user, tagIds: known(["t1"]) })));
		const denied = deny("approvers.any(u, u.tags.contains('t1'))");
		const negated = allow("!(approvers.any(u, u.tags.contains('t1')))");
		const way = (before: AccessState, ...steps: readonly StepOf[]) => shortly(before, ...steps).at(-1);
		expect(way(accessOf([byTag]), tagged("t1"), add(allow(is("b"))))).toBe("one way");
		expect(way(accessOf([denied], { users }), tagged(), add(allow(is("b"))))).toBe("one way");
		expect(way(accessOf([denied]), tagged("t1"), add(allow(is("b"))))).toBe("both ways");
		expect(way(accessOf([byTag], { users }), tagged(), add(allow(is("b"))))).toBe("both ways");
		expect(way(accessOf([byTag], { users }), tagged("t2"))).toBe("both ways");
		expect(way(accessOf([negated]), tagged("t1"))).toBe("both ways");
		expect(way(accessOf([{ ...byTag, effect: "EFFECT_OTHER" }]), tagged("t1"))).toBe("both ways");
	});

	it("are not judged where policies or users are unknown, before or after", () => {
		const nothing = ["both ways"];
		expect(shortly(accessOf([byTag], { users: unread("x") }), tagged("t1"))).toEqual(nothing);
		expect(shortly(accessOf([byTag], { policies: unread("x") }), tagged("t1"))).toEqual(nothing);
		expect(shortly(accessOf([byTag]), tagged("t1"), (access) => ({ ...access, users: unread("x") }))).toEqual(nothing);
		expect(shortly(accessOf([byTag]), tagged("t1"), (access) => ({ ...access, policies: unread("x") }))).toEqual(
			nothing,
		);
	});

	it("bring a version once any that adds it has completed, until one that removes it has", () => {
		const { versions } = versionsOf(accessOf([byTag]), [add(allow(is("b"))), remove(byTag)]);
		const [kept, added] = versions;
		expect([0n, 1n, 2n, 3n].map((done) => [kept?.isIn(done), added?.isIn(done)])).toEqual([
			...[[true, false] as const, [true, true] as const, [false, false] as const, [false, true] as const],
		]);
	});
});
