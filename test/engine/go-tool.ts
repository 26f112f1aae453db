/**
 * Go, where it is installed: finds it, and builds programs of the modules in this folder with their progress in sight.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startStep } from "./start-step.ts";
import type { Places } from "./store.ts";

/** A program and the module that pins it. */
export interface GoProgram {
	/** The folder of the module: a path, or a name in this folder. */
	readonly module: string;
	/** The package; its last word is the name of the program. */
	readonly program: string;
	/** Other packages to compile, whose result is not kept. */
	readonly also?: readonly string[];
	readonly tags: string;
	/** The time on a fresh machine, in words. */
	readonly takes: string;
}

const here = fileURLToPath(new URL(".", import.meta.url));

/** The oldest Go that all modules can be built with. */
const oldest = [1, 26] as const;
const oldestGo = oldest.join(".");

/** How Go, and what is built with it, is installed. */
export const installGo = `installing Go ${oldestGo} or later (https://go.dev/dl/), then \`npm run engine\``;

/** The folder of a module. */
export function moduleFolder(module: string): string {
	return resolve(here, module);
}

const environment = {
	...process.env,
	CGO_ENABLED: "0",
	GOTOOLCHAIN: "local",
	GOFLAGS: "-mod=readonly",
	GOWORK: "off",
};

export function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}

/** The program `go`, if one is there that is new enough. */
export function findGo({ path, go: usual, say }: Places): string | undefined {
	for (const folder of [...path.split(delimiter), usual]) {
		const go = join(folder, "go");
		if (folder === "" || !isExecutable(go)) continue;
		const answer = spawnSync(go, ["version"], { encoding: "utf8", env: { ...process.env, GOTOOLCHAIN: "local" } });
		const [, major = 0, minor = 0] = answer.stdout?.match(/go(\d+)\.(\d+)/)?.map(Number) ?? [];
		if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return go;
		say(`${go} is passed over: it is ${answer.stdout?.trim() || "not a Go that runs"}`);
	}
	return undefined;
}

/** The folder of the sources of a module that `module` requires. */
export function sourceFolder(go: string, module: string, required: string): string {
	const words = ["list", "-m", "-f", "{{.Dir}}", required];
	return execFileSync(go, words, { cwd: moduleFolder(module), encoding: "utf8", env: environment }).trim();
}

/** Builds a program into a folder, where it is not there as a whole already. `step` names it in the lines of progress; the version is the one that a program of Pulumi prints. */
export async function buildProgram(
	go: string,
	{ module, program, also = [], tags, takes }: GoProgram,
	{ step, into, version, say }: { step: string; into: string; version?: string; say: Places["say"] },
): Promise<void> {
	const name = program.slice(program.lastIndexOf("/") + 1);
	const building = join(into, "building");
	const named = version === undefined ? "" : ` -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${version}`;
	const flags = ["-v", "-trimpath", "-buildvcs=false", `-ldflags=-w -s${named}`, `-tags=${tags}`, `-o=${building}/`];
	if (existsSync(join(into, name))) {
		say(`${step}: ${name} is there from the build that was interrupted`);
		return;
	}
	mkdirSync(building, { recursive: true });
	say(`${step}: ${name}, ${takes} on a fresh machine`);
	const start = Date.now();
	// What is temporary is in the folder too, so that nothing else is left of a build that is interrupted.
	const child = startStep(go, ["build", ...flags, program, ...also], {
		cwd: moduleFolder(module),
		env: { ...environment, GOTMPDIR: building },
		stdio: ["ignore", "ignore", "pipe"],
	});
	let printed = "";
	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		printed += text;
	});
	const progress = (): string => {
		const lines = printed.split("\n").slice(0, -1);
		const modules = lines.filter((line) => line.startsWith("go: downloading ")).length;
		const seconds = Math.round((Date.now() - start) / 1000);
		return `${step}: ${seconds} s, ${modules} modules fetched, ${lines.length - modules} packages compiled`;
	};
	const timer = setInterval(() => say(progress()), 15_000);
	try {
		const code = await new Promise<number | null>((resolve, reject) => {
			child.on("error", reject);
			child.on("close", resolve);
		});
		if (code !== 0) {
			const end = printed.trimEnd().split("\n").slice(-20).join("\n");
			throw new Error(`\`go build ${program}\` failed (exit code ${code}); its last lines:\n${end}`);
		}
		renameSync(join(building, name), join(into, name));
		rmSync(building, { recursive: true, force: true });
		say(`${progress()}: done`);
	} finally {
		clearInterval(timer);
	}
}
