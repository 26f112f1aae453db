/** Formulas of atoms: equal ones have equal numbers, and what is settled leaves the rest. */
import { describe, expect, it } from "vitest";
import { Formulas, falsehood, truth } from "../../../src/policy/cells/formulas.ts";

describe("A formula", () => {
	const formulas = new Formulas();
	const [a, b, c] = ["a", "b", "c"].map((name) => formulas.atom(name)) as [number, number, number];
	const { and, or, not } = {
		and: (...parts: number[]) => formulas.and(parts),
		or: (...parts: number[]) => formulas.or(parts),
		not: (of: number) => formulas.not(of),
	};

	it.each<[why: string, one: number, other: number]>([
		["an atom twice", formulas.atom("a"), a],
		["none of `and`", and(), truth],
		["none of `or`", or(), falsehood],
		["one of `and`", and(a), a],
		["what decides nothing", and(truth, a, truth), a],
		["what decides", or(a, truth), truth],
		["what decides `and`", and(a, falsehood, b), falsehood],
		["another order", and(b, a), and(a, b)],
		["parts twice", or(a, b, a), or(a, b)],
		["parts of the same kind", and(a, and(b, c)), and(a, b, c)],
		["a part and its opposite", and(a, b, not(a)), falsehood],
		["one or its opposite", or(not(b), a, b), truth],
		["the opposite twice", not(not(a)), a],
		["the opposite of true", not(truth), falsehood],
		["the opposite of false", not(falsehood), truth],
	])("is the same with %s", (_, one, other) => {
		expect(one).toBe(other);
	});

	it("is another one with another operator, part or sign", () => {
		const all = [a, b, c, and(a, b), or(a, b), and(a, c), and(a, b, c), not(a), not(and(a, b)), and(a, or(b, c))];
		expect(new Set(all).size).toBe(all.length);
		expect(all).not.toContain(truth);
		expect(all).not.toContain(falsehood);
	});

	it("is settled by its atoms as far as they are known", () => {
		const whole = or(and(a, b), not(c));
		const settle = (atoms: Readonly<Record<string, boolean>>) =>
			formulas.settle(whole, (name) => atoms[name], new Map());
		expect(settle({})).toBe(whole);
		expect(settle({ c: false })).toBe(truth);
		expect(settle({ a: false })).toBe(not(c));
		expect(settle({ a: true })).toBe(or(b, not(c)));
		expect(settle({ c: true })).toBe(and(a, b));
		expect(settle({ a: true, b: false, c: true })).toBe(falsehood);
		expect(formulas.settle(truth, () => false, new Map())).toBe(truth);
	});

	it("takes what was found for the same atoms before", () => {
		const whole = and(a, b);
		const asked: string[] = [];
		const atoms = (name: string): undefined => void asked.push(name);
		const known = new Map<number, number>();
		formulas.settle(whole, atoms, known);
		expect(formulas.settle(whole, atoms, known)).toBe(whole);
		expect(asked).toEqual(["a", "b"]);
	});

	it("has the atoms of all its parts", () => {
		expect([...formulas.atomsOf(or(and(a, not(b)), c))].sort()).toEqual(["a", "b", "c"]);
		expect([...formulas.atomsOf(truth)]).toEqual([]);
	});
});
