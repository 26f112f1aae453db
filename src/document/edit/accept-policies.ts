/** Writes live policies and tags into documents: what an entry has to say, and entries that a complete list lacks. */
import type { PolicyChange } from "../../plan/change.ts";
import { idsOfReferences } from "../../plan/kinds/references.ts";
import type { DesiredOrganization, LiveOrganization, LivePolicy } from "../../plan/organization.ts";
import { sameExpression } from "../../policy/language/same-expression.ts";
import { escapeTemplate } from "../../policy/language/template.ts";
import { type Cell, entryOf, itemsOf } from "../cell.ts";
import { type ExportedPolicy, exportPolicy, flowPolicy, policyLines, type TemplateNames } from "../export/policies.ts";
import { writeKey } from "../write-yaml.ts";
import {
	addEntries,
	type EditableDocument,
	isFlow,
	NotEditable,
	refuseShared,
	removeEntries,
	replaceText,
	replaceValue,
	type TextEdit,
} from "./edit.ts";

/** A new entry of a list, for both styles of lists. Lines of a block after the first have the indentation of its first key. */
export interface NewEntry {
	readonly block: string;
	readonly flow: string;
}

export interface AddressedEntry {
	readonly address: string;
	readonly entry: NewEntry;
}

/** Returns the edits that add a section with these entries to the document with the complete list, and their place. */
export function sectionEdits(
	documents: readonly EditableDocument[],
	section: string,
	added: readonly AddressedEntry[],
): { readonly root: Cell; readonly line: number; readonly edits: readonly TextEdit[] } {
	const document = documents.find(({ root }) => entryOf(root, "exactly") !== undefined);
	if (document === undefined) throw new NotEditable("no document has the complete list");
	const { root } = document;
	const lines = added.map(({ entry }) => `  - ${entry.block.replace(/\n(?!\n)/g, "\n    ")}`);
	const text = isFlow(document, root)
		? `${section}: [${added.map(({ entry }) => entry.flow).join(", ")}]`
		: [`${section}:`, ...lines].join("\n");
	const { line } = (entryOf(root, "exactly") ?? root).keyAt;
	return { root, line, edits: addEntries(document, root, [text]) };
}

/** Returns the names that expressions of the document can have for ids. */
export function templateNames(desired: DesiredOrganization, live: LiveOrganization): TemplateNames {
	const { userTags, users } = idsOfReferences(desired, live);
	const byId = (names: ReadonlyMap<string, string>) => new Map([...names].map(([name, id]) => [id, name]));
	return { tagNames: byId(userTags), aliases: byId(users) };
}

/** Returns the entry that the document has of a policy with this name. Throws NotEditable if there is none. */
export function findPolicy(documents: readonly EditableDocument[], name: string): Cell {
	const entries = documents.flatMap(({ root }) => itemsOf(entryOf(root, "policies")));
	const found = entries.find((entry) => entryOf(entry, "name")?.value === name);
	if (found === undefined) throw new NotEditable("no document has an entry for it");
	return found;
}

/** Returns the new entry of a live policy. Throws NotEditable if a document cannot have it. */
export function newPolicy(live: LiveOrganization, policyId: string, names: TemplateNames): NewEntry {
	const policy = live.policies?.known === true ? live.policies.value.find(({ id }) => id === policyId) : undefined;
	if (policy === undefined) throw new NotEditable("what the policy says could not be read");
	const exported = toExported(policy, names);
	const [first = "", ...others] = policyLines(exported).map((line) => line.slice(4));
	return { block: [first, ...others].join("\n"), flow: flowPolicy(exported) };
}

function toExported(policy: LivePolicy, names: TemplateNames): ExportedPolicy {
	const exported = exportPolicy(policy, names);
	if (typeof exported === "string") throw new NotEditable(exported);
	return exported;
}

/** Returns the edits that make an entry say what is live. What is the same as before stays as it is written. */
export function policyEdits(
	document: EditableDocument,
	entry: Cell,
	{ id, before, after }: PolicyChange,
	names: TemplateNames,
): readonly TextEdit[] {
	if (before === null) throw new NotEditable("the policy does not exist");
	const live = toExported({ id, ...before }, names);
	const wasUnchecked = entryOf(entry, "unchecked")?.value === true;
	const isSame = (one: string, other: string): boolean =>
		live.unchecked || wasUnchecked ? one === other : sameExpression(one, other);
	const edits: TextEdit[] = [];
	const added: string[] = [];
	const write = (key: string, text: string): void => {
		const cell = entryOf(entry, key);
		if (cell === undefined) {
			added.push(`${key}: ${writeKey(text, "double")}`);
			return;
		}
		refuseShared(document, cell);
		edits.push(...replaceText(document, cell, text));
	};
	if (before.name !== after.name) write("name", escapeTemplate(before.name));
	if (before.effect !== after.effect) write("effect", live.effect);
	for (const key of ["consensus", "condition"] as const) if (!isSame(before[key], after[key])) write(key, live[key]);
	if (before.notes !== after.notes) write("notes", escapeTemplate(before.notes));
	if (before.time === "" && after.time !== "") edits.push(...removeEntries(document, entry, ["time"]));
	else if (!isSame(before.time, after.time)) write("time", live.time);
	const unchecked = entryOf(entry, "unchecked");
	if (live.unchecked && unchecked === undefined) added.push("unchecked: true");
	else if (live.unchecked && unchecked?.value === false) edits.push(...replaceValue(document, unchecked, true));
	return added.length === 0 ? edits : [...edits, ...addEntries(document, entry, added)];
}
