/** Reads the users and user tags of one organization, and the time, before a document is edited. */

import type { Reads } from "../../plan/plan.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, queries } from "../../wire/operations.ts";
import { toUserNames, toUserTags } from "./live-objects.ts";
import { awaitAll, queryIfAvailable } from "./live-queries.ts";
import { notRead, timeQueries } from "./read.ts";
import { whyUncertainTime, withServiceClock } from "./service-clock.ts";

export type MemberReading = Awaited<ReturnType<typeof readMembers>>;

/** Returns them by two queries, or by one with documented reads. Throws what Reader.query throws if tags cannot be listed. */
export async function readMembers(
	organizationId: string,
	reader: Reader,
	{ reads, now }: { readonly reads: Reads; readonly now: () => number },
) {
	const startedAtMs = now();
	const clocked = withServiceClock(reader, now);
	const { query } = timeQueries(organizationId, clocked);
	const [tags, users] = await awaitAll([
		query(queries.list_user_tags),
		reads === "auto" ? queryIfAvailable(query, extendedReads.list_users) : notRead(reads),
	] as const);
	return {
		/** Members are unknown without the extended reads. */
		userTags: toUserTags(tags, users),
		userNames: toUserNames(users),
		/** Milliseconds since 1970: the service's time, or ours by `now` if the service does not say. */
		timeMs: clocked.serviceTimeMs() ?? startedAtMs,
		/** Why that is not certain; undefined where it is. */
		timeUncertain: whyUncertainTime(clocked),
	};
}
