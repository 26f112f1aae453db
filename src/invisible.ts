/**
 * Characters that a reader cannot see for what they are: control and format characters, direction marks, spaces other than
 * U+0020, fillers and blank letters, variation selectors and tags, private use, lone surrogates, and code points without a
 * character. With one of them two names look alike, or a line reads otherwise than it is written.
 *
 * Where text is shown, emoji sequences are no exception: `❤` with and without U+FE0F are two names and one picture. Where a
 * document is read they are: keyboards write them.
 */

/**
 * One such character. Unicode gives the blank ones at the end no property of their own: U+2800 and U+3164 are a symbol and
 * a letter. U+3164 and its like are in `Default_Ignorable_Code_Point`, the others are named one by one.
 */
const invisible =
	/[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u2D7F\u303F\uFFFC\u{1107F}\u{13441}\u{13442}\u{16FE4}\u{1BC9D}\u{1BC9E}\u{1D159}]--[\u0020]]/v;

const everyInvisible = new RegExp(invisible, "gv");

const printableAscii = /^[ -~]*$/;

/** The text with what `write` returns in place of each character that a reader cannot see for what it is. */
export function replaceInvisible(text: string, write: (character: string) => string): string {
	return printableAscii.test(text) ? text : text.replace(everyInvisible, write);
}

/** Whether a reader sees every character of the text for what it is. */
export function isVisible(text: string): boolean {
	return printableAscii.test(text) || !invisible.test(text);
}

/**
 * An emoji with its parts. Sequences with a joiner, tag or keycap are those that Unicode recommends (RGI): any other is
 * displayed as separate emoji. A variation selector can follow any pictograph, because keyboards add it, but no digit.
 */
const emoji = String.raw`\p{RGI_Emoji_ZWJ_Sequence}|\p{RGI_Emoji_Tag_Sequence}|\p{RGI_Emoji_Modifier_Sequence}|\p{RGI_Emoji_Flag_Sequence}|\p{Emoji_Keycap_Sequence}|\p{Extended_Pictographic}[\ufe0e\ufe0f]?`;

let either: RegExp | undefined;

/** Matches emoji and invisible characters. It is compiled when first needed: thousands of emoji take 20 ms. */
function eitherOne(): RegExp {
	either ??= new RegExp(`(?<kept>${emoji}|[\\0-\\x1f\\x7f])|${invisible.source}`, "gv");
	return either;
}

/** An invisible character in a text. */
export interface Hidden {
	/** Its offset, in UTF-16 units. */
	readonly index: number;
	/** One code point. */
	readonly character: string;
}

/** The first invisible character that is neither part of an emoji nor an ASCII control; undefined when there is none. */
export function findHidden(text: string): Hidden | undefined {
	if (isVisible(text)) return undefined;
	for (const { 0: character, index, groups } of text.matchAll(eitherOne())) {
		if (groups?.kept === undefined) return { index, character };
	}
	return undefined;
}

/** The text with `write` in place of each character that `findHidden` can find. */
export function replaceHidden(text: string, write: (character: string) => string): string {
	if (isVisible(text)) return text;
	return text.replace(eitherOne(), (found: string, kept: string | undefined) =>
		kept === undefined ? write(found) : found,
	);
}

/** A character as double quotes in YAML and JSON write it: `\u200b`; beyond `\uffff` only YAML has a form, `\U000e0101`. */
export function escapeSequence(character: string): string {
	const code = (character.codePointAt(0) ?? 0).toString(16);
	return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}

/** A character by its number, as Unicode writes it: `U+200B`. */
export function nameCharacter(character: string): string {
	return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
