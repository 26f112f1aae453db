/**
 * The real Pulumi engine for the tests: the one that is installed, or one that is built here from its published sources.
 *
 * `cli/`, `host/`, `go/` and `yaml/` are Go modules that pin what is built; each has its own because their requirements
 * contradict.
 * What was built lies in `.engine/` at the root of the project, under a name made from everything that it depends on, so
 * another version is another folder. It stays when `npm ci` empties node_modules.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
	accessSync,
	chmodSync,
	constants,
	copyFileSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export interface Engine {
	/** The folder of its programs: the command line, a language host for each language, and two scripts. */
	readonly folder: string;
	/** What `pulumi version` answers, for example `v3.259.0`. */
	readonly version: string;
}

/** Where to look, and where to build. Tests of this file give their own. */
export interface Places {
	/** Folders, as in the environment variable of that name. */
	readonly path: string;
	readonly home: string;
	/** Where Go is when it is not on the path. */
	readonly go: string;
	/** Where what was built is kept. */
	readonly store: string;
	/** Gets each line of progress. */
	say(line: string): void;
}

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

const usualPlaces: Places = {
	path: process.env.PATH ?? "",
	home: homedir(),
	go: "/usr/local/go/bin",
	store: join(root, ".engine"),
	say: (line) => process.stderr.write(`engine: ${line}\n`),
};

/** The version that this project builds, from the one place that pins it. */
const builtVersion = readFileSync(join(here, "cli/go.mod"), "utf8").match(/pulumi\/pkg\/v3 (v\S+)/)?.[1] ?? "";

const parts = [
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
		takes: "10 seconds",
	},
	{
		module: "go",
		program: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go",
		tags: "",
		takes: "1 minute",
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
		takes: "1 to 4 minutes",
	},
] as const;

/** Runs the program of a Python project. The module of the host has it as a file. */
const pythonScript = "pulumi-language-python-exec";

const programs = [
	"pulumi",
	"pulumi-language-nodejs",
	"pulumi-language-python",
	pythonScript,
	"pulumi-language-go",
	"pulumi-language-yaml",
	"pulumi-resource-pulumi-nodejs",
] as const;

/** The engine that is there: installed, or built before. It was seen to run. */
export function findEngine(places: Places = usualPlaces): Engine | undefined {
	const folders = [...places.path.split(delimiter), join(places.home, ".pulumi/bin"), builtFolder(places)];
	for (const folder of folders) {
		if (folder === "" || !isExecutable(join(folder, "pulumi"))) continue;
		const missing = programs.filter((program) => !isExecutable(join(folder, program)));
		if (missing.length > 0) {
			places.say(`${join(folder, "pulumi")} is passed over: ${missing.join(" and ")} should be beside it`);
			continue;
		}
		const version = askVersion(folder);
		if (version !== undefined) return { folder, version };
		places.say(`${join(folder, "pulumi")} is passed over: \`pulumi version\` does not answer with a version`);
	}
	return undefined;
}

/** The engine that is there, else one that is built now. Many processes may ask at once: one builds, the others wait. */
export async function ensureEngine(places: Places = usualPlaces): Promise<Engine> {
	const found = findEngine(places);
	if (found !== undefined) return found;
	const go = findGo(places);
	mkdirSync(places.store, { recursive: true });
	return await alone(places, async () => findEngine(places) ?? (await build(go, places)));
}

function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
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

/** Everything that decides what the build makes, as a folder's name. */
function builtFolder({ store }: Places): string {
	const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
	for (const { module } of parts) {
		for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(here, module, file)));
	}
	hash.update(readFileSync(providerScript()));
	return join(store, `${builtVersion}-${hash.digest("hex").slice(0, 12)}`);
}

/** What starts the process of dynamic providers: a shell script of the npm package. */
function providerScript(): string {
	const manifest = createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json");
	return join(dirname(manifest), "pulumi-resource-pulumi-nodejs");
}

/** The folder of the sources that the language hosts are built from. */
function hostSources(go: string): string {
	const words = ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"];
	return execFileSync(go, words, { cwd: join(here, "host"), encoding: "utf8", env: goEnvironment }).trim();
}

const goEnvironment = {
	...process.env,
	CGO_ENABLED: "0",
	GOTOOLCHAIN: "local",
	GOFLAGS: "-mod=readonly",
	GOWORK: "off",
};

/** The oldest Go that all modules can be built with. */
const oldestGo = [1, 26] as const;

function findGo({ path, go: usual, say }: Places): string {
	for (const folder of [...path.split(delimiter), usual]) {
		const go = join(folder, "go");
		if (folder === "" || !isExecutable(go)) continue;
		const answer = spawnSync(go, ["version"], { encoding: "utf8", env: { ...process.env, GOTOOLCHAIN: "local" } });
		const [, major = 0, minor = 0] = answer.stdout?.match(/go(\d+)\.(\d+)/)?.map(Number) ?? [];
		if (major > oldestGo[0] || (major === oldestGo[0] && minor >= oldestGo[1])) return go;
		say(`${go} is passed over: it is ${answer.stdout?.trim() || "not a Go that runs"}`);
	}
	throw new Error(
		`The tests of orgsync/pulumi need the Pulumi engine, and there is none: no \`pulumi\` on PATH with its language hosts beside it, none in ~/.pulumi/bin, and no Go ${oldestGo.join(".")} or later to build it with. Either
  - install Pulumi from its vendor (https://www.pulumi.com/docs/install/), or
  - install Go ${oldestGo.join(".")} or later (https://go.dev/dl/) and run \`npm run engine\`, which builds it once in 5 to 10 minutes.`,
	);
}

/** Holds the lock of the store while it works. The lock is the operating system's, so it ends with a process that dies. */
async function alone<T>({ store, say }: Places, work: () => Promise<T>): Promise<T> {
	const database = new DatabaseSync(join(store, "lock.sqlite"), { timeout: 0 });
	try {
		for (let attempt = 0; !tryLock(database); attempt += 1) {
			if (attempt % 30 === 0) say("another process is building it; waiting for that");
			await sleep(500);
		}
		return await work();
	} finally {
		database.close();
	}
}

function tryLock(database: DatabaseSync): boolean {
	try {
		database.exec("BEGIN EXCLUSIVE");
		return true;
	} catch (error) {
		// 5 is SQLITE_BUSY.
		if ((error as { errcode?: number }).errcode === 5) return false;
		throw error;
	}
}

/** Builds into a folder beside the final one, which gets its name when everything in it is there and runs. */
async function build(go: string, places: Places): Promise<Engine> {
	const folder = builtFolder(places);
	// These are files of an interrupted build or of other versions: the holder of the lock is the only builder.
	for (const name of readdirSync(places.store)) {
		if (!name.startsWith("lock.sqlite")) rmSync(join(places.store, name), { recursive: true, force: true });
	}
	const unfinished = join(places.store, "unfinished");
	mkdirSync(unfinished);
	places.say(`no Pulumi is installed; building ${builtVersion} with Go, once, into ${folder}`);
	places.say("on a fresh machine this takes 5 to 10 minutes, 1.7 GB of Go modules and 1.8 GB of Go's build cache");
	for (const [index, part] of parts.entries()) {
		await buildPart(go, part, `${index + 1} of ${parts.length}`, unfinished, places);
	}
	for (const file of [providerScript(), join(hostSources(go), "python/cmd", pythonScript)]) {
		const copy = join(unfinished, basename(file));
		copyFileSync(file, copy);
		chmodSync(copy, 0o755);
	}
	const version = askVersion(unfinished);
	if (version === undefined) throw new Error(`the engine was built, but ${join(unfinished, "pulumi")} does not run`);
	renameSync(unfinished, folder);
	places.say(`${version} is ready in ${folder}`);
	return { folder, version };
}

async function buildPart(
	go: string,
	{ module, program, tags, takes }: (typeof parts)[number],
	position: string,
	into: string,
	{ say }: Places,
): Promise<void> {
	const name = program.slice(program.lastIndexOf("/") + 1);
	const version = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${builtVersion}`;
	const flags = ["-v", "-trimpath", "-buildvcs=false", `-ldflags=-w -s ${version}`, `-tags=${tags}`, `-o=${into}/`];
	say(`step ${position}: ${name}, ${takes} on a fresh machine`);
	const start = Date.now();
	const child = spawn(go, ["build", ...flags, program], {
		cwd: join(here, module),
		env: goEnvironment,
		stdio: ["ignore", "ignore", "pipe"],
	});
	let printed = "";
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		printed += text;
	});
	const progress = (): string => {
		const lines = printed.split("\n").slice(0, -1);
		const modules = lines.filter((line) => line.startsWith("go: downloading ")).length;
		const seconds = Math.round((Date.now() - start) / 1000);
		return `step ${position}: ${seconds} s, ${modules} modules fetched, ${lines.length - modules} packages compiled`;
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
		say(`${progress()}: done`);
	} finally {
		clearInterval(timer);
	}
}
