/**
 * Before the first test that starts a process: bundles the command line again if a source is newer than the bundle in dist/bin.
 * Processes then run what users run, and start in less than half the time that the sources need.
 */
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandFile, root } from "../scripts/manifest.ts";

const folder = dirname(commandFile);
/** What the bundle is made of and by. */
const sources = ["src", "schemas", "scripts", "package.json", "package-lock.json"];

export default async function setUp(): Promise<void> {
	// The last file of a bundle: a bundle that was interrupted lacks it.
	const bundled = statSync(join(folder, "THIRD-PARTY-NOTICES.txt"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
	if (sources.every((source) => changedAt(join(root, source)) <= bundled)) return;
	const { bundleCommand } = await import("../scripts/bundle-command.ts");
	await bundleCommand(folder);
}

/** When the newest file in the folder, or the file, changed. */
function changedAt(path: string): number {
	const own = statSync(path);
	if (!own.isDirectory()) return own.mtimeMs;
	const files = readdirSync(path, { recursive: true, encoding: "utf8" });
	return files.reduce((newest, file) => Math.max(newest, statSync(join(path, file)).mtimeMs), own.mtimeMs);
}
