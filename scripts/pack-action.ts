/**
 * Makes what a repository for pipelines has: the GitHub action, the GitLab component and the pre-commit hook, each with the built program
 * beside it. `npm run action` writes the folder release/action, which is committed as it is, and its archive and checksum.
 *
 * A run of the action therefore has exactly the code of the commit that it names: it builds nothing and downloads no package.
 * The same sources make the same bytes, so anyone can compare a commit with the sources.
 */
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeArchive, writeArchives } from "./archive.ts";
import { bundle } from "./bundle.ts";
import { commandEntry } from "./bundle-command.ts";
import { commandFile, manifest, root } from "./manifest.ts";

const readme = `# orgsync ${manifest.version}, built

The GitHub action (\`action.yml\`), the GitLab component (\`templates/\`) and the pre-commit hook of orgsync, with the program that they
run. \`npm run action\` makes this folder from the sources of this version, byte for byte. Their inputs are in \`docs/pipelines.md\`
of the sources.
`;

/** Copied from the clone. */
const files = ["action.yml", ".pre-commit-hooks.yaml", "templates", "LICENSE"];

/** Makes the folder, in place of what is there. */
export async function packAction(folder: string): Promise<void> {
	rmSync(folder, { recursive: true, force: true });
	const programs = join(folder, "dist");
	// One bundle: what both programs need is there once.
	const { chunks, notices } = await bundle(
		{ ...prefixed("bin", commandEntry), "action/main": "src/action/main.ts" },
		{ format: "esm", entryFileNames: "[name].js", chunkFileNames: "lib/[name].js" },
	);
	for (const { fileName, code } of chunks) {
		mkdirSync(dirname(join(programs, fileName)), { recursive: true });
		writeFileSync(join(programs, fileName), code);
	}
	const command = join("dist/bin", basename(commandFile));
	chmodSync(join(folder, command), 0o755);
	for (const file of files) cpSync(join(root, file), join(folder, file), { recursive: true });
	writeFileSync(join(folder, "README.md"), readme);
	writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), notices);
	const { name, version, license, engines } = manifest;
	// What npm needs to install the command for the hook: no scripts and no dependencies.
	const own = { name, version, license, private: true, type: "module", engines, bin: { orgsync: command } };
	writeFileSync(join(folder, "package.json"), `${JSON.stringify(own, null, "\t")}\n`);
}

function prefixed(folder: string, entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
	return Object.fromEntries(Object.entries(entries).map(([name, source]) => [`${folder}/${name}`, source]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const release = join(root, "release");
	await packAction(join(release, "action"));
	const name = `orgsync-action-v${manifest.version}.tar.gz`;
	const archive = makeArchive(join(release, "action"), [join("dist/bin", basename(commandFile))]);
	writeArchives(release, "orgsync-action-", { [name]: archive });
}
