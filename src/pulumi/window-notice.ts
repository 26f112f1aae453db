/** Whose access has ended or not begun: lines beside a resource, because the engine's diff does not show what the time means. */
import { showText } from "../escape.ts";
import { isExpired, isWithin, windowsOf } from "../plan/access-window.ts";
import type { AccessWindow, DesiredOrganization } from "../plan/organization.ts";
import type { Plan } from "../plan/plan.ts";
import type { MetaInputs } from "./inputs.ts";

/** Max lines of one resource; the rest is counted. */
const maxLines = 10;

/**
 * For example `signers: removes the member ID: expired 2026-12-01 00:00 UTC (migration)`, a line for each user outside their window
 * at this time, milliseconds since 1970. Secret members are counted.
 */
export function describeWindows(
	{ resource, secretInputs = [] }: Pick<MetaInputs, "resource" | "secretInputs">,
	desired: DesiredOrganization,
	{ changes }: Plan,
	timeMs: number,
): readonly string[] {
	const removed = new Set(changes.flatMap((change) => (change.kind === "userTag" ? change.removeUserIds : [])));
	const outside = windowsOf(desired).filter((window) => !isWithin(window, timeMs));
	const lines = secretInputs.includes("members")
		? countRemoved(outside.filter(({ userId }) => removed.has(userId)).length)
		: outside.map((window) => describe(window, removed.has(window.userId), timeMs));
	const shown = lines.length > maxLines + 1 ? lines.slice(0, maxLines) : lines;
	const more = lines.length - shown.length;
	return [...shown, ...(more === 0 ? [] : [`${more} more users are outside their window`])].map((line) =>
		showText(`${resource}: ${line}`),
	);
}

function countRemoved(count: number): readonly string[] {
	if (count === 0) return [];
	return [`removes ${count === 1 ? "1 member" : `${count} members`} outside the window`];
}

function describe(window: AccessWindow, isRemoved: boolean, timeMs: number): string {
	const { userId, fromMs = 0, untilMs = 0, reason } = window;
	const when = isExpired(window, timeMs) ? `expired ${showMoment(untilMs)}` : `begins ${showMoment(fromMs)}`;
	const effect = isRemoved ? "removes the member" : "does not add the member";
	return `${effect} ${userId}: ${when}${reason === undefined ? "" : ` (${reason})`}`;
}

/** For example `2026-12-01 00:00 UTC`; with seconds if there are any. */
function showMoment(ms: number): string {
	const [day, time = ""] = new Date(ms).toISOString().split("T");
	return `${day} ${time.replace(/(:00)?\.000Z$/, "").replace(/Z$/, "")} UTC`;
}
