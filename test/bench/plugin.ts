/**
 * The provider plugin as it is published: its start against bare Node, its memory, a thousand tags from YAML against a plugin
 * that does nothing, and against the dynamic resources of a Node program.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { type ManyTags, makeYamlProject, nodeProject, startManyTags, type TagStack } from "./many-tags.ts";
import { type Measured, median } from "./run.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const plugin = join(root, "dist/plugin");
const rounds = 3;
const up = ["up", "--yes", "--skip-preview", "--suppress-progress"];

export async function benchPlugin(): Promise<readonly Measured[]> {
	const place = mkdtempSync(join(tmpdir(), "orgsync-bench-"));
	const tags = await startManyTags();
	try {
		const [start, rest] = await benchStart();
		return [start, ...(await benchUp(tags, await makeIdlePlugin(place), rest)), ...(await benchAgainstDynamic(tags))];
	} finally {
		tags.close();
		rmSync(place, { recursive: true, force: true });
	}
}

/** The row of the start, and the memory of a plugin that serves nothing yet, in MiB. */
async function benchStart(): Promise<readonly [Measured, number]> {
	const ours: number[] = [];
	const bare: number[] = [];
	const memory: number[] = [];
	for (let round = 0; round < 15; round += 1) {
		const start = performance.now();
		const child = spawn(process.execPath, [join(plugin, "pulumi-resource-orgsync"), "127.0.0.1:1"], {
			stdio: ["pipe", "pipe", "inherit"],
		});
		await firstOutput(child);
		ours.push(performance.now() - start);
		await new Promise((resolve) => setTimeout(resolve, 300));
		memory.push(peakMemory(child.pid));
		child.kill("SIGKILL");
		const startBare = performance.now();
		execFileSync(process.execPath, ["-e", "0"], { stdio: "pipe" });
		bare.push(performance.now() - startBare);
	}
	const row = {
		what: "start of the plugin until it prints its port, against bare node -e 0",
		measured: times(median(ours), median(bare), "ms"),
		aim: "at most 3 times",
	};
	return [row, median(memory)];
}

function firstOutput({ stdout }: ChildProcess): Promise<unknown> {
	return new Promise((resolve) => stdout?.once("data", resolve));
}

async function benchUp(tags: ManyTags, idlePlugin: string, atRest: number): Promise<readonly Measured[]> {
	const ours: number[] = [];
	const idle: number[] = [];
	const memory: number[] = [];
	for (let round = 0; round < rounds; round += 1) {
		idle.push(await (await tags.addStack(makeYamlProject(idlePlugin))).run(...up));
		const stack = await tags.addStack(makeYamlProject(plugin));
		const [ms, peak] = await watchMemory(() => stack.run(...up));
		ours.push(ms);
		memory.push(peak);
	}
	return [
		{
			what: "memory of the plugin at rest, and at most during pulumi up of 1,000 tags",
			measured:
				process.platform === "linux" ? `${atRest.toFixed(0)} MiB, ${median(memory).toFixed(0)} MiB` : "on Linux only",
			aim: "under 120 MiB",
		},
		{
			what: "pulumi up of 1,000 tags in 20 organizations from YAML, against a plugin that does nothing",
			measured: times(median(ours), median(idle), "s"),
			aim: "at most 1.15 times",
		},
	];
}

/** Previews and the second `up` of both adapters. Throws if the service was asked for anything else by one of them. */
async function benchAgainstDynamic(tags: ManyTags): Promise<readonly Measured[]> {
	const measure = async (stack: TagStack) => {
		await tags.countRequests();
		const preview = await stack.run("preview", "--suppress-progress");
		await stack.run(...up);
		const again = await stack.run(...up);
		return { preview, again, requests: JSON.stringify(await tags.countRequests()) };
	};
	const dynamic = await measure(await tags.addStack(nodeProject));
	const ours = await measure(await tags.addStack(makeYamlProject(plugin)));
	if (ours.requests !== dynamic.requests) throw new Error(`requests: ${ours.requests}, not ${dynamic.requests}`);
	return [
		{
			what: "pulumi preview of 1,000 tags from YAML with the plugin, against the dynamic resources",
			measured: times(ours.preview, dynamic.preview, "s"),
			aim: "at most 1 time",
		},
		{
			what: "pulumi up of 1,000 tags in sync from YAML with the plugin, against the dynamic resources",
			measured: `${times(ours.again, dynamic.again, "s")}; the same requests in all commands`,
			aim: "at most 1 time",
		},
	];
}

/** Returns how many times as long ours takes, and both. */
export function times(ours: number, theirs: number, unit: "ms" | "s"): string {
	const text = (ms: number): string => (unit === "ms" ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`);
	return `${(ours / theirs).toFixed(2)} times (${text(ours)} to ${text(theirs)})`;
}

/** The folder of a plugin that does nothing, bundled as ours is. */
export async function makeIdlePlugin(folder: string): Promise<string> {
	const bundle = await rolldown({ input: join(root, "test/bench/idle-plugin.ts"), platform: "node", cwd: root });
	await bundle.write({ dir: folder, format: "esm", entryFileNames: "main.mjs" });
	await bundle.close();
	copyFileSync(join(root, "schemas/pulumi.json"), join(folder, "pulumi.json"));
	const launcher = '#!/bin/sh\nexec node "$(dirname "$0")/main.mjs" "$@"\n';
	writeFileSync(join(folder, "pulumi-resource-orgsync"), launcher, { mode: 0o755 });
	return folder;
}

/** What the work returns, and the most memory in MiB that a plugin's process had meanwhile. */
async function watchMemory<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
	let peak = 0;
	const timer = setInterval(() => {
		peak = Math.max(peak, ...findPlugins().map(peakMemory));
	}, 50);
	try {
		return [await work(), peak];
	} finally {
		clearInterval(timer);
	}
}

/** The processes that run the plugin. */
function findPlugins(): readonly number[] {
	if (process.platform !== "linux") return [];
	const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	return pids
		.filter((pid) => readProcess(pid, "cmdline").includes(join(plugin, "pulumi-resource-orgsync")))
		.map(Number);
}

/** The most memory that the process ever had, in MiB; 0 if it has ended. */
function peakMemory(pid: number | undefined): number {
	if (process.platform !== "linux") return 0;
	const [, kilobytes = "0"] = /VmHWM:\s+(\d+) kB/.exec(readProcess(String(pid), "status")) ?? [];
	return Number(kilobytes) / 1024;
}

function readProcess(pid: string, file: string): string {
	try {
		return readFileSync(join("/proc", pid, file), "utf8");
	} catch {
		return "";
	}
}
