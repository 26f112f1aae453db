/**
 * Pending activities as text: those of `status`, and what became of those of `wait`.
 */

import { listCovers, showText } from "../common/escape.ts";
import type { PendingActivity } from "../plan/activities/pending.ts";
import type { UserNames } from "../plan/users.ts";
import { sayPending } from "../say/activities.ts";
import { outcomeWords } from "../say/outcomes.ts";
import { phraseText } from "./print/text.ts";
import { showOrganization } from "./result/organization-name.ts";
import type { EndedActivity, OpenActivities, OpenActivity, StatusResult, WaitResult } from "./result/result.ts";
import { describeRequest } from "./sections/activity.ts";

export function renderStatus({ open }: StatusResult): string {
	return open.map(renderOpen).join("\n");
}

function renderOpen(open: OpenActivities): string {
	const { userNames, activities, abandoned, unanswered, unlisted } = open;
	const lines = [
		...activities.flatMap((activity) => renderActivity(activity, "", { userNames })),
		...unanswered.map(
			({ fingerprint, operation, covers, sentAt }) =>
				`  ${nameRequest({ operation, covers })}: in doubt: submitted ${sentAt}, no answer; fingerprint ${fingerprint}`,
		),
	];
	const nothing = unlisted === null ? "  nothing is pending" : "  nothing known to this journal is pending";
	return [
		`Organization ${showOrganization(open)}`,
		...(lines.length === 0 ? [nothing] : lines),
		...abandoned.flatMap((activity) =>
			renderActivity(activity, "abandoned, not counted, still pending: ", { userNames }),
		),
		...(unlisted === null ? [] : [`  activities submitted elsewhere are unknown: ${showText(unlisted)}`]),
		"",
	].join("\n");
}

/** Returns which activity it is, and below it what it changes. */
function renderActivity(activity: OpenActivity, mark: string, names: UserNames): readonly string[] {
	return [
		`  ${mark}${nameRequest(activity)}: ${phraseText(sayPending(activity, names))}`,
		...describeChange(activity, names).map((line) => `    ${line}`),
	];
}

/** Returns the operation and the objects that it changes. */
function nameRequest({ operation, covers }: Pick<OpenActivity, "covers"> & { readonly operation: string }): string {
	return covers.length === 0 ? operation : `${operation} of ${listCovers(covers)}`;
}

/** Max members that are listed one by one, in each direction. */
const maxMembers = 10;

/** Returns what the activity changes of its tag, and parameters that no operation has; its objects are in the line above. */
function describeChange({ operation, parameters }: PendingActivity, names: UserNames): readonly string[] {
	const lines = describeRequest({ operation, parameters, effect: null }, names).flatMap((row) => [
		...(row.sign === "!" ? [row] : []),
		...(row.rows ?? []),
	]);
	return [...Map.groupBy(lines, ({ sign }) => sign)].flatMap(([sign, same]) => {
		const shown = same.slice(0, maxMembers).map((line) => `${sign} ${phraseText(line.said)}`);
		return same.length <= maxMembers ? shown : [...shown, `${sign} ${same.length - maxMembers} more members`];
	});
}

export function renderWait({ activities, unlisted }: WaitResult): string {
	if (activities.length === 0) {
		return unlisted === null
			? "Nothing is pending.\n"
			: `Nothing known to this journal is pending. Activities submitted elsewhere are unknown: ${showText(unlisted)}.\n`;
	}
	return activities
		.map(({ outcome, message, ...activity }) => {
			const what = nameActivity(activity);
			const became = message === null ? outcomeWords[outcome] : `in doubt: ${message}`;
			return `${what}: ${became}\n`;
		})
		.join("");
}

/** Returns what an activity changes, and which one it is. */
export function nameActivity({
	activityId,
	fingerprint,
	operation,
	covers,
}: Pick<EndedActivity, "activityId" | "fingerprint" | "operation" | "covers">): string {
	const name = showText(activityId === null ? `fingerprint ${fingerprint ?? ""}` : `activity ${activityId}`);
	return operation === null ? name : `${nameRequest({ operation, covers })} (${name})`;
}
