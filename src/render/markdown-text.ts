/**
 * Markdown that shows text as text, and never more of it than fits.
 *
 * Text from the service or a document is only ever in a code span or a fenced block. There no renderer gives a meaning to
 * Markdown, HTML, links, `@mentions`, issue references or entities, so no list of characters to escape has to be complete.
 */
import { showText } from "../common/escape.ts";

/** Longest foreign text that is repeated whole, in characters; what must not be cut is split into shorter lines. */
export const longestText = 500;

/** Returns the text as a code span on one line, cut above `max` characters. Empty text is `(empty)`. */
export function codeSpan(text: string, max = longestText): string {
	const shown = clip(showText(text), max);
	if (shown.trim() === "") return shown === "" ? "(empty)" : `\`"${shown}"\``;
	const ticks = "`".repeat(longestRun(shown) + 1);
	const pad = /^`|`$|^ .* $/.test(shown) ? " " : "";
	return `${ticks}${pad}${shown}${pad}${ticks}`;
}

/** Returns the lines as a fenced block that nothing in them can close. */
export function fence(lines: readonly string[], language: string): string {
	const shown = lines.map((line) => clip(showText(line), longestText));
	const ticks = "`".repeat(Math.max(3, ...shown.map((line) => longestRun(line) + 1)));
	return [`${ticks}${language}`, ...shown, ticks].join("\n");
}

function longestRun(text: string): number {
	return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** Returns the text, or its beginning and `…` when it is longer than `max` characters. */
export function clip(text: string, max: number): string {
	if (text.length <= max) return text;
	const cut = text.slice(0, max - 1);
	return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** A part of the whole that may lose lines from its end. */
export interface Block {
	/** Blocks of the lowest rank are kept first. Rank 0 must never be missing. */
	readonly rank: number;
	/** Noun for one of its lines, for the note on omitted lines. */
	readonly noun: readonly [one: string, many: string];
	readonly lines: readonly string[];
	/** The first block of a group is its head: without it none of them is kept. */
	readonly group?: string;
	/** The lines as Markdown; `more` lines were left out. */
	readonly wrap: (lines: readonly string[], more: number) => string;
}

export function paragraph(text: string, rank = 0): Block {
	return { rank, noun: ["paragraph", "paragraphs"], lines: [text], wrap: ([line = ""]) => line };
}

export function foldUnder(title: string, text: string): string {
	return `<details><summary>${title}</summary>\n\n${text}\n\n</details>`;
}

/** Returns the lines and, where some were left out, how many. */
export function withMore(lines: readonly string[], more: number): readonly string[] {
	return more === 0 ? lines : [...lines, `… and ${more} more`];
}

/**
 * Returns the blocks in their order, separated by empty lines, in at most `limit` bytes of UTF-8. When not all fits, the
 * blocks of the highest rank lose lines first, and a second paragraph says how much is missing and that `whole` has it.
 */
export function fitBlocks(blocks: readonly Block[], limit: number, whole: string): string {
	const full = blocks.map(({ lines, wrap }) => wrap(lines, 0));
	if (full.reduce((sum, text) => sum + byteLength(text) + 2, 0) <= limit) return join(full);
	const kept = new Map<number, string>();
	const missing = new Map<string, { noun: Block["noun"]; lines: number }>();
	let left = limit - longestNote - byteLength(whole);
	const byRank = [...blocks.entries()].sort(([, one], [, other]) => one.rank - other.rank);
	const heads = new Map([...blocks.entries()].reverse().map(([index, { group }]) => [group, index]));
	for (const [index, { lines, wrap, noun, group }] of byRank) {
		const head = group === undefined ? index : (heads.get(group) ?? index);
		const number = head === index || kept.has(head) ? countFitting(lines, wrap, left) : 0;
		if (number > 0) {
			const text = wrap(lines.slice(0, number), lines.length - number);
			kept.set(index, text);
			left -= byteLength(text) + 2;
		}
		const before = missing.get(noun[1])?.lines ?? 0;
		if (number < lines.length) missing.set(noun[1], { noun, lines: before + lines.length - number });
	}
	const counted = [...missing.values()].map(({ noun, lines }) => `${lines} ${lines === 1 ? noun[0] : noun[1]}`);
	const note = `**Shortened:** ${counted.join(", ")} left out. Full output: ${whole}.`;
	const [first = "", ...others] = blocks.flatMap((_, index) => kept.get(index) ?? []);
	return join([first, note, ...others]);
}

/** Room for the note of what is missing: each noun once, with its number. */
const longestNote = 700;

/** Returns how many lines fit, found by halving: the size of a block grows with its lines. */
function countFitting(lines: readonly string[], wrap: Block["wrap"], left: number): number {
	const fits = (number: number): boolean => byteLength(wrap(lines.slice(0, number), lines.length - number)) + 2 <= left;
	if (fits(lines.length)) return lines.length;
	let [fitting, tooMany] = [0, lines.length];
	while (tooMany - fitting > 1) {
		const middle = (fitting + tooMany) >> 1;
		if (fits(middle)) fitting = middle;
		else tooMany = middle;
	}
	return fitting;
}

const encoder = new TextEncoder();

function byteLength(text: string): number {
	return encoder.encode(text).length;
}

function join(texts: readonly string[]): string {
	return `${texts.join("\n\n")}\n`;
}
