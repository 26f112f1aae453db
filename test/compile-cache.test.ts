/** Where Node keeps what it has compiled of orgsync: only where no other user can put code. */
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findCacheFolder } from "../src/common/compile-cache.ts";
import { onPosix } from "./needs.ts";

const root = mkdtempSync(join(tmpdir(), "orgsync-compiled-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const makeHome = (): string => mkdtempSync(join(root, "home-"));
const find = (XDG_CACHE_HOME: string): string | undefined => findCacheFolder({ XDG_CACHE_HOME });

describe.runIf(onPosix)("the folder for compiled code", () => {
	it("is made in the user's cache folder, for its owner alone", () => {
		const home = makeHome();
		expect(find(join(home, "caches"))).toBe(join(home, "caches/orgsync/compiled"));
		expect(lstatSync(join(home, "caches/orgsync")).mode & 0o777).toBe(0o700);
		expect(find(join(home, "caches"))).toBe(join(home, "caches/orgsync/compiled"));
	});

	it("is not in a relative path, and not in the shared temporary folder where there is no home", () => {
		expect(findCacheFolder({ XDG_CACHE_HOME: "caches" })).toBeUndefined();
		expect(findCacheFolder({ HOME: "" })).toBeUndefined();
	});

	it.each([
		["others can write to it", (home: string) => chmodSync(join(home, "orgsync/compiled"), 0o777)],
		["others can read and write its parent", (home: string) => chmodSync(join(home, "orgsync"), 0o777)],
		["others can replace its parent", (home: string) => chmodSync(home, 0o777)],
		[
			"it is a link",
			(home: string) => {
				rmSync(join(home, "orgsync/compiled"), { recursive: true });
				mkdirSync(join(home, "elsewhere"), { mode: 0o700 });
				symlinkSync(join(home, "elsewhere"), join(home, "orgsync/compiled"));
			},
		],
	])("is not used if %s", (_why, breakIt) => {
		const home = makeHome();
		expect(find(home)).toBe(join(home, "orgsync/compiled"));
		breakIt(home);
		expect(find(home)).toBeUndefined();
	});

	it.skipIf(process.geteuid?.() !== 0)("is not used if it belongs to another user", () => {
		const home = makeHome();
		expect(find(home)).toBe(join(home, "orgsync/compiled"));
		chownSync(join(home, "orgsync/compiled"), 12345, 12345);
		expect(find(home)).toBeUndefined();
	});
});
