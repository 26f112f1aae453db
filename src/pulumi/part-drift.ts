/** How the live object of a component's part differs from the part's inputs, in the terms of a property diff. */
import type { Change } from "../plan/change.ts";
import { type Members, type Properties, withoutUndefined } from "./inputs.ts";

type DriftKind = "add" | "delete" | "update";

/** What an update does to live state, by the path of a property in the inputs, for example `members.exactly[1]`. */
export type Drift = Readonly<Record<string, DriftKind>>;

/** Returns the drift of a part with these inputs; undefined if live state is not known to differ. */
export function driftOf(args: Properties, changes: readonly Change[]): Drift | undefined {
	const known = changes.filter(({ basis }) => basis !== "unknown");
	if (known.length === 0) return undefined;
	return Object.fromEntries(known.flatMap((change) => describe(args, change)));
}

function describe(args: Properties, change: Change): readonly (readonly [path: string, kind: DriftKind])[] {
	if (change.kind !== "userTag") return change.action === "remove" ? [pathOf(args, change.id)] : [];
	const { before, after, addUserIds, removeUserIds } = change;
	const members = (args.members ?? {}) as Members;
	const { exactly } = members;
	const lists = withoutUndefined({ ...members }) as Properties;
	return [
		...(before.name === after.name ? [] : [["name", "update"] as const]),
		...addUserIds.map((userId) => pathOf(lists, userId, "members.")),
		...removeUserIds.map((userId, index) =>
			// A list of all members does not contain the one to remove, which a diff shows after its end.
			exactly === undefined
				? pathOf(lists, userId, "members.")
				: ([`members.exactly[${exactly.length + index}]`, "delete"] as const),
		),
	];
}

/** The item of a list that has to apply again; or the property that is the one id of its resource. */
function pathOf(lists: Properties, id: string, above = ""): readonly [path: string, kind: DriftKind] {
	for (const [name, list] of Object.entries(lists)) {
		const index = Array.isArray(list) ? list.indexOf(id) : -1;
		if (index >= 0) return [`${above}${name}[${index}]`, "add"];
		if (list === id) return [`${above}${name}`, "update"];
	}
	return [above.replace(/\.$/, ""), "update"];
}
