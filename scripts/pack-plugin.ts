/**
 * Writes the archives of dist/plugin that `pulumi plugin install` takes, and their checksums, into release/. `npm run plugin`
 * builds and runs it.
 *
 * All archives have the same content, since Node runs it: Pulumi asks for one by system and architecture. The same files
 * make the same bytes, with the same Node.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeArchive, writeArchives } from "./archive.ts";

/** The systems and architectures for which Pulumi is made, in its words. */
const platforms = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64", "windows-arm64"];

/** Packs the plugin's folder into archives in a folder, and lists the checksums of all archives there. */
export function packPlugin(plugin: string, folder: string): void {
	const { version } = JSON.parse(readFileSync(join(plugin, "package.json"), "utf8")) as { version: string };
	// The launcher of POSIX is the only file that is run directly.
	const archive = makeArchive(plugin, ["pulumi-resource-orgsync"]);
	const names = platforms.map((platform) => `pulumi-resource-orgsync-v${version}-${platform}.tar.gz`);
	writeArchives(folder, "pulumi-resource-orgsync-", Object.fromEntries(names.map((name) => [name, archive])));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const root = fileURLToPath(new URL("..", import.meta.url));
	packPlugin(join(root, "dist/plugin"), join(root, "release"));
	process.stdout.write(readFileSync(join(root, "release/SHA256SUMS")));
}
