/**
 * A document as cells: every value with its place in the file, as it is written and as it counts.
 *
 * YAML's own tree stops here: behind this file there are maps with text keys, lists, texts, numbers and truth values.
 */
import type { Position } from "../plan/organization.ts";

export interface Cell {
	readonly kind: "map" | "list" | "text" | "number" | "truth" | "nothing";
	readonly parent: Cell | undefined;
	/** The key in a map, the index in a list; nothing at the root. */
	readonly key: string | number | undefined;
	readonly at: Position;
	/** Where the key is; where there is none, the same as `at`. */
	readonly keyAt: Position;
	readonly entries: ReadonlyMap<string, Cell>;
	readonly items: readonly Cell[];
	readonly value: string | number | boolean | null;
	/** A scalar as it is written, before the environment's values are filled in; empty for a map or a list. */
	readonly written: string;
	readonly fromEnvironment: boolean;
	/** Set by whoever reported that this value is unusable. */
	broken: boolean;
	/** Keys that were probably meant by unknown ones, so that nobody misses them as well. */
	meant: readonly string[];
}

/** Where a cell is in its document, for example `expect.supportedAssets["eip155:1"][0]`; empty for the document. */
export function pathOf(cell: Pick<Cell, "parent" | "key">): string {
	if (cell.parent === undefined) return "";
	const before = pathOf(cell.parent);
	if (typeof cell.key === "number") return `${before}[${cell.key}]`;
	return pathWithKey(before, String(cell.key));
}

/** Max characters of a key that a path repeats: every problem below the key has the path. */
const longestKey = 60;

/** The path of a key under another path. */
export function pathWithKey(before: string, key: string): string {
	if (key.length > longestKey) return `${before}[${JSON.stringify(`${key.slice(0, longestKey)}…`)}]`;
	if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${before}[${JSON.stringify(key)}]`;
	return before === "" ? key : `${before}.${key}`;
}

/** The entry of a map that is there and usable. */
export function entryOf(cell: Cell | undefined, key: string): Cell | undefined {
	const entry = cell === undefined || cell.broken ? undefined : cell.entries.get(key);
	return entry === undefined || entry.broken ? undefined : entry;
}

/** The usable entries of a map. */
export function entriesOf(cell: Cell | undefined): readonly Cell[] {
	return cell === undefined || cell.broken ? [] : [...cell.entries.values()].filter((entry) => !entry.broken);
}

/** The usable items of a list. */
export function itemsOf(cell: Cell | undefined): readonly Cell[] {
	return cell === undefined || cell.broken ? [] : cell.items.filter((item) => !item.broken);
}

/** Whether a map has the key, usable or not, or another key that was probably meant to be it. */
export function mentions(cell: Cell, key: string): boolean {
	return cell.entries.has(key) || cell.meant.includes(key);
}

/** The cell as plain data, as JSON Schema wants it. */
export function plain(cell: Cell): unknown {
	if (cell.kind === "list") return cell.items.map(plain);
	if (cell.kind === "map") return Object.fromEntries([...cell.entries].map(([key, entry]) => [key, plain(entry)]));
	return cell.value;
}

/** The cell that a JSON pointer names, as far down as there are cells. */
export function cellAt(root: Cell, pointer: string): Cell {
	let cell = root;
	for (const part of pointer.split("/").slice(1)) {
		const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
		const next = cell.kind === "list" ? cell.items[Number(key)] : cell.entries.get(key);
		if (next === undefined) return cell;
		cell = next;
	}
	return cell;
}

/** Whether the cell or one around it is broken. */
export function isBroken(cell: Cell): boolean {
	return cell.broken || (cell.parent !== undefined && isBroken(cell.parent));
}
