/**
 * The kinds that can only be removed: policies, OAuth providers, TVC apps. What the document lists under `absent` and is
 * there, or is not known to be gone, is one change each.
 */
import { printAddress } from "./address.ts";
import type { Differences, RemovalChange, Unread } from "./change.ts";
import type { Known, Remembered } from "./organization.ts";

export interface Removal {
	readonly wanted: readonly {
		readonly id: string;
		readonly userId: string | null;
		/** What `there` and `removed` know it by. */
		readonly key: string;
		/** What stands behind the kind in its address. */
		readonly label: string;
	}[];
	readonly there: Known<readonly { readonly key: string; readonly name: string }[]>;
	readonly removed: Readonly<Record<string, Remembered>>;
}

/** The removals that are needed, or, where live is unknown and we never made them, not known to be needless. */
export function removalDifferences(kind: RemovalChange["kind"], removal: Removal): Differences {
	const { wanted, there, removed } = removal;
	if (wanted.length === 0) return { changes: [], problems: [], unread: [] };
	const names = new Map(there.known ? there.value.map(({ key, name }) => [key, name]) : []);
	const changes: RemovalChange[] = [];
	for (const { id, userId, key, label } of wanted) {
		if (there.known ? !names.has(key) : removed[key] !== undefined) continue;
		changes.push({
			address: printAddress(kind, label),
			kind,
			action: "remove",
			reason: there.known ? "is-there" : "not-known-to-be-absent",
			basis: there.known ? "live" : "unknown",
			id,
			userId,
			before: there.known ? { name: names.get(key) ?? "" } : null,
			after: null,
		});
	}
	const unread: Unread[] = there.known
		? []
		: [
				{
					scope: "kind",
					kind,
					because: there.because,
					standsIn: changes.length < wanted.length ? "last-applied" : "nothing",
				},
			];
	return { changes, problems: [], unread };
}
