/** Finds and reads the files of access cases: those that are named, or those beside the documents. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigurationError, DocumentError, explainFileError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { readFileWithin } from "../../common/files.ts";
import { type BodyFinder, readAccessFile } from "../../document/read/access-file.ts";
import { type DesiredFleet, mapFleet, organizationsIn } from "../../document/read/fleet.ts";
import { type DocumentSource, withoutFileText } from "../../document/read/parse.ts";
import type { CaseFile } from "../../plan/access-cases/case.ts";
import type { Terminal } from "../output/output.ts";
import { accessFiles, type DocumentFile, defaultDocument, findAccessFiles, orNothing } from "./document-files.ts";
import { type DocumentFlags, fileLimitBytes, readFile } from "./sources.ts";

/** Returns the cases of these files and folders; without any, of all files beside the documents. Throws DocumentError with all problems. */
export function readCaseFiles(paths: readonly string[], flags: DocumentFlags, terminal: Terminal): readonly CaseFile[] {
	const { directory } = terminal;
	const found = paths.length > 0 ? findAccessFiles(paths, directory) : findBeside(flags.file, directory);
	if (found.length === 0) {
		throw new ConfigurationError("no access cases: there is no .access.yaml file beside the documents", {
			hint: "name a file or a folder, or begin one with --write FILE",
		});
	}
	return parseCases(
		found.map((one) => ({ ...one, file: one.name, content: readFile(one), findBody: findBodies(one, directory) })),
		flags,
		terminal,
	);
}

/** Returns the fleet with the cases of all files beside the documents. Throws as `readCaseFiles` does, but not where there is none. */
export function withCases(fleet: DesiredFleet, flags: DocumentFlags, terminal: Terminal): DesiredFleet {
	const isOfInput = flags.file.length > 0 && flags.file.every((path) => path === "-");
	if (isOfInput || findBeside(flags.file, terminal.directory).length === 0) return fleet;
	const cases = readCaseFiles([], flags, terminal);
	return mapFleet(fleet, (desired) => ({ ...desired, cases }));
}

/** Returns the same for documents of which one requires that no case is broken; otherwise the fleet as it is. */
export function withRequiredCases(fleet: DesiredFleet, flags: DocumentFlags, terminal: Terminal): DesiredFleet {
	if (besideDocuments(flags.file, terminal.directory).length === 0) return fleet;
	for (const { accessTests } of organizationsIn(fleet)) {
		if (accessTests !== undefined) return withCases(fleet, flags, terminal);
	}
	return fleet;
}

/** A file of cases. The problems of a link that points outside its folder show no text of it. */
export interface CaseSource extends DocumentSource, Partial<Pick<DocumentFile, "isForeign">> {
	readonly findBody: BodyFinder;
}

/** Returns the cases of these files. Throws DocumentError with all problems. */
export function parseCases(
	files: readonly CaseSource[],
	{ env }: DocumentFlags,
	{ environment }: Terminal,
	found = "the access cases have",
): readonly CaseFile[] {
	const read = files.map(({ findBody, isForeign, ...source }) => {
		const result = readAccessFile(source, { environment, env, findBody });
		return "problems" in result && isForeign === true ? { problems: withoutFileText(result.problems) } : result;
	});
	const problems = read.flatMap((one) => ("problems" in one ? one.problems : []));
	if (problems.length > 0) throw new DocumentError(problems, found);
	return read.flatMap((one) => ("cases" in one ? one.cases : []));
}

/** Returns the files of cases beside the documents. A pull request can add a link there, so none can point outside. */
function findBeside(paths: readonly string[], directory: string): readonly DocumentFile[] {
	const found = findAccessFiles(besideDocuments(paths, directory), directory);
	const foreign = found.find(({ isForeign }) => isForeign);
	if (foreign === undefined) return found;
	throw new ConfigurationError(`${showText(foreign.name)} is a link that points outside its folder`, {
		hint: "replace the link with the file, or name the file for `test`",
	});
}

/** Returns the folders among the paths that have cases, and the files of cases in the folders of the documents. */
function besideDocuments(paths: readonly string[], directory: string): readonly string[] {
	const named = paths.filter((path) => path !== "-");
	return (named.length === 0 ? [defaultDocument] : named).flatMap((path) => {
		const isFolder = orNothing(() => statSync(resolve(directory, path)))?.isDirectory() === true;
		const folder = isFolder ? path : dirname(path);
		const entries = orNothing(() => readdirSync(resolve(directory, folder), { recursive: isFolder, encoding: "utf8" }));
		const files = (entries ?? []).filter((name) => accessFiles.ending.test(name)).sort();
		if (isFolder) return files.length === 0 ? [] : [path];
		return files.filter((name) => !name.startsWith(".")).map((name) => join(folder, name));
	});
}

/** Returns the finder of the requests that the file names: they are in its folder, or in the folder that the user names. */
function findBodies({ folder }: DocumentFile, directory: string): BodyFinder {
	return (file, body) => {
		const name = join(dirname(file), body);
		try {
			return { file: name, content: readFileWithin(folder, resolve(directory, name), fileLimitBytes) };
		} catch (error) {
			return { mistake: `cannot be read: ${explainFileError(error)}` };
		}
	};
}
