/** What a test copies of the project is what a clone has, whatever was played there before. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { copyAsCloned } from "./clone.ts";

it("a copy has the files of an example, and not the state of commands that were run there", () => {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-copy-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	mkdirSync(join(folder, "examples/quickstart/.orgsync"), { recursive: true });
	for (const name of ["document.yaml", "Pulumi.yaml", "Pulumi.local.yaml", ".orgsync/journal.sqlite"]) {
		writeFileSync(join(folder, "examples/quickstart", name), "");
	}
	copyAsCloned(folder, "examples", join(folder, "copy"));
	copyAsCloned(folder, "examples/quickstart/document.yaml", join(folder, "copy"));
	expect(readdirSync(join(folder, "copy/examples/quickstart")).sort()).toEqual(["Pulumi.yaml", "document.yaml"]);
});
