/**
 * Documents held against live, for every command that needs plans: which documents, narrowed to what, and what came of
 * each organization. Nothing here can submit anything.
 *
 * The rule it keeps: of several organizations each has its own verdict. One that cannot be read does not keep the others
 * from being looked at.
 */
import { ConfigurationError, InterruptedError, OrgsyncError, TransportError } from "../../errors.ts";
import { showText } from "../../escape.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { isInShard, parseShard } from "../../plan/shard.ts";
import type { BaseDocument } from "../../plan/three-way.ts";
import type { Comparison } from "../../sync/compare.ts";
import type { OrganizationClient } from "../../wire/client.ts";
import { type Connection, type ConnectionFlags, connect, type JournalSummary, viewJournal } from "../connect.ts";
import { mapConcurrently } from "../map-concurrently.ts";
import type { Output, Terminal } from "../output.ts";
import { type DocumentFlags, readDesired } from "../sources.ts";

export interface ShareFlags extends DocumentFlags {
	/** `I/N`: only the organizations of this share. */
	readonly shard?: string;
}

export interface SelectionFlags extends ShareFlags {
	/** `KIND` or `KIND/GLOB`. */
	readonly only: readonly string[];
}

export interface ComparisonFlags extends SelectionFlags, ConnectionFlags {}

/** One organization, held against live. */
export interface Compared {
	readonly comparison: Comparison;
	/** The connection, with counts of its own for this organization. */
	readonly line: OrganizationClient;
}

/** An organization that could not be held against live, and why. */
export interface Unlooked {
	readonly organizationId: string;
	readonly error: unknown;
}

/** What came of the organizations, in the order of the documents. */
export interface AllCompared {
	readonly compared: readonly Compared[];
	/** Only where there are several organizations: an error in a single one is thrown. */
	readonly unlooked: readonly Unlooked[];
}

/** Every organization of the documents, held against live over a connection of its own. */
export async function compareAll(
	flags: ComparisonFlags,
	terminal: Terminal,
	output: Output,
	options: ComparingOptions = {},
): Promise<AllCompared> {
	const organizations = await readSelected(flags, terminal, output);
	const connection = await connect(flags, terminal, output);
	try {
		return await compareEach(organizations, connection, flags, terminal, output, options);
	} finally {
		await connection.close();
	}
}

/** The organizations of the documents that are in the share of `--shard`; all without it. */
export async function readSharded(
	flags: ShareFlags,
	terminal: Terminal,
	output: Output,
): Promise<readonly DesiredOrganization[]> {
	const isOwn = readShare(flags);
	const organizations = await readDesired(flags, terminal);
	if (flags.shard === undefined) return organizations;
	const own = organizations.filter(isOwn);
	output.note(`Shard ${flags.shard}: ${own.length} of ${organizations.length} organizations.`);
	return own;
}

/** Whether an organization is in the share of `--shard`. Throws ConfigurationError when there is no such share. */
export function readShare({ shard: text }: Pick<ShareFlags, "shard">): (one: DesiredOrganization) => boolean {
	if (text === undefined) return () => true;
	const shard = parseShard(text);
	if (shard !== undefined) return ({ organizationId }) => isInShard(organizationId, shard);
	throw new ConfigurationError(`--shard ${showText(text)}: there is no such share`, {
		hint: "write I/N, for example 2/8: the second of eight; I counts from 1",
	});
}

/** The documents, narrowed to what `--only` names. */
export async function readSelected(
	flags: SelectionFlags,
	terminal: Terminal,
	output: Output,
): Promise<readonly DesiredOrganization[]> {
	const own = await readSharded(flags, terminal, output);
	if (flags.only.length === 0) return own;
	// A share may have nothing of it; all the documents may not.
	const organizations = flags.shard === undefined ? own : await readDesired(flags, terminal);
	const { isEmpty, narrow, parseSelection } = await import("../../plan/only.ts");
	const { kinds } = await import("../../plan/kinds/index.ts");
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
	return own.map((desired) => narrow(desired, selections));
}

export interface ComparingOptions {
	/** The documents as they stood before, by organization: each is held against its own too. */
	readonly bases?: ReadonlyMap<string, BaseDocument>;
	/** Where what was sent and applied is looked up; left out, in the file, once and before anything is asked. */
	readonly journal?: JournalSummary;
	/** Whether what was rejected before is submitted again. */
	readonly retryRejected?: boolean;
	/** Once aborted, no other organization is begun. */
	readonly signal?: AbortSignal;
	/** Done with each organization before it is read. */
	readonly prepare?: (organizationId: string, line: OrganizationClient) => Promise<void>;
}

/** Holds each organization against live, with what was last applied to it; `--concurrency` of them at once. */
export async function compareEach(
	organizations: readonly DesiredOrganization[],
	connection: Connection,
	flags: ConnectionFlags,
	terminal: Terminal,
	output: Output,
	options: ComparingOptions = {},
): Promise<AllCompared> {
	const { compareLive } = await import("../../sync/compare.ts");
	const ids = organizations.map(({ organizationId }) => organizationId);
	refuseStrangers(ids, connection);
	const journal = options.journal ?? (await viewJournal(ids, flags, terminal, output));
	const reachable = watchReach(flags.concurrency);
	let done = 0;
	const compareOne = async (desired: DesiredOrganization): Promise<Compared> => {
		const { organizationId } = desired;
		reachable.check();
		if (options.signal?.aborted === true)
			throw new InterruptedError("orgsync was interrupted before it; nothing was sent");
		const line = connection.client.forOrganization();
		await options.prepare?.(organizationId, line);
		const base = options.bases?.get(organizationId);
		const given = {
			...{ reads: flags.reads, now: terminal.now, steadyNow: terminal.steadyNow, journal },
			...(base === undefined ? {} : { base }),
			...(options.retryRejected === undefined ? {} : { retryRejected: options.retryRejected }),
		};
		return { comparison: await compareLive(desired, line.reader, journal.lastApplied(organizationId), given), line };
	};
	const results = await mapConcurrently(organizations, flags.concurrency, async (desired) => {
		const which = organizations.length === 1 ? "" : ` (${done + 1} of ${organizations.length})`;
		output.progress(`reading organization ${desired.organizationId}${which}`);
		try {
			const compared = await compareOne(desired);
			reachable.heard();
			return compared;
		} catch (error) {
			if (organizations.length === 1 || !(error instanceof OrgsyncError)) throw error;
			reachable.failed(error);
			return { organizationId: desired.organizationId, error };
		} finally {
			done += 1;
		}
	});
	output.clear();
	return {
		compared: results.filter((one) => "comparison" in one),
		unlooked: results.filter((one) => "error" in one),
	};
}

/**
 * Whether it makes sense to ask on: a service that answered nobody of the first dozen will not answer the next thousand,
 * each to the end of its `--timeout`.
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
