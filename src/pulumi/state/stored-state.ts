/**
 * What a resource stores in Pulumi's state besides its inputs: activities that have not ended, with their request bodies,
 * and what was last applied. With it, a machine without the journal continues where another one stopped.
 *
 * It stores bodies and fingerprints, never a key, a stamp or a bundle.
 */
import type { LastApplied } from "../../plan/organization.ts";
import type { Outcome, Report, StepResult } from "../../plan/report.ts";
import {
	type AppliedObject,
	emptyJournal,
	isOpen,
	type Journal,
	type JournalEntry,
	type JournalSummary,
	type JournalView,
	knownOutcome,
} from "../../sync/journal/journal.ts";
import { withApplied } from "../../sync/journal/rows.ts";
import { decodeExactly, isStoredOutcome, type StoredActivity } from "./stored-state-check.ts";

export interface StoredState {
	readonly activities: readonly StoredActivity[];
	readonly applied?: readonly AppliedObject[];
}

/** The stored state of a resource that is not in Pulumi's state yet. */
export const nothingStored: StoredState = { activities: [] };

/** The activities to store: those of the report that did not complete, and earlier ones that may still be approved. */
export function storeActivities(
	report: Report | undefined,
	journal: Pick<Journal, "entry">,
	earlier: readonly StoredActivity[] = [],
): readonly StoredActivity[] {
	const reported = storeReported(report, journal);
	const open = earlier.flatMap((one): readonly StoredActivity[] => {
		if (reported.some(({ fingerprint }) => fingerprint === one.fingerprint)) return [];
		const entry = journal.entry(one.fingerprint);
		const outcome = entry === undefined || entry.outcome === "abandoned" ? undefined : knownOutcome(entry);
		return outcome === "unknown" || outcome === "awaiting-approval" || outcome === "awaiting-authenticator"
			? [{ ...one, outcome }]
			: [];
	});
	return [...reported, ...open];
}

function storeReported(report: Report | undefined, journal: Pick<Journal, "entry">): readonly StoredActivity[] {
	// A step that was submitted in parts has one activity for each part.
	type Submitted = Pick<StepResult, "outcome" | "activityId" | "fingerprint">;
	const submitted = (report?.steps ?? []).flatMap((step): readonly Submitted[] =>
		step.parts.length > 0 ? step.parts : [step],
	);
	return submitted.flatMap(({ outcome, activityId, fingerprint }): readonly StoredActivity[] => {
		if (!isStoredOutcome(outcome) || fingerprint === null) return [];
		const entry = journal.entry(fingerprint);
		const stored = outcomeToStore(outcome, entry);
		if ((entry === undefined && activityId === null) || !isStoredOutcome(stored)) return [];
		const known = { activityId, fingerprint, outcome: stored };
		if (entry === undefined) return [known];
		const { body, requestDigest, covers, sentAtMs } = entry;
		return [{ ...known, body: body.bytes, requestDigest, covers, sentAt: new Date(sentAtMs).toISOString() }];
	});
}

/** A step that was not attempted because of an activity leaves the outcome of that activity unchanged. */
function outcomeToStore(outcome: Outcome, entry: JournalEntry | undefined): Outcome {
	if (outcome !== "not-attempted") return outcome;
	return entry === undefined ? "unknown" : knownOutcome(entry);
}

/** What a journal with the stored activities, which were checked, would say, without the abandoned ones. Writes nothing. */
export function summarizeWithStored(
	journal: JournalView | undefined,
	{ activities }: StoredState,
	abandoned: readonly string[],
): JournalSummary {
	const known: JournalSummary = journal ?? emptyJournal;
	const more = activities.flatMap(toEntry).filter(({ body }) => journal?.entry(body.fingerprint) === undefined);
	const storedOf = (organizationId: string) => more.filter(({ body }) => body.organizationId === organizationId);
	return {
		openEntries: (id) => [...known.openEntries(id), ...storedOf(id).filter(isOpen)],
		rejectedEntries: (id) => [
			...known.rejectedEntries(id),
			...storedOf(id).filter(({ outcome }) => outcome === "rejected"),
		],
		completedTagEntries: (id) => known.completedTagEntries(id),
		abandonedNames: (id) => new Set([...known.abandonedNames(id), ...abandoned]),
		lastApplied: (id) => known.lastApplied(id),
		position: () => known.position(),
	};
}

function toEntry({ activityId, outcome, body, covers = [], sentAt }: StoredActivity): readonly JournalEntry[] {
	const decoded = body === undefined ? undefined : decodeExactly(body);
	if (decoded === undefined) return [];
	const { requestDigest, ...request } = decoded;
	const sentAtMs = sentAt === undefined ? request.timestampMs : Date.parse(sentAt);
	const known = { body: request, requestDigest, covers, planDigests: [], sentAtMs, activityId };
	return [{ ...known, outcome, settledAtMs: sentAtMs, settledPosition: 0 }];
}

/** Adds the stored state to a journal that does not have it. The activities were checked by readStoredActivities. */
export async function restoreToJournal(
	organizationId: string,
	{ activities, applied }: StoredState,
	journal: Journal,
	nowMs: number,
): Promise<void> {
	for (const { activityId, fingerprint, outcome, body, covers, sentAt } of activities) {
		const decoded = body === undefined ? undefined : decodeExactly(body);
		if (decoded === undefined || journal.entry(fingerprint) !== undefined) continue;
		await journal.recordSending(
			decoded,
			decoded.requestDigest,
			covers ?? [],
			sentAt === undefined ? nowMs : Date.parse(sentAt),
		);
		journal.recordOutcome(fingerprint, outcome, activityId, nowMs);
	}
	if (applied === undefined || applied.length === 0) return;
	const newer = newerObjects(journal.lastApplied(organizationId), applied);
	if (newer.length > 0) journal.recordApplied(organizationId, newer);
}

/** The last-applied state with what is stored, where that is newer. */
export function mergeLastApplied(lastApplied: LastApplied, { applied }: StoredState): LastApplied {
	return withApplied(lastApplied, newerObjects(lastApplied, applied));
}

/** Returns the objects that were applied later than known, or at the same time and with an `updatedAt` that is not known. */
function newerObjects(
	{ userTags, removed }: LastApplied,
	objects: readonly AppliedObject[] = [],
): readonly AppliedObject[] {
	return objects.filter((object) => {
		const { kind, id, value } = object;
		if (kind === "policyText") return true;
		const known = kind === "userTag" ? userTags[id] : removed[kind]?.[id];
		if (value.appliedAt !== known?.appliedAt) return value.appliedAt > (known?.appliedAt ?? "");
		return kind === "userTag" && userTags[id]?.updatedAt === "" && object.value.updatedAt !== "";
	});
}
