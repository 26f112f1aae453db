/**
 * Before the first test that starts a process: bundles the command line and the plugin again if a source is newer than the bundle in
 * dist/. Processes then run what users run, and start in less than half the time that the sources need.
 */
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandFile, pluginFile, root } from "../scripts/manifest.ts";

/** What the bundles are made of and by. */
const sources = ["src", "schemas", "scripts", "package.json", "package-lock.json"];

export default async function setUp(): Promise<void> {
	const changed = Math.max(...sources.map((source) => changedAt(join(root, source))));
	// The last file of each: a bundle that was interrupted lacks it.
	const isStale = (program: string, last: string): boolean =>
		changed > (statSync(join(dirname(program), last), { throwIfNoEntry: false })?.mtimeMs ?? 0);
	if (isStale(commandFile, "THIRD-PARTY-NOTICES.txt")) {
		const { bundleCommand } = await import("../scripts/bundle-command.ts");
		await bundleCommand(dirname(commandFile));
	}
	if (isStale(pluginFile, "LICENSE")) {
		const { bundlePlugin } = await import("../scripts/bundle-plugin.ts");
		await bundlePlugin(dirname(pluginFile));
	}
}

/** When the newest file in the folder, or the file, changed. */
function changedAt(path: string): number {
	const own = statSync(path);
	if (!own.isDirectory()) return own.mtimeMs;
	const files = readdirSync(path, { recursive: true, encoding: "utf8" });
	return files.reduce((newest, file) => Math.max(newest, statSync(join(path, file)).mtimeMs), own.mtimeMs);
}
