/**
 * `pulumi preview` on a pull request and `pulumi up` after its merge, run from the workflows as they are written: with the real
 * engine. `curl` brings an archive whose `pulumi` is that engine, which has the plugin already.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, test } from "vitest";
import { pluginFile } from "../../scripts/manifest.ts";
import { ensureEngine } from "../engine/engine.ts";
import { shareArchives } from "../engine/install.ts";
import { prepareOrSkip } from "../needs.ts";
import { makeFolder, runProgram } from "../run.ts";
import { document } from "../world.ts";
import type { Context } from "./expressions.ts";
import { makeRepository, type Repository } from "./repository.ts";
import { readWorkflow } from "./workflow.ts";

const shared = inject("sharedFolder");
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

const program = `name: acme-access
runtime: yaml
resources:
  acme: { type: "orgsync:Organization", properties: { document: orgsync.yaml } }
`;

// A name that a shell, a workflow or a comment could take for orders.
let engine: string;
prepareOrSkip(async () => {
	({ folder: engine } = await ensureEngine());
});

const hostile = "@team `touch pwned` $(touch pwned) ``` </details> ::error::x";
const policyId = "9a000000-0000-4000-8000-000000000001";
const removing = document(`absent: { policies: [${policyId}] }`);

interface PulumiRepository extends Repository {
	/** The context, with the variables and secrets of Pulumi. */
	withPulumi(context: Context, sum?: string): Context;
}

/** A repository with the program, the plugin's archives and a stack. */
async function makePulumiRepository(): Promise<PulumiRepository> {
	const repository = await makeRepository(document(), { "organization/Pulumi.yaml": program });
	await repository.change({ policies: [{ policyId, policyName: hostile }] });
	cpSync(await shareArchives(shared), join(repository.checkout, "plugins"), { recursive: true });
	// No proposal commits them.
	writeFileSync(join(repository.checkout, ".git/info/exclude"), "plugins/\n");

	const made = makeFolder();
	mkdirSync(join(made, "pulumi"));
	// What installs the plugin from a file is tested with docs/pulumi.md: here it only has to be there, and is found on the path.
	const install = `if [ "$1 $2 $3 $4 $5 $6" = "plugin install resource orgsync ${version} --file" ]; then test -s "$7"; exit; fi`;
	const launcher = `#!/bin/sh\n${install}\nPATH="${engine}:${dirname(pluginFile)}:$PATH" exec "${engine}/pulumi" "$@"\n`;
	writeFileSync(join(made, "pulumi/pulumi"), launcher, { mode: 0o755 });
	const archive = join(made, "pulumi.tar.gz");
	execFileSync("tar", ["-czf", archive, "-C", made, "pulumi"]);
	const right = createHash("sha256").update(readFileSync(archive)).digest("hex");
	repository.recorders.prepare(
		{ when: /^curl .*get\.pulumi\.com\/releases\/sdk\/pulumi-v[\d.]+-linux-x64\.tar\.gz$/, copy: archive },
		{ when: /issues\/7\/comments --jq/, stdout: [] },
		{ when: /--method POST/ },
	);

	const backend = `file://${makeFolder()}`;
	const env = { PULUMI_BACKEND_URL: backend, PULUMI_CONFIG_PASSPHRASE: "test", PULUMI_SKIP_UPDATE_CHECK: "true" };
	const cwd = join(repository.checkout, "organization");
	const { code, stderr } = await runProgram([join(made, "pulumi/pulumi"), "stack", "init", "acme"], { cwd, env });
	expect(code, stderr).toBe(0);
	return {
		...repository,
		withPulumi: (context, sum = right) => ({
			...context,
			vars: { ORGSYNC_URL: repository.url, PULUMI_BACKEND_URL: backend, PULUMI_SHA256: sum },
			secretsOf: Object.fromEntries(
				Object.entries(context.secretsOf as Record<string, object>).map(([environment, secrets]) => [
					environment,
					{ ...secrets, PULUMI_ACCESS_TOKEN: "", PULUMI_CONFIG_PASSPHRASE: "test" },
				]),
			),
		}),
	};
}

test("a pull request is previewed in a comment, unless Pulumi's checksum is wrong or it comes from a fork; up waits for an approval, and completes when it runs again", {
	timeout: 180_000,
}, async () => {
	const repository = await makePulumiRepository();
	const { actions, recorders, pullRequest, onMain, byHand, withPulumi, submits, setRules } = repository;
	expect(readWorkflow("orgsync-pulumi-up").env?.PLUGIN_VERSION).toBe(version);

	repository.clearRequests();
	const wrong = await actions.run("orgsync-pulumi-preview", withPulumi(pullRequest(), "0".repeat(64)));
	expect(wrong.results).toEqual({ preview: "failure", comment: "skipped" });
	expect(wrong.log).toMatch(/FAILED[\s\S]*did NOT match/);
	const fork = await actions.run("orgsync-pulumi-preview", withPulumi(pullRequest({ from: "mallory/access" })));
	expect(fork.results).toEqual({ preview: "skipped", comment: "skipped" });
	expect(recorders.calls("gh")).toEqual([]);
	expect(repository.requests()).toEqual([]);

	// A guard that blocks makes the preview red, with the reason in the comment.
	repository.propose(document(`absent: { policies: [${policyId}] }`, "limits: { policies: 0 }"));
	const blocked = await actions.run("orgsync-pulumi-preview", withPulumi(pullRequest()));
	expect(blocked.results, blocked.log).toEqual({ preview: "failure", comment: "success" });
	expect(recorders.calls("gh").at(-1)?.bodies[0]).toMatch(
		/^<!-- orgsync: pulumi -->\n[\s\S]*error: [\s\S]*blocked by a guard/,
	);
	expect(submits()).toEqual([]);

	repository.propose(removing);
	const preview = await actions.run("orgsync-pulumi-preview", withPulumi(pullRequest()));
	expect(preview.results, preview.log).toEqual({ preview: "success", comment: "success" });
	const [comment = ""] = recorders.calls("gh").at(-1)?.bodies ?? [];
	expect(comment).toMatch(/^<!-- orgsync: pulumi -->\n### Pulumi preview: 3 create\n\n {4}Organization /);
	expect(comment).toContain("Plan: 1 activity");
	// Outside the head and the link, every line belongs to the block of code.
	const others = comment.trimEnd().split("\n").slice(2, -1);
	expect(others.filter((line) => line !== "" && !line.startsWith("    "))).toEqual([]);
	expect(others.join("\n")).toContain("touch pwned");
	expect(submits()).toEqual([]);

	await setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
	const pending = await actions.run("orgsync-pulumi-up", withPulumi(onMain()));
	expect(pending.results, pending.log).toEqual({ up: "failure" });
	expect(pending.log).toContain("::error title=orgsync::Pending approval.");
	expect(submits()).toEqual(["delete_policies"]);
	const [activity] = repository.activities().slice(-1);
	await repository.submitAsBob("approve_activity", { fingerprint: activity.fingerprint });
	const repeated = await actions.run("orgsync-pulumi-up", withPulumi(byHand()));
	expect(repeated.results, repeated.log).toEqual({ up: "success" });
	expect(submits()).toEqual(["delete_policies", "approve_activity"]);
	expect(JSON.stringify(repository.organization().policies)).not.toContain(policyId);
	const workspaces = [preview, pending, repeated].flatMap((ran) => ran.workspaces);
	expect(workspaces.filter((folder) => existsSync(join(folder, "pwned")))).toEqual([]);
	expect(`${preview.log}${pending.log}${repeated.log}`).not.toMatch(/^::error::x/m);
});
