/**
 * The example workflows as data, and a small runner for them: their `run` blocks in bash as GitHub runs them, as they are
 * written; for the actions that they use, what those do to the folder. `gh` is a recorder, `orgsync` is the real one.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { type Answer, makeFolder, orgsync, runProgram } from "../run.ts";
import { type Context, fillIn, holds, type Standing } from "./expressions.ts";
import { answersFile, type Call, callsFile, encodeAnswers, type Prepared } from "./recorder.ts";

interface Step {
	readonly name?: string;
	readonly id?: string;
	readonly if?: string;
	readonly uses?: string;
	readonly with?: Readonly<Record<string, unknown>>;
	readonly env?: Readonly<Record<string, string>>;
	readonly run?: string;
}

export interface Job {
	readonly needs?: string | readonly string[];
	readonly if?: string;
	readonly permissions?: Readonly<Record<string, string>>;
	readonly environment?: string;
	readonly outputs?: Readonly<Record<string, string>>;
	readonly strategy?: { readonly "fail-fast": boolean; readonly matrix: Readonly<Record<string, readonly unknown[]>> };
	readonly "timeout-minutes"?: number;
	readonly steps: readonly Step[];
}

export interface Workflow {
	readonly name: string;
	// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
	readonly on: any;
	readonly permissions: Readonly<Record<string, string>>;
	readonly concurrency: { readonly group: string; readonly "cancel-in-progress": boolean };
	readonly defaults: { readonly run: { readonly shell: string } };
	readonly env: Readonly<Record<string, string>>;
	readonly jobs: Readonly<Record<string, Job>>;
}

/** Where the examples are. */
export const examples = fileURLToPath(new URL("../../examples/pipelines/", import.meta.url));

export const workflowNames = [
	"orgsync-plan",
	"orgsync-apply",
	"orgsync-drift",
	"orgsync-fleet",
	"orgsync-pulumi-preview",
	"orgsync-pulumi-up",
] as const;

export type WorkflowName = (typeof workflowNames)[number];

export function readExample(path: string): string {
	return readFileSync(join(examples, path), "utf8");
}

export function readWorkflow(name: WorkflowName): Workflow {
	return parse(readExample(`github/${name}.yml`));
}

export const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] =>
	value === undefined ? [] : ([value].flat() as readonly T[]);

/** The recorders, and what they are to answer. */
export interface Recorders {
	/** First on PATH. */
	readonly path: string;
	readonly folder: string;
	prepare(...answers: readonly Prepared[]): void;
	/** How they were called since the last time that this was asked. */
	calls(program: string): readonly Call[];
}

/** Programs of these names that record, beside the real `orgsync`. */
export function makeRecorders(...programs: readonly string[]): Recorders {
	const folder = makeFolder();
	const recorder = fileURLToPath(new URL("./recorder.ts", import.meta.url));
	const write = (name: string, command: readonly string[]): void => {
		const words = command.map((word) => `'${word}'`).join(" ");
		writeFileSync(join(folder, name), `#!/bin/sh\nexec ${words} "$@"\n`);
		chmodSync(join(folder, name), 0o755);
	};
	for (const program of programs) write(program, [process.execPath, recorder, program]);
	// What `npm ci` would bring is there.
	write("npm", ["true"]);
	write("orgsync", orgsync);
	const calls = join(folder, callsFile);
	writeFileSync(join(folder, answersFile), "[]");
	return {
		path: `${folder}:${process.env.PATH}`,
		folder,
		prepare: (...answers) => writeFileSync(join(folder, answersFile), encodeAnswers(answers)),
		calls: (program) => {
			const lines = existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
			writeFileSync(calls, "");
			return lines
				.filter((line) => line !== "")
				.map((line) => JSON.parse(line) as Call)
				.filter((call) => call.program === program);
		},
	};
}

/** What becomes of one run of a workflow. */
export interface Ran {
	/** By job; a job of a matrix as `JOB (VALUE)`. */
	readonly results: Readonly<Record<string, string>>;
	readonly summary: string;
	/** Standard output and error of all steps, in order. */
	readonly log: string;
	readonly artifacts: Readonly<Record<string, string>>;
	/** The folders in which the jobs ran. */
	readonly workspaces: readonly string[];
}

type Meanwhile = (job: string, artifacts: Readonly<Record<string, string>>) => void;

/** A repository with its caches, in which workflows are run. */
export interface Actions {
	readonly recorders: Recorders;
	/** `meanwhile` is called before each job that runs, with the artifacts by their names. */
	run(name: WorkflowName, context: Context, meanwhile?: Meanwhile): Promise<Ran>;
}

/** `repository` is a git repository; `checkout` takes the commit that `github.sha` names. */
export function makeActions(repository: string, recorders: Recorders): Actions {
	const caches = new Map<string, string>();
	return {
		recorders,
		run: (name, context, meanwhile = () => {}) =>
			new Run(readWorkflow(name), repository, recorders, caches, context).run(meanwhile),
	};
}

interface Running {
	readonly workspace: string;
	readonly context: Record<string, unknown>;
	readonly path: string[];
	readonly steps: Record<string, { outputs: Record<string, string>; outcome: string }>;
	standing: Standing;
}

class Run {
	readonly #workflow: Workflow;
	readonly #repository: string;
	readonly #recorders: Recorders;
	readonly #caches: Map<string, string>;
	readonly #context: Context;
	readonly #artifacts: Record<string, string> = {};
	readonly #needs: Record<string, { result: string; outputs: Record<string, string> }> = {};
	readonly #workspaces: string[] = [];
	#summary = "";
	#log = "";

	constructor(
		workflow: Workflow,
		repository: string,
		recorders: Recorders,
		caches: Map<string, string>,
		context: Context,
	) {
		this.#workflow = workflow;
		this.#repository = repository;
		this.#recorders = recorders;
		this.#caches = caches;
		this.#context = context;
	}

	async run(meanwhile: Meanwhile): Promise<Ran> {
		const results: Record<string, string> = {};
		for (const [name, job] of Object.entries(this.#workflow.jobs)) {
			const needed = listOf(job.needs).map((need) => this.#needs[need]?.result);
			const standing = needed.every((result) => result === "success") ? "success" : "failure";
			if (!holds(job.if, { ...this.#context, needs: this.#needs }, standing)) {
				this.#needs[name] = { result: "skipped", outputs: {} };
				results[name] = "skipped";
				continue;
			}
			meanwhile(name, this.#artifacts);
			const matrix = Object.entries(job.strategy?.matrix ?? {});
			const cells = matrix.flatMap(([key, values]) => values.map((value) => ({ [key]: value })));
			const ran = [];
			for (const cell of cells.length === 0 ? [{}] : cells) {
				const one = await this.#runJob(job, { matrix: cell, strategy: { "job-total": cells.length } });
				results[cells.length === 0 ? name : `${name} (${Object.values(cell).join(", ")})`] = one.result;
				ran.push(one);
			}
			this.#needs[name] = ran.find(({ result }) => result !== "success") ??
				ran[0] ?? { result: "skipped", outputs: {} };
		}
		return {
			results,
			summary: this.#summary,
			log: this.#log,
			artifacts: this.#artifacts,
			workspaces: this.#workspaces,
		};
	}

	async #runJob(job: Job, own: Context): Promise<{ result: string; outputs: Record<string, string> }> {
		const steps: Running["steps"] = {};
		// A secret of an environment is there only for its jobs.
		const secrets = (this.#context.secretsOf as Record<string, object>)[job.environment ?? ""] ?? {};
		const context = { ...this.#context, ...own, needs: this.#needs, steps, secrets };
		const running: Running = { workspace: makeFolder(), context, path: [], steps, standing: "success" };
		this.#workspaces.push(running.workspace);
		for (const step of job.steps) {
			const wanted = holds(step.if, context, running.standing);
			const outputs = wanted ? await this.#runStep(step, running) : {};
			const failed = wanted && outputs === undefined;
			if (failed) running.standing = "failure";
			if (step.id !== undefined && steps[step.id] === undefined) {
				steps[step.id] = { outputs: outputs ?? {}, outcome: wanted ? (failed ? "failure" : "success") : "skipped" };
			}
		}
		const named = Object.entries(job.outputs ?? {}).map(([key, text]) => [key, fillIn(text, context)]);
		return { result: running.standing, outputs: Object.fromEntries(named) };
	}

	/** The outputs of the step; undefined when it failed. */
	async #runStep(step: Step, running: Running): Promise<Record<string, string> | undefined> {
		if (step.run === undefined) return this.#use(step, running) ? {} : undefined;
		const command = join(makeFolder(), "step.sh");
		writeFileSync(command, step.run);
		const files = { GITHUB_OUTPUT: "", GITHUB_STEP_SUMMARY: "", GITHUB_PATH: "" };
		for (const key of Object.keys(files) as (keyof typeof files)[]) {
			files[key] = join(makeFolder(), key);
			writeFileSync(files[key], "");
		}
		const filled = Object.entries({ ...this.#workflow.env, ...step.env }).map(([key, text]) => [
			key,
			fillIn(text, running.context),
		]);
		const { sha } = this.#context.github as { sha: string };
		const answer: Answer = await runProgram(["bash", "--noprofile", "--norc", "-eo", "pipefail", command], {
			cwd: running.workspace,
			env: {
				...files,
				...Object.fromEntries(filled),
				PATH: [...running.path, this.#recorders.path].join(":"),
				RECORDER: this.#recorders.folder,
				GITHUB_ACTIONS: "true",
				GITHUB_SHA: sha,
				CI: "true",
			},
		});
		this.#log += answer.stdout + answer.stderr;
		this.#summary += readFileSync(files.GITHUB_STEP_SUMMARY, "utf8");
		running.path.push(...readFileSync(files.GITHUB_PATH, "utf8").split("\n").filter(Boolean));
		const lines = readFileSync(files.GITHUB_OUTPUT, "utf8").split("\n").filter(Boolean);
		const outputs = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
		if (answer.code === 0) return outputs;
		// What was put out before the step failed is there all the same.
		if (step.id !== undefined) running.steps[step.id] = { outputs, outcome: "failure" };
		return undefined;
	}

	/** Does what the action does to the folder of the job; false when it fails. */
	#use(step: Step, { workspace, context }: Running): boolean {
		const filled = Object.entries(step.with ?? {}).map(([key, value]) => [key, fillIn(String(value), context)]);
		const { name = "", path = "", pattern, key = "", ...rest } = Object.fromEntries(filled) as Record<string, string>;
		const folder = join(workspace, path);
		switch (step.uses?.split("@")[0]) {
			case "actions/checkout":
				cpSync(this.#repository, workspace, { recursive: true });
				return true;
			case "actions/setup-node":
				return true;
			case "actions/upload-artifact":
				this.#artifacts[name] = copyOf(folder);
				return true;
			case "actions/download-artifact": {
				if (pattern === undefined) return put(this.#artifacts[name], folder);
				const fitting = Object.keys(this.#artifacts).filter((one) => one.startsWith(pattern.replace("*", "")));
				return fitting.every((one) => put(this.#artifacts[one], join(folder, one)));
			}
			case "actions/cache/restore": {
				const found = [...this.#caches.keys()].findLast((one) => one.startsWith(rest["restore-keys"] ?? key));
				if (found !== undefined) put(this.#caches.get(found), folder);
				return true;
			}
			case "actions/cache/save":
				if (existsSync(folder)) this.#caches.set(key, copyOf(folder));
				return true;
			default:
				throw new Error(`no action that this test knows: ${step.uses}`);
		}
	}
}

function copyOf(folder: string): string {
	const copy = makeFolder();
	put(folder, copy);
	return copy;
}

function put(from: string | undefined, folder: string): boolean {
	if (from === undefined || !existsSync(from)) return false;
	mkdirSync(folder, { recursive: true });
	for (const name of readdirSync(from)) cpSync(join(from, name), join(folder, name), { recursive: true });
	return true;
}
