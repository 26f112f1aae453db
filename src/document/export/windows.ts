/** The windows that an export keeps: those of the organization's document that are still true of live state. */
import { isExpired, isWithin } from "../../plan/access-window.ts";
import { printAddress } from "../../plan/address.ts";
import { findTags } from "../../plan/kinds/user-tag.ts";
import { nameOfUser } from "../../plan/objects.ts";
import { type AccessWindow, type DesiredOrganization, type LiveOrganization, tagsOf } from "../../plan/organization.ts";

/** What the document of an organization says of windows. */
export interface KeptWindows {
	/** The service's time at which they were judged, milliseconds since 1970. */
	readonly timeMs: number;
	/** By tag id. Users whose window has not begun are not members yet. */
	readonly byTag: ReadonlyMap<string, readonly AccessWindow[]>;
	/** Members whose window is over or has not begun: they are exported without an end. */
	readonly lost: readonly LostWindow[];
}

export interface LostWindow {
	readonly address: string;
	/** The alias of the document, or the id. */
	readonly user: string;
	readonly window: AccessWindow;
	readonly isExpired: boolean;
}

/** Returns the windows to keep, for a document of the same organization. */
export function keepWindows(desired: DesiredOrganization, live: LiveOrganization, timeMs: number): KeptWindows {
	const byTag = new Map<string, readonly AccessWindow[]>();
	const lost: LostWindow[] = [];
	const found = live.userTags.known ? findTags(tagsOf(desired), live.userTags.value).found : [];
	for (const { wanted, live: tag } of found) {
		const { windows = [] } = wanted.members ?? {};
		if (windows.length === 0 || !tag.members.known) continue;
		const members = new Set(tag.members.value);
		const isTrue = (window: AccessWindow): boolean =>
			isWithin(window, timeMs) ? members.has(window.userId) : !isExpired(window, timeMs) && !members.has(window.userId);
		byTag.set(tag.id, windows.filter(isTrue));
		for (const window of windows.filter((one) => !isWithin(one, timeMs) && members.has(one.userId))) {
			const user = nameOfUser(desired, window.userId);
			lost.push({
				address: printAddress("userTag", tag.name),
				user,
				window,
				isExpired: isExpired(window, timeMs),
			});
		}
	}
	return { timeMs, byTag, lost };
}
