/**
 * `npm run activities`: fails when the newest `@turnkey/http` has an activity type that src/common/activity-table.ts does not
 * classify, and says which. The test of the table does the same with the installed version.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findType } from "../src/policy/activities/types.ts";

/** Returns the types that the declarations of `@turnkey/http` list, sorted. */
export function typesIn(declarations: string): readonly string[] {
	const [, union = ""] = /\bv1ActivityType: ([^;]+);/.exec(declarations) ?? [];
	return [...union.matchAll(/"(ACTIVITY_TYPE_\w+)"/g)].flatMap(([, type]) => type ?? []).sort();
}

/** Where the package has its declarations. */
const path = "dist/__generated__/services/coordinator/public/v1/public_api.types.d.ts";

/** Returns the declarations of the newest version on the registry, and which it is. */
function fetchNewest(): { readonly version: string; readonly declarations: string } {
	const folder = mkdtempSync(join(tmpdir(), "activities-"));
	try {
		const packed = execFileSync("npm", ["pack", "--json", "@turnkey/http@latest"], { cwd: folder, encoding: "utf8" });
		const [{ version, filename }] = JSON.parse(packed) as [{ version: string; filename: string }];
		execFileSync("tar", ["-xzf", filename, `package/${path}`], { cwd: folder });
		return { version, declarations: readFileSync(join(folder, "package", path), "utf8") };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const { version, declarations } = fetchNewest();
	const types = typesIn(declarations);
	const missing = types.filter((type) => findType(type) === undefined);
	for (const type of missing) console.error(`not classified: ${type}`);
	if (types.length === 0) console.error(`no activity types found in ${path}`);
	console.log(`@turnkey/http ${version}: ${types.length} activity types, ${missing.length} not in the table`);
	process.exitCode = types.length === 0 || missing.length > 0 ? 1 : 0;
}
