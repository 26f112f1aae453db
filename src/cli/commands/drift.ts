/**
 * `drift`: the same comparison as `plan`, reported as findings. It gets a Reader, so it cannot submit anything.
 */
import { showText } from "../../escape.ts";
import { exitCodeOfDrift, keepDrift, type OrganizationDrift, reportDrift } from "../../plan/drift.ts";
import { isSelected, parseSelection } from "../../plan/only.ts";
import { positionsOf } from "../../render/positions.ts";
import {
	byOrganization,
	type DriftResult,
	errorsOfFailed,
	type FailureResult,
	resultHead,
} from "../../render/result.ts";
import { connect, readJournalOf } from "../connect.ts";
import { combineExitCodes, describeFailed, exitCodeOfError } from "../failure.ts";
import type { LocatedResult, Output, Terminal } from "../output.ts";
import { type AcceptFlags, type AcceptResult, acceptFound } from "./accept.ts";
import { type ComparedOrganization, type ComparisonFlags, compareEach } from "./comparing.ts";
import {
	keepFindings,
	type LastReport,
	OtherShareError,
	readSince,
	refuseOtherShare,
	type SinceFlags,
} from "./drift-since.ts";
import { readSelected } from "./selection.ts";

export interface DriftFlags extends ComparisonFlags, SinceFlags, AcceptFlags {}

/**
 * Returns what differs from the document, since when and by whom. Exit 2 when something is known to have drifted, 1 when
 * something could not be read and nothing is known to have drifted, 8 when everything that differs has a pending activity, 0
 * when all is in sync.
 */
export async function drift(
	flags: DriftFlags,
	terminal: Terminal,
	output: Output,
): Promise<LocatedResult | FailureResult> {
	const last = readSince(flags, terminal, output);
	try {
		await refuseOtherShare(last, flags, terminal, output);
		return await findDrift(last, flags, terminal, output);
	} catch (error) {
		if (last === undefined || error instanceof OtherShareError) throw error;
		output.showStack(error);
		return keepFindings(last, error);
	}
}

async function findDrift(
	last: LastReport | undefined,
	flags: DriftFlags,
	terminal: Terminal,
	output: Output,
): Promise<LocatedResult> {
	const organizations = await readSelected(flags, terminal, output);
	const connection = await connect(flags, terminal, output);
	try {
		const compare = () => compareEach(organizations, { connection, flags, terminal, output });
		const found = await acceptFound(compare, flags, terminal, output);
		const reports = await reportEach(found.compared, last, flags, terminal, output);
		const result = resultOf(found, reports, last);
		noteUnknown(last, result.drift, output);
		return { result, positionOf: positionsOf(found.compared.map(({ comparison }) => comparison.desired)) };
	} finally {
		await connection.close();
	}
}

function resultOf(
	{ compared, failed: errors, accepted }: AcceptResult,
	reports: readonly OrganizationDrift[],
	last: LastReport | undefined,
): DriftResult {
	const failed = errors.map((one) => describeFailed(one));
	const kept = failed.map(({ organizationId, error }) => keepDrift(organizationId, last?.get(organizationId), error));
	const codes = [exitCodeOfDrift(reports), ...errors.map(({ error }) => exitCodeOfError(error))];
	return {
		...resultHead("drift", combineExitCodes(codes), errorsOfFailed(failed, true)[0] ?? null),
		plans: compared.map(({ comparison }) => comparison.plan),
		drift: [...reports, ...kept].sort(byOrganization),
		...(failed.length === 0 ? {} : { failed }),
		...(accepted === undefined ? {} : { accepted }),
	};
}

/** Returns the findings of each organization. All are read at once: the client limits the requests. */
async function reportEach(
	compared: readonly ComparedOrganization[],
	last: LastReport | undefined,
	flags: DriftFlags,
	terminal: Terminal,
	output: Output,
): Promise<readonly OrganizationDrift[]> {
	const { attributeDrift } = await import("../../sync/attribute.ts");
	const { lastAppliedTimes } = await import("../../plan/drift-memory.ts");
	const selections = flags.only.flatMap((text) => parseSelection(text) ?? []);
	const journal = await readJournalOf(flags, terminal, output);
	const isOurs = (fingerprint: string): boolean => journal?.entry(fingerprint) !== undefined;
	try {
		return await Promise.all(
			compared.map(async ({ comparison: { plan, desired, live }, client }) =>
				reportDrift(plan, {
					...(await attributeDrift(plan, client.reader, isOurs)),
					earlier: last?.get(plan.organizationId),
					appliedAt: lastAppliedTimes(desired, live),
					...(selections.length === 0 ? {} : { isSelected: (address) => isSelected(address, selections) }),
				}),
			),
		);
	} finally {
		journal?.close();
	}
}

/**
 * Notes organizations of the last report that are in no document any more: their findings are left out. An organization that
 * only this share leaves out is not among them, because refuseOtherShare has refused it.
 */
function noteUnknown(last: LastReport | undefined, reports: readonly OrganizationDrift[], output: Output): void {
	const known = new Set(reports.map(({ organizationId }) => organizationId));
	for (const [organizationId, { findings }] of last ?? []) {
		if (known.has(organizationId) || findings.length === 0) continue;
		output.note(`organization ${showText(organizationId)} is in no document: its findings are left out`);
	}
}
