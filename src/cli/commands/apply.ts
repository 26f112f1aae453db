/**
 * `apply`, in four stages: prepare makes the plans, agree shows them and gets consent, run submits, report makes the result.
 * `apply --plan` differs in the first alone.
 */
import { ConfigurationError, exitCodes, InterruptedError } from "../../errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { exitCodeOf, type Report, type StepResult } from "../../plan/report.ts";
import {
	type ApplyResult,
	byOrganization,
	combineExitCodes,
	type ErrorDescription,
	errorsOfFailed,
	resultHead,
} from "../../plan/result.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import { positionsOf } from "../../render/positions.ts";
import { renderStep } from "../../render/report-text.ts";
import { renderPlansToApply } from "../../render/result-text.ts";
import type { ApplyContext } from "../../sync/apply.ts";
import type { Journal } from "../../sync/journal.ts";
import { type Connection, type ConnectionFlags, connect, openJournalOf, withGivenUp } from "../connect.ts";
import { describeError, describeFailed, exitCodeOfError, type OrganizationError } from "../failure.ts";
import { mapConcurrently } from "../map-concurrently.ts";
import type { LocatedResult, Output, Terminal } from "../output.ts";
import {
	type Ask,
	describeImpossible,
	isImpossible,
	prepareToAsk,
	readAbandoned,
	readAllowed,
	refuseBlocked,
} from "./apply-consent.ts";
import { type GivenOverrides, recordOverrides } from "./apply-overrides.ts";
import type { ReviewedPlan } from "./apply-saved.ts";
import { type ComparedOrganization, compareEach } from "./comparing.ts";
import { readSelected, type SelectionFlags } from "./selection.ts";

export interface ApplyFlags extends SelectionFlags, ConnectionFlags {
	/** The file of a saved plan, or `-`. */
	readonly plan?: string;
	/** The digest that the saved plan has to have. */
	readonly digest?: string;
	/** Max milliseconds since the saved plan was made. */
	readonly maxAge?: number;
	/** Whether `reads` was given; if not, it is the default. */
	readonly readsGiven?: boolean;
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

/** Returns the report of every organization. An error that occurs once there are plans is part of the result. */
export async function apply(flags: ApplyFlags, terminal: Terminal, output: Output): Promise<LocatedResult> {
	const order = await readOrder(flags, terminal, output);
	if (order.reviewed?.refusal != null) return report(nothingPrepared(order.reviewed.refusal), [], order);
	const connection = await connect(order.flags, terminal, output);
	const journal = await openJournalOf(order.flags, terminal, output);
	const interruption = listenForSignals(output);
	const run: ApplyRun = { ...order, connection, journal, signal: interruption.signal };
	try {
		const prepared = await prepare(run);
		const refusal = await agree(prepared, run);
		return report(prepared, refusal === null ? await submit(prepared, run) : refusal, run);
	} finally {
		interruption.stop();
		journal.close();
		await connection.close();
	}
}

/** What is to be applied, as the flags, the documents and the saved plan say. */
interface ApplyOrder {
	readonly flags: ApplyFlags;
	readonly terminal: Terminal;
	readonly output: Output;
	readonly given: GivenOverrides;
	readonly organizations: readonly DesiredOrganization[];
	/** Null without `--plan`. */
	readonly reviewed: ReviewedPlan | null;
	readonly ask: Ask;
}

/** An order under way. */
interface ApplyRun extends ApplyOrder {
	readonly connection: Connection;
	readonly journal: Journal;
	readonly signal: AbortSignal;
}

/** Reads flags, documents and the saved plan. Throws before anything is asked of the service. */
async function readOrder(flags: ApplyFlags, terminal: Terminal, output: Output): Promise<ApplyOrder> {
	const given = { allowed: readAllowed(flags.allow), abandoned: readAbandoned(flags.abandon) };
	refuseLoneFlags(flags);
	if (flags.plan !== undefined) {
		const { readReviewedPlan } = await import("./apply-saved.ts");
		const reviewed = await readReviewedPlan(flags.plan, flags, terminal, output);
		const { organizations, reads } = reviewed;
		return { flags: { ...flags, reads }, terminal, output, given, organizations, reviewed, ask: async () => true };
	}
	const organizations = await readSelected(flags, terminal, output);
	const ask = prepareToAsk(flags, terminal, output);
	return { flags, terminal, output, given, organizations, reviewed: null, ask };
}

/** Throws ConfigurationError for flags that only mean something with `--plan`. */
function refuseLoneFlags({ plan, digest, maxAge }: ApplyFlags): void {
	if (plan !== undefined || (digest === undefined && maxAge === undefined)) return;
	throw new ConfigurationError(`${digest === undefined ? "--max-age" : "--digest"} needs --plan`, {
		hint: "orgsync plan --out FILE saves a plan and prints its digest",
	});
}

/** The plans as they were made from what was read, each once. */
interface Prepared {
	/** Sorted by organization, like the plans. */
	readonly compared: readonly ComparedOrganization[];
	readonly plans: readonly Plan[];
	/** Organizations without a plan. */
	readonly failed: readonly OrganizationError[];
	/** Why the saved plan does not run; null when it may, and without one. */
	readonly refusal: Error | null;
}

function nothingPrepared(refusal: Error): Prepared {
	return { compared: [], plans: [], failed: [], refusal };
}

/** Stage 1: settles what earlier runs left open, reads every organization and makes its plan. */
async function prepare(run: ApplyRun): Promise<Prepared> {
	const { flags, given, organizations, reviewed, journal } = run;
	const { findApplied, findOutdated } = await import("./apply-saved.ts");
	const applied = reviewed === null ? null : findApplied(reviewed, journal);
	if (applied !== null) return nothingPrepared(applied);
	const found = await compareEach(organizations, {
		...run,
		journal: withGivenUp(journal, given.abandoned),
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
		refusal: reviewed === null ? null : findOutdated(reviewed, comparisons, journal),
	};
}

/** Why nothing was submitted: the error, or null when the operator declined. */
interface Refusal {
	readonly refusal: ErrorDescription | null;
	readonly exitCode: Report["formatVersion"] extends never ? never : ReturnType<typeof exitCodeOfError>;
}

/** Stage 2: shows the plans and makes sure that they may run. Returns why not, or null when they may. */
async function agree(prepared: Prepared, { given, output, signal, ask, journal, terminal }: ApplyRun): Promise<Refusal | null> {
	const { plans, refusal } = prepared;
	if (plans.length > 0) output.note(renderPlansToApply(plans, output.style));
	try {
		if (refusal !== null) throw refusal;
		const [only, ...others] = plans;
		if (only !== undefined && others.length === 0 && isImpossible(only)) throw describeImpossible(only);
		refuseBlocked(
			plans.filter((plan) => !isImpossible(plan)),
			given.allowed,
		);
		const steps = plans.reduce((sum, plan) => sum + groupSteps(plan.steps).sent.length, 0);
		if (signal.aborted) throw new InterruptedError("orgsync was interrupted; nothing was sent");
		if (steps > 0 && !(await ask(steps))) return { refusal: null, exitCode: exitCodes.error };
		for (const { organizationId } of plans) {
			for (const name of given.abandoned) journal.abandon(organizationId, name, terminal.now());
		}
		if (steps > 0) output.progress(steps === 1 ? "submitting 1 activity" : `submitting ${steps} activities`);
		return null;
	} catch (error) {
		output.showStack(error);
		return { refusal: describeError(error), exitCode: exitCodeOfError(error) };
	}
}
