/** Copies of the project for tests that run its commands elsewhere. */
import { cpSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * Copies a file or a folder as a clone has it: without what commands keep beside documents, which git ignores. Someone who has
 * played the tour has that, and the copy begins like theirs did.
 */
export function copyAsCloned(root: string, name: string, target: string): void {
	const isKept = (path: string): boolean => /^(?:\.orgsync|Pulumi\..+\.yaml)$/.test(basename(path));
	cpSync(join(root, name), join(target, name), { recursive: true, filter: (path) => !isKept(path) });
}
