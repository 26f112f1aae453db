/** `status`: pending activities, and requests in doubt. It submits nothing. */

import { exitCodes } from "../../common/errors.ts";
import { addressesOf } from "../../plan/activities/activity-objects.ts";
import type { PendingActivity } from "../../plan/activities/pending.ts";
import { type OpenActivities, type OpenActivity, resultHead, type StatusResult } from "../../render/result/result.ts";
import { reasonText } from "../../say/reason.ts";
import type { JournalSummary } from "../../sync/journal/journal.ts";
import type { PendingActivities } from "../../sync/read/pending-activities.ts";
import { viewJournal, withConnection } from "../connect.ts";
import type { Call } from "../output/output.ts";
import { namesFrom } from "./activity-names.ts";
import { type FoundDocument, findNamed, type OrganizationFlags } from "./selection.ts";

/** Returns what is pending in each organization. Exit 8 when something is, else 0. */
export async function status(call: Call<OrganizationFlags>): Promise<StatusResult> {
	const { flags, terminal } = call;
	const { readPendingActivities } = await import("../../sync/read/pending-activities.ts");
	const organizations = await findNamed(call);
	const ids = organizations.map(({ organizationId }) => organizationId);
	const journal = await viewJournal(ids, call);
	const open = await withConnection(call, async ({ client: { reader } }) => {
		const found: OpenActivities[] = [];
		for (const one of organizations) {
			const options = { reads: flags.reads, nowMs: terminal.now(), confirms: true };
			const pending = await readPendingActivities(one.organizationId, reader, journal, options);
			found.push(describeOpen(one, pending, journal));
		}
		return found;
	});
	const isPending = open.some(({ activities, unanswered }) => activities.length + unanswered.length > 0);
	return { ...resultHead("status", isPending ? exitCodes.pendingApproval : exitCodes.inSync, null), open };
}

function describeOpen(
	{ desired, ...named }: FoundDocument,
	{ activities, abandoned, unlisted }: PendingActivities,
	journal: JournalSummary,
): OpenActivities {
	const { organizationId } = named;
	const names = namesFrom(organizationId, desired, journal);
	const withCovers = (one: PendingActivity): OpenActivity => ({ ...one, covers: addressesOf(one, names) });
	// An activity without an id is a request of this journal without an answer.
	const inDoubt = new Set(activities.flatMap((one) => (one.activityId === null ? [one.fingerprint] : [])));
	return {
		...named,
		userNames: names.userNames,
		activities: activities.filter(({ activityId }) => activityId !== null).map(withCovers),
		abandoned: abandoned.map(withCovers),
		unanswered: journal
			.openEntries(organizationId)
			.filter(({ body }) => inDoubt.has(body.fingerprint))
			.map(({ body: { fingerprint, operation }, covers, sentAtMs }) => {
				return { fingerprint, operation: operation.name, covers, sentAt: new Date(sentAtMs).toISOString() };
			}),
		complete: unlisted === null,
		unlisted: unlisted && reasonText(unlisted),
	};
}
