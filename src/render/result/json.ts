/** Results as JSON. */
import { writeJson } from "../../common/escape.ts";
import { inWords } from "../../say/published.ts";
import { publish } from "./published.ts";
import type { CommandResult } from "./result.ts";

/** Returns the result as indented JSON that ends with a newline. */
export function renderJson(result: CommandResult): string {
	// An answer of the service is printed unchanged.
	const replace = result.command === "query" ? undefined : inWords;
	return `${writeJson(publish(result), 2, replace)}\n`;
}
