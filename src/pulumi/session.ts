/**
 * The one place of the Pulumi room that speaks to the service: settings to a connection, a resource's wish to what became
 * of it. One session serves all resources of a process, so that reads are shared; it connects when it is first needed, and
 * a stack that submits nothing needs no key.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigurationError, GuardError, LiveProblemError } from "../errors.ts";
import { type Guard, refusingGuards } from "../plan/guards.ts";
import { type DesiredOrganization, emptyMemory, type LiveOrganization } from "../plan/organization.ts";
import type { Plan } from "../plan/plan.ts";
import type { Report } from "../plan/report.ts";
import { apply } from "../sync/apply.ts";
import { type Comparison, compareLive } from "../sync/compare.ts";
import type { Journal } from "../sync/journal.ts";
import { openJournal } from "../sync/journal-file.ts";
import type { Sent } from "../sync/outcomes.ts";
import { readLive } from "../sync/read.ts";
import { settle } from "../sync/settle.ts";
import { type Client, createClient, type Reader, type Submitter } from "../wire/client.ts";
import { type Environment, findStamper } from "../wire/credentials.ts";
import { readProxies } from "../wire/proxy.ts";
import { refuseWeakTls } from "../wire/tls.ts";
import { announceCreation } from "./announcement.ts";
import { type Claims, claimsOf } from "./claims.ts";
import { type Kept, mergeMemory, restoreKept } from "./kept.ts";
import { NameQueue, NameTakenError } from "./name-queue.ts";
import { environmentName, type Settings } from "./settings.ts";
import { type SharedReads, shareReads } from "./shared-reads.ts";

/** What a session takes from the process: handed in, so that nothing below reads it by itself. */
export interface Surroundings {
	readonly environment: Environment;
	/** The project's folder, in which the journal is kept. */
	readonly directory: string;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Milliseconds from any beginning, never set back. */
	readonly steadyNow: () => number;
	readonly sleep: (ms: number) => Promise<void>;
	/** Shows a line to whoever runs the engine. */
	readonly say?: (line: string) => void;
	/** Shows a warning; `say` when left out. */
	readonly warn?: (line: string) => void;
	/** Once aborted, what is in flight ends and nothing else is begun. */
	readonly signal?: AbortSignal;
}

/** One resource's wish: what it wants, as a document of its own, and what its state keeps. */
export interface Wanted {
	/** The resource's name in the program; reads are made again for whoever submitted something. */
	readonly resource: string;
	readonly desired: DesiredOrganization;
	readonly kept: Kept;
}

/** What became of a wish. Without a report nothing had to be submitted. */
export interface Converged {
	readonly plan: Plan;
	readonly report: Report | undefined;
	readonly journal: Journal;
}

interface Connection {
	readonly client: Client;
	readonly reads: SharedReads;
}

type JournalView = Pick<Journal, "open" | "abandoned" | "rejected" | "memory" | "position">;

/** What a journal that is not there yet would say. */
const noJournal: JournalView = {
	open: () => [],
	abandoned: () => new Set(),
	rejected: () => [],
	memory: () => emptyMemory,
	position: () => 0,
};

/** See the head of the file. */
export class Session {
	readonly settings: Settings;
	/** Who claims which object, in the whole program. */
	readonly claims: Claims = claimsOf();
	/** Who waits for a name that another tag still holds. */
	readonly names = new NameQueue();
	readonly #surroundings: Surroundings;
	readonly #journalFile: string;
	#connection: Connection | undefined;
	#journal: Promise<Journal> | undefined;
	/** What was heard of open activities, by fingerprint: each is asked for once a process. */
	readonly #settled = new Map<string, Sent>();
	#settling: Promise<void> = Promise.resolve();

	constructor(settings: Settings, surroundings: Surroundings) {
		this.settings = settings;
		this.#surroundings = surroundings;
		const { journal } = settings;
		const place = journal ?? join(".orgsync", "journal.sqlite");
		this.#journalFile = place === ":memory:" ? place : resolve(surroundings.directory, place);
	}

	/** The service's reads, shared with all resources. Throws ConfigurationError when address or key are missing. */
	readerFor(resource: string): Reader {
		return this.#connect().reads.readerFor(resource);
	}

	/** The plan for one wish with what waits for it; submits nothing and writes nothing, so previews may ask for it. */
	async compare(wanted: Wanted): Promise<Comparison> {
		return this.#compare(wanted, (await this.#journalIfThere()) ?? noJournal);
	}

	/** The same for whoever only wants to know whether it may be applied: what waits is not asked for. */
	judge(wanted: Wanted): Promise<Comparison> {
		return this.#compare(wanted, undefined);
	}

	async #compare({ resource, desired, kept }: Wanted, journal: JournalView | undefined): Promise<Comparison> {
		const known = journal ?? (await this.#journalIfThere());
		const memory = mergeMemory(known?.memory(desired.organizationId) ?? emptyMemory, kept);
		return compareLive(desired, this.readerFor(resource), memory, {
			reads: this.settings.reads,
			now: this.#surroundings.now,
			steadyNow: this.#surroundings.steadyNow,
			...(journal === undefined ? {} : { journal }),
			...(this.settings.retryRejected ? { retryRejected: true } : {}),
		});
	}

	/** The live organization as far as the wish speaks of it, and what memory has; submits nothing. */
	async read({ resource, desired, kept }: Wanted): Promise<LiveOrganization> {
		const journal = await this.#journalIfThere();
		const memory = mergeMemory(journal?.memory(desired.organizationId) ?? emptyMemory, kept);
		return (await readLive(desired, this.readerFor(resource), memory, this.settings.reads)).live;
	}

	/**
	 * Makes the wish so: settles what is open, compares, holds the guards against the plan, submits. Throws GuardError and
	 * LiveProblemError before anything is sent, and what compareLive throws. `learnsTime`: whether it matters afterwards when
	 * the tag was changed; `isJudged`: whether the guards have not judged its changes before.
	 */
	async converge(wanted: Wanted, { learnsTime = true, isJudged = true } = {}): Promise<Converged> {
		const { resource, desired, kept } = wanted;
		const { organizationId } = desired;
		const { now, sleep, signal } = this.#surroundings;
		const { client, reads } = this.#connect();
		const journal = await this.#openJournal();
		await restoreKept(organizationId, kept, journal, now());
		for (const name of this.settings.abandon) journal.abandon(organizationId, name, now());
		const { reads: mode, waitMs, retryRejected } = this.settings;
		const context = {
			reader: reads.readerFor(resource),
			submitter: touching(client.submitter, () => reads.touch(resource)),
			journal,
			now,
			sleep,
			reads: mode,
			waitMs,
			...(retryRejected ? { retryRejected } : {}),
		};
		await this.#settleOnce(organizationId, context, journal);
		const comparison = await this.compare(wanted);
		const { plan } = comparison;
		// Judged also where a name is still taken: whoever closes the circle of names makes one plan for those who were judged.
		if (isJudged) this.refuseGuarded(plan);
		refuseImpossible(plan);
		if (plan.steps.length === 0) return { plan, report: undefined, journal };
		const report = await apply(comparison, {
			...context,
			settled: this.#settled,
			concurrency: 4,
			// Live members show at the next refresh whether it holds. Where memory stands in for them, the time of our own change
			// has to be learned now, or somebody else's could not be told from it.
			verify: learnsTime && plan.unread.some(({ address }) => address.startsWith("userTag:")),
			stats: () => client.stats(),
			...(signal === undefined ? {} : { signal }),
		});
		if (plan.changes.some(({ kind }) => kind === "userTag")) this.names.wakeAll();
		return { plan, report, journal };
	}

	/** Tells whoever looks at a preview what creating a resource would submit. */
	announce(resource: string, plan: Plan): void {
		const line = announceCreation(resource, plan);
		if (line !== undefined) this.#surroundings.say?.(line);
	}

	/** The next read of this resource asks the service again. */
	forget(resource: string): void {
		this.#connection?.reads.touch(resource);
	}

	/** Throws GuardError when a guard refuses the plan and was not acknowledged. */
	refuseGuarded(plan: Plan): void {
		const refusing = refusingGuards(plan.guards, this.settings.allow);
		if (refusing.length === 0) return;
		const said = refusing.map(({ message, limit }) => `${message} (allowed: ${limit})`).join("; ");
		throw new GuardError(`refused, nothing was sent: ${said}`, {
			hint: `when this is meant: ${acknowledge(refusing, this.settings.allow)}`,
		});
	}

	/** Asks each open activity once, resource by resource: two must not settle the same one at the same time. */
	#settleOnce(organizationId: string, context: Parameters<typeof settle>[1], journal: Journal): Promise<void> {
		const mine = this.#settling.then(async () => {
			const unasked: Journal = {
				...journal,
				open: (id) => journal.open(id).filter(({ body }) => !this.#settled.has(body.fingerprint)),
			};
			for (const [fingerprint, sent] of await settle(organizationId, { ...context, journal: unasked })) {
				this.#settled.set(fingerprint, sent);
			}
		});
		this.#settling = mine.catch(() => undefined);
		return mine;
	}

	#connect(): Connection {
		if (this.#connection !== undefined) return this.#connection;
		const { environment } = this.#surroundings;
		const { url, credentials, timeoutMs, maxRequestsPerSecond } = this.settings;
		if (url === undefined) {
			throw new ConfigurationError("which service? no address is given", { hint: howToSet("url") });
		}
		// Nobody watches a stack's runs as they watch a command: here nothing overrides it.
		refuseWeakTls(environment);
		// Files are from the folder of Pulumi.yaml, wherever below it the program runs.
		const fromProject = (file: string | undefined) => (file ? resolve(this.#surroundings.directory, file) : undefined);
		const stamper = findStamper(
			{ ...credentials, keyFile: fromProject(credentials.keyFile), keyFileFrom: "orgsync:keyFile" },
			{ ...environment, ORGSYNC_KEY_FILE: fromProject(environment.ORGSYNC_KEY_FILE) },
			this.#surroundings.warn ?? this.#surroundings.say,
		);
		if (stamper === undefined) {
			throw new ConfigurationError("no API key is given", {
				hint: `give one with \`pulumi config set --secret orgsync:apiPrivateKey\` or to a Provider, or set ${environmentName("apiPrivateKey")}, ${environmentName("keyFile")} or ${environmentName("stampCommand")}`,
			});
		}
		const client = createClient({
			url,
			stamper,
			timeoutMs,
			proxy: readProxies(environment),
			...(maxRequestsPerSecond === undefined ? {} : { maxRequestsPerSecond }),
		});
		this.#connection = { client, reads: shareReads(client.reader, this.#surroundings.steadyNow) };
		return this.#connection;
	}

	#journalIfThere(): Promise<Journal> | undefined {
		return this.#journal !== undefined || existsSync(this.#journalFile) ? this.#openJournal() : undefined;
	}

	#openJournal(): Promise<Journal> {
		this.#journal ??= openJournalFile(this.#journalFile);
		return this.#journal;
	}
}

/** The submitter; whoever submits something reads anew what it has touched. */
function touching(submitter: Submitter, touch: () => void): Submitter {
	return {
		async submit(body) {
			try {
				return await submitter.submit(body);
			} finally {
				touch();
			}
		},
	};
}

/** How a setting is given, for a hint. */
export function howToSet(name: Parameters<typeof environmentName>[0]): string {
	return `give it with \`pulumi config set orgsync:${name} VALUE\` or to a Provider, or set ${environmentName(name)}`;
}

async function openJournalFile(file: string): Promise<Journal> {
	return withoutInFlight(await openJournal(file));
}

/**
 * The journal for resources that are worked on side by side: what one of them has in flight this moment is not open to the
 * others, who would ask the service what became of it.
 */
function withoutInFlight(journal: Journal): Journal {
	const inFlight = new Set<string>();
	return {
		...journal,
		claim: (wish, choose) =>
			journal.claim(wish, (entries) => {
				const choice = choose(entries);
				if (choice.put !== undefined) inFlight.add(choice.put.body.fingerprint);
				return choice;
			}),
		settled(fingerprint, ...more) {
			inFlight.delete(fingerprint);
			return journal.settled(fingerprint, ...more);
		},
		open: (organizationId) => journal.open(organizationId).filter(({ body }) => !inFlight.has(body.fingerprint)),
	};
}

/** How to acknowledge what these guards found, beside what is acknowledged already: the command replaces the whole value. */
function acknowledge(guards: readonly Guard[], allow: Settings["allow"]): string {
	const already = [...allow].flatMap(([kind, values]) => [...values].map((found) => `${kind}=${found}`));
	const found = guards.map((guard) => `${guard.kind}=${guard.found}`);
	return `\`pulumi config set orgsync:allow "${[...new Set([...already, ...found])].join(" ")}"\``;
}

const nameHint =
	"if the program does rename that tag, its resource has to be updated at the same time or before: not with --parallel 1, or with dependsOn";

function refuseImpossible({ problems }: Plan): void {
	if (problems.length === 0) return;
	const message = problems.map((problem) => problem.message).join("; ");
	throw problems.every(({ code }) => code === "tag-name-taken")
		? new NameTakenError(message, { hint: nameHint })
		: new LiveProblemError(message);
}
