/**
 * Finds characters that a reader does not see, or that change how the text around them is displayed: zero-width and
 * direction characters, fillers, selectors, blanks that look like a space, and code points without a glyph. Two texts that
 * differ only in these look the same.
 *
 * Not included: the space, tabs and line breaks, other ASCII control characters, and the parts of an emoji.
 */

/**
 * Unicode's own classes, then letters, marks and symbols that have no visible glyph. `Zs` is every blank that has a width.
 */
const invisible =
	/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}[\p{Zs}--\x20]\x80-\x9f\u2800\u2d7f\ufffc\u{1107f}\u{13441}\u{13442}\u{16fe4}\u{1bc9d}\u{1d159}]/v;

/**
 * An emoji with its parts. Sequences with a joiner, tag or keycap are those that Unicode recommends (RGI): any other is
 * displayed as separate emoji. A variation selector can follow any pictograph, because keyboards add it, but no digit.
 */
const emoji = String.raw`\p{RGI_Emoji_ZWJ_Sequence}|\p{RGI_Emoji_Tag_Sequence}|\p{RGI_Emoji_Modifier_Sequence}|\p{RGI_Emoji_Flag_Sequence}|\p{Emoji_Keycap_Sequence}|\p{Extended_Pictographic}[\ufe0e\ufe0f]?`;

let either: RegExp | undefined;

/** Matches emoji and invisible characters. It is compiled when first needed: thousands of emoji take 20 ms. */
function eitherOne(): RegExp {
	either ??= new RegExp(`(?<emoji>${emoji})|${invisible.source}`, "gv");
	return either;
}

/** An invisible character in a text. */
export interface Invisible {
	/** Its offset, in UTF-16 units. */
	readonly index: number;
	/** One code point. */
	readonly character: string;
}

/** The first invisible character that is no part of an emoji; undefined when there is none. */
export function findInvisible(text: string): Invisible | undefined {
	if (!invisible.test(text)) return undefined;
	for (const { 0: character, index, groups } of text.matchAll(eitherOne())) {
		if (groups?.emoji === undefined) return { index, character };
	}
	return undefined;
}

/** The text with `write` in place of each invisible character that is no part of an emoji. */
export function replaceInvisible(text: string, write: (character: string) => string): string {
	if (!invisible.test(text)) return text;
	return text.replace(eitherOne(), (found: string, part: string | undefined) =>
		part === undefined ? write(found) : found,
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
