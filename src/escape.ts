/**
 * Text from the service or a document made safe for a terminal, a log, a file and a page: what would move the cursor,
 * change the colour, break the line, turn the direction of writing or not be seen at all is shown as an escape instead.
 */
import { replaceInvisible } from "./invisible.ts";

/**
 * The text on one line, every character that a reader cannot see as `\u{…}`; what a pipeline's log would take for a command
 * (`::` where a line begins, `##[` and `##vso[` anywhere) likewise. Shown twice, it stays the same.
 */
export function showText(text: string): string {
	return escapeUnsafe(text, escapeCharacter).replace(/^(\s*):(?=:)/, "$1\\u{3a}");
}

/** As `showText`, but line by line: for messages of ours that have several lines. */
export function showLines(text: string): string {
	return text.split("\n").map(showText).join("\n");
}

/**
 * The text with `toEscape` applied to each character that is not safe to show, wherever the text stands in a line: invisible
 * ones, marks that would be drawn over what stands before or around the text, and `#` of a command in a log.
 */
function escapeUnsafe(text: string, toEscape: (character: string) => string): string {
	const escapeAll = (characters: string): string => [...characters].map(toEscape).join("");
	return replaceInvisible(text, toEscape)
		.replace(strayMarks, escapeAll)
		.replace(/(?<=#)#(?=\w*\[)/g, toEscape);
}

/** Marks without a letter to stand on, and more than six on one: no name needs them, and they hide what is around them. */
const strayMarks = /(?<![\p{L}\p{N}\p{M}\p{So}])\p{M}+|(?<=\p{M}{6})\p{M}+/gu;

function escapeCharacter(character: string): string {
	return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/**
 * A name of others that stands among words of ours on one line: as `showText`, and in quotes where it could be taken for
 * more than a name: for a list, a note, an arrow, or nothing at all.
 */
export function showName(name: string): string {
	return ambiguous.test(name) ? `"${showBlanks(name.replace(/["\\]/g, "\\$&"))}"` : showText(name);
}

/** What our own lines are made of: blanks at the ends or in a row, signs, list and note marks, quotes, escapes, arrows. */
const ambiguous = /^$|^\s|\s$|\s\s|(?:^|\s)[-+~!\u2212]\s|[,;()[\]{}"`\\]|:\s|->|=>|\u2192/;

/** As `showText`, with blanks at the ends and in a row as their number too: on a page and in a wrapped line nobody sees them. */
export function showBlanks(name: string): string {
	return showText(name).replace(/^ | (?= |$)/g, "\\u{20}");
}

/** Two names of one thing, before and after: as `showName`, and letter by letter where both look the same. */
export function showRename(before: string, after: string): readonly [before: string, after: string] {
	const show = (name: string): string => showName(clipMiddle(name, longestOfTwo));
	const pair = [show(before), show(after)] as const;
	if (before === after || pair[0].normalize("NFKC") !== pair[1].normalize("NFKC")) return pair;
	const spelled = [spell(before), spell(after)] as const;
	// Where they differ in what was left out, nothing is.
	return spelled[0] === spelled[1] ? [showName(before), showName(after)] : spelled;
}

/** Everything but printable ASCII by its number. */
function spell(name: string): string {
	return showName(clipMiddle(name, longestOfTwo).replace(/[^ -~\u2026]/gu, escapeCharacter));
}

/** Longest name in a line, in characters: of one that has it alone, and of two that share it. */
const [longestAlone, longestOfTwo] = [400, 120];

/** A name of usual length as it is; of a longer one the beginning and the end. */
export function clipMiddle(name: string, most: number = longestAlone): string {
	const characters = [...name];
	if (characters.length <= most) return name;
	return `${characters.slice(0, most - 40).join("")}\u2026${characters.slice(-39).join("")}`;
}

/** As `showName`, in at most so many characters as they are shown: of a longer name the beginning, its quotes closed. */
export function showNameWithin(name: string, most: number): string {
	if (showName(name).length <= most) return showName(name);
	const characters = [...name].slice(0, most);
	while (characters.length > 0 && showName(`${characters.join("")}\u2026`).length > most) characters.pop();
	return showName(`${characters.join("")}\u2026`);
}

/** The address of an object, its kind bare and what stands behind that as a name. */
export function showAddress(address: string): string {
	return showAddressWithin(address, Number.POSITIVE_INFINITY);
}

/** The same, in at most so many characters. */
export function showAddressWithin(address: string, most: number): string {
	const at = address.indexOf(":") + 1;
	if (at === 0) return showText(address);
	const kind = showText(address.slice(0, at));
	return `${kind}${showNameWithin(address.slice(at), most - kind.length)}`;
}

/** A value as a reader would write it: texts in quotes, everything else as JSON; nothing is `(not set)`. */
export function showValue(value: unknown): string {
	if (value === null || value === undefined) return "(not set)";
	return showBlanks(JSON.stringify(value));
}

/**
 * The value as JSON, without a newline at the end, with `\u` escapes for the characters that `showText` escapes: it reads
 * back as the same value. `indent` is that of JSON.stringify.
 */
export function writeJson(value: unknown, indent?: number): string {
	// JSON has such characters in its texts only, but for the line ends of an indented one.
	return escapeUnsafe(JSON.stringify(value, null, indent), (character) =>
		character === "\n" ? character : escapeForJson(character),
	);
}

function escapeForJson(character: string): string {
	const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
	return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** At most three of the addresses, escaped, and how many more there are. */
export function listCovers(addresses: readonly string[]): string {
	const covers = addresses.map(showAddress);
	return covers.length <= 3 ? covers.join(", ") : `${covers.slice(0, 2).join(", ")} and ${covers.length - 2} more`;
}
