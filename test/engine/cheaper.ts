/**
 * The environment in which Node loads @pulumi/pulumi at less cost; that is most of what a command of the engine takes.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";

/** For every Node that the engine starts: what was compiled once in this run, and cheaper.cjs, which says why. */
export const cheaperNode = {
	NODE_COMPILE_CACHE: join(inject("sharedFolder"), "compiled-engine"),
	NODE_OPTIONS: `--require=${fileURLToPath(new URL("cheaper.cjs", import.meta.url))}`,
} as const;
