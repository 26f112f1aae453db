/** What `--accept` does with windows. Access that expired never becomes permanent: only its entry is removed. */
import { isExpired, windowsOf } from "../../plan/access-window.ts";
import { printAddress } from "../../plan/address.ts";
import { findTags } from "../../plan/kinds/user-tag.ts";
import { type AccessWindow, type DesiredOrganization, type LiveOrganization, tagsOf } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";

/** Users whose access expired, by the address of the tag. */
export interface ExpiredAccess {
	readonly all: ReadonlyMap<string, ReadonlySet<string>>;
	/** Those whose entries can be removed; no tag without one. */
	readonly removable: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Milliseconds since 1970 by the service's clock: when the windows of the plan were judged. */
export function timeOf({ serviceTime, readAt }: Pick<Plan, "serviceTime" | "readAt">): number {
	return Date.parse(serviceTime ?? readAt);
}

export function findExpired(
	desired: DesiredOrganization,
	live: LiveOrganization,
	plan: Pick<Plan, "serviceTime" | "readAt">,
): ExpiredAccess {
	const [all, removable] = [new Map<string, ReadonlySet<string>>(), new Map<string, ReadonlySet<string>>()];
	if (windowsOf(desired).length === 0) return { all, removable };
	const timeMs = timeOf(plan);
	for (const wanted of tagsOf(desired)) {
		const { members, name } = wanted;
		const expired = (members?.windows ?? []).filter((window) => isExpired(window, timeMs)).map(({ userId }) => userId);
		if (expired.length === 0) continue;
		const address = printAddress("userTag", name);
		all.set(address, new Set(expired));
		const [found] = live.userTags.known ? findTags([wanted], live.userTags.value).found : [];
		const current = found?.live.members;
		// Where members are not known, the entry alone removes the user.
		if (current?.known !== true) continue;
		// In `atLeast`, nothing else keeps the user out.
		const useless = expired.filter((userId) => members?.mode === "exactly" || !current.value.includes(userId));
		if (useless.length > 0) removable.set(address, new Set(useless));
	}
	return { all, removable };
}

export function findWindow(desired: DesiredOrganization, address: string, userId: string): AccessWindow | undefined {
	const tag = tagsOf(desired).find(({ name }) => printAddress("userTag", name) === address);
	return tag?.members?.windows?.find((window) => window.userId === userId);
}
