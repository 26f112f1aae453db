/** The npm package as `npm pack` makes it, for all tests that look into it or install it. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeOnce } from "./shared.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Returns the path of the archive; the first test file of the run that asks packs it. */
export async function sharePacked(shared: string): Promise<string> {
	const folder = await makeOnce(shared, "packed", (making) => {
		// dist/ was built before the tests; packing must not build it again under the feet of other tests.
		execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", making], { cwd: root, stdio: "pipe" });
	});
	return join(folder, readdirSync(folder)[0] ?? "");
}

/** Returns the paths of the files in the archive. */
export function listPacked(archive: string): readonly string[] {
	const listed = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" });
	return listed
		.trim()
		.split("\n")
		.map((path) => path.replace(/^package\//, ""));
}
