/** `drift`: the comparison of `plan`, reported as findings. It has a Reader, so it cannot submit. */

import { defined } from "../../common/defined.ts";
import { showText } from "../../common/escape.ts";
import type { DesiredFleet } from "../../document/read/fleet.ts";
import { exitCodeOfDrift, keepDrift, reportDrift } from "../../plan/drift/drift.ts";
import { isSelected, parseSelection } from "../../plan/only.ts";
import type { CommandContext } from "../../plan/suggested-command.ts";
import type { FoundOrganization } from "../../render/result/found.ts";
import type { FailureResult } from "../../render/result/result.ts";
import type { JournalView } from "../../sync/journal/journal.ts";
import { connect, readJournalOf } from "../connect.ts";
import { readFleet } from "../files/sources.ts";
import { mapInOrder } from "../map-in-order.ts";
import { failedIn, type OrganizationError } from "../output/failure.ts";
import type { Call, Output } from "../output/output.ts";
import type { ResultEnd, ResultStream } from "../output/result-stream.ts";
import { type AcceptFlags, type AllCompared, acceptFound } from "./accept.ts";
import { type ComparedOrganization, type ComparisonFlags, compareFleet } from "./comparing.ts";
import {
	keepFindings,
	type LastReport,
	OtherShareError,
	readSince,
	refuseOtherShare,
	type SinceFlags,
} from "./drift-since.ts";
import { commandsOf, selectFrom } from "./selection.ts";

type DriftFlags = ComparisonFlags & SinceFlags & AcceptFlags;

/** Returns the drift of every organization: exit 2 for known drift, 1 if one is unknown, 8 if all is pending, 0 in sync. */
export async function drift(call: Call<DriftFlags>): Promise<ResultStream | FailureResult> {
	const last = readSince(call);
	const failure = last === undefined ? undefined : (error: unknown): FailureResult => keepFindings(last, error);
	try {
		const all = await readFleet(call.flags, call.terminal);
		refuseOtherShare(last, all, call);
		const fleet = await selectFrom(all, call);
		const commands = commandsOf(all, call.flags);
		const parts = findDrift(fleet, last, commands, call);
		const size = fleet.organizationIds.length;
		return { command: "drift", size, parts, ...defined({ failure }) };
	} catch (error) {
		if (failure === undefined || error instanceof OtherShareError) throw error;
		call.output.showStack(error);
		return failure(error);
	}
}

async function* findDrift(
	fleet: DesiredFleet,
	last: LastReport | undefined,
	commands: CommandContext,
	call: Call<DriftFlags>,
): AsyncGenerator<FoundOrganization, ResultEnd> {
	const connection = await connect(call);
	let journal: JournalView | undefined;
	try {
		journal = await readJournalOf(call);
		const report = await makeReporter(last, commands, journal, call);
		const context = { ...call, connection };
		const compareAll = () => Array.fromAsync(compareFleet(fleet, context, (one) => one));
		const kept = call.flags.accept.length === 0 ? null : await acceptFound(compareAll, call);
		const found = kept === null ? compareFleet(fleet, context, report) : reportKept(kept.all, report, call);
		for await (const one of found) yield "error" in one ? keepLast(one, last) : one;
		noteUnknown(last, fleet, call.output);
		return kept === null ? {} : { accepted: kept.accepted };
	} finally {
		journal?.close();
		await connection.close();
	}
}

type Reporter = (compared: ComparedOrganization) => Promise<FoundOrganization>;

async function makeReporter(
	last: LastReport | undefined,
	commands: CommandContext,
	journal: JournalView | undefined,
	{ flags, terminal }: Call<DriftFlags>,
): Promise<Reporter> {
	const { attributeDrift } = await import("../../sync/attribute.ts");
	const { findNewCredentials, hasCredentialRules } = await import("../../plan/drift/credentials.ts");
	const { readAccessOnly } = await import("../../sync/read/read-access.ts");
	const { lastAppliedTimes } = await import("../../plan/drift/memory.ts");
	const selections = flags.only.flatMap((text) => parseSelection(text) ?? []);
	const isOurs = (fingerprint: string): boolean => journal?.entry(fingerprint) !== undefined;
	return async ({ comparison: { plan, desired, live, context }, client }) => {
		const { organizationId } = plan;
		const atMs = context.serviceTimeMs ?? context.readAtMs;
		const isCompared = last !== undefined && desired.protect.userIds.length > 0 && flags.reads === "auto";
		const hasRead = context.credentials !== undefined;
		const { credentials, access } =
			isCompared && !hasRead ? await readAccessOnly(organizationId, client.reader, terminal.now) : context;
		const news =
			(isCompared || hasCredentialRules(desired)) && credentials !== undefined && access !== undefined
				? findNewCredentials({ credentials, access, atMs }, desired, last?.get(organizationId)?.credentials)
				: undefined;
		const found = reportDrift(plan, {
			...(await attributeDrift(plan, client.reader, isOurs, news?.added)),
			credentials: news,
			earlier: last?.get(organizationId),
			appliedAt: lastAppliedTimes(desired, live),
			desired,
			commands,
			...(selections.length === 0 ? {} : { isSelected: (address) => isSelected(address, selections) }),
		});
		return { organizationId, exitCode: exitCodeOfDrift([found]), plan, drift: found, desired };
	};
}

/** Reports what was compared all at once, in the order of the organizations. The client limits the concurrent requests. */
async function* reportKept(
	all: AllCompared,
	report: Reporter,
	{ flags }: Call<DriftFlags>,
): AsyncGenerator<FoundOrganization | OrganizationError, void> {
	const limits = { maxConcurrency: flags.concurrency, maxAhead: flags.concurrency };
	yield* mapInOrder(all, limits, async (one) => ("error" in one ? one : report(one)));
}

/** Returns an organization that could not be read, with the findings of the last report. */
function keepLast(one: OrganizationError, last: LastReport | undefined): FoundOrganization {
	const found = failedIn(one);
	return { ...found, drift: keepDrift(one.organizationId, last?.get(one.organizationId), found.failed.error) };
}

/** Notes organizations of the last report that no document has any more. Those of another share were refused before. */
function noteUnknown(last: LastReport | undefined, { organizationIds }: DesiredFleet, output: Output): void {
	const known = new Set(organizationIds);
	for (const [organizationId, { findings }] of last ?? []) {
		if (known.has(organizationId) || findings.length === 0) continue;
		output.note(`organization ${showText(organizationId)} is in no document: its findings are left out`);
	}
}
