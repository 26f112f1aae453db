/** Reads a JSON list of flat objects. JSON.parse reads each item; only the places of items are found here. */
import { isRecord } from "../../common/json.ts";
import type { Position } from "../../plan/organization.ts";
import { quote } from "../problems.ts";
import type { EachValue } from "./each.ts";
import { type ListReading, listLimits } from "./list-reading.ts";

/** Reads the items of a text. Throws StopReading after it reports a problem of the file itself. */
export function readJsonList(text: string, reading: ListReading): void {
	new JsonReader(text, reading).read();
}

const space = /[ \t\r\n]*/y;

class JsonReader {
	readonly #text: string;
	readonly #reading: ListReading;
	#offset = 0;
	/** A line, where it begins and where it ends: a list can be one long line. */
	#line = 1;
	#lineStart = 0;
	#lineEnd: number;

	constructor(text: string, reading: ListReading) {
		this.#text = text;
		this.#reading = reading;
		this.#lineEnd = this.#endOfLine(0);
	}

	read(): void {
		if (this.#next() !== "[") this.#refuse("the list must be a JSON list: [{ … }, { … }]");
		this.#offset += 1;
		for (let isFirst = true; this.#next() !== "]"; isFirst = false) {
			if (!isFirst) this.#skip(",");
			if (this.#next() !== "{") this.#refuse("an item of the list must be an object: { … }");
			this.#readItem();
		}
		this.#offset += 1;
		if (this.#next() !== "") this.#refuse("text follows the end of the list; is it one list?");
	}

	#readItem(): void {
		const itemStart = this.#offset;
		const at = this.#at();
		const end = this.#endOfItem();
		const item = this.#parse(itemStart, end);
		const values = new Map<string, EachValue>();
		this.#offset = itemStart + 1;
		while (this.#next() !== "}") {
			if (this.#next() === ",") this.#skip(",");
			const [nameAt, name] = [this.#takeString(), this.#lastString];
			this.#skip(":");
			this.#next();
			const valueAt = this.#at();
			if (values.has(name)) {
				this.#reading.report(nameAt, "duplicate-key", `duplicate key ${quote(name)} in this item; keep one`);
			}
			const start = this.#offset;
			this.#offset = this.#endOfValue(start);
			const source = this.#text.slice(start, this.#offset).trim();
			values.set(name, { value: this.#scalar(name, item[name], source, valueAt), at: valueAt });
		}
		this.#offset = end;
		if (values.size > listLimits.columns) {
			this.#reading.refuse(at, "too-many-columns", `an item has more than ${listLimits.columns} values`);
		}
		this.#reading.onRow({ at, values });
	}

	#lastString = "";

	/** Reads the string at the offset, and returns where it begins. */
	#takeString(): Position {
		this.#next();
		const [at, end] = [this.#at(), endOfString(this.#text, this.#offset)];
		this.#lastString = JSON.parse(this.#text.slice(this.#offset, end));
		this.#offset = end;
		return at;
	}

	#scalar(name: string, value: unknown, source: string, at: Position): EachValue["value"] {
		if (typeof value === "string" || typeof value === "boolean") return value;
		if (typeof value === "number") {
			if (String(value) === source) return value;
			const message = `${quote(name)} is a number that cannot be read exactly; put it in quotes`;
			return this.#invalid(at, "inexact-number", message);
		}
		const what = value === null ? "null" : Array.isArray(value) ? "a list" : "an object";
		const message = `${quote(name)} must be text, a number, true or false, but is ${what}`;
		return this.#invalid(at, "wrong-type", message);
	}

	#invalid(at: Position, code: string, message: string): undefined {
		this.#reading.report(at, code, message);
	}

	#parse(start: number, end: number): Record<string, unknown> {
		try {
			const item: unknown = JSON.parse(this.#text.slice(start, end));
			if (isRecord(item)) return item;
		} catch (error) {
			// Only the place: the message of the engine quotes the file.
			const place = /at position (\d+)/.exec(String(error))?.[1];
			if (place !== undefined) this.#offset = start + Number(place);
		}
		return this.#refuse("invalid JSON in this item of the list");
	}

	/** Returns the offset after the item that begins at the offset. */
	#endOfItem(): number {
		const end = this.#endOfValue(this.#offset);
		if (end - this.#offset > listLimits.rowLength) this.#refuse("this item of the list is larger than 1 MiB");
		if (end > this.#offset) return end;
		return this.#refuse("this item of the list does not end; is a `}` or a quote missing?");
	}

	/** Returns the offset after a value, or the same offset if it does not end. */
	#endOfValue(start: number): number {
		let depth = 0;
		for (let at = start; at < this.#text.length; at += 1) {
			const character = this.#text[at] ?? "";
			if (character === '"') at = endOfString(this.#text, at) - 1;
			else if ("{[".includes(character)) depth += 1;
			else if (depth === 0 && ",}]".includes(character)) return at;
			else if ("}]".includes(character)) depth -= 1;
			if (depth === 0 && "}]".includes(character)) return at + 1;
		}
		return start;
	}

	#skip(character: string): void {
		if (this.#next() !== character) this.#refuse(`a \`${character}\` is missing before this item`);
		this.#offset += 1;
	}

	/** Goes to the next character that is no space, and returns it; empty at the end. */
	#next(): string {
		space.lastIndex = this.#offset;
		this.#offset += space.exec(this.#text)?.[0].length ?? 0;
		return this.#text[this.#offset] ?? "";
	}

	#refuse(message: string): never {
		return this.#reading.refuse(this.#at(), "json-syntax", message);
	}

	#at(): Position {
		if (this.#offset < this.#lineStart) [this.#line, this.#lineStart, this.#lineEnd] = [1, 0, this.#endOfLine(0)];
		while (this.#offset > this.#lineEnd) {
			this.#line += 1;
			this.#lineStart = this.#lineEnd + 1;
			this.#lineEnd = this.#endOfLine(this.#lineStart);
		}
		return { file: this.#reading.file, line: this.#line, column: this.#offset - this.#lineStart + 1 };
	}

	#endOfLine(start: number): number {
		const end = this.#text.indexOf("\n", start);
		return end < 0 ? this.#text.length : end;
	}
}

/** Returns the offset after the string that begins at `start`; the end of the text if it is not closed. */
function endOfString(text: string, start: number): number {
	for (let at = start + 1; at < text.length; at += 1) {
		if (text[at] === "\\") at += 1;
		else if (text[at] === '"') return at + 1;
	}
	return text.length;
}
