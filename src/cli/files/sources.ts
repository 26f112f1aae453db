/** Reads and parses the documents of a command: files, folders and standard input. */

import { ConfigurationError, DocumentError } from "../../common/errors.ts";
import { readRegularFile } from "../../common/files.ts";
import { checkFleet, type DesiredFleet, organizationsIn } from "../../document/read/fleet.ts";
import { type DocumentSource, type ListFinder, withoutFileText } from "../../document/read/parse.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { CommandContext } from "../../plan/suggested-command.ts";
import type { Terminal } from "../output/output.ts";
import { type DocumentFile, findDocumentFiles } from "./document-files.ts";
import { findListsOf } from "./list-files.ts";
import { readOrRefuse } from "./read-file.ts";
import { openSpool } from "./spool.ts";

export { defaultDocument } from "./document-files.ts";

/** Which documents a command reads, and what they may use. */
export interface DocumentFlags {
	/** Files, folders and `-`; the default document when empty. */
	readonly file: readonly string[];
	/** Variables that the documents may use beside `ORGSYNC_VAR_*` and `ORGSYNC_ORGANIZATION_ID`. */
	readonly env: readonly string[];
}

export const fileLimitBytes = 8 * 1024 * 1024;

/** Max bytes of all documents of one command together. */
export const allLimitBytes = 128 * 1024 * 1024;

export interface ReadDocument extends DocumentSource, DocumentFile {}

/** Returns all organizations at once, for a command of few. Throws as readFleet does. */
export async function readDesired(flags: DocumentFlags, terminal: Terminal): Promise<readonly DesiredOrganization[]> {
	return [...organizationsIn(await readFleet(flags, terminal))];
}

/** Returns the checked fleet. Throws ConfigurationError for an unreadable file, DocumentError with all problems. */
export async function readFleet(flags: DocumentFlags & CommandContext, terminal: Terminal): Promise<DesiredFleet> {
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
	const { fleet, problems } = checkFleet(sources, terminal.environment, { env, findList }, openSpool());
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
function readFile({ name, path }: DocumentFile): Uint8Array {
	const known = pipes.get(path);
	if (known !== undefined) return known;
	const { bytes, stats } = readOrRefuse(name, () => readRegularFile(path, fileLimitBytes));
	if (stats.isFIFO()) pipes.set(path, bytes);
	return bytes;
}

/** A pipe that the shell opened (`-f <(…)`) can be read only once, like standard input. */
const pipes = new Map<string, Uint8Array>();

/** Standard input can be read once only; a command may ask for its documents twice. */
const inputs = new WeakMap<Terminal["stdin"], Promise<Uint8Array>>();

/** Returns standard input, cut just above the limit. */
export function readInput({ stdin }: Terminal, limitBytes: number = fileLimitBytes): Promise<Uint8Array> {
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
