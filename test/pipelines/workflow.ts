/**
 * The example workflows as data, and a small runner for them: their `run` blocks in bash as GitHub runs them, as they are
 * written, and the steps of action.yml; for other actions, what those do to the folder. `gh` is a recorder, `orgsync` is the real
 * one.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { runStep } from "../../src/action/steps.ts";
import { type Answer, makeFolder, orgsync, runHere, runProgram } from "../run.ts";
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
	readonly shell?: string;
}

/** The action of this repository. */
interface Action {
	readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
	readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
	readonly runs: { readonly steps: readonly Step[] };
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
	readonly defaults?: { readonly run: { readonly shell: string } };
	readonly env?: Readonly<Record<string, string>>;
	readonly jobs: Readonly<Record<string, Job>>;
}

/** Where the examples are. */
export const examples = fileURLToPath(new URL("../../examples/pipelines/", import.meta.url));

export const workflowNames = [
	"orgsync-plan",
	"orgsync-apply",
	"orgsync-drift",
	"orgsync-expire",
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

export const action: Action = parse(readFileSync(new URL("../../action.yml", import.meta.url), "utf8"));

/** The name of the action in the examples, which stands for the repository that has it. */
export const actionName = "orgsync.invalid/orgsync";

const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] =>
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
	write("node", [process.execPath]);
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
	/** RUNNER_TEMP. */
	readonly temporary: string;
	readonly context: Record<string, unknown>;
	readonly path: string[];
	readonly steps: Record<string, { outputs: Record<string, string>; outcome: string }>;
	standing: Standing;
}

type Outputs = Readonly<Record<string, string>>;

interface Ended {
	/** What was put out before the step failed is there all the same. */
	readonly outputs: Outputs;
	readonly passed: boolean;
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

	async #runJob(job: Job, own: Context): Promise<{ result: string; outputs: Outputs }> {
		const steps: Running["steps"] = {};
		// A secret of an environment is there only for its jobs.
		const secrets = (this.#context.secretsOf as Record<string, object>)[job.environment ?? ""] ?? {};
		const context = { ...this.#context, ...own, needs: this.#needs, steps, secrets };
		const folders = { workspace: makeFolder(), temporary: makeFolder() };
		const running: Running = { ...folders, context, path: [], steps, standing: "success" };
		this.#workspaces.push(running.workspace);
		await this.#runSteps(job.steps, running);
		const named = Object.entries(job.outputs ?? {}).map(([key, text]) => [key, fillIn(text, context)]);
		return { result: running.standing, outputs: Object.fromEntries(named) };
	}

	async #runSteps(steps: readonly Step[], running: Running): Promise<void> {
		for (const step of steps) {
			const wanted = holds(step.if, running.context, running.standing);
			const ended = wanted ? await this.#runStep(step, running) : undefined;
			if (ended?.passed === false) running.standing = "failure";
			const outcome = ended === undefined ? "skipped" : ended.passed ? "success" : "failure";
			if (step.id !== undefined) running.steps[step.id] = { outputs: ended?.outputs ?? {}, outcome };
		}
	}

	async #runStep(step: Step, running: Running): Promise<Ended> {
		if (step.uses?.split("@")[0] === actionName) return this.#runAction(step, running);
		if (step.run === undefined) return { outputs: {}, passed: this.#use(step, running) };
		const files = { GITHUB_OUTPUT: "", GITHUB_STEP_SUMMARY: "", GITHUB_PATH: "" };
		for (const key of Object.keys(files) as (keyof typeof files)[]) {
			files[key] = join(makeFolder(), key);
			writeFileSync(files[key], "");
		}
		const filled = Object.entries({ ...this.#workflow.env, ...step.env }).map(([key, text]) => [
			key,
			fillIn(text, running.context),
		]);
		const answer = await this.#runScript(step.run, running, {
			...files,
			...this.#variables(running),
			...Object.fromEntries(filled),
		});
		this.#log += answer.stdout + answer.stderr;
		this.#summary += readFileSync(files.GITHUB_STEP_SUMMARY, "utf8");
		running.path.push(...readFileSync(files.GITHUB_PATH, "utf8").split("\n").filter(Boolean));
		return { outputs: readOutputs(readFileSync(files.GITHUB_OUTPUT, "utf8")), passed: answer.code === 0 };
	}

	/** Runs the script in bash; a step of the action, which does nothing else, in this process if it is not packed. */
	async #runScript(script: string, { workspace, path }: Running, given: Record<string, string>): Promise<Answer> {
		const { actionPath } = this.#context;
		const env = { ...given, GITHUB_ACTION_PATH: typeof actionPath === "string" ? actionPath : unpacked() };
		const [, name] = /^exec node "\$GITHUB_ACTION_PATH\/dist\/action\/main\.js" (\w+)$/.exec(script.trim()) ?? [];
		if (name !== undefined && actionPath === undefined)
			return runHere((terminal) => runStep(name, terminal), { cwd: workspace, env });
		const command = join(makeFolder(), "step.sh");
		writeFileSync(command, script);
		return runProgram(["bash", "--noprofile", "--norc", "-eo", "pipefail", command], {
			cwd: workspace,
			env: { ...env, PATH: [...path, this.#recorders.path].join(":"), RECORDER: this.#recorders.folder },
		});
	}

	/** What a runner has in the environment of every step. */
	#variables({ temporary }: Running): Record<string, string> {
		const github = this.#context.github as Record<string, unknown>;
		const eventFile = join(temporary, "event.json");
		writeFileSync(eventFile, JSON.stringify(github.event));
		const names = ["sha", "repository", "ref_name", "run_id", "run_attempt", "server_url", "api_url", "event_name"];
		return {
			...Object.fromEntries(names.map((name) => [`GITHUB_${name.toUpperCase()}`, String(github[name] ?? "")])),
			GITHUB_EVENT_PATH: eventFile,
			GITHUB_ACTIONS: "true",
			RUNNER_TEMP: temporary,
			CI: "true",
		};
	}

	/** Runs the steps of action.yml: they see its inputs and each other, and nothing of the job's steps and secrets. */
	async #runAction(step: Step, outer: Running): Promise<Ended> {
		const { github, runner } = outer.context;
		const defaults = Object.entries(action.inputs).map(([name, one]) => [name, fillIn(one.default ?? "", { github })]);
		const more = this.#context.moreInputs as Record<string, string> | undefined;
		const given = Object.entries({ ...step.with, ...more }).map(([name, value]) => [
			name,
			fillIn(String(value), outer.context),
		]);
		for (const [name = ""] of given) if (!(name in action.inputs)) throw new Error(`the action has no input ${name}`);
		const steps: Running["steps"] = {};
		const inputs = Object.fromEntries([...defaults, ...given]);
		const running: Running = { ...outer, context: { github, runner, inputs, steps }, steps, standing: "success" };
		await this.#runSteps(action.runs.steps, running);
		const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, fillIn(value, running.context)]);
		return { outputs: Object.fromEntries(outputs), passed: running.standing === "success" };
	}

	/** Does what the action does to the folder of the job; false when it fails. */
	#use(step: Step, { workspace, context }: Running): boolean {
		const filled = Object.entries(step.with ?? {}).map(([key, value]) => [key, fillIn(String(value), context)]);
		const { name = "", path = "", key = "", ...rest } = Object.fromEntries(filled) as Record<string, string>;
		const folder = resolve(workspace, path);
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
				const runs = this.#context.artifactsOfRuns as Record<string, Record<string, string>> | undefined;
				return put((rest["run-id"] === undefined ? this.#artifacts : runs?.[rest["run-id"]])?.[name], folder);
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

/** Outputs as a step writes them: `NAME=VALUE`, or `NAME<<END`, lines, `END`. */
function readOutputs(text: string): Outputs {
	const blocks = [...text.matchAll(/^([\w-]+)(?:=(.*)|<<(\S+)\n([\s\S]*?)\n\3)$/gm)];
	return Object.fromEntries(blocks.map(([, name = "", line, , lines]) => [name, line ?? lines ?? ""]));
}

/** A folder that looks like the packed action to its first step. */
function unpacked(): string {
	const folder = makeFolder();
	mkdirSync(join(folder, "dist/action"), { recursive: true });
	writeFileSync(join(folder, "dist/action/main.js"), "");
	return folder;
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
