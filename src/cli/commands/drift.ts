/**
 * `drift`: the comparison of `plan`, reported as findings. It has a Reader, so it cannot submit.
 */
import { showText } from "../../escape.ts";
import { exitCodeOfDrift, keepDrift, type OrganizationDrift, reportDrift } from "../../plan/drift.ts";
import { isSelected, parseSelection } from "../../plan/only.ts";
import { positionsOf } from "../../render/positions.ts";
import { byOrganization, type DriftResult, type FailureResult } from "../../render/result.ts";
import { readJournalOf, withConnection } from "../connect.ts";
import { describeError, organizationsHead } from "../failure.ts";
import type { Call, LocatedResult, Output } from "../output.ts";
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
 * Returns the drift of every organization, since when and by whom. Exit 2 for known drift, 1 if an organization could not be
 * read and no drift is known, 8 if every difference has a pending activity, 0 if all are in sync.
 */
export async function drift(call: Call<DriftFlags>): Promise<LocatedResult | FailureResult> {
	const last = readSince(call);
	try {
		await refuseOtherShare(last, call);
		return await findDrift(last, call);
	} catch (error) {
		if (last === undefined || error instanceof OtherShareError) throw error;
		call.output.showStack(error);
		return keepFindings(last, error);
	}
}

async function findDrift(last: LastReport | undefined, call: Call<DriftFlags>): Promise<LocatedResult> {
	const organizations = await readSelected(call);
	return withConnection(call, async (connection) => {
		const found = await acceptFound(() => compareEach(organizations, { ...call, connection }), call);
		const result = resultOf(found, await reportEach(found.compared, last, call), last);
		noteUnknown(last, result.drift, call.output);
		return { result, positionOf: positionsOf(found.compared.map(({ comparison }) => comparison.desired)) };
	});
}

function resultOf(
	{ compared, failed, accepted }: AcceptResult,
	reports: readonly OrganizationDrift[],
	last: LastReport | undefined,
): DriftResult {
	const plans = compared.map(({ comparison }) => comparison.plan);
	const kept = failed.map(({ organizationId, error }) =>
		keepDrift(organizationId, last?.get(organizationId), describeError(error)),
	);
	return {
		...organizationsHead("drift", plans, failed, [exitCodeOfDrift(reports)]),
		drift: [...reports, ...kept].sort(byOrganization),
		...(accepted === undefined ? {} : { accepted }),
	};
}

/** Returns the drift of each organization. The client limits the concurrent requests. */
async function reportEach(
	compared: readonly ComparedOrganization[],
	last: LastReport | undefined,
	call: Call<DriftFlags>,
): Promise<readonly OrganizationDrift[]> {
	const { attributeDrift } = await import("../../sync/attribute.ts");
	const { lastAppliedTimes } = await import("../../plan/drift-memory.ts");
	const selections = call.flags.only.flatMap((text) => parseSelection(text) ?? []);
	const journal = await readJournalOf(call);
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
 * Notes organizations of the last report that no document has any more: their findings are left out. Those of another share
 * are not among them, because refuseOtherShare refused them.
 */
function noteUnknown(last: LastReport | undefined, reports: readonly OrganizationDrift[], output: Output): void {
	const known = new Set(reports.map(({ organizationId }) => organizationId));
	for (const [organizationId, { findings }] of last ?? []) {
		if (known.has(organizationId) || findings.length === 0) continue;
		output.note(`organization ${showText(organizationId)} is in no document: its findings are left out`);
	}
}
