/** The home folder where the environment has no HOME, as on Windows. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { refuseOverwriting } from "../../../src/cli/files/overwrite-checks.ts";
import { findStateParent } from "../../../src/cli/files/state-folder.ts";
import { makeFolder } from "../../run.ts";

afterEach(() => vi.unstubAllEnvs());

/** A home that the system names, with the key file of the vendor's tools. */
function makeHome(): { readonly home: string; readonly key: string } {
	const home = makeFolder();
	for (const name of ["HOME", "USERPROFILE"]) vi.stubEnv(name, home);
	const key = join(home, ".config/turnkey/keys/default.private");
	mkdirSync(join(key, ".."), { recursive: true });
	writeFileSync(key, "");
	return { home, key };
}

test("no result is written over the vendor's key file in it", () => {
	const { home, key } = makeHome();
	const write = () => refuseOverwriting("output", "plan", { output: key }, [], { directory: home, environment: {} });
	expect(write).toThrow("the key file");
});

test("a journal above it is not used", () => {
	const { home } = makeHome();
	mkdirSync(join(home, "../.orgsync"), { recursive: true });
	writeFileSync(join(home, "../.orgsync/journal.sqlite"), "");
	mkdirSync(join(home, "team"));
	const place = { directory: join(home, "team"), environment: {} };
	expect(findStateParent({ file: ["a.yaml"] }, place)).toBe(join(home, "team"));
});
