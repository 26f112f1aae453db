/**
 * YAML text to what it wants, or every problem with its line and column.
 *
 * The way of a document: bytes -> text (document/text.ts) -> YAML (document/yaml.ts) -> cells, which are values with
 * their places (document/tree.ts) -> structure by the schema (document/structure.ts) -> meaning, all documents of an
 * organization together (document/whole.ts). A document that fails at one station does not reach the next; the
 * others do, so that all problems are told at once.
 */
import type { Problem } from "../errors.ts";
import type { DesiredOrganization } from "../plan/organization.ts";
import { type Cell, entryOf } from "./cell.ts";
import { Findings } from "./findings.ts";
import { checkStructure } from "./structure.ts";
import { readText } from "./text.ts";
import { type Filling, isDocument, readTree } from "./tree.ts";
import { readId } from "./users.ts";
import { type Environment, Expansion, type VariableOptions, variablesOf } from "./variables.ts";
import { readOrganization } from "./whole.ts";
import { readYaml } from "./yaml.ts";

export { caip2Aliases, knownCaip2 } from "./expectations.ts";
export type { VariableOptions } from "./variables.ts";

/** One file: its name as the user wrote it (`-` is standard input), and what it holds. */
export interface DocumentSource {
	readonly file: string;
	readonly content: string | Uint8Array;
}

export interface ParsedDocuments {
	/** Sorted by organization id, deeply frozen; empty when there are problems. */
	readonly organizations: readonly DesiredOrganization[];
	/** In the order of the files, then by line and column. */
	readonly problems: readonly Problem[];
}

/**
 * What the documents want, one entry an organization, or all their problems. `${NAME}` is looked up in `environment` where
 * documents may use that variable (document/variables.ts); no problem tells a value. Throws nothing, whatever the sources
 * hold.
 */
export function parseDocuments(
	sources: readonly DocumentSource[],
	environment: Environment,
	options: VariableOptions = {},
): ParsedDocuments {
	const findings = new Findings();
	const filling = { variables: variablesOf(environment, options), expansion: new Expansion() };
	const { roots, whole } = readRoots(sources, filling, findings);
	const byOrganization = new Map<string, Cell[]>();
	const strays: Cell[] = [];
	for (const root of roots) {
		const id = organizationIdOf(root, findings);
		const group = id === undefined ? strays : byOrganization.get(id);
		if (group !== undefined) group.push(root);
		else if (id !== undefined) byOrganization.set(id, [root]);
	}
	// An alias that one document uses may stand in another one that could not be read or assigned.
	const complete = whole && (strays.length === 0 || roots.length === 1);
	const organizations = [...byOrganization]
		.sort(([left], [right]) => (left < right ? -1 : 1))
		.map(([id, group]) => readOrganization(id, group, complete, findings));
	for (const stray of strays) readOrganization("", [stray], complete, findings);
	const problems = findings.sorted(sources.map((source) => source.file));
	return freeze({ organizations: problems.length === 0 ? organizations : [], problems });
}

/** Returns the problems without any text of the file: a pull request can turn a document into a link to another file. */
export function withoutWords(problems: readonly Problem[]): readonly Problem[] {
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
	/** Whether every document of every source could be read. */
	readonly whole: boolean;
}

function readRoots(sources: readonly DocumentSource[], filling: Filling, findings: Findings): Roots {
	const roots: Cell[] = [];
	let whole = true;
	for (const { file, content } of sources) {
		const text = readText(file, content, findings);
		if (text === undefined) {
			whole = false;
			continue;
		}
		const yaml = readYaml(file, text, findings);
		whole = whole && yaml.whole;
		for (const document of yaml.documents) {
			if (!isDocument(document, yaml.positionOf, findings)) {
				whole = false;
				continue;
			}
			const root = readTree(document, yaml.positionOf, filling, findings);
			if (!root.broken) checkStructure(root, findings);
			roots.push(root);
		}
	}
	return { roots, whole };
}

function organizationIdOf(root: Cell, findings: Findings): string | undefined {
	const cell = entryOf(root, "organizationId");
	return cell === undefined ? undefined : readId(cell, findings);
}

/** The value, it and everything in it frozen. */
function freeze<T>(value: T): T {
	if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
	for (const entry of Object.values(value)) freeze(entry);
	return Object.freeze(value);
}
