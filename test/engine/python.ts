/**
 * Python for the programs of the tests: a virtual environment with Pulumi's library, made once, and the SDK as pip installs it.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NotHere } from "../left-out.ts";
import { makeOnce } from "../shared.ts";
import { isExecutable } from "./go-tool.ts";
import { startStep } from "./start-step.ts";
import { type Kept, keep, keptFolder, type Places, usualPlaces } from "./store.ts";

/** The pinned libraries. */
const requirements = fileURLToPath(new URL("python/requirements.txt", import.meta.url));
const sdk = fileURLToPath(new URL("../../sdk/python", import.meta.url));

/** The oldest Python that all of them can be installed for. */
const oldest = [3, 10] as const;

function missing(what: string): NotHere {
	return new NotHere({
		what: "the tests of programs in Python",
		missing: what,
		install: `installing Python ${oldest.join(".")} or later with its module venv, then \`npm run engine\``,
	});
}

/** Returns the virtual environment, which is made if it is not there. Throws NotHere without Python or its packages. */
export async function ensurePython(places: Places = usualPlaces): Promise<string> {
	const kept: Kept = { kind: "python", from: [readFileSync(requirements)] };
	const folder = keptFolder(places, kept);
	// A link to the Python that made it.
	if (existsSync(join(folder, "bin/python"))) return folder;
	const python = findPython(places);
	if (python === undefined) {
		throw missing(`there is no Python ${oldest.join(".")} or later`);
	}
	rmSync(folder, { recursive: true, force: true });
	return await keep(places, kept, async (into) => {
		places.say(`installing Pulumi's library for ${python.version}, once: half a minute`);
		// The environment's scripts name this folder, which is renamed when it is whole; `python -m` needs none of them.
		await run(python.file, ["-m", "venv", into]);
		// What is temporary is in the folder too, so that nothing else is left of an installation that is interrupted.
		const temporary = join(into, "temporary");
		mkdirSync(temporary);
		const words = [...pip, "install", "--no-deps", "--requirement", requirements];
		await run(join(into, "bin/python"), words, { TMPDIR: temporary });
		rmSync(temporary, { recursive: true });
	});
}

/**
 * Returns a folder for PYTHONPATH with the SDK, built as a wheel and installed from it. The folder is shared by the test files of
 * a run.
 */
export async function sharePythonSdk(shared: string): Promise<string> {
	const environment = await ensurePython();
	return await makeOnce(shared, "python-sdk", async (folder) => {
		const sources = join(folder, "sources");
		cpSync(sdk, sources, { recursive: true });
		const python = join(environment, "bin/python");
		const offline = ["--no-deps", "--no-index", "--no-build-isolation"];
		await run(python, [...pip, "wheel", ...offline, "--wheel-dir", folder, sources]);
		await run(python, [...pip, "install", ...offline, "--find-links", folder, "--target", folder, "pulumi_orgsync"]);
	});
}

const pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"];

function findPython({ path }: Places): { readonly file: string; readonly version: string } | undefined {
	for (const folder of path.split(delimiter)) {
		const file = join(folder, "python3");
		if (folder === "" || !isExecutable(file)) continue;
		const version = spawnSync(file, ["--version"], { encoding: "utf8" }).stdout?.trim() ?? "";
		const [, major = 0, minor = 0] = version.match(/^Python (\d+)\.(\d+)/)?.map(Number) ?? [];
		if (major === oldest[0] && minor >= oldest[1]) return { file, version };
	}
	return undefined;
}

async function run(
	program: string,
	words: readonly string[],
	env: Readonly<Record<string, string>> = {},
): Promise<void> {
	const child = startStep(program, words, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
	let printed = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding("utf8").on("data", (text: string) => {
			printed += text;
		});
	}
	const code = await new Promise<number | null>((resolve, reject) => {
		child.on("error", reject);
		child.on("close", resolve);
	});
	if (code !== 0) throw missing(`\`${program} ${words.join(" ")}\` failed (exit code ${code}): ${printed.trim()}`);
}
