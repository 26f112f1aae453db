import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { isSameFile } from "../../common/files.ts";
import { decodeSavedPlan, encodeSavedPlan, type SavedPlan } from "../../document/saved/saved-plan.ts";
import type { Terminal } from "../output/output.ts";
import { readInputText } from "./sources.ts";
import { checkWritable, replaceFile, writeOrRefuse } from "./write-file.ts";

/** Max size of a saved plan: enough for thousands of organizations. */
const maxMebibytes = 128;

/** Returns the saved plan of a file, or of standard input for `-`. Throws ConfigurationError if it is not a valid saved plan. */
export async function readSavedPlan(file: string, terminal: Terminal): Promise<SavedPlan> {
	const text = await readInputText(file, terminal, { maxMebibytes, hint: "plan saves one with --out" });
	return decodeSavedPlan(text, file);
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
