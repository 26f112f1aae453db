/**
 * Text from the service or a document made safe for a terminal and a log: what would move the cursor, change the colour,
 * break the line or turn the direction of writing is shown as an escape instead.
 */

/**
 * The text on one line, every control and direction character as `\u{…}`; what a pipeline's log would take for a command
 * (`::` where a line begins, `##[` anywhere) likewise.
 */
export function showText(text: string): string {
	return text
		.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu, escapeCharacter)
		.replace(/^(\s*):(?=:)/, "$1\\u{3a}")
		.replace(/#(?=\[)/g, (sign, at: number, whole: string) => (whole[at - 1] === "#" ? "\\u{23}" : sign));
}

function escapeCharacter(character: string): string {
	return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A value as a reader would write it: texts in quotes, everything else as JSON; nothing is `(not set)`. */
export function showValue(value: unknown): string {
	if (value === null || value === undefined) return "(not set)";
	return showText(JSON.stringify(value));
}
