/** What submitOnce is given: a request for an activity, and what it is submitted with. */
import type { CoveredObject } from "../../plan/step.ts";
import type { Submitter } from "../../wire/client.ts";
import type { WriteName } from "../../wire/operations.ts";
import type { AppliedObject, FindLastAppliedTag, Journal } from "../journal/journal.ts";
import type { SubmitResult } from "./outcomes.ts";

export interface Completion {
	/** By our clock, ISO 8601 in UTC. */
	readonly appliedAt: string;
	/** The activity's last update by the service's clock, milliseconds since 1970; left out if the service does not say. */
	readonly completedAtMs?: number;
	/** Ids of what it created, in the order of the request; left out where it creates nothing. */
	readonly createdIds?: readonly string[];
}

/** A request for an activity: one of the writes with its parameters. */
export interface ActivityRequest {
	readonly organizationId: string;
	readonly operation: WriteName;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly covers: readonly CoveredObject[];
	/** When the object was last changed, by the service's clock; left out if unknown, and for removals, which cannot be reverted. */
	readonly objectChangedAtMs?: number | undefined;
	/** Whether live state cannot show its effect: that it is planned again does not mean that it was reverted. */
	readonly isUnobservable?: boolean;
	/** Whether the caller needs the activity's result, what it created: the same bytes return it again. */
	readonly needsResult?: boolean;
	/** Returns what its completion adds to the last-applied state; written in one transaction with the outcome. */
	readonly appliedObjects?: (
		covers: readonly string[],
		findTag: FindLastAppliedTag,
		at: Completion,
	) => readonly AppliedObject[];
}

export interface SubmitContext {
	readonly submitter: Submitter;
	readonly journal: Pick<Journal, "claim" | "recordOutcome" | "entry">;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Resolves after so many milliseconds, or earlier once the signal is aborted. */
	readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
	/** Once aborted, requests in flight end, none is polled any longer, and no step begins. */
	readonly signal?: AbortSignal;
	/** How long to poll an activity that the service has not finished processing, in milliseconds. */
	readonly waitMs: number;
	/** A time by the service's clock at which the organization had not been read yet; see LiveReading in read.ts. */
	readonly serverTimeMs: number | undefined;
	/** Milliseconds to add to `now` to get the service's clock; 0 when left out. */
	readonly clockOffsetMs?: number;
	/** Ids of the tags and policies that were read; left out if nothing was read. */
	readonly liveIds?: ReadonlySet<string>;
	/** The journal's position before the reading, which may not show what was settled after. Left out if nothing was read. */
	readonly readPosition?: number | undefined;
	/** What settleOpenEntries has read a moment ago, by fingerprint: those requests are not sent again. */
	readonly settled?: ReadonlyMap<string, SubmitResult>;
	/** Digest of the saved plan that is applied: the journal records it with each request. */
	readonly planDigest?: string;
	/** Whether to submit again what was rejected before. */
	readonly retryRejected?: boolean;
}
