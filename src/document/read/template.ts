/**
 * Documents with `organizations`: one document for each row of a list, in which `${each.NAME}` is a value of the row.
 *
 * The YAML is parsed once. Each row reads its tree again with its own values, as any document is read with variables: a value
 * becomes a scalar, and is never parsed. What is wrong with a value is reported at its place in the list, everything else at the
 * template's, once for all rows.
 */

import type { Position } from "../../plan/organization.ts";
import { type Cell, entryOf, pathOf } from "../cell.ts";
import { Problems } from "../problems.ts";
import { describePlace, didYouMean, quote, report } from "../report.ts";
import { eachPrefix, type ListRow } from "./each.ts";
import { type ListFinder, type OpenList, openList } from "./list.ts";
import { checkStructure } from "./structure.ts";
import { addDefaultId, readTree } from "./tree.ts";
import { exampleId, organizationIdOf } from "./users.ts";
import type { Substitution } from "./variables.ts";
import type { YamlFile, YamlSource } from "./yaml.ts";

const listKey = "organizations";

export interface Template {
	readonly file: string;
	readonly document: YamlFile["documents"][number];
	readonly source: YamlSource;
}

interface TemplateContext {
	readonly substitution: Substitution;
	readonly problems: Problems;
	/** The places of all organizations of lists so far, by id. */
	readonly first: Map<string, Position>;
	readonly findList: ListFinder | undefined;
}

/** Calls `take` with the document of each row that has an id. Returns the file of the list if it is a file. */
export function readTemplate(
	template: Template,
	context: TemplateContext,
	take: (organizationId: string, root: Cell) => void,
): string | undefined {
	const { substitution, problems, findList = refuseLists } = context;
	const { document, source } = template;
	const head = readTree(document, source, substitution, problems, { isRead: (key) => key === listKey });
	checkStructure(head);
	const list = openList(entryOf(head, listKey), findList, problems);
	if (list === undefined) return undefined;
	addDefaultId(document);
	const reader = new RowReader(template, list, context, take);
	let file: string | undefined;
	const isWhole = list.read((row) => {
		file = row.at.file;
		reader.read(row);
	});
	if (isWhole) reader.missing.report(problems);
	return file;
}

class RowReader {
	readonly missing = new MissingValues();
	readonly #template: Template;
	readonly #list: OpenList;
	readonly #context: TemplateContext;
	readonly #take: (organizationId: string, root: Cell) => void;
	/** Whether it is a list of organizations. Any file of the folder can be named as one, also one with keys. */
	#isList: boolean;

	constructor(
		template: Template,
		list: OpenList,
		context: TemplateContext,
		take: (organizationId: string, root: Cell) => void,
	) {
		this.#template = template;
		this.#list = list;
		this.#context = context;
		this.#take = take;
		this.#isList = list.format === "inline";
	}

	read(row: ListRow): void {
		const { problems, first } = this.#context;
		if (row.values === undefined) return;
		this.missing.begin(row);
		if (!this.#isList && !this.#hasId(row)) return;
		this.#isList = true;
		const root = this.#readTree(row, problems, (key) => key !== listKey);
		if (!root.invalid) checkStructure(root);
		const id = organizationIdOf(root);
		if (id !== undefined && isNew(id, root, first)) this.#take(id, root);
	}

	/** Whether the row has an id. Otherwise reports it without quoting the list; one that is wrong in the document itself, for every row. */
	#hasId(row: ListRow): boolean {
		const read = (problems: Problems): Cell => this.#readTree(row, problems, (key) => key === "organizationId");
		const root = read(new Problems());
		if (organizationIdOf(root) !== undefined) return true;
		const cell = root.entries.get("organizationId");
		if (cell?.usedAs === undefined) {
			const own = read(this.#context.problems);
			checkStructure(own);
			organizationIdOf(own);
			return false;
		}
		if (!row.values?.has(nameOf(cell))) return false;
		const message = `the value of ${quote(cell.usedAs.text)} is not an id: expected a UUID such as ${exampleId}`;
		this.#context.problems.add(cell.at, pathOf(cell), "not-an-id", message);
		return false;
	}

	#readTree({ at, values }: ListRow, problems: Problems, isRead: (key: string) => boolean): Cell {
		const { document, source } = this.#template;
		const has = (cell: Cell): boolean => values?.has(nameOf(cell)) === true;
		return readTree(document, source, this.#context.substitution, problems, {
			isRead,
			row: {
				isTable: this.#list.format === "csv",
				find: (name) => values?.get(name) ?? { value: undefined, at },
			},
			// A value that is there and wrong is reported already.
			onMissing: (cell) => (has(cell) ? undefined : this.missing.add(cell)),
		});
	}
}

/** Returns the name of the value of a list that a cell uses. */
function nameOf({ usedAs }: Cell): string {
	return usedAs === undefined ? "" : usedAs.text.slice("${".length + eachPrefix.length, -1);
}

const refuseLists: ListFinder = () => ({ mistake: "this document cannot name a list file; write the list here" });

/** Whether no row before has the id; otherwise reports it. */
function isNew(id: string, root: Cell, first: Map<string, Position>): boolean {
	const cell = entryOf(root, "organizationId");
	if (cell === undefined) return false;
	const earlier = first.get(id);
	if (earlier === undefined) {
		first.set(id, cell.at);
		return true;
	}
	if (cell.usedAs === undefined) {
		const message = `every row of the list has this organization; write \`\${${eachPrefix}NAME}\`, or omit \`organizationId\``;
		report(cell, "duplicate-organization", message);
	} else {
		const place = describePlace(earlier, cell.at);
		const message = `duplicate organization ${quote(id)}, first ${place}; an organization has one row in all lists`;
		report(cell, "duplicate-organization", message);
	}
	return false;
}

/** A value that some rows do not have. */
interface MissingValue {
	readonly cell: Cell;
	readonly rows: Position[];
	count: number;
}

/** Max rows to remember for one value: as many problems are reported. */
const maxRows = 10_000;

/** Values that the template uses and rows do not have. Only the whole list shows whether the row or the template is wrong. */
class MissingValues {
	readonly #missing = new Map<string, MissingValue>();
	readonly #names = new Set<string>();
	#rows = 0;
	#at: Position | undefined;

	begin({ at, values = new Map() }: ListRow): void {
		this.#rows += 1;
		this.#at = at;
		for (const name of values.keys()) this.#names.add(name);
	}

	add(cell: Cell): void {
		const { usedAs } = cell;
		if (usedAs === undefined || this.#at === undefined) return;
		const key = JSON.stringify([usedAs.text, usedAs.at.line, usedAs.at.column]);
		const found = this.#missing.get(key) ?? { cell, rows: [], count: 0 };
		this.#missing.set(key, found);
		found.count += 1;
		if (found.rows.length < maxRows) found.rows.push(this.#at);
	}

	report(problems: Problems): void {
		for (const { cell, rows, count } of this.#missing.values()) {
			const { usedAs } = cell;
			if (usedAs === undefined) continue;
			const name = nameOf(cell);
			if (count === this.#rows) {
				const near = didYouMean(cell, name, this.#names);
				const help = near === "" ? "; add it to the list" : near;
				const message = `no row of the list has ${quote(name)}${help}`;
				problems.add(usedAs.at, pathOf(cell), "unknown-list-value", message);
				continue;
			}
			const { file, line, column } = usedAs.at;
			const message = `${quote(name)} is missing, and the document uses it at ${file}:${line}:${column}`;
			for (const at of rows) problems.add(at, pathOf(cell), "missing-list-value", message);
		}
	}
}
