/** The difference of two texts of a policy: lines with signs, and in lines that were changed the words that differ. */
import type { Phrase, Span } from "./phrase.ts";

/** A line of the difference; a blank sign is a line that both texts have. */
export interface DifferenceLine {
	readonly sign: "+" | "-" | " ";
	readonly said: Phrase;
}

/** Returns the lines of both texts, those of `before` above those that replace them. */
export function differenceOf(before: string, after: string): readonly DifferenceLine[] {
	const [left, right] = [linesOf(before), linesOf(after)];
	const lines: DifferenceLine[] = [];
	const changed: { gone: string[]; added: string[] } = { gone: [], added: [] };
	const flush = (): void => {
		const pairs = changed.gone.map((line, index) => wordsOf(line, changed.added[index]));
		lines.push(...pairs.map((said): DifferenceLine => ({ sign: "-", said })));
		lines.push(
			...changed.added.map((line, index): DifferenceLine => ({ sign: "+", said: wordsOf(line, changed.gone[index]) })),
		);
		[changed.gone, changed.added] = [[], []];
	};
	for (const [one, other] of align(left, right)) {
		if (one !== null && other !== null) {
			flush();
			lines.push({ sign: " ", said: [text(one)] });
		} else if (one !== null) changed.gone.push(one);
		else if (other !== null) changed.added.push(other);
	}
	flush();
	return lines;
}

function linesOf(whole: string): readonly string[] {
	return whole === "" ? [] : whole.split(/\r?\n/).map((line) => line.trimEnd());
}

const words = /\s+|'[^']*'|[\w.]+|[^\w\s]/g;

/** Returns the line with the words marked that the other line does not have there; whole where it has no counterpart. */
function wordsOf(line: string, other: string | undefined): Phrase {
	if (other === undefined) return [text(line)];
	const pairs = align(line.match(words) ?? [], other.match(words) ?? []);
	const same = pairs.filter(([one, two]) => one !== null && two !== null && one.trim() !== "").length;
	// Lines without a word in common are no pair.
	if (same === 0) return [text(line)];
	const spans = pairs.flatMap(([one, two]): readonly Span[] => {
		if (one === null) return [];
		return [two === null && one.trim() !== "" ? { kind: "changed", text: one } : text(one)];
	});
	return spans;
}

function text(part: string): Span {
	return { kind: "line", text: part };
}

/** Max steps of an alignment; larger texts are shown as a whole, the old one above the new one. */
const maxCells = 250_000;

type Pair = readonly [left: string | null, right: string | null];

/** Returns the longest common part of both lists, with what only one of them has, in order. */
function align(left: readonly string[], right: readonly string[]): readonly Pair[] {
	if (left.length * right.length > maxCells) {
		return [...left.map((one): Pair => [one, null]), ...right.map((one): Pair => [null, one])];
	}
	const width = right.length + 1;
	const longest = new Uint32Array((left.length + 1) * width);
	const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
	for (let row = left.length - 1; row >= 0; row -= 1) {
		for (let column = right.length - 1; column >= 0; column -= 1) {
			longest[row * width + column] =
				left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
		}
	}
	const pairs: Pair[] = [];
	let [row, column] = [0, 0];
	while (row < left.length || column < right.length) {
		const [one = null, other = null] = [left[row], right[column]];
		if (one !== null && one === other) {
			pairs.push([one, other]);
			[row, column] = [row + 1, column + 1];
		} else if (one !== null && (other === null || at(row + 1, column) >= at(row, column + 1))) {
			pairs.push([one, null]);
			row += 1;
		} else {
			pairs.push([null, other]);
			column += 1;
		}
	}
	return pairs;
}
