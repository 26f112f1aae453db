/**
 * The package in a project's node_modules, as it is published.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pluginFile } from "../../scripts/manifest.ts";
import { packPlugin } from "../../scripts/pack-plugin.ts";
import { makeOnce } from "../shared.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

export interface InstallOptions {
	/** Written into its package.json, as another release would have it. */
	readonly version?: string;
	/** Changes the installed files, given their folder. */
	edit?(folder: string): void;
}

/** The installed package that all share who do not change it: what Node compiled of it goes by its path. */
export async function sharePackage(shared: string): Promise<string> {
	const made = await makeOnce(shared, "installed", (folder) => {
		installPackage(join(folder, "orgsync"));
		symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
	});
	return join(made, "orgsync");
}

/** The folder with the plugin's archives and their checksums. */
export function shareArchives(shared: string): Promise<string> {
	return makeOnce(shared, "archives", (folder) => packPlugin(dirname(pluginFile), folder));
}

/** The package as npm would have unpacked it: what its manifest lists under `files`, and the manifest. */
export function installPackage(folder: string, { version, edit }: InstallOptions = {}): void {
	const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
		version: string;
		files: string[];
	};
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const leftOut = manifest.files.filter((name) => name.startsWith("!")).map((name) => join(project, name.slice(1)));
	for (const name of manifest.files.filter((one) => !one.startsWith("!"))) {
		if (!existsSync(join(project, name))) throw new Error(`${name} is not there to be installed: \`npm run build\``);
		const filter = (file: string): boolean => !leftOut.includes(file);
		cpSync(join(project, name), join(folder, name), { recursive: true, filter });
	}
	const written = { ...manifest, version: version ?? manifest.version };
	writeFileSync(join(folder, "package.json"), `${JSON.stringify(written, null, "\t")}\n`);
	edit?.(folder);
}
