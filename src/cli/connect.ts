/**
 * A connection for one command: to the service that was named, or to the embedded one; with the journal that belongs to it.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigurationError } from "../errors.ts";
import { emptyMemory, type Memory } from "../plan/organization.ts";
import type { Reads } from "../plan/plan.ts";
import type { Journal } from "../sync/journal.ts";
import type { Client } from "../wire/client.ts";
import { type CredentialFlags, findStamper, findUrl } from "./credentials.ts";
import { localFolder } from "./local.ts";
import type { Terminal, Voice } from "./voice.ts";

/** Flags that every command which speaks to a service has. */
export interface ConnectionFlags extends CredentialFlags {
	readonly local?: boolean;
	readonly reads: Reads;
	readonly timeout: number;
	readonly concurrency: number;
	readonly journal?: string;
}

export interface Connection {
	readonly client: Client;
	/** Organizations of the embedded service; undefined for any other. */
	readonly localOrganizationIds: readonly string[] | undefined;
	close(): Promise<void>;
}

/** The open connection; whoever gets it closes it. Throws ConfigurationError when address or key are missing or wrong. */
export async function connect(flags: ConnectionFlags, terminal: Terminal, voice: Voice): Promise<Connection> {
	if (flags.local === true && flags.url !== undefined) {
		throw new ConfigurationError("--local and --url exclude each other");
	}
	const { createClient } = await import("../wire/client.ts");
	const local =
		flags.local === true ? await (await import("./local.ts")).startLocalService(terminal.directory) : undefined;
	try {
		const url = local?.url ?? findUrl(flags, terminal.environment);
		const stamper = findStamper(local === undefined ? flags : { keyFile: local.keyFile }, terminal.environment);
		const client = createClient({
			url,
			stamper,
			timeoutMs: flags.timeout * 1000,
			connections: Math.max(flags.concurrency, 8),
			onRequest: ({ operation, attempt, outcome, durationMs }) =>
				voice.detail(
					`${operation}: ${outcome}, ${Math.round(durationMs)} ms${attempt === 1 ? "" : `, attempt ${attempt}`}`,
				),
		});
		return {
			client,
			localOrganizationIds: local?.organizationIds,
			close: async () => {
				await client.close();
				await local?.close();
			},
		};
	} catch (error) {
		await local?.close();
		throw error;
	}
}

/** Where the journal is kept: by `--journal`, else in `.orgsync`, apart for the embedded service. */
export function journalFile(flags: Pick<ConnectionFlags, "journal" | "local">, terminal: Terminal): string {
	if (flags.journal !== undefined) return resolve(terminal.directory, flags.journal);
	return join(terminal.directory, localFolder, flags.local === true ? "local-journal.sqlite" : "journal.sqlite");
}

/** The journal, made when it is not there. */
export async function openJournalOf(flags: ConnectionFlags, terminal: Terminal): Promise<Journal> {
	return (await import("../sync/journal.ts")).openJournal(journalFile(flags, terminal));
}

/** What was last applied to each of the organizations; nothing when there is no journal, and none is made for looking. */
export async function readMemories(
	organizationIds: readonly string[],
	flags: ConnectionFlags,
	terminal: Terminal,
): Promise<ReadonlyMap<string, Memory>> {
	if (!existsSync(journalFile(flags, terminal))) return new Map(organizationIds.map((id) => [id, emptyMemory]));
	const journal = await openJournalOf(flags, terminal);
	try {
		return new Map(organizationIds.map((id) => [id, journal.memory(id)]));
	} finally {
		journal.close();
	}
}
