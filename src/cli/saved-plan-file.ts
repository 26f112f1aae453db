/**
 * The file of a saved plan: read whole or refused, written whole or not at all.
 */
import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigurationError, explainFileError } from "../errors.ts";
import { showText } from "../escape.ts";
import { decodeSavedPlan, encodeSavedPlan, type SavedPlan } from "../plan/saved.ts";
import type { Terminal } from "./output.ts";
import { readTextFile } from "./read-file.ts";
import { readInput } from "./sources.ts";
import { checkWritable, replaceFile } from "./write-file.ts";

/** Larger files are no saved plans: thousands of organizations have room in this. */
const maxMebibytes = 128;

/** The saved plan in this file, or in standard input for `-`. Throws ConfigurationError for anything that is none. */
export async function readSavedPlan(file: string, terminal: Terminal): Promise<SavedPlan> {
	if (file !== "-") {
		const options = { maxMebibytes, hint: "orgsync plan --out FILE saves a plan" };
		return decodeSavedPlan(readTextFile(file, terminal.directory, options), file);
	}
	const bytes = await readInput(terminal, maxMebibytes * 1024 * 1024);
	if (bytes.length > maxMebibytes * 1024 * 1024) {
		throw new ConfigurationError(`standard input is no saved plan: it is larger than ${maxMebibytes} MiB`);
	}
	return decodeSavedPlan(new TextDecoder().decode(bytes), file);
}

/**
 * The function that writes a saved plan to this file. What would keep it from that is a ConfigurationError now, before
 * anything is planned. `output` is the file of the command's own result.
 */
export function prepareSavedPlanFile(
	file: string,
	output: string | undefined,
	terminal: Terminal,
): (saved: SavedPlan) => void {
	if (file === "-") throw new ConfigurationError("--out takes the name of a file; - is none");
	const path = resolve(terminal.directory, file);
	try {
		checkWritable(path, terminal);
		if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error("it is no regular file");
		accessSync(dirname(path), constants.W_OK);
	} catch (error) {
		refuseFile(file, error);
	}
	if (output !== undefined && isSameFile(resolve(terminal.directory, output), path)) {
		throw new ConfigurationError("--out and --output name the same file");
	}
	return (saved) => {
		try {
			replaceFile(path, encodeSavedPlan(saved), terminal);
		} catch (error) {
			refuseFile(file, error);
		}
	};
}

/** A file that is not there yet has no other name. */
function isSameFile(left: string, right: string): boolean {
	return left === right || (existsSync(left) && existsSync(right) && realpathSync(left) === realpathSync(right));
}

function refuseFile(file: string, error: unknown): never {
	throw new ConfigurationError(`the plan cannot be saved in ${showText(file)}: ${explainFileError(error)}`, {
		cause: error,
	});
}
