/**
 * Pending, doubtful and rejected activities in words, the same in every format.
 */

import { quoteForShell, showAddress, showName, showText } from "../common/escape.ts";
import { textOf } from "../common/said.ts";
import { nameOf, type PendingActivity, type RelatedActivity, settleOrAbandon } from "../plan/activities/pending.ts";
import type { Plan } from "../plan/plan.ts";
import { showIfUser, showSaidUser } from "../plan/user-labels.ts";
import type { UserNames } from "../plan/users.ts";
import { reason, type Span } from "../say/phrase.ts";
import { renderUnder, type Style } from "./style.ts";

export const waitingHeadings = {
	waiting: "Pending activities",
	inDoubt: "Requests in doubt",
	rejected: "Rejected activities",
} as const;

/** The activities of a plan by what each needs of a person: a decision, a look, or `--retry-rejected`. */
export const waitingGroups = ["waiting", "inDoubt", "rejected"] as const;

/** A Map, because a status can be any word, `constructor` included. */
const statusWords: ReadonlyMap<string, string> = new Map([
	["ACTIVITY_STATUS_COMPLETED", "is completed"],
	["ACTIVITY_STATUS_CONSENSUS_NEEDED", "is pending approval"],
	["ACTIVITY_STATUS_AUTHENTICATORS_NEEDED", "is waiting for an authenticator"],
	["ACTIVITY_STATUS_REJECTED", "was rejected"],
	["ACTIVITY_STATUS_FAILED", "failed"],
	["ACTIVITY_STATUS_CREATED", "has not started"],
	["ACTIVITY_STATUS_PENDING", "is in progress"],
]);

/** Returns the status of an activity as a phrase; one that orgsync does not know by its name, escaped. */
export function describeStatus(status: string): string {
	return statusWords.get(status) ?? `has the status ${showName(status)}`;
}

/** Returns the same as a part of a phrase. */
export function statusPart(status: string): Span {
	return statusWords.get(status) ?? reason(describeStatus(status));
}

/** Returns one line: what the activity is waiting for, since when, and who approved it; of one in doubt, when it was sent. */
export function renderPendingActivity(activity: PendingActivity, names: UserNames): string {
	const { activityId, createdAt, approvedBy, liveNames, saidBy } = activity;
	const id = showName(activityId ?? "");
	const fingerprint = `fingerprint ${showName(activity.fingerprint)}`;
	if (activity.state === "rejected") {
		return `activity ${id}${createdAt === null ? "" : `, submitted ${createdAt},`} was rejected; ${fingerprint}`;
	}
	if (activity.state === "in-doubt") {
		const sent = createdAt === null ? "submitted" : `submitted ${createdAt}`;
		const answer = activityId === null ? "without an answer" : `as activity ${id}, which has an unknown status`;
		return `${sent} ${answer}; ${fingerprint}`;
	}
	const state = describeStatus(activity.status);
	const since = createdAt === null ? "" : ` since ${createdAt}`;
	const approvers = (approvedBy ?? []).map((userId) => showSaidUser(userId, names, liveNames));
	const votes = approvers.length === 0 ? "" : `, approved by ${approvers.join(", ")}`;
	const source = saidBy === "journal" ? ", as last known" : "";
	return `activity ${id} ${state}${since}${votes}${source}; ${fingerprint}`;
}

export function renderWaiting(plan: Plan, style: Style): readonly string[] {
	const sorted = sortWaiting(plan);
	return waitingGroups.flatMap((group) => {
		const lines = sorted[group].flatMap((activity) => [
			describeWaiting(activity, plan).join(": "),
			...describeWaitingEffect(activity).map((line) => `  ${line}`),
		]);
		return renderUnder(style.warn(`${waitingHeadings[group]}:`), lines);
	});
}

export function sortWaiting({
	waiting,
}: Pick<Plan, "waiting">): Readonly<Record<(typeof waitingGroups)[number], readonly RelatedActivity[]>> {
	return {
		waiting: waiting.filter(({ state }) => state === "pending"),
		inDoubt: waiting.filter(({ state }) => state === "in-doubt"),
		rejected: waiting.filter(({ state }) => state === "rejected"),
	};
}

/** Returns which activity it is; of one in doubt, first what it would do, since the service cannot show it. */
export function describeWaiting(activity: RelatedActivity, names: UserNames): readonly string[] {
	const state = renderPendingActivity(activity, names);
	if (activity.state !== "in-doubt") return [state];
	return [`${activity.operation} (${describeParameters(activity, names)})`, state];
}

/** Returns what it means for this plan, and what to do about one in doubt. `what` is what it covers, escaped. */
export function describeWaitingEffect(
	activity: RelatedActivity,
	what: string = activity.covers.map(({ address }) => showAddress(address)).join(", "),
): readonly string[] {
	const { state, relation } = activity;
	const name = nameOf(activity);
	if (relation === "rejected") return [`changes ${what}: apply submits it again only with --retry-rejected`];
	if (state === "in-doubt")
		return [`it can still change ${what}: apply does not touch that`, showText(textOf(settleOrAbandon(name)))];
	return [
		relation === "same"
			? `makes the desired change of ${what}: apply joins it and submits nothing`
			: `conflicts with the desired change of ${what}: apply waits until it ends; to override: --abandon ${showText(quoteForShell(name))}`,
	];
}

/** Returns the parameters that are not empty, users by name. */
function describeParameters({ parameters }: RelatedActivity, names: UserNames): string {
	return Object.entries(parameters)
		.map(([key, value]) => [key, Array.isArray(value) ? value : [value]] as const)
		.filter(([, values]) => values.length > 0)
		.map(([key, values]) => `${showText(key)} ${values.map((value) => showIfUser(String(value), names)).join(", ")}`)
		.join("; ");
}
