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
export interface ServiceFlags extends CredentialFlags {
	readonly local?: boolean;
	readonly timeout: number;
	/** Most requests a second; undefined: as many as the service takes. */
	readonly maxRps?: number;
}

/** Where the journal is; see journalFile. */
export interface JournalFlags {
	readonly local?: boolean;
	readonly journal?: string;
}

/** Those of a command that holds a whole organization against something. */
export interface ConnectionFlags extends ServiceFlags, JournalFlags {
	readonly reads: Reads;
	readonly concurrency: number;
}

/** Requests that may be under way at once, unless `--concurrency` is greater. */
const leastConnections = 8;

export interface Connection {
	readonly client: Client;
	/** Organizations of the embedded service; undefined for any other. */
	readonly localOrganizationIds: readonly string[] | undefined;
	close(): Promise<void>;
}

/** The open connection; whoever gets it closes it. Throws ConfigurationError when address or key are missing or wrong. */
export async function connect(
	flags: ServiceFlags & { readonly concurrency?: number },
	terminal: Terminal,
	voice: Voice,
): Promise<Connection> {
	if (flags.local === true && flags.url !== undefined) {
		throw new ConfigurationError("--local and --url exclude each other");
	}
	const { createClient } = await import("../wire/client.ts");
	const { readProxies } = await import("../wire/proxy.ts");
	const { makeThrottleNotices } = await import("../wire/throttle-notices.ts");
	const local =
		flags.local === true ? await (await import("./local.ts")).startLocalService(terminal.directory) : undefined;
	try {
		const url = local?.url ?? findUrl(flags, terminal.environment);
		const stamper = findStamper(local === undefined ? flags : { keyFile: local.keyFile }, terminal.environment);
		const notices = makeThrottleNotices(terminal.steadyNow);
		const tell = (notice: string | undefined): void => {
			if (notice !== undefined) voice.note(showText(notice));
		};
		const client = createClient({
			url,
			stamper,
			timeoutMs: flags.timeout * 1000,
			connections: Math.max(flags.concurrency ?? 0, leastConnections),
			...(flags.maxRps === undefined ? {} : { maxRequestsPerSecond: flags.maxRps }),
			...(local === undefined ? { proxy: readProxies(terminal.environment) } : {}),
			onRequest: (event) => {
				const { operation, attempt, outcome, durationMs } = event;
				tell(notices.hear(event));
				voice.detail(
					`${operation}: ${outcome}, ${Math.round(durationMs)} ms${attempt === 1 ? "" : `, attempt ${attempt}`}`,
				);
			},
		});
		return {
			client,
			localOrganizationIds: local?.organizationIds,
			close: async () => {
				tell(notices.end());
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
export function journalFile(flags: JournalFlags, terminal: Terminal): string {
	if (flags.journal !== undefined) return resolve(terminal.directory, flags.journal);
	return join(terminal.directory, localFolder, flags.local === true ? "local-journal.sqlite" : "journal.sqlite");
}

/** The journal, made when it is not there. */
export async function openJournalOf(flags: JournalFlags, terminal: Terminal): Promise<Journal> {
	return (await import("../sync/journal.ts")).openJournal(journalFile(flags, terminal));
}

/** What the journal says of some organizations, read at once: nothing is kept open while the service is asked. */
export interface JournalView extends Pick<Journal, "open" | "abandoned"> {
	memory(organizationId: string): Memory;
}

/** The journal's view of these organizations; an empty one when there is no journal, and none is made for looking. */
export async function viewJournal(
	organizationIds: readonly string[],
	flags: JournalFlags,
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

/**
 * The same journal as it will be when these ids and fingerprints, in small letters, have been given up in it. Nothing is
 * written: whoever plans with it may still be refused.
 */
export function withGivenUp<J extends Pick<Journal, "open" | "abandoned">>(journal: J, names: readonly string[]): J {
	const isNamed = (name: string | null): boolean => name !== null && names.includes(name.toLowerCase());
	return {
		...journal,
		open: (organizationId: string) =>
			journal.open(organizationId).filter(({ activityId, body }) => !isNamed(activityId) && !isNamed(body.fingerprint)),
		abandoned: (organizationId: string) => new Set([...journal.abandoned(organizationId), ...names]),
	};
}
