/**
 * Waits until pending activities have ended, by reading them again at growing intervals. A request whose activity the
 * service does not show is sent again with the same bytes, as long as the service accepts them: that makes no second one.
 */
import { AuthenticationError, OrgsyncError } from "../common/errors.ts";
import { type ActivityEvent, findEvents, type SeenActivity } from "../plan/activities/activity-events.ts";
import type { Plan } from "../plan/plan.ts";
import { type Activity, readActivity } from "../wire/activity.ts";
import type { Reader } from "../wire/client.ts";
import { writes } from "../wire/operations.ts";
import type { JournalEntry } from "./journal/journal.ts";
import type { ActivityRecord } from "./read/list-activities.ts";
import { readRequested } from "./read/pending-activities.ts";
import { readAgain } from "./read/read-again.ts";
import type { ActivityRequest } from "./submit/activity-request.ts";
import { outcomeOfActivity, type SubmitResult } from "./submit/outcomes.ts";
import { type RanStep, requestsOf, type StepContext, withResults } from "./submit/run-step.ts";
import { recordResult, submitOnce } from "./submit/submit-once.ts";

/** How long steps wait for their activities, and who hears of it. */
export interface WaitOptions {
	/** When waiting ends, by the context's clock. */
	readonly untilMs: number;
	/** Resolves after so many milliseconds, or later where others wait too, and at once after an interruption. */
	readonly pause: (ms: number) => Promise<void>;
	readonly onWait?: (event: WaitNews) => void;
}

/** What happened while a run waited. */
export type WaitNews =
	/** The step waits from now on. */
	| { readonly kind: "waiting"; readonly ran: RanStep }
	| { readonly kind: "event"; readonly ran: RanStep; readonly event: ActivityEvent }
	/** The activities could not be read this time. */
	| { readonly kind: "unreadable"; readonly message: string };

interface WaitContext extends StepContext {
	readonly reader: Reader;
}

/** Min milliseconds between two readings of a run, whichever organizations they are about: each costs a request. */
export const readingIntervalMs = 1000;

const firstPauseMs = 1000;

/** Max pause between two readings. Each costs requests (docs/internals/service.md#rates-and-limits). */
const maxPauseMs = 30_000;

/** Returns the pause after this one, in milliseconds; the first one without one. */
export function nextPauseMs(pauseMs?: number): number {
	return pauseMs === undefined ? firstPauseMs : Math.min(pauseMs * 2, maxPauseMs);
}

/** Whether the activity of a request has not ended as far as is known: it is pending, or has an unknown status. */
function isUnended({ outcome, activityId }: Pick<SubmitResult, "outcome" | "activityId">): boolean {
	return outcome.startsWith("awaiting") || (outcome === "unknown" && activityId !== null);
}

/** Why a run waits no longer. */
type WaitEnd = "time" | "interrupted" | "unreadable";

export class StepWait {
	readonly #plan: Pick<Plan, "organizationId" | "reads">;
	readonly #context: WaitContext;
	readonly #options: WaitOptions;
	/** What was read last, by activity id in lower case. */
	readonly #seen = new Map<string, SeenActivity>();
	/** Fingerprints whose outcome cannot be learned any more. */
	readonly #unreadable = new Set<string>();
	#canRead: boolean;
	#pauseMs: number | undefined;

	constructor(plan: Plan, context: WaitContext, options: WaitOptions) {
		this.#plan = plan;
		this.#context = context;
		this.#options = options;
		this.#canRead = plan.reads === "auto";
		for (const { activityId, approvedBy, ...one } of plan.waiting) {
			if (activityId === null || one.state === "in-doubt") continue;
			const votes = (approvedBy ?? []).map((userId) => ({ userId, selection: "VOTE_SELECTION_APPROVED" }));
			this.#seen.set(activityId.toLowerCase(), { id: activityId, status: one.status, votes });
		}
	}

	/** Begins to wait for a step. */
	add(ran: RanStep): void {
		for (const { result } of requestsOf(ran)) {
			if (result.activity !== null) this.#seen.set(result.activity.id.toLowerCase(), result.activity);
		}
		this.#pauseMs = undefined;
		this.#options.onWait?.({ kind: "waiting", ran });
	}

	/** Returns why waiting for these steps has ended; null while it goes on. */
	endOf(steps: readonly RanStep[]): WaitEnd | null {
		if (this.#context.signal?.aborted === true) return "interrupted";
		if (this.#context.now() >= this.#options.untilMs) return "time";
		return steps.flatMap(unendedOf).every(({ result }) => this.#unreadable.has(result.fingerprint ?? ""))
			? "unreadable"
			: null;
	}

	/** Pauses, then reads the activities once. Returns the steps as they are now. */
	async round(steps: readonly RanStep[]): Promise<readonly RanStep[]> {
		const { now, signal } = this.#context;
		this.#pauseMs = nextPauseMs(this.#pauseMs);
		await this.#options.pause(Math.min(this.#pauseMs, Math.max(0, this.#options.untilMs - now())));
		if (signal?.aborted === true) return steps;
		try {
			const records = await this.#read(steps);
			const next: RanStep[] = [];
			for (const ran of steps) next.push(await this.#update(ran, records));
			return next;
		} catch (error) {
			if (!(error instanceof OrgsyncError)) throw error;
			if (error instanceof AuthenticationError) return steps.map((ran) => this.#refuse(ran, error.message));
			this.#options.onWait?.({ kind: "unreadable", message: error.message });
			return steps;
		}
	}

	async #read(steps: readonly RanStep[]): Promise<ReadonlyMap<string, ActivityRecord>> {
		const watched = steps.flatMap(unendedOf).flatMap(({ request, result: { activityId } }) => {
			return activityId === null ? [] : [{ activityId, type: writes[request.operation].type }];
		});
		if (!this.#canRead || watched.length === 0) return new Map();
		const found = await readAgain(this.#plan.organizationId, watched, this.#context.reader);
		// A service that shows none of them does not have the query, or denies it.
		this.#canRead = found.size > 0;
		return found;
	}

	async #update(ran: RanStep, records: ReadonlyMap<string, ActivityRecord>): Promise<RanStep> {
		const results: SubmitResult[] = [];
		const events: ActivityEvent[] = [];
		for (const { request, result } of requestsOf(ran)) {
			const next = isUnended(result) ? await this.#updateRequest(request, result, records) : result;
			results.push(next);
			if (next !== result && next.activity !== null) events.push(...this.#compare(next.activity));
		}
		const updated = withResults(ran, results, events, this.#context.now());
		for (const event of events) this.#options.onWait?.({ kind: "event", ran: updated, event });
		return updated;
	}

	#compare(activity: Activity): readonly ActivityEvent[] {
		const id = activity.id.toLowerCase();
		const before = this.#seen.get(id);
		this.#seen.set(id, activity);
		return before === undefined ? [] : findEvents(before, activity, this.#context.now());
	}

	/** Returns what became of a request by now: the same result if nothing new is known. */
	async #updateRequest(
		request: ActivityRequest,
		result: SubmitResult,
		records: ReadonlyMap<string, ActivityRecord>,
	): Promise<SubmitResult> {
		const fingerprint = result.fingerprint ?? "";
		const entry = this.#context.journal.entry(fingerprint);
		const record = records.get(result.activityId?.toLowerCase() ?? "");
		if (record === undefined) return this.#ask(request, result, entry);
		this.#unreadable.delete(fingerprint);
		const activity = entry === undefined ? readJoined(request, fingerprint, record) : readRequested(entry, record);
		// An answer about something else says nothing.
		if (activity === undefined) return result;
		const { requests, isRetry } = result;
		const now = outcomeOfActivity(activity);
		const isSame = now.outcome === result.outcome;
		const next = { ...now, fingerprint, requests, isRetry, message: now.message ?? (isSame ? result.message : null) };
		if (entry === undefined || isSame) return next;
		const applied = next.outcome === "completed" ? request.appliedObjects : undefined;
		return recordResult(next, entry.covers, applied, this.#context);
	}

	/** Asks what became of a request by sending its bytes again, if the service still accepts them. */
	async #ask(request: ActivityRequest, result: SubmitResult, entry: JournalEntry | undefined): Promise<SubmitResult> {
		const { settled: _, ...context } = this.#context;
		const next = entry && (await submitOnce(request, { ...context, waitMs: 0 }, entry));
		if (next === undefined || next.requests === 0 || next.keyNotAccepted) {
			this.#unreadable.add(result.fingerprint ?? "");
		}
		if (next === undefined) return result;
		return { ...next, requests: next.requests + result.requests, isRetry: result.isRetry };
	}

	/** Returns the step of a key that the service does not accept any more: its activity stays pending. */
	#refuse(ran: RanStep, why: string): RanStep {
		const results = requestsOf(ran).map(({ result }) => {
			if (!isUnended(result)) return result;
			this.#unreadable.add(result.fingerprint ?? "");
			return {
				...result,
				keyNotAccepted: true,
				isFatal: true,
				message: `it was pending when it was last read: ${why}`,
			};
		});
		return withResults(ran, results, [], this.#context.now());
	}
}

/** Returns the requests of a step whose activities have not ended. */
function unendedOf(ran: RanStep) {
	return requestsOf(ran).filter(({ result }) => isUnended(result));
}

export function isWaiting(ran: RanStep): boolean {
	return unendedOf(ran).length > 0;
}

/** Returns the activity of another runner in a record, if it is the one that the step joins. */
function readJoined(
	{ operation, organizationId }: ActivityRequest,
	fingerprint: string,
	record: ActivityRecord,
): Activity | undefined {
	const activity = readActivity(writes[operation], record);
	const isSame =
		activity.fingerprint === fingerprint &&
		activity.type === writes[operation].type &&
		activity.organizationId.toLowerCase() === organizationId.toLowerCase();
	return isSame ? activity : undefined;
}
