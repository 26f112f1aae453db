import type { Problem } from "../common/errors.ts";
import { showText } from "../common/escape.ts";

/** Returns `file:line:column: message`, on one line; below it the excerpt, if there is one. */
export function renderProblem({ file, line, column, message, excerpt }: Problem): string {
	const below = excerpt === undefined ? [] : excerpt.split("\n").map((text) => `  | ${showText(text)}`);
	return [`${showText(file)}:${line}:${column}: ${showText(message)}`, ...below].join("\n");
}
