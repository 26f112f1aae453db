/** Measures text in terminal columns, so that a progress line, which is erased later, never wraps. */

/** Returns an upper bound of the columns. Characters from U+1100, where wide scripts begin, count two. */
export function countColumns(text: string): number {
	let columns = 0;
	for (const character of text) columns += (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
	return columns;
}

/** Returns the text, or its beginning and `…` if it needs more columns. */
export function truncateToColumns(text: string, columns: number): string {
	if (countColumns(text) <= columns) return text;
	const end = "…";
	let truncated = "";
	for (const character of text) {
		if (countColumns(truncated + character) + countColumns(end) > columns) break;
		truncated += character;
	}
	return truncated === "" ? "" : truncated + end;
}
