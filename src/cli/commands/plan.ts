/**
 * `validate`, `plan` and `drift`: documents parsed, held against live, shown. None of them can submit anything: they are
 * handed a Reader and nothing else.
 */
import { ConfigurationError, type ExitCode, exitCodes } from "../../errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { findsDifference, type Plan } from "../../plan/plan.ts";
import { showText } from "../../plan/render/escape.ts";
import { positionsOf } from "../../plan/render/positions.ts";
import { renderPlan, summarizeDrift, summarizePlan } from "../../plan/render/text.ts";
import type { Comparison } from "../../sync/compare.ts";
import { type Connection, type ConnectionFlags, connect, viewJournal, withGivenUp } from "../connect.ts";
import { readDesired } from "../sources.ts";
import type { Result, Terminal, Voice } from "../voice.ts";

export interface DocumentFlags {
	readonly file: readonly string[];
}

export interface SelectionFlags extends DocumentFlags {
	/** `KIND` or `KIND/GLOB`. */
	readonly only: readonly string[];
}

export interface PlanFlags extends SelectionFlags, ConnectionFlags {
	readonly detailedExitcode?: boolean;
}

/** Says that the documents are sound, or throws their problems. Asks no service anything. */
export async function validate(flags: DocumentFlags, terminal: Terminal): Promise<Result> {
	const organizations = await readDesired(flags.file, terminal);
	return {
		exitCode: exitCodes.converged,
		text: () =>
			organizations
				.map((desired) => `${desired.files.join(", ")}: valid, organization ${desired.organizationId}\n`)
				.join(""),
		json: {
			organizations: organizations.map(({ organizationId, digest, files }) => ({
				organizationId,
				documentDigest: digest,
				files,
			})),
		},
	};
}

/** The plan of every organization. Exit 0, or 2 with `--detailed-exitcode` when there is something to do or to report. */
export async function plan(flags: PlanFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	const comparisons = await compareAll(flags, terminal, voice);
	const code: ExitCode = comparisons.some(({ plan: { problems } }) => problems.length > 0)
		? exitCodes.error
		: flags.detailedExitcode === true && comparisons.some((comparison) => findsDifference(comparison.plan))
			? exitCodes.changes
			: exitCodes.converged;
	return showPlans(comparisons, code);
}

/** The same plans, as a finding: exit 2 when anything is not as the document says, 0 when all is. */
export async function drift(flags: PlanFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	const comparisons = await compareAll(flags, terminal, voice);
	const found = comparisons.some((comparison) => findsDifference(comparison.plan));
	return showPlans(comparisons, found ? exitCodes.changes : exitCodes.converged, summarizeDrift);
}

async function compareAll(flags: PlanFlags, terminal: Terminal, voice: Voice): Promise<readonly Comparison[]> {
	const organizations = await readSelected(flags, terminal);
	const connection = await connect(flags, terminal, voice);
	try {
		return await compareEach(organizations, connection, flags, terminal, voice);
	} finally {
		await connection.close();
	}
}

/** The documents, narrowed to what `--only` names. */
export async function readSelected(flags: SelectionFlags, terminal: Terminal): Promise<readonly DesiredOrganization[]> {
	const organizations = await readDesired(flags.file, terminal);
	if (flags.only.length === 0) return organizations;
	const { isEmpty, narrow, parseSelection } = await import("../../plan/only.ts");
	const { kinds } = await import("../../plan/kinds.ts");
	const selections = flags.only.map((text) => {
		const selection = parseSelection(text);
		if (selection !== undefined) {
			// A slip in a scheduled job must not look like an organization without drift.
			if (organizations.some((desired) => !isEmpty(narrow(desired, [selection])))) return selection;
			throw new ConfigurationError(`--only ${showText(text)}: the documents have nothing like that`);
		}
		throw new ConfigurationError(`--only ${showText(text)}: there is no such kind`, {
			hint: `write KIND or KIND/GLOB, KIND one of ${kinds.map(({ name }) => name).join(", ")}`,
		});
	});
	return organizations.map((desired) => narrow(desired, selections));
}

/**
 * Holds each organization against live, with what was last applied to it. `givenUp`: activities that the journal does not
 * yet hold as given up, and that stand in nobody's way all the same.
 */
export async function compareEach(
	organizations: readonly DesiredOrganization[],
	connection: Connection,
	flags: ConnectionFlags,
	terminal: Terminal,
	voice: Voice,
	givenUp: readonly string[] = [],
): Promise<readonly Comparison[]> {
	const { compareLive } = await import("../../sync/compare.ts");
	const ids = organizations.map(({ organizationId }) => organizationId);
	refuseStrangers(ids, connection);
	const journal = withGivenUp(await viewJournal(ids, flags, terminal), givenUp);
	const comparisons: Comparison[] = [];
	for (const [index, desired] of organizations.entries()) {
		const which = organizations.length === 1 ? "" : ` (${index + 1} of ${organizations.length})`;
		voice.progress(`reading organization ${desired.organizationId}${which}`);
		const memory = journal.memory(desired.organizationId);
		const options = { reads: flags.reads, now: terminal.now, steadyNow: terminal.steadyNow, journal };
		comparisons.push(await compareLive(desired, connection.client.reader, memory, options));
	}
	voice.clear();
	return comparisons;
}

/** The embedded service has its own organizations; a document for another one gets a clear word, not a 404. */
function refuseStrangers(organizationIds: readonly string[], { localOrganizationIds }: Connection): void {
	if (localOrganizationIds === undefined) return;
	const stranger = organizationIds.find((id) => !localOrganizationIds.includes(id));
	if (stranger === undefined) return;
	throw new ConfigurationError(`the local service has no organization ${stranger}`, {
		hint: `it has ${localOrganizationIds.join(", ")}; orgsync init --local writes a document for it`,
	});
}

function showPlans(
	comparisons: readonly Comparison[],
	exitCode: ExitCode,
	summarize: (plan: Plan) => string = summarizePlan,
): Result {
	return {
		exitCode,
		text: (style) => comparisons.map(({ plan }) => renderPlan(plan, style, summarize(plan))).join("\n"),
		json: { plans: comparisons.map((comparison) => comparison.plan) },
		positionOf: positionsOf(comparisons.map(({ desired }) => desired)),
	};
}
