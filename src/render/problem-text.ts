import type { Problem } from "../common/errors.ts";
import { showText } from "../common/escape.ts";

/** Returns `file:line:column: message`, on one line. */
export function renderProblem({ file, line, column, message }: Problem): string {
	return `${showText(file)}:${line}:${column}: ${showText(message)}`;
}
