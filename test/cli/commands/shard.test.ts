/**
 * Shares of a fleet: every organization is in exactly one, and stays there whatever else there is.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isInShard, parseShard } from "../../../src/cli/commands/selection.ts";

const shares = (count: number) => Array.from({ length: count }, (_, index) => ({ index: index + 1, count }));

it("puts every organization into exactly one share, whatever the case of its id", () => {
	fc.assert(
		fc.property(fc.uuid(), fc.integer({ min: 1, max: 50 }), (organizationId, count) => {
			const own = shares(count).filter((shard) => isInShard(organizationId, shard));
			expect(own).toHaveLength(1);
			expect(shares(count).filter((shard) => isInShard(organizationId.toUpperCase(), shard))).toEqual(own);
		}),
	);
});

it("spreads a thousand organizations over eight shares so that none has twice what another has", () => {
	const ids = Array.from({ length: 1000 }, (_, index) => `0a5d6d8e-1c1f-4c8e-9f35-${String(index).padStart(12, "0")}`);
	const sizes = shares(8).map((shard) => ids.filter((organizationId) => isInShard(organizationId, shard)).length);
	expect(sizes.reduce((sum, size) => sum + size)).toBe(1000);
	expect(Math.max(...sizes)).toBeLessThan(2 * Math.min(...sizes));
});

it("keeps an organization in its share from one version to the next, because a journal may lie there", () => {
	const known = { index: 2, count: 4 };
	expect(isInShard("0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11", known)).toBe(true);
	expect(isInShard("00000000-0000-4000-8000-000000000001", { index: 1, count: 2 })).toBe(true);
});

describe("what --shard takes", () => {
	it.each([
		["1/1", { index: 1, count: 1 }],
		["3/8", { index: 3, count: 8 }],
		["8/8", { index: 8, count: 8 }],
		["10000/10000", { index: 10000, count: 10000 }],
	])("%s", (text, shard) => expect(parseShard(text)).toEqual(shard));

	it.each(["0/8", "9/8", "1/0", "1", "/2", "1/", "1/2/3", "a/b", "-1/2", "1.5/2", "1/10001", ""])("not %j", (text) =>
		expect(parseShard(text)).toBeUndefined());
});
