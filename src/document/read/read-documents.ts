/**
 * Reads the documents of a run one file after the other, so that memory does not grow with them. An organization with one
 * document, as in most fleets, is complete when its document is read. The documents of the others are read again when all
 * are known.
 */
import type { Problem } from "../../common/errors.ts";
import type { DesiredOrganization, Position } from "../../plan/organization.ts";
import type { Cell } from "../cell.ts";
import { Problems } from "../problems.ts";
import { readText } from "./file-text.ts";
import { formatVersionKey, isNewerFormat } from "./format-version.ts";
import type { ListFinder } from "./list.ts";
import { readOrganization } from "./organization.ts";
import { checkStructure } from "./structure.ts";
import { readTemplate, type Template } from "./template.ts";
import { isDocument, readTree, scalarAt } from "./tree.ts";
import { organizationIdOf } from "./users.ts";
import { Substitution, type VariableOptions, type Variables } from "./variables.ts";
import { readYaml } from "./yaml.ts";

/** A file: its name as the user wrote it (`-` is standard input), and its content. */
export interface DocumentSource {
	readonly file: string;
	readonly content: string | Uint8Array;
}

export interface ParseOptions extends VariableOptions {
	/** Finds the files of `organizations: { from: FILE }`; without it there are none. */
	readonly findList?: ListFinder;
	/** Is called with each document; may report what the caller cannot do, at its place. */
	readonly visit?: (root: Cell, problems: Problems) => void;
}

export interface ReadOptions extends ParseOptions, Variables {}

interface ReadFile {
	readonly roots: readonly Cell[];
	readonly templates: readonly Template[];
	/** Whether every document of the file could be read. */
	readonly isComplete: boolean;
}

/** Where a document is: the index of its file, and its own in the file. */
type Place = readonly [file: number, document: number];

/** What is known of an organization before all documents are. */
interface Group {
	readonly places: Place[];
	/** Its documents from lists. */
	readonly rows: Cell[];
}

/** Calls `take` with each organization's desired state, the last one counts, and returns the problems: then none can be used. */
export function readDocuments(
	sources: readonly DocumentSource[],
	options: ReadOptions,
	take: (desired: DesiredOrganization) => void,
): readonly Problem[] {
	return new DocumentReader(sources, options, take).read();
}

class DocumentReader {
	readonly #sources: readonly DocumentSource[];
	readonly #options: ReadOptions;
	readonly #take: (desired: DesiredOrganization) => void;
	readonly #problems = new Problems();
	/** Organizations that were taken, of one document without a problem, and its place. */
	readonly #taken = new Map<string, Place>();
	/** All others. */
	readonly #groups = new Map<string, Group>();
	readonly #templates: Template[] = [];
	/** Documents without the id of an organization. */
	readonly #unassigned: Group[] = [];
	#documents = 0;
	#isComplete = true;
	/** The documents of files that were read again, and how many times each will be asked for. */
	readonly #again = new Map<number, readonly Cell[]>();
	readonly #uses = new Map<number, number>();

	constructor(sources: readonly DocumentSource[], options: ReadOptions, take: (desired: DesiredOrganization) => void) {
		this.#sources = sources;
		this.#options = options;
		this.#take = take;
	}

	read(): readonly Problem[] {
		const substitution = new Substitution(this.#options);
		const problems = this.#problems;
		for (const [index, source] of this.#sources.entries()) {
			const { roots, templates, isComplete } = readFile(source, substitution, problems);
			this.#isComplete &&= isComplete;
			this.#documents += roots.length + templates.length;
			this.#templates.push(...templates);
			for (const [document, root] of roots.entries()) this.#addDocument(root, [index, document]);
		}
		const files = this.#readTemplates(substitution);
		// An alias that one document uses may be defined in another that could not be read or assigned.
		const complete = this.#isComplete && (this.#unassigned.length === 0 || this.#documents === 1);
		for (const { places } of [...this.#groups.values(), ...this.#unassigned])
			for (const [file] of places) this.#uses.set(file, (this.#uses.get(file) ?? 0) + 1);
		for (const [id, group] of this.#groups) {
			const desired = this.#readRoots(id, this.#rootsOf(group), complete);
			if (problems.isEmpty) this.#take(desired);
		}
		for (const group of this.#unassigned) this.#readRoots("", this.#rootsOf(group), complete);
		return problems.sorted(files);
	}

	#addDocument(root: Cell, place: Place): void {
		const id = organizationIdOf(root);
		const group = id === undefined ? undefined : this.#findGroup(id);
		if (id === undefined) this.#unassigned.push({ places: [place], rows: [] });
		else if (group !== undefined) group.places.push(place);
		else if (this.#takeAlone(id, root)) this.#taken.set(id, place);
		else this.#groups.set(id, { places: [place], rows: [] });
	}

	/** Returns the group of an organization that was read before, for one more document of it. */
	#findGroup(id: string): Group | undefined {
		const taken = this.#taken.get(id);
		if (taken === undefined) return this.#groups.get(id);
		const group: Group = { places: [taken], rows: [] };
		this.#taken.delete(id);
		this.#groups.set(id, group);
		return group;
	}

	/** Takes the organization of this document, if it has no problem alone. */
	#takeAlone(id: string, root: Cell): boolean {
		const problems = new Problems();
		const desired = this.#readRoots(id, [root], true, problems);
		if (root.invalid || !problems.isEmpty) return false;
		if (this.#problems.isEmpty) this.#take(desired);
		return true;
	}

	/** Reads the lists of organizations, and returns the names of all files in their order. */
	#readTemplates(substitution: Substitution): readonly string[] {
		const problems = this.#problems;
		const files = this.#sources.map(({ file }) => file);
		const first = new Map<string, Position>();
		const { findList } = this.#options;
		for (const template of this.#templates) {
			const list = readTemplate(template, { substitution, problems, first, findList }, (id, root) => {
				const group = this.#findGroup(id);
				if (group === undefined) this.#readRow(id, root);
				else group.rows.push(root);
			});
			if (list !== undefined) files.splice(files.indexOf(template.file) + 1, 0, list);
		}
		return files;
	}

	/** Reads an organization that only a row of a list has: the same id in another row is a problem. */
	#readRow(id: string, root: Cell): void {
		const complete = this.#isComplete && this.#unassigned.length === 0;
		const desired = this.#readRoots(id, [root], complete);
		if (this.#problems.isEmpty) this.#take(desired);
	}

	#readRoots(id: string, roots: readonly Cell[], complete: boolean, problems = this.#problems): DesiredOrganization {
		for (const root of roots) {
			root.problems = problems;
			this.#options.visit?.(root, problems);
		}
		return readOrganization(id, roots, complete);
	}

	#rootsOf({ places, rows }: Group): readonly Cell[] {
		return [...places.flatMap(([file, document]) => this.#readAgain(file)[document] ?? []), ...rows];
	}

	/** Returns the documents of a file that was read before, whose problems are known. Keeps them until their last use. */
	#readAgain(file: number): readonly Cell[] {
		const roots = this.#again.get(file) ?? this.#rootsIn(this.#sources[file] as DocumentSource);
		const uses = (this.#uses.get(file) ?? 0) - 1;
		this.#uses.set(file, uses);
		if (uses > 0) this.#again.set(file, roots);
		else this.#again.delete(file);
		return roots;
	}

	#rootsIn(source: DocumentSource): readonly Cell[] {
		const { roots } = readFile(source, new Substitution(this.#options), new Problems());
		// An id that is none was reported.
		for (const root of roots) organizationIdOf(root);
		return roots;
	}
}

function readFile({ file, content }: DocumentSource, substitution: Substitution, problems: Problems): ReadFile {
	const text = readText(file, content, problems);
	if (text === undefined) return { roots: [], templates: [], isComplete: false };
	const roots: Cell[] = [];
	const templates: Template[] = [];
	const yaml = readYaml(file, text, problems);
	let { isComplete } = yaml;
	for (const document of yaml.documents) {
		const version = scalarAt(document, formatVersionKey);
		if (
			!isDocument(document, yaml.positionOf, problems) ||
			isNewerFormat(version?.value, yaml.positionOf(version?.offset ?? 0), problems)
		) {
			isComplete = false;
			continue;
		}
		if (document.has("organizations")) {
			templates.push({ file, document, source: yaml });
			continue;
		}
		const root = readTree(document, yaml, substitution, problems);
		if (!root.invalid) checkStructure(root);
		roots.push(root);
	}
	return { roots, templates, isComplete };
}
