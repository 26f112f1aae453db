/** Whose access has ended or not begun: lines beside a resource, because the engine's diff does not show what the time means. */
import { showText } from "../../common/escape.ts";
import { factsOf, isExpired, isWithin, windowsOf } from "../../plan/access-window.ts";
import type { AccessWindow, DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { describeMemberWindow } from "../../render/expiry-words.ts";
import { phraseText } from "../../render/print/text.ts";
import type { MetaInputs } from "../inputs/inputs.ts";

/** Max lines of one resource; the rest is counted. */
const maxLines = 10;

/**
 * For example `signers: removes the member ID: access expired 2026-12-01 00:00 UTC, reason "audit"`, a line for each user outside
 * their window at this time, milliseconds since 1970. Secret members are counted.
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
	const { userId } = window;
	const state = isExpired(window, timeMs) ? "expired" : "not-begun";
	const why = phraseText(describeMemberWindow({ address: "", userId, ...factsOf(window), state }));
	return `${isRemoved ? "removes the member" : "does not add the member"} ${userId}: ${why}`;
}
