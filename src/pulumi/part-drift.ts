/** How the live object of a component's part differs from the part's inputs, in the terms of a property diff. */
import type { Change } from "../plan/change.ts";
import type { Members, Properties } from "./inputs.ts";
import type { PropertyChange } from "./property-changes.ts";

/**
 * Returns what an update does to live state, by the properties of a part with these inputs. Empty if live state is not known to
 * differ: where it is unknown, only the state of the part records whether its desired state was applied before.
 */
export function driftOf(args: Properties, changes: readonly Change[]): readonly PropertyChange[] {
	return changes.filter(({ basis }) => basis !== "unknown").flatMap((change) => describe(args, change));
}

function describe(args: Properties, change: Change): readonly PropertyChange[] {
	if (change.kind !== "userTag") return change.action === "remove" ? [find(args, change.id, [])] : [];
	const { before, after, addUserIds, removeUserIds } = change;
	const members = (args.members ?? {}) as Members;
	const inLists = (userId: string): PropertyChange => find({ ...members }, userId, ["members"]);
	const { exactly } = members;
	return [
		...(before.name === after.name ? [] : [{ path: ["name"], kind: "update" } as const]),
		...addUserIds.map(inLists),
		// A list of all members does not contain the one to remove, which the diff shows after its end.
		...removeUserIds.map((userId, index) =>
			exactly === undefined
				? inLists(userId)
				: ({ path: ["members", "exactly", exactly.length + index], kind: "delete" } as const),
		),
	];
}

/** The item of a list that has to apply again; or the property that is the one id of its resource. */
function find(lists: Properties, id: string, above: readonly string[]): PropertyChange {
	for (const [name, list] of Object.entries(lists)) {
		const index = Array.isArray(list) ? list.indexOf(id) : -1;
		if (index >= 0) return { path: [...above, name, index], kind: "add" };
		if (list === id) return { path: [...above, name], kind: "update" };
	}
	return { path: above, kind: "update" };
}
