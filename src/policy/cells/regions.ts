/** Describes regions of cells in the words of conditions: the fewest conditions that hold, and that do not. */
import { type Bits, bit, isWithin, membersOf, sizeOf } from "../sets/sets.ts";

/** A condition, or that it does not hold, and the cells in which that is so. */
export interface Literal {
	readonly text: string;
	readonly holds: boolean;
	readonly cells: Bits;
}

export interface Region {
	/** Conditions that hold, and that do not; all of them. */
	readonly holding: readonly string[];
	readonly failing: readonly string[];
	readonly cells: Bits;
	/** The first of its cells: the one in which the fewest conditions hold. */
	readonly first: number;
}

/** Max combinations of literals that are tried; beyond that the first fitting one is taken. */
const maxTries = 3_000;

/**
 * Returns descriptions that together are about these cells and no others, widest first. `all`: all cells. `also`: cells for which
 * the same may be said, where that needs fewer words.
 */
export function describeRegion(
	cells: Bits,
	all: Bits,
	literals: readonly Literal[],
	also: Bits = 0n,
): readonly Region[] {
	const regions: Region[] = [];
	let left = cells;
	while (left !== 0n) {
		const first = membersOf(left & -left)[0] ?? 0;
		const exact = chooseLiterals(first, cells, all, literals);
		const chosen = dropNeedless(exact, cells | also, all, ({ holds }) => !holds);
		const own = commonCells(chosen, all) & cells;
		regions.push({
			holding: chosen.filter(({ holds }) => holds).map(({ text }) => text),
			failing: chosen.filter(({ holds }) => !holds).map(({ text }) => text),
			cells: own,
			first,
		});
		left &= ~(own | bit(first));
	}
	return regions;
}

/** Returns the fewest literals that hold in the cell and in no cell outside. */
function chooseLiterals(cell: number, cells: Bits, all: Bits, literals: readonly Literal[]): readonly Literal[] {
	const [own, outside] = [bit(cell), all & ~cells];
	if (outside === 0n) return [];
	const rank = (chosen: readonly Literal[]): number =>
		chosen.filter(({ holds }) => !holds).length * 1_000_000_000 -
		sizeOf(commonCells(chosen, all)) * 100_000 +
		chosen.reduce((sum, { text }) => sum + text.length, 0);
	const bestOf = (fitting: readonly (readonly Literal[])[]): readonly Literal[] | undefined =>
		fitting.toSorted((one, other) => rank(one) - rank(other))[0];
	const usableOf = (isHolding: boolean): readonly Literal[] =>
		literals.filter((one) => one.holds === isHolding && one.cells !== all && (one.cells & own) !== 0n);
	const holding = usableOf(true);
	// One that holds is better than any that does not: the others are mostly not needed.
	const alone = bestOf(holding.filter((one) => (one.cells & outside) === 0n).map((one) => [one]));
	if (alone !== undefined) return alone;
	const usable = [...holding, ...usableOf(false)];
	let tries = 0;
	for (let size = 1; size <= 3; size += 1) {
		const fitting: (readonly Literal[])[] = [];
		const choose = (from: number, chosen: readonly Literal[], within: Bits): void => {
			if (chosen.length === size) {
				tries += 1;
				if ((within & outside) === 0n) fitting.push(chosen);
				return;
			}
			for (let index = from; index < usable.length && tries < maxTries; index += 1) {
				const literal = usable[index];
				if (literal !== undefined) choose(index + 1, [...chosen, literal], within & literal.cells);
			}
		};
		choose(0, [], all);
		const best = bestOf(fitting);
		if (best !== undefined) return best;
	}
	return dropNeedless(usable, cells, all, () => true);
}

/** Returns the literals without those that are not needed, tried from the last. */
function dropNeedless(
	literals: readonly Literal[],
	cells: Bits,
	all: Bits,
	mayDrop: (literal: Literal) => boolean,
): readonly Literal[] {
	let kept = literals;
	for (const literal of literals.filter(mayDrop).toReversed()) {
		const others = kept.filter((one) => one !== literal);
		if (isWithin(commonCells(others, all), cells)) kept = others;
	}
	return kept;
}

const commonCells = (literals: readonly Literal[], all: Bits): Bits =>
	literals.reduce((some, { cells }) => some & cells, all);

/** Returns the description as one condition; null where it is always so. */
export function writeRegion(holding: readonly string[], failing: readonly string[]): string | null {
	const isOne = holding.length + failing.length === 1;
	const texts = [
		...holding.map((text) => (!isOne && text.includes("||") ? `(${text})` : text)),
		...failing.map((text) => `!(${text})`),
	];
	return texts.length === 0 ? null : texts.join(" && ");
}
