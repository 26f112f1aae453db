/**
 * `drift`: the same comparison as `plan`, as a finding for whoever is woken by it. It cannot submit anything either.
 */
import type { ExitCode } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { exitCodeOfDrift, keepDrift, type OrganizationDrift, reportDrift } from "../../plan/drift.ts";
import { isSelected, parseSelection } from "../../plan/only.ts";
import type { Plan } from "../../plan/plan.ts";
import { compareText } from "../../plan/value.ts";
import { renderDrift } from "../../render/drift-text.ts";
import { summarizeFindings } from "../../render/drift-words.ts";
import { summarizeDrift } from "../../render/text.ts";
import { connect, readJournalOf } from "../connect.ts";
import { describeFailure, type Output, type Result, type Terminal } from "../output.ts";
import { type AcceptFlags, acceptFound } from "./accept.ts";
import { type Compared, type ComparisonFlags, compareEach, readSelected } from "./comparing.ts";
import {
	keepSince,
	type LastReport,
	OtherShareError,
	readSince,
	refuseOtherShare,
	type SinceFlags,
} from "./drift-since.ts";
import { type Showing, showPlans } from "./showing.ts";

export interface DriftFlags extends ComparisonFlags, SinceFlags, AcceptFlags {}

/**
 * What is not as the document says, since when and by whom. Exit 2 when something is known to be, 1 when something could
 * not be read and nothing is known to be, 8 when all that differs waits for activities, 0 when all is as the document says.
 */
export async function drift(flags: DriftFlags, terminal: Terminal, output: Output): Promise<Result | ExitCode> {
	const last = readSince(flags, terminal, output);
	try {
		await refuseOtherShare(last, flags, terminal, output);
		const organizations = await readSelected(flags, terminal, output);
		const connection = await connect(flags, terminal, output);
		try {
			const compare = () => compareEach(organizations, connection, flags, terminal, output);
			const { all, accepted } = await acceptFound(compare, flags, terminal, output);
			const reports = await reportEach(all.compared, last, flags, terminal, output);
			const kept = all.unlooked.map(({ organizationId, error }) =>
				keepDrift(organizationId, last?.get(organizationId), describeFailure({ error })),
			);
			noteStrangers(last, [...reports, ...kept], output);
			const result = showPlans(all, showingOf(reports, kept));
			return { ...result, json: { ...result.json, ...accepted } };
		} finally {
			await connection.close();
		}
	} catch (error) {
		if (last === undefined || error instanceof OtherShareError) throw error;
		return keepSince(last, error, output);
	}
}

/** `kept`: what is said of organizations that could not be read. */
function showingOf(reports: readonly OrganizationDrift[], kept: readonly OrganizationDrift[]): Showing {
	const byId = new Map(reports.map((one) => [one.organizationId, one]));
	const reportOf = ({ organizationId }: Plan): OrganizationDrift | undefined => byId.get(organizationId);
	return {
		command: "drift",
		summarize: (plan) => {
			const report = reportOf(plan);
			return report === undefined ? summarizeDrift(plan) : summarizeFindings(report, plan);
		},
		render: (plan, style) => renderDrift(plan, reportOf(plan), style),
		hasMore: (plan) => {
			const { findings = [], gone = [], unread = [], unmanaged = [] } = reportOf(plan) ?? {};
			return findings.length + gone.length + unread.length + unmanaged.length > 0;
		},
		exitCode: exitCodeOfDrift(reports),
		more: {
			drift: [...reports, ...kept].sort((left, right) => compareText(left.organizationId, right.organizationId)),
		},
	};
}

/** What is said of each organization; all are asked at once, the client sees to it that not too many requests are. */
async function reportEach(
	compared: readonly Compared[],
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
			compared.map(async ({ comparison: { plan, desired, live }, line }) =>
				reportDrift(plan, {
					...(await attributeDrift(plan, line.reader, isOurs)),
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
 * What the last report found in an organization that the documents do not speak of any more goes no further. One that only
 * this share leaves out is none of these: refuseOtherShare did not let it come so far.
 */
function noteStrangers(last: LastReport | undefined, reports: readonly OrganizationDrift[], output: Output): void {
	const known = new Set(reports.map(({ organizationId }) => organizationId));
	for (const [organizationId, { findings }] of last ?? []) {
		if (known.has(organizationId) || findings.length === 0) continue;
		output.note(`the documents do not speak of organization ${showText(organizationId)}: its findings are left out`);
	}
}
