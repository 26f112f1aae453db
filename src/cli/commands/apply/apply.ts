/** `apply`, in four stages: prepare, confirm, submit, report. `apply --plan` differs only in the first. */

import { defined } from "../../../common/defined.ts";
import { exitCodes, StalePlanError } from "../../../common/errors.ts";
import { type DesiredFleet, filterFleet, fleetOf } from "../../../document/read/fleet.ts";
import { findUnreadPolicies } from "../../../plan/kinds/policy-changes.ts";
import { namedAs, showOrganization } from "../../../plan/organization-name.ts";
import { isIdle } from "../../../plan/plan.ts";
import { exitCodeOf } from "../../../plan/report.ts";
import { isSending } from "../../../plan/step-groups.ts";
import type { CommandContext } from "../../../plan/suggested-command.ts";
import { stepLines } from "../../../render/print/text.ts";
import { byOrganization, type FoundOrganization } from "../../../render/result/found.ts";
import type { ResumableRun } from "../../../render/result/result.ts";
import { stepRow } from "../../../render/sections/steps.ts";
import { findSoonEnding } from "../../../render/sections/windows.ts";
import { recordInSync } from "../../../sync/applied-objects.ts";
import type { ApplyContext } from "../../../sync/apply.ts";
import type { Journal } from "../../../sync/journal/journal.ts";
import { type Connection, connect, openJournalOf, withAbandoned } from "../../connect.ts";
import { withRequiredCases } from "../../files/access-files.ts";
import { readFleet } from "../../files/sources.ts";
import { isStreamed } from "../../flags/formats.ts";
import type { Flags } from "../../flags/given-flags.ts";
import { mapInOrder } from "../../map-in-order.ts";
import { describeError, exitCodeOfError, failedIn } from "../../output/failure.ts";
import type { Call } from "../../output/output.ts";
import type { ResultEnd, ResultStream } from "../../output/result-stream.ts";
import { onSignals } from "../../output/terminal.ts";
import { type ComparedOrganization, type ComparisonFlags, compareFleet } from "../comparing.ts";
import { commandsOf, selectFrom } from "../selection.ts";
import { describeSigning } from "../signing.ts";
import { type Confirmation, comparedIn, confirm, type Prepared, type PreparedOrganization } from "./confirm.ts";
import {
	type Ask,
	describeImpossible,
	type GivenOverrides,
	isImpossible,
	prepareToAsk,
	readOverrides,
	recordOverrides,
	refuseLoneFlags,
} from "./consent.ts";
import { chooseRun, type OpenRun, openRun } from "./run.ts";
import type { ReviewedPlan, SavedPlanCall, SavedPlanFlags } from "./saved.ts";
import { RunWait } from "./wait.ts";

type ApplyFlags = ComparisonFlags &
	SavedPlanFlags &
	Flags<"plan" | "yes" | "verify" | "wait" | "waitForApproval" | "quiet" | "allow">;

/**
 * Returns the result, one organization after the other. Nothing is submitted before all of them are planned. An error after the
 * plans were made is part of the result.
 */
export async function apply(call: ApplyCall): Promise<ResultStream> {
	const order = await readOrder(call);
	const { size, commands, run } = order;
	return { command: "apply", size, parts: applyFleet(order), commands, ...defined({ run }) };
}

type ApplyCall = Call<ApplyFlags> & Pick<SavedPlanCall, "isGiven">;

/** What to apply, as the flags, the documents and the saved plan say. */
interface ApplyOrder extends Call<ApplyFlags> {
	readonly given: GivenOverrides;
	readonly fleet: DesiredFleet;
	/** What suggested commands repeat of the call. */
	readonly commands: CommandContext;
	/** Null without `--plan`. */
	readonly reviewed: ReviewedPlan | null;
	readonly ask: Ask;
	/** How many organizations the result is about. */
	readonly size: number;
	/** Undefined if there is nothing to resume. */
	readonly run: ResumableRun | undefined;
}

interface ApplyRun extends ApplyOrder {
	readonly connection: Connection;
	readonly journal: Journal;
	readonly signal: AbortSignal;
	/** Whether a person confirms the plans. */
	readonly isPersonAsked: boolean;
	/** Undefined if there is nothing to resume. */
	readonly openRun: OpenRun | undefined;
}

/** Reads flags, documents and the saved plan. Throws before any request. */
async function readOrder(call: ApplyCall): Promise<ApplyOrder> {
	const { flags, terminal } = call;
	const given = readOverrides(flags);
	refuseLoneFlags(flags);
	if (flags.plan === undefined) {
		const all = withRequiredCases(await readFleet(flags, terminal), flags, terminal);
		const fleet = await selectFrom(all, call);
		const size = fleet.organizationIds.length;
		const own = { ...call, given, commands: commandsOf(all, flags), size, run: chooseRun(call, size) };
		return { ...own, fleet, reviewed: null, ask: prepareToAsk(call) };
	}
	const { readReviewedPlan } = await import("./saved.ts");
	const reviewed = await readReviewedPlan(flags.plan, call);
	const { organizations, notPlanned, reads, commands } = reviewed;
	const size = organizations.length + notPlanned.length;
	const own = { ...call, flags: { ...flags, reads }, given, commands, size, run: undefined };
	return { ...own, fleet: fleetOf(organizations), reviewed, ask: async () => true };
}

async function* applyFleet(order: ApplyOrder): AsyncGenerator<FoundOrganization, ResultEnd> {
	const refusal = order.reviewed?.refusal ?? null;
	if (refusal !== null) return endOf({ isConfirmed: false, error: refusal }, order);
	const interruption = listenForSignals(order);
	let connection: Connection | undefined;
	let journal: Journal | undefined;
	try {
		connection = await connect(order);
		journal = await openJournalOf(order);
		const record = order.run === undefined ? undefined : openRun(order.run, order.fleet, journal, order);
		const isPersonAsked = order.flags.yes !== true && order.reviewed === null;
		const { signal } = interruption;
		const run: ApplyRun = { ...order, isPersonAsked, signal, openRun: record, connection, journal };
		const { prepared, confirmation } = await confirm(await prepare(run), run, (one) => readAgain(one, run));
		interruption.isSubmitting = confirmation.isConfirmed;
		yield* confirmation.isConfirmed ? submit(prepared, run) : prepared.readings.map(withhold);
		record?.end();
		return endOf(confirmation, order);
	} finally {
		interruption.stop();
		journal?.close();
		await connection?.close(interruption.signal.aborted);
	}
}

/**
 * Stage 1: settles open requests of earlier runs, reads every organization and makes its plan. Of an organization that is in
 * sync it keeps no plan, unless the result shows it.
 */
async function prepare(run: ApplyRun): Promise<Prepared> {
	const { fleet, reviewed, journal, openRun } = run;
	const applied = reviewed?.findApplied(journal) ?? null;
	if (applied !== null) return { readings: [], refusal: applied };
	const readings: PreparedOrganization[] = (reviewed?.notPlanned ?? []).map(failedIn);
	const isFinished = (organizationId: string): boolean => openRun?.isFinished(organizationId) === true;
	for (const organizationId of fleet.organizationIds.filter(isFinished)) {
		readings.push({ organizationId, exitCode: exitCodes.inSync, state: "notRead" });
	}
	readings.push(...(await readFleetPlans((organizationId) => !isFinished(organizationId), run)));
	readings.sort(byOrganization);
	const comparisons = comparedIn(readings).map(({ comparison }) => comparison);
	return { readings, refusal: reviewed?.findStale(comparisons, journal) ?? null };
}

async function readFleetPlans(
	isWanted: (organizationId: string) => boolean,
	run: ApplyRun,
): Promise<PreparedOrganization[]> {
	const { flags, given, fleet, journal } = run;
	const context = {
		...run,
		isAlone: run.size === 1,
		journal: withAbandoned(journal, given.abandoned),
		retryRejected: flags.retryRejected,
	};
	const all = compareFleet(filterFleet(fleet, isWanted), context, (each) => keepReading(each, run));
	return (await Array.fromAsync(all)).map((one) => ("error" in one ? failedIn(one) : one));
}

/** Reads the organizations again to which something is to be submitted, and makes their plans as they are now. */
async function readAgain({ readings, refusal }: Prepared, run: ApplyRun): Promise<Prepared> {
	const sending = new Set(
		comparedIn(readings)
			.filter(({ comparison }) => isSending(comparison.plan))
			.map(({ organizationId }) => organizationId),
	);
	const fresh = await readFleetPlans((organizationId) => sending.has(organizationId), run);
	const kept = readings.filter(({ organizationId }) => !sending.has(organizationId));
	return { readings: [...kept, ...fresh].sort(byOrganization), refusal };
}

/** Returns what has to be kept of an organization that was read. */
function keepReading(compared: ComparedOrganization, run: ApplyRun): PreparedOrganization {
	const { given, journal, output, reviewed, openRun } = run;
	const one = recordOverrides(compared, given, journal);
	const { plan, desired, readPosition } = one.comparison;
	const { organizationId } = plan;
	if (!isIdle(plan) || findUnreadPolicies(desired, plan.unread) !== undefined) return { ...one, organizationId };
	recordInSync(one.comparison, journal);
	openRun?.recordUnchanged(plan, desired.digest, readPosition);
	if (run.size === 1 || reviewed !== null || !isStreamed(output.format)) return { ...one, organizationId };
	const endsSoon = findSoonEnding(plan);
	return {
		...{ organizationId, exitCode: exitCodes.inSync, state: "inSync", readAt: plan.readAt },
		...defined({ endsSoon: endsSoon ?? undefined }),
	};
}

/** Returns an organization whose plan does not run. */
function withhold(one: PreparedOrganization): FoundOrganization {
	if (!("comparison" in one)) return one;
	const { plan, desired } = one.comparison;
	return { organizationId: one.organizationId, exitCode: exitCodes.inSync, plan, desired };
}

/**
 * Stage 3: submits the steps, `--concurrency` organizations at once, and yields what became of each organization. One that
 * fails does not stop the others, and a reader of the result who is slow stops none.
 */
async function* submit({ readings }: Prepared, run: ApplyRun): AsyncGenerator<FoundOrganization, void> {
	const compared = comparedIn(readings);
	await describeSigning(compared, run.connection.signer, run.terminal.now);
	const possible = compared.filter(({ comparison }) => !isImpossible(comparison.plan)).length;
	const wait = new RunWait(run, run.signal);
	const limits = { maxConcurrency: wait.maxConcurrency, maxAhead: Number.POSITIVE_INFINITY };
	const ends = mapInOrder(compared, limits, (one) => wait.takeTurn(one, () => applyOne(one, possible, wait, run)));
	try {
		for (const one of readings) {
			const end = "comparison" in one ? (await ends.next()).value : one;
			if (end !== undefined) yield end;
		}
	} finally {
		await ends.return();
	}
}

async function applyOne(
	shown: ComparedOrganization,
	possible: number,
	wait: RunWait,
	run: ApplyRun,
): Promise<FoundOrganization> {
	const { output, openRun } = run;
	const { plan, desired } = shown.comparison;
	const { organizationId } = plan;
	if (isImpossible(plan)) return { ...failedIn({ ...namedAs(plan), error: describeImpossible(plan) }), plan };
	const { refresh } = await import("../../../sync/converge.ts");
	const one = await refresh(shown, run.terminal.now);
	if ("error" in one) return { ...failedIn({ ...namedAs(plan), ...one }), plan };
	const { applyPlan } = await import("../../../sync/apply.ts");
	const about = run.size === 1 ? "" : `${showOrganization(plan)} `;
	const end = await applyPlan(one.comparison, {
		...contextOf(one, possible, run),
		compareAgain: one.compareAgain,
		...wait.optionsFor(one, about),
		onStep: (result, done, total) => {
			output.note(`${about}[${done}/${total}] ${stepLines(stepRow(result, plan), output.style)[0] ?? ""}`);
		},
	});
	if ("error" in end) {
		output.showStack(end.error);
		return { ...failedIn({ ...namedAs(plan), ...end }), plan };
	}
	const { report } = end;
	if (report.inSync) recordInSync(one.comparison, run.journal);
	openRun?.recordApplied(plan, report, desired.digest, end.readPosition);
	return { organizationId, exitCode: exitCodeOf(report), plan, report, desired };
}

function contextOf({ client, settled }: ComparedOrganization, possible: number, run: ApplyRun): ApplyContext {
	const { flags, terminal, journal, reviewed, signal } = run;
	return {
		reader: client.reader,
		submitter: client.submitter,
		journal,
		settled,
		now: terminal.now,
		sleep: terminal.sleep,
		// All organizations together run as many steps at once as a single one.
		concurrency: Math.max(1, Math.floor(flags.concurrency / possible)),
		waitMs: flags.wait * 1000,
		verify: flags.verify,
		stats: () => client.stats(),
		signal,
		...(reviewed === null ? {} : { planDigest: reviewed.saved.digest }),
		...(flags.retryRejected === true ? { retryRejected: true } : {}),
	};
}

/** Stage 4: returns the end of the result. */
function endOf(confirmation: Confirmation, { reviewed }: ApplyOrder): ResultEnd {
	const refusal = confirmation.isConfirmed ? null : confirmation.error;
	return {
		...(confirmation.isConfirmed ? {} : { exitCode: refusal === null ? exitCodes.error : exitCodeOfError(refusal) }),
		...(refusal === null ? {} : { error: describeError(refusal) }),
		...(reviewed === null ? {} : { savedPlan: reviewed.facts }),
		...(refusal instanceof StalePlanError ? { outdated: refusal.outdated } : {}),
	};
}

interface Interruption {
	readonly signal: AbortSignal;
	/** Whether steps may be in flight. */
	isSubmitting: boolean;
	readonly stop: () => void;
}

/** The first Ctrl-C or SIGTERM stops readings at once and submits after the steps in flight, the second ends at once. */
function listenForSignals({ output, run }: ApplyOrder): Interruption {
	const controller = new AbortController();
	const listener = (): void => {
		if (controller.signal.aborted) {
			output.clear();
			process.exit(exitCodes.interrupted);
		}
		const said = interruption.isSubmitting
			? ["Interrupted: finishing the steps in flight and starting no others. Press Ctrl-C again to exit immediately."]
			: [];
		const later = run === undefined ? [] : [`To go on later, add --resume ${run.id}.`];
		if (said.length + later.length > 0) output.note([...said, ...later].join(" "));
		controller.abort();
	};
	const interruption = { signal: controller.signal, isSubmitting: false, stop: onSignals(listener) };
	return interruption;
}
