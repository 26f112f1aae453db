/** The flags of a call that a command has to repeat when a person copies it from the output. */
import { quoteForShell } from "../escape.ts";

interface RepeatedFlags {
	readonly file?: readonly string[];
	readonly env?: readonly string[];
	readonly local?: boolean;
}

/**
 * Returns the flags that select documents and the embedded service, each after a blank; empty without any. Flags of the
 * connection are left out: a report must not show where keys are.
 */
export function repeatFlags({ file = [], env = [], local }: RepeatedFlags): string {
	return [
		...(local === true ? ["--local"] : []),
		...file.map((path) => `-f ${quoteForShell(path)}`),
		...env.map((name) => `--env ${quoteForShell(name)}`),
	]
		.map((flag) => ` ${flag}`)
		.join("");
}
