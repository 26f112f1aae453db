/**
 * Finds the files that `-f` names. A pull request can add links to a folder, so a link in it cannot point outside; a file that
 * the operator names can be a link to anywhere. Each file is read once, however often it is named.
 */
import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { ConfigurationError } from "../../common/errors.ts";
import { showName, showText } from "../../common/escape.ts";
import { isDescriptor, isInside, leadsOutside, realPathOf } from "../../common/files.ts";
import { type CommandContext, commandText } from "../../plan/suggested-command.ts";
import { readOrRefuse } from "./read-file.ts";

/** The document of a command without `-f`. */
export const defaultDocument = "orgsync.yaml";

export interface DocumentFile {
	/** As the user would write it; `-` is standard input. */
	readonly name: string;
	/** Its real path, links followed; `-` for standard input. */
	readonly path: string;
	/** Whether it is a link that points outside its folder. Only a file that is named directly can be one. */
	readonly isForeign: boolean;
	/** The folder with the lists that it can name: the folder that the user names, or that of the file. */
	readonly folder: string;
}

/**
 * Returns the files of these paths in their order, or the default document when there are none. A folder means its `.yaml` and
 * `.yml` files but those of access cases. Throws ConfigurationError for a path that does not exist, a folder without documents, a
 * link in a folder that points outside, and a file of access cases.
 */
export function findDocumentFiles(
	paths: readonly string[],
	directory: string,
	commands: CommandContext = {},
): readonly DocumentFile[] {
	const isDefault = paths.length === 0;
	const cases = paths.find((path) => accessFiles.ending.test(path));
	if (cases !== undefined) {
		throw new ConfigurationError(`-f ${showName(cases)}: the file has access cases and is no document`, {
			hint: `run the cases with \`${commandText({ command: "test", arguments: [cases] }, {})}\``,
		});
	}
	return findFiles(isDefault ? [defaultDocument] : paths, directory, documents, isDefault ? commands : undefined);
}

/** Returns the files of access cases of these paths: files, and folders with all below. Throws ConfigurationError as `findDocumentFiles` does. */
export function findAccessFiles(paths: readonly string[], directory: string): readonly DocumentFile[] {
	return findFiles(paths, directory, accessFiles);
}

function findFiles(
	paths: readonly string[],
	directory: string,
	kind: FileKind,
	commands?: CommandContext,
): readonly DocumentFile[] {
	const files = new Map<string, DocumentFile>();
	for (const path of paths) {
		const found = path === "-" ? [{ ...standardInput, folder: directory }] : findNamed(path, directory, kind, commands);
		for (const file of found) if (!files.has(file.path)) files.set(file.path, file);
	}
	return [...files.values()];
}

/** Which files of a folder are read. */
interface FileKind {
	readonly ending: RegExp;
	/** What a folder without one lacks. */
	readonly missing: string;
	/** What can be named. */
	readonly takes: string;
}

const documents: FileKind = {
	ending: /(?<!\.access)\.ya?ml$/,
	missing: "no .yaml or .yml file",
	takes: "-f takes files, folders and - for standard input",
};

export const accessFiles: FileKind = {
	ending: /\.access\.ya?ml$/,
	missing: "no .access.yaml file",
	takes: "test takes files and folders of access cases",
};

const standardInput = { name: "-", path: "-", isForeign: false };

/** `commands` are what suggestions repeat, for the default document alone. */
function findNamed(
	name: string,
	directory: string,
	kind: FileKind,
	commands: CommandContext | undefined,
): readonly DocumentFile[] {
	const full = resolve(directory, name);
	const found = readOrRefuse(name, () => statSync(full, { throwIfNoEntry: false }));
	if (found === undefined) {
		throw new ConfigurationError(`file not found: ${showName(name)}`, {
			hint: commands === undefined ? kind.takes : hintForDefault(directory, commands),
		});
	}
	return readOrRefuse(name, () => {
		const path = realPathOf(full);
		if (!found.isDirectory()) {
			const folder = isDescriptor(full) ? directory : dirname(full);
			return [{ name, path, isForeign: leadsOutside(full), folder }];
		}
		const files = new Walk(name, path, kind.ending).files();
		if (files.length > 0) return files;
		throw new ConfigurationError(`${kind.missing} in the folder ${showText(name)}`);
	});
}

/** What to do without a document in this folder: there can be one above it, in the same repository. */
function hintForDefault(directory: string, { local, organization }: CommandContext): string {
	for (let folder = directory; !existsSync(join(folder, ".git")) && dirname(folder) !== folder; ) {
		folder = dirname(folder);
		const above = join(folder, defaultDocument);
		if (existsSync(above)) return `there is one above this folder: add -f ${relative(directory, above)}`;
	}
	const init = commandText({ command: "init" }, local === true ? { local } : { organization });
	return `create one with \`${init}\`, or name a file with -f`;
}

/** Whether a path within a folder is that of a document. */
export function isDocumentName(path: string): boolean {
	return documents.ending.test(path) && !isHiddenPath(path);
}

/** Whether a path within a folder is ignored because of one of its parts. */
export function isHiddenPath(path: string): boolean {
	return path.split(/[\\/]/).some(isHidden);
}

function isHidden(name: string): boolean {
	return name.startsWith(".") || name === "node_modules";
}

interface Place {
	/** As the user would write it. */
	readonly name: string;
	/** The real path; of a link, its own path in a real folder. */
	readonly path: string;
}

/** Max entries below one folder. A link to the root of the file system has more. */
const maxEntries = 200_000;

/** Walks one folder, real folders first, so a file gets its own name. No folder is entered twice: circular links do no harm. */
class Walk {
	readonly #root: Place;
	readonly #ending: RegExp;
	readonly #folders: Place[];
	readonly #links: Place[] = [];
	readonly #seen: Set<string>;
	readonly #files = new Map<string, DocumentFile>();
	#entries = 0;

	constructor(name: string, path: string, ending: RegExp) {
		this.#root = { name, path };
		this.#ending = ending;
		this.#folders = [this.#root];
		this.#seen = new Set([path]);
	}

	/** Returns the documents, sorted by name. */
	files(): readonly DocumentFile[] {
		// Both lists grow during the loop: a link can add folders, which come first.
		let entered = 0;
		let followed = 0;
		for (;;) {
			const folder = this.#folders[entered];
			const link = this.#links[followed];
			if (folder !== undefined) {
				entered += 1;
				this.#enter(folder);
			} else if (link !== undefined) {
				followed += 1;
				this.#follow(link);
			} else break;
		}
		return [...this.#files.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
	}

	#enter(folder: Place): void {
		const entries = readOrRefuse(folder.name, () => readdirSync(folder.path, { withFileTypes: true }));
		this.#entries += entries.length;
		if (this.#entries > maxEntries) {
			throw new ConfigurationError(
				`the folder ${showText(this.#root.name)} has more than ${maxEntries.toLocaleString("en")} files`,
				{ hint: "use -f with the folders of the documents" },
			);
		}
		for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
			if (isHidden(entry.name)) continue;
			const place = { name: join(folder.name, entry.name), path: join(folder.path, entry.name) };
			if (entry.isSymbolicLink()) this.#links.push(place);
			else if (entry.isDirectory()) this.#addFolder(place);
			else if (this.#ending.test(entry.name)) this.#addFile(place, entry);
		}
	}

	#follow(link: Place): void {
		const target = orNothing(() => statSync(link.path));
		const isDocument = this.#ending.test(link.path);
		if (target?.isDirectory() !== true && !isDocument) return;
		const place = { name: link.name, path: readOrRefuse(link.name, () => realPathOf(link.path)) };
		if (!isInside(place.path, this.#root.path)) this.#refuse(link);
		if (target?.isDirectory() === true) this.#addFolder(place);
		else if (target !== undefined) this.#addFile(place, target);
	}

	#addFolder(place: Place): void {
		if (this.#seen.has(place.path)) return;
		this.#seen.add(place.path);
		this.#folders.push(place);
	}

	#addFile({ name, path }: Place, found: Pick<Dirent, "isFile">): void {
		if (!found.isFile()) throw new ConfigurationError(`${showText(name)} cannot be read: it is not a regular file`);
		if (!this.#files.has(path)) this.#files.set(path, { name, path, isForeign: false, folder: this.#root.path });
	}

	#refuse({ name }: Place): never {
		throw new ConfigurationError(`${showText(name)} is a link that points outside ${showText(this.#root.name)}`, {
			hint: "replace the link with the file, or remove the link and name the file",
		});
	}
}

/** Returns what `read` returns, or undefined if it throws. */
export function orNothing<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}
