/** Which combinations of conditions are compared, and what is equal on both sides of a comparison. */
import { describe, expect, it } from "vitest";
import type { GroupParts, Part } from "../../src/policy/powers/judge.ts";
import { changedParts, dependsOnReading, findSlices, sharedUnknowns } from "../../src/policy/powers/slices.ts";

const allow: Part = {
	policyId: "p",
	effect: "allow",
	condition: null,
	key: "a",
	sure: [],
	possible: [],
	unknown: null,
};
const deny: Part = { ...allow, effect: "deny" };
const under = (part: Part, condition: string): Part => ({ ...part, condition });
const unknown = (part: Part, key: string, isAllOrNone = false): Part => ({
	...part,
	unknown: { key, text: `what is unknown of ${key}`, because: { kind: "policies-unknown" }, isAllOrNone },
});
const groupOf = (...parts: readonly Part[]): GroupParts => ({ parts, missing: null, assumptions: [] });
const names = (count: number, prefix: string): readonly string[] =>
	Array.from({ length: count }, (_, number) => `${prefix}${number + 1}`);

/** The conditions of each combination, in order; `always` for none. */
function slicesOf(
	before: readonly Part[],
	after: readonly Part[],
	shared: ReadonlySet<string> = new Set(),
): readonly string[] | null {
	const [one, other] = [groupOf(...before), groupOf(...after)];
	const slices = findSlices(one, other, changedParts(one, other), shared);
	return slices?.map(({ condition }) => condition ?? "always") ?? null;
}

describe("The combinations that are compared", () => {
	it("are none and each condition of what changed, where no policy that denies has a condition", () => {
		const kept = [allow, under(allow, "k"), deny];
		expect(slicesOf(kept, [...kept, under(allow, "x"), under({ ...allow, key: "b" }, "y")])).toEqual([
			"always",
			"x",
			"y",
		]);
		expect(slicesOf([...kept, under(allow, "x")], kept)).toEqual(["always", "x"]);
		expect(slicesOf([under(allow, "x")], [under(allow, "y")])).toEqual(["always", "x", "y"]);
		expect(slicesOf(kept, kept)).toEqual(["always"]);
	});

	it("are each condition under which a policy allows, where one that denies everywhere changed", () => {
		const kept = [allow, under(allow, "k"), under(allow, "l")];
		expect(slicesOf(kept, [...kept, deny])).toEqual(["always", "k", "l"]);
		expect(slicesOf([...kept, deny], [...kept, under(allow, "m")])).toEqual(["always", "k", "l", "m"]);
	});

	it("are all, those of fewer conditions first, where a policy that denies has one", () => {
		const kept = [under(deny, "d"), under(allow, "k")];
		expect(slicesOf(kept, [...kept, allow])).toEqual(["always", "d", "k", "d && k"]);
		expect(slicesOf(kept, [...kept, under(allow, "l")])).toEqual([
			...["always", "d", "k", "l", "d && k", "d && l", "k && l", "d && k && l"],
		]);
	});

	it("are all of six conditions, and of more each of what changed with one or all of those that deny", () => {
		const six = [under(deny, "d"), under(deny, "e"), ...names(4, "k").map((name) => under(allow, name))];
		expect(slicesOf(six, [...six, allow])).toHaveLength(64);
		const seven = [...six, under(allow, "k5")];
		expect(slicesOf(seven, [...seven, under(allow, "x")])).toEqual([
			...["always", "d", "e", "x", "d && e", "x && d", "x && e", "x && d && e"],
		]);
	});

	it("are each compared once, in whichever order policies name them", () => {
		const kept = [under(deny, "d"), under(deny, "e"), ...names(5, "k").map((name) => under(allow, name))];
		expect(slicesOf(kept, [...kept, under(allow, "d"), under(allow, "e")])).toEqual(["always", "d", "e", "e && d"]);
	});

	it("are those with policies that deny and changed alone, where there are more than 400", () => {
		const denials = names(17, "d").map((name) => under(deny, name));
		const kept = [...denials, ...names(19, "k").map((name) => under(allow, name))];
		const added = under(deny, "new");
		expect(slicesOf(kept, [...kept, added])).toHaveLength(400);
		const more = [...kept, under(allow, "k20")];
		const few = slicesOf(more, [...more, added]);
		expect(few).toHaveLength(42);
		expect(few).toContain("k20 && new");
		expect(few).not.toContain("d1");
	});

	it("are too many above two thousand", () => {
		const allows = names(39, "k").map((name) => under(allow, name));
		const denials = names(48, "d").map((name) => under(deny, name));
		expect(slicesOf(allows, [...allows, ...denials])).toHaveLength(2_000);
		const more = [...allows, under(allow, "k40")];
		expect(slicesOf(more, [...more, ...denials])).toBe(null);
	});

	it("write alternatives in brackets beside others, and alone without", () => {
		const kept = [under(deny, "a || b"), under(deny, "c")];
		expect(slicesOf(kept, [...kept, allow])).toEqual(["always", "a || b", "c", "(a || b) && c"]);
		expect(slicesOf([], [under(allow, "a || b")])).toEqual(["always", "a || b"]);
	});

	it("have what both sides leave unknown, each with its condition", () => {
		const kept = unknown(under(allow, "x"), "u");
		expect(slicesOf([kept], [kept, deny], new Set(["u"]))).toEqual(["always", "x", "x && what is unknown of u"]);
		expect(slicesOf([kept], [kept, deny])).toEqual(["always", "x"]);
		expect(slicesOf([], [unknown(allow, "u")], new Set(["u"]))).toEqual(["always", "what is unknown of u"]);
	});
});

describe("A part that changed", () => {
	const changesOf = (one: readonly Part[], other: readonly Part[]): readonly Part[] =>
		changedParts(groupOf(...one), groupOf(...other));

	it("is one that only one side has, first those before", () => {
		const [first, second, third] = [allow, under(allow, "x"), deny];
		expect(changesOf([first, second], [second, third])).toEqual([first, third]);
		expect(changesOf([first], [first])).toEqual([]);
	});

	it("is another where its effect, its condition, its users or what is unknown of it differ, and not its policy", () => {
		expect(changesOf([allow], [{ ...allow, policyId: "other" }])).toEqual([]);
		for (const other of [deny, under(allow, "x"), { ...allow, key: "b" }, unknown(allow, "u")]) {
			expect(changesOf([allow], [other])).toEqual([allow, other]);
		}
		const [one, other] = [under(allow, "x"), under(allow, "y")];
		expect(changesOf([one], [other])).toEqual([one, other]);
		const [open, closed] = [unknown(allow, "u"), unknown(allow, "v")];
		expect(changesOf([open], [closed])).toEqual([open, closed]);
	});
});

describe("What is not understood", () => {
	const open = unknown(allow, "u");
	const shared = new Set(["u"]);

	it("is shared where both sides have it", () => {
		const sharedOf = (one: readonly Part[], other: readonly Part[]): readonly string[] => [
			...sharedUnknowns(groupOf(...one), groupOf(...other)),
		];
		expect(sharedOf([open, unknown(deny, "v")], [unknown(deny, "w"), open])).toEqual(["u"]);
		expect(sharedOf([open, allow], [allow])).toEqual([]);
		expect(sharedOf([allow], [open])).toEqual([]);
	});

	it("may differ where it denies, or where one of the changes denies", () => {
		expect(dependsOnReading(groupOf(unknown(deny, "u")), [allow], shared)).toBe(true);
		expect(dependsOnReading(groupOf(open), [allow, deny], shared)).toBe(true);
		expect(dependsOnReading(groupOf(open), [deny], shared)).toBe(true);
	});

	it("does not where neither is so, where only one side has it, or where it is for all or none", () => {
		expect(dependsOnReading(groupOf(open, deny), [allow], shared)).toBe(false);
		expect(dependsOnReading(groupOf(unknown(deny, "v")), [deny], shared)).toBe(false);
		expect(dependsOnReading(groupOf(unknown(deny, "u", true)), [deny], shared)).toBe(false);
		expect(dependsOnReading(groupOf(allow), [deny], shared)).toBe(false);
	});
});
