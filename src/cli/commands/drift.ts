/**
 * `drift`: the same comparison as `plan`, as a finding for whoever is woken by it. It cannot submit anything either.
 */
import { existsSync } from "node:fs";
import type { ExitCode } from "../../errors.ts";
import { exitCodeOfDrift, type OrganizationDrift, reportDrift } from "../../plan/drift.ts";
import { isSelected, parseSelection } from "../../plan/only.ts";
import { renderDrift } from "../../plan/render/drift-text.ts";
import { showText } from "../../plan/render/escape.ts";
import type { Comparison } from "../../sync/compare.ts";
import { type Connection, connect, journalFile, openJournalOf } from "../connect.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { type ComparisonFlags, compareEach, readSelected, showPlans } from "./comparing.ts";
import { keepSince, type LastReport, readSince, type SinceFlags } from "./drift-since.ts";

export interface DriftFlags extends ComparisonFlags, SinceFlags {}

/**
 * What is not as the document says, since when and by whom. Exit 2 when something is known to be, 1 when something could
 * not be read and nothing is known to be, 8 when all that differs waits for activities, 0 when all is as the document says.
 */
export async function drift(flags: DriftFlags, terminal: Terminal, voice: Voice): Promise<Result | ExitCode> {
	const last = readSince(flags, terminal, voice);
	try {
		const organizations = await readSelected(flags, terminal);
		const connection = await connect(flags, terminal, voice);
		try {
			const comparisons = await compareEach(organizations, connection, flags, terminal, voice);
			const reports = await reportEach(comparisons, last, connection, flags, terminal);
			noteStrangers(last, reports, voice);
			const exitCode = exitCodeOfDrift(reports);
			const { json, ...shown } = showPlans(comparisons, exitCode);
			const text: Result["text"] = (style) =>
				comparisons.map(({ plan }, index) => renderDrift(plan, reports[index], style)).join("\n");
			return { ...shown, text, json: { ...json, drift: reports } };
		} finally {
			await connection.close();
		}
	} catch (error) {
		if (last === undefined) throw error;
		return keepSince(last, error, voice);
	}
}

/** What is said of each organization; all are asked at once, the client sees to it that not too many requests are. */
async function reportEach(
	comparisons: readonly Comparison[],
	last: LastReport | undefined,
	{ client }: Connection,
	flags: DriftFlags,
	terminal: Terminal,
): Promise<readonly OrganizationDrift[]> {
	const { attribute } = await import("../../sync/attribute.ts");
	const selections = flags.only.flatMap((text) => parseSelection(text) ?? []);
	const journal = existsSync(journalFile(flags, terminal)) ? await openJournalOf(flags, terminal) : undefined;
	const isOurs = (fingerprint: string): boolean => journal?.entry(fingerprint) !== undefined;
	try {
		return await Promise.all(
			comparisons.map(async ({ plan }) =>
				reportDrift(plan, {
					...(await attribute(plan, client.reader, isOurs)),
					earlier: last?.get(plan.organizationId),
					...(selections.length === 0 ? {} : { isSelected: (address) => isSelected(address, selections) }),
				}),
			),
		);
	} finally {
		journal?.close();
	}
}

/** What the last report found in an organization that the documents do not speak of any more goes no further. */
function noteStrangers(last: LastReport | undefined, reports: readonly OrganizationDrift[], voice: Voice): void {
	const known = new Set(reports.map(({ organizationId }) => organizationId));
	for (const [organizationId, { findings }] of last ?? []) {
		if (known.has(organizationId) || findings.length === 0) continue;
		voice.note(`the documents do not speak of organization ${showText(organizationId)}: its findings are left out`);
	}
}
