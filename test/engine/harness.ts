/**
 * Pulumi as its users have it: a project in a folder of its own, the package as it is published in its node_modules, a
 * stack in a file backend, and the real command line. Where there is no engine, the tests of a file that imports this are left out.
 *
 * Everything that a command printed or wrote is kept, so that tests can search all of it for secrets; see `written`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
	copyFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, inject } from "vitest";
import { parse } from "yaml";
import { pluginFile } from "../../scripts/manifest.ts";
import { prepareOrSkip } from "../needs.ts";
import { makeOnce } from "../shared.ts";
import { type Answer, expectSuccess } from "./answer.ts";
import { cheaperGo, cheaperNode } from "./cheaper.ts";
import { type Engine, ensureEngine } from "./engine.ts";
import { type InstallOptions, installPackage, sharePackage } from "./install.ts";
import { findProcesses, killOne, type RunningProcess } from "./processes.ts";
import {
	type Call,
	type Configuration,
	configureStack,
	copyStack,
	environmentOf,
	findCheckpoint,
	hideSecrets,
	readTexts,
	recoverBackend,
	type State,
	type StateResource,
	stackName,
	type Written,
} from "./stack-files.ts";
import { secretsProvider, startVault } from "./vault.ts";

export interface StackOptions {
	/**
	 * The files of the project by path. Added when left out: Pulumi.yaml and a package.json whose `main` is the first file.
	 */
	readonly files: Readonly<Record<string, string>>;
	/** Configuration of the stack; a name without a colon belongs to the project, whose name is `probe`. */
	readonly config?: Configuration;
	/** Added to the environment of every command. */
	readonly env?: Environment;
	/** Keeps every call between engine, program and providers for `calls`. */
	readonly recordCalls?: boolean;
	/** The folder of the Node that runs program and provider; the one that runs the tests when left out. */
	readonly node?: string;
	/** Whether the engine finds the provider plugin, on the path. */
	readonly plugin?: boolean;
	/** Folders that come first on the path. */
	readonly path?: readonly string[];
	/** Folders of other packages, which node_modules of the project links to by name. */
	readonly packages?: Readonly<Record<string, string>>;
	/** The package to install; null for none. */
	readonly orgsync?: InstallOptions | null;
}

/** An undefined value takes the variable away. */
type Environment = Readonly<Record<string, string | undefined>>;

export interface RunOptions {
	readonly env?: Environment;
	readonly stdin?: string;
}

interface Started {
	readonly child: ChildProcess;
	/** What was printed on standard output so far. */
	stdout(): string;
	readonly ended: Promise<Answer>;
}

export interface Stack {
	/** The folder of the project. */
	readonly folder: string;
	/** Runs `pulumi` to its end, in the folder, with this stack selected. */
	pulumi(words: readonly string[], options?: RunOptions): Promise<Answer>;
	/** Starts `pulumi` and leaves it running. */
	start(words: readonly string[], options?: RunOptions): Started;
	preview(words?: readonly string[], options?: RunOptions): Promise<Answer>;
	/** Without the preview before it, as are `refresh` and `destroy`. */
	up(words?: readonly string[], options?: RunOptions): Promise<Answer>;
	refresh(words?: readonly string[], options?: RunOptions): Promise<Answer>;
	destroy(words?: readonly string[], options?: RunOptions): Promise<Answer>;
	/** Sets configuration in the file of the stack, as `pulumi config set` does. */
	configure(values: Configuration): Promise<void>;
	/**
	 * Removes the lock of a killed command, as `pulumi cancel` does. If the kill cut off the state while Pulumi wrote it,
	 * restores Pulumi's backup of the state, or removes the attributes of its file.
	 */
	recover(): void;
	/** Changes the program; a path with null is removed. */
	write(files: Readonly<Record<string, string | null>>): void;
	/** Replaces the installed package. */
	install(options?: InstallOptions): void;
	/** What the file of the stack has, as `pulumi stack export` prints it, secrets encrypted. */
	state(): Promise<State>;
	/** The one resource of this name in the state. */
	resource(name: string): Promise<StateResource>;
	/** The stack's outputs in its state, with `[secret]` in place of secrets. */
	// biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions of each test.
	outputs(): Promise<any>;
	/** Every file of the backend as it lies on disk: state, history, backups, locks. */
	stateFiles(): readonly Written[];
	/** Everything that can hold a secret by mistake: the backend, the project, Pulumi's home, all that was printed. */
	written(): readonly Written[];
	/** The calls since the last time, oldest first; asks for `recordCalls`. */
	calls(): readonly Call[];
	/** The living processes of this stack: engine, language host, program, providers. */
	processes(): readonly RunningProcess[];
	/** Kills all of them (SIGKILL) by their ids. */
	kill(): void;
}

const project = fileURLToPath(new URL("../..", import.meta.url));
const shared = inject("sharedFolder");

/** Everything that this test file makes on disk; gone at its end. */
const root = realpathSync(mkdtempSync(join(tmpdir(), "orgsync-pulumi-")));
const stacks: Stack[] = [];
let engine: Engine;
let vault: Environment;

prepareOrSkip(async () => {
	// One level above the projects: they find what the package would have brought, and nothing is copied.
	symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
	// Set-up has built it.
	engine = await ensureEngine();
});

afterAll(() => {
	for (const stack of stacks) stack.kill();
	rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

/** Makes a project and its stack. */
export async function startStack(options: StackOptions): Promise<Stack> {
	const place = mkdtempSync(join(root, "stack-"));
	const folder = join(place, "project");
	const backend = join(place, "backend");
	const home = join(place, "home");
	const callsFile = join(place, "calls.jsonl");
	// Where there is none, this throws the reason, which leaves tests out.
	engine ??= await ensureEngine();
	vault ??= await startVault();
	for (const each of [folder, backend, home]) mkdirSync(each);

	// Found again in the environment of every process that descends from ours, also when its parent was killed.
	const marker = `ORGSYNC_TEST_STACK=${randomUUID()}`;
	const environment: Environment = {
		PATH: [
			...(options.path ?? []),
			...(options.plugin === true ? [dirname(pluginFile)] : []),
			engine.folder,
			options.node ?? dirname(process.execPath),
			process.env.PATH,
		].join(delimiter),
		...environmentOf(home, backend),
		...vault,
		NODE_COMPILE_CACHE: cheaperNode.NODE_COMPILE_CACHE,
		...cheaperGo,
		ORGSYNC_TEST_STACK: marker.slice(marker.indexOf("=") + 1),
		...(options.recordCalls === true ? { PULUMI_DEBUG_GRPC: callsFile } : {}),
		...options.env,
	};
	const settings = join(folder, `Pulumi.${stackName}.yaml`);
	const printed: Written[] = [];
	const children = new Set<ChildProcess>();
	let callsRead = 0;

	const stack: Stack = {
		folder,
		pulumi(words, run = {}) {
			const { child, ended } = stack.start(words, run);
			child.stdin?.end(run.stdin ?? "");
			return ended;
		},
		start(words, { env } = {}) {
			const given = { ...environment, ...env };
			const child = spawn(join(engine.folder, "pulumi"), [...words, "--non-interactive", "--color=never"], {
				cwd: folder,
				env: { ...given, NODE_OPTIONS: `${cheaperNode.NODE_OPTIONS} ${given.NODE_OPTIONS ?? ""}`.trim() },
				stdio: "pipe",
			});
			children.add(child);
			const texts = { stdout: "", stderr: "" };
			for (const name of ["stdout", "stderr"] as const) {
				child[name].setEncoding("utf8").on("data", (text: string) => {
					texts[name] += text;
				});
			}
			// A command that ends without reading its input closes the pipe; that is no error of the test.
			child.stdin.on("error", () => undefined);
			const ended = new Promise<Answer>((resolve, reject) => {
				child.on("error", reject);
				child.on("close", (exitCode) => {
					children.delete(child);
					const command = `pulumi ${words.join(" ")}`;
					printed.push({ place: `standard output of ${command}`, text: texts.stdout });
					printed.push({ place: `standard error of ${command}`, text: texts.stderr });
					resolve({ exitCode, ...texts });
				});
			});
			return { child, stdout: () => texts.stdout, ended };
		},
		preview: (words = [], run) => stack.pulumi(["preview", ...words], run),
		up: (words = [], run) => stack.pulumi(["up", "--yes", "--skip-preview", ...words], run),
		refresh: (words = [], run) => stack.pulumi(["refresh", "--yes", "--skip-preview", ...words], run),
		destroy: (words = [], run) => stack.pulumi(["destroy", "--yes", "--skip-preview", ...words], run),
		configure: async (values) => configureStack(settings, values),
		write(files) {
			for (const [name, content] of Object.entries(files)) {
				const file = join(folder, name);
				mkdirSync(dirname(file), { recursive: true });
				if (content === null) rmSync(file, { force: true });
				else writeFileSync(file, content);
			}
		},
		install: (install) => installPackage(join(folder, "node_modules/orgsync"), install),
		async state() {
			const { version, checkpoint } = JSON.parse(readFileSync(findCheckpoint(backend), "utf8"));
			return { version, deployment: checkpoint.latest } as State;
		},
		async resource(name) {
			const { deployment } = await stack.state();
			const found = (deployment.resources ?? []).filter(({ urn }) => urn.endsWith(`::${name}`));
			const [one] = found;
			if (one === undefined || found.length > 1) throw new Error(`${found.length} resources are called ${name}`);
			return one;
		},
		async outputs() {
			// The state of the stack itself has them.
			const { deployment } = await stack.state();
			const found = (deployment.resources ?? []).find(({ type }) => type === "pulumi:pulumi:Stack");
			return hideSecrets(found?.outputs ?? {});
		},
		recover: () => recoverBackend(backend),
		stateFiles: () => readTexts(backend, root),
		written: () => [...readTexts(backend, root), ...readTexts(folder, root), ...readTexts(home, root), ...printed],
		calls() {
			if (!existsSync(callsFile)) return [];
			const lines = readFileSync(callsFile, "utf8").split("\n").slice(0, -1);
			const fresh = lines.slice(callsRead);
			callsRead = lines.length;
			return fresh.map((line) => JSON.parse(line) as Call);
		},
		processes: () => findProcesses(marker),
		kill() {
			for (const child of children) child.kill("SIGKILL");
			// A process that is killed late may have started another, so this repeats until none is left.
			for (let found = stack.processes(); found.length > 0; found = stack.processes()) {
				for (const { pid } of found) killOne(pid);
			}
		},
	};
	stacks.push(stack);

	const main = Object.keys(options.files).find((name) => /\.[cm]?[jt]s$/.test(name));
	const files = {
		"Pulumi.yaml": "name: probe\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
		"package.json": JSON.stringify({ name: "probe", private: true, main }),
		...options.files,
	};
	stack.write(files);
	const linked = options.orgsync === undefined ? { orgsync: await sharePackage(shared) } : {};
	for (const [name, target] of Object.entries({ ...linked, ...options.packages })) {
		const link = join(folder, "node_modules", name);
		mkdirSync(dirname(link), { recursive: true });
		symlinkSync(target, link);
	}
	if (options.orgsync) stack.install(options.orgsync);
	await initStack(stack, backend, files["Pulumi.yaml"]);
	await stack.configure(options.config ?? {});
	return stack;
}

/**
 * `pulumi stack init`, which runs once: a new stack is a file of the project and some of the backend, the same for all but for the
 * name of the project.
 */
async function initStack(stack: Stack, backend: string, manifest: string): Promise<void> {
	const { name } = parse(manifest) as { readonly name: string };
	const made = await makeOnce(shared, "new-stack", async (folder) => {
		stack.write({ "Pulumi.yaml": "name: probe\nruntime: yaml\n" });
		expectSuccess(await stack.pulumi(["stack", "init", stackName, "--secrets-provider", secretsProvider]));
		stack.write({ "Pulumi.yaml": manifest });
		cpSync(backend, join(folder, "backend"), { recursive: true });
		copyFileSync(join(stack.folder, `Pulumi.${stackName}.yaml`), join(folder, "settings"));
	});
	copyStack(made, { backend, folder: stack.folder, project: name });
}
