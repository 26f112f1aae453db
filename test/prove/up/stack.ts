/** A stack of the real engine with the plugin: its folder, its state, and commands that are killed with all of their processes. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pluginFile } from "../../../scripts/manifest.ts";
import { type Answer, expectSuccess } from "../../engine/answer.ts";
import { cheaperGo, cheaperNode } from "../../engine/cheaper.ts";
import { ensureEngine } from "../../engine/engine.ts";
import { findProcesses, killOne, type RunningProcess } from "../../engine/processes.ts";
import { environmentOf, findCheckpoint, recoverBackend, type State, stackName } from "../../engine/stack-files.ts";
import { secretsProvider, startVault } from "../../engine/vault.ts";
import { endWithThis } from "../leftovers.ts";

/** Who is killed: the engine, which its plugin outlives; the plugin; or all processes. */
export type Victims = "the engine" | "the plugin" | "all";

export interface Running {
	readonly ended: Promise<Answer>;
	/** Returns whether a process was there to kill. */
	kill(victims: Victims): boolean;
}

export interface UpStack {
	start(words: readonly string[]): Running;
	/** Ends what a killed command left: its processes, its lock, and a state that was cut off. */
	recover(): Promise<void>;
	state(): State["deployment"];
}

/** Returns what makes a new stack of the program, in a folder below `root` of its own. */
export async function prepareStacks(root: string, resources: object, settings: Readonly<Record<string, string>>) {
	const { folder: engine } = await ensureEngine();
	const made = join(root, "new");
	const home = join(root, "home");
	for (const folder of [made, home, join(made, "backend")]) mkdirSync(folder);
	const providers = [{ name: "orgsync", path: dirname(pluginFile) }];
	writeFileSync(
		join(made, "Pulumi.yaml"),
		JSON.stringify({ name: "probe", runtime: "yaml", plugins: { providers }, resources }),
	);
	const all = { ...settings, ...(await startVault()) };
	const at = (folder: string): UpStack => stackAt(folder, { engine, home, settings: all });
	expectSuccess(await at(made).start(["stack", "init", stackName, "--secrets-provider", secretsProvider]).ended);
	return (name: string): UpStack => {
		const folder = join(root, name);
		cpSync(made, folder, { recursive: true });
		return at(folder);
	};
}

function stackAt(
	folder: string,
	{ engine, home, settings }: { engine: string; home: string; settings: Readonly<Record<string, string>> },
): UpStack {
	const backend = join(folder, "backend");
	const stack = randomUUID();
	const marker = `ORGSYNC_TEST_STACK=${stack}`;
	const env = {
		PATH: [engine, dirname(process.execPath), process.env.PATH].join(delimiter),
		...environmentOf(home, backend),
		...cheaperNode,
		...cheaperGo,
		...settings,
		ORGSYNC_TEST_STACK: stack,
	};
	return {
		start(words) {
			const child = endWithThis(
				spawn(join(engine, "pulumi"), [...words, "--non-interactive", "--color=never"], {
					cwd: folder,
					env,
					stdio: ["ignore", "pipe", "pipe"],
				}),
			);
			const texts = { stdout: "", stderr: "" };
			for (const name of ["stdout", "stderr"] as const) {
				child[name].setEncoding("utf8").on("data", (text: string) => {
					texts[name] += text;
				});
			}
			const ended = new Promise<Answer>((resolve, reject) => {
				child.on("error", reject).on("close", (exitCode) => resolve({ exitCode, ...texts }));
			});
			return {
				ended,
				kill(victims) {
					if (victims === "the engine") return child.kill("SIGKILL");
					return killAll(victims === "all" ? findProcesses(marker) : pluginsOf(marker));
				},
			};
		},
		async recover() {
			// A plugin whose engine was killed ends what it has begun. The engine's host of YAML never ends by itself.
			const endMs = performance.now() + 30_000;
			while (pluginsOf(marker).length > 0) {
				if (performance.now() > endMs) throw new Error("the plugin still runs after its engine has ended");
				await new Promise((resolve) => setTimeout(resolve, 20));
			}
			for (let left = findProcesses(marker); left.length > 0; left = findProcesses(marker)) killAll(left);
			recoverBackend(backend);
		},
		state: () => JSON.parse(readFileSync(findCheckpoint(backend), "utf8")).checkpoint.latest,
	};
}

const pluginsOf = (marker: string): readonly RunningProcess[] =>
	findProcesses(marker).filter(({ command }) => command.includes("pulumi-resource-orgsync"));

function killAll(found: readonly RunningProcess[]): boolean {
	for (const { pid } of found) killOne(pid);
	return found.length > 0;
}
