/** What a proof makes outside of itself: folders and processes. They go when the proof's process ends, however it is ended. */
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { quickFolder } from "../quick-folder.ts";

const folders = new Set<string>();
const children = new Set<ChildProcess>();

process.on("exit", () => {
	for (const child of children) child.kill("SIGKILL");
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Makes a new folder, `orgsync-NAME-…`, and returns its path. */
export function makeFolder(name: string): string {
	const folder = mkdtempSync(join(quickFolder(), `orgsync-${name}-`));
	folders.add(folder);
	return folder;
}

/** Removes a folder of `makeFolder` now. */
export function removeFolder(folder: string): void {
	rmSync(folder, { recursive: true, force: true });
	folders.delete(folder);
}

/** Returns the process, which is killed when this one ends. */
export function endWithThis<Child extends ChildProcess>(child: Child): Child {
	children.add(child);
	child.once("exit", () => children.delete(child));
	return child;
}
