/**
 * A connection for one command: to the service that was named, or to the embedded one; with the journal that belongs to it.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigurationError } from "../errors.ts";
import { emptyMemory, type Memory } from "../plan/organization.ts";
import type { Reads } from "../plan/plan.ts";
import { showText } from "../plan/render/escape.ts";
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
	/** Most requests a second; undefined: as many as the service takes. */
	readonly maxRps?: number;
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
	const { readProxies } = await import("../wire/proxy.ts");
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
			...(flags.maxRps === undefined ? {} : { maxRequestsPerSecond: flags.maxRps }),
			...(local === undefined ? { proxy: readProxies(terminal.environment) } : {}),
			onRequest: ({ operation, attempt, outcome, durationMs, reason }) => {
				if (reason !== undefined) voice.note(showText(reason));
				voice.detail(
					`${operation}: ${outcome}, ${Math.round(durationMs)} ms${attempt === 1 ? "" : `, attempt ${attempt}`}`,
				);
			},
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

/** What the journal says of some organizations, read at once: nothing is kept open while the service is asked. */
export interface JournalView extends Pick<Journal, "open" | "abandoned"> {
	memory(organizationId: string): Memory;
}

/** The journal's view of these organizations; an empty one when there is no journal, and none is made for looking. */
export async function viewJournal(
	organizationIds: readonly string[],
	flags: ConnectionFlags,
	terminal: Terminal,
): Promise<JournalView> {
	if (!existsSync(journalFile(flags, terminal))) {
		return { memory: () => emptyMemory, open: () => [], abandoned: () => new Set() };
	}
	const journal = await openJournalOf(flags, terminal);
	try {
		const read = <T>(of: (id: string) => T) => new Map(organizationIds.map((id) => [id, of(id)]));
		const memories = read((id) => journal.memory(id));
		const open = read((id) => journal.open(id));
		const abandoned = read((id) => journal.abandoned(id));
		return {
			memory: (id) => memories.get(id) ?? emptyMemory,
			open: (id) => open.get(id) ?? [],
			abandoned: (id) => abandoned.get(id) ?? new Set(),
		};
	} finally {
		journal.close();
	}
}
