/** `apply`, in four stages: prepare, agree, submit, report. `apply --plan` differs only in the first. */

import { fleetOf } from "../../document/fleet.ts";
import { ConfigurationError, exitCodes, InterruptedError, StalePlanError } from "../../errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { exitCodeOf, type Report } from "../../plan/report.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import { positionsOf } from "../../render/positions.ts";
import { renderStep } from "../../render/report-text.ts";
import { type ApplyResult, byOrganization } from "../../render/result.ts";
import { renderPlansToApply } from "../../render/result-text.ts";
import type { ApplyContext } from "../../sync/apply.ts";
import type { Journal } from "../../sync/journal.ts";
import { type Connection, type ConnectionFlags, withAbandoned, withConnection, withJournal } from "../connect.ts";
import { describeError, exitCodeOfError, type OrganizationError, organizationsHead } from "../failure.ts";
import { mapConcurrently } from "../map-concurrently.ts";
import type { Call, Output } from "../output.ts";
import type { LocatedResult } from "../result-stream.ts";
import {
	type Ask,
	describeImpossible,
	type GivenOverrides,
	isImpossible,
	prepareToAsk,
	readOverrides,
	recordOverrides,
	refuseBlocked,
	refuseImpossible,
} from "./apply-consent.ts";
import type { ReviewedPlan, SavedPlanCall } from "./apply-saved.ts";
import { type ComparedOrganization, compareEach } from "./comparing.ts";
import { readSelected, type SelectionFlags } from "./selection.ts";

export interface ApplyFlags extends SelectionFlags, ConnectionFlags {
	/** The file of a saved plan, or `-`. */
	readonly plan?: string;
	/** The digest that the saved plan has to have. */
	readonly digest?: string;
	/** Max milliseconds since the saved plan was made. */
	readonly maxAge?: number;
	readonly yes?: boolean;
	readonly verify: boolean;
	/** Seconds. */
	readonly wait: number;
	readonly retryRejected?: boolean;
	readonly quiet?: boolean;
	/** Activity ids or fingerprints. */
	readonly abandon: readonly string[];
	/** `KIND=N` of guards; one kind may have several. */
	readonly allow: readonly string[];
}

/** Returns the report of every organization. An error after the plans were made is part of the result. */
export async function apply(call: ApplyCall): Promise<LocatedResult> {
	const order = await readOrder(call);
	const refusal = order.reviewed?.refusal ?? null;
	if (refusal !== null) return report(refuse(refusal), { isAgreed: false, error: refusal }, [], order);
	return withConnection(order, (connection) =>
		withJournal(order, async (journal) => {
			const interruption = listenForSignals(call.output);
			const run: ApplyRun = { ...order, connection, journal, signal: interruption.signal };
			try {
				const prepared = await prepare(run);
				const agreement = await agree(prepared, run);
				const ends = agreement.isAgreed ? await submit(prepared, run) : [];
				return report(prepared, agreement, ends, order);
			} finally {
				interruption.stop();
			}
		}),
	);
}

type ApplyCall = Call<ApplyFlags> & Pick<SavedPlanCall, "isGiven">;

/** What to apply, as the flags, the documents and the saved plan say. */
interface ApplyOrder extends Call<ApplyFlags> {
	readonly given: GivenOverrides;
	readonly organizations: readonly DesiredOrganization[];
	/** Null without `--plan`. */
	readonly reviewed: ReviewedPlan | null;
	readonly ask: Ask;
}

interface ApplyRun extends ApplyOrder {
	readonly connection: Connection;
	readonly journal: Journal;
	readonly signal: AbortSignal;
}

/** Reads flags, documents and the saved plan. Throws before any request. */
async function readOrder(call: ApplyCall): Promise<ApplyOrder> {
	const { flags } = call;
	const given = readOverrides(flags);
	refuseLoneFlags(flags);
	if (flags.plan === undefined) {
		const organizations = await readSelected(call);
		return { ...call, given, organizations, reviewed: null, ask: prepareToAsk(call) };
	}
	const { readReviewedPlan } = await import("./apply-saved.ts");
	const reviewed = await readReviewedPlan(flags.plan, call);
	const { organizations, reads } = reviewed;
	return { ...call, flags: { ...flags, reads }, given, organizations, reviewed, ask: async () => true };
}

/** Throws ConfigurationError for flags that need `--plan`. */
function refuseLoneFlags({ plan, digest, maxAge }: ApplyFlags): void {
	if (plan !== undefined || (digest === undefined && maxAge === undefined)) return;
	throw new ConfigurationError(`${digest === undefined ? "--max-age" : "--digest"} needs --plan`, {
		hint: "orgsync plan --out FILE saves a plan and prints its digest",
	});
}

/** The plans, each made once. */
interface Prepared {
	/** Sorted by organization, like the plans. */
	readonly compared: readonly ComparedOrganization[];
	readonly plans: readonly Plan[];
	/** Organizations without a plan. */
	readonly failed: readonly OrganizationError[];
	/** Why the saved plan must not run; null if it may, or if there is none. */
	readonly refusal: Error | null;
}

function refuse(refusal: Error): Prepared {
	return { compared: [], plans: [], failed: [], refusal };
}

/** Stage 1: settles open requests of earlier runs, reads every organization and makes its plan. */
async function prepare(run: ApplyRun): Promise<Prepared> {
	const { flags, given, organizations, reviewed, journal } = run;
	const applied = reviewed?.findApplied(journal) ?? null;
	if (applied !== null) return refuse(applied);
	const found = await compareEach(fleetOf(organizations), {
		...run,
		journal: withAbandoned(journal, given.abandoned),
		...(flags.retryRejected === true ? { retryRejected: true } : {}),
	});
	const compared = found.compared
		.map((one) => recordOverrides(one, given, journal))
		.sort((left, right) => byOrganization(left.comparison.plan, right.comparison.plan));
	const comparisons = compared.map(({ comparison }) => comparison);
	return {
		compared,
		plans: comparisons.map(({ plan }) => plan),
		failed: [...found.failed, ...(reviewed?.notPlanned ?? [])].sort(byOrganization),
		refusal: reviewed?.findStale(comparisons, journal) ?? null,
	};
}

/** Whether the plans may run; if not, the error that stops them, or null if the operator declined. */
type Agreement = { readonly isAgreed: true } | { readonly isAgreed: false; readonly error: unknown };

/** Stage 2: shows the plans, checks the guards and asks. */
async function agree({ plans, refusal }: Prepared, run: ApplyRun): Promise<Agreement> {
	const { given, output, signal, ask, journal, terminal } = run;
	if (plans.length > 0) output.note(renderPlansToApply(plans, output.style));
	try {
		if (refusal !== null) throw refusal;
		refuseImpossible(plans);
		refuseBlocked(plans, given.allowed);
		const steps = plans.reduce((sum, plan) => sum + groupSteps(plan.steps).sent.length, 0);
		if (signal.aborted) throw new InterruptedError("orgsync was interrupted; nothing was sent");
		if (steps > 0 && !(await ask(steps))) return { isAgreed: false, error: null };
		for (const { organizationId } of plans) {
			for (const name of given.abandoned) journal.abandon(organizationId, name, terminal.now());
		}
		if (steps > 0) output.progress(steps === 1 ? "submitting 1 activity" : `submitting ${steps} activities`);
		return { isAgreed: true };
	} catch (error) {
		output.showStack(error);
		return { isAgreed: false, error };
	}
}

/** How the apply of one organization ended: with a report, or with an error after some steps. */
type OrganizationEnd = { readonly organizationId: string; readonly report: Report } | OrganizationError;

/** Stage 3: submits the steps, `--concurrency` organizations at once. One that fails does not stop the others. */
async function submit({ compared }: Prepared, run: ApplyRun): Promise<readonly OrganizationEnd[]> {
	const { applyPlan } = await import("../../sync/apply.ts");
	const { flags, output } = run;
	const possible = compared.filter(({ comparison }) => !isImpossible(comparison.plan));
	const applied = await mapConcurrently(possible, flags.concurrency, async (one): Promise<OrganizationEnd> => {
		const { organizationId } = one.comparison.plan;
		const about = possible.length === 1 ? "" : `${organizationId} `;
		const end = await applyPlan(one.comparison, {
			...contextOf(one, possible.length, run),
			onStep: (result, done, total) => {
				output.note(`${about}[${done}/${total}] ${renderStep(result, one.comparison.plan, output.style)[0] ?? ""}`);
			},
		});
		if ("error" in end) output.showStack(end.error);
		return { organizationId, ...end };
	});
	const impossible = compared.flatMap(({ comparison: { plan } }): readonly OrganizationEnd[] =>
		isImpossible(plan) ? [{ organizationId: plan.organizationId, error: describeImpossible(plan) }] : [],
	);
	return [...applied, ...impossible].sort(byOrganization);
}

function contextOf({ client, settled }: ComparedOrganization, organizations: number, run: ApplyRun): ApplyContext {
	const { flags, terminal, journal, reviewed, signal } = run;
	return {
		reader: client.reader,
		submitter: client.submitter,
		journal,
		settled,
		now: terminal.now,
		sleep: terminal.sleep,
		// All organizations together run as many steps at once as a single one.
		concurrency: Math.max(1, Math.floor(flags.concurrency / organizations)),
		waitMs: flags.wait * 1000,
		verify: flags.verify,
		stats: () => client.stats(),
		signal,
		...(reviewed === null ? {} : { planDigest: reviewed.saved.digest }),
		...(flags.retryRejected === true ? { retryRejected: true } : {}),
	};
}

/** Stage 4: returns the result. `ends` is empty if nothing was submitted. */
function report(
	{ plans, failed: unplanned }: Prepared,
	agreement: Agreement,
	ends: readonly OrganizationEnd[],
	{ organizations, reviewed }: ApplyOrder,
): LocatedResult {
	const reports = ends.flatMap((one) => ("report" in one ? [one.report] : []));
	const stopped = ends.flatMap((one) => ("error" in one ? [one] : []));
	const refusal = agreement.isAgreed ? null : agreement.error;
	const codes = [
		...reports.map(exitCodeOf),
		...(agreement.isAgreed ? [] : [refusal === null ? exitCodes.error : exitCodeOfError(refusal)]),
	];
	const result: ApplyResult = {
		...organizationsHead("apply", plans, [...unplanned, ...stopped].sort(byOrganization), codes),
		...(refusal === null ? {} : { error: describeError(refusal) }),
		reports,
		...(reviewed === null ? {} : { savedPlan: reviewed.facts }),
		...(refusal instanceof StalePlanError ? { outdated: refusal.outdated } : {}),
	};
	return { result, positionOf: positionsOf(organizations) };
}

/** The first Ctrl-C or SIGTERM stops after the steps in flight, the second at once. */
function listenForSignals(output: Output): { signal: AbortSignal; stop: () => void } {
	const controller = new AbortController();
	const listener = (): void => {
		if (controller.signal.aborted) {
			output.clear();
			process.exit(exitCodes.interrupted);
		}
		output.note(
			"Interrupted: finishing the steps in flight and starting no others. Press Ctrl-C again to exit immediately.",
		);
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
