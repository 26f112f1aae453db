/** The only place of this room that makes requests. Resources share its reads. It connects when first needed, as a key may not be there. */

import { join, resolve } from "node:path";
import { defined } from "../../common/defined.ts";
import { LiveProblemError } from "../../common/errors.ts";
import { windowsOf } from "../../plan/access-window.ts";
import { parseAddress } from "../../plan/address.ts";
import { abandonOf, allowsOf } from "../../plan/guards/overrides.ts";
import {
	type DesiredOrganization,
	emptyLastApplied,
	type LastApplied,
	type LiveOrganization,
} from "../../plan/organization.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Report } from "../../plan/report.ts";
import { applyPlan, reportOf } from "../../sync/apply.ts";
import { type Comparison, converge } from "../../sync/converge.ts";
import { type JournalFileOptions, readJournal } from "../../sync/journal/file.ts";
import { isNamed, type Journal, type JournalSummary, type JournalView } from "../../sync/journal/journal.ts";
import { readUntilInterrupted } from "../../sync/read/live-queries.ts";
import { readLive } from "../../sync/read/read.ts";
import { refuseUncertainTime, whyUncertainTime, withServiceClock } from "../../sync/read/service-clock.ts";
import { type SettleContext, settleOpenEntries } from "../../sync/settle.ts";
import type { SubmitResult } from "../../sync/submit/outcomes.ts";
import type { Reader, Submitter } from "../../wire/client.ts";
import type { WriteName } from "../../wire/operations.ts";
import { type Connection, connect } from "../settings/connection.ts";
import type { Settings } from "../settings/settings.ts";
import { mergeLastApplied, restoreToJournal, type StoredState, summarizeWithStored } from "../state/stored-state.ts";
import type { StateContext } from "../state/stored-state-check.ts";
import { type Claims, LastOwners, openClaims } from "./claims.ts";
import { type Deadline, readUntil, submitUntil } from "./deadline.ts";
import { NameQueue } from "./name-queue.ts";
import {
	assertCanConverge,
	assertGuardsAllowed,
	guardsOfPart,
	isRefused,
	MissingUsers,
	OldNameLog,
	OverrideLog,
} from "./plan-checks.ts";
import type { SessionContext } from "./project.ts";
import { openSharedJournal } from "./shared-journal.ts";
import { functionReads, type SharedReads } from "./shared-reads.ts";

/** The desired state of one resource, and what Pulumi's state stores about it. */
export interface ResourceTarget {
	/** The resource's name in the program. A resource that submitted something reads again. */
	readonly resource: string;
	readonly partOf?: string | undefined;
	readonly desired: DesiredOrganization;
	readonly stored: StoredState;
	/** Why nothing must be submitted; undefined where it may. Left out: it may. */
	readonly judge?: (comparison: Comparison) => Promise<string | undefined>;
}

/** The result of `Session.converge`. Without a report, nothing had to be submitted. */
export interface ConvergeResult {
	readonly plan: Plan;
	/** The service's time when it was made, milliseconds since 1970. */
	readonly timeMs: number;
	readonly report: Report | undefined;
	readonly journal: Journal;
	/** What the plan was made of. */
	readonly live: LiveOrganization;
}

/** The service's time when the plan was made, milliseconds since 1970. */
export function timeOf({ context }: Comparison): number {
	return context.serviceTimeMs ?? context.readAtMs;
}

const interrupted = "orgsync was interrupted while it read the organization; nothing was submitted";

/** The maximum age of answers that a plan which submits is made of. */
const maxSubmitAgeMs = 10_000;

export class Session {
	readonly settings: Settings;
	readonly claims: Claims;
	readonly lastOwners: LastOwners;
	/** Tags and policies that wait for a name that another one still has. */
	readonly names = new NameQueue();
	readonly oldNames: OldNameLog;
	readonly clock: Pick<SessionContext, "now" | "sleep">;
	readonly #context: SessionContext;
	readonly #journalFile: string;
	#connection: Connection | undefined;
	#journal: Promise<Journal> | undefined;
	#view: Promise<JournalView | undefined> | undefined;
	#position: (() => number) | undefined;
	/** When a resource of this session last submitted something. */
	#submittedAtMs = Number.NEGATIVE_INFINITY;
	/** Results for open activities, by fingerprint: each activity is queried once per process. */
	readonly #settled = new Map<string, SubmitResult>();
	#settling: Promise<void> = Promise.resolve();
	readonly #overrides: OverrideLog;
	readonly #missing = new MissingUsers();

	constructor(settings: Settings, context: SessionContext) {
		this.settings = settings;
		this.#context = context;
		this.clock = context;
		this.#overrides = new OverrideLog((line) => context.warn?.(line));
		this.oldNames = new OldNameLog((line) => context.warn?.(line));
		const { journal } = settings;
		const place = journal ?? join(".orgsync", "journal.sqlite");
		this.#journalFile = place === ":memory:" ? place : resolve(context.directory, place);
		this.claims = openClaims(context.sharedClaims, settings.url);
		this.lastOwners = new LastOwners(settings.url, {
			read: () => this.#journalIfThere(),
			open: () => this.#openJournal(),
			now: context.now,
		});
	}

	/** The service's reads, shared with all resources. Throws ConfigurationError if the address or the key is missing. */
	readerFor(resource: string): Reader {
		return readUntil(this.#connect().reads.readerFor(resource), this.deadline);
	}

	/** Until when the call in progress may work; undefined without a limit. */
	get deadline(): Deadline | undefined {
		return this.#context.deadline?.();
	}

	/** The plan with pending activities, also those that only the state knows. Submits and writes nothing. */
	async compare(target: ResourceTarget): Promise<Comparison> {
		return this.#compare(target, await this.summarize(target.stored));
	}

	/** With `settle`, the plan is submitted. */
	async #compare(
		{ resource, desired, stored }: ResourceTarget,
		journal: JournalSummary,
		settle?: Parameters<typeof converge>[1]["settle"],
	): Promise<Comparison> {
		const { organizationId } = desired;
		const { client, reads } = this.#connect();
		const { now, steadyNow, signal } = this.#context;
		let isAgeChecked = settle === undefined;
		let isBlockChecked = false;
		const mustReadAgain = ({ plan }: Comparison, startedAtMs: number): boolean => {
			// What blocks may be gone since another resource submitted something, such as a policy that named a tag.
			const mayBePast = !isBlockChecked && Date.parse(plan.readAt) <= this.#submittedAtMs;
			const isBlocked = mayBePast && isRefused(plan, this.settings.allow);
			isBlockChecked = true;
			const isMissing = this.#missing.isNew(plan, startedAtMs) || isBlocked;
			// Another client may have submitted or approved the same change since.
			const isOld = !(isMissing || isAgeChecked) && plan.steps.length > 0;
			isAgeChecked ||= !isMissing;
			if (isMissing) reads.expireAll(organizationId);
			else if (isOld && now() - Date.parse(plan.readAt) > maxSubmitAgeMs)
				reads.expireAll(organizationId, maxSubmitAgeMs);
			else return false;
			return true;
		};
		// A guard names the resource: its inputs have no file.
		const document = { ...desired, files: [`resource ${resource}`] };
		const interruptible = (reader: Reader): Reader =>
			readUntilInterrupted(readUntil(reader, this.deadline), signal, interrupted);
		const { comparison } = await converge(document, {
			...{ reader: interruptible(reads.readerFor(resource)), now, steadyNow },
			...{ reads: this.settings.reads, journal, listsAll: true, mustReadAgain, publicKey: () => client.publicKey() },
			lastApplied: () => mergeLastApplied(journal.lastApplied(organizationId), stored),
			...{ settle, retryRejected: this.settings.retryRejected },
			readerFreshSinceList: settle && (() => interruptible(reads.readerFreshSinceList(resource))),
		});
		return comparison;
	}

	/** The live organization, as far as the desired state mentions it, and the last-applied state. Submits nothing. */
	async read(target: ResourceTarget): Promise<LiveOrganization> {
		return (await this.readWithTime(target)).live;
	}

	/** The same with the service's time then, milliseconds since 1970: what a plan made of the same answers decides by. */
	async readWithTime({
		resource,
		desired,
		stored,
	}: ResourceTarget): Promise<{ readonly live: LiveOrganization; readonly timeMs: number }> {
		const lastApplied = mergeLastApplied(await this.lastApplied(desired.organizationId), stored);
		const reader = withServiceClock(this.readerFor(resource), this.#context.now);
		const { live } = await readLive(desired, reader, lastApplied, this.settings.reads);
		if (windowsOf(desired).length > 0) {
			refuseUncertainTime("which windows hold depends on the time", whyUncertainTime(reader));
		}
		return { live, timeMs: reader.serviceTimeMs() ?? reader.oldest().askedAtMs };
	}

	/**
	 * Brings the target in sync: settles open activities, plans, checks the guards, submits. Throws GuardError and
	 * LiveProblemError before anything is submitted, and what `converge` of sync/ throws. `isDelete`: the resource is destroyed, so the
	 * time of its object's last change does not matter afterwards. `isGuarded`: whether the guards still have to be checked.
	 */
	async converge(target: ResourceTarget, { isDelete = false, isGuarded = true } = {}): Promise<ConvergeResult> {
		const { resource, desired, stored } = target;
		const { now, sleep, signal } = this.#context;
		const { client, reads } = this.#connect();
		const journal = await this.#openJournal();
		const comparison = await this.#compare(target, journal, async () => {
			await this.settle(resource, desired.organizationId, stored);
			return this.#settled;
		});
		const { waitMs, retryRejected } = this.settings;
		const { deadline } = this;
		const submitter: Submitter = {
			submit: (body) =>
				client.submitter.submit(body).finally(() => {
					reads.expireFor(resource);
					reads.expireFor(functionReads);
					this.#submittedAtMs = now();
				}),
		};
		const { plan } = comparison;
		const abandoned = (plan.overrides ?? []).filter(({ flag }) => flag === "abandon");
		this.#overrides.show(resource, abandoned);
		const refusal = await target.judge?.(comparison);
		if (refusal !== undefined) throw new LiveProblemError(refusal);
		// Guards are checked even if a name is still taken: the tag that closes a circle of names makes one plan for all.
		if (isGuarded) this.assertGuardsAllowed(plan, target, isDelete);
		assertCanConverge(plan);
		const timeMs = timeOf(comparison);
		const { live } = comparison;
		if (plan.steps.length === 0) return { plan, timeMs, report: undefined, journal, live };
		const applied = await applyPlan(comparison, {
			...{ reader: this.readerFor(resource), submitter: submitUntil(submitter, deadline), journal, now },
			sleep: (ms: number) => sleep(Math.min(ms, deadline?.leftMs() ?? ms)),
			...{ waitMs, ...(retryRejected ? { retryRejected } : {}) },
			settled: this.#settled,
			concurrency: 4,
			// The next refresh shows live members. Where last-applied state replaces them, the time of our own change has to be
			// read now: a later time then means that another client changed the tag.
			verify:
				!isDelete && plan.unread.some((one) => one.scope === "object" && parseAddress(one.address)?.kind === "userTag"),
			stats: () => client.stats(),
			...defined({ signal }),
		});
		const report = reportOf(applied);
		this.#overrides.show(resource, report.overrides, plan.guards);
		if (plan.changes.some(({ kind }) => kind === "userTag" || kind === "policy")) this.names.wakeAll();
		return { plan, timeMs, report, journal, live };
	}

	/** Returns the journal with the stored state, its open activities settled or abandoned. Throws what settleOpenEntries throws. */
	async settle(resource: string, organizationId: string, stored: StoredState): Promise<Journal> {
		const { now } = this.#context;
		const { reads } = this.#connect();
		const journal = await this.#openJournal();
		await restoreToJournal(organizationId, stored, journal, now());
		this.#abandonActivities(resource, organizationId, journal);
		const context = { reader: this.readerFor(resource), journal, reads: this.settings.reads, now };
		const { deadline } = this;
		const settle = () => this.#settleOnce(organizationId, context, reads);
		await (deadline === undefined ? settle() : deadline.within(settle, deadline.fail));
		return journal;
	}

	#abandonActivities(resource: string, organizationId: string, journal: Journal): void {
		for (const name of this.settings.abandon) {
			const open = journal.openEntries(organizationId).filter((entry) => isNamed(entry, [name]));
			for (const { activityId, body } of open) {
				this.#overrides.show(resource, [abandonOf(activityId ?? body.fingerprint)]);
			}
			journal.abandon(organizationId, name, this.#context.now());
		}
	}

	/** What the journal knows, with the stored state; nothing is written. */
	async summarize(stored: StoredState): Promise<JournalSummary> {
		return summarizeWithStored(await this.#journalIfThere(), stored, this.settings.abandon);
	}

	/** The last-applied state of an organization in the journal, without what Pulumi's state stores. */
	async lastApplied(organizationId: string): Promise<LastApplied> {
		return (await this.#journalIfThere())?.lastApplied(organizationId) ?? emptyLastApplied;
	}

	stateContext(resource: string, organizationId: string, operations: readonly WriteName[]): StateContext {
		const onAbandoned = (name: string): void => this.#overrides.show(resource, [abandonOf(name)]);
		const { abandon } = this.settings;
		return { resource, organizationId, operations, abandon, onAbandoned, nowMs: this.#context.now() };
	}

	expireReads(resource: string): void {
		this.#connection?.reads.expireFor(resource);
	}

	/** Throws GuardError for a guard that is not overridden, and shows overrides. Some guards judge only the whole, not a part. */
	assertGuardsAllowed(plan: Plan, target?: Pick<ResourceTarget, "resource" | "partOf">, isDelete = false): void {
		const guards = target?.partOf === undefined ? plan.guards : guardsOfPart(plan.guards);
		assertGuardsAllowed({ guards }, this.settings.allow, isDelete);
		if (target === undefined) return;
		this.#overrides.show(target.resource, allowsOf(guards, this.settings.allow), guards);
	}

	/** Queries each open activity once, in turn. Answers from before one completed do not show its effect: they are not shared. */
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
			if ([...found.values()].some(({ outcome }) => outcome === "completed")) reads.expireAll(organizationId);
		});
		this.#settling = mine.catch(() => undefined);
		return mine;
	}

	#connect(): Connection {
		this.#connection ??= connect(this.settings, { ...this.#context, position: () => this.#position?.() });
		return this.#connection;
	}

	/** The journal for reading; its file may be on a read-only disk. */
	#journalIfThere(): Promise<JournalView | undefined> {
		if (this.#journal !== undefined) return this.#journal;
		if (this.#journalFile === ":memory:") return Promise.resolve(undefined);
		this.#view ??= this.#openOnce(readJournal(this.#journalFile, this.#journalOptions()));
		return this.#view;
	}

	#openJournal(): Promise<Journal> {
		this.#journal ??= this.#openOnce(openSharedJournal(this.#journalFile, this.#journalOptions())).catch((error) => {
			this.#journal = undefined;
			throw error;
		});
		return this.#journal;
	}

	async #openOnce<J extends JournalView | undefined>(opening: Promise<J>): Promise<J> {
		const journal = await opening;
		if (journal !== undefined) this.#position = () => journal.position();
		return journal;
	}

	#journalOptions(): JournalFileOptions {
		return { isNamed: this.settings.journal !== undefined, notice: (text) => this.#context.warn?.(text) };
	}
}
