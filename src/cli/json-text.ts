/**
 * JSON as a terminal can show it: names from the service may hold characters that move the cursor or turn the direction of
 * writing, and JSON leaves most of them as they are.
 */

/** The value as JSON with two spaces of indentation and a newline at its end; such characters are written as `\uXXXX`. */
export function writeJson(value: unknown): string {
	const text = JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, escapeUnits);
	return `${text}\n`;
}

function escapeUnits(character: string): string {
	return Array.from({ length: character.length }, (_, index) => {
		return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
	}).join("");
}
