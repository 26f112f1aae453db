/** Converts a JSON value to the cells of its text as YAML: the YAML parser takes longer than everything else for a program's. */
import { isRecord } from "../../common/json.ts";
import { type Cell, makeCell } from "../cell.ts";

/** Deeper values, which YAML may refuse, are left to its parser; a document needs eight levels. */
const maxDepth = 16;

/** More values are left to the YAML parser, which limits them. */
const maxCells = 100_000;

/** Keys of documents are names and ids. The rules for other keys are those of YAML. */
const plainKey = /^[\w:-]{1,60}$/;

/** Returns the root cell, with wrong columns; undefined for what a document cannot have, whose text has to be parsed. */
export function readPlainTree(file: string, root: unknown): Cell | undefined {
	let column = 0;
	const next = (): Cell["at"] => {
		column += 1;
		return { file, line: 1, column };
	};
	const read = (value: unknown, parent?: Cell, key?: string | number, depth = 0): Cell | undefined => {
		const keyAt = next();
		const slot = { parent, key, at: typeof key === "string" ? next() : keyAt, keyAt };
		if (depth > maxDepth || column > maxCells) return undefined;
		if (typeof value === "string") return makeCell("text", slot, { value, written: value });
		if (typeof value === "number") return makeCell("number", slot, { value, written: String(value) });
		if (typeof value === "boolean") return makeCell("boolean", slot, { value, written: String(value) });
		if (Array.isArray(value)) {
			const items: Cell[] = [];
			const list = makeCell("list", slot, { items });
			for (const [index, item] of value.entries()) {
				const cell = read(item, list, index, depth + 1);
				if (cell === undefined) return undefined;
				items.push(cell);
			}
			return list;
		}
		if (!isRecord(value)) return undefined;
		const entries = new Map<string, Cell>();
		const map = makeCell("map", slot, { entries });
		for (const [name, item] of Object.entries(value)) {
			const entry = plainKey.test(name) ? read(item, map, name, depth + 1) : undefined;
			if (entry === undefined) return undefined;
			entries.set(name, entry);
		}
		return map;
	};
	return isRecord(root) ? read(root) : undefined;
}
