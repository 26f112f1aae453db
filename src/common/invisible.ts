/**
 * Finds invisible characters: control and format characters, direction marks, spaces other than U+0020, fillers and blank
 * letters, variation selectors and tags, private use, lone surrogates, and unassigned code points. They can make two names
 * look alike, or a line look different from its content.
 *
 * Output has no exception for emoji sequences: `❤` with and without U+FE0F are two names and one picture. Documents may
 * contain emoji sequences, because keyboards write them.
 */

/**
 * One such character. Unicode has no property for the blank ones at the end: U+2800 and U+3164 are a symbol and a letter.
 * `Default_Ignorable_Code_Point` has U+3164 and similar letters; the others are listed.
 */
const invisible = String.raw`[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u2D7F\u303F\uFFFC\u{1107F}\u{13441}\u{13442}\u{16FE4}\u{1BC9D}\u{1BC9E}\u{1D159}]--[\u0020]]`;

/** Patterns are made at first use: V8 takes milliseconds to read these, and 20 to compile them. */
const lazily = (pattern: string, flags: string) => {
	let made: RegExp | undefined;
	return (): RegExp => (made ??= new RegExp(pattern, flags));
};

const oneInvisible = lazily(invisible, "v");
const everyInvisible = lazily(invisible, "gv");

const printableAscii = /^[ -~]*$/;

/** Text that has nothing for `findHidden` to find. Most documents are. */
const ascii = /^[\0-\x7f]*$/;

/** Returns the text with each invisible character replaced by what `write` returns. */
export function replaceInvisible(text: string, write: (character: string) => string): string {
	return printableAscii.test(text) ? text : text.replace(everyInvisible(), write);
}

export function isVisible(text: string): boolean {
	return printableAscii.test(text) || !oneInvisible().test(text);
}

/**
 * An emoji with its parts. Sequences with a joiner, tag or keycap are those that Unicode recommends (RGI): others are
 * displayed as separate emoji. A variation selector can follow any pictograph, because keyboards add it, but not a digit.
 */
const emoji = String.raw`\p{RGI_Emoji_ZWJ_Sequence}|\p{RGI_Emoji_Tag_Sequence}|\p{RGI_Emoji_Modifier_Sequence}|\p{RGI_Emoji_Flag_Sequence}|\p{Emoji_Keycap_Sequence}|\p{Extended_Pictographic}[\ufe0e\ufe0f]?`;

const eitherOne = lazily(`(?<kept>${emoji}|[\\0-\\x1f\\x7f])|${invisible}`, "gv");

/** An invisible character in a text. */
interface Hidden {
	/** Its offset, in UTF-16 units. */
	readonly index: number;
	/** One code point. */
	readonly character: string;
}

/** Returns the first invisible character that is neither part of an emoji nor an ASCII control, or undefined. */
export function findHidden(text: string): Hidden | undefined {
	if (ascii.test(text) || isVisible(text)) return undefined;
	for (const { 0: character, index, groups } of text.matchAll(eitherOne())) {
		if (groups?.kept === undefined) return { index, character };
	}
	return undefined;
}

/** Returns the text with each character that `findHidden` finds replaced by what `write` returns. */
export function replaceHidden(text: string, write: (character: string) => string): string {
	if (ascii.test(text) || isVisible(text)) return text;
	return text.replace(eitherOne(), (found: string, kept: string | undefined) =>
		kept === undefined ? write(found) : found,
	);
}

/** Returns the escape of a character in double quotes: `\u200b` in YAML and JSON; above `\uffff` in YAML only, `\U000e0101`. */
export function escapeSequence(character: string): string {
	const code = (character.codePointAt(0) ?? 0).toString(16);
	return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}

/** Returns the Unicode number of a character: `U+200B`. */
export function nameCharacter(character: string): string {
	return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
