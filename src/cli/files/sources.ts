/** Reads and parses the documents of a command: files, folders and standard input. */

import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { defined } from "../../common/defined.ts";
import { ConfigurationError, DocumentError, explainFileError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { isDescriptor, readFileWithin, readRegularFile } from "../../common/files.ts";
import { checkFleet, type DesiredFleet, organizationsIn } from "../../document/read/fleet.ts";
import {
	type DocumentSource,
	type ListFile,
	type ListFinder,
	listLimits,
	type ParseOptions,
	withoutFileText,
} from "../../document/read/parse.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { CommandContext } from "../../plan/suggested-command.ts";
import type { Flags } from "../flags/given-flags.ts";
import type { Terminal } from "../output/output.ts";
import { type DocumentFile, findDocumentFiles } from "./document-files.ts";
import { decodeText, readOrRefuse, readTextFile, type TextFileOptions } from "./read-file.ts";
import { openSpool } from "./spool.ts";

export { defaultDocument } from "./document-files.ts";

/** Which documents a command reads, and what they may use. */
export type DocumentFlags = Flags<"file" | "env">;

export const fileLimitBytes = 8 * 1024 * 1024;

/** Max bytes of all documents of one command together, and of all lists. */
export const allLimitBytes = 128 * 1024 * 1024;

export interface ReadDocument extends DocumentSource, DocumentFile {}

/** Returns all organizations at once, for a command of few. Throws as readFleet does. */
export async function readDesired(flags: DocumentFlags, terminal: Terminal): Promise<readonly DesiredOrganization[]> {
	return [...organizationsIn(await readFleet(flags, terminal))];
}

/** Returns the checked fleet. `visit` is called with each document. Throws ConfigurationError for an unreadable file, DocumentError with all problems. */
export async function readFleet(
	flags: DocumentFlags & CommandContext,
	terminal: Terminal,
	visit?: ParseOptions["visit"],
): Promise<DesiredFleet> {
	const { file, env } = flags;
	const sources = await readSources(file, terminal, flags);
	const foreign = new Set(sources.filter(({ isForeign }) => isForeign).map(({ name }) => name));
	const find = findListsOf(sources, terminal.directory);
	const findList: ListFinder = (document, from) => {
		const list = find(document, from);
		// The text of the document is in the problems of its list.
		if (list.file !== undefined && foreign.has(document)) foreign.add(list.file);
		return list;
	};
	const options = { environment: terminal.environment, env, findList, ...defined({ visit }) };
	const { fleet, problems } = checkFleet(sources, options, openSpool());
	if (problems.length === 0) return fleet;
	throw new DocumentError(
		problems.flatMap((problem) => (foreign.has(problem.file) ? withoutFileText([problem]) : [problem])),
	);
}

/** Returns the documents, each once. Throws ConfigurationError if one cannot be read. */
export async function readSources(
	files: readonly string[],
	terminal: Terminal,
	commands: CommandContext = {},
): Promise<readonly ReadDocument[]> {
	const sources: ReadDocument[] = [];
	let size = 0;
	for (const found of findDocumentFiles(files, terminal.directory, commands)) {
		const content = found.name === "-" ? await readInput(terminal) : readFile(found);
		sources.push({ ...found, file: found.name, content });
		size += content.byteLength;
		if (size > allLimitBytes) {
			throw new ConfigurationError("the documents are larger than 128 MiB in total", {
				hint: "split them: run orgsync once for each folder, with -f",
			});
		}
	}
	return sources;
}

/** Returns the bytes of the file, cut just above the limit, so that a huge file does not fill the memory. */
export function readFile({ name, path }: DocumentFile): Uint8Array {
	const known = pipes.get(path);
	if (known !== undefined) return known;
	const { bytes, stats } = readOrRefuse(name, () => readRegularFile(path, fileLimitBytes));
	if (stats.isFIFO()) pipes.set(path, bytes);
	return bytes;
}

/** Returns the bytes of a file that a flag names, or of standard input for `-`, cut just above the limit. */
export async function readInputFile(name: string, terminal: Terminal): Promise<Uint8Array> {
	if (name === "-") return readInput(terminal);
	return readOrRefuse(name, () => readRegularFile(resolve(terminal.directory, name), fileLimitBytes)).bytes;
}

/** Returns the text of a file, or of standard input for `-`. Throws ConfigurationError where it cannot be read or is too large. */
export async function readInputText(name: string, terminal: Terminal, options: TextFileOptions): Promise<string> {
	if (name !== "-") return readTextFile(name, terminal.directory, options);
	return decodeText("standard input", await readInput(terminal, options.maxMebibytes * 1024 * 1024), options);
}

/** A pipe that the shell opened (`-f <(…)`) can be read only once, like standard input. */
const pipes = new Map<string, Uint8Array>();

/** Standard input can be read once only; a command may ask for its documents twice. */
const inputs = new WeakMap<Terminal["stdin"], Promise<Uint8Array>>();

/** Returns standard input, cut just above the limit. */
function readInput({ stdin }: Terminal, limitBytes: number = fileLimitBytes): Promise<Uint8Array> {
	const known = inputs.get(stdin) ?? drain(stdin, limitBytes);
	inputs.set(stdin, known);
	return known;
}

async function drain(stdin: Terminal["stdin"], limitBytes: number): Promise<Uint8Array> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stdin) {
		chunks.push(Buffer.from(chunk));
		size += chunk.length;
		if (size > limitBytes) break;
	}
	return Buffer.concat(chunks);
}

/** Returns the finder of the lists of these documents, which reads each once: documents are parsed twice. */
export function findListsOf(documents: readonly DocumentFile[], directory: string): ListFinder {
	const byName = new Map(documents.map((document) => [document.name, document]));
	const known = new Map<string, Uint8Array>();
	let size = 0;
	return (file, from): ListFile => {
		const document = byName.get(file);
		const name = listName(file, from);
		const refused = (why: string): ListFile => ({ mistake: `the list ${showText(name)} cannot be read: ${why}` });
		if (document === undefined) return refused("its document is unknown");
		try {
			const path = resolve(directory, name);
			const content = known.get(path) ?? readFileWithin(document.folder, path, listLimits.bytes);
			if (!known.has(path)) size += content.byteLength;
			known.set(path, content);
			return size > allLimitBytes ? refused("all lists are larger than 128 MiB in total") : { file: name, content };
		} catch (error) {
			return refused(explainFileError(error));
		}
	};
}

/** Returns the path of a list as the user would write it: it is relative to its document, or to the working folder. */
export function listName(file: string, from: string): string {
	return file === "-" || isDescriptor(file) ? join(from) : join(dirname(file), from);
}

/** Where schemas/ of the package is, seen from the sources as from a chunk of the bundle. */
const place = "../../../schemas/";

/** Returns the line that tells editors the schema: by its path from the file, or a file: URL in another tree; empty in a single-file executable. */
export function schemaComment(document: string, name = "document.json"): string {
	const schema = fileURLToPath(new URL(`${place}${name}`, import.meta.url));
	if (!existsSync(schema)) return "";
	const path = relative(dirname(document), schema).replaceAll("\\", "/");
	const address = isAbsolute(path) || path.startsWith("../../..") ? pathToFileURL(schema).href : path;
	return `# yaml-language-server: $schema=${address}\n`;
}
