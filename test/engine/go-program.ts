/**
 * Programs in Go for the tests: built once for what they and the SDK contain, so that a stack runs them as they are.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NotHere } from "../left-out.ts";
import { buildProgram, findGo, type GoProgram, installGo } from "./go-tool.ts";
import { type Kept, keep, keptFolder, type Places, usualPlaces } from "./store.ts";

const sdk = fileURLToPath(new URL("../../sdk/go", import.meta.url));

/** The example in Go, which `npm run engine` builds before the tests. */
export const goProgram = fileURLToPath(new URL("../../examples/pulumi-go", import.meta.url));

/** Writes the module of another program into a folder, with the requirements of the example. */
export function makeGoModule(folder: string, program: string): void {
	const manifest = readFileSync(join(goProgram, "go.mod"), "utf8")
		.replace("examples/pulumi-go", "docs/program")
		.replace("../../sdk/go", sdk);
	writeFileSync(join(folder, "go.mod"), manifest);
	copyFileSync(join(goProgram, "go.sum"), join(folder, "go.sum"));
	writeFileSync(join(folder, "main.go"), program);
}

/** Returns the built program of a folder, a Go module. Throws NotHere without Go. */
export async function ensureGoProgram(folder: string, places: Places = usualPlaces): Promise<string> {
	const module = readFileSync(join(folder, "go.mod"), "utf8").match(/^module (\S+)$/m)?.[1] ?? "";
	const name = basename(module);
	const kept: Kept = {
		kind: `program-${module.replaceAll(/[^a-z]+/g, "-")}`,
		from: [sdk, folder].flatMap(readFolder),
	};
	const built = keptFolder(places, kept);
	if (existsSync(built)) return join(built, name);
	const go = findGo(places);
	if (go === undefined) {
		throw new NotHere({
			what: "the tests of programs in Go",
			missing: "they are not built, and there is no Go",
			install: installGo,
		});
	}
	// The tags of the engine, and its versions in go.mod: what both need is compiled once.
	const program: GoProgram = {
		module: folder,
		program: module,
		// The whole SDK is compiled, whatever the program uses of it.
		also: ["orgsync.invalid/sdk/go/orgsync/..."],
		tags: "osusergo,grpcnotrace",
		takes: "10 seconds, after the engine,",
	};
	const into = await keep(places, kept, (into) => buildProgram(go, program, { step: "Go", into, say: places.say }));
	return join(into, name);
}

function readFolder(folder: string): (string | Buffer)[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((path) => /\.(go|mod|sum|json)$/.test(path) && statSync(join(folder, path)).isFile())
		.toSorted()
		.flatMap((path) => [path, readFileSync(join(folder, path))]);
}
