/**
 * The one place of the Pulumi room that speaks to the service: settings to a connection, a resource's wish to what became
 * of it. One session serves all resources of a process, so that reads are shared; it connects when it is first needed, and
 * a stack that submits nothing needs no key.
 */

import { join, resolve } from "node:path";
import { ConfigurationError } from "../errors.ts";
import { parseAddress } from "../plan/address.ts";
import {
	type DesiredOrganization,
	emptyLastApplied,
	type LastApplied,
	type LiveOrganization,
} from "../plan/organization.ts";
import { abandonOf, allowsOf } from "../plan/overrides.ts";
import type { Plan } from "../plan/plan.ts";
import type { Report } from "../plan/report.ts";
import { applyPlan } from "../sync/apply.ts";
import { type Comparison, compareLive } from "../sync/compare.ts";
import type { Journal, JournalView } from "../sync/journal.ts";
import { type JournalFileOptions, readJournal } from "../sync/journal-file.ts";
import type { SubmitResult } from "../sync/outcomes.ts";
import { readLive } from "../sync/read.ts";
import { type SettleContext, settleOpenEntries } from "../sync/settle.ts";
import { type Client, createClient, type Reader, type Submitter } from "../wire/client.ts";
import { type Environment, findStamper } from "../wire/credentials.ts";
import type { SubmitName } from "../wire/operations.ts";
import { readProxies } from "../wire/proxy.ts";
import { refuseWeakTls } from "../wire/tls.ts";
import { type Claims, type ClaimsFolder, claimsIn, type Owner, ownerOf } from "./claims.ts";
import { type Holders, holdersBeside } from "./holders.ts";
import { openSharedJournal } from "./journal-file.ts";
import { type Kept, mergeMemory, restoreKept } from "./kept.ts";
import type { KeptBy } from "./kept-read.ts";
import { NameQueue } from "./name-queue.ts";
import { isNamed, OverrideLog } from "./overrides.ts";
import { refuseGuarded, refuseImpossible } from "./refusals.ts";
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
	/** Shows a notice or a warning to whoever runs the engine. */
	readonly warn?: (line: string) => void;
	/** Where the processes of one engine share their claims. */
	readonly claimsFolder?: ClaimsFolder | undefined;
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

/** Before something is submitted, answers older than this are asked for again. */
const maxSubmitAgeMs = 10_000;

interface Connection {
	readonly client: Client;
	readonly reads: SharedReads;
}

type JournalEvidence = Pick<
	JournalView,
	"openEntries" | "abandonedNames" | "rejectedEntries" | "lastApplied" | "position"
>;

/** What a journal that is not there yet would say. */
const noJournal: JournalEvidence = {
	openEntries: () => [],
	abandonedNames: () => new Set(),
	rejectedEntries: () => [],
	lastApplied: () => emptyLastApplied,
	position: () => 0,
};

/** See the head of the file. */
export class Session {
	readonly settings: Settings;
	/** Who claims which object, in the whole program. */
	readonly claims: Claims;
	/** Who applied which object last. */
	readonly holders: Holders;
	/** Who waits for a name that another tag still holds. */
	readonly names = new NameQueue();
	readonly #surroundings: Surroundings;
	readonly #journalFile: string;
	#connection: Connection | undefined;
	#journal: Promise<Journal> | undefined;
	#view: Promise<JournalView | undefined> | undefined;
	#position: (() => number) | undefined;
	/** What was heard of open activities, by fingerprint: each is asked for once a process. */
	readonly #settled = new Map<string, SubmitResult>();
	#settling: Promise<void> = Promise.resolve();
	readonly #overrides: OverrideLog;

	constructor(settings: Settings, surroundings: Surroundings) {
		this.settings = settings;
		this.#surroundings = surroundings;
		this.#overrides = new OverrideLog((line) => surroundings.warn?.(line));
		const { journal } = settings;
		const place = journal ?? join(".orgsync", "journal.sqlite");
		this.#journalFile = place === ":memory:" ? place : resolve(surroundings.directory, place);
		this.claims = claimsIn(surroundings.claimsFolder, settings.url);
		this.holders = holdersBeside(this.#journalFile, settings.url);
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

	async #compare({ resource, desired, kept }: Wanted, journal: JournalEvidence | undefined): Promise<Comparison> {
		const known = journal ?? (await this.#journalIfThere());
		const memory = mergeMemory(known?.lastApplied(desired.organizationId) ?? emptyLastApplied, kept);
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
		const memory = mergeMemory(await this.memory(desired.organizationId), kept);
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
		for (const name of this.settings.abandon) {
			const open = journal.openEntries(organizationId).filter((entry) => isNamed(entry, name));
			for (const { activityId, body } of open)
				this.#overrides.tell(resource, [abandonOf(activityId ?? body.fingerprint)]);
			journal.abandon(organizationId, name, now());
		}
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
		await this.#settleOnce(organizationId, context, reads);
		const comparison = await this.#compareAnew(wanted, reads);
		const { plan } = comparison;
		this.#overrides.tell(
			resource,
			(plan.overrides ?? []).filter(({ flag }) => flag === "abandon"),
		);
		// Judged also where a name is still taken: whoever closes the circle of names makes one plan for those who were judged.
		if (isJudged) this.refuseGuarded(plan, resource);
		refuseImpossible(plan);
		if (plan.steps.length === 0) return { plan, report: undefined, journal };
		const report = await applyPlan(comparison, {
			...context,
			settled: this.#settled,
			concurrency: 4,
			// Live members show at the next refresh whether it holds. Where memory stands in for them, the time of our own change
			// has to be learned now, or somebody else's could not be told from it.
			verify:
				learnsTime &&
				plan.unread.some((one) => one.scope === "object" && parseAddress(one.address)?.kind === "userTag"),
			stats: () => client.stats(),
			...(signal === undefined ? {} : { signal }),
		});
		this.#overrides.tell(resource, report.overrides, plan.guards);
		if (plan.changes.some(({ kind }) => kind === "userTag")) this.names.wakeAll();
		return { plan, report, journal };
	}

	/** Records the resource as the one that applied an object last. */
	hold(object: string, owner: Owner & { readonly organizationId: string }): void {
		const appliedAt = new Date(this.#surroundings.now()).toISOString();
		this.holders.hold(owner.organizationId, object, { ...ownerOf(owner), appliedAt });
	}

	/** What the journal remembers of an organization, without what any state keeps. */
	async memory(organizationId: string): Promise<LastApplied> {
		return (await this.#journalIfThere())?.lastApplied(organizationId) ?? emptyLastApplied;
	}

	/** By what the state of a resource is read. */
	keptBy(resource: string, organizationId: string, operation: SubmitName): KeptBy {
		const onAbandoned = (name: string): void => this.#overrides.tell(resource, [abandonOf(name)]);
		const { abandon } = this.settings;
		return { resource, organizationId, operation, abandon, onAbandoned, nowMs: this.#surroundings.now() };
	}

	/** The next read of this resource asks the service again. */
	forget(resource: string): void {
		this.#connection?.reads.touch(resource);
	}

	/**
	 * Throws GuardError when a guard refuses the plan and was not acknowledged. Shows what was acknowledged and needed beside
	 * the resource; a caller without one shows it by itself.
	 */
	refuseGuarded(plan: Plan, resource?: string): void {
		refuseGuarded(plan, this.settings.allow);
		if (resource === undefined) return;
		this.#overrides.tell(resource, allowsOf(plan.guards, this.settings.allow), plan.guards);
	}

	/**
	 * The plan for a wish. A plan that submits is made of answers that are a few seconds old at most: what others submitted or
	 * approved meanwhile must not be submitted again.
	 */
	async #compareAnew(wanted: Wanted, reads: SharedReads): Promise<Comparison> {
		const comparison = await this.compare(wanted);
		const ageMs = this.#surroundings.now() - Date.parse(comparison.plan.readAt);
		if (comparison.plan.steps.length === 0 || ageMs <= maxSubmitAgeMs) return comparison;
		reads.renew(wanted.desired.organizationId, maxSubmitAgeMs);
		return this.compare(wanted);
	}

	/**
	 * Asks the service about each open activity once, resource by resource: two must not settle the same one at the same time.
	 * Answers from before an activity completed do not show what it did, so they are shared no longer.
	 */
	#settleOnce(
		organizationId: string,
		context: SettleContext & { journal: Journal },
		reads: SharedReads,
	): Promise<void> {
		const { journal } = context;
		const mine = this.#settling.then(async () => {
			const unasked: Journal = {
				...journal,
				openEntries: (id) => journal.openEntries(id).filter(({ body }) => !this.#settled.has(body.fingerprint)),
			};
			const found = await settleOpenEntries(organizationId, { ...context, journal: unasked });
			for (const [fingerprint, sent] of found) this.#settled.set(fingerprint, sent);
			if ([...found.values()].some(({ outcome }) => outcome === "completed")) reads.renew(organizationId);
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
		const given = { ...credentials, keyFileFrom: "orgsync:keyFile", directory: this.#surroundings.directory };
		const stamper = findStamper(given, environment, this.#surroundings.warn);
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
		this.#connection = {
			client,
			reads: shareReads(client.reader, { ...this.#surroundings, position: () => this.#position?.() }),
		};
		return this.#connection;
	}

	/** The journal for whoever only reads: its file may lie where nothing can be written. */
	#journalIfThere(): Promise<JournalView | undefined> {
		if (this.#journal !== undefined) return this.#journal;
		if (this.#journalFile === ":memory:") return Promise.resolve(undefined);
		this.#view ??= this.#openOnce(readJournal(this.#journalFile, this.#journalOptions()));
		return this.#view;
	}

	#openJournal(): Promise<Journal> {
		this.#journal ??= this.#openOnce(openSharedJournal(this.#journalFile, this.#journalOptions()));
		return this.#journal;
	}

	async #openOnce<J extends JournalView | undefined>(opening: Promise<J>): Promise<J> {
		const journal = await opening;
		if (journal !== undefined) this.#position = () => journal.position();
		return journal;
	}

	#journalOptions(): JournalFileOptions {
		return { isNamed: this.settings.journal !== undefined, notice: (text) => this.#surroundings.warn?.(text) };
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
function howToSet(name: Parameters<typeof environmentName>[0]): string {
	return `give it with \`pulumi config set orgsync:${name} VALUE\` or to a Provider, or set ${environmentName(name)}`;
}
