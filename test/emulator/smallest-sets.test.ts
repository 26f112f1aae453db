/** Smallest sets of approvers, against brute force, and among a hundred users. */
import { describe, expect, it } from "vitest";
import { isInSmallestSet, viewOf } from "../../src/emulator/policies/smallest-sets.ts";
import type { Approvers, Voter } from "../../src/emulator/policies/voters.ts";
import { cpuMsOf } from "../cpu-time.ts";

describe("a smallest set", () => {
	const voter = (number: number, ...tags: readonly string[]): Voter => ({
		user: { id: String(number), tags, email: "", alias: "" },
		credentials: [],
	});
	const view = viewOf(["approvers.any(user, user.tags.contains('A') || 'B' in user.tags)"]);
	const apart = viewOf(["approvers[0].id == 'A'"]);
	const has = (set: Approvers, number: number) => set.some(({ user }) => user.id === String(number));
	const count = (set: Approvers, name: string) => set.filter(({ user }) => user.tags.includes(name)).length;

	it("is found as brute force finds it, for every monotone or other condition of four users", () => {
		const voters = [0, 1, 2, 3].map((number) => voter(number));
		const sets = Array.from({ length: 16 }, (_, bits) => voters.filter((_voter, index) => (bits >> index) & 1));
		const bitsOf = (set: Approvers) => set.reduce((bits, { user }) => bits | (1 << Number(user.id)), 0);
		for (let table = 0; table < 2 ** 16; table += 37) {
			const isAllowed = (set: Approvers) => ((table >> bitsOf(set)) & 1) === 1 && set.length > 0;
			const smallest = sets.filter(
				(set) =>
					isAllowed(set) &&
					!sets.some(
						(other) => other.length < set.length && other.every((one) => set.includes(one)) && isAllowed(other),
					),
			);
			for (const submitter of voters) {
				expect(isInSmallestSet(submitter, voters, apart, isAllowed)).toBe(
					smallest.some((set) => set.includes(submitter)),
				);
			}
		}
	});

	const hundred = Array.from({ length: 100 }, (_, number) =>
		voter(number, ...(number < 50 ? ["A"] : []), ...(number % 2 === 0 ? ["B"] : [])),
	);

	it.each([
		["2 of 50", (set: Approvers) => count(set, "A") >= 2, 1, 51],
		["50 of 50", (set: Approvers) => count(set, "A") >= 50, 1, 51],
		["20 of 50 and 20 of 50", (set: Approvers) => count(set, "A") >= 20 && count(set, "B") >= 20, 0, 51],
	])("%s of 100 users is found at once, and that others are no part of it", (_what, isAllowed, part, none) => {
		const ms = cpuMsOf(() => {
			expect(isInSmallestSet(hundred[part] as Voter, hundred, view, isAllowed)).toBe(true);
			expect(isInSmallestSet(hundred[none] as Voter, hundred, view, isAllowed)).toBe(false);
		});
		expect(ms).toBeLessThan(2_000);
	});

	it("of many users who all differ is found by trying some of their sets", () => {
		const forty = hundred.slice(0, 40);
		const isAllowed = (set: Approvers) =>
			set.filter(({ user }) => Number(user.id) < 24).length >= 12 || (has(set, 38) && has(set, 39));
		const inSet = (number: number) => isInSmallestSet(hundred[number] as Voter, forty, apart, isAllowed);
		expect([inSet(0), inSet(38), inSet(30)]).toEqual([true, true, false]);
	});
});

describe("users", () => {
	it.each([
		"approvers.count() >= 2 && 2 <= approvers.count()",
		"approvers.any(u, u.id in ['a', 'b'] && 'c' == u.alias && u.email != 'a == b[0]')",
		"approvers.filter(u, u.tags.contains( 'a') || 'b' in u.tags).count() == 2",
	])("count the same where %s sees the same of them", (expression) => {
		expect(viewOf([expression]).isSymmetric).toBe(true);
	});

	it.each([
		"approvers[0].id == 'a'",
		"approvers.filter(u, true) [0..1].count() >= 1",
		"credentials.any(c, approvers.any(u, c.user_id == u.id))",
		"approvers.any(a1, approvers.any(a2, a1.tags.any(t1, a2.tags.any(t2, t1 == t2))))",
		"approvers.any(u, u.id in u.tags)",
		"approvers.any(u, u.tags.contains(u.id))",
		"approvers.any(a, approvers.any(b, a.alias in [b.id]))",
		"approvers.any(a, approvers.any(b, [a.alias, 'x'] == [b.id, 'x']))",
	])("are looked at one by one for %s", (expression) => {
		expect(viewOf([expression]).isSymmetric).toBe(false);
	});
});
