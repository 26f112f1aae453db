/** Reads the list of a document with `organizations`: a CSV or JSON file, or a list in the document itself. */

import type { Position } from "../../plan/organization.ts";
import { type Cell, entriesOf, entryOf, itemsOf } from "../cell.ts";
import type { Problems } from "../problems.ts";
import { invalidate, quoteCell } from "../report.ts";
import type { EachValue, ListRow } from "./each.ts";
import { readText } from "./file-text.ts";
import { CsvReader } from "./list-csv.ts";
import { JsonReader } from "./list-json.ts";
import { ListReading, listLimits, StopReading } from "./list-reading.ts";

export { listLimits } from "./list-reading.ts";

/** A list that a document names, or why it cannot be read. */
export type ListFile =
	| { readonly file: string; readonly content: string | Uint8Array }
	| { readonly mistake: string; readonly file?: undefined };

/** Returns the list that `from` names in the document `file`. */
export type ListFinder = (file: string, from: string) => ListFile;

/** How a list is written, which decides what its values can be. */
type ListFormat = "csv" | "json" | "inline";

export interface OpenList {
	readonly format: ListFormat;
	/** Reads the rows once, each before the next; false if the list has a problem that ends it. */
	read(onRow: (row: ListRow) => void): boolean;
}

/** Returns the list of the cell `organizations`, or undefined after reporting why there is none. */
export function openList(cell: Cell | undefined, find: ListFinder, problems: Problems): OpenList | undefined {
	if (cell === undefined) return undefined;
	if (cell.kind === "list") {
		return {
			format: "inline",
			read: (onRow) => readAll(cell.at, problems, onRow, (reading) => readItems(cell, reading)),
		};
	}
	const from = entryOf(cell, "from");
	if (from === undefined) return undefined;
	const mistake = pathMistake(String(from.value));
	if (mistake !== undefined) return invalidate(from, "bad-list", `${quoteCell(from)} ${mistake}`);
	const found = find(from.at.file, String(from.value));
	if (found.file === undefined) return invalidate(from, "bad-list", found.mistake);
	const { file, content } = found;
	const text = readText(file, content, problems, { maxBytes: listLimits.bytes, isYaml: false });
	if (text === undefined) return undefined;
	const format = String(from.value).endsWith(".csv") ? "csv" : "json";
	return { format, read: (onRow) => readAll({ file, line: 1, column: 1 }, problems, onRow, parsers[format](text)) };
}

/** Systems take at most 4,096 bytes, for a whole path. Messages repeat it. */
const maxPathLength = 1000;

/** Returns why a path cannot be a list: a pull request can write it, so hidden files, such as keys, are refused. */
function pathMistake(path: string): string | undefined {
	if (!/\.(?:csv|json)$/.test(path)) return "is not a list; name a file that ends in .csv or .json";
	if (/^(?:[/\\]|[A-Za-z]:)/.test(path) || path.includes("\\")) {
		return "is not a path within the folder of the document; write it relative to the document, with /";
	}
	if (path.length > maxPathLength) return `is longer than ${maxPathLength} characters; use a shorter path`;
	const isHidden = path.split("/").some((part) => part === "node_modules" || /^\.(?!\.?$)/.test(part));
	return isHidden ? "is in a hidden folder or in node_modules, or is hidden; move the list" : undefined;
}

type Read = (reading: ListReading) => void;

const parsers: Readonly<Record<"csv" | "json", (text: string) => Read>> = {
	csv: (text) => (reading) => new CsvReader(text, reading).read(),
	json: (text) => (reading) => new JsonReader(text, reading).read(),
};

function readAll(begin: Position, problems: Problems, onRow: (row: ListRow) => void, read: Read): boolean {
	const reading = new ListReading(begin.file, problems, onRow);
	try {
		read(reading);
	} catch (error) {
		if (error instanceof StopReading) return false;
		throw error;
	}
	if (reading.rows > 0) return true;
	// A list that lost its rows would look like a fleet in sync.
	problems.add(begin, "", "empty-list", "the list has no organizations; add one, or remove the document");
	return false;
}

function readItems(list: Cell, reading: ListReading): void {
	for (const item of itemsOf(list)) {
		const values = entriesOf(item).map((entry): [string, EachValue] => [
			String(entry.key),
			{
				value: entry.value ?? undefined,
				at: entry.at,
				...(entry.fromEnvironment ? { written: entry.written } : {}),
			},
		]);
		reading.onRow({ at: item.at, values: new Map(values) });
	}
}
