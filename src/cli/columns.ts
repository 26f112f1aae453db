/**
 * How much room a text takes on a terminal, so that a line that is to be taken away again never wraps.
 */

/**
 * At most how many columns the text takes. Everything from U+1100 on counts two: there the wide scripts and the emoji begin,
 * and a line that is a little too short does no harm.
 */
export function countColumns(text: string): number {
	let columns = 0;
	for (const character of text) columns += (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
	return columns;
}

/** The text, or its beginning and `…` when it takes more columns than these. */
export function cutToColumns(text: string, columns: number): string {
	if (countColumns(text) <= columns) return text;
	const end = "…";
	let cut = "";
	for (const character of text) {
		if (countColumns(cut + character) + countColumns(end) > columns) break;
		cut += character;
	}
	return cut === "" ? "" : cut + end;
}
