/** Pending activities: those of `status`, and what became of those of `wait`. */

import { listCovers, showText } from "../../common/escape.ts";
import { groupBy } from "../../common/group-by.ts";
import type { PendingActivity } from "../../plan/activities/pending.ts";
import { showOrganization } from "../../plan/organization-name.ts";
import type { UserNames } from "../../plan/users.ts";
import { sayPending } from "../../say/activities.ts";
import { outcomeWords } from "../../say/outcomes.ts";
import { identifier, type Phrase, reason } from "../../say/phrase.ts";
import { type Row, type Section, section } from "../../say/section.ts";
import type { EndedActivity, OpenActivities, OpenActivity, WaitResult } from "../result/result.ts";
import { describeRequest } from "./activity.ts";

export function statusSection(open: OpenActivities): Section {
	const { userNames, activities, abandoned, unanswered, unlisted } = open;
	const rows = [
		...activities.map((activity) => activityRow(activity, "", { userNames })),
		...unanswered.map(
			({ fingerprint, sentAt, ...request }): Row => ({
				said: [
					...[identifier(nameRequest(request)), `: in doubt: submitted ${sentAt}, no answer; fingerprint `],
					identifier(fingerprint),
				],
			}),
		),
	];
	const nothing = unlisted === null ? "nothing is pending" : "nothing known to this journal is pending";
	const all = [
		...(rows.length === 0 ? [{ said: [nothing] }] : rows),
		...abandoned.map((activity) => activityRow(activity, "abandoned, not counted, still pending: ", { userNames })),
		...(unlisted === null ? [] : [{ said: ["activities submitted elsewhere are unknown: ", reason(unlisted)] }]),
	];
	return section("status", all, { lead: ["Organization ", reason(showOrganization(open))] });
}

/** Returns which activity it is, and below it what it changes. */
function activityRow(activity: OpenActivity, mark: string, names: UserNames): Row {
	return {
		said: [mark, identifier(nameRequest(activity)), ": ", ...sayPending(activity, names)],
		rows: describeChange(activity, names),
	};
}

function nameRequest({ operation, covers }: Pick<OpenActivity, "covers"> & { readonly operation: string }): string {
	return covers.length === 0 ? operation : `${operation} of ${listCovers(covers)}`;
}

const maxMembers = 10;

/** Returns what the activity changes of its tag, and parameters that no operation has; its objects are in the line above. */
function describeChange({ operation, parameters }: PendingActivity, names: UserNames): readonly Row[] {
	const lines = describeRequest({ operation, parameters, effect: null }, names).flatMap((row) => [
		...(row.sign === "!" ? [row] : []),
		// What a policy says is longer than a list: explain and approve show it.
		...(row.rows ?? []).filter(({ sign }) => sign !== undefined),
	]);
	return groupBy(lines, ({ sign }) => sign).flatMap((same) => {
		const more = same.length - maxMembers;
		return more <= 0 ? same : [...same.slice(0, maxMembers), { ...same[0], said: [`${more} more members`] }];
	});
}

export function waitSection({ activities, unlisted }: WaitResult): Section {
	const nothing: Phrase =
		unlisted === null
			? ["Nothing is pending."]
			: [
					"Nothing known to this journal is pending. Activities submitted elsewhere are unknown: ",
					reason(unlisted),
					".",
				];
	const rows = activities.map(
		({ outcome, message, ...activity }): Row => ({
			said: [
				identifier(nameActivity(activity)),
				...(message === null ? [`: ${outcomeWords[outcome]}`] : [": in doubt: ", reason(message)]),
			],
		}),
	);
	return section("status", rows.length === 0 ? [{ said: nothing }] : rows);
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
