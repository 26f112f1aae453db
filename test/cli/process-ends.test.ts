/**
 * What only a process of its own shows: that it ends, and that no package writes on its standard error.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { makeFolder, run, runProcess } from "../run.ts";

const quickstart = new URL("../../examples/quickstart/document.yaml", import.meta.url);

function makeQuickstart(): string {
	const folder = makeFolder();
	copyFileSync(quickstart, join(folder, "orgsync.yaml"));
	return folder;
}

test("apply with the local emulator ends with exit code 1 when the journal cannot be opened", async () => {
	const cwd = makeQuickstart();
	const file = join(cwd, "newer.sqlite");
	await run(["apply", "--local", "--yes", "--journal", file], { cwd });
	const journal = new DatabaseSync(file);
	journal.exec("PRAGMA user_version = 99");
	journal.close();
	const { code, stderr } = await runProcess(["apply", "--local", "--yes", "--journal", file], { cwd });
	expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("a newer orgsync wrote it") });
});

test("show writes nothing to standard error", async () => {
	const cwd = makeQuickstart();
	await run(["plan", "--local", "--out", "plan.json"], { cwd });
	expect(await runProcess(["show", "plan.json"], { cwd })).toMatchObject({ code: 0, stderr: "" });
});
