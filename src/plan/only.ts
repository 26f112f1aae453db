/** `--only KIND[/GLOB]` and `--only ADDRESS`: other objects are neither read nor compared nor changed. */
import { defined } from "../common/defined.ts";
import { showName } from "../common/escape.ts";
import { parseAddress, printAddress } from "./address.ts";
import type { Change } from "./change.ts";
import { type LabelSelection, selectsLabel } from "./glob.ts";
import { kinds } from "./kinds/index.ts";
import type { KindName } from "./kinds/names.ts";
import { tagsNamedBy } from "./kinds/references.ts";
import { keyOfRemoval, labelOfObject } from "./objects.ts";
import { type DesiredObject, type DesiredOrganization, type Exceptions, policiesOf, tagsOf } from "./organization.ts";

/** Without `glob` and `label`: all of the kind. */
export interface Selection extends LabelSelection {
	readonly kind: KindName;
	/** Whether it is about what a complete list removes, which only one organization has. */
	readonly isUnlisted?: boolean;
}

/** The selection that `KIND`, `KIND/GLOB` or an address (`KIND:LABEL`) writes, or undefined when there is no such kind. */
export function parseSelection(text: string): Selection | undefined {
	const [, name, separator, rest = ""] = /^([^:/]*)(?:([:/])(.*))?$/s.exec(text) ?? [];
	const kind = kinds.find((row) => row.name === name)?.name;
	if (kind === undefined) return undefined;
	if (separator === undefined) return { kind };
	return separator === "/" ? { kind, glob: rest } : { kind, label: rest };
}

/** Returns the selections of single objects of the kind in the document, written as `text` is. */
export function selectionsLike(text: string, desired: DesiredOrganization): readonly string[] {
	const kind = parseSelection(text)?.kind ?? "";
	const own = desired.objects.filter((object) => object.kind === kind);
	return own.map((object) => `${text.slice(0, kind.length + 1)}${showName(labelOfObject(object, desired))}`);
}

export function isSelected(address: string, selections: readonly Selection[]): boolean {
	const parsed = parseAddress(address);
	return parsed !== undefined && selects(selections, parsed.kind, parsed.label);
}

function selects(selections: readonly Selection[], kind: string, label: string): boolean {
	return selections.some((one) => one.kind === kind && selectsLabel(one, label));
}

/** The same document, with only the objects that one of the selections names, and what its complete lists remove of them. */
export function narrow(desired: DesiredOrganization, selections: readonly Selection[]): DesiredOrganization {
	const narrowed = keepOnly(desired, (object) => selects(selections, object.kind, labelOfObject(object, desired)));
	return withLists(narrowed, desired, selections);
}

/** Returns the narrowed document with what is selected of the complete lists of the whole one. */
export function withLists(
	narrowed: DesiredOrganization,
	whole: DesiredOrganization,
	selections: readonly Selection[],
): DesiredOrganization {
	const isListed = ({ kind, ...one }: Selection): boolean =>
		whole.objects.some((object) => object.kind === kind && selectsLabel(one, labelOfObject(object, whole)));
	const part = (kind: KindName, list: Exceptions | undefined): Exceptions | undefined => {
		const own = selections.filter((one) => one.kind === kind);
		if (own.some(({ glob, label }) => glob === undefined && label === undefined)) return list;
		const selected = own.filter((one) => one.label === undefined || !isListed(one));
		if (list === undefined || selected.length === 0) return undefined;
		const entries = kind === "policy" ? policiesOf(whole) : tagsOf(whole);
		const unlisted = selected.filter(({ isUnlisted }) => isUnlisted === true);
		return { ...list, part: { selected, entries, unlisted } };
	};
	return withExactly(narrowed, (kind, list) => part(kind, whole.exactly?.[list]));
}

/** Returns the document with the complete lists that there are then. */
function withExactly(
	{ exactly: _, ...rest }: DesiredOrganization,
	listOf: (kind: KindName, list: "policies" | "userTags") => Exceptions | undefined,
): DesiredOrganization {
	const exactly = defined({ policies: listOf("policy", "policies"), userTags: listOf("userTag", "userTags") });
	return Object.keys(exactly).length === 0 ? rest : { ...rest, exactly };
}

/** The same document, with only the objects for which `keep` is true, and the tags that the kept policies name. */
export function keepOnly(desired: DesiredOrganization, keep: (object: DesiredObject) => boolean): DesiredOrganization {
	const kept = new Set(desired.objects.filter(keep));
	const named = new Set(policiesOf({ objects: [...kept] }).flatMap(tagsNamedBy));
	const isKept = (object: DesiredObject): boolean =>
		kept.has(object) || (object.kind === "userTag" && !("absent" in object) && named.has(object.name));
	const narrowed = { ...desired, narrowed: true, objects: desired.objects.filter(isKept) };
	// What is left out of a complete list is listed all the same: then it is complete no longer.
	const isWhole = (kind: KindName): boolean => desired.objects.every((one) => one.kind !== kind || isKept(one));
	return withExactly(narrowed, (kind, list) => (isWhole(kind) ? desired.exactly?.[list] : undefined));
}

/** Returns the document with only the objects that these changes change, whatever the aliases of users. */
export function narrowToChanged(desired: DesiredOrganization, changes: readonly Change[]): DesiredOrganization {
	const keys = new Set(changes.flatMap(keysOfChange));
	const isChanged = (object: DesiredObject): boolean => {
		const key = keyOfObject(object);
		return key !== undefined && keys.has(key);
	};
	const removed = changes.flatMap((change): Selection[] => {
		if (change.action !== "remove") return [];
		return [{ kind: change.kind, label: change.kind === "userTag" ? change.tagId : change.id }];
	});
	return {
		...withLists(keepOnly(desired, isChanged), desired, removed),
		readsMembers: changes.some((change) => change.kind === "userTag" && change.before.members !== null),
	};
}

/** Returns a key of an object that can be changed, the same whatever the aliases of users; undefined for a read-only object. */
function keyOfObject(object: DesiredObject): string | undefined {
	if ("fields" in object) return undefined;
	const isNamed = object.kind === "userTag" || "effect" in object;
	return printAddress(object.kind, isNamed ? object.name : keyOfRemoval(object));
}

/** The same of the object of a change, which a document can name by its id or by its name; none for one that is only reported. */
function keysOfChange(change: Change): readonly string[] {
	if (change.action === "report") return [];
	if (change.action !== "remove") return [change.address];
	if (change.kind === "userTag") return [change.address, printAddress("userTag", change.tagId)];
	const key = printAddress(change.kind, keyOfRemoval(change));
	return change.kind === "policy" && change.before !== null ? [key, printAddress("policy", change.before.name)] : [key];
}

/** Whether the document mentions the object that is changed, or says that its list of such objects is complete. */
export function mentions(desired: DesiredOrganization, change: Change): boolean {
	const { exactly } = desired;
	const list = change.kind === "policy" ? exactly?.policies : change.kind === "userTag" ? exactly?.userTags : undefined;
	if (change.action === "report" || (change.action === "remove" && list !== undefined)) return true;
	const keys = keysOfChange(change);
	return desired.objects.some((object) => keys.includes(keyOfObject(object) ?? ""));
}

export function isEmpty({ objects }: DesiredOrganization): boolean {
	return objects.length === 0;
}
