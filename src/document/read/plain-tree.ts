/** Converts a JSON value to the cells of its text as YAML: the YAML parser takes longer than everything else for a program's. */
import { isRecord } from "../../common/json.ts";
import { type Cell, makeCell } from "../cell.ts";

/** Deeper values, which YAML may refuse, are left to its parser; a document needs eight levels. */
const maxDepth = 16;

/** More values are left to the YAML parser, which limits them. */
const maxCells = 100_000;

/** Returns the root cell, with wrong columns; undefined for what a document cannot have, whose text has to be parsed. */
export function readPlainTree(file: string, value: unknown): Cell | undefined {
	if (!isRecord(value)) return undefined;
	return new PlainReader(file).read(value);
}

class PlainReader {
	readonly #file: string;
	#column = 0;

	constructor(file: string) {
		this.#file = file;
	}

	read(value: unknown, parent?: Cell, key?: string | number, depth = 0): Cell | undefined {
		const keyAt = this.#next();
		const at = typeof key === "string" ? this.#next() : keyAt;
		const slot = { parent, key, at, keyAt };
		if (depth > maxDepth || this.#column > maxCells) return undefined;
		if (typeof value === "string") return makeCell("text", slot, { value, written: value });
		if (typeof value === "number") return makeCell("number", slot, { value, written: String(value) });
		if (typeof value === "boolean") return makeCell("boolean", slot, { value, written: String(value) });
		if (Array.isArray(value)) {
			const items: Cell[] = [];
			const list = makeCell("list", slot, { items });
			return value.every((item, index) => add(items, this.read(item, list, index, depth + 1))) ? list : undefined;
		}
		if (!isRecord(value)) return undefined;
		const entries = new Map<string, Cell>();
		const map = makeCell("map", slot, { entries });
		for (const [name, item] of Object.entries(value)) {
			const entry = isPlainKey(name) ? this.read(item, map, name, depth + 1) : undefined;
			if (entry === undefined) return undefined;
			entries.set(name, entry);
		}
		return map;
	}

	#next() {
		this.#column += 1;
		return { file: this.#file, line: 1, column: this.#column };
	}
}

function add(items: Cell[], item: Cell | undefined): boolean {
	if (item !== undefined) items.push(item);
	return item !== undefined;
}

/** Keys of documents are names and ids. The rules for other keys are those of YAML. */
function isPlainKey(key: string): boolean {
	return /^[\w:-]{1,60}$/.test(key);
}
