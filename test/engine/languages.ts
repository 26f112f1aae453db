/**
 * Programs in the other languages of the SDKs: what a stack of the harness needs to run one. Each throws NotHere on a machine
 * without the language.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { NotHere } from "../left-out.ts";
import { makeOnce } from "../shared.ts";
import { ensureEngine, type Language } from "./engine.ts";
import { ensureGoProgram } from "./go-program.ts";
import type { StackOptions } from "./harness.ts";
import { shareNodeSdk } from "./node-sdk.ts";
import { ensurePython, sharePythonSdk } from "./python.ts";

/** A part of the options of a stack. */
export interface Runtime extends Pick<StackOptions, "path" | "env" | "packages"> {
	/** The value of `runtime` in Pulumi.yaml, in one line. */
	readonly runtime: string;
}

/** Runs `__main__.py` of the project with the installed SDK. */
export async function pythonRuntime(): Promise<Runtime> {
	await requireHost("python");
	const environment = await ensurePython();
	const env = { PYTHONPATH: await sharePythonSdk(inject("sharedFolder")) };
	// As in an activated environment. The option `virtualenv` is lost between a new engine and an old host.
	return { runtime: "python", path: [join(environment, "bin")], env };
}

/** Runs the program of a Go module as it was built before. */
export async function goRuntime(module: string): Promise<Runtime> {
	const { folder } = await requireHost("go");
	const program = await ensureGoProgram(module);
	// An old host takes the program by this flag; the engine hands the option `binary` only to new ones, which ignore the flag.
	const name = `go-host-${module.replaceAll(/[^a-zA-Z0-9]+/g, "-")}`;
	const path = await makeOnce(inject("sharedFolder"), name, (made) => {
		const words = [join(folder, "pulumi-language-go"), `-binary=${program}`].map((word) => JSON.stringify(word));
		writeFileSync(join(made, "pulumi-language-go"), `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, { mode: 0o755 });
	});
	return { runtime: `{ name: go, options: { binary: ${JSON.stringify(program)} } }`, path: [path] };
}

/** Runs TypeScript, whose types Node removes, with the compiled SDK. */
export async function typescriptRuntime(): Promise<Runtime> {
	const packages = { "@orgsync/pulumi": await shareNodeSdk(inject("sharedFolder")) };
	return { runtime: "{ name: nodejs, options: { typescript: false } }", packages };
}

async function requireHost(language: Language): ReturnType<typeof ensureEngine> {
	const engine = await ensureEngine();
	if (engine.languages.includes(language)) return engine;
	throw new NotHere({
		what: `the tests of programs in ${language === "go" ? "Go" : "Python"}`,
		missing: `${engine.folder} lacks pulumi-language-${language}`,
		install: "installing a whole Pulumi, or `npm run engine` without this one on PATH",
	});
}
