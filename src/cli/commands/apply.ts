/**
 * `apply`: settles yesterday's open ends, plans, shows, asks, submits, verifies.
 */
import { ConfigurationError, type ExitCode, exitCodes, GuardError, LiveProblemError } from "../../errors.ts";
import { guardKinds, isGuardKind, refusingGuards } from "../../plan/guards.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { showText } from "../../plan/render/escape.ts";
import { positionsOf } from "../../plan/render/positions.ts";
import { notApplied, renderReport, renderStep } from "../../plan/render/report-text.ts";
import { renderPlan } from "../../plan/render/text.ts";
import { exitCodeOf, type Report } from "../../plan/report.ts";
import type { ApplyContext } from "../../sync/apply.ts";
import type { Comparison } from "../../sync/compare.ts";
import type { Journal } from "../../sync/journal.ts";
import type { Sent } from "../../sync/send.ts";
import { type Connection, type ConnectionFlags, connect, openJournalOf } from "../connect.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { compareEach, readSelected, type SelectionFlags } from "./plan.ts";

export interface ApplyFlags extends SelectionFlags, ConnectionFlags {
	readonly yes?: boolean;
	readonly verify: boolean;
	readonly wait: number;
	readonly retryRejected?: boolean;
	readonly quiet?: boolean;
	/** Activity ids or fingerprints. */
	readonly abandon: readonly string[];
	/** `KIND=N` of guards. */
	readonly allow: readonly string[];
}

/** The report of every organization, after all of their plans were shown and agreed to. */
export async function apply(flags: ApplyFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	const allowed = readAllowed(flags.allow);
	const organizations = await readSelected(flags, terminal);
	const ask = prepareToAsk(flags, terminal, voice);
	const connection = await connect(flags, terminal, voice);
	const journal = await openJournalOf(flags, terminal);
	const interruption = listenForSignals(voice);
	try {
		const context = makeContext(flags, terminal, voice, connection, journal, interruption.signal);
		for (const name of flags.abandon) giveUp(name, organizations, journal, terminal);
		const settled = await settleAll(
			organizations.map(({ organizationId }) => organizationId),
			context,
		);
		const comparisons = await compareEach(organizations, connection, flags, terminal, voice);
		const plans = comparisons.map((comparison) => comparison.plan);
		for (const plan of plans) voice.note(renderPlan(plan, voice.style));
		refuseImpossible(plans);
		refuseGuarded(plans, allowed);
		const steps = plans.reduce((sum, plan) => sum + plan.steps.filter(({ waitsFor }) => waitsFor === null).length, 0);
		if (steps > 0 && !(await ask(steps))) return declined(plans);
		if (steps > 0) voice.progress(steps === 1 ? "submitting 1 activity" : `submitting ${steps} activities`);
		const reports = await applyEach(comparisons, { ...context, settled });
		return { ...showReports(reports, plans, flags.quiet === true), positionOf: positionsOf(organizations) };
	} finally {
		interruption.stop();
		journal.close();
		await connection.close();
	}
}

function giveUp(
	name: string,
	organizations: readonly DesiredOrganization[],
	journal: Journal,
	terminal: Terminal,
): void {
	if (!/^(sha256:[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(name)) {
		throw new ConfigurationError(`--abandon ${showText(name)}: that is no activity`, {
			hint: "give an activity id or a fingerprint, as apply and status print them",
		});
	}
	for (const { organizationId } of organizations) journal.abandon(organizationId, name.toLowerCase(), terminal.now());
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

/** Nothing is sent while a guard refuses in one of the organizations. */
function refuseGuarded(plans: readonly Plan[], allowed: ReadonlyMap<string, number>): void {
	const refusing = plans.flatMap((plan) => refusingGuards(plan.guards, allowed));
	if (refusing.length === 0) return;
	const said = refusing.map(({ message, limit }) => `${message} (allowed: ${limit})`).join("; ");
	const all = plans.flatMap((plan) => plan.guards).filter(({ refuses }) => refuses);
	const values = all.map(({ kind, found }) => `--allow ${kind}=${found}`).join(" ");
	throw new GuardError(`refused, nothing was sent: ${said}`, { hint: `when this is meant: ${values}` });
}

/** `--allow KIND=N`, by kind. A guard that is named with another number than it found still refuses. */
function readAllowed(texts: readonly string[]): ReadonlyMap<string, number> {
	return new Map(
		texts.map((text) => {
			const [, kind = "", value = ""] = /^(\w+)=(\d+)$/.exec(text) ?? [];
			if (isGuardKind(kind)) return [kind, Number(value)];
			throw new ConfigurationError(`--allow ${showText(text)}: that acknowledges no guard`, {
				hint: `write KIND=N with the number that the plan found, KIND one of ${guardKinds.join(", ")}`,
			});
		}),
	);
}

/** How agreement is had: by `--yes`, by asking on a terminal, or not at all, which is an error before anything is read. */
function prepareToAsk(flags: ApplyFlags, terminal: Terminal, voice: Voice): (steps: number) => Promise<boolean> {
	if (flags.yes === true) return async () => true;
	if (voice.format !== "text") {
		throw new ConfigurationError(`apply asks before it submits, but not with --format ${voice.format}`, {
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
		text: () => `${notApplied}\n`,
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
