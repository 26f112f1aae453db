/**
 * `apply`: settles yesterday's open ends, plans, shows, asks, submits, verifies.
 */
import { exitCodes } from "../../errors.ts";
import type { Plan } from "../../plan/plan.ts";
import { positionsOf } from "../../plan/render/positions.ts";
import { renderStep } from "../../plan/render/report-text.ts";
import { renderPlan } from "../../plan/render/text.ts";
import type { Stats, StepResult } from "../../plan/report.ts";
import type { ApplyContext } from "../../sync/apply.ts";
import type { Comparison } from "../../sync/compare.ts";
import type { Journal } from "../../sync/journal.ts";
import type { Sent } from "../../sync/send.ts";
import { type Connection, type ConnectionFlags, connect, openJournalOf, withGivenUp } from "../connect.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { prepareToAsk, readAllowed, readGivenUp, refuseGuarded, refuseImpossible } from "./apply-consent.ts";
import { type Applied, declined, refused, showApplied } from "./apply-result.ts";
import { noReview, type Review } from "./apply-review.ts";
import { compareEach, readSelected, type SelectionFlags } from "./comparing.ts";

export interface ApplyFlags extends SelectionFlags, ConnectionFlags {
	/** The file of a saved plan, or `-`. */
	readonly plan?: string;
	/** Whether `reads` was asked for; if not, it is the default. */
	readonly readsGiven?: boolean;
	readonly yes?: boolean;
	readonly verify: boolean;
	readonly wait: number;
	readonly retryRejected?: boolean;
	readonly quiet?: boolean;
	/** Activity ids or fingerprints. */
	readonly abandon: readonly string[];
	/** `KIND=N` of guards; one kind may have several. */
	readonly allow: readonly string[];
}

/**
 * The report of every organization, after all of their plans were shown and agreed to. What goes wrong once there are
 * plans is told together with them.
 */
export async function apply(given: ApplyFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	const allowed = readAllowed(given.allow);
	const givenUp = readGivenUp(given.abandon);
	const review = given.plan === undefined ? noReview : await openReview(given.plan, given, terminal, voice);
	if (review.refusal !== null) return review.refusal;
	const flags = { ...given, reads: review.reads ?? given.reads };
	const organizations = review.organizations ?? (await readSelected(flags, terminal));
	const ask = review.reads === null ? prepareToAsk(flags, terminal, voice) : async () => true;
	const connection = await connect(flags, terminal, voice);
	const journal = await openJournalOf(flags, terminal);
	const interruption = listenForSignals(voice);
	try {
		const context = {
			...makeContext(flags, terminal, voice, connection, journal, interruption.signal),
			...review.report,
		};
		const ids = organizations.map(({ organizationId }) => organizationId);
		const settled = await settleAll(ids, { ...context, journal: withGivenUp(journal, givenUp) });
		const comparisons = await compareEach(organizations, connection, flags, terminal, voice, givenUp);
		const plans = comparisons.map((comparison) => comparison.plan);
		for (const plan of plans) voice.note(renderPlan(plan, voice.style));
		const positionOf = positionsOf(organizations);
		try {
			review.refuseStale(comparisons);
			refuseImpossible(plans);
			refuseGuarded(plans, allowed);
			const steps = plans.reduce((sum, plan) => sum + countSent(plan), 0);
			if (steps > 0 && !(await ask(steps))) return { ...declined(plans), positionOf };
			for (const id of ids) for (const name of givenUp) journal.abandon(id, name, terminal.now());
			if (steps > 0) voice.progress(steps === 1 ? "submitting 1 activity" : `submitting ${steps} activities`);
		} catch (error) {
			return review.tell({ ...refused(plans, error), positionOf });
		}
		const applied = await applyEach(comparisons, { ...context, settled });
		return review.tell({ ...showApplied(applied, plans, flags.quiet === true), positionOf });
	} finally {
		interruption.stop();
		journal.close();
		await connection.close();
	}
}

function countSent({ steps }: Plan): number {
	return steps.filter(({ waitsFor }) => waitsFor === null).length;
}

async function openReview(file: string, flags: ApplyFlags, terminal: Terminal, voice: Voice): Promise<Review> {
	return (await import("./apply-saved.ts")).openReview(file, flags, terminal, voice);
}

async function settleAll(
	organizationIds: readonly string[],
	context: ApplyContext,
): Promise<ReadonlyMap<string, Sent>> {
	const { settle } = await import("../../sync/apply.ts");
	const all = new Map<string, Sent>();
	for (const id of organizationIds) {
		for (const [fingerprint, sent] of await settle(id, context)) all.set(fingerprint, sent);
	}
	return all;
}

/** One organization after the other; what breaks off in one does not keep the others from theirs. */
async function applyEach(comparisons: readonly Comparison[], context: ApplyContext): Promise<readonly Applied[]> {
	const engine = await import("../../sync/apply.ts");
	const all: Applied[] = [];
	let told = noRequests;
	for (const comparison of comparisons) {
		// The client counts the requests of the whole run: each report tells those since the one before.
		const before = told;
		const stats = (): Stats => subtract(context.stats(), before);
		const steps: StepResult[] = [];
		const onStep: ApplyContext["onStep"] = (result, done, total) => {
			steps.push(result);
			context.onStep?.(result, done, total);
		};
		const { organizationId } = comparison.plan;
		try {
			all.push({ organizationId, report: await engine.apply(comparison, { ...context, stats, onStep }) });
		} catch (error) {
			all.push({ organizationId, error, steps });
		}
		told = context.stats();
	}
	return all;
}

const noRequests: Stats = { queries: 0, submits: 0, retries: 0, throttledMs: 0 };

function subtract(all: Stats, earlier: Stats): Stats {
	return {
		queries: all.queries - earlier.queries,
		submits: all.submits - earlier.submits,
		retries: all.retries - earlier.retries,
		throttledMs: all.throttledMs - earlier.throttledMs,
	};
}

function makeContext(
	flags: ApplyFlags,
	terminal: Terminal,
	voice: Voice,
	connection: Connection,
	journal: Journal,
	signal: AbortSignal,
): ApplyContext {
	return {
		reader: connection.client.reader,
		submitter: connection.client.submitter,
		journal,
		now: terminal.now,
		sleep: terminal.sleep,
		concurrency: flags.concurrency,
		reads: flags.reads,
		waitMs: flags.wait * 1000,
		verify: flags.verify,
		stats: () => connection.client.stats(),
		signal,
		...(flags.retryRejected === true ? { retryRejected: true } : {}),
		onStep: (result, done, total) => {
			voice.note(`[${done}/${total}] ${renderStep(result, voice.style)[0] ?? ""}`);
		},
	};
}

/** The first Ctrl-C or SIGTERM ends the work after the steps in flight; a second one ends it at once. */
function listenForSignals(voice: Voice): { signal: AbortSignal; stop: () => void } {
	const controller = new AbortController();
	const listener = (): void => {
		if (controller.signal.aborted) process.exit(exitCodes.interrupted);
		voice.note("Interrupted: the steps in flight are finished, no other is begun. Once more ends at once.");
		controller.abort();
	};
	process.on("SIGINT", listener);
	process.on("SIGTERM", listener);
	return {
		signal: controller.signal,
		stop: () => {
			process.off("SIGINT", listener);
			process.off("SIGTERM", listener);
		},
	};
}
