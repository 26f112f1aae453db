/**
 * (desired, live) to changes: total and sorted. It asks every kind, adds nothing of its own and has no exceptions; what
 * must be left alone is simply not in desired.
 */

import type { Differences } from "./change.ts";
import { kinds } from "./kinds/index.ts";
import type { DesiredOrganization, LiveOrganization } from "./organization.ts";
import { compareText } from "./value.ts";

/** Everything in which live is not what is desired, in the order of the kinds and then by address. */
export function diff(desired: DesiredOrganization, live: LiveOrganization): Differences {
	const found = kinds.map((kind) => kind.differences(desired, live));
	return {
		changes: found.flatMap(({ changes }) =>
			[...changes].sort((left, right) => compareText(left.address, right.address)),
		),
		problems: found.flatMap(({ problems }) => problems),
		unread: found.flatMap(({ unread }) => unread),
	};
}
