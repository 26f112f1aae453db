/**
 * Writes the SDKs of the Pulumi package, in `sdk/`, as its generators make them from `sdk/schema.json`. What is written by hand
 * stays: the README of each, and what pins the Go module.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureGenerators, generateSdk, sdkLanguages } from "../test/engine/generators.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "sdk");

/** Files by path in `sdk/` that no generator writes. */
export const writtenByHand = [
	"schema.json",
	...sdkLanguages.map((language) => `${language}/README.md`),
	"go/go.mod",
	"go/go.sum",
];

/** What compilers leave behind; git ignores it. */
const leftBehind = /(^|\/)(bin|obj|node_modules|build|__pycache__|[^/]+\.egg-info)(\/|$)/;

/** The files of all SDKs as they should be, by path in `sdk/`. */
export async function makeSdks(): Promise<ReadonlyMap<string, Buffer>> {
	const generators = await ensureGenerators();
	const schema = readFileSync(join(folder, "schema.json"), "utf8");
	const files = sdkLanguages.flatMap((language) =>
		[...generateSdk(generators, language, schema)].map(([path, text]) => [`${language}/${path}`, text] as const),
	);
	return new Map(files.filter(([path]) => !writtenByHand.includes(path)));
}

/** The generated files as they are, by path in `sdk/`. */
export function readSdks(): ReadonlyMap<string, Buffer> {
	const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((path) => !leftBehind.test(path) && statSync(join(folder, path)).isFile())
		.filter((path) => !writtenByHand.includes(path));
	return new Map(paths.map((path) => [path, readFileSync(join(folder, path))]));
}

async function writeSdks(): Promise<void> {
	const files = await makeSdks();
	for (const path of readSdks().keys()) rmSync(join(folder, path));
	for (const [path, text] of files) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	process.stderr.write(`wrote ${files.size} files of ${sdkLanguages.length} SDKs into ${relative(root, folder)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeSdks();
