/**
 * A stack in this process: the same program, providers and commands as of the real engine's stack (test/engine/harness.ts), in
 * milliseconds. What only the real engine does (its display of a diff, plugins as processes, kills, imports) is not here.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { dynamic } from "@pulumi/pulumi";
import { vi } from "vitest";
import type { Answer } from "../../engine/answer.ts";
import type { RunOptions, Stack } from "../../engine/harness.ts";
import { hideSecrets } from "../../engine/stack-files.ts";
import { isProgram, renewModules } from "../../renew-modules.ts";
import { makeFolder } from "../../run.ts";
import type { Program } from "../program.ts";
import { Deployment } from "./deployment.ts";
import { display } from "./display.ts";
import { enter } from "./enter.ts";
import type { StateResource } from "./model.ts";
import { startMonitor } from "./monitor.ts";
import { type EngineProvider, startDynamicProvider, startPluginProvider } from "./providers.ts";
import { type NodeProgram, runProgram } from "./run-program.ts";
import { hasUnknown, markSecret, type Values } from "./values.ts";

/** A value of the configuration; one in an object is a secret. */
type Configuration = Readonly<Record<string, string | { readonly secret: string }>>;

/** What of a stack there is without the real engine. */
export type InProcessStack = Pick<
	Stack,
	| "folder"
	| "preview"
	| "up"
	| "refresh"
	| "destroy"
	| "configure"
	| "state"
	| "resource"
	| "outputs"
	| "written"
	| "pulumi"
> & {
	/** Changes files of the project; a path with null is removed. */
	write(files: Readonly<Record<string, string | null>>): void;
	setProgram(program: Program): void;
	/** Replaces the state by one that was recorded, which has no failures. */
	setState(resources: readonly Omit<StateResource, "initErrors">[]): void;
	/** The state as a file has it: secrets encrypted, and failures as they are. */
	stateFile(): string;
};

export interface InProcessOptions {
	readonly program: Program | NodeProgram;
	/** The plugin, or the dynamic resources of `orgsync/pulumi`. */
	readonly adapter: "plugin" | "dynamic";
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly config?: Configuration;
	readonly files?: Readonly<Record<string, string>>;
}

/** The state of a stack between its commands. */
interface Kept {
	readonly resources: Map<string, StateResource>;
	outputs: Values;
}

const stackUrn = "urn:pulumi:test::probe::pulumi:pulumi:Stack::probe-test";

export function makeInProcessStack(options: InProcessOptions): InProcessStack {
	const folder = join(makeFolder(), "project");
	mkdirSync(folder);
	let { program } = options;
	let config = withProject(options.config ?? {});
	const kept: Kept = { resources: new Map(), outputs: {} };
	const printed: { place: string; text: string }[] = [];

	const run = async (words: readonly string[], { env = {} }: RunOptions = {}): Promise<Answer> => {
		const command = parseCommand(words);
		const secretKeys = Object.keys(config).filter((name) => typeof config[name] !== "string");
		// As the language host passes them.
		const hosted = { PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys) };
		const restore = enter(folder, { ...hosted, ...options.env, ...env });
		try {
			const shownInFull = await runCommand(command, { kept, program, config, adapter: options.adapter });
			// As the engine, which shows no secret of the configuration.
			const hidden = Object.values(config).flatMap((value) => (typeof value === "string" ? [] : value.secret));
			const hide = (text: string): string => hidden.reduce((all, one) => all.replaceAll(one, "[secret]"), text);
			const answer = { ...shownInFull, stdout: hide(shownInFull.stdout) };
			printed.push({ place: `output of pulumi ${words.join(" ")}`, text: answer.stdout });
			return answer;
		} finally {
			restore();
		}
	};
	const stack: InProcessStack = {
		folder,
		pulumi: run,
		preview: (words = [], more) => run(["preview", ...words], more),
		up: (words = [], more) => run(["up", "--yes", "--skip-preview", ...words], more),
		refresh: (words = [], more) => run(["refresh", "--yes", ...words], more),
		destroy: (words = [], more) => run(["destroy", "--yes", ...words], more),
		async configure(values) {
			config = { ...config, ...withProject(values as Configuration) };
		},
		async state() {
			const resources = [...kept.resources.values()].map(storedOf);
			return { version: 3, deployment: { resources } } as unknown as Awaited<ReturnType<Stack["state"]>>;
		},
		async resource(name) {
			const found = [...kept.resources.values()].filter(({ urn }) => urn.endsWith(`::${name}`));
			const [one] = found;
			if (one === undefined || found.length > 1) throw new Error(`${found.length} resources are called ${name}`);
			return hideSecrets(storedOf(one)) as Awaited<ReturnType<Stack["resource"]>>;
		},
		outputs: async () => hideSecrets(kept.resources.get(stackUrn)?.outputs ?? {}),
		stateFile: () => JSON.stringify([...kept.resources.values()].map((one) => hideSecrets(one))),
		written: () => [...printed, ...textsIn(join(folder, "..")), { place: "state", text: stack.stateFile() }],
		write: (files) => writeFiles(folder, files),
		setProgram: (next) => {
			program = next;
		},
		setState(resources) {
			kept.resources.clear();
			for (const one of resources) kept.resources.set(one.urn, { ...one, initErrors: [] });
		},
	};
	stack.write({ "Pulumi.yaml": "name: probe\nruntime: nodejs\n", ...options.files });
	return stack;
}

/** The configuration; a name without a colon belongs to the project. */
function withProject(config: Configuration): Configuration {
	return Object.fromEntries(
		Object.entries(config).map(([name, value]) => [name.includes(":") ? name : `probe:${name}`, value]),
	);
}

function storedOf({ initErrors, ...resource }: StateResource): object {
	return { ...resource, ...(initErrors.length === 0 ? {} : { initErrors }) };
}

function writeFiles(folder: string, files: Readonly<Record<string, string | null>>): void {
	for (const [name, content] of Object.entries(files)) {
		const file = join(folder, name);
		mkdirSync(dirname(file), { recursive: true });
		if (content === null) rmSync(file, { force: true });
		else writeFileSync(file, content);
	}
}

interface Command {
	readonly name: "preview" | "up" | "refresh" | "destroy";
	readonly refreshes: boolean;
	readonly expectsNoChanges: boolean;
	readonly continueOnError: boolean;
	readonly diff: boolean;
	readonly targets: readonly string[];
	readonly replaces: readonly string[];
}

/** Throws for a word that only the real engine knows. */
function parseCommand(words: readonly string[]): Command {
	const [name, ...flags] = words;
	if (name !== "preview" && name !== "up" && name !== "refresh" && name !== "destroy") {
		throw new Error(`only the real engine has \`pulumi ${words.join(" ")}\``);
	}
	const given: Record<"--target" | "--replace", string[]> = { "--target": [], "--replace": [] };
	const known = [
		"--yes",
		"--skip-preview",
		"--refresh",
		"--expect-no-changes",
		"--continue-on-error",
		"--diff",
		"--color=never",
	];
	for (let index = 0; index < flags.length; index += 1) {
		const flag = flags[index] ?? "";
		if (flag === "--target" || flag === "--replace") {
			index += 1;
			given[flag].push(flags[index] ?? "");
		} else if (!known.includes(flag)) throw new Error(`only the real engine has ${flag}`);
	}
	return {
		name,
		refreshes: flags.includes("--refresh"),
		expectsNoChanges: flags.includes("--expect-no-changes"),
		continueOnError: flags.includes("--continue-on-error"),
		diff: flags.includes("--diff"),
		targets: given["--target"],
		replaces: given["--replace"],
	};
}

interface CommandContext {
	readonly kept: Kept;
	readonly program: Program | NodeProgram;
	readonly config: Configuration;
	readonly adapter: "plugin" | "dynamic";
}

async function runCommand(command: Command, context: CommandContext): Promise<Answer> {
	const { kept, adapter } = context;
	const isPreview = command.name === "preview";
	const state = isPreview ? new Map(kept.resources) : kept.resources;
	const started = new Map<string, Promise<EngineProvider | undefined>>();
	let deployment!: Deployment;
	const printed = catchPrinted((line) => deployment.log({ severity: "info", message: line, urn: "" }));
	const monitor = await startMonitor({
		deployment: () => deployment,
		isPreview,
		providerOf: (reference) => providerOf(reference),
		startProvider: async (urn, _type, settings) => {
			const id = `provider-${started.size}`;
			started.set(`${urn}::${id}`, start(settings, urn, id));
			return id;
		},
	});
	const defaultUrn = "urn:pulumi:test::probe::pulumi:providers:orgsync::default";
	const start = async (settings: Values, urn: string, id: string): Promise<EngineProvider | undefined> => {
		if (hasUnknown(settings)) return undefined;
		if (adapter === "plugin") return startPluginProvider({ engine: monitor.address, settings, urn, id });
		return startDynamicProvider(await freshProviderOf(monitor.address), { settings });
	};
	const providerOf = (reference: string): Promise<EngineProvider | undefined> => {
		const key = reference === "" ? `${defaultUrn}::default` : reference;
		const known = started.get(key) ?? start(configOf(context, adapter, reference), defaultUrn, "default");
		started.set(key, known);
		return known;
	};
	const begin = (previews: boolean): Deployment =>
		new Deployment({ ...command, isPreview: previews, state, providerOf: (reference) => providerOf(reference) });
	try {
		const done: Deployment[] = [];
		if (command.refreshes || command.name === "refresh") {
			deployment = begin(false);
			await deployment.refresh();
			done.push(deployment);
		}
		if (command.name === "destroy") {
			deployment = begin(false);
			await deployment.destroy();
			done.push(deployment);
		} else if (command.name !== "refresh" && !done.some(({ hasFailed }) => hasFailed)) {
			deployment = begin(isPreview);
			await runWhole(deployment, monitor.address, isPreview, context);
			done.push(deployment);
		}
		return answerOf(done, command);
	} finally {
		printed();
		monitor.close();
		for (const provider of started.values()) (await provider)?.close();
	}
}

async function runWhole(
	deployment: Deployment,
	engine: string,
	isPreview: boolean,
	{ program, config, adapter }: CommandContext,
): Promise<void> {
	const entries = Object.entries(config);
	const classes = adapter === "plugin" ? undefined : await freshClasses();
	const errors = await runProgram({
		program,
		classes,
		engine,
		isPreview,
		ended: deployment.ended,
		config: Object.fromEntries(
			entries.map(([name, value]) => [name, typeof value === "string" ? value : value.secret]),
		),
		secretKeys: entries.flatMap(([name, value]) => (typeof value === "string" ? [] : [name])),
	});
	const own = errors.filter(
		({ message }) => !/monitor (is terminating|shut down)|failed to register|Error: Program/.test(message),
	);
	for (const { message } of own) deployment.fail(message, "");
	if (errors.length > 0) deployment.hasFailed = true;
	await deployment.deleteRest();
}

/** The dynamic provider as a new process of an engine has it: its last argument is where the engine listens. */
async function freshProviderOf(engine: string): Promise<(name: string) => dynamic.ResourceProvider> {
	renewModules(isProgram);
	const before = process.argv;
	process.argv = [process.execPath, "dynamic-provider", engine];
	try {
		return (await import("../../../src/pulumi/dynamic/provider.ts")).providerOf;
	} finally {
		process.argv = before;
	}
}

/** The classes as a new process of a program has them. */
async function freshClasses(): Promise<Readonly<Record<string, unknown>>> {
	renewModules(isProgram);
	return (await import("../../../src/pulumi/dynamic/index.ts")) as Readonly<Record<string, unknown>>;
}

/** The settings of a provider without arguments of its own: the stack's configuration. */
function configOf({ config }: CommandContext, adapter: "plugin" | "dynamic", reference: string): Values {
	if (reference !== "") throw new Error(`no provider ${reference}`);
	const own = Object.entries(config).filter(([name]) => name.startsWith("orgsync:"));
	return Object.fromEntries(
		own.map(([name, value]) => [
			adapter === "plugin" ? name.slice("orgsync:".length) : name,
			typeof value === "string" ? value : markSecret(value.secret),
		]),
	);
}

/** Takes what this process prints while the command runs: the dynamic provider's own process prints it for the engine to show. */
function catchPrinted(take: (line: string) => void): () => void {
	const spies = (["log", "error", "warn"] as const).map((name) =>
		vi.spyOn(console, name).mockImplementation((...words) => take(words.join(" "))),
	);
	return () => {
		for (const spy of spies) spy.mockRestore();
	};
}

function answerOf(done: readonly Deployment[], { name, expectsNoChanges, diff }: Command): Answer {
	const stdout = done.map((one) => display(one, { isPreview: name === "preview", diff })).join("\n");
	const hasFailed = done.some((one) => one.hasFailed);
	const last = done.at(-1);
	const isChanged = last?.steps.some(({ operation }) => !["same", "read"].includes(operation)) === true;
	if (hasFailed || !expectsNoChanges || !isChanged)
		return { exitCode: hasFailed ? 1 : 0, stdout: `${stdout}\n`, stderr: "" };
	const stderr = `error: no changes were expected for ${name} but changes were proposed\n`;
	return { exitCode: 7, stdout: `${stdout}\n`, stderr };
}

/** Every file below the folder, as text. */
function textsIn(folder: string): readonly { place: string; text: string }[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.map((file) => ({ place: file, text: readFileSync(file, "latin1") }));
}
