/**
 * What a resource stores in Pulumi's state besides its inputs: activities that have not ended, with their request bodies,
 * and what was last applied. With it, a machine without the journal continues where another one stopped.
 *
 * It stores bodies and fingerprints, never a key, a stamp or a bundle.
 */
import type { RemovalKindName } from "../plan/kinds/names.ts";
import type { LastApplied, LastAppliedRemoval, LastAppliedTag } from "../plan/organization.ts";
import type { Outcome, Report, StepResult } from "../plan/report.ts";
import { type AppliedObject, type Journal, type JournalEntry, knownOutcome } from "../sync/journal.ts";
import { decodeExactly, isStoredOutcome, type StoredActivity } from "./stored-state-check.ts";

export interface StoredState {
	readonly activities: readonly StoredActivity[];
	/** What was last applied, and the section of the last-applied state that it belongs to. */
	readonly applied?: { readonly section: LastAppliedSection; readonly items: readonly AppliedObject[] };
}

/** The stored state of a resource that is not in Pulumi's state yet. */
export const nothingStored: StoredState = { activities: [] };

/**
 * The activities that a resource should store: those of the report that did not complete, and earlier ones that have not
 * ended. An earlier one may still be approved, even if the program no longer asks for it.
 */
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
	if (applied === undefined || applied.items.length === 0) return;
	const known = itemsIn(journal.lastApplied(organizationId), applied.section);
	const newer = applied.items.filter((item) => isNewer(item, known[item.id]));
	if (newer.length > 0) journal.recordApplied(organizationId, newer);
}

/** The last-applied state with what is stored, where that is newer. */
export function mergeLastApplied(lastApplied: LastApplied, { applied }: StoredState): LastApplied {
	if (applied === undefined) return lastApplied;
	const { section, items } = applied;
	const known = itemsIn(lastApplied, section);
	const newer = items.filter((item) => isNewer(item, known[item.id]));
	const tags = newer.flatMap((item) => (item.kind === "userTag" ? [[item.id, item.tag] as const] : []));
	const userTags = { ...lastApplied.userTags, ...Object.fromEntries(tags) };
	if (section === "userTags") return { ...lastApplied, userTags };
	const removed = { ...known, ...Object.fromEntries(newer.map((item) => [item.id, toLastApplied(item)])) };
	return { userTags, removed: { ...lastApplied.removed, [section]: removed } };
}

/** The part of the last-applied state that is about the tags, or about the removals of a kind. */
export type LastAppliedSection = "userTags" | RemovalKindName;

/** Returns the items of the section, by id. */
export function itemsIn(
	lastApplied: LastApplied,
	section: LastAppliedSection,
): Readonly<Record<string, LastAppliedItem>> {
	return section === "userTags" ? lastApplied.userTags : (lastApplied.removed[section] ?? {});
}

type LastAppliedItem = LastAppliedTag | LastAppliedRemoval;

function toLastApplied(item: AppliedObject): LastAppliedItem {
	return item.kind === "userTag" ? item.tag : { appliedAt: item.appliedAt };
}

/** Whether an item was applied later than the known one, or is the same and has a time that the known one lacks. */
function isNewer(item: AppliedObject, known: LastAppliedItem | undefined): boolean {
	const stored = toLastApplied(item);
	if (stored.appliedAt !== known?.appliedAt) return stored.appliedAt > (known?.appliedAt ?? "");
	return updatedAtOf(known) === "" && updatedAtOf(stored) !== "";
}

/** The tag's `updatedAt`, which a refresh learns; undefined for other kinds. */
function updatedAtOf(item: LastAppliedItem | undefined): string | undefined {
	return item !== undefined && "updatedAt" in item ? item.updatedAt : undefined;
}
