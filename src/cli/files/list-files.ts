/** Reads the lists of `organizations: { from: FILE }`: regular files in the documents' folder, as a pull request can name them. */
import { dirname, join, resolve } from "node:path";
import { explainFileError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { isDescriptor, readFileWithin } from "../../common/files.ts";
import { type ListFile, type ListFinder, listLimits } from "../../document/read/parse.ts";
import type { DocumentFile } from "./document-files.ts";

/** Max bytes of all lists of one command together. */
const allLimitBytes = 128 * 1024 * 1024;

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
