/**
 * The journal: which requests were sent, on disk before they are sent, and what was last applied. A SQLite file. It holds
 * request bodies and fingerprints, never keys, stamps or bundles.
 *
 * The journal is evidence, not authority: nothing is submitted because an entry exists. An entry counts only if its bytes,
 * fingerprint, operation, organization and request digest agree (journal-rows.ts).
 *
 * After `claim` or `recordSending` has returned, the bytes survive a crash and a power cut. Whatever happens next, the same
 * bytes can follow. Why that matters is in submit-once.ts.
 */
import type { RemovalKindName } from "../../plan/kinds/names.ts";
import {
	emptyLastApplied,
	type LastApplied,
	type LastAppliedPolicy,
	type LastAppliedRemoval,
	type LastAppliedTag,
} from "../../plan/organization.ts";
import type { Outcome } from "../../plan/report.ts";
import { digestOf } from "../../plan/value.ts";
import type { WriteName } from "../../wire/operations.ts";
import type { RequestBody } from "../../wire/request-body.ts";
import type { OwnerJournal } from "../journal-owners.ts";
import type { VoteJournal } from "./votes.ts";

/** A request that was sent, or was about to be. */
export type JournalEntry = EntryOutcome & {
	readonly body: RequestBody;
	/** Digest of organization, operation and parameters: equal requests have the same, whatever their timestamps. */
	readonly requestDigest: string;
	/** Addresses that it changes. */
	readonly covers: readonly string[];
	/** Digests of the saved plans for which it was sent, the first one first; empty for an apply without one. */
	readonly planDigests: readonly string[];
	/** Milliseconds since 1970. */
	readonly sentAtMs: number;
	/** Null while no answer has named one. */
	readonly activityId: string | null;
};

/** What became of an entry. It is in flight from the moment it is recorded until an outcome is. */
type EntryOutcome =
	| { readonly outcome: "in-flight" }
	| {
			readonly outcome: RecordedOutcome;
			/** Milliseconds since 1970. */
			readonly settledAtMs: number;
			/** The journal's position when the outcome was recorded; see `position`. */
			readonly settledPosition: number;
	  };

export type SettledEntry = Extract<JournalEntry, { readonly settledAtMs: number }>;

/** The outcome of a request; `abandoned` by the operator. */
export type RecordedOutcome = Outcome | "abandoned";

/** How final an outcome is: only one of at least its rank replaces it. A failure may be the refusal of one sender only. */
export const finality: Readonly<Record<RecordedOutcome, 0 | 1 | 2>> = {
	"not-attempted": 0,
	unknown: 0,
	"awaiting-approval": 0,
	"awaiting-authenticator": 0,
	denied: 0,
	failed: 1,
	abandoned: 1,
	rejected: 2,
	completed: 2,
};

/** A request to record before it is sent. */
export interface NewJournalEntry {
	readonly body: RequestBody;
	/** Addresses that it changes. */
	readonly covers: readonly string[];
	/** Milliseconds since 1970. */
	readonly nowMs: number;
}

/** What to do about a request: nothing, send it for the first time, or send the bytes of an entry again. */
export type ClaimDecision =
	| { readonly kind: "skip" }
	| { readonly kind: "send"; readonly entry: NewJournalEntry }
	| { readonly kind: "resend"; readonly entry: JournalEntry };

export type AppliedObject =
	| { readonly kind: "userTag"; readonly id: string; readonly value: LastAppliedTag }
	| { readonly kind: "policyText"; readonly id: string; readonly value: LastAppliedPolicy }
	| { readonly kind: RemovalKindName; readonly id: string; readonly value: LastAppliedRemoval };

/** Returns what was last applied to the tag with this id; undefined if nothing was. */
export type FindLastAppliedTag = (tagId: string) => LastAppliedTag | undefined;

/** A run over several organizations. What it was made with has to be the same when it is resumed. */
export interface RunRecord {
	readonly id: string;
	/** Milliseconds since 1970. */
	readonly startedAtMs: number;
	/** The address of the service, or `local`. */
	readonly service: string;
	readonly reads: string;
	/** What `--only` named. */
	readonly only: readonly string[];
	/** How many organizations it has. When it is resumed, a share of them can be named. */
	readonly size: number;
}

/** An organization that was in sync with its document when a run read it last. */
export interface FinishedOrganization {
	readonly organizationId: string;
	readonly documentDigest: string;
	/** The journal's position before that reading. */
	readonly readPosition: number;
}

/** A run can be resumed for this long after it began, in milliseconds: later, what it found says little. */
export const maxRunAgeMs = 7 * 24 * 60 * 60 * 1000;

/** The reads of a journal. Every method throws StorageError for a row that contradicts itself. */
export interface JournalView extends Pick<OwnerJournal, "lastOwner"> {
	/** Returns the entry of exactly these bytes, or undefined. */
	entry(fingerprint: string): JournalEntry | undefined;
	/** Returns the entries of an organization that are in flight, in doubt or pending, oldest first. */
	openEntries(organizationId: string): readonly JournalEntry[];
	/** Returns the rejected entries that no equal request followed: they are submitted again only if the operator asks. */
	rejectedEntries(organizationId: string): readonly JournalEntry[];
	/** Returns the entries that were sent for the saved plan with this digest and completed, oldest first. */
	completedEntries(organizationId: string, planDigest: string): readonly SettledEntry[];
	/** Returns the last 100 entries that changed user tags and completed, the last written first. */
	completedTagEntries(organizationId: string): readonly JournalEntry[];
	/** Returns the ids and fingerprints that were abandoned. */
	abandonedNames(organizationId: string): ReadonlySet<string>;
	lastApplied(organizationId: string): LastApplied;
	/** Returns the run with this id, or the latest run; undefined if the journal has none. */
	run(id?: string): RunRecord | undefined;
	/** Whether the run left the organization in sync with this document, and nothing was written, settled or open since. */
	hasFinished(runId: string, organizationId: string, documentDigest: string): boolean;
	/** Returns a number that each write increases: what is settled later has a greater one, whatever the clocks say. */
	position(): number;
	close(): void;
}

/** What a comparison needs of a journal. */
export type JournalSummary = Pick<
	JournalView,
	"openEntries" | "abandonedNames" | "rejectedEntries" | "completedTagEntries" | "lastApplied" | "position"
>;

/** The summary of a journal that does not exist yet. */
export const emptyJournal: JournalSummary = {
	openEntries: () => [],
	abandonedNames: () => new Set(),
	rejectedEntries: () => [],
	completedTagEntries: () => [],
	lastApplied: () => emptyLastApplied,
	position: () => 0,
};

export interface Journal extends JournalView, VoteJournal, OwnerJournal {
	/**
	 * Decides about a request and puts its bytes on disk, in one transaction: no other process can decide about an equal
	 * request in between. `choose` gets the entries of equal requests, the latest written first, and has to be pure. Resolves
	 * with its decision once that would survive a crash and a power cut. Claims made together share one write.
	 * `planDigest` is the digest of the saved plan for which the request is sent.
	 */
	claim<D extends ClaimDecision>(
		requestDigest: string,
		choose: (entries: readonly JournalEntry[]) => D,
		planDigest?: string,
	): Promise<D>;
	/** Puts bytes on disk as in flight, unless there is an entry that was attempted. Returns whether it did. */
	recordSending(body: RequestBody, requestDigest: string, covers: readonly string[], nowMs: number): Promise<boolean>;
	/**
	 * Records the outcome of a request, and in the same transaction what `applied` returns for the last-applied state: it gets
	 * what finds a tag in that state. A final outcome stays: another process may have asked later and been answered earlier. An outcome without an activity
	 * does not count if another process has sent the bytes too. Returns false if the outcome was not recorded.
	 */
	recordOutcome(
		fingerprint: string,
		outcome: RecordedOutcome,
		activityId: string | null,
		nowMs: number,
		applied?: (findTag: FindLastAppliedTag) => readonly AppliedObject[],
	): boolean;
	/** Records that a request in doubt never arrived and is too old to arrive: it was not attempted. */
	recordNeverArrived(fingerprint: string, nowMs: number): void;
	/** Abandons an activity by id or fingerprint, also another runner's: an equal request may follow, and nothing waits for it. */
	abandon(organizationId: string, activityOrFingerprint: string, nowMs: number): void;
	recordApplied(organizationId: string, applied: readonly AppliedObject[]): void;
	/** Records a run, and forgets those that are too old to be resumed. */
	recordRun(run: RunRecord): void;
	recordFinished(runId: string, finished: FinishedOrganization): void;
	/** Forgets a run if it left as many organizations in sync as it has. */
	endRun(id: string): void;
}

/** Returns the outcome of an entry as steps have it: `unknown` if it is in flight or was abandoned. */
export function knownOutcome({ outcome }: Pick<JournalEntry, "outcome">): Outcome {
	return outcome === "in-flight" || outcome === "abandoned" ? "unknown" : outcome;
}

/** Whether the activity id or the fingerprint of the entry is one of these names, which are in lower case. */
export function isNamed({ activityId, body }: JournalEntry, names: readonly string[]): boolean {
	return [activityId, body.fingerprint].some((name) => name !== null && names.includes(name.toLowerCase()));
}

/** Outcomes that can still change. */
const openOutcomes: ReadonlySet<JournalEntry["outcome"]> = new Set([
	"in-flight",
	"unknown",
	"awaiting-approval",
	"awaiting-authenticator",
]);

/** Whether the outcome of the entry can still change. */
export function isOpen({ outcome }: Pick<JournalEntry, "outcome">): boolean {
	return openOutcomes.has(outcome);
}

/** Returns the digest that equal requests have in common, whatever their timestamps. */
export function requestDigestOf(
	organizationId: string,
	operation: WriteName,
	parameters: Readonly<Record<string, unknown>>,
): string {
	return digestOf({ organizationId, operation, parameters });
}
