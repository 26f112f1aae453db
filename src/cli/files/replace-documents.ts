/** Writes edited documents in place of the files that they were read from: all or none. */
import { accessSync, constants, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import type { DocumentSource } from "../../document/read/parse.ts";
import type { Terminal } from "../output/output.ts";
import { type ReadDocument, readSources } from "./sources.ts";
import { writeNewTemporaryFile, writeOrRefuse, writeTemporaryFile } from "./write-file.ts";

/** Throws ConfigurationError if a document was changed while live state was read. */
export async function refuseChanged(
	sources: readonly DocumentSource[],
	files: readonly string[],
	terminal: Terminal,
): Promise<void> {
	const again = await readSources(files, terminal);
	const isSame = (source: DocumentSource, index: number): boolean =>
		source.file === again[index]?.file && Buffer.from(source.content).equals(Buffer.from(again[index].content));
	const other = sources.find((source, index) => !isSame(source, index))?.file ?? again[sources.length]?.file;
	if (other !== undefined) throw changed(other);
}

function changed(file: string): ConfigurationError {
	return new ConfigurationError(`${showText(file)} was changed while the organization was read; run it again`);
}

interface Replacement {
	readonly file: string;
	readonly path: string;
	/** A temporary file beside it, with the new text. */
	readonly part: string;
	readonly mode: number;
	readonly before: Uint8Array;
}

/** Replaces all files or none, each complete at any time, with its mode and the link to it. Throws ConfigurationError. */
export function replaceDocuments(
	contents: ReadonlyMap<string, string>,
	sources: readonly ReadDocument[],
	by: string,
): void {
	const prepared: Replacement[] = [];
	const replaced: Replacement[] = [];
	try {
		for (const source of sources) {
			const content = contents.get(source.name);
			if (content !== undefined)
				prepared.push(writeOrRefuse(failureFor(source.name), () => prepare(source, content, by)));
		}
		for (const replacement of prepared) {
			writeOrRefuse(failureFor(replacement.file), () => renameSync(replacement.part, replacement.path));
			replaced.push(replacement);
		}
	} catch (error) {
		for (const { path, before, mode } of replaced) renameSync(writeTemporaryFile(dirname(path), before, mode), path);
		throw error;
	} finally {
		for (const { part } of prepared) rmSync(part, { force: true });
	}
}

function failureFor(file: string): string {
	return `${showText(file)} cannot be written`;
}

/**
 * Writes the new text beside the file that it will replace, under a name that only one orgsync at a time can create, and looks
 * once more whether the file is as it was read: two edits at the same moment must not lose one. Throws for a link that points
 * outside its folder.
 */
function prepare({ name, path, isForeign, content: before }: ReadDocument, content: string, by: string): Replacement {
	if (isForeign) {
		const message = `${showText(name)} is a link that points outside its folder; ${by} does not write there`;
		throw new ConfigurationError(message, { hint: "name the target file with -f" });
	}
	// A rename needs only a writable folder, so it would replace a read-only file.
	accessSync(path, constants.W_OK);
	const { mode } = statSync(path);
	const part = claim(path, name, content, mode);
	if (Buffer.from(before).equals(readFileSync(path)))
		return { file: name, path, part, mode, before: Buffer.from(before) };
	rmSync(part, { force: true });
	throw changed(name);
}

/** Creates the temporary file of a document. Throws ConfigurationError if it exists. */
function claim(path: string, name: string, content: string, mode: number): string {
	const part = join(dirname(path), `.orgsync-${basename(path)}.part`);
	try {
		writeNewTemporaryFile(part, content, mode);
		return part;
	} catch (error) {
		if ((error as { code?: unknown }).code !== "EEXIST") throw error;
		throw new ConfigurationError(`another orgsync is writing ${showText(name)}: ${showText(part)} exists`, {
			hint: "run it again; if no other orgsync runs, remove that file",
		});
	}
}
