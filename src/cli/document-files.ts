/**
 * Which files `-f` stands for. A folder can be a pull request's, so a link that is found in it leads nowhere outside of it;
 * a file that the operator names is read wherever it leads. Each file counts once, however often it is named.
 */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { ConfigurationError } from "../errors.ts";
import { isInside, leadsOutside, realPathOf } from "../files.ts";
import { showText } from "../plan/render/escape.ts";
import { orRefuse } from "./named-file.ts";

/** Where a command looks when no file is named. */
export const defaultDocument = "orgsync.yaml";

/** One file of documents. */
export interface DocumentFile {
	/** As the user would write it; `-` is standard input. */
	readonly name: string;
	/** Its real path, links followed; `-` for standard input. */
	readonly path: string;
	/** Whether it is a link that leads out of the folder in which it is named; no file that is found in a folder is. */
	readonly isForeign: boolean;
}

/**
 * The files that these paths stand for, in their order; the default document when there are none. A folder stands for its
 * `.yaml` and `.yml` files. Throws ConfigurationError for a path that is not there, a folder without documents, and a link
 * that leads out of a folder.
 */
export function findDocumentFiles(paths: readonly string[], directory: string): readonly DocumentFile[] {
	const isDefault = paths.length === 0;
	const files = new Map<string, DocumentFile>();
	for (const path of isDefault ? [defaultDocument] : paths) {
		const found = path === "-" ? [standardInput] : findNamed(path, isDefault, directory);
		for (const file of found) if (!files.has(file.path)) files.set(file.path, file);
	}
	return [...files.values()];
}

const standardInput: DocumentFile = { name: "-", path: "-", isForeign: false };

function findNamed(name: string, isDefault: boolean, directory: string): readonly DocumentFile[] {
	const full = resolve(directory, name);
	const found = orRefuse(name, () => statSync(full, { throwIfNoEntry: false }));
	if (found === undefined) {
		throw new ConfigurationError(`there is no file ${showText(name)}`, {
			hint: isDefault
				? "orgsync init writes a first one; -f FILE names another"
				: "-f takes files, folders and - for standard input",
		});
	}
	return orRefuse(name, () => {
		const path = realPathOf(full);
		if (!found.isDirectory()) {
			return [{ name, path, isForeign: leadsOutside(full) }];
		}
		const files = new Walk(name, path).files();
		if (files.length > 0) return files;
		throw new ConfigurationError(`the folder ${showText(name)} holds no .yaml or .yml file`);
	});
}

/** Whether a file of this path within a folder is one of the documents that the folder stands for. */
export function isDocumentName(path: string): boolean {
	return hasDocumentEnding(path) && !isHiddenPath(path);
}

/** Whether a part of a path within a folder keeps it from being read. */
export function isHiddenPath(path: string): boolean {
	return path.split(/[\\/]/).some(isHidden);
}

function hasDocumentEnding(name: string): boolean {
	return /\.ya?ml$/.test(name);
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

/** A folder of documents has fewer; a link to the root of the machine has more. */
const maxEntries = 200_000;

/**
 * Everything below one folder. Links are followed once all real folders are known, so that a file has its own name rather
 * than that of a link to it, and no folder is walked twice, whatever circles the links make.
 */
class Walk {
	readonly #root: Place;
	readonly #folders: Place[];
	readonly #links: Place[] = [];
	readonly #seen: Set<string>;
	readonly #files = new Map<string, DocumentFile>();
	#entries = 0;

	constructor(name: string, path: string) {
		this.#root = { name, path };
		this.#folders = [this.#root];
		this.#seen = new Set([path]);
	}

	/** The documents, sorted by their names. */
	files(): readonly DocumentFile[] {
		// Both lists grow while they are walked through; a link can add folders, which then go first.
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
		const entries = orRefuse(folder.name, () => readdirSync(folder.path, { withFileTypes: true }));
		this.#entries += entries.length;
		if (this.#entries > maxEntries) {
			throw new ConfigurationError(
				`the folder ${showText(this.#root.name)} holds more than ${maxEntries.toLocaleString("en")} files`,
				{ hint: "name the folders of the documents" },
			);
		}
		for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
			if (isHidden(entry.name)) continue;
			const place = { name: join(folder.name, entry.name), path: join(folder.path, entry.name) };
			if (entry.isSymbolicLink()) this.#links.push(place);
			else if (entry.isDirectory()) this.#addFolder(place);
			else if (hasDocumentEnding(entry.name)) this.#addFile(place, entry);
		}
	}

	#follow(link: Place): void {
		const target = orNothing(() => statSync(link.path));
		const isDocument = hasDocumentEnding(basename(link.path));
		if (target?.isDirectory() !== true && !isDocument) return;
		const place = { name: link.name, path: orRefuse(link.name, () => realPathOf(link.path)) };
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
		if (!this.#files.has(path)) this.#files.set(path, { name, path, isForeign: false });
	}

	#refuse({ name }: Place): never {
		throw new ConfigurationError(`${showText(name)} is a link that leads out of ${showText(this.#root.name)}`, {
			hint: "put the file itself into the folder, or remove the link and name the file with another -f",
		});
	}
}

function orNothing<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}
