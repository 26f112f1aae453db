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
import { type DesiredOrganization, emptyLastApplied, type LiveOrganization, tagsOf } from "../plan/organization.ts";
import { namesOfUsers, type Plan, type PlanContext } from "../plan/plan.ts";
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

export interface Review {
	readonly activities: readonly ReviewedActivity[];
	readonly identity: VoterIdentity;
	readonly live: LiveOrganization;
	/** The document as it is at that time; undefined without one. */
	readonly desired: DesiredOrganization | undefined;
	/** Whether live has all that a step would change. */
	readonly isDone: (step: Step) => boolean;
	/** By the service's clock, milliseconds since 1970. */
	readonly serviceNowMs: number;
	readonly organizationName: string | undefined;
	/** Live names of the users that the activities name; undefined where users were not read. */
	readonly liveNames: Readonly<Record<string, string>> | undefined;
	/** Returns an activity that was read again as it is now. */
	readonly reviewAgain: (activity: ReturnedActivity, serviceNowMs: number) => ReviewedActivity;
	/** Returns the plan of what some of them would really change together; null if that is nothing. */
	readonly planTogether: (some: readonly ReviewedActivity[]) => Plan | null;
}

/** Reviews activities that were read a moment ago. Throws what readLive throws. */
export async function reviewActivities(
	organizationId: string,
	returned: readonly ReturnedActivity[],
	clocked: ClockedReader,
	{ desired: document, steps, plannedExpiries = [], now, publicKey }: ReviewOptions,
): Promise<Review> {
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
	return {
		activities: plain.map((activity) => ({ ...activity, effect: planActivity(activity, effectContext) })),
		identity: {
			userId: submitter.known ? submitter.value.userId : null,
			publicKey: publicKey()?.toLowerCase() ?? null,
		},
		...{ live, desired, serviceNowMs, organizationName },
		isDone: (step) => isDone(step, effectContext),
		liveNames: liveNamesFor(mentioned, userNames, users),
		reviewAgain: (activity, nowMs) => {
			const again = reviewActivity(activity, { organizationId, nowMs });
			return { ...again, effect: planActivity(again, effectContext) };
		},
		planTogether: (some) => planActivities(organizationId, some, effectContext),
	};
}
