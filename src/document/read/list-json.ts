/** Reads a JSON list of flat objects. JSON.parse reads each item; only the places of items are found here. */

import { endOfString } from "../../common/json.ts";
import type { Position } from "../../plan/organization.ts";
import { quote } from "../report.ts";
import type { EachValue } from "./each.ts";
import { type ListReading, listLimits } from "./list-reading.ts";

const space = /[ \t\r\n]*/y;

/** A sign, or what is between signs: a number or a word. */
const sign = /[[\]{},:]|[^\s"[\]{},:]+|/y;

export class JsonReader {
	readonly #text: string;
	readonly #reading: ListReading;
	/** Where the last token begins and ends. */
	#start = 0;
	#end = 0;
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
		let token = this.#next();
		for (let isFirst = true; token !== "]"; isFirst = false) {
			if (!isFirst && token !== ",") this.#refuse("a `,` is missing before this item");
			if (!isFirst) token = this.#next();
			if (token !== "{") this.#refuse("an item of the list must be an object: { … }");
			this.#readItem();
			token = this.#next();
		}
		if (this.#next() !== "") this.#refuse("text follows the end of the list; is it one list?");
	}

	/** Reads the item whose brace is the last token. */
	#readItem(): void {
		const start = this.#start;
		const at = this.#at(start);
		const entries = this.#findEntries(start);
		const item = this.#parse(start);
		const values = new Map<string, EachValue>();
		for (const { key, keyStart, source, sourceStart } of entries) {
			const name = String(JSON.parse(key));
			if (values.has(name)) {
				const message = `duplicate key ${quote(name)} in this item; keep one`;
				this.#reading.report(this.#at(keyStart), "duplicate-key", message);
			}
			const valueAt = this.#at(sourceStart);
			values.set(name, { value: this.#scalar(name, item[name], source, valueAt), at: valueAt });
		}
		if (values.size > listLimits.columns) {
			this.#reading.refuse(at, "too-many-columns", `an item has more than ${listLimits.columns} values`);
		}
		this.#reading.onRow({ at, values });
	}

	/** Goes to the end of the item that begins at `start`, and returns the first token of each of its values, and their keys. */
	#findEntries(start: number) {
		const entries: { key: string; keyStart: number; source: string; sourceStart: number }[] = [];
		let [key, keyStart, before, depth] = ["", start, "{", 1];
		while (depth > 0) {
			const token = this.#next();
			if (token === "") this.#refuse("this item of the list does not end; is a `}` or a quote missing?", start);
			if (this.#end - start > listLimits.rowLength) this.#refuse("this item of the list is larger than 1 MiB", start);
			if (depth === 1 && before === ":") entries.push({ key, keyStart, source: token, sourceStart: this.#start });
			else if (depth === 1 && token.startsWith('"')) [key, keyStart] = [token, this.#start];
			if (token === "{" || token === "[") depth += 1;
			if (token === "}" || token === "]") depth -= 1;
			before = token;
		}
		return entries;
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

	/** Returns the item from `start` to the last token. */
	#parse(start: number): Record<string, unknown> {
		try {
			return JSON.parse(this.#text.slice(start, this.#end)) as Record<string, unknown>;
		} catch (error) {
			// Only the place: the message of the engine quotes the file.
			const place = /at position (\d+)/.exec(String(error))?.[1] ?? 0;
			return this.#refuse("invalid JSON in this item of the list", start + Number(place));
		}
	}

	/** Returns the next token: a text with its quotes, a sign, a number or a word; empty at the end. */
	#next(): string {
		space.lastIndex = this.#end;
		this.#start = this.#end + (space.exec(this.#text)?.[0].length ?? 0);
		sign.lastIndex = this.#start;
		const isText = this.#text[this.#start] === '"';
		this.#end = isText
			? endOfString(this.#text, this.#start) + 1
			: this.#start + (sign.exec(this.#text)?.[0].length ?? 0);
		return this.#text.slice(this.#start, this.#end);
	}

	#refuse(message: string, offset = this.#start): never {
		return this.#reading.refuse(this.#at(offset), "json-syntax", message);
	}

	#at(offset: number): Position {
		if (offset < this.#lineStart) [this.#line, this.#lineStart, this.#lineEnd] = [1, 0, this.#endOfLine(0)];
		while (offset > this.#lineEnd) {
			this.#line += 1;
			this.#lineStart = this.#lineEnd + 1;
			this.#lineEnd = this.#endOfLine(this.#lineStart);
		}
		return { file: this.#reading.file, line: this.#line, column: offset - this.#lineStart + 1 };
	}

	#endOfLine(start: number): number {
		const end = this.#text.indexOf("\n", start);
		return end < 0 ? this.#text.length : end;
	}
}
