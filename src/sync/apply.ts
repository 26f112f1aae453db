/** Applies a plan: independent steps concurrently, and a step only once the steps that it depends on have completed. */

import { listFirst, showAddress } from "../common/escape.ts";
import { type Said, say } from "../common/said.ts";
import { organizationChannel, stepChannel } from "../common/tracing.ts";
import { uuid } from "../common/uuid.ts";
import { describeTime, isPastValidity } from "../plan/access-window.ts";
import { printScope } from "../plan/address.ts";
import { retriesOf } from "../plan/guards/overrides.ts";
import { findUnreadPolicies } from "../plan/kinds/policy-changes.ts";
import type { Plan } from "../plan/plan.ts";
import type { Report, Stats, StepResult } from "../plan/report.ts";
import { fillStandIns, standInsIn } from "../plan/stand-in.ts";
import type { Step } from "../plan/step.ts";
import { digestOf } from "../plan/value.ts";
import { reasonText } from "../say/reason.ts";
import type { Reader } from "../wire/client.ts";
import { type Comparison, maxPlanAgeMs } from "./converge.ts";
import type { Journal } from "./journal/journal.ts";
import { readUntilInterrupted } from "./read/live-queries.ts";
import type { SubmitContext } from "./submit/activity-request.ts";
import { findLater, type LaterPlan, planLater, splitCreation } from "./submit/later-steps.ts";
import { createdIdsOf, notAttempted } from "./submit/outcomes.ts";
import { type RanStep, runStep, type StepContext, timesOf, toStepResult } from "./submit/run-step.ts";
import { makePolicyReader } from "./submit/written-objects.ts";
import { notVerified, verify } from "./verify.ts";
import { isWaiting, StepWait, type WaitOptions } from "./wait-for-end.ts";

export interface ApplyContext extends Omit<SubmitContext, "serverTimeMs" | "clockOffsetMs" | "readPosition"> {
	readonly reader: Reader;
	readonly journal: Journal;
	/** How many independent steps run at once. */
	readonly concurrency: number;
	/** Whether the touched kinds are read again after the last step. */
	readonly verify: boolean;
	readonly stats: () => Stats;
	/** Reads the organization again and makes its plan: for steps whose turn comes long after it was read. */
	readonly compareAgain?: () => Promise<Comparison>;
	/** How steps wait until their activities have ended; left out, a pending one is the step's outcome. */
	readonly wait?: WaitOptions;
	/** Called as each step ends, to show progress. */
	readonly onStep?: (result: StepResult, done: number, total: number) => void;
}

/** The report, or the error that stopped the run with the steps that had ended. `readPosition` is that before verification. */
export type AppliedPlan =
	| { readonly report: Report; readonly readPosition: number | undefined }
	| { readonly error: unknown; readonly steps: readonly StepResult[] };

/** Runs every step that can run. Errors of the service are results. A journal that cannot be written stops the run. */
export function applyPlan(comparison: Comparison, context: ApplyContext): Promise<AppliedPlan> {
	const { organizationId } = comparison.plan;
	return organizationChannel.tracePromise(() => runPlan(comparison, context), { organizationId, work: "apply" });
}

async function runPlan(comparison: Comparison, context: ApplyContext): Promise<AppliedPlan> {
	const { plan, desired } = comparison;
	const startedAtMs = context.now();
	const run = await new StepRun(comparison, context).finish();
	if (run.stopped !== null) return { error: run.stopped.error, steps: [...run.results.values()] };
	const ran = run.steps.map((step) => run.results.get(step.id) as StepResult);
	const completed = ran.filter(({ outcome }) => outcome === "completed");
	const isVerified = context.verify && completed.length > 0;
	const readPosition = isVerified ? context.journal.position() : undefined;
	const verification = isVerified
		? await verify(desired, plan, completed, {
				...context,
				reader: readUntilInterrupted(
					context.reader,
					context.signal,
					"orgsync was interrupted before it read the result",
				),
			})
		: notVerified;
	const { left, kept } = verification;
	const steps = ran.map((result) => failIfKept(result, kept));
	// After a window began or ended, the result was compared with what the document wanted before.
	const overtaken = isVerified ? run.whyOvertaken() : null;
	const unread = findUnreadPolicies(desired, plan.unread);
	const unverified =
		verification.unverified ?? overtaken ?? (unread && `${printScope(unread)}: ${reasonText(unread.because)}`) ?? null;
	const allEnded = steps.every(({ outcome }) => ["completed", "rejected", "denied", "failed"].includes(outcome));
	const allCompleted = steps.every(({ outcome }) => outcome === "completed");
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
		interrupted: run.isCutShort || (context.signal?.aborted === true && (!allEnded || (isVerified && left === null))),
		overrides: [
			// The plan says what a retry would submit, the run what it submitted.
			...(plan.overrides ?? []).filter(({ flag }) => flag !== "retry-rejected"),
			...retriesOf(plan.steps.filter(({ id }) => run.retried.has(id))),
		],
		stats: context.stats(),
	};
	return { report, readPosition };
}

function failIfKept(result: StepResult, kept: ReadonlyMap<string, string>): StepResult {
	const { operation, covers } = result.step;
	const message = covers.flatMap(({ address }) => kept.get(address) ?? [])[0];
	if (message === undefined || !(operation === "update_policy" || operation.startsWith("create_"))) return result;
	return { ...result, outcome: "failed", message };
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
	/** Whether an interruption ended the wait for a pending activity. */
	isCutShort = false;
	/** Ids of creations whose parts were looked for in a new plan. */
	readonly #split = new Set<string>();
	/** What the steps created, by its stand-in: the id that the service made. */
	readonly #created = new Map<string, string>();
	/** Why every further request would fail; null while requests may succeed. */
	#fatal: Said | null = null;
	readonly #inFlight = new Set<Promise<void>>();
	/** Steps whose activities have not ended, by id. */
	readonly #waiting = new Map<string, RanStep>();
	readonly #wait: StepWait | null;
	/** Those of the plan; a creation can be in two parts. */
	readonly steps: Step[];
	readonly #remaining: Set<Step>;
	readonly #plan: Plan;
	#context: ApplyContext & StepContext;
	/** Milliseconds to add to our clock to get the service's. */
	readonly #offsetMs: number;
	/** When the organization was read last, by our clock. */
	#readAtMs: number;
	/** The plan for later steps once others have waited; "outdated" until it is made. */
	#later: LaterPlan | "outdated" | null = null;

	constructor(comparison: Comparison, context: ApplyContext) {
		this.#plan = comparison.plan;
		this.#offsetMs = comparison.exactOffsetMs ?? comparison.clockOffsetMs;
		this.steps = [...comparison.plan.steps];
		this.#remaining = new Set(comparison.plan.steps);
		this.#readAtMs = Date.parse(comparison.plan.readAt);
		const readPolicies = makePolicyReader(comparison.plan.organizationId, context.reader);
		this.#context = { ...context, ...timesOf(comparison), readPolicies };
		this.#wait = context.wait === undefined ? null : new StepWait(comparison.plan, this.#context, context.wait);
	}

	/** Runs the steps as their dependencies and the concurrency allow; resolves when none is in flight and none waits. */
	async finish(): Promise<this> {
		for (;;) {
			const before = this.#remaining.size;
			if (this.stopped === null) await this.#considerAll();
			if (this.#inFlight.size > 0) await Promise.race(this.#inFlight);
			else if (this.#waiting.size > 0) await this.#goOnWaiting();
			else if (this.stopped !== null || this.#remaining.size === 0) return this;
			// Not from makePlan: an edited plan can have steps that depend on themselves, or on steps that do not exist.
			else if (this.#remaining.size === before) this.#skipAll("it depends on steps that never run");
		}
	}

	/** Returns why the plan is not what the document wants now; null while it is. */
	whyOvertaken(): string | null {
		const { validUntil } = this.#plan;
		return validUntil !== undefined && isPastValidity(this.#plan, this.#context.now() + this.#offsetMs)
			? `the plan was valid until ${describeTime(validUntil)}, when a window of the document begins or ends`
			: null;
	}

	async #considerAll(): Promise<void> {
		const { now, compareAgain } = this.#context;
		const isReady = (step: Step): boolean =>
			step.earlierActivity === null && this.#isReady(step) && this.#whyNotAttempted(step) === null;
		if (now() - this.#readAtMs > maxPlanAgeMs) this.#later = "outdated";
		const isLate = this.#later === "outdated" && [...this.#remaining].some(isReady);
		const held = [...this.#remaining].flatMap((step) => this.#partsOf(step));
		if (compareAgain !== undefined && (isLate || held.length > 0)) {
			const later = await planLater(this.#plan, compareAgain);
			this.#readAtMs = now();
			this.#later = later;
			if (later.plan !== null) this.#context = { ...this.#context, ...later.times };
			for (const { step, parts } of held) {
				if (typeof findLater(parts[0], later) === "string") continue;
				this.steps.splice(this.steps.indexOf(step), 1, ...parts);
				this.#remaining.delete(step);
				for (const part of parts) this.#remaining.add(part);
			}
		}
		for (const step of this.#remaining) this.#consider(step);
	}

	/** Returns the parts of a creation that a pending tag holds back, which was not forecast; once. A saved plan runs as reviewed. */
	#partsOf(step: Step): readonly { readonly step: Step; readonly parts: readonly [Step, Step] }[] {
		const isPending = (id: string): boolean =>
			this.#waiting.has(id) || this.results.get(id)?.outcome.startsWith("awaiting") === true;
		const mayBe = this.#context.planDigest === undefined && !this.#split.has(step.id);
		const parts = mayBe ? splitCreation(step, this.steps, isPending) : undefined;
		if (parts === undefined) return [];
		this.#split.add(step.id);
		return [{ step, parts }];
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

	#start(given: Step): void {
		const { organizationId } = this.#plan;
		const skip = (reason: Said): void => this.#record(toStepResult(given, notAttempted(reason)));
		// What was created meanwhile has its id in a plan that was made since.
		const now = this.#asOfNow({ ...given, parameters: fillStandIns(given.parameters, this.#created) } as Step);
		if (typeof now === "string") {
			skip(now);
			return;
		}
		const { plan, step } = now;
		const unknown = standInsIn(step.parameters)[0];
		if (unknown !== undefined) {
			const name = plan.changes.find((one) => one.kind === "userTag" && one.tagId === unknown)?.address ?? unknown;
			skip(say`the service did not say which id ${showAddress(name)} has: run apply again`);
			return;
		}
		const flight = stepChannel
			.tracePromise(() => runStep(step, plan, this.#context), { organizationId, step })
			.then((ran) => this.#end(ran))
			.catch((error: unknown) => {
				// Steps in flight still end, and are in the journal, before the run stops.
				this.stopped ??= { error };
			})
			.finally(() => this.#inFlight.delete(flight));
		this.#inFlight.add(flight);
	}

	/** Returns the step with its plan, or why it cannot be submitted after others have waited. */
	#asOfNow(step: Step): { readonly step: Step; readonly plan: Plan } | string {
		const later = this.#later;
		return later === null || later === "outdated" ? { step, plan: this.#plan } : findLater(step, later);
	}

	/** Records a step that ran, unless it waits. Throws the error of a journal that could not record its outcome. */
	#end(ran: RanStep): void {
		if (ran.step.operation === "create_user_tag") {
			const [id = ""] = createdIdsOf(ran.whole.activity);
			for (const standIn of ran.step.covers) if (uuid.test(id)) this.#created.set(standIn.id, id);
		}
		const results = [ran.whole, ...ran.parts.map(({ result }) => result)];
		this.#fatal ??= results.find(({ isFatal }) => isFatal)?.message ?? null;
		if (results.some(({ isRetry }) => isRetry)) this.retried.add(ran.step.id);
		const journalError = results.find((one) => one.journalError !== null)?.journalError;
		const isKept = this.#wait !== null && journalError === undefined && isWaiting(ran);
		// Steps that come after this one have other dependencies now.
		if (this.#later !== null && [...this.#remaining].some(({ dependsOn }) => dependsOn.includes(ran.step.id)))
			this.#later = "outdated";
		if (!isKept) {
			this.#waiting.delete(ran.step.id);
			this.#record(ran.result);
		} else {
			if (!this.#waiting.has(ran.step.id)) this.#wait?.add(ran);
			this.#waiting.set(ran.step.id, ran);
		}
		if (journalError !== undefined) throw journalError;
	}

	/** Reads what became of the steps that wait. Once waiting has ended, they are recorded as they are. */
	async #goOnWaiting(): Promise<void> {
		const steps = [...this.#waiting.values()];
		const wait = this.stopped === null && this.#fatal === null ? this.#wait : null;
		const end = wait?.endOf(steps) ?? null;
		if (wait === null || end !== null) {
			this.isCutShort = end === "interrupted";
			this.#waiting.clear();
			for (const { result } of steps) this.#record(result);
			return;
		}
		const next = await wait.round(steps);
		this.#later = "outdated";
		try {
			for (const ran of next) this.#end(ran);
		} catch (error) {
			this.stopped ??= { error };
		}
	}

	#record(result: StepResult): void {
		this.results.set(result.step.id, result);
		this.#context.onStep?.(result, this.results.size, this.steps.length);
	}

	#skipAll(reason: string): void {
		for (const step of this.#remaining) this.#record(toStepResult(step, notAttempted(reason)));
		this.#remaining.clear();
	}

	#isReady({ dependsOn }: Step): boolean {
		return dependsOn.every((id) => this.results.get(id)?.outcome === "completed");
	}

	/** Returns why a step can never run, or null while it can. */
	#whyNotAttempted({ dependsOn, earlierActivity }: Step): Said | null {
		// A step with an earlier activity costs no request, and the report has to name that activity.
		if (earlierActivity === null && this.#fatal !== null) return this.#fatal;
		if (earlierActivity === null && this.#context.signal?.aborted === true) return "orgsync was interrupted before it";
		// A question, retries, other steps and the wait for approval take their time.
		const overtaken = earlierActivity === null ? this.whyOvertaken() : null;
		if (overtaken !== null) return `${overtaken}: plan again`;
		const blocking = dependsOn
			.flatMap((id) => this.results.get(id) ?? [])
			.find(({ outcome }) => outcome !== "completed");
		if (blocking === undefined) return null;
		const covers = blocking.step.covers.map(({ address }) => showAddress(address));
		return `a step before it did not complete: ${listFirst(covers, 1)}`;
	}
}
