/**
 * Entries that match a live object by its id or, without one, by its name and its previous names.
 *
 * Each live object matches at most one entry. So an entry with an id may take the previous name of another entry.
 */

import { compareText } from "../../plan/value.ts";
import { type Cell, entryOf, itemsOf } from "../cell.ts";
import { describePlace, distinct, invalidate, quoteCell, report } from "../report.ts";
import { afterSubstitution, nameMistake, readId } from "./users.ts";

interface TextCell {
	readonly text: string;
	readonly cell: Cell;
}

/** An entry of `userTags` or `policies`, as far as it could be read. */
export interface NamedEntry {
	readonly cell: Cell;
	readonly name: TextCell | undefined;
	readonly id: TextCell | undefined;
	readonly previously: readonly TextCell[];
}

/** What messages call the object. */
type ObjectWord = "tag" | "policy";

export function readNamedEntry(cell: Cell, what: ObjectWord): NamedEntry {
	const name = readName(entryOf(cell, "name"));
	const idCell = entryOf(cell, "id");
	const id = idCell && readId(idCell);
	const previously = readNames(entryOf(cell, "previously"));
	for (const earlier of previously) {
		if (earlier.text !== name?.text) continue;
		const message = `${quoteCell(earlier.cell)} is the current name of the ${what}, and \`previously\` lists former names; remove it`;
		report(earlier.cell, "own-name", message);
	}
	return { cell, name, id: idCell && id ? { text: id, cell: idCell } : undefined, previously };
}

/** Returns the name of a cell, or undefined after reporting that it is invalid. */
export function readName(cell: Cell | undefined): TextCell | undefined {
	if (cell === undefined) return undefined;
	const mistake = nameMistake(String(cell.value));
	if (mistake === undefined) return { text: String(cell.value), cell };
	const shown = cell.written === "" ? "" : `${quoteCell(cell)} `;
	return invalidate(cell, "bad-name", `the name ${shown}${mistake}${afterSubstitution(cell)}`);
}

/** Returns the distinct names of a list, and reports duplicates. */
export function readNames(list: Cell | undefined): TextCell[] {
	const names = distinct(itemsOf(list), (item) => readName(item)?.text);
	return [...names].map(([text, cell]) => ({ text, cell }));
}

/** Returns the same as sorted texts. */
export function sortedNames(list: Cell | undefined): readonly string[] {
	const names = readNames(list).map(({ text }) => text);
	return names.sort(compareText);
}

/** Reports objects under `absent` that are stated too: they would be made and removed by turns. */
export function checkAbsent(absent: readonly Cell[], entries: readonly NamedEntry[], what: ObjectWord): void {
	for (const cell of absent) {
		const text = String(cell.value);
		const listed = entries.find(({ name, id }) => name?.text === text || id?.text === text.toLowerCase());
		if (listed === undefined) continue;
		const place = `under \`${what === "tag" ? "userTags" : "policies"}\` ${describePlace(listed.cell.at, cell.at)}`;
		report(cell, `conflicting-${what}`, `the ${what} ${quoteCell(cell)} is ${place}; remove one of the two`);
	}
}

/** Reports entries that would match one live object. */
export function checkMatches(entries: readonly NamedEntry[], what: ObjectWord): void {
	const code = `duplicate-${what}`;
	const names = new Map<string, NamedEntry>();
	const ids = new Map<string, NamedEntry>();
	for (const entry of entries) {
		const sameName = entry.name && names.get(entry.name.text);
		const sameId = entry.id && ids.get(entry.id.text);
		if (entry.name && sameName?.name) {
			const message = `duplicate ${what} ${quoteCell(entry.name.cell)}, first ${describePlace(sameName.name.cell.at, entry.name.cell.at)}; merge the two entries`;
			report(entry.name.cell, code, message);
		} else if (entry.id && sameId?.id) {
			const message = `duplicate ${what} id ${quoteCell(entry.id.cell)}, first ${describePlace(sameId.id.cell.at, entry.id.cell.at)}; merge the two entries`;
			report(entry.id.cell, code, message);
		}
		if (entry.name && !sameName) names.set(entry.name.text, entry);
		if (entry.id && !sameId) ids.set(entry.id.text, entry);
	}
	const previousNames = new Map<string, { readonly entry: NamedEntry; readonly cell: Cell }>();
	for (const entry of entries) {
		for (const { text, cell } of entry.previously) {
			const holder = names.get(text);
			const other = previousNames.get(text);
			if (holder?.name && holder !== entry && !holder.cell.entries.has("id")) {
				const place = describePlace(holder.name.cell.at, cell.at);
				const message = `previous name ${quoteCell(cell)} is the name of the entry ${place}, so both match one ${what}; add an \`id\` there, or remove the name here`;
				report(cell, code, message);
			} else if (other !== undefined && other.entry !== entry) {
				const place = describePlace(other.cell.at, cell.at);
				report(cell, code, `duplicate previous name ${quoteCell(cell)}, first ${place}; keep one`);
			}
			if (other === undefined) previousNames.set(text, { entry, cell });
		}
	}
}
