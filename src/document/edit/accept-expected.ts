/** Finds entries under `expect` by the addresses of plans. */
import { readOnlyKindOf } from "../../plan/kinds/index.ts";
import { expectationLists, type ReadOnlyKindName } from "../../plan/kinds/names.ts";
import { nameOfUser } from "../../plan/objects.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { type Cell, entriesOf, entryOf, itemsOf } from "../cell.ts";
import { caip2Aliases } from "../read/expectations.ts";
import { idIn, userNamed } from "./own-documents.ts";

interface ExpectedEntry {
	readonly cell: Cell;
	/** The address without the kind. */
	readonly label: string;
	readonly identity: string;
}

export function expectedEntries(
	root: Cell,
	name: ReadOnlyKindName,
	desired: DesiredOrganization,
): readonly ExpectedEntry[] {
	const kind = readOnlyKindOf(name);
	const section = entryOf(entryOf(root, "expect"), expectationLists[name]);
	const lists = kind.groupedBy === null ? [section] : entriesOf(section);
	return lists.flatMap((list) =>
		itemsOf(list).map((cell) => {
			const identity = kind.identities.find((one) => cell.entries.has(one)) ?? "";
			const entry = entryOf(cell, identity);
			const key = kind.isIdentityId(identity) ? (idIn(entry) ?? "") : String(entry?.value);
			const group = list === undefined || kind.groupedBy === null ? "" : `${groupOf(list, kind.groupedBy, desired)}/`;
			return { cell, identity, label: `${group}${key}` };
		}),
	);
}

/** Returns the name in addresses of the user or network that is the key of this list. */
function groupOf({ key }: Cell, groupedBy: "user" | "network", desired: DesiredOrganization): string {
	if (groupedBy === "user") return nameOfUser(desired, userNamed(desired, String(key)));
	return caip2Aliases.get(String(key)) ?? String(key);
}
