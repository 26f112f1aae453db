/**
 * The generators of the SDKs: programs on Pulumi's own, built once. `sdk/` and `dotnet/` are their modules; .NET has one of its
 * own because newer releases of the others lack it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NotHere } from "../left-out.ts";
import { buildProgram, findGo, type GoProgram, installGo, moduleFolder } from "./go-tool.ts";
import { type Kept, keep, keptFolder, type Places, usualPlaces } from "./store.ts";

export const sdkLanguages = ["nodejs", "python", "go", "dotnet"] as const;
export type SdkLanguage = (typeof sdkLanguages)[number];

// With the tags of the engine, what both are compiled from is compiled once.
const programs: readonly GoProgram[] = ["sdk", "dotnet"].map((module) => ({
	module,
	program: `orgsync.invalid/test/engine/${module}`,
	tags: "osusergo,grpcnotrace",
	takes: "10 seconds, after the engine,",
}));

/** Returns the folder of the generators, which are built if they are not there. Throws NotHere without Go. */
export async function ensureGenerators(places: Places = usualPlaces): Promise<string> {
	const built = keptFolder(places, kept());
	if (existsSync(built)) return built;
	const go = findGo(places);
	if (go === undefined) {
		throw new NotHere({
			what: "the tests that generate the SDKs",
			missing: "their generators are not built, and there is no Go",
			install: installGo,
		});
	}
	return await keep(places, kept(), async (into) => {
		places.say("building the generators of the SDKs with Go, once");
		for (const [index, program] of programs.entries()) {
			const step = `step ${index + 1} of ${programs.length}`;
			await buildProgram(go, program, { step, into, say: places.say });
		}
	});
}

/** Returns the files of an SDK, by path. */
export function generateSdk(generators: string, language: SdkLanguage, schema: string): ReadonlyMap<string, Buffer> {
	return generate(join(generators, language === "dotnet" ? "dotnet" : "sdk"), [language], schema);
}

/** Returns the program of a file in PCL, Pulumi's own language, as the host of the language makes it for `pulumi import`. */
export function generateProgram(
	generators: string,
	language: Exclude<SdkLanguage, "dotnet">,
	schema: string,
	file: string,
): string {
	const files = generate(join(generators, "sdk"), [language, file], schema);
	return [...files.values()].join("\n");
}

function generate(program: string, words: readonly string[], schema: string): ReadonlyMap<string, Buffer> {
	const { status, stdout, stderr } = spawnSync(program, words, { input: schema, encoding: "utf8", maxBuffer: 2 ** 26 });
	if (status !== 0) throw new Error(`the generator failed for ${words.join(" ")}: ${stderr}`);
	const files = Object.entries(JSON.parse(stdout) as Record<string, string>);
	return new Map(files.map(([path, text]) => [path, Buffer.from(text, "base64")]));
}

function kept(): Kept {
	const files = programs.flatMap(({ module }) =>
		["go.mod", "go.sum", "main.go"].map((name) => readFileSync(join(moduleFolder(module), name))),
	);
	return { kind: "generators", from: files, resumes: true };
}
