/** Finds and reads the files of access cases: those that are named, or those beside the documents. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigurationError, DocumentError, explainFileError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { readFileWithin } from "../../common/files.ts";
import { type BodyFinder, readAccessFile } from "../../document/read/access-file.ts";
import { withoutFileText } from "../../document/read/parse.ts";
import type { CaseFile } from "../../plan/access-cases/case.ts";
import type { Terminal } from "../output/output.ts";
import { accessFiles, type DocumentFile, defaultDocument, findAccessFiles, orNothing } from "./document-files.ts";
import { type DocumentFlags, fileLimitBytes, readFile } from "./sources.ts";

/** Returns the cases of these files and folders; without any, of all files beside the documents. Throws DocumentError with all problems. */
export function readCaseFiles(paths: readonly string[], flags: DocumentFlags, terminal: Terminal): readonly CaseFile[] {
	const { directory, environment } = terminal;
	const found = findAccessFiles(paths.length > 0 ? paths : besideDocuments(flags.file, directory), directory);
	if (found.length === 0) {
		throw new ConfigurationError("no access cases: there is no .access.yaml file beside the documents", {
			hint: "name a file or a folder, or begin one with --write FILE",
		});
	}
	// A pull request can add a link beside the documents.
	const link = paths.length > 0 ? undefined : found.find(({ isForeign }) => isForeign);
	if (link !== undefined) {
		throw new ConfigurationError(`${showText(link.name)} is a link that points outside its folder`, {
			hint: "replace the link with the file, or name the file: orgsync reads what you name",
		});
	}
	const read = found.map((one) => {
		const options = { env: flags.env, findBody: findBodies(one, directory) };
		const result = readAccessFile({ file: one.name, content: readFile(one) }, environment, options);
		return "problems" in result && one.isForeign ? { problems: withoutFileText(result.problems) } : result;
	});
	const problems = read.flatMap((one) => ("problems" in one ? one.problems : []));
	if (problems.length > 0) throw new DocumentError(problems, "the test suite");
	return read.flatMap((one) => ("cases" in one ? one.cases : []));
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
