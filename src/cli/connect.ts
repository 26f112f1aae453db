/** Connects a command to a service, or to the local emulator, and opens the journal for it. */

import { join, resolve } from "node:path";
import { defined } from "../common/defined.ts";
import { ConfigurationError } from "../common/errors.ts";
import { showText } from "../common/escape.ts";
import { isInside, watchFile } from "../common/files.ts";
import { commandText } from "../plan/suggested-command.ts";
import type { JournalFileOptions } from "../sync/journal/file.ts";
import { emptyJournal, isNamed, type Journal, type JournalSummary, type JournalView } from "../sync/journal/journal.ts";
import { type Client, type ClientOptions, createClient } from "../wire/client.ts";
import { findStamper, findUrl } from "../wire/credentials.ts";
import { readProxies } from "../wire/proxy.ts";
import { makeThrottleNotices } from "../wire/throttle-notices.ts";
import { needsTls, refuseWeakTls } from "../wire/tls.ts";
import { describeLocalState, findStateParent, type StateFlags, stateFolder } from "./files/state-folder.ts";
import type { Flags } from "./flags/given-flags.ts";
import type { Call, Output, Terminal } from "./output/output.ts";
import type { PasskeyFlags, PasskeySigner } from "./passkey.ts";

export type ServiceFlags = StateFlags &
	PasskeyFlags &
	Flags<"url" | "keyFile" | "stampCommand" | "timeout" | "insecure" | "maxRps">;

/** Flags that select the journal; see `journalFile`. */
export type JournalFlags = StateFlags & Flags<"journal">;

export type ConnectionFlags = ServiceFlags & JournalFlags & Flags<"reads" | "concurrency">;

/** Max concurrent requests, unless `--concurrency` is greater. */
const defaultConnections = 8;

export interface Connection {
	readonly client: Client;
	/** Organizations of the local emulator; undefined for any other. */
	readonly localOrganizationIds: readonly string[] | undefined;
	/** The page that signs what is submitted; undefined without `--passkey`. */
	readonly signer: PasskeySigner | undefined;
	/** `isAtOnce`: without the answers to requests in flight. */
	close(isAtOnce?: boolean): Promise<void>;
}

type ServiceCall = Call<ServiceFlags & { readonly concurrency?: number; readonly waitForApproval?: number }>;

/** Returns what `work` returns. Throws as `connect` does. */
export async function withConnection<T>(call: ServiceCall, work: (connection: Connection) => Promise<T>): Promise<T> {
	const connection = await connect(call);
	try {
		return await work(connection);
	} finally {
		await connection.close();
	}
}

/** Opens a connection, which the caller closes. Throws ConfigurationError if the URL or the key is missing or invalid. */
export async function connect(call: ServiceCall): Promise<Connection> {
	const { flags, terminal, output } = call;
	if (flags.local === true && flags.url !== undefined) {
		throw new ConfigurationError("--local and --url cannot be used together");
	}
	checkTls(flags, terminal, output);
	const note = (text: string): void => output.note(showText(text));
	const local = flags.local === true ? await openLocalService(call, note) : undefined;
	let signer: PasskeySigner | undefined;
	try {
		const url = local?.url ?? flags.url ?? findUrl(terminal.environment);
		if (url === undefined) {
			throw new ConfigurationError("no service URL", {
				hint: "use --url URL, set ORGSYNC_URL, or try --local, which needs no account",
			});
		}
		const credentials = local === undefined ? { ...flags, directory: terminal.directory } : { keyFile: local.keyFile };
		const keyStamper = findStamper(credentials, terminal.environment, note);
		if (keyStamper === undefined) refuseTouchPerPoll(flags);
		if (flags.passkey === true) signer = await (await import("./passkey.ts")).openSigner(call);
		else if (flags.passkeyPort !== undefined) throw new ConfigurationError("--passkey-port needs --passkey");
		const stamper = keyStamper ?? signer?.stamper;
		if (stamper === undefined) {
			throw new ConfigurationError("no API key", {
				hint: "use --key-file FILE, set ORGSYNC_API_PRIVATE_KEY, use --stamp-command COMMAND, or try --local, which creates its own key",
			});
		}
		if (flags.insecure === true && needsTls(url, terminal.environment)) output.recordOverride({ flag: "insecure" });
		const keys = { url, stamper, ...defined({ submitStamper: signer?.stamper }) };
		const { client: direct, finish } = openClient(keys, local !== undefined, call);
		const client = signer?.askOwnerOnce(direct) ?? direct;
		if (keyStamper !== undefined) signer?.readWith(client.reader);
		else output.announce("There is no API key, so your passkey also signs each query, one touch each.");
		return {
			client,
			localOrganizationIds: local?.organizationIds,
			signer,
			close: async (isAtOnce) => {
				finish();
				await signer?.close();
				await client.close(isAtOnce);
				await local?.close();
			},
		};
	} catch (error) {
		await signer?.close();
		await local?.close();
		throw error;
	}
}

/** Starts the local emulator, and notes which it is where the working folder does not show that. */
async function openLocalService({ flags, terminal }: ServiceCall, note: (text: string) => void) {
	const { startLocalService } = await import("./local-service.ts");
	const parent = findStateParent(flags, terminal);
	const described = describeLocalState(parent, terminal);
	if (described !== undefined) note(described);
	return startLocalService(parent, note);
}

/** Throws ConfigurationError where a passkey would sign each reading of a run that waits, for hours and with no one there. */
function refuseTouchPerPoll({ passkey, waitForApproval }: ServiceCall["flags"]): void {
	if (passkey !== true || waitForApproval === undefined) return;
	throw new ConfigurationError(
		"--wait-for-approval with --passkey needs an API key: without one, your passkey has to sign each reading of what is pending",
		{ hint: "use --key-file FILE with a key that may only read, or leave out --wait-for-approval and run apply again" },
	);
}

/** Makes the client. `finish` notes what the rate limit cost, and records the requests in the metrics. */
function openClient(
	credentials: Pick<ClientOptions, "url" | "stamper" | "submitStamper">,
	isLocal: boolean,
	{ flags, terminal, output }: ServiceCall,
) {
	const notices = makeThrottleNotices(terminal.steadyNow);
	const notify = (notice: string | undefined): void => {
		if (notice !== undefined) output.note(showText(notice));
	};
	let throttled = 0;
	const client = createClient({
		...credentials,
		timeoutMs: flags.timeout * 1000,
		connections: Math.max(flags.concurrency ?? 0, defaultConnections),
		insecure: flags.insecure === true,
		...defined({ maxRequestsPerSecond: flags.maxRps }),
		...(isLocal ? {} : { proxy: readProxies(terminal.environment) }),
		onAttempt: (event) => {
			const { operation, attempt, result, durationMs } = event;
			if (result === 429) throttled += 1;
			notify(notices.onAttempt(event));
			output.detail(
				`${operation}: ${result}, ${Math.round(durationMs)} ms${attempt === 1 ? "" : `, attempt ${attempt}`}`,
			);
		},
	});
	const finish = (): void => {
		notify(notices.summarize());
		output.metrics.recordRequests({ ...client.stats(), throttled });
	};
	return { client, finish };
}

/** Warns of `--insecure`. Throws ConfigurationError if TLS is weakened without it. */
function checkTls(flags: ServiceFlags, { environment }: Terminal, output: Output): void {
	if (flags.insecure === true) {
		output.warn(
			"--insecure: certificates are not verified; anyone on the network path can read and change requests and responses",
		);
		return;
	}
	refuseWeakTls(environment, "--insecure");
}

/** Returns the path of the journal: `--journal`, or a file in `.orgsync`. The local emulator has its own. Throws as findStateParent does. */
function journalFile(flags: JournalFlags, terminal: Terminal): string {
	if (flags.journal !== undefined) {
		if (/^file:|^:memory:$/i.test(flags.journal)) {
			throw new ConfigurationError(`--journal ${showText(flags.journal)} is not a path`, {
				hint: "name a file, for example --journal .orgsync/journal.sqlite",
			});
		}
		return resolve(terminal.directory, flags.journal);
	}
	const name = flags.local === true ? "local-journal.sqlite" : "journal.sqlite";
	return join(findStateParent(flags, terminal), stateFolder, name);
}

/** Opens the journal, and creates it if it does not exist. Warns on close if its file was removed or replaced meanwhile. */
export async function openJournalOf({ flags, terminal, output }: Call<JournalFlags>): Promise<Journal> {
	const { openJournal } = await import("../sync/journal/file.ts");
	const file = journalFile(flags, terminal);
	if (flags.journal === undefined && !isInside(file, terminal.directory)) output.note(`Journal: ${showText(file)}`);
	const journal = await openJournal(file, journalOptions(flags, terminal, output));
	const isReplaced = watchFile(file);
	return {
		...journal,
		close: () => {
			if (isReplaced()) {
				output.warn(
					`the journal ${showText(file)} was removed or replaced during this run: what the run submitted is not recorded there; check it with \`${commandText({ command: "status" }, flags)}\` before you run apply again`,
				);
			}
			journal.close();
		},
	};
}

/** Returns what `work` returns. Throws as `openJournalOf` does. */
export async function withJournal<T>(call: Call<JournalFlags>, work: (journal: Journal) => Promise<T>): Promise<T> {
	const journal = await openJournalOf(call);
	try {
		return await work(journal);
	} finally {
		journal.close();
	}
}

/** Opens the journal read-only. Returns undefined if it does not exist. */
export async function readJournalOf({ flags, terminal, output }: Call<JournalFlags>): Promise<JournalView | undefined> {
	const { readJournal } = await import("../sync/journal/file.ts");
	return readJournal(journalFile(flags, terminal), journalOptions(flags, terminal, output));
}

function journalOptions({ journal }: JournalFlags, { environment }: Terminal, output: Output): JournalFileOptions {
	return { isNamed: journal !== undefined, notice: (text) => output.note(showText(text)), environment };
}

/** Reads the journal's entries of these organizations and closes it. Without a journal they are empty, and none is created. */
export async function viewJournal(
	organizationIds: readonly string[],
	call: Call<JournalFlags>,
): Promise<JournalSummary> {
	const journal = await readJournalOf(call);
	if (journal === undefined) return emptyJournal;
	try {
		const read = <T>(of: (id: string) => T, empty: (id: string) => T) => {
			const values = new Map(organizationIds.map((id) => [id, of(id)] as const));
			return (id: string): T => values.get(id) ?? empty(id);
		};
		const position = journal.position();
		return {
			lastApplied: read((id) => journal.lastApplied(id), emptyJournal.lastApplied),
			openEntries: read((id) => journal.openEntries(id), emptyJournal.openEntries),
			rejectedEntries: read((id) => journal.rejectedEntries(id), emptyJournal.rejectedEntries),
			completedTagEntries: read((id) => journal.completedTagEntries(id), emptyJournal.completedTagEntries),
			abandonedNames: read((id) => journal.abandonedNames(id), emptyJournal.abandonedNames),
			position: () => position,
		};
	} finally {
		journal.close();
	}
}

/** Returns the journal as after abandoning these names (in lower case). Writes nothing: a guard may still block the plan. */
export function withAbandoned<J extends Pick<Journal, "openEntries" | "abandonedNames">>(
	journal: J,
	names: readonly string[],
): J {
	return {
		...journal,
		openEntries: (organizationId: string) =>
			journal.openEntries(organizationId).filter((entry) => !isNamed(entry, names)),
		abandonedNames: (organizationId: string) => new Set([...journal.abandonedNames(organizationId), ...names]),
	};
}
