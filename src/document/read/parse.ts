/**
 * Parses YAML documents into desired state, or into problems with line and column.
 *
 * Stages: bytes -> text (file-text.ts) -> YAML (yaml.ts) -> cells, which are values with positions (tree.ts) -> structure
 * by the schema (structure.ts) -> desired state of all documents of an organization (organization.ts). A document that
 * fails in one stage does not reach the next. The others do, so that all problems are reported at once. A document with
 * `organizations` has cells for each row of its list (template.ts).
 */
import type { Problem } from "../../common/errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { Problems } from "../problems.ts";
import { readOrganization } from "./organization.ts";
import { readPlainTree } from "./plain-tree.ts";
import { type DocumentSource, type ParseOptions, readDocuments } from "./read-documents.ts";
import { checkStructure } from "./structure.ts";
import { organizationIdOf } from "./users.ts";
import type { Environment } from "./variables.ts";

export { caip2Aliases, knownCaip2 } from "./expectations.ts";
export { type ListFile, type ListFinder, listLimits } from "./list.ts";
export type { DocumentSource, ParseOptions } from "./read-documents.ts";
export type { VariableOptions } from "./variables.ts";

export interface ParsedDocuments {
	/** Sorted by organization id and deeply frozen. Empty if there are problems. */
	readonly organizations: readonly DesiredOrganization[];
	/** In the order of the files, then by line and column. */
	readonly problems: readonly Problem[];
}

/** Returns the desired states, or all problems, which repeat no variable's value. `${NAME}` is replaced if allowed. Never throws. */
export function parseDocuments(
	sources: readonly DocumentSource[],
	environment: Environment,
	options: ParseOptions = {},
): ParsedDocuments {
	const byId = new Map<string, DesiredOrganization>();
	const problems = readDocuments(sources, { ...options, environment }, (one) => byId.set(one.organizationId, one));
	const organizations = [...byId.values()].sort((left, right) => (left.organizationId < right.organizationId ? -1 : 1));
	return freeze({ organizations: problems.length === 0 ? organizations : [], problems });
}

/** Returns what parseDocuments returns for this value, with `${NAME}` as plain text; undefined if its text has to be parsed. */
export function parsePlain(file: string, value: unknown): DesiredOrganization | undefined {
	const root = readPlainTree(file, value);
	if (root === undefined) return undefined;
	const problems = new Problems();
	root.problems = problems;
	checkStructure(root);
	const organizationId = organizationIdOf(root);
	if (organizationId === undefined) return undefined;
	const organization = readOrganization(organizationId, [root], true);
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

/** Freezes the value and everything in it, and returns it. */
export function freeze<T>(value: T): T {
	if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
	for (const entry of Object.values(value)) freeze(entry);
	return Object.freeze(value);
}
