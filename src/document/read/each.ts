/** The values of one organization of a list: what `${each.NAME}` means in a document with `organizations`. */

import { findHidden, nameCharacter } from "../../common/invisible.ts";
import type { Position } from "../../plan/organization.ts";
import { quote } from "../report.ts";

/** How the name of a value begins in a document. */
export const eachPrefix = "each.";

/** A value of a list and its place there. */
export interface EachValue {
	/** Undefined if the row does not have it. Cells of a CSV file are always text. */
	readonly value: string | number | boolean | undefined;
	/** How messages show it, if it has the value of an environment variable: with the variable's name. */
	readonly written?: string;
	/** Without a value, the place of the row. */
	readonly at: Position;
}

/** One row of a list: the values of one organization. */
export interface ListRow {
	/** Where it begins. */
	readonly at: Position;
	/** By name, in their order; undefined if it has a problem. */
	readonly values: ReadonlyMap<string, EachValue> | undefined;
}

export interface RowValues {
	/** Whether a spreadsheet can have written them. */
	readonly isTable: boolean;
	/** Returns the value, or remembers that the row does not have it. */
	find(name: string): EachValue;
}

/** What spreadsheets write for a formula that has no value. */
const errorValues = /^#(?:N\/A|REF!|NAME\?|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!)$/;

/** Returns what is wrong with a value of a list, or undefined. */
export function valueMistake(
	value: string,
	{ isTable }: RowValues,
): { readonly code: string; readonly mistake: string } | undefined {
	const hidden = findHidden(value);
	if (hidden !== undefined) {
		const mistake = `the value contains the invisible character ${nameCharacter(hidden.character)}; remove it`;
		return { code: "invisible-character", mistake };
	}
	if (!isTable) return undefined;
	if (value === "") return { code: "empty-value", mistake: "the value is empty; write one" };
	if (value.startsWith("=")) {
		const mistake = `${quote(value)} is a formula of a spreadsheet; save its value instead`;
		return { code: "formula", mistake };
	}
	if (errorValues.test(value)) {
		return { code: "formula", mistake: `${quote(value)} is an error value of a spreadsheet; write the value` };
	}
	if (value.trim() === value) return undefined;
	return { code: "outer-space", mistake: `${quote(value)} begins or ends with a space; remove the space` };
}
