/**
 * Pending activities as text: those of `status`, and what became of those of `wait`.
 */
import { showText } from "../escape.ts";
import type { OpenActivities, StatusResult, WaitResult } from "./result.ts";
import { renderPendingActivity } from "./waiting-text.ts";

export function renderStatus({ open }: StatusResult): string {
	return open.map(renderOpen).join("\n");
}

function renderOpen(open: OpenActivities): string {
	const { organizationId, userNames, activities, abandoned, unanswered, unlisted } = open;
	const lines = [
		...activities.map((activity) => `  ${activity.operation}: ${renderPendingActivity(activity, { userNames })}`),
		...unanswered.map(
			({ fingerprint, operation, covers, sentAt }) =>
				`  ${operation}: in doubt, submitted ${sentAt} without an answer, for ${showText(covers.join(", "))}; fingerprint ${fingerprint}`,
		),
	];
	const nothing = unlisted === null ? "  nothing is pending" : "  nothing known to this journal is pending";
	return [
		`Organization ${showText(organizationId)}`,
		...(lines.length === 0 ? [nothing] : lines),
		...abandoned.map(
			(activity) =>
				`  abandoned, not counted, still pending: ${activity.operation}: ${renderPendingActivity(activity, { userNames })}`,
		),
		...(unlisted === null ? [] : [`  activities submitted elsewhere are unknown: ${showText(unlisted)}`]),
		"",
	].join("\n");
}

export function renderWait({ activities, unlisted }: WaitResult): string {
	if (activities.length === 0) {
		return unlisted === null
			? "Nothing is pending.\n"
			: `Nothing known to this journal is pending. Activities submitted elsewhere are unknown: ${showText(unlisted)}.\n`;
	}
	return activities
		.map(({ activityId, fingerprint, outcome, message }) => {
			const became = message === null ? outcome.replaceAll("-", " ") : `in doubt: ${message}`;
			return `${showText(activityId ?? fingerprint ?? "")}: ${became}\n`;
		})
		.join("");
}
