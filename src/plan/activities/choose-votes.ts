/** Chooses on which pending activities to vote: the named ones, those of a saved plan, or those that the document wants. Pure. */

import { uuid } from "../../common/uuid.ts";
import type { DesiredOrganization, LiveOrganization } from "../organization.ts";
import { fillStandIns } from "../stand-in.ts";
import type { Step } from "../step.ts";
import { findDisagreements, findNamesTaken } from "./agreement.ts";
import { matchSteps, type PlanMatches } from "./match-plan.ts";
import { sameParameters } from "./requests.ts";
import type { Disagreement, ReviewedActivity } from "./reviewed-activity.ts";

export interface VoteOrder {
	/** Ids and fingerprints in lower case; empty: all pending activities. */
	readonly names: ReadonlySet<string>;
	/** The steps of the saved plan for this organization; null without a saved plan. */
	readonly steps: readonly Step[] | null;
	/** The document as it is at the service's time; undefined without one. */
	readonly desired: DesiredOrganization | undefined;
}

export interface VoteFacts {
	readonly live: LiveOrganization;
	readonly isVotable: (activity: ReviewedActivity) => boolean;
	/** Whether a vote of this user counts. */
	readonly hasVoted: (activity: ReviewedActivity) => boolean;
	/** Returns the ids of what it created; none before it completed. */
	readonly createdIds: (activity: ReviewedActivity) => readonly string[];
}

/** What is decided about one activity. */
export interface ChosenActivity {
	readonly activity: ReviewedActivity;
	/** Whether its id or fingerprint is on the command line. */
	readonly isNamed: boolean;
	/** `vote`: to vote on. `voted`: a vote of this user counts already. `refused`: the reasons are below. `ended`: it is not pending. */
	readonly decision: "vote" | "voted" | "refused" | "ended";
	/** With `--plan`: the step that it equals; null when it equals none. */
	readonly stepId: string | null;
	/** Where it differs from the document, or from the saved plan; these refuse it unless it is named (a saved plan always does). */
	readonly disagreements: readonly Disagreement[];
}

export interface Choice {
	readonly chosen: readonly ChosenActivity[];
	/** Steps of the saved plan that no activity equals. */
	readonly unmatched: readonly Step[];
}

/** Returns what is decided about each of these activities, the oldest first; of those that are not named, only pending ones. */
export function chooseVotes(activities: readonly ReviewedActivity[], order: VoteOrder, facts: VoteFacts): Choice {
	const reviewable = activities.filter(({ mistakes }) => mistakes.length === 0);
	const matches = order.steps === null ? null : matchSteps(withCreatedIds(order.steps, reviewable, facts), reviewable);
	const isShown = (activity: ReviewedActivity): boolean =>
		order.names.size > 0
			? isNamed(activity, order)
			: facts.isVotable(activity) || typeof matches?.byActivity.get(activity.activityId)?.stepId === "string";
	const chosen = activities.filter(isShown).map((activity) => chooseOne(activity, matches, order, facts));
	return { chosen: order.steps === null ? refuseRepeats(chosen) : chosen, unmatched: matches?.unmatched ?? [] };
}

/** Returns the steps with the ids of the tags that their own activities created, in place of stand-ins. */
function withCreatedIds(
	steps: readonly Step[],
	activities: readonly ReviewedActivity[],
	{ createdIds }: Pick<VoteFacts, "createdIds">,
): readonly Step[] {
	const creating = steps.filter(({ operation }) => operation === "create_user_tag");
	const { byActivity } = matchSteps(creating, activities);
	const ids = new Map(
		activities.flatMap((activity): readonly (readonly [string, string])[] => {
			const step = creating.find(({ id }) => id === byActivity.get(activity.activityId)?.stepId);
			const [standIn, [id]] = [step?.covers[0]?.id, createdIds(activity)];
			return standIn === undefined || id === undefined || !uuid.test(id) ? [] : [[standIn, id]];
		}),
	);
	return steps.map((step) => ({ ...step, parameters: fillStandIns(step.parameters, ids) }) as Step);
}

/** Refuses an activity that no one named and that does what an older one does: it would change nothing, or fail. */
function refuseRepeats(chosen: readonly ChosenActivity[]): readonly ChosenActivity[] {
	return chosen.map((one, index) => {
		if (one.isNamed || one.decision !== "vote") return one;
		const older = chosen.slice(0, index).find((other) => other.decision !== "refused" && isEqual(other, one));
		if (older === undefined) return one;
		const { activityId } = older.activity;
		return { ...one, decision: "refused", disagreements: [{ code: "duplicate", stepId: null, activityId }] };
	});
}

function isEqual({ activity: one }: ChosenActivity, { activity: other }: ChosenActivity): boolean {
	return one.operation === other.operation && sameParameters(one.parameters, other.parameters);
}

function isNamed({ activityId, fingerprint }: ReviewedActivity, { names }: VoteOrder): boolean {
	return names.has(activityId.toLowerCase()) || names.has(fingerprint.toLowerCase());
}

function chooseOne(
	activity: ReviewedActivity,
	matches: PlanMatches | null,
	order: VoteOrder,
	{ live, isVotable, hasVoted }: VoteFacts,
): ChosenActivity {
	const named = isNamed(activity, order);
	const match = matches?.byActivity.get(activity.activityId);
	const disagreements =
		activity.mistakes.length > 0
			? []
			: match !== undefined
				? [match.disagreement].filter((one) => one !== null)
				: order.desired === undefined
					? findNamesTaken(activity, live)
					: findDisagreements(activity, order.desired, live);
	const common = { activity, isNamed: named, stepId: match?.stepId ?? null, disagreements };
	// A saved plan refuses what it does not have, also where it is named.
	const isRefused = disagreements.length > 0 && (matches !== null || !named);
	if (!isVotable(activity)) return { ...common, decision: "ended" };
	if (activity.mistakes.length > 0 || isRefused) return { ...common, decision: "refused" };
	return { ...common, decision: hasVoted(activity) ? "voted" : "vote" };
}
