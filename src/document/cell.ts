/** A document as cells, which hide the tree of the `yaml` package: values with their positions and texts in the file. */
import type { Position } from "../plan/organization.ts";
import type { VariableValue } from "../policy/language/resolve-template.ts";
import type { Span } from "../policy/language/syntax.ts";
import type { Template } from "../policy/language/template.ts";
import type { Problems } from "./problems.ts";

export interface Cell {
	readonly kind: "map" | "list" | "text" | "number" | "boolean" | "null";
	readonly parent: Cell | undefined;
	/** The key in a map, the index in a list, undefined at the root. */
	readonly key: string | number | undefined;
	readonly at: Position;
	/** The position of the key; without a key the same as `at`. */
	readonly keyAt: Position;
	readonly entries: ReadonlyMap<string, Cell>;
	readonly items: readonly Cell[];
	readonly value: string | number | boolean | null;
	/** A scalar as the file has it, before variables are substituted; empty for a map or a list. */
	readonly written: string;
	readonly fromEnvironment: boolean;
	/** Where the document uses a value of a list, whose place in the list is `at`, and as what. */
	readonly usedAs?: { readonly text: string; readonly at: Position };
	/** Set where the value is an expression of a policy: its variables are not substituted in the text. */
	readonly expression?: ExpressionCell;
	/** Of the root: takes the problems of its document. */
	problems?: Problems;
	/** Whether a problem says that this value is unusable. */
	invalid: boolean;
	/** Known keys that unknown ones are probably meant as, so that they are not reported as missing too; "" could be any. */
	readonly intendedKeys: Set<string>;
}

/** An expression as its file has it (read/expression.ts). */
export interface ExpressionCell {
	readonly template: Template;
	/** Returns the place of a character of the value; behind the last, the end of the text. */
	readonly placeOf: (offset: number) => Position;
	/** Returns the line of the file that has the characters, and a line with `^` below them. */
	readonly excerptOf: (span: Span) => string;
	/** By name. `use`: a value of a list as a cell, for problems with it. */
	readonly variables: ReadonlyMap<string, VariableValue & { readonly use?: Cell }>;
}

export type Slot = Pick<Cell, "parent" | "key" | "at" | "keyAt" | "problems">;

const noEntries: ReadonlyMap<string, Cell> = new Map();
const noItems: readonly Cell[] = [];

export function makeCell(kind: Cell["kind"], slot: Slot, contents: Partial<Cell>): Cell {
	const empty = { entries: noEntries, items: noItems, value: null, written: "", fromEnvironment: false };
	return { kind, ...slot, ...empty, invalid: false, intendedKeys: new Set(), ...contents };
}

/** Returns the path of a cell in its document, for example `expect.supportedAssets["eip155:1"][0]`; empty for the document. */
export function pathOf(cell: Pick<Cell, "parent" | "key">): string {
	if (cell.parent === undefined) return "";
	const before = pathOf(cell.parent);
	if (typeof cell.key === "number") return `${before}[${cell.key}]`;
	return pathWithKey(before, String(cell.key));
}

/** Max characters of a key in a path: each problem below the key has the path. */
const maxKeyLength = 60;

/** Returns the path of a key below another path. */
export function pathWithKey(before: string, key: string): string {
	if (key.length > maxKeyLength) return `${before}[${JSON.stringify(`${key.slice(0, maxKeyLength)}…`)}]`;
	if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${before}[${JSON.stringify(key)}]`;
	return before === "" ? key : `${before}.${key}`;
}

/** Returns the entry of a map, or undefined if it is missing or invalid. */
export function entryOf(cell: Cell | undefined, key: string): Cell | undefined {
	const entry = cell === undefined || cell.invalid ? undefined : cell.entries.get(key);
	return entry === undefined || entry.invalid ? undefined : entry;
}

/** Returns the entries that the maps have at this key, without invalid ones. */
export function entriesAt(maps: readonly Cell[], key: string): readonly Cell[] {
	return maps.flatMap((map) => entryOf(map, key) ?? []);
}

/** Returns the valid entries of a map. */
export function entriesOf(cell: Cell | undefined): readonly Cell[] {
	return cell === undefined || cell.invalid ? [] : [...cell.entries.values()].filter((entry) => !entry.invalid);
}

/** Returns the valid items of a list. */
export function itemsOf(cell: Cell | undefined): readonly Cell[] {
	return cell === undefined || cell.invalid ? [] : cell.items.filter((item) => !item.invalid);
}

/** Whether a map has the key, valid or not, or a probable typing error of it. */
export function hasOrIntends(cell: Cell, key: string): boolean {
	return cell.entries.has(key) || cell.intendedKeys.has(key);
}

/** Returns the cell as plain data, for validation with a JSON Schema. */
export function toPlainValue(cell: Cell): unknown {
	if (cell.kind === "list") return cell.items.map(toPlainValue);
	if (cell.kind === "map")
		return Object.fromEntries([...cell.entries].map(([key, entry]) => [key, toPlainValue(entry)]));
	return cell.value;
}

/** Returns the cell at a JSON pointer, or the innermost cell on the way to it. */
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

/** Whether the cell or one that contains it is invalid. */
export function isWithinInvalid(cell: Cell): boolean {
	return cell.invalid || (cell.parent !== undefined && isWithinInvalid(cell.parent));
}
