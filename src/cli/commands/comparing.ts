/**
 * Compares documents with the live organizations, for every command that makes plans. Nothing here can submit anything.
 *
 * Each of several organizations has its own verdict: one that cannot be read does not stop the others.
 */
import { ConfigurationError, InterruptedError, OrgsyncError, TransportError } from "../../errors.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { BaseDocument } from "../../plan/three-way.ts";
import type { Comparison } from "../../sync/compare.ts";
import type { Journal, JournalSummary } from "../../sync/journal.ts";
import type { SubmitResult } from "../../sync/outcomes.ts";
import type { OrganizationClient } from "../../wire/client.ts";
import { type Connection, type ConnectionFlags, connect, viewJournal } from "../connect.ts";
import type { OrganizationError } from "../failure.ts";
import { mapConcurrently } from "../map-concurrently.ts";
import type { Output, Terminal } from "../output.ts";
import { readSelected, type SelectionFlags } from "./selection.ts";

export interface ComparisonFlags extends SelectionFlags, ConnectionFlags {}

/** One organization, compared with live. */
export interface ComparedOrganization {
	readonly comparison: Comparison;
	/** The client, with counts of its own for this organization. */
	readonly client: OrganizationClient;
	/** Requests of earlier runs whose outcome was learnt before the organization was read, by fingerprint. */
	readonly settled: ReadonlyMap<string, SubmitResult>;
}

/** The organizations in the order of the documents. */
export interface ComparedOrganizations {
	readonly compared: readonly ComparedOrganization[];
	/** Only where there are several organizations: an error in a single one is thrown. */
	readonly failed: readonly OrganizationError[];
}

/** Compares every organization of the documents with live, over a connection of its own. */
export async function compareAll(
	flags: ComparisonFlags,
	terminal: Terminal,
	output: Output,
	options: ComparingOptions = {},
): Promise<ComparedOrganizations> {
	const organizations = await readSelected(flags, terminal, output);
	const connection = await connect(flags, terminal, output);
	try {
		return await compareEach(organizations, { connection, flags, terminal, output, ...options });
	} finally {
		await connection.close();
	}
}

interface ComparingOptions {
	/** The earlier documents, by organization: each is compared with its own too. */
	readonly bases?: ReadonlyMap<string, BaseDocument>;
	/** Whether rejected activities are submitted again. */
	readonly retryRejected?: boolean;
	/** Of a command that submits: the journal that outcomes are settled in. Left out, it is only read, once. */
	readonly journal?: Journal;
	/** Once aborted, no further organization is started. */
	readonly signal?: AbortSignal;
}

/** Where and how organizations are compared. */
interface ComparingContext extends ComparingOptions {
	readonly connection: Connection;
	readonly flags: ConnectionFlags;
	readonly terminal: Terminal;
	readonly output: Output;
}

/** Compares each organization with live, and with what was last applied to it; `--concurrency` of them at once. */
export async function compareEach(
	organizations: readonly DesiredOrganization[],
	context: ComparingContext,
): Promise<ComparedOrganizations> {
	const { connection, flags, terminal, output } = context;
	const ids = organizations.map(({ organizationId }) => organizationId);
	refuseStrangers(ids, connection);
	const journal = context.journal ?? (await viewJournal(ids, flags, terminal, output));
	const reachable = watchReach(flags.concurrency);
	const isAlone = organizations.length === 1;
	let done = 0;
	const results = await mapConcurrently(organizations, flags.concurrency, async (desired) => {
		const which = isAlone ? "" : ` (${done + 1} of ${organizations.length})`;
		output.progress(`reading organization ${desired.organizationId}${which}`);
		try {
			reachable.check();
			const compared = await compareOne(desired, context, journal);
			reachable.heard();
			return compared;
		} catch (error) {
			if (isAlone || !(error instanceof OrgsyncError)) throw error;
			reachable.failed(error);
			return { organizationId: desired.organizationId, error };
		} finally {
			done += 1;
		}
	});
	output.clear();
	return {
		compared: results.filter((one) => "comparison" in one),
		failed: results.filter((one) => "error" in one),
	};
}

/** Settles what earlier runs left open, where there is a journal for that, then reads the organization and plans. */
async function compareOne(
	desired: DesiredOrganization,
	{ connection, flags, terminal, signal, bases, retryRejected, journal: written }: ComparingContext,
	journal: JournalSummary,
): Promise<ComparedOrganization> {
	const { compareLive } = await import("../../sync/compare.ts");
	const { settleOpenEntries } = await import("../../sync/settle.ts");
	const { organizationId } = desired;
	if (signal?.aborted === true) throw new InterruptedError("orgsync was interrupted before it; nothing was sent");
	const client = connection.client.forOrganization();
	const given = { reads: flags.reads, now: terminal.now };
	const { reader } = client;
	const settled =
		written === undefined ? new Map() : await settleOpenEntries(organizationId, { ...given, reader, journal: written });
	const base = bases?.get(organizationId);
	const comparison = await compareLive(desired, reader, journal.lastApplied(organizationId), {
		...given,
		...{ steadyNow: terminal.steadyNow, journal },
		...(base === undefined ? {} : { base }),
		...(retryRejected === undefined ? {} : { retryRejected }),
	});
	return { comparison, client, settled };
}

/**
 * Stops reading when the service is unreachable: one that answered for none of the first dozen organizations will not answer
 * for the next thousand, each until its `--timeout`.
 */
function watchReach(concurrency: number) {
	const enough = Math.max(12, concurrency);
	let unanswered = 0;
	let isHeard = false;
	return {
		heard: () => {
			isHeard = true;
		},
		failed: (error: OrgsyncError) => {
			if (error instanceof TransportError) unanswered += 1;
			else isHeard = true;
		},
		check: () => {
			if (isHeard || unanswered < enough) return;
			throw new TransportError("not asked, because no answer came for any organization before it", "no");
		},
	};
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
