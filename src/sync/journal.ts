/**
 * The journal: what was submitted, on disk before it is sent, and what was last applied. A SQLite file; it holds bodies
 * and fingerprints, never keys, stamps or bundles.
 *
 * It is evidence, not authority. A row says what may have been sent; nothing is sent because a row is there. And a row is
 * believed only where its bytes, fingerprint, operation, organization and wish agree (journal-rows.ts).
 *
 * The rule it keeps: after `claim` or `sending` has returned, the bytes survive a kill, so that whatever happens next, the
 * same bytes can follow and no second activity is made.
 */
import type { RemovalKindName } from "../plan/kinds/names.ts";
import type { LastApplied, LastAppliedTag } from "../plan/organization.ts";
import type { Outcome } from "../plan/report.ts";
import { digestOf } from "../plan/value.ts";
import type { SubmitName } from "../wire/operations.ts";
import type { RequestBody } from "../wire/request-body.ts";

/** One body that was sent, or was about to be. */
export interface JournalEntry {
	readonly body: RequestBody;
	/** Digest of organization, operation and parameters: the same wish at another time has other bytes. */
	readonly requestDigest: string;
	readonly covers: readonly string[];
	/** Digests of the saved plans for which it was sent, the first one first; empty for an apply without one. */
	readonly planDigests: readonly string[];
	readonly sentAtMs: number;
	/** Null from `sending` until `settled`: its outcome is not known. `abandoned`: by the operator. */
	readonly outcome: Outcome | "abandoned" | null;
	readonly activityId: string | null;
	readonly settledAtMs: number | null;
	/** Where in the journal's order of writing its outcome was noted; null while there is none. See `position`. */
	readonly settledPosition: number | null;
}

/** Bytes to put down before they are sent. */
export interface NewJournalEntry {
	readonly body: RequestBody;
	/** Addresses that it touches, for people who read the journal. */
	readonly covers: readonly string[];
	/** Milliseconds since 1970. */
	readonly nowMs: number;
}

/** What is to be done about a wish. It is written before anything is sent. */
export interface ClaimDecision {
	/** Bytes that are sent for the first time. */
	readonly put?: NewJournalEntry;
	/** The entry whose bytes are sent again, perhaps while another process still waits for their answer. */
	readonly again?: JournalEntry;
	/** Digest of the saved plan for which either is sent; left out without one. */
	readonly plan?: string;
}

/** What is remembered when a step has completed. */
export type AppliedObject =
	| { readonly kind: "userTag"; readonly id: string; readonly tag: LastAppliedTag }
	| { readonly kind: RemovalKindName; readonly id: string; readonly appliedAt: string };

/** What can be read of a journal. Every method throws StorageError for a row that does not agree with itself. */
export interface JournalView {
	/** The entry of exactly these bytes, or undefined. */
	entry(fingerprint: string): JournalEntry | undefined;
	/** Entries of an organization whose end is not known: in flight, unknown or pending; oldest first. */
	openEntries(organizationId: string): readonly JournalEntry[];
	/** Entries that were rejected and are the last of their wish: it is submitted again only on request. */
	rejectedEntries(organizationId: string): readonly JournalEntry[];
	/** Entries of an organization that were sent for the saved plan with this digest and completed, oldest first. */
	completedEntries(organizationId: string, plan: string): readonly JournalEntry[];
	/** Ids and fingerprints that were abandoned. */
	abandonedNames(organizationId: string): ReadonlySet<string>;
	lastApplied(organizationId: string): LastApplied;
	/**
	 * How much has been written so far. What is settled later has a greater `settledPosition`, in whichever process and
	 * whatever the clocks say.
	 */
	position(): number;
	close(): void;
}

export interface Journal extends JournalView {
	/**
	 * Decides about a wish and puts its bytes on disk, in one transaction: no other process can decide about the same wish
	 * in between. `choose` gets the entries of the wish, the latest written first; it has to be pure. Resolves with what it
	 * chose, once that would survive a kill and a power cut; choices made together share one write.
	 */
	claim<C extends ClaimDecision>(requestDigest: string, choose: (entries: readonly JournalEntry[]) => C): Promise<C>;
	/**
	 * Puts bytes on disk, in flight from now on; an entry that is there already stays as it is, unless it was never
	 * attempted. False when they were in flight already.
	 */
	recordSending(body: RequestBody, requestDigest: string, covers: readonly string[], nowMs: number): Promise<boolean>;
	/**
	 * Notes what became of a body, and in the same transaction what `applied` makes of the memory. What is known to have
	 * ended stays so: another process that shares the journal may have asked later, and be answered earlier. An outcome
	 * without an activity says nothing of bytes that another process has sent too. False when it was not noted.
	 */
	recordOutcome(
		fingerprint: string,
		outcome: Outcome | "abandoned",
		activityId: string | null,
		nowMs: number,
		applied?: (memory: LastApplied) => readonly AppliedObject[],
	): boolean;
	/** Notes that nothing came of bytes that are in doubt and nothing can any more: they never arrived, and are too old. */
	recordNeverArrived(fingerprint: string, nowMs: number): void;
	/**
	 * Abandons an activity by its id or fingerprint: its wish may be submitted again, and it holds nothing back any more.
	 * Works for activities of others too, which the journal has no entry of.
	 */
	abandon(organizationId: string, activityOrFingerprint: string, nowMs: number): void;
	recordApplied(organizationId: string, applied: readonly AppliedObject[]): void;
}

/** Outcomes after which the same activity can still become something else. */
const openOutcomes: readonly JournalEntry["outcome"][] = [
	null,
	"unknown",
	"awaiting-approval",
	"awaiting-authenticator",
];

/** Whether the end of the entry is not known. */
export function isOpen({ outcome }: Pick<JournalEntry, "outcome">): boolean {
	return openOutcomes.includes(outcome);
}

/** The digest by which the same wish is known again, whatever the time. */
export function requestDigestOf(
	organizationId: string,
	operation: SubmitName,
	parameters: Readonly<Record<string, unknown>>,
): string {
	return digestOf({ organizationId, operation, parameters });
}
