import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { isSameFile } from "../../common/files.ts";
import { decodeSavedPlan, encodeSavedPlan, type SavedPlan } from "../../document/saved/saved-plan.ts";
import type { Terminal } from "../output/output.ts";
import { readTextFile } from "./read-file.ts";
import { readInput } from "./sources.ts";
import { checkWritable, replaceFile, writeOrRefuse } from "./write-file.ts";

/** Max size of a saved plan: enough for thousands of organizations. */
const maxMebibytes = 128;

/** Returns the saved plan of a file, or of standard input for `-`. Throws ConfigurationError if it is not a valid saved plan. */
export async function readSavedPlan(file: string, terminal: Terminal): Promise<SavedPlan> {
	if (file !== "-") {
		const options = { maxMebibytes, hint: "plan saves one with --out" };
		return decodeSavedPlan(readTextFile(file, terminal.directory, options), file);
	}
	const bytes = await readInput(terminal, maxMebibytes * 1024 * 1024);
	if (bytes.length > maxMebibytes * 1024 * 1024) {
		throw new ConfigurationError(`standard input is not a saved plan: it is larger than ${maxMebibytes} MiB`);
	}
	return decodeSavedPlan(new TextDecoder().decode(bytes), file);
}

/** Returns a function that writes a saved plan as a whole. Throws ConfigurationError at once if the file cannot be written. */
export function prepareSavedPlanFile(
	file: string,
	output: string | undefined,
	terminal: Terminal,
): (saved: SavedPlan) => void {
	if (file === "-") throw new ConfigurationError("--out needs the name of a file, not -");
	const path = resolve(terminal.directory, file);
	const failure = `the plan cannot be saved in ${showText(file)}`;
	writeOrRefuse(failure, () => {
		checkWritable(path, terminal);
		if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error("it is not a regular file");
		accessSync(dirname(path), constants.W_OK);
	});
	if (output !== undefined && isSameFile(resolve(terminal.directory, output), path)) {
		throw new ConfigurationError("--out and --output name the same file");
	}
	return (saved) => writeOrRefuse(failure, () => replaceFile(path, encodeSavedPlan(saved), terminal));
}
