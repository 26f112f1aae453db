/** Reads a CSV list by csv-parse, with what spreadsheets add: other delimiters, empty rows and columns at the end. */
import { CsvError, parse } from "csv-parse/sync";
import type { Position } from "../../plan/organization.ts";
import type { EachValue, ListRow } from "./each.ts";
import { type ListReading, listLimits } from "./list-reading.ts";

/** Max fields of a row: as many as the columns of a spreadsheet. Most of them are empty then. */
const maxFields = 16_384;

const lineFeed = 10;
const quote = 34;

export class CsvReader {
	readonly #bytes: Buffer;
	readonly #delimiter: string;
	readonly #reading: ListReading;
	/** The names of the columns; undefined before the first row. */
	#header: readonly string[] | undefined;
	/** Where the next row begins. */
	#offset = 0;
	#line = 1;

	constructor(text: string, reading: ListReading) {
		this.#bytes = Buffer.from(text);
		this.#delimiter = findDelimiter(text);
		this.#reading = reading;
	}

	/** Reads the rows. Throws StopReading after it reports a problem of the file itself. */
	read(): void {
		this.#refuseManyFields();
		try {
			parse(this.#bytes, {
				delimiter: this.#delimiter,
				record_delimiter: ["\r\n", "\n"],
				relax_column_count: true,
				// A quote that is not closed would make one row of the rest of the file.
				max_record_size: listLimits.rowLength,
				on_record: (record: readonly string[], { bytes }: { readonly bytes: number }) => {
					this.#take(record, bytes);
					return null;
				},
			});
		} catch (error) {
			if (!(error instanceof CsvError)) throw error;
			const code = String(error.code);
			this.#reading.refuse(this.#at(), "csv-syntax", describe(code));
		}
		if (this.#header === undefined)
			this.#reading.refuse(this.#at(), "empty-list", "the list is empty; it needs a header");
	}

	/** Refuses a row with too many fields, each of which would take far more memory than its delimiter. */
	#refuseManyFields(): void {
		const delimiter = this.#delimiter.charCodeAt(0);
		let [count, isQuoted, line] = [0, false, 1];
		for (const byte of this.#bytes) {
			if (byte === lineFeed) line += 1;
			if (byte === quote) isQuoted = !isQuoted;
			else if (isQuoted) continue;
			else if (byte === lineFeed) count = 0;
			else if (byte === delimiter) count += 1;
			if (count < maxFields) continue;
			const at = { file: this.#reading.file, line, column: 1 };
			this.#reading.refuse(at, "too-many-columns", "the row has more than 16,384 values; is it a list?");
		}
	}

	/** Reads one record, which ends at byte `end`. */
	#take(record: readonly string[], end: number): void {
		const source = this.#bytes.toString("utf8", this.#offset, end);
		const places = findPlaces(record, source, this.#at());
		const filled = record.findLastIndex((value) => value !== "") + 1;
		if (this.#header === undefined) this.#header = this.#readHeader(record.slice(0, filled), places);
		else if (filled > 0) this.#reading.onRow({ at: this.#at(), values: this.#readRow(record, places, filled) });
		for (let at = this.#bytes.indexOf(lineFeed, this.#offset); at >= 0 && at < end; this.#line += 1) {
			at = this.#bytes.indexOf(lineFeed, at + 1);
		}
		this.#offset = end;
	}

	#readHeader(names: readonly string[], places: readonly Position[]): readonly string[] {
		const seen = new Map<string, number>();
		const refuse = (index: number, code: string, message: string): never =>
			this.#reading.refuse(places[index] ?? this.#at(), code, message);
		if (names.length === 0) refuse(0, "empty-list", "the first row is empty; it must have the names of the columns");
		if (names.length > listLimits.columns) {
			refuse(listLimits.columns, "too-many-columns", `the list has more than ${listLimits.columns} columns`);
		}
		for (const [index, name] of names.entries()) {
			const first = seen.get(name);
			if (name !== "" && first !== undefined) {
				// Without the name: this may be any file, and its first row a secret.
				const message = `column ${index + 1} has the same name as column ${first + 1}; rename one of them`;
				refuse(index, "duplicate-column", message);
			}
			seen.set(name, index);
		}
		return names;
	}

	#readRow(record: readonly string[], places: readonly Position[], filled: number): ListRow["values"] {
		const header = this.#header ?? [];
		if (filled > header.length || record.length < header.length) {
			const count = filled > header.length ? filled : record.length;
			const message = `the row has ${count} ${count === 1 ? "value" : "values"}, but the header has ${header.length}; put a value with a delimiter in quotes`;
			this.#reading.report(places[header.length] ?? this.#at(), "wrong-row-length", message);
			return undefined;
		}
		const values = new Map<string, EachValue>();
		for (const [index, name] of header.entries()) {
			const [value, at] = [record[index], places[index]];
			if (name !== "" && value !== undefined && at !== undefined) values.set(name, { value, at });
		}
		return values;
	}

	#at(): Position {
		return { file: this.#reading.file, line: this.#line, column: 1 };
	}
}

/** Returns the delimiter of the header: a comma, or what spreadsheets write where a comma is part of numbers. */
function findDelimiter(text: string): string {
	const [header = ""] = text.split("\n", 1);
	return [",", ";", "\t"].find((one) => header.includes(one)) ?? ",";
}

/** Returns where each value of a record begins. `source` is its text: a value that begins with a quote is quoted. */
function findPlaces(record: readonly string[], source: string, { file, line }: Position): readonly Position[] {
	const places: Position[] = [];
	let [offset, atLine, lineStart] = [0, line, 0];
	for (const value of record) {
		places.push({ file, line: atLine, column: offset - lineStart + 1 });
		offset += source[offset] === '"' ? value.length + 2 + count(value, '"') : value.length;
		const breaks = count(value, "\n");
		if (breaks > 0) lineStart = source.lastIndexOf("\n", offset - 1) + 1;
		atLine += breaks;
		offset += 1;
	}
	return places;
}

function count(text: string, character: string): number {
	return text.includes(character) ? text.split(character).length - 1 : 0;
}

function describe(code: string): string {
	if (code === "CSV_QUOTE_NOT_CLOSED" || code === "CSV_MAX_RECORD_SIZE") {
		return 'a `"` is not closed in the row that begins here; close it, or write `""` for a quote inside quotes';
	}
	if (code === "CSV_INVALID_CLOSING_QUOTE") {
		return 'text follows a closing `"` in the row that begins here; write `""` for a quote inside quotes';
	}
	if (code === "INVALID_OPENING_QUOTE") {
		return 'a `"` is inside a value of the row that begins here; put the whole value in quotes and write `""` for it';
	}
	return "invalid CSV in the row that begins here";
}
