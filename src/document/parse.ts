/**
 * Parses YAML documents into desired state, or into problems with line and column.
 *
 * Stages: bytes -> text (file-text.ts) -> YAML (yaml.ts) -> cells, which are values with positions (tree.ts) -> structure
 * by the schema (structure.ts) -> desired state of all documents of an organization (organization.ts). A document that
 * fails in one stage does not reach the next. The others do, so that all problems are reported at once.
 */
import type { Problem } from "../errors.ts";
import type { DesiredOrganization, Position } from "../plan/organization.ts";
import type { Cell } from "./cell.ts";
import { readText } from "./file-text.ts";
import type { ListFinder } from "./list.ts";
import { readOrganization } from "./organization.ts";
import { readPlainTree } from "./plain-tree.ts";
import { Problems } from "./problems.ts";
import { checkStructure } from "./structure.ts";
import { readTemplate, type Template } from "./template.ts";
import { hasKey, isDocument, readTree } from "./tree.ts";
import { organizationIdOf } from "./users.ts";
import { type Environment, Substitution, type VariableOptions } from "./variables.ts";
import { readYaml } from "./yaml.ts";

export { caip2Aliases, knownCaip2 } from "./expectations.ts";
export { type ListFile, type ListFinder, listLimits } from "./list.ts";
export type { VariableOptions } from "./variables.ts";

/** A file: its name as the user wrote it (`-` is standard input), and its content. */
export interface DocumentSource {
	readonly file: string;
	readonly content: string | Uint8Array;
}

export interface ParsedDocuments {
	/** Sorted by organization id and deeply frozen. Empty if there are problems. */
	readonly organizations: readonly DesiredOrganization[];
	/** In the order of the files, then by line and column. */
	readonly problems: readonly Problem[];
}

/** How documents are read. */
export interface ParseOptions extends VariableOptions {
	/** Finds the files of `organizations: { from: FILE }`; without it there are none. */
	readonly findList?: ListFinder;
}

/**
 * Returns the desired state of each organization, or all problems of the documents. `${NAME}` is replaced with the value of
 * `environment` if documents may use that variable (variables.ts). No problem contains such a value. Never throws.
 */
export function parseDocuments(
	sources: readonly DocumentSource[],
	environment: Environment,
	options: ParseOptions = {},
): ParsedDocuments {
	const organizations: DesiredOrganization[] = [];
	const problems = readDocuments(sources, environment, options, (one) => organizations.push(one));
	organizations.sort((left, right) => (left.organizationId < right.organizationId ? -1 : 1));
	return freeze({ organizations: problems.length === 0 ? organizations : [], problems });
}

/**
 * Calls `take` with the desired state of each organization, in no order, and returns the problems. If there are any, `take` was
 * called with some organizations only, and none of them can be used. Organizations of a list are read one after the other, so
 * memory does not grow with it. Never throws.
 */
export function readDocuments(
	sources: readonly DocumentSource[],
	environment: Environment,
	options: ParseOptions,
	take: (desired: DesiredOrganization) => void,
): readonly Problem[] {
	const problems = new Problems();
	const substitution = new Substitution(environment, options);
	const { roots, templates, isComplete } = readRoots(sources, substitution, problems);
	const byOrganization = Map.groupBy(roots, (root) => organizationIdOf(root, problems) ?? "");
	const unassigned = byOrganization.get("") ?? [];
	byOrganization.delete("");
	// An alias that one document uses may be defined in another that could not be read or assigned.
	const complete = isComplete && (unassigned.length === 0 || roots.length + templates.length === 1);
	const read = (id: string, group: readonly Cell[]): void => {
		const organization = readOrganization(id, group, complete, problems);
		if (problems.isEmpty) take(organization);
	};
	const files = sources.map(({ file }) => file);
	const first = new Map<string, Position>();
	for (const template of templates) {
		const list = readTemplate(template, { substitution, problems, first, findList: options.findList }, (id, root) => {
			const group = byOrganization.get(id);
			if (group === undefined) read(id, [root]);
			else group.push(root);
		});
		if (list !== undefined) files.splice(files.indexOf(template.file) + 1, 0, list);
	}
	for (const [id, group] of byOrganization) read(id, group);
	for (const root of unassigned) readOrganization("", [root], complete, problems);
	return problems.sorted(files);
}

/**
 * Returns what parseDocuments returns for the text of this JSON value as the only document, or undefined: then the value has
 * problems, or is no ordinary document, and its text has to be parsed. `${NAME}` in a value is plain text.
 */
export function parsePlain(file: string, value: unknown): DesiredOrganization | undefined {
	const root = readPlainTree(file, value);
	if (root === undefined) return undefined;
	const problems = new Problems();
	checkStructure(root, problems);
	const organizationId = organizationIdOf(root, problems);
	if (organizationId === undefined) return undefined;
	const organization = readOrganization(organizationId, [root], true, problems);
	return problems.sorted([file]).length === 0 ? freeze(organization) : undefined;
}

/** Returns the problems without any text of the file: a pull request can turn a document into a link to another file. */
export function withoutFileText(problems: readonly Problem[]): readonly Problem[] {
	return problems.map(({ file, line, column, code }) => ({
		file,
		line,
		column,
		path: "",
		code,
		message: `${code}: details are hidden, because this file is a link that points outside its folder; name the target file instead`,
	}));
}

interface Roots {
	readonly roots: readonly Cell[];
	readonly templates: readonly Template[];
	/** Whether every document of every source could be read. */
	readonly isComplete: boolean;
}

/** Returns the documents, those with `organizations` apart. */
function readRoots(sources: readonly DocumentSource[], substitution: Substitution, problems: Problems): Roots {
	const roots: Cell[] = [];
	const templates: Template[] = [];
	let isComplete = true;
	for (const { file, content } of sources) {
		const text = readText(file, content, problems);
		if (text === undefined) {
			isComplete = false;
			continue;
		}
		const yaml = readYaml(file, text, problems);
		isComplete &&= yaml.isComplete;
		for (const document of yaml.documents) {
			if (!isDocument(document, yaml.positionOf, problems)) {
				isComplete = false;
				continue;
			}
			if (hasKey(document, "organizations")) {
				templates.push({ file, document, positionOf: yaml.positionOf });
				continue;
			}
			const root = readTree(document, yaml.positionOf, substitution, problems);
			if (!root.invalid) checkStructure(root, problems);
			roots.push(root);
		}
	}
	return { roots, templates, isComplete };
}

/** Freezes the value and everything in it, and returns it. */
export function freeze<T>(value: T): T {
	if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
	for (const entry of Object.values(value)) freeze(entry);
	return Object.freeze(value);
}
