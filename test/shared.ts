/**
 * One folder for all test files of a run, for what is expensive to make and the same for each of them: what Node compiled,
 * the installed package, a new stack. It is gone when the run ends.
 */
import { existsSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
	interface ProvidedContext {
		/** The shared folder of this run; see test/shared.ts. */
		sharedFolder: string;
	}
}

/** Makes the folder before the first test file starts; returns what removes it. */
export default function setUp({ provide }: TestProject): () => void {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "orgsync-shared-")));
	provide("sharedFolder", folder);
	// For the workers, and for what they start with their own environment.
	process.env.NODE_COMPILE_CACHE = join(folder, "compiled");
	return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/**
 * Returns `NAME` in the shared folder; the first to ask makes it. Two that ask at the same time both make one in a folder
 * of their own, and one of them gets the name.
 */
export async function makeOnce(
	shared: string,
	name: string,
	make: (folder: string) => Promise<void> | void,
): Promise<string> {
	const folder = join(shared, name);
	if (existsSync(folder)) return folder;
	const making = mkdtempSync(join(shared, "making-"));
	await make(making);
	try {
		renameSync(making, folder);
	} catch (error) {
		if (!existsSync(folder)) throw error;
		rmSync(making, { recursive: true });
	}
	return folder;
}
