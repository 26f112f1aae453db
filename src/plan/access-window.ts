/** Access with an end: who is in a tag at a given time, and when that changes next. Times are the service's (docs/document.md#members-with-a-window). */
import { defined } from "../common/defined.ts";
import type { Problem } from "../common/errors.ts";
import { printAddress } from "./address.ts";
import type { Change } from "./change.ts";
import {
	type AccessWindow,
	type DesiredMembers,
	type DesiredOrganization,
	type DesiredUserTag,
	tagsOf,
} from "./organization.ts";
import { compareText } from "./value.ts";

/** How long before the end of access a plan shows it, unless a run says otherwise. */
export const defaultHorizonMs = 14 * 24 * 3_600_000;

/** A window for readers. Times are ISO 8601 in UTC. */
export interface WindowFacts {
	readonly from?: string;
	readonly until?: string;
	/** The same as the document writes them; left out where it writes UTC. */
	readonly fromWritten?: string;
	readonly untilWritten?: string;
	readonly reason?: string;
}

/** One entry of a document with a window that a reader should know of. */
export interface Expiry extends WindowFacts {
	/** Of the tag. */
	readonly address: string;
	readonly userId: string;
	/** `expired` has the tag still. `not-begun`: soon, or has it already. `granted` by the plan. Pending activities count too. */
	readonly state: "expired" | "ends-soon" | "not-begun" | "granted";
}

/** Returns the desired state at this time: users outside their window are under `never`. Windows and digest stay. */
export function desiredAt(desired: DesiredOrganization, timeMs: number): DesiredOrganization {
	return withTimed(desired, (tag, members, windows) => ({ ...tag, members: membersAt(members, windows, timeMs) }));
}

/** Returns the desired state with these tags in place of those whose members have windows. */
function withTimed(
	desired: DesiredOrganization,
	change: (tag: DesiredUserTag, members: DesiredMembers, windows: readonly AccessWindow[]) => DesiredUserTag,
): DesiredOrganization {
	if (windowsOf(desired).length === 0) return desired;
	const objects = desired.objects.map((object) => {
		if (object.kind !== "userTag" || "absent" in object || object.members?.windows === undefined) return object;
		return change(object, object.members, object.members.windows);
	});
	return { ...desired, objects };
}

/** Returns the desired state without members that depend on an unknown time, and a problem for each of their tags. */
export function withoutWindows(
	desired: DesiredOrganization,
	because: string,
): { readonly desired: DesiredOrganization; readonly problems: readonly Problem[] } {
	const timed = tagsOf(desired).filter(({ members }) => members?.windows !== undefined);
	const message = `its members have windows, and ${because}`;
	return {
		desired: withTimed(desired, ({ members: _, ...rest }) => rest),
		problems: timed.map(({ at, name }) => {
			return { ...at, path: printAddress("userTag", name), code: "time-not-certain", message };
		}),
	};
}

/** Returns the first moment after this time at which `desiredAt` gives something else; undefined if there is none. */
export function nextChangeAfter(desired: DesiredOrganization, timeMs: number): number | undefined {
	const moments = windowsOf(desired)
		.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])
		.filter((moment) => moment !== undefined && moment > timeMs);
	return moments.length === 0 ? undefined : Math.min(...(moments as number[]));
}

/** Whether a plan is past its `validUntil` at this time of the service, milliseconds since 1970. */
export function isPastValidity({ validUntil }: { readonly validUntil?: string }, timeMs: number): boolean {
	return validUntil !== undefined && timeMs >= Date.parse(validUntil);
}

/** Returns a time that is ISO 8601 in UTC as people write it: `2026-12-01 09:00 UTC`, with seconds where there are some. */
export function describeTime(iso: string): string {
	const seconds = iso.slice(16, 19);
	return `${iso.slice(0, 10)} ${iso.slice(11, 16)}${seconds === ":00" ? "" : seconds} UTC`;
}

export function isWithin(window: AccessWindow, timeMs: number): boolean {
	const { fromMs = timeMs } = window;
	return timeMs >= fromMs && !isExpired(window, timeMs);
}

/** Whether access by this window has ended at this time. */
export function isExpired({ untilMs = Number.POSITIVE_INFINITY }: AccessWindow, timeMs: number): boolean {
	return timeMs >= untilMs;
}

interface ExpiryOptions {
	/** The changes of a plan for this time: who is added, and who is removed because the user still has a tag. */
	readonly changes: readonly Change[];
	readonly timeMs: number;
	/** How far ahead to look, milliseconds. */
	readonly horizonMs: number;
}

/** Returns the windows that matter, in the order of moments: expired, not begun, granted, or with one within the horizon. */
export function findExpiries(desired: DesiredOrganization, options: ExpiryOptions): readonly Expiry[] {
	const found = tagsOf(desired).flatMap(({ name, members }) => {
		const address = printAddress("userTag", name);
		const change = options.changes.find((one) => one.address === address);
		const { addUserIds = [], removeUserIds = [] } = change?.kind === "userTag" ? change : {};
		const [added, removed] = [new Set(addUserIds), new Set(removeUserIds)];
		return (members?.windows ?? []).flatMap((window) => {
			const { userId } = window;
			// A pending activity can also add a user outside the window: the access has ended meanwhile.
			const isGranted = added.has(userId) && isWithin(window, options.timeMs);
			const state = isGranted ? "granted" : stateOf(window, added.has(userId) || removed.has(userId), options);
			if (state === undefined) return [];
			const momentMs = (state === "not-begun" ? window.fromMs : window.untilMs) ?? 0;
			return [{ momentMs, expiry: { address, userId, ...factsOf(window), state } }];
		});
	});
	const byMoment = found.sort(
		(left, right) =>
			left.momentMs - right.momentMs ||
			compareText(left.expiry.address, right.expiry.address) ||
			compareText(left.expiry.userId, right.expiry.userId),
	);
	return byMoment.map(({ expiry }) => expiry);
}

function stateOf(
	window: AccessWindow,
	isMoved: boolean,
	{ timeMs, horizonMs }: ExpiryOptions,
): Expiry["state"] | undefined {
	const { fromMs, untilMs } = window;
	if (isExpired(window, timeMs)) return isMoved ? "expired" : undefined;
	const isSoon = (moment = Number.POSITIVE_INFINITY) => moment - timeMs <= horizonMs && horizonMs > 0;
	if (!isWithin(window, timeMs)) return isMoved || isSoon(fromMs) ? "not-begun" : undefined;
	return isSoon(untilMs) ? "ends-soon" : undefined;
}

/** Returns the window as plans and comparisons show it. */
export function factsOf({ fromMs, untilMs, from, until, reason }: AccessWindow): WindowFacts {
	return {
		...(fromMs === undefined ? {} : { from: new Date(fromMs).toISOString() }),
		...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
		...(from === undefined || isUtc(from) ? {} : { fromWritten: from }),
		...(until === undefined || isUtc(until) ? {} : { untilWritten: until }),
		...defined({ reason }),
	};
}

function isUtc(written: string): boolean {
	return /(?:z|[+-]00:00| UTC)$/i.test(written);
}

export function windowsOf(desired: DesiredOrganization): readonly AccessWindow[] {
	return tagsOf(desired).flatMap(({ members }) => members?.windows ?? []);
}

function membersAt(members: DesiredMembers, windows: readonly AccessWindow[], timeMs: number): DesiredMembers {
	const begun = windows.filter((window) => isWithin(window, timeMs)).map(({ userId }) => userId);
	const others = windows.filter((window) => !isWithin(window, timeMs)).map(({ userId }) => userId);
	const listed = members.mode === "exactly" ? members.exactly : members.atLeast;
	const wanted = update(listed, begun, others);
	const never = update(members.never ?? [], others, begun);
	return members.mode === "exactly"
		? { mode: "exactly", exactly: wanted, never, windows }
		: { mode: "atLeast", atLeast: wanted, never, windows };
}

/** Returns the sorted list with these users in it, and without the others. */
function update(list: readonly string[], added: readonly string[], removed: readonly string[]): readonly string[] {
	const all = new Set([...list, ...added]);
	for (const userId of removed) all.delete(userId);
	return [...all].sort(compareText);
}
