/**
 * The documents a command was pointed at: files, folders and standard input, read and parsed.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigurationError, DocumentError, explainFileError } from "../errors.ts";
import { type DocumentSource, parseDocuments } from "../plan/document.ts";
import type { DesiredOrganization } from "../plan/organization.ts";
import { showText } from "../plan/render/escape.ts";
import type { Terminal } from "./voice.ts";

/** Where a command looks when it is not told. */
export const defaultDocument = "orgsync.yaml";

/** Larger files are no documents (product.md section 1): reading stops there. */
export const fileLimitBytes = 8 * 1024 * 1024;

/**
 * Every organization of the named files; a folder stands for its `.yaml` and `.yml` files, `-` for standard input.
 * Throws ConfigurationError when a file cannot be read and DocumentError with every problem of every file.
 */
export async function readDesired(
	files: readonly string[],
	terminal: Terminal,
): Promise<readonly DesiredOrganization[]> {
	const { organizations, problems } = parseDocuments(await readSources(files, terminal), terminal.environment);
	if (problems.length > 0) throw new DocumentError(problems);
	return organizations;
}

/** The named files as they are. Throws ConfigurationError when one cannot be read. */
export async function readSources(files: readonly string[], terminal: Terminal): Promise<readonly DocumentSource[]> {
	const sources: DocumentSource[] = [];
	for (const file of files.length === 0 ? [defaultDocument] : files) {
		for (const path of file === "-" ? ["-"] : listFiles(file, files.length === 0, terminal.directory)) {
			sources.push({
				file: path,
				content: path === "-" ? await readInput(terminal) : readFile(path, terminal.directory),
			});
		}
	}
	return sources;
}

function listFiles(path: string, isDefault: boolean, directory: string): readonly string[] {
	const full = resolve(directory, path);
	const found = orRefuse(path, () => statSync(full, { throwIfNoEntry: false }));
	if (found === undefined) {
		throw new ConfigurationError(`there is no file ${path}`, {
			hint: isDefault
				? "orgsync init writes a first one; -f FILE names another"
				: "-f takes files, folders and - for standard input",
		});
	}
	if (!found.isDirectory()) return [path];
	const files = orRefuse(path, () => readdirSync(full, { recursive: true, encoding: "utf8" }))
		.filter(isDocumentName)
		.sort()
		.map((name) => join(path, name));
	if (files.length === 0) throw new ConfigurationError(`the folder ${path} holds no .yaml or .yml file`);
	return files;
}

/** Whether a file of this path within a folder is one of the documents that the folder stands for. */
export function isDocumentName(path: string): boolean {
	const hidden = path.split(/[\\/]/).some((part) => part.startsWith(".") || part === "node_modules");
	return /\.ya?ml$/.test(path) && !hidden;
}

function orRefuse<T>(path: string, read: () => T): T {
	try {
		return read();
	} catch (error) {
		throw new ConfigurationError(`${showText(path)} cannot be read: ${explainFileError(error)}`, { cause: error });
	}
}

/** The file's bytes, cut off just beyond the limit, so that a huge file is refused without being held in memory. */
function readFile(path: string, directory: string): Uint8Array {
	const full = resolve(directory, path);
	return orRefuse(path, () =>
		statSync(full).size > fileLimitBytes ? new Uint8Array(fileLimitBytes + 1) : readFileSync(full),
	);
}

/** Standard input can be read once only; a command may ask for its documents twice. */
const inputs = new WeakMap<Terminal["stdin"], Promise<Uint8Array>>();

/** Standard input, cut off just beyond the limit. */
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
