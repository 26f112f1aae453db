/** Finds entries in the documents of one organization, for edits in place. */
import { printAddress } from "../../plan/address.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { type Cell, entryOf, itemsOf } from "../cell.ts";
import { type EditableDocument, NotEditable } from "./edit.ts";

/** Returns the documents that are about this organization alone. */
export function ownDocuments(
	documents: readonly EditableDocument[],
	{ organizationId }: Pick<DesiredOrganization, "organizationId">,
): readonly EditableDocument[] {
	return documents.filter(({ root }) => idIn(entryOf(root, "organizationId")) === organizationId);
}

export function documentOf(documents: readonly EditableDocument[], cell: Cell): EditableDocument {
	if (cell.parent !== undefined) return documentOf(documents, cell.parent);
	const found = documents.find(({ root }) => root === cell);
	if (found === undefined) throw new Error("the cell is not of these documents");
	return found;
}

/** Returns the entry of the tag with this address. Throws NotEditable if no document has one. */
export function findTag(documents: readonly EditableDocument[], address: string): Cell {
	const found = documents
		.flatMap(({ root }) => itemsOf(entryOf(root, "userTags")))
		.find((item) => printAddress("userTag", String(entryOf(item, "name")?.value)) === address);
	if (found === undefined) throw new NotEditable("no document has an entry for it");
	return found;
}

/** Returns the id of the user whom a document names by an alias or an id. */
export function userNamed({ users }: Pick<DesiredOrganization, "users">, name: string): string {
	return Object.hasOwn(users, name) ? (users[name] ?? "") : name.toLowerCase();
}

/** Returns the list of users who get a tag, under its `members`. */
export function memberList(members: Cell | undefined): Cell | undefined {
	return entryOf(members, "exactly") ?? entryOf(members, "atLeast");
}

/** Returns the id of the user of an entry in such a list. */
export function userOfEntry(item: Cell, desired: Pick<DesiredOrganization, "users">): string {
	return userNamed(desired, String((item.kind === "map" ? entryOf(item, "user") : item)?.value));
}

export function idIn(cell: Cell | undefined): string | undefined {
	return cell === undefined ? undefined : String(cell.value).toLowerCase();
}

/** Returns why an object of a template cannot be edited: the change would concern all its organizations. Undefined otherwise. */
export function explainTemplate({ row }: Pick<DesiredOrganization, "row">): string | undefined {
	if (row === undefined) return undefined;
	return `${row.document} describes it for all organizations of its list; change that document, or the values of this organization at ${row.file}:${row.line}, or move the object to a document of this organization alone`;
}

/** Returns the message of the NotEditable that the function throws, or undefined. */
export function catchRefusal(work: () => void): string | undefined {
	try {
		work();
		return undefined;
	} catch (error) {
		if (error instanceof NotEditable) return error.message;
		throw error;
	}
}
