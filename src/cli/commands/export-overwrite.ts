/** Refuses to replace a file by an export that would lose what people wrote into it. */
import { resolve } from "node:path";
import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { readRegularFile } from "../../common/files.ts";
import { lossesOfDocument, lossesOfProgram } from "../../document/export/losses.ts";
import type { LostWindow } from "../../document/export/windows.ts";
import { orNothing } from "../files/document-files.ts";
import type { Format } from "../flags/formats.ts";
import type { Call } from "../output/output.ts";

interface OverwriteFlags {
	readonly output?: string;
	/** Whether the file is replaced, whatever is lost. */
	readonly force?: boolean;
}

/** A document has no more. */
const maxBytes = 8 * 1024 * 1024;

/** Throws ConfigurationError if the file of `--output` has what the export lacks; with `--force` it is a warning. */
export function refuseLosses(
	{ flags, terminal, output }: Call<OverwriteFlags>,
	text: string,
	windows: readonly LostWindow[],
): void {
	const { output: file, force } = flags;
	if (file === undefined || output.format === "json") return;
	const path = resolve(terminal.directory, file);
	const bytes = orNothing(() => readRegularFile(path, maxBytes).bytes);
	if (bytes === undefined) return;
	const before = Buffer.from(bytes).toString("utf8");
	const losses = bytes.length > maxBytes ? ["all of it"] : lossesOf(before, text, output.format, windows);
	if (losses.length === 0) return;
	const what = losses.map(showText).join(", ");
	if (force === true) {
		output.warn(`--output ${showText(file)}: the export replaces ${what}`);
		return;
	}
	throw new ConfigurationError(`--output ${showText(file)}: the export would lose ${what}`, {
		hint: "name another file; to take live state into a document and keep the rest, use drift --accept; to override: --force",
	});
}

function lossesOf(before: string, after: string, format: Format, windows: readonly LostWindow[]): readonly string[] {
	if (format === "text") return lossesOfDocument(before, after, windows);
	if (format === "pulumi-yaml") return lossesOfProgram(before, after);
	// Nothing shows what people changed in a program of TypeScript.
	return before.trim() === "" || before === after ? [] : ["the program in it"];
}
