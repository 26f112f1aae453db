/** Compares documents with live organizations, and submits nothing. One failed read does not stop the others. */

import { ConfigurationError, OrgsyncError, StorageError } from "../../common/errors.ts";
import { organizationChannel } from "../../common/tracing.ts";
import type { DesiredFleet } from "../../document/read/fleet.ts";
import type { BaseDocument } from "../../plan/base/three-way.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { namedIn, showOrganization } from "../../plan/organization-name.ts";
import type { Convergence } from "../../sync/converge.ts";
import { emptyJournal, type Journal, type JournalSummary } from "../../sync/journal/journal.ts";
import { readUntilInterrupted } from "../../sync/read/live-queries.ts";
import type { OrganizationClient } from "../../wire/client.ts";
import { type Connection, type ConnectionFlags, readJournalOf } from "../connect.ts";
import { collectGarbage } from "../files/collect-garbage.ts";
import type { Flags } from "../flags/given-flags.ts";
import { mapInOrder } from "../map-in-order.ts";
import type { OrganizationError } from "../output/failure.ts";
import type { Call } from "../output/output.ts";
import { watchReach } from "./read-each.ts";
import type { SelectionFlags } from "./selection.ts";

export type ComparisonFlags = SelectionFlags & ConnectionFlags & HorizonFlags;

type HorizonFlags = Flags<"horizon">;

export interface ComparedOrganization extends Convergence {
	/** The client, with counts of its own for this organization. */
	readonly client: OrganizationClient;
}

export interface ComparingOptions {
	/** Returns the earlier document of an organization, which is compared too. */
	readonly baseOf?: ((organizationId: string) => BaseDocument) | undefined;
	/** Whether rejected activities are submitted again. */
	readonly retryRejected?: boolean | undefined;
	/** Returns the user who will submit the plan; left out, it is the user of the key. */
	readonly submitterOf?: ((desired: DesiredOrganization) => string) | undefined;
}

interface ComparingContext extends ComparingOptions, Call<ConnectionFlags & HorizonFlags> {
	readonly connection: Connection;
	/** The journal of a command that submits: outcomes are settled in it. If left out, it is read once. */
	readonly journal?: Journal;
	/** Whether it is the only organization of the command; if left out, whether the fleet has no other. */
	readonly isAlone?: boolean;
	/** Once aborted, no organization is read any more. */
	readonly signal?: AbortSignal;
}

/** Organizations ahead of the one whose turn it is, as a multiple of `--concurrency`: one slow answer must not stop the others. */
const aheadFactor = 4;

/** Compares each organization with live, a few times `--concurrency` at once. Yields what `use` returns, or errors, in order. */
export async function* compareFleet<T extends object>(
	fleet: DesiredFleet,
	context: ComparingContext,
	use: (compared: ComparedOrganization) => T | Promise<T>,
): AsyncGenerator<T | OrganizationError, void> {
	const { connection, flags, output } = context;
	const { organizationIds } = fleet;
	refuseUnknownLocal(organizationIds, connection);
	// Read organization by organization: all entries of a large fleet would fill the memory.
	const view = context.journal === undefined ? await readJournalOf(context) : undefined;
	const journal = context.journal ?? view ?? emptyJournal;
	const reachable = watchReach(flags.concurrency);
	const { isAlone = organizationIds.length === 1 } = context;
	/** An entry that cannot be used ends a call that only reads: which organization it is of may be wrong too. */
	const isOfJournal = (error: OrgsyncError): boolean => view !== undefined && error instanceof StorageError;
	let done = 0;
	const limits = { maxConcurrency: flags.concurrency, maxAhead: aheadFactor * flags.concurrency };
	const compare = async (organizationId: string): Promise<T | OrganizationError> => {
		const which = isAlone ? "" : ` (${done + 1} of ${organizationIds.length})`;
		const desired = fleet.load(organizationId);
		output.progress(`reading organization ${showOrganization(namedIn(desired))}${which}`);
		try {
			reachable.check();
			const read = async (): Promise<T> => {
				const compared = await compareOne(desired, context, journal);
				reachable.answered();
				return use(compared);
			};
			return await organizationChannel.tracePromise(read, { organizationId, work: "read" });
		} catch (error) {
			if (isAlone || !(error instanceof OrgsyncError) || isOfJournal(error)) throw error;
			reachable.failed(error);
			return { ...namedIn(desired), error };
		} finally {
			done += 1;
			collectGarbage();
		}
	};
	try {
		yield* mapInOrder(organizationIds, limits, compare);
	} finally {
		view?.close();
		output.clear();
	}
}

const interruptedReading = "orgsync was interrupted while it read this organization; nothing was submitted to it";

/** Converges an organization by the connection; open requests of earlier runs are settled if there is a journal for that. */
async function compareOne(
	desired: DesiredOrganization,
	{ connection, flags, terminal, signal, baseOf, retryRejected, submitterOf, journal: written }: ComparingContext,
	journal: JournalSummary,
): Promise<ComparedOrganization> {
	const { organizationId } = desired;
	const { converge } = await import("../../sync/converge.ts");
	const { settleOpenEntries } = await import("../../sync/settle.ts");
	const client = connection.client.forOrganization();
	const reader = readUntilInterrupted(client.reader, signal, interruptedReading);
	const { reads } = flags;
	const { now, steadyNow } = terminal;
	const converged = await converge(desired, {
		...{ reader, reads, now, steadyNow, journal, publicKey: () => client.publicKey() },
		lastApplied: () => journal.lastApplied(organizationId),
		settle: written && (() => settleOpenEntries(organizationId, { reader, reads, now, journal: written })),
		readerFreshSinceList: written && (() => reader),
		...{ base: baseOf?.(organizationId), submitterId: submitterOf?.(desired) },
		...{ retryRejected, horizonMs: flags.horizon },
	});
	return { ...converged, client };
}

/** Throws ConfigurationError for an organization that the local emulator does not have, in place of its 404. */
export function refuseUnknownLocal(
	organizationIds: readonly string[],
	{ localOrganizationIds }: Pick<Connection, "localOrganizationIds">,
): void {
	if (localOrganizationIds === undefined) return;
	const unknown = organizationIds.find((id) => !localOrganizationIds.includes(id));
	if (unknown === undefined) return;
	throw new ConfigurationError(`the local service has no organization ${unknown}`, {
		hint: `it has ${localOrganizationIds.join(", ")}; init with --local writes a document for it`,
	});
}
