import type { Problem } from "../errors.ts";
import { showText } from "../escape.ts";

/** Returns `file:line:column: message`, on one line. */
export function renderProblem({ file, line, column, message }: Problem): string {
	return `${showText(file)}:${line}:${column}: ${showText(message)}`;
}
