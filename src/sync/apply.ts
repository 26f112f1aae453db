/**
 * Applies a plan: submits its steps in their order, independent ones concurrently. A step is not attempted unless the
 * steps that it depends on have completed; the others go on.
 */
import { describeTime, isPastValidity } from "../plan/access-window.ts";
import type { Change } from "../plan/change.ts";
import type { LiveOrganization } from "../plan/organization.ts";
import { retriesOf } from "../plan/overrides.ts";
import type { Plan } from "../plan/plan.ts";
import type { Report, Stats, StepResult } from "../plan/report.ts";
import { subjectOf } from "../plan/requests.ts";
import { isCovered, type Step } from "../plan/step.ts";
import { digestOf } from "../plan/value.ts";
import { organizationChannel, stepChannel } from "../tracing.ts";
import type { Reader } from "../wire/client.ts";
import type { ActivityRequest, SubmitContext } from "./activity-request.ts";
import { appliedByEntry, appliedByStep } from "./applied-objects.ts";
import type { Comparison } from "./compare.ts";
import { checkForecast } from "./forecast.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { notAttempted, type SubmitResult } from "./outcomes.ts";
import { combineParts, type SubmittedPart, submitIndividually, toPartResults } from "./submit-individually.ts";
import { submitOnce } from "./submit-once.ts";
import { resultOfEarlier } from "./unsent-steps.ts";
import { notVerified, verify } from "./verify.ts";

export interface ApplyContext extends Omit<SubmitContext, "serverTimeMs" | "clockOffsetMs" | "readPosition"> {
	readonly reader: Reader;
	readonly journal: Journal;
	/** How many independent steps run at once. */
	readonly concurrency: number;
	/** Whether the touched kinds are read again after the last step. */
	readonly verify: boolean;
	readonly stats: () => Stats;
	/** Once aborted, steps in flight end and no other begins. */
	readonly signal?: AbortSignal;
	/** Called as each step ends, to show progress. */
	readonly onStep?: (result: StepResult, done: number, total: number) => void;
}

/**
 * The report, or the error that stopped the run with the results of the steps that had ended, in the order they ended.
 * `readPosition` is the journal's position before the result was read again; undefined if it was not.
 */
export type AppliedPlan =
	| { readonly report: Report; readonly readPosition: number | undefined }
	| { readonly error: unknown; readonly steps: readonly StepResult[] };

/**
 * Runs every step of the plan that can run. Errors of the service are results of steps. The run stops if the journal cannot
 * be written: nothing more is submitted then.
 */
export function applyPlan(comparison: Comparison, context: ApplyContext): Promise<AppliedPlan> {
	const { organizationId } = comparison.plan;
	return organizationChannel.tracePromise(() => runPlan(comparison, context), { organizationId, work: "apply" });
}

async function runPlan(comparison: Comparison, context: ApplyContext): Promise<AppliedPlan> {
	const { plan, desired } = comparison;
	const startedAtMs = context.now();
	const run = await new StepRun(comparison, context).finish();
	if (run.stopped !== null) return { error: run.stopped.error, steps: [...run.results.values()] };
	const steps = plan.steps.map((step) => run.results.get(step.id) as StepResult);
	const completed = steps.filter(({ outcome }) => outcome === "completed");
	const isVerified = context.verify && completed.length > 0;
	const readPosition = isVerified ? context.journal.position() : undefined;
	const { left, unverified } = isVerified ? await verify(desired, plan, completed, context) : notVerified;
	const allCompleted = completed.length === steps.length;
	const report: Report = {
		formatVersion: 1,
		organizationId: plan.organizationId,
		planDigest: context.planDigest ?? digestOf(plan),
		startedAt: new Date(startedAtMs).toISOString(),
		finishedAt: new Date(context.now()).toISOString(),
		steps,
		left,
		unverified,
		inSync: allCompleted && plan.problems.length === 0 && (left ?? []).length === 0 && unverified === null,
		interrupted: context.signal?.aborted === true && steps.some(({ outcome }) => outcome === "not-attempted"),
		overrides: [
			// The plan says what a retry would submit, the run what it submitted.
			...(plan.overrides ?? []).filter(({ flag }) => flag !== "retry-rejected"),
			...retriesOf(plan.steps.filter(({ id }) => run.retried.has(id))),
		],
		stats: context.stats(),
	};
	return { report, readPosition };
}

/** Returns the report. Throws the error that stopped the run. */
export function reportOf(applied: AppliedPlan): Report {
	if ("error" in applied) throw applied.error;
	return applied.report;
}

/** The steps of one plan while they run. */
class StepRun {
	/** By step id, in the order in which the steps ended. */
	readonly results = new Map<string, StepResult>();
	/** Ids of steps that were submitted although an equal request was rejected before. */
	readonly retried = new Set<string>();
	/** Why no other step begins; null while steps may begin. */
	stopped: { readonly error: unknown } | null = null;
	/** Why every further request would fail; null while requests may succeed. */
	#fatal: string | null = null;
	readonly #inFlight = new Set<Promise<void>>();
	readonly #remaining: Set<Step>;
	readonly #plan: Plan;
	readonly #context: StepContext;
	/** Milliseconds to add to our clock to get the service's. */
	readonly #offsetMs: number;

	constructor(comparison: Comparison, context: ApplyContext) {
		const { plan, live, serverTimeMs, clockOffsetMs, readPosition } = comparison;
		this.#plan = plan;
		this.#offsetMs = comparison.exactOffsetMs ?? clockOffsetMs;
		this.#remaining = new Set(plan.steps);
		const tagChangedAtMs = tagChangeTimes(live);
		this.#context = { ...context, serverTimeMs, clockOffsetMs, readPosition, tagChangedAtMs };
	}

	/** Runs the steps as their dependencies and the concurrency allow; resolves when none is in flight. */
	async finish(): Promise<this> {
		for (;;) {
			const before = this.#remaining.size;
			if (this.stopped === null) for (const step of this.#remaining) this.#consider(step);
			if (this.#inFlight.size > 0) await Promise.race(this.#inFlight);
			else if (this.stopped !== null || this.#remaining.size === 0) return this;
			// Not from makePlan: an edited plan can have steps that depend on themselves, or on steps that do not exist.
			else if (this.#remaining.size === before) this.#skipAll("it depends on steps that never run");
		}
	}

	/** Starts a step, skips it, or leaves it for later. */
	#consider(step: Step): void {
		const reason = this.#whyNotAttempted(step);
		const isFree = this.#inFlight.size < this.#context.concurrency;
		if (reason === null && !(isFree && this.#isReady(step))) return;
		this.#remaining.delete(step);
		if (reason !== null) this.#record(toStepResult(step, notAttempted(reason)));
		else this.#start(step);
	}

	#start(step: Step): void {
		const { organizationId } = this.#plan;
		const flight = stepChannel
			.tracePromise(() => runStep(step, this.#plan, this.#context), { organizationId, step })
			.then(({ result, submitted }) => {
				if (submitted?.isFatal === true) this.#fatal = submitted.message;
				if (submitted?.isRetry === true) this.retried.add(step.id);
				this.#record(result);
				if ((submitted?.journalError ?? null) !== null) throw submitted?.journalError;
			})
			.catch((error: unknown) => {
				// Steps in flight still end, and are in the journal, before the run stops.
				this.stopped ??= { error };
			})
			.finally(() => this.#inFlight.delete(flight));
		this.#inFlight.add(flight);
	}

	#record(result: StepResult): void {
		this.results.set(result.step.id, result);
		this.#context.onStep?.(result, this.results.size, this.#plan.steps.length);
	}

	#skipAll(reason: string): void {
		for (const step of this.#remaining) this.#record(toStepResult(step, notAttempted(reason)));
		this.#remaining.clear();
	}

	#isReady({ dependsOn }: Step): boolean {
		return dependsOn.every((id) => this.results.get(id)?.outcome === "completed");
	}

	/** Returns why a step can never run, or null while it can. */
	#whyNotAttempted({ dependsOn, earlierActivity }: Step): string | null {
		// A step with an earlier activity costs no request, and the report has to name that activity.
		if (earlierActivity === null && this.#fatal !== null) return this.#fatal;
		if (earlierActivity === null && this.#context.signal?.aborted === true) return "orgsync was interrupted before it";
		// A question, retries and other steps take their time.
		if (earlierActivity === null && isPastValidity(this.#plan, this.#context.now() + this.#offsetMs)) {
			return `the plan was valid until ${describeTime(this.#plan.validUntil ?? "")}, when a window of the document begins or ends: plan again`;
		}
		const blocking = dependsOn.find((id) => (this.results.get(id)?.outcome ?? "completed") !== "completed");
		if (blocking === undefined) return null;
		return `${blocking} has to complete first, and it is ${this.results.get(blocking)?.outcome}`;
	}
}

type StepContext = ApplyContext &
	SubmitContext & {
		/** When each tag was last changed, by its id; see ActivityRequest. */
		readonly tagChangedAtMs: ReadonlyMap<string, number>;
	};

function tagChangeTimes({ userTags }: LiveOrganization): StepContext["tagChangedAtMs"] {
	const tags = userTags.known ? userTags.value : [];
	return new Map(
		tags.flatMap(({ id, updatedAtMs }) => (updatedAtMs === undefined ? [] : [[id, updatedAtMs] as const])),
	);
}

/** The result of a step, and of its request; null if nothing was submitted. */
interface EndedStep {
	readonly result: StepResult;
	readonly submitted: SubmitResult | null;
}

async function runStep(step: Step, plan: Plan, context: StepContext): Promise<EndedStep> {
	const startedAtMs = context.now();
	const joined = findJoined(step, plan, context);
	if (step.earlierActivity !== null && joined === undefined) {
		return { result: toStepResult(step, resultOfEarlier(step, step.earlierActivity, plan)), submitted: null };
	}
	const request = requestOf(step, plan, joined, context);
	const whole = await submitOnce(request, context, joined);
	const parts = await submitIndividually(request, whole, context);
	const submitted = parts.length === 0 ? whole : combineParts(whole, parts);
	return { result: toStepResult(step, submitted, context.now() - startedAtMs, parts), submitted };
}

/** Returns the result of a step as the report has it. */
function toStepResult(
	step: Step,
	submitted: SubmitResult,
	tookMs = 0,
	parts: readonly SubmittedPart[] = [],
): StepResult {
	const { activity: _activity, isFatal: _isFatal, journalError: _journalError, isRetry: _isRetry, ...rest } = submitted;
	const results = parts.length === 0 ? [submitted] : parts.map(({ result }) => result);
	const forecast = checkForecast(step, results);
	return { step, ...rest, tookMs, parts: toPartResults(parts), ...(forecast === undefined ? {} : { forecast }) };
}

function requestOf(
	step: Step,
	{ organizationId, changes }: Plan,
	joined: JournalEntry | undefined,
	{ tagChangedAtMs }: StepContext,
): ActivityRequest {
	const { operation, parameters, covers } = step;
	return {
		organizationId,
		operation,
		parameters,
		covers,
		objectChangedAtMs: tagChangedAtMs.get(subjectOf(step)),
		isUnobservable: changes.some((change) => isCovered(change.address, step) && !isObservable(change)),
		appliedObjects: joined === undefined ? appliedByStep(parameters, changes) : appliedByEntry(joined),
	};
}

/**
 * Returns the journal's entry of the activity that a step joins, if only the journal knows that it is pending: the same
 * bytes ask the service about it. Undefined for any other step.
 */
function findJoined({ earlierActivity }: Step, plan: Plan, context: ApplyContext): JournalEntry | undefined {
	if (earlierActivity === null || earlierActivity.relation !== "same") return undefined;
	const { fingerprint } = earlierActivity;
	const activity = plan.waiting.find((one) => one.fingerprint === fingerprint);
	if (activity?.saidBy !== "journal" || context.settled?.has(fingerprint) === true) return undefined;
	return context.journal.entry(fingerprint);
}

/** Whether live state would show that the change was made: it has the members, and always the name. */
function isObservable(change: Change): boolean {
	return change.basis === "live" || (change.kind === "userTag" && change.before.name !== change.after.name);
}
