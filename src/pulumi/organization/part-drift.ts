/** How the live object of a component's part differs from the part's inputs, in the terms of a property diff. */
import type { Change } from "../../plan/change.ts";
import type { Properties } from "../inputs/inputs.ts";
import type { PropertyChange } from "../inputs/property-changes.ts";
import { findPlace, type Members } from "../user-tag/members.ts";

/**
 * Returns what an update does to live state, by the properties of a part with these inputs. Empty if live state is not known to
 * differ: where it is unknown, only the state of the part records whether its desired state was applied before.
 */
export function driftOf(args: Properties, changes: readonly Change[]): readonly PropertyChange[] {
	return changes.filter(({ basis }) => basis !== "unknown").flatMap((change) => describe(args, change));
}

function describe(args: Properties, change: Change): readonly PropertyChange[] {
	if (change.kind !== "userTag") return change.action === "remove" ? [find(args, change.id)] : [];
	const { before, after, addUserIds, removeUserIds } = change;
	const members = (args.members ?? {}) as Members;
	const { exactly } = members;
	// A list of all members does not contain the one to remove, which the diff shows after its end.
	let end = exactly?.length ?? 0;
	const removed = (userId: string): PropertyChange => {
		const place = findPlace(members, userId);
		if (place !== undefined) return { path: place.path, kind: place.hasWindow ? "delete" : "add" };
		if (exactly === undefined) return { path: ["members"], kind: "update" };
		end += 1;
		return { path: ["members", "exactly", end - 1], kind: "delete" };
	};
	return [
		...(before.name === after.name ? [] : [{ path: ["name"], kind: "update" } as const]),
		...addUserIds.map((userId): PropertyChange => {
			const place = findPlace(members, userId);
			return place === undefined ? { path: ["members"], kind: "update" } : { path: place.path, kind: "add" };
		}),
		...removeUserIds.map(removed),
	];
}

/** The item of a list that has to apply again; or the property that is the one id of its resource. */
function find(lists: Properties, id: string): PropertyChange {
	for (const [name, list] of Object.entries(lists)) {
		const index = Array.isArray(list) ? list.indexOf(id) : -1;
		if (index >= 0) return { path: [name, index], kind: "add" };
		if (list === id) return { path: [name], kind: "update" };
	}
	return { path: [], kind: "update" };
}
