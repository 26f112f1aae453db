/** The SDK for Node as npm would have it: compiled by its own tsconfig.json, with the files that are published. */
import { execFile } from "node:child_process";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeOnce } from "../shared.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the folder of the package, which the test files of a run share. Throws what the compiler prints. */
export async function shareNodeSdk(shared: string): Promise<string> {
	const made = await makeOnce(shared, "node-sdk", async (folder) => {
		const sources = join(folder, "sources");
		cpSync(join(project, "sdk/nodejs"), sources, {
			recursive: true,
			filter: (path) => !/\/(bin|node_modules)$/.test(path),
		});
		symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
		const compiler = join(project, "node_modules/typescript/bin/tsc");
		await promisify(execFile)(process.execPath, [compiler, "--project", sources]).catch(
			(error: { stdout?: string }) => {
				throw new Error(`the SDK for Node does not compile: ${error.stdout ?? error}`);
			},
		);
		for (const name of ["package.json", "README.md"]) cpSync(join(sources, name), join(sources, "bin", name));
	});
	return join(made, "sources/bin");
}
