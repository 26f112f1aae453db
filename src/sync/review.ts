/** Reads what a person needs to review pending activities. This file has no Voter: it sends nothing. */

import { defined } from "../common/defined.ts";
import { desiredAt, type Expiry } from "../plan/access-window.ts";
import {
	isDone,
	objectsToRead,
	planActivities,
	planActivity,
	withObjects,
} from "../plan/activities/activity-effect.ts";
import { type ReturnedActivity, type ReviewedActivity, reviewActivity } from "../plan/activities/reviewed-activity.ts";
import { type DesiredOrganization, emptyLastApplied, tagsOf } from "../plan/organization.ts";
import { namesOfUsers, type PlanContext } from "../plan/plan.ts";
import type { Step } from "../plan/step.ts";
import { liveNamesFor } from "../plan/users.ts";
import { textsIn } from "../plan/value.ts";
import type { Reader } from "../wire/client.ts";
import { awaitAll } from "./read/live-queries.ts";
import { readLive, timeQueries } from "./read/read.ts";
import {
	accessAtKnownTime,
	askOnce,
	readNamedAccess,
	readOrganizationName,
	readSubmitter,
} from "./read/read-access.ts";
import { type ClockedReader, whyUncertainTime } from "./read/service-clock.ts";
import type { VoterIdentity } from "./submit/vote-once.ts";

export interface ReviewOptions {
	/** The document; undefined without one. */
	readonly desired: DesiredOrganization | undefined;
	/** Steps of a saved plan, whose objects are read as well. */
	readonly steps: readonly Step[];
	/** The windows of a saved plan, for where there is no document. */
	readonly plannedExpiries?: readonly Expiry[];
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Returns the public key that stamps the requests, once one was made. */
	readonly publicKey: () => string | undefined;
}

export type Review = Awaited<ReturnType<typeof reviewActivities>>;

/** Reviews activities that were read a moment ago. Throws what readLive throws. */
export async function reviewActivities(
	organizationId: string,
	returned: readonly ReturnedActivity[],
	clocked: ClockedReader,
	{ desired: document, steps, plannedExpiries = [], now, publicKey }: ReviewOptions,
) {
	const reader: Reader = askOnce(clocked);
	const { query } = timeQueries(organizationId, reader, now);
	const serviceNowMs = clocked.serviceTimeMs() ?? now();
	const desired = document && desiredAt(document, serviceNowMs);
	const plain = returned.map((activity) => reviewActivity(activity, { organizationId, nowMs: serviceNowMs }));
	const objects = objectsToRead([...plain.filter(({ mistakes }) => mistakes.length === 0), ...steps]);
	const isEmpty = objects.length === 0;
	const wanted = withObjects(organizationId, desired, [...objects, ...(desired === undefined ? [] : tagsOf(desired))]);
	const [{ live }, named, submitter, organizationName] = await awaitAll([
		readLive(isEmpty ? withObjects(organizationId, undefined, []) : wanted, reader, emptyLastApplied, "auto"),
		isEmpty ? undefined : readNamedAccess(query),
		readSubmitter(query, { publicKey }),
		readOrganizationName(query, organizationId),
	] as const);
	const caller = submitter.known ? ({ known: true, value: submitter.value.userId } as const) : submitter;
	const context: PlanContext = {
		...{ reads: "auto", readAtMs: now(), serviceTimeMs: serviceNowMs, caller, submitter },
		...named,
		...(named && { access: accessAtKnownTime(named.access, whyUncertainTime(clocked)) }),
		...defined({ liveOrganizationName: organizationName }),
	};
	const effectContext = { desired, plannedExpiries, live, context };
	const users = live.users.known ? live.users : (context.userNames ?? live.users);
	const userNames = namesOfUsers(desired);
	const mentioned = textsIn(plain.map(({ parameters, votes }) => [parameters, votes.map(({ userId }) => userId)]));
	const identity: VoterIdentity = {
		userId: submitter.known ? submitter.value.userId : null,
		publicKey: publicKey()?.toLowerCase() ?? null,
	};
	const withEffect = (activity: Omit<ReviewedActivity, "effect">): ReviewedActivity => ({
		...activity,
		effect: planActivity(activity, effectContext),
	});
	return {
		activities: plain.map(withEffect),
		identity,
		live,
		/** The document as it is at that time; undefined without one. */
		desired,
		/** By the service's clock, milliseconds since 1970. */
		serviceNowMs,
		organizationName,
		/** Whether live has all that a step would change. */
		isDone: (step: Step): boolean => isDone(step, effectContext),
		/** Live names of the users that the activities name; undefined where users were not read. */
		liveNames: liveNamesFor(mentioned, userNames, users),
		/** Returns an activity that was read again as it is now. */
		reviewAgain: (activity: ReturnedActivity, nowMs: number) =>
			withEffect(reviewActivity(activity, { organizationId, nowMs })),
		/** Returns the plan of what some of them would really change together; null if that is nothing. */
		planTogether: (some: readonly ReviewedActivity[]) => planActivities(organizationId, some, effectContext),
	};
}
