/**
 * The real Pulumi engine for the tests: the one that is installed, or one that is built here from its published sources.
 *
 * `cli/`, `host/`, `go/` and `yaml/` are Go modules that pin what is built; each has its own because their requirements
 * contradict. Another version of anything is another folder of the store.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { NotHere } from "../left-out.ts";
import {
	buildProgram,
	findGo,
	type GoProgram,
	installGo,
	isExecutable,
	moduleFolder,
	sourceFolder,
} from "./go-tool.ts";
import { type Kept, keep, keptFolder, type Places, usualPlaces } from "./store.ts";

/** A language whose host an installed engine may lack: only the tests of its programs need it. */
export type Language = "python" | "go";

export interface Engine {
	/** The folder of its programs: the command line, the language hosts, and two scripts. */
	readonly folder: string;
	/** What `pulumi version` answers, for example `v3.259.0`. */
	readonly version: string;
	/** The languages whose hosts are there, beside Node and YAML. */
	readonly languages: readonly Language[];
}

/** The version that this project builds, from the one place that pins it. */
const builtVersion =
	readFileSync(join(moduleFolder("cli"), "go.mod"), "utf8").match(/pulumi\/pkg\/v3 (v\S+)/)?.[1] ?? "";

const parts: readonly GoProgram[] = [
	{
		module: "host",
		program: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
		tags: "",
		takes: "1 to 2 minutes",
	},
	{
		module: "host",
		program: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
		tags: "",
		takes: "a few seconds",
	},
	{
		module: "go",
		program: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go",
		tags: "",
		takes: "10 seconds",
	},
	{
		module: "cli",
		program: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
		tags: "osusergo,grpcnotrace",
		takes: "4 to 9 minutes",
	},
	// It shares most of what is compiled with the command line.
	{
		module: "yaml",
		program: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
		tags: "osusergo,grpcnotrace",
		takes: "half a minute",
	},
];

/** Runs the program of a Python project. The module of the host has it as a file. */
const pythonScript = "pulumi-language-python-exec";

/** Programs that an engine needs here: most tests write for Node or in YAML. */
const needed = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs", "pulumi-language-yaml"] as const;

/** The host of each other language. */
const hosts: Readonly<Record<Language, readonly string[]>> = {
	python: ["pulumi-language-python", pythonScript],
	go: ["pulumi-language-go"],
};

/** The engine that is there: installed, or built before. It was seen to run. */
export function findEngine(places: Places = usualPlaces): Engine | undefined {
	const built = keptFolder(places, builtEngine());
	for (const folder of [...places.path.split(delimiter), join(places.home, ".pulumi/bin"), built]) {
		const has = (program: string): boolean => isExecutable(join(folder, program));
		if (folder === "" || !has("pulumi")) continue;
		const missing = needed.filter((program) => !has(program));
		if (missing.length > 0) {
			places.say(`${join(folder, "pulumi")} is passed over: ${missing.join(" and ")} should be beside it`);
			continue;
		}
		const version = askVersion(folder);
		const languages = (Object.keys(hosts) as Language[]).filter((language) => hosts[language].every(has));
		if (version !== undefined) return { folder, version, languages };
		places.say(`${join(folder, "pulumi")} is passed over: \`pulumi version\` does not answer with a version`);
	}
	return undefined;
}

/**
 * The engine that is there, else one that is built now. Many processes may ask at once: one builds, the others wait. Throws NotHere
 * where there is none and nothing to build it with.
 */
export async function ensureEngine(places: Places = usualPlaces): Promise<Engine> {
	const found = findEngine(places);
	if (found !== undefined) return found;
	const go = findGo(places);
	if (go === undefined) {
		throw new NotHere({
			what: "the tests with the Pulumi engine",
			missing: "there is no `pulumi` with its language hosts on PATH or in ~/.pulumi/bin, and no Go to build it with",
			install: `installing Pulumi (https://www.pulumi.com/docs/install/), or ${installGo}, which builds it once in 5 to 10 minutes`,
		});
	}
	const folder = await keep(places, builtEngine(), (unfinished) => build(go, unfinished, places));
	const engine = findEngine(places);
	if (engine === undefined) throw new Error(`${folder} is incomplete: remove it, and run \`npm run engine\``);
	return engine;
}

function askVersion(folder: string): string | undefined {
	const home = mkdtempSync(join(tmpdir(), "orgsync-engine-version-"));
	try {
		const { stdout } = spawnSync(join(folder, "pulumi"), ["version"], {
			env: { PATH: process.env.PATH, HOME: home, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "true" },
			encoding: "utf8",
			timeout: 30_000,
		});
		return stdout?.match(/^v\d+\.\d+\.\d+\S*/)?.[0];
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

function builtEngine(): Kept {
	const pins = parts.flatMap(({ module }) =>
		["go.mod", "go.sum"].map((name) => readFileSync(join(moduleFolder(module), name))),
	);
	return { kind: "v", version: builtVersion.slice(1), from: [...pins, readFileSync(providerScript())], resumes: true };
}

/** What starts the process of dynamic providers: a shell script of the npm package. */
function providerScript(): string {
	const manifest = createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json");
	return join(dirname(manifest), "pulumi-resource-pulumi-nodejs");
}

async function build(go: string, into: string, { say }: Places): Promise<void> {
	say(`no Pulumi is installed; building ${builtVersion} with Go, once`);
	say("on a fresh machine this takes 5 to 10 minutes, 2 GB of Go modules and 2 GB of Go's build cache");
	for (const [index, part] of parts.entries()) {
		await buildProgram(go, part, {
			step: `step ${index + 1} of ${parts.length}`,
			into,
			version: builtVersion,
			say,
		});
	}
	const pythonSources = join(sourceFolder(go, "host", "github.com/pulumi/pulumi/sdk/v3"), "python/cmd");
	for (const file of [providerScript(), join(pythonSources, pythonScript)]) {
		const copy = join(into, basename(file));
		copyFileSync(file, copy);
		chmodSync(copy, 0o755);
	}
	const version = askVersion(into);
	if (version === undefined) throw new Error(`the engine was built, but ${join(into, "pulumi")} does not run`);
	say(`${version} is ready`);
}
