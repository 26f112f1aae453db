/** The built command line as a process: what it keeps on disk, and what it says of its own defects. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandFile, manifest } from "../../scripts/manifest.ts";

const root = mkdtempSync(join(tmpdir(), "orgsync-start-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("orgsync as it is built", () => {
	it("keeps compiled code in the user's cache folder, and nothing in the shared temporary folder", () => {
		const [home, shared] = [join(root, "home"), join(root, "shared")];
		for (const folder of [home, shared]) mkdirSync(folder);
		const env = { HOME: home, TMPDIR: shared, XDG_CACHE_HOME: join(home, "caches") };
		const run = (word: string) => execFileSync(process.execPath, [commandFile, word], { env, encoding: "utf8" });
		expect(run("--version")).toBe(`${manifest.version}\n`);
		expect(readdirSync(home)).toEqual([]);
		expect(run("--help")).toContain("Usage: orgsync");
		expect(readdirSync(join(home, "caches/orgsync/compiled"))).toHaveLength(1);
		expect(readdirSync(shared)).toEqual([]);
	});

	it("shows with --verbose where a defect is in the sources", () => {
		const defect = join(root, "defect.cjs");
		writeFileSync(defect, 'process.hrtime.bigint = () => { throw new TypeError("defect"); };');
		const words = ["--require", defect, commandFile, "validate", "--verbose"];
		const { stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
		expect(stderr).toContain("error: unexpected error: defect\n");
		expect(stderr).toMatch(/ at .*src[\\/]cli[\\/]main\.ts:\d+:\d+/);
	});
});
