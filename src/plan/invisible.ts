/**
 * Characters that a reader cannot see for what they are: control and format characters, direction marks, spaces other than
 * U+0020, fillers and blank letters, variation selectors and tags, private use, lone surrogates, and code points without a
 * character. With one of them two names look alike, or a line reads otherwise than it is written.
 *
 * Emoji sequences are no exception: `❤` with and without U+FE0F are two names and one picture.
 */

/**
 * One such character. Unicode gives the blank ones at the end no property of their own: U+2800 and U+3164 are a symbol and
 * a letter. U+3164 and its like are in `Default_Ignorable_Code_Point`, the others are named one by one.
 */
const invisible =
	/[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u2D7F\u303F\uFFFC\u{1107F}\u{13441}\u{13442}\u{16FE4}\u{1BC9D}\u{1BC9E}\u{1D159}]--[\u0020]]/v;

const everyInvisible = new RegExp(invisible, "gv");

const printableAscii = /^[ -~]*$/;

/** The first character of the text that a reader cannot see for what it is; undefined when there is none. */
export function findInvisible(text: string): string | undefined {
	return printableAscii.test(text) ? undefined : invisible.exec(text)?.[0];
}

/** The text with what `replace` returns in place of each character that a reader cannot see for what it is. */
export function replaceInvisible(text: string, replace: (character: string) => string): string {
	return printableAscii.test(text) ? text : text.replace(everyInvisible, replace);
}
