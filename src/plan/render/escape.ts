/**
 * Text from the service or a document made safe for a terminal and a log: what would move the cursor, change the colour,
 * break the line or turn the direction of writing is shown as an escape instead.
 */

/** The text on one line, every control and direction character as `\u{…}`. */
export function showText(text: string): string {
	return text.replace(
		/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu,
		(character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
	);
}

/** A value as a reader would write it: texts in quotes, everything else as JSON; nothing is `(not set)`. */
export function showValue(value: unknown): string {
	if (value === null || value === undefined) return "(not set)";
	return showText(JSON.stringify(value));
}
