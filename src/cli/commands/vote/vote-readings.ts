/** Reads the activities that `approve` and `reject` are to vote on, reviewed and chosen, before anything is asked or sent. */
import { defined } from "../../../common/defined.ts";
import { ConfigurationError, LiveProblemError, StalePlanError } from "../../../common/errors.ts";
import { describeTime, nextChangeAfter, windowsOf } from "../../../plan/access-window.ts";
import { type ChosenActivity, chooseVotes } from "../../../plan/activities/choose-votes.ts";
import type { ReturnedActivity, ReviewedActivity } from "../../../plan/activities/reviewed-activity.ts";
import { namesOfUsers, type Plan } from "../../../plan/plan.ts";
import type { OrganizationVotes, VotedActivity } from "../../../render/result/votes.ts";
import { maxListedActivities } from "../../../sync/read/list-activities.ts";
import {
	type ClockedReader,
	refuseUncertainTime,
	whyUncertainTime,
	withServiceClock,
} from "../../../sync/read/service-clock.ts";
import { type Review, reviewActivities } from "../../../sync/review.ts";
import { outcomeOfStatus } from "../../../sync/submit/outcomes.ts";
import {
	type ListedActivities,
	listEnded,
	listVotable,
	readReturnedActivity,
	votableStatuses,
} from "../../../sync/submit/returned-activity.ts";
import { hasVoted } from "../../../sync/submit/vote-once.ts";
import { endOfPrecision } from "../../../wire/activity.ts";
import type { OrganizationClient } from "../../../wire/client.ts";
import type { VoteName } from "../../../wire/operations.ts";
import type { Terminal } from "../../output/output.ts";
import type { OrganizationOrder } from "./vote-orders.ts";

export interface VoteReading {
	readonly order: OrganizationOrder;
	readonly client: OrganizationClient;
	readonly clocked: ClockedReader;
	readonly review: Review;
	/** By activity id, as the service returned them. */
	readonly returned: ReadonlyMap<string, ReturnedActivity>;
	/** What to show and to ask about. */
	readonly votes: OrganizationVotes;
	/** When the activities were read, milliseconds since 1970. */
	readonly readAtMs: number;
}

/** Reads, reviews and chooses. Throws what Reader.query throws, and ConfigurationError if activities cannot be listed. */
export async function readForVotes(
	order: OrganizationOrder,
	operation: VoteName,
	client: OrganizationClient,
	{ now }: Terminal,
): Promise<VoteReading> {
	const { organizationId, desired, plan, names } = order;
	const clocked = withServiceClock(client.reader, now);
	const readAtMs = now();
	const listed = await readActivities(order, clocked);
	const review = await reviewActivities(organizationId, listed.activities, clocked, {
		...{ desired, now, steps: plan?.steps ?? [], plannedExpiries: plan?.expiries ?? [] },
		publicKey: () => client.publicKey(),
	});
	if (operation === "approve_activity" && dependsOnTime(order)) {
		refuseUncertainTime("what may be approved depends on the time", whyUncertainTime(clocked));
	}
	if (review.identity.userId === null && review.identity.publicKey === null) refuseUnknownVoter();
	const returned = new Map(listed.activities.map((activity) => [activity.activityId, activity]));
	const { chosen, unmatched } = chooseVotes(
		review.activities.filter((activity) => !isOfEarlierChange(activity, order, review)),
		{ names, steps: plan?.steps ?? null, desired: review.desired },
		{
			live: review.live,
			createdIds: ({ activityId }) => returned.get(activityId)?.createdIds ?? [],
			isVotable: ({ status }) => votableStatuses.includes(status),
			hasVoted: ({ activityId }) => {
				const activity = returned.get(activityId);
				return activity !== undefined && hasVoted(activity, operation, review.identity, review.serviceNowMs);
			},
		},
	);
	const toVote = chosen.filter(({ decision }) => decision === "vote").map(({ activity }) => activity);
	const votes: OrganizationVotes = {
		organizationId,
		...defined({ organizationName: desired?.name }),
		...defined({ liveOrganizationName: review.organizationName }),
		userNames: desired === undefined ? (plan?.userNames ?? {}) : namesOfUsers(desired),
		...defined({ liveNames: review.liveNames }),
		voterId: review.identity.userId,
		activities: chosen.map(toVotedActivity),
		effect: operation === "approve_activity" ? review.planTogether(toVote) : null,
		missing: names.size > 0 ? [] : unmatched.filter((step) => !review.isDone(step)),
		unlisted: listed.isComplete ? null : "the service lists more pending activities than could be read",
	};
	return { order, client, clocked, review, returned, votes, readAtMs };
}

/** Whether windows of the document or of the saved plan decide what may be approved. */
function dependsOnTime({ desired, plan }: OrganizationOrder): boolean {
	return (desired !== undefined && windowsOf(desired).length > 0) || plan?.serviceTime !== undefined;
}

/** Whether the activity ended before the plan and was undone since, so that the step makes its change again. */
function isOfEarlierChange(
	activity: ReviewedActivity,
	{ plan, names }: OrganizationOrder,
	{ planTogether }: Review,
): boolean {
	const { activityId, createdAt, status } = activity;
	if (plan === null || names.has(activityId.toLowerCase()) || votableStatuses.includes(status)) return false;
	const isKnown = plan.steps.some(({ earlierActivity }) => earlierActivity?.activityId === activityId);
	// By the earlier of the two clocks that the plan was made by: in doubt, the activity can be that of a step.
	const plannedAtMs = Math.min(Date.parse(plan.readAt), Date.parse(plan.serviceTime ?? plan.readAt));
	const isEarlier = createdAt !== null && endOfPrecision(Date.parse(createdAt)) < plannedAtMs;
	return isEarlier && !isKnown && planTogether([activity]) !== null;
}

/** A vote of someone unknown could be their second. */
function refuseUnknownVoter(): never {
	throw new ConfigurationError("it is unknown whose vote it would be: the service does not say whose key it is", {
		hint: "allow the query whoami to this key, or use an API key",
	});
}

/** Returns the plans whose guards have to agree: of all activities together, and of each, which can complete first. */
export function plansToJudge({ order, votes, review }: VoteReading): readonly Plan[] {
	const toVote = votes.activities.filter(({ decision }) => decision === "vote").map(({ activity }) => activity);
	const groups: (readonly ReviewedActivity[])[] =
		toVote.length < 2 ? [toVote] : [toVote, ...toVote.map((one) => [one])];
	const plans = groups.map((some) => review.planTogether(some)).filter((plan) => plan !== null);
	// Without the document its limits and rules are not known: what they said of the saved plan is all there is.
	const stated = order.plan === null || order.desired !== undefined || toVote.length === 0 ? [] : [order.plan];
	return [...plans, ...stated];
}

function toVotedActivity(chosen: ChosenActivity): VotedActivity {
	const hasOutcome = chosen.decision === "ended" || chosen.decision === "voted";
	const outcome = hasOutcome ? outcomeOfStatus(chosen.activity.status) : null;
	return { ...chosen, outcome, isSent: false, message: null };
}

/** Throws StalePlanError, or LiveProblemError without a saved plan, if a window began or ended. `nowMs` is by our clock. */
export function refusePastWindows({ order: { plan, desired }, review, clocked }: VoteReading, nowMs: number): void {
	const moments = [
		...(plan?.validUntil === undefined ? [] : [Date.parse(plan.validUntil)]),
		...(desired === undefined ? [] : [nextChangeAfter(desired, review.serviceNowMs) ?? Number.POSITIVE_INFINITY]),
	];
	const untilMs = Math.min(...moments);
	if (nowMs + clocked.exactOffsetMs() < untilMs) return;
	const moment = describeTime(new Date(untilMs).toISOString());
	if (plan === null) {
		const message = `a window of the document began or ended at ${moment}, after the activities were reviewed; nothing was submitted`;
		throw new LiveProblemError(message, { hint: "run the command again" });
	}
	const because = `the plan was valid until ${moment}, when a window of the document begins or ends`;
	throw new StalePlanError([], [because], "plan again, and have the new plan reviewed");
}

type Activities = Pick<ListedActivities, "activities" | "isComplete">;

async function readActivities(
	{ organizationId, plan, names }: OrganizationOrder,
	clocked: ClockedReader,
): Promise<Activities> {
	const ids = [...names].filter((name) => !name.startsWith("sha256:"));
	const needsList = plan !== null || ids.length === 0 || ids.length < names.size;
	const pending = needsList ? await listOrRefuse(organizationId, clocked) : { activities: [], isComplete: true };
	if (!pending.isComplete && (plan !== null || names.size === 0)) refuseTruncated("pending", { plan });
	const ended = plan === null ? [] : await readEnded(plan, clocked);
	const found = new Map([...ended, ...pending.activities].map((one) => [one.activityId.toLowerCase(), one]));
	for (const id of ids.filter((one) => !found.has(one))) {
		const read = await readReturnedActivity(organizationId, id, clocked);
		if (read !== undefined) found.set(id, read.activity);
	}
	const activities: ReturnedActivity[] = [];
	for (const activity of found.values()) activities.push(await withRequest(activity, organizationId, clocked));
	return { activities: activities.sort(byPlace), isComplete: pending.isComplete };
}

async function listOrRefuse(organizationId: string, clocked: ClockedReader): Promise<Activities> {
	const listed = await listVotable(organizationId, clocked);
	if (listed !== undefined) return listed;
	throw new ConfigurationError("the service does not list activities to this key", {
		hint: "name activities by id: the submitter's apply prints them",
	});
}

/** Behind what a list does not show there can be an older equal activity, or the one that a step was done by. */
function refuseTruncated(which: "pending" | "ended", { plan }: Pick<OrganizationOrder, "plan">): never {
	const since = plan === null || which === "pending" ? "to its end" : `back to ${plan.readAt}, when the plan was made`;
	throw new LiveProblemError(`the list of ${which} activities could not be read ${since}; nothing was submitted`, {
		hint: `orgsync reads at most ${maxListedActivities} activities of a list; ${
			plan === null
				? "name activities by id to vote without it"
				: "name activities by id, without --plan, to vote without it"
		}`,
	});
}

/** Returns activities that have ended and can be those of steps: made since the plan, or known to it. */
async function readEnded(plan: Plan, clocked: ClockedReader): Promise<readonly ReturnedActivity[]> {
	const operations = new Set(plan.steps.map(({ operation }) => operation));
	const listed = await listEnded(plan.organizationId, [...operations], Date.parse(plan.readAt), clocked);
	const known = plan.steps.flatMap(({ earlierActivity }) => earlierActivity?.activityId ?? []);
	if (!listed.isComplete) refuseTruncated("ended", { plan });
	const others = known.filter((id) => !listed.activities.some(({ activityId }) => activityId === id));
	const read: ReturnedActivity[] = [];
	for (const id of others) {
		const found = await readReturnedActivity(plan.organizationId, id, clocked);
		if (found !== undefined && !votableStatuses.includes(found.activity.status)) read.push(found.activity);
	}
	return [...listed.activities, ...read];
}

/** Returns the activity with the votes that a list may leave out. */
async function withRequest(
	activity: ReturnedActivity,
	organizationId: string,
	clocked: ClockedReader,
): Promise<ReturnedActivity> {
	if (activity.operation === null || activity.votes.some(({ message }) => message !== null)) return activity;
	const read = await readReturnedActivity(organizationId, activity.activityId, clocked);
	return read?.activity.fingerprint === activity.fingerprint ? read.activity : activity;
}

/** Completed activities take their steps first, then pending ones, then the others; of each the oldest. */
function byPlace(left: ReturnedActivity, right: ReturnedActivity): number {
	return placeOf(left) - placeOf(right) || (left.createdAtMs ?? 0) - (right.createdAtMs ?? 0);
}

function placeOf({ status }: ReturnedActivity): number {
	if (status === "ACTIVITY_STATUS_COMPLETED") return 0;
	return status === "ACTIVITY_STATUS_REJECTED" ? 2 : 1;
}
