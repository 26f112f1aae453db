/** The workflow that makes a release: what its steps do, and what it refuses. test/workflows.test.ts has what all workflows keep. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { manifest, root } from "../scripts/manifest.ts";
import { compiledFolder, variablesOfRun } from "./shared.ts";

interface Step {
	readonly name?: string;
	readonly run?: string;
}

const text = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
const workflow = parse(text) as {
	readonly jobs: Readonly<Record<string, { readonly environment?: string; readonly steps: readonly Step[] }>>;
};
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

/** Runs a step as GitHub does, in a folder with these files. */
function runStep(name: string, files: Readonly<Record<string, string>>, tag: string) {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-release-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	for (const [file, content] of Object.entries(files)) {
		mkdirSync(join(folder, file, ".."), { recursive: true });
		writeFileSync(join(folder, file), content);
	}
	const script = steps.find((step) => step.name === name)?.run ?? "exit 99";
	const repository = { GITHUB_SERVER_URL: "https://forge.example", GITHUB_REPOSITORY: "acme/orgsync" };
	const env = {
		...variablesOfRun(),
		NODE_COMPILE_CACHE: compiledFolder,
		PATH: process.env.PATH,
		GITHUB_REF_NAME: tag,
		RUNNER_TEMP: folder,
		...repository,
	};
	const { status, stdout } = spawnSync("bash", ["-eo", "pipefail", "-c", script], {
		cwd: folder,
		env,
		encoding: "utf8",
	});
	const read = (file: string): string => readFileSync(join(folder, file), "utf8");
	return { status, stdout, read, folder };
}

describe("the release workflow", () => {
	it("packs the package with the address of the repository, which its provenance is compared with", () => {
		const manifestText = JSON.stringify({ name: "orgsync", version: "1.2.3" });
		const packed = runStep(
			"Pack the package with the address of this repository",
			{ "package.json": manifestText, "release/.keep": "" },
			"v1.2.3",
		);
		expect(packed.status, packed.stdout).toBe(0);
		expect(JSON.parse(packed.read("package.json"))).toMatchObject({
			repository: { type: "git", url: "git+https://forge.example/acme/orgsync.git" },
		});
		expect(existsSync(join(packed.folder, "release/orgsync-1.2.3.tgz"))).toBe(true);
	});

	it("publishes nothing before a person has agreed", () => {
		const publishing = Object.entries(workflow.jobs).filter(([, job]) =>
			job.steps.some(({ run = "" }) => /npm publish|gh release create|--push/.test(run)),
		);
		expect(publishing.map(([name, { environment }]) => [name, environment])).toEqual([
			["release", "release"],
			["npm", "npm"],
			["image", "release"],
		]);
	});

	it("refuses a tag of another version, and a version without a date in the changelog", () => {
		const check = (tag: string, heading: string) =>
			runStep(
				"Compare the tag with the version",
				{ "package.json": JSON.stringify({ version: "1.2.3" }), "CHANGELOG.md": `# Changelog\n\n## ${heading}\n` },
				tag,
			);
		expect(check("v1.2.3", "1.2.3 - 2026-12-01").status).toBe(0);
		expect(check("v1.2.4", "1.2.3 - 2026-12-01")).toMatchObject({
			status: 1,
			stdout: "::error::the tag is not v1.2.3\n",
		});
		expect(check("v1.2.3", "1.2.3 - not released")).toMatchObject({ status: 1 });
		expect(check("v1.2.3", "1.2.30 - 2026-12-01")).toMatchObject({ status: 1 });
	});

	it("takes the notes of the version from the changelog, and lists the checksum of every file", () => {
		const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
		const older = `${changelog}\n## 0.0.9 - 2020-01-01\n\n- Older.\n`;
		const notes = runStep("Take the notes from the changelog", { "CHANGELOG.md": older }, `v${manifest.version}`);
		expect(notes.status).toBe(0);
		expect(notes.read("notes.txt")).toContain("Plan and apply:");
		expect(notes.read("notes.txt")).not.toContain("Older.");
		const files = { "release/a.tar.gz": "a", "release/b.tgz": "b", "release/c.cdx.json": "c", "release/note.txt": "" };
		const sums = runStep("Write the checksums", files, "v1.2.3").read("release/SHA256SUMS");
		expect(sums).toMatch(/^[0-9a-f]{64} {2}a\.tar\.gz\n[0-9a-f]{64} {2}b\.tgz\n[0-9a-f]{64} {2}c\.cdx\.json\n$/);
	});
});
