/** The order of renames, and the temporary names that cycles need. */
import { describe, expect, it } from "vitest";
import { isTemporaryName, orderRenames, temporaryName } from "../../src/plan/renames.ts";

/** `a>b` renames the object `A`, which is named `a`. */
function order(texts: readonly string[], kept: readonly string[] = []) {
	const renames = texts.map((text) => {
		const [from = "", to = ""] = text.split(">");
		return { id: from.toUpperCase(), address: `policy:${from}`, from, to } as const;
	});
	const names = [...renames.map(({ from }) => from), ...kept];
	const ordered = orderRenames(renames, new Map(names.map((name) => [name, name.toUpperCase()])));
	const lines = ordered.order.map((rename) =>
		[`${rename.from}>${rename.to}`, ...ordered.after(rename)].join(" after "),
	);
	return { asides: ordered.asides.map(({ id }) => id).join(), lines, freedBy: ordered.freedBy };
}

describe("Renames", () => {
	it.each<[renames: readonly string[], asides: string, lines: readonly string[]]>([
		[["a>b"], "", ["a>b"]],
		[["a>x", "b>y"], "", ["a>x", "b>y"]],
		[["a>b", "b>c", "c>d"], "", ["c>d", "b>c after C", "a>b after B"]],
		[["b>c", "a>b"], "", ["b>c", "a>b after B"]],
		[["a>b", "b>a"], "A", ["b>a after aside:A", "a>b after aside:A after B"]],
		[["b>a", "a>b"], "A", ["b>a after aside:A", "a>b after aside:A after B"]],
		[
			["b>c", "c>a", "a>b", "x>y", "y>x"],
			"A,X",
			[
				...["c>a after aside:A", "b>c after C", "y>x after aside:X"],
				...["a>b after aside:A after B", "x>y after aside:X after Y"],
			],
		],
		[["a>a"], "", ["a>a"]],
	])("%j are in an order in which each name is free, with a temporary name for each cycle: %s", (renames, asides, lines) => {
		expect(order(renames)).toMatchObject({ asides, lines });
	});

	it("free the name that an object gives up, at once where it takes a temporary one", () => {
		const { freedBy } = order(["a>x", "b>c", "c>b"], ["kept"]);
		expect(["a", "b", "c", "kept", "free"].map(freedBy)).toEqual([["A"], ["aside:B"], ["C"], [], []]);
	});

	it("that wait for an object that keeps its name wait for no step", () => {
		expect(order(["a>kept"], ["kept"]).lines).toEqual(["a>kept"]);
	});
});

describe("A temporary name", () => {
	const id = "12345678-0000";
	const stem = "orgsync-temporary-12345678";

	it.each<[taken: readonly string[], chosen: Readonly<Record<string, string>>, name: string]>([
		[[], {}, stem],
		[[stem], {}, `${stem}-2`],
		[[stem, `${stem}-2`], {}, `${stem}-3`],
		[[], { [id]: "before" }, "before"],
		[["before"], { [id]: "before" }, stem],
		[[], { other: stem }, `${stem}-2`],
	])("is free: %j are taken, and an earlier plan has %j", (names, chosen, name) => {
		const taken = new Set(names);
		expect(temporaryName(id, taken, chosen)).toBe(name);
		expect([...taken]).toEqual([...names, name]);
	});

	it.each<[name: string, isOne: boolean]>([
		[stem, true],
		[`${stem}-2`, true],
		[`${stem}-10`, true],
		...["-1", "-0", "-02", "-", "2", "-2x", "-x2"].map((end): [string, boolean] => [`${stem}${end}`, false]),
		[`x${stem}`, false],
		["orgsync-temporary-87654321", false],
	])("is told from others by its object: %s is one: %s", (name, isOne) => {
		expect(isTemporaryName(name, id)).toBe(isOne);
	});
});
