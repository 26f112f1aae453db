/**
 * Documents held against live, for every command that needs plans: which documents, narrowed to what, and what came of
 * each organization. Nothing here can submit anything.
 */
import { ConfigurationError, type ExitCode } from "../../errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import { showText } from "../../plan/render/escape.ts";
import { positionsOf } from "../../plan/render/positions.ts";
import { renderPlan, type Style, summarizePlan } from "../../plan/render/text.ts";
import { renderThreeWay } from "../../plan/render/three-way-text.ts";
import type { BaseDocument } from "../../plan/three-way.ts";
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

export interface ComparisonFlags extends SelectionFlags, ConnectionFlags {}

/** Every organization of the documents, held against live over a connection of its own, and against its base, if any. */
export async function compareAll(
	flags: ComparisonFlags,
	terminal: Terminal,
	voice: Voice,
	bases?: ReadonlyMap<string, BaseDocument>,
): Promise<readonly Comparison[]> {
	const organizations = await readSelected(flags, terminal);
	const connection = await connect(flags, terminal, voice);
	try {
		return await compareEach(organizations, connection, flags, terminal, voice, [], bases);
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
	bases?: ReadonlyMap<string, BaseDocument>,
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
		const base = bases?.get(desired.organizationId);
		const options = {
			...{ reads: flags.reads, now: terminal.now, steadyNow: terminal.steadyNow, journal },
			...(base === undefined ? {} : { base }),
		};
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

/** Every plan in full, each with its sentence; `summarize` makes that. */
export function showPlans(
	comparisons: readonly Comparison[],
	exitCode: ExitCode,
	summarize: (plan: Plan) => string = summarizePlan,
): Result {
	const threeWay = comparisons.flatMap((comparison) => comparison.threeWay ?? []);
	const render = ({ plan, threeWay: found }: Comparison, style: Style): string =>
		found === undefined
			? renderPlan(plan, style, summarize(plan))
			: renderThreeWay(plan, found, style, summarize(plan));
	return {
		exitCode,
		text: (style) => comparisons.map((comparison) => render(comparison, style)).join("\n"),
		json: { plans: comparisons.map((comparison) => comparison.plan), ...(threeWay.length === 0 ? {} : { threeWay }) },
		positionOf: positionsOf(comparisons.map(({ desired }) => desired)),
	};
}
