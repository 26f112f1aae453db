/** A plan that an earlier release saved: its format has reasons as texts, and its impact was found by other rules. */
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { impactModel } from "../../../src/plan/impact/impact.ts";
import { digestOf } from "../../../src/plan/value.ts";
import { makeFolder } from "../../run.ts";

const root = join(import.meta.dirname, "../../..");
const golden = join(root, "test/golden/saved/plan-format-1.json");

function applySaved(plan: string) {
	const folder = makeFolder();
	copyFileSync(join(root, "examples/quickstart/document.yaml"), join(folder, "document.yaml"));
	const words = ["apply", "--local", "-f", "document.yaml", "--plan", plan, "--quiet"];
	const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "src/cli/main.ts"), ...words], {
		cwd: folder,
		encoding: "utf8",
	});
	return { code: status, stdout, stderr };
}

test("apply --plan of a plan by an older model submits nothing and asks for another plan, although nothing is stale", () => {
	const { code, stderr } = applySaved(golden);
	expect(code).toBe(6);
	expect(stderr).toMatch(/^error: the saved plan was made by an older orgsync, nothing was submitted: /m);
	expect(stderr).toMatch(/^hint: plan again, /m);
	expect(stderr).not.toContain("stale");
});

test("apply --plan runs a plan of format 1, whose reasons are texts, where its impact is of this model", () => {
	const { digest: _, ...content } = JSON.parse(readFileSync(golden, "utf8"));
	const current = { ...content, plans: content.plans.map((plan: object) => ({ ...plan, impactModel })) };
	const file = join(makeFolder(), "plan.json");
	writeFileSync(file, JSON.stringify({ ...current, digest: digestOf(current) }));
	expect(applySaved(file)).toMatchObject({ code: 0, stdout: expect.stringContaining("Applied: 5 completed (") });
});
