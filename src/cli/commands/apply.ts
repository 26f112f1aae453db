/**
 * `apply`: settles yesterday's open ends, plans, shows, asks, submits, verifies.
 */
import { ConfigurationError, exitCodes, InterruptedError } from "../../errors.ts";
import type { Plan } from "../../plan/plan.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import { compareText } from "../../plan/value.ts";
import { positionsOf } from "../../render/positions.ts";
import { renderStep } from "../../render/report-text.ts";
import type { ApplyContext } from "../../sync/apply.ts";
import type { Journal } from "../../sync/journal.ts";
import type { SubmitResult } from "../../sync/outcomes.ts";
import type { OrganizationClient } from "../../wire/client.ts";
import { type ConnectionFlags, connect, openJournalOf, withAbandoned } from "../connect.ts";
import { mapConcurrently } from "../map-concurrently.ts";
import type { Output, Result, Terminal } from "../output.ts";
import { prepareToAsk, readAbandoned, readAllowed, refuseGuarded, setAside } from "./apply-consent.ts";
import { recordOverrides } from "./apply-overrides.ts";
import { type Applied, declined, refused, showApplied } from "./apply-result.ts";
import { noReview, type Review } from "./apply-review.ts";
import { type Compared, compareEach, readSelected, type SelectionFlags } from "./comparing.ts";
import { renderPlansToApply } from "./showing.ts";

export interface ApplyFlags extends SelectionFlags, ConnectionFlags {
	/** The file of a saved plan, or `-`. */
	readonly plan?: string;
	/** The digest that the saved plan has to have. */
	readonly digest?: string;
	/** Milliseconds since the saved plan was made, at most. */
	readonly maxAge?: number;
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
export async function apply(given: ApplyFlags, terminal: Terminal, output: Output): Promise<Result> {
	const allowed = readAllowed(given.allow);
	const abandoned = readAbandoned(given.abandon);
	const review = await openReview(given, terminal, output);
	if (review.refusal !== null) return review.refusal;
	const flags = { ...given, reads: review.reads ?? given.reads };
	const organizations = review.organizations ?? (await readSelected(flags, terminal, output));
	const ask = review.reads === null ? prepareToAsk(flags, terminal, output) : async () => true;
	const connection = await connect(flags, terminal, output);
	const journal = await openJournalOf(flags, terminal, output);
	const interruption = listenForSignals(output);
	try {
		const context: RunContext = { flags, terminal, output, journal, review, signal: interruption.signal };
		const before = review.findApplied(journal);
		if (before !== null) return review.tell(refused([], before, []));
		const settled = new Map<string, SubmitResult>();
		const viewed = withAbandoned(journal, abandoned);
		const { compared: found, unlooked: unread } = await compareEach(
			organizations,
			connection,
			flags,
			terminal,
			output,
			{
				journal: viewed,
				signal: interruption.signal,
				...(flags.retryRejected === true ? { retryRejected: true } : {}),
				prepare: async (id, line) => {
					const { settleOpenEntries } = await import("../../sync/settle.ts");
					const given = { reader: line.reader, journal: viewed, reads: flags.reads, now: terminal.now };
					for (const [fingerprint, sent] of await settleOpenEntries(id, given)) settled.set(fingerprint, sent);
				},
			},
		);
		const compared = found.map((one) => recordOverrides(one, { allowed, abandoned: abandoned }, journal));
		const unlooked = [...unread, ...review.notPlanned].sort(byOrganization);
		const comparisons = compared.map(({ comparison }) => comparison);
		const plans = comparisons.map(({ plan }) => plan).sort(byOrganization);
		if (plans.length > 0) output.note(renderPlansToApply(plans, output.style));
		const positionOf = positionsOf(organizations);
		const { possible, impossible } = setAside(plans, compared);
		try {
			review.refuseStale(comparisons, journal);
			if (plans.length === 1 && impossible[0] !== undefined) throw impossible[0].error;
			refuseGuarded(
				possible.map(({ comparison }) => comparison.plan),
				allowed,
			);
			const steps = plans.reduce((sum, plan) => sum + countSent(plan), 0);
			if (interruption.signal.aborted) throw new InterruptedError("orgsync was interrupted; nothing was sent");
			if (steps > 0 && !(await ask(steps))) return { ...declined(plans, unlooked), positionOf };
			for (const { comparison } of compared) {
				for (const name of abandoned) journal.abandon(comparison.plan.organizationId, name, terminal.now());
			}
			if (steps > 0) output.progress(steps === 1 ? "submitting 1 activity" : `submitting ${steps} activities`);
		} catch (error) {
			return review.tell({ ...refused(plans, error, unlooked), positionOf });
		}
		const applied = await applyEach(possible, settled, context);
		const left = unlooked.map((one) => ({ ...one, steps: [] }));
		const all = [...applied, ...impossible, ...left].sort(byOrganization);
		return review.tell({ ...showApplied(all, plans, flags.quiet === true), positionOf });
	} finally {
		interruption.stop();
		journal.close();
		await connection.close();
	}
}

/** `--digest` and `--max-age` say something of a saved plan. Throws ConfigurationError where there is none. */
function refuseLoneFlags({ plan, digest, maxAge }: ApplyFlags): void {
	if (plan !== undefined || (digest === undefined && maxAge === undefined)) return;
	throw new ConfigurationError(`${digest === undefined ? "--max-age" : "--digest"} needs --plan`, {
		hint: "orgsync plan --out FILE saves a plan and prints its digest",
	});
}

function countSent({ steps }: Plan): number {
	return groupSteps(steps).sent.length;
}

async function openReview(flags: ApplyFlags, terminal: Terminal, output: Output): Promise<Review> {
	refuseLoneFlags(flags);
	if (flags.plan === undefined) return noReview;
	return (await import("./apply-saved.ts")).openReview(flags.plan, flags, terminal, output);
}

/** `--concurrency` organizations at once; what breaks off in one does not keep the others from theirs. */
async function applyEach(
	all: readonly Compared[],
	settled: ReadonlyMap<string, SubmitResult>,
	run: RunContext,
): Promise<readonly Applied[]> {
	const engine = await import("../../sync/apply.ts");
	const { concurrency } = run.flags;
	// As many steps at once as one organization alone would have.
	const stepsAtOnce = Math.max(1, Math.floor(concurrency / Math.max(1, all.length)));
	return mapConcurrently(all, concurrency, async ({ comparison, line }): Promise<Applied> => {
		const { organizationId } = comparison.plan;
		const context = makeContext(run, line);
		const about = all.length === 1 ? "" : `${organizationId} `;
		const onStep: ApplyContext["onStep"] = (result, done, total) => {
			run.output.note(`${about}[${done}/${total}] ${renderStep(result, run.output.style)[0] ?? ""}`);
		};
		const given = { ...context, concurrency: stepsAtOnce, settled, onStep };
		return { organizationId, ...(await engine.applyPlan(comparison, given)) };
	});
}

function byOrganization(left: { organizationId: string }, right: { organizationId: string }): number {
	return compareText(left.organizationId, right.organizationId);
}

/** What all organizations of one call share. */
interface RunContext {
	readonly flags: ApplyFlags;
	readonly terminal: Terminal;
	readonly output: Output;
	readonly journal: Journal;
	readonly review: Review;
	readonly signal: AbortSignal;
}

function makeContext({ flags, terminal, journal, review, signal }: RunContext, line: OrganizationClient): ApplyContext {
	return {
		reader: line.reader,
		submitter: line.submitter,
		journal,
		now: terminal.now,
		sleep: terminal.sleep,
		concurrency: flags.concurrency,
		waitMs: flags.wait * 1000,
		verify: flags.verify,
		stats: () => line.stats(),
		...review.report,
		signal,
		...(flags.retryRejected === true ? { retryRejected: true } : {}),
	};
}

/** The first Ctrl-C or SIGTERM ends the work after the steps in flight; a second one ends it at once. */
function listenForSignals(output: Output): { signal: AbortSignal; stop: () => void } {
	const controller = new AbortController();
	const listener = (): void => {
		if (controller.signal.aborted) {
			output.clear();
			process.exit(exitCodes.interrupted);
		}
		output.note("Interrupted: the steps in flight are finished, no other is begun. Once more ends at once.");
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
