/**
 * `apply`: settles yesterday's open ends, plans, shows, asks, submits, verifies.
 */
import { ConfigurationError, type ExitCode, exitCodes, LiveProblemError } from "../../errors.ts";
import type { Plan } from "../../plan/plan.ts";
import { showText } from "../../plan/render/escape.ts";
import { renderReport, renderStep } from "../../plan/render/report-text.ts";
import { renderPlan } from "../../plan/render/text.ts";
import { exitCodeOf, type Report } from "../../plan/report.ts";
import type { ApplyContext } from "../../sync/apply.ts";
import type { Comparison } from "../../sync/compare.ts";
import type { Journal } from "../../sync/journal.ts";
import type { Sent } from "../../sync/send.ts";
import { type Connection, type ConnectionFlags, connect, openJournalOf } from "../connect.ts";
import { readDesired } from "../sources.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { compareEach, type DocumentFlags } from "./plan.ts";

export interface ApplyFlags extends DocumentFlags, ConnectionFlags {
	readonly yes?: boolean;
	readonly verify: boolean;
	readonly wait: number;
	readonly retryRejected?: boolean;
	readonly quiet?: boolean;
	/** Activity ids or fingerprints. */
	readonly abandon: readonly string[];
}

/** The report of every organization, after all of their plans were shown and agreed to. */
export async function apply(flags: ApplyFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	const organizations = await readDesired(flags.file, terminal);
	const ask = prepareToAsk(flags, terminal, voice);
	const connection = await connect(flags, terminal, voice);
	const journal = await openJournalOf(flags, terminal);
	const interruption = listenForSignals(voice);
	try {
		const context = makeContext(flags, terminal, voice, connection, journal, interruption.signal);
		for (const name of flags.abandon) giveUp(name, journal, terminal);
		const settled = await settleAll(
			organizations.map(({ organizationId }) => organizationId),
			context,
		);
		const comparisons = await compareEach(organizations, connection, flags, terminal);
		const plans = comparisons.map((comparison) => comparison.plan);
		for (const plan of plans) voice.note(renderPlan(plan, voice.style));
		refuseImpossible(plans);
		const steps = plans.reduce((sum, plan) => sum + plan.steps.length, 0);
		if (steps > 0 && !(await ask(steps))) return declined(plans);
		return showReports(await applyEach(comparisons, { ...context, settled }), plans, flags.quiet === true);
	} finally {
		interruption.stop();
		journal.close();
		await connection.close();
	}
}

function giveUp(name: string, journal: Journal, terminal: Terminal): void {
	if (journal.abandon(name, terminal.now())) return;
	throw new ConfigurationError(`the journal holds nothing open called ${showText(name)}`, {
		hint: "--abandon takes an activity id or a fingerprint, as apply printed it",
	});
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

async function applyEach(comparisons: readonly Comparison[], context: ApplyContext): Promise<readonly Report[]> {
	const engine = await import("../../sync/apply.ts");
	const reports: Report[] = [];
	for (const comparison of comparisons) reports.push(await engine.apply(comparison, context));
	return reports;
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

/** Nothing is sent while one of the organizations cannot become what its document says. */
function refuseImpossible(plans: readonly Plan[]): void {
	const problems = plans.flatMap((plan) => plan.problems);
	if (problems.length === 0) return;
	throw new LiveProblemError(
		problems.length === 1
			? "the organization cannot become what the document says; nothing was sent"
			: `${problems.length} things in the document cannot be made so; nothing was sent`,
		{ hint: "the plan above says why; change the document, or the organization by hand" },
	);
}

/** How agreement is had: by `--yes`, by asking on a terminal, or not at all, which is an error before anything is read. */
function prepareToAsk(flags: ApplyFlags, terminal: Terminal, voice: Voice): (steps: number) => Promise<boolean> {
	if (flags.yes === true) return async () => true;
	if (voice.format === "json") {
		throw new ConfigurationError("apply asks before it submits, but not with --format json", {
			hint: "use --yes, after a look at orgsync plan",
		});
	}
	if (terminal.stdin.isTTY !== true || terminal.stderr.isTTY !== true) {
		throw new ConfigurationError("apply asks before it submits, and there is nobody to ask", {
			hint: "use --yes, after a look at orgsync plan",
		});
	}
	return async (steps) => {
		const { createInterface } = await import("node:readline/promises");
		const lines = createInterface({ input: terminal.stdin, output: terminal.stderr });
		try {
			const what = steps === 1 ? "this activity" : `these ${steps} activities`;
			const answer = await lines.question(`Submit ${what}? Only "yes" does: `);
			return answer.trim() === "yes";
		} finally {
			lines.close();
		}
	};
}

function declined(plans: readonly Plan[]): Result {
	return {
		exitCode: exitCodes.error,
		text: () => "Not applied: nothing was sent.\n",
		json: { plans, reports: [] },
	};
}

/** Steps that completed were told while they did; they are told again only where nobody heard it. */
function showReports(reports: readonly Report[], plans: readonly Plan[], quiet: boolean): Result {
	return {
		exitCode: worst(reports.map(exitCodeOf)),
		text: (style) => reports.map((report) => renderReport(report, style, quiet ? "all" : "open")).join("\n"),
		json: { plans, reports },
	};
}

/** Where several exit codes apply (product.md section 5), the first of these. */
const precedence: readonly ExitCode[] = [130, 7, 9, 1, 8, 2, 0];

function worst(codes: readonly ExitCode[]): ExitCode {
	return precedence.find((code) => codes.includes(code)) ?? exitCodes.converged;
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
