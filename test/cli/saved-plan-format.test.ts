/** A plan that an earlier release saved is applied: its format has reasons as texts. */
import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../run.ts";

test("apply --plan runs a plan of format 1", () => {
	const root = join(import.meta.dirname, "../..");
	const plan = join(root, "test/golden/saved/plan-format-1.json");
	const folder = makeFolder();
	copyFileSync(join(root, "examples/quickstart/document.yaml"), join(folder, "document.yaml"));
	const words = ["apply", "--local", "-f", "document.yaml", "--plan", plan, "--quiet"];
	const answer = execFileSync(process.execPath, [join(root, "src/cli/main.ts"), ...words], {
		cwd: folder,
		encoding: "utf8",
	});
	expect(answer).toContain("Applied: 5 completed (");
});
