/** Escapes text from others for terminals, logs, files and pages: control, direction, line breaks and invisible characters. */
import { replaceInvisible } from "./invisible.ts";

/**
 * Returns the text on one line. Invisible characters, and those that begin a command in the log of a pipeline (`::` at the
 * beginning of a line, `##[` and `##vso[` anywhere), become `\u{…}`. Escaping twice changes nothing more.
 */
export function showText(text: string): string {
	return escapeUnsafe(text, escapeCharacter).replace(/^(\s*):(?=:)/, "$1\\u{3a}");
}

/** Applies `showText` to each line: for messages of orgsync with several lines. */
export function showLines(text: string): string {
	return text.split("\n").map(showText).join("\n");
}

/** Returns the text with `toEscape` for each unsafe character: invisible, drawn over others, or `#` of a command in a log. */
function escapeUnsafe(text: string, toEscape: (character: string) => string): string {
	const escapeAll = (characters: string): string => [...characters].map(toEscape).join("");
	const visible = /[^ -~]/.test(text) ? escapeMarks(replaceInvisible(text, toEscape), escapeAll) : text;
	return visible.replace(/(?<=#)#(?=\w*\[)/g, toEscape);
}

/** Combining marks without a base letter, and more than six on one letter: no name needs them, and they hide other text. */
function escapeMarks(text: string, escapeAll: (characters: string) => string): string {
	return text.replace(/(?<![\p{L}\p{N}\p{M}\p{So}])\p{M}+|(?<=\p{M}{6})\p{M}+/gu, escapeAll);
}

function escapeCharacter(character: string): string {
	return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Returns a name for a line of our text: as `showText`, in quotes if it could be mistaken for other text. */
export function showName(name: string): string {
	return ambiguous.test(name) ? quoteName(name) : showText(name);
}

const quoteName = (name: string): string => `"${showSpaces(name.replace(/["\\]/g, "\\$&"))}"`;

/** Syntax of our own lines: leading, trailing and repeated spaces, signs, list and note marks, quotes, escapes, arrows. */
const ambiguous = /^$|^\s|\s$|\s\s|(?:^|\s)[-+~!\u2212]\s|[,;()[\]{}"`\\]|:\s|->|=>|\u2192/;

/** As `showText`, and escapes leading, trailing and repeated spaces, which are invisible on a page and in a wrapped line. */
export function showSpaces(name: string): string {
	return showText(name).replace(/^ | (?= |$)/g, "\\u{20}");
}

/** Returns the old and the new name of an object: as `showName`, with other characters escaped if both look the same. */
export function showRename(before: string, after: string): readonly [before: string, after: string] {
	const show = (name: string): string => showName(clipMiddle(name, maxPairLength));
	const pair = [show(before), show(after)] as const;
	if (before === after || pair[0].normalize("NFKC") !== pair[1].normalize("NFKC")) return pair;
	const spelled = [spell(before), spell(after)] as const;
	// If they differ only in the clipped part, both are shown in full.
	return spelled[0] === spelled[1] ? [showName(before), showName(after)] : spelled;
}

/** Escapes everything but printable ASCII. */
function spell(name: string): string {
	return showName(clipMiddle(name, maxPairLength).replace(/[^ -~\u2026]/gu, escapeCharacter));
}

/** Max characters of a name in a line: of one name, and of each of two. */
const [maxNameLength, maxPairLength] = [400, 120];

/** Returns the name, or the beginning and the end of a long one. */
export function clipMiddle(name: string, maxLength: number = maxNameLength): string {
	const characters = [...name];
	if (characters.length <= maxLength) return name;
	return `${characters.slice(0, maxLength - 40).join("")}\u2026${characters.slice(-39).join("")}`;
}

/** As `showName`, in at most `maxLength` characters of output: the beginning of a longer name, with closed quotes. */
export function showNameWithin(name: string, maxLength: number): string {
	return showWithin(name, maxLength, showName);
}

function showWithin(text: string, maxLength: number, show: (text: string) => string): string {
	if (show(text).length <= maxLength) return show(text);
	const characters = [...text].slice(0, maxLength);
	while (characters.length > 0 && show(`${characters.join("")}\u2026`).length > maxLength) characters.pop();
	return show(`${characters.join("")}\u2026`);
}

/** Returns a text of others in quotes, in at most `maxLength` characters of output: the beginning of a longer one. */
export function showQuoted(text: string, maxLength: number): string {
	return showWithin(text, maxLength, quoteName);
}

/** Returns the address of an object: its kind, and the rest as `showName`. */
export function showAddress(address: string): string {
	return showAddressWithin(address, Number.POSITIVE_INFINITY);
}

/** As `showAddress`, in at most `maxLength` characters of output. */
export function showAddressWithin(address: string, maxLength: number): string {
	const at = address.indexOf(":") + 1;
	if (at === 0) return showText(address);
	const kind = showText(address.slice(0, at));
	return `${kind}${showNameWithin(address.slice(at), maxLength - kind.length)}`;
}

/** Returns a value as JSON, or `(not set)`. */
export function showValue(value: unknown): string {
	if (value === null || value === undefined) return "(not set)";
	return showSpaces(JSON.stringify(value));
}

/** Returns the value as JSON without a final newline, and `\u` escapes for what `showText` escapes. */
export function writeJson(value: unknown, indent?: number, replace?: (key: string, value: unknown) => unknown): string {
	// JSON has such characters only in strings, except for the line breaks of indented JSON.
	return escapeUnsafe(JSON.stringify(value, replace, indent), (character) =>
		character === "\n" ? character : escapeForJson(character),
	);
}

function escapeForJson(character: string): string {
	const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
	return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Returns at most three of the addresses, escaped, and the number of others. */
export function listCovers(addresses: readonly string[]): string {
	const covers = addresses.map(showAddress);
	return covers.length <= 3 ? covers.join(", ") : `${covers.slice(0, 2).join(", ")} and ${covers.length - 2} more`;
}

/** Returns the first `max` texts, and the number of others. */
export function listFirst(texts: readonly string[], max: number, between = ", "): string {
	const more = texts.length - max;
	return `${texts.slice(0, max).join(between)}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns the word quoted where a shell would split or expand it, for commands that a reader copies. */
export function quoteForShell(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
