/** The files that inputs are made from: the corpus of this proof, and the examples and tests of the project. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../../../", import.meta.url));

/** Max bytes of a file: the tests have files of megabytes. */
const maxBytes = 60_000;

/** Returns the texts of the files with this ending in a folder of the project and the folders in it, sorted by name. */
export function readTexts(folder: string, ending: string): readonly string[] {
	const path = join(project, folder);
	if (!existsSync(path)) return [];
	return readdirSync(path, { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(ending))
		.sort()
		.map((name) => join(path, name))
		.filter((file) => statSync(file).size <= maxBytes)
		.map((file) => readFileSync(file, "utf8"));
}

/** Returns the texts of the corpus of a target. */
export function readCorpus(target: string, ending = ""): readonly string[] {
	return readTexts(join("test/prove/fuzz/corpus", target), ending);
}
