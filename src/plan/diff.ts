import type { Differences } from "./change.ts";
import { kinds } from "./kinds/index.ts";
import type { DesiredOrganization, LiveOrganization } from "./organization.ts";
import { compareText } from "./value.ts";

/** Returns every difference between desired and live state, in the order of the kinds and then by address. */
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
