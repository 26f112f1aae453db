/** `wait`: reads pending activities until they have ended, and shows what happens meanwhile. It submits nothing. */
import { ConfigurationError, combineExitCodes, exitCodes } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { uuid } from "../../common/uuid.ts";
import { addressesOf, type ObjectNames } from "../../plan/activities/activity-objects.ts";
import type { PendingActivity } from "../../plan/activities/pending.ts";
import { commandText } from "../../plan/suggested-command.ts";
import { resultHead, type WaitResult } from "../../render/result/result.ts";
import { reasonText } from "../../say/reason.ts";
import { isOpen, type JournalEntry, knownOutcome } from "../../sync/journal/journal.ts";
import { readAgain } from "../../sync/read/read-again.ts";
import { isPendingOutcome, outcomeOfStatus } from "../../sync/submit/outcomes.ts";
import { readAnyActivity } from "../../wire/activity.ts";
import { writeOfType, writes } from "../../wire/operations.ts";
import { parametersOf } from "../../wire/request-body.ts";
import { withConnection, withJournal } from "../connect.ts";
import { outcomeExitCodes } from "../output/failure.ts";
import type { Call } from "../output/output.ts";
import { namesFrom } from "./activity-names.ts";
import { type FoundDocument, findNamed } from "./selection.ts";
import { pollUntilEnded, type WaitFlags, type WaitRun, type Watched } from "./wait-rounds.ts";

/** What is in doubt can still be read. */
const exitCodeOf = { ...outcomeExitCodes, unknown: exitCodes.pendingApproval };

/** Reads again until every activity that is pending in the organizations, or each that is named, has ended. */
export async function wait(activityIds: readonly string[], call: Call<WaitFlags>): Promise<WaitResult> {
	const organizations = await findNamed(call);
	return withConnection(call, ({ client }) =>
		withJournal(call, async (journal) => {
			const run: WaitRun = { ...call, journal, reader: client.reader };
			const { watched, unlisted } = await findWatched(organizations, activityIds, run);
			const ended = await pollUntilEnded(watched, run);
			return {
				...resultHead("wait", combineExitCodes(ended.map(({ outcome }) => exitCodeOf[outcome])), null),
				activities: ended.map((one) => {
					const { activityId, fingerprint, operation, covers, outcome, events } = one;
					const message = explainDoubt(one, call.flags.reads);
					return { activityId, fingerprint, operation, covers, outcome, message, events };
				}),
				unlisted: unlisted[0] ?? null,
			};
		}),
	);
}

/** Returns all activities that are pending or in doubt, or those with these ids. Throws ConfigurationError for an unknown id. */
async function findWatched(organizations: readonly FoundDocument[], activityIds: readonly string[], run: WaitRun) {
	const { readPendingActivities } = await import("../../sync/read/pending-activities.ts");
	const { journal, reader, terminal, flags } = run;
	const all: Watched[] = [];
	const unlisted: string[] = [];
	const names = new Map<string, ObjectNames>();
	for (const { organizationId, desired } of organizations) {
		const own = journal.openEntries(organizationId);
		// An entry that ends while this waits is not among the open ones any more.
		const namesHere = namesFrom(organizationId, desired, journal);
		names.set(organizationId, namesHere);
		const others = { openEntries: () => [], abandonedNames: (id: string) => journal.abandonedNames(id) };
		const options = { reads: flags.reads, nowMs: terminal.now(), confirms: true };
		const listed = await readPendingActivities(organizationId, reader, others, options);
		if (listed.unlisted !== null) unlisted.push(reasonText(listed.unlisted));
		const byFingerprint = new Map(listed.activities.map((activity) => [activity.fingerprint, activity]));
		all.push(...own.map((entry) => watchEntry(entry, namesHere, byFingerprint.get(entry.body.fingerprint))));
		const ownFingerprints = new Set(own.map(({ body }) => body.fingerprint));
		for (const activity of listed.activities) {
			if (!ownFingerprints.has(activity.fingerprint)) all.push(watchListed(organizationId, activity, namesHere));
		}
	}
	if (activityIds.length === 0) return { watched: all, unlisted };
	const watched: Watched[] = [];
	for (const id of activityIds) {
		const known = all.find((one) => one.activityId?.toLowerCase() === id.toLowerCase() || one.fingerprint === id);
		watched.push(known ?? (await findEnded(id, names, run)));
	}
	return { watched, unlisted: [] };
}

/** Returns an entry of the journal. It need not be read again if the service has just listed it as the journal knows it. */
function watchEntry(entry: JournalEntry, names: ObjectNames, listed: PendingActivity | undefined): Watched {
	const { body, activityId } = entry;
	const { organizationId, fingerprint, operation } = body;
	const outcome = knownOutcome(entry);
	const seen = seenOf(listed);
	return {
		...{ organizationId, activityId, fingerprint, outcome, events: [], userNames: names.userNames },
		operation: operation.name,
		type: operation.type,
		covers: addressesOf({ operation: operation.name, parameters: parametersOf(body) }, names),
		isOurs: true,
		isRead: seen !== null && seen.id === activityId && outcomeOfStatus(seen.status) === outcome && isOpen(entry),
		seen,
	};
}

function watchListed(organizationId: string, activity: PendingActivity, names: ObjectNames): Watched {
	const { activityId, fingerprint, operation } = activity;
	const seen = seenOf(activity);
	return {
		...{ organizationId, activityId, fingerprint, operation, events: [], userNames: names.userNames },
		type: writes[operation].type,
		covers: addressesOf(activity, names),
		isOurs: false,
		outcome: seen === null ? "unknown" : outcomeOfStatus(seen.status),
		isRead: seen !== null,
		seen,
	};
}

/** Returns a listed activity as it was read; null for one that was not listed. */
function seenOf(activity: PendingActivity | undefined): Watched["seen"] {
	if (activity === undefined || activity.activityId === null || activity.state === "in-doubt") return null;
	const { approvedBy, liveNames = {} } = activity;
	const votes = (approvedBy ?? []).map((userId) => {
		return { userId, userName: liveNames[userId.toLowerCase()], selection: "VOTE_SELECTION_APPROVED" };
	});
	return { id: activity.activityId, status: activity.status, votes };
}

/** Returns an activity that is not listed as pending, because it may have ended. Throws ConfigurationError when it is unknown. */
async function findEnded(activityId: string, names: ReadonlyMap<string, ObjectNames>, run: WaitRun): Promise<Watched> {
	for (const [organizationId, namesHere] of run.flags.reads === "auto" ? names : []) {
		// The service would reject what is no id, such as a fingerprint.
		if (!uuid.test(activityId)) continue;
		const found = await readAgain(organizationId, [{ activityId, type: null }], run.reader);
		const record = found.get(activityId.toLowerCase());
		if (record === undefined) continue;
		const activity = readAnyActivity(record);
		const operation = writeOfType(activity.type);
		const parameters = activity.intent ?? {};
		return {
			...{ organizationId, activityId, fingerprint: null, events: [], userNames: namesHere.userNames },
			operation: operation?.name ?? null,
			type: operation?.type ?? null,
			covers: operation === undefined ? [] : addressesOf({ operation: operation.name, parameters }, namesHere),
			isOurs: false,
			outcome: outcomeOfStatus(activity.status),
			isRead: true,
			seen: activity,
		};
	}
	const message = `activity ${showText(activityId)} not found: neither this journal nor the service has it`;
	throw new ConfigurationError(message, {
		hint: `\`${commandText({ command: "status" }, run.flags)}\` lists pending activities`,
	});
}

/** Returns why the outcome is in doubt; null when it is known. */
function explainDoubt({ outcome, isRead, activityId }: Watched, reads: WaitFlags["reads"]): string | null {
	if (isRead) return outcome === "unknown" ? "it has a status that orgsync does not know" : null;
	const last = isPendingOutcome(outcome)
		? "it was pending when it was last read"
		: activityId === null
			? "it is in doubt"
			: "its outcome was never read";
	const why =
		reads === "documented"
			? "the documented queries do not show activities"
			: "the service does not show it to this key";
	return `${last}, and ${why}; apply submits the same request again and finds out`;
}
