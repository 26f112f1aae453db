/**
 * A running emulator with a client, a journal in a file and a clock that tests set: the real parts, on the loopback
 * address and in files.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type Emulator,
	type RequestLogEntry,
	type SeedOrganization,
	startEmulator,
} from "../../src/emulator/server.ts";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import type { Reads } from "../../src/plan/plan.ts";
import type { Report } from "../../src/plan/report.ts";
import { type ApplyContext, applyPlan, reportOf } from "../../src/sync/apply.ts";
import { type Comparison, compareLive } from "../../src/sync/converge.ts";
import { openJournal } from "../../src/sync/journal/file.ts";
import type { Journal, JournalEntry } from "../../src/sync/journal/journal.ts";
import { settleOpenEntries } from "../../src/sync/settle.ts";
import { type Client, type ClientOptions, createClient, type Reader } from "../../src/wire/client.ts";
import { createApiKeyStamper } from "../../src/wire/stamp.ts";
import {
	desiredOf,
	id,
	idsIn,
	organizationId,
	providerIdsIn,
	type SmallWorld,
	usersOf,
	wantTag,
} from "../plan/support-organizations.ts";

export const adminKey = "5e".repeat(32);
export const adminId = id("user", 100);
export const approverId = id("user", 101);
const admin = createApiKeyStamper({ privateKey: adminKey });
const approver = createApiKeyStamper({ privateKey: "6f".repeat(32) });
export const minuteMs = 60_000;
export const quarterHourMs = 15 * minuteMs;

/** A key that no organization of these tests knows. */
export const strangerStamper = createApiKeyStamper({ privateKey: "7a".repeat(32) });
export const approverStamper = approver;

/** Users with keys, whom no test changes: one to submit, one to approve. */
const administrators = [
	{ userId: adminId, userName: "admin", apiKeys: [{ publicKey: admin.publicKey }] },
	{ userId: approverId, userName: "approver", apiKeys: [{ publicKey: approver.publicKey }] },
];

/** An organization with the administrators in it. */
export function seedOf(parts: Partial<SeedOrganization> = {}): SeedOrganization {
	return { organizationId, ...parts, users: [...administrators, ...(parts.users ?? [])] };
}

export const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];
export const [signers, oncall, auditors] = [id("tag", 1), id("tag", 2), id("tag", 3)];
export const policies = [id("policy", 1), id("policy", 2), id("policy", 3)] as const;
export const providers = [id("provider", 1), id("provider", 2), id("provider", 3)] as const;
export const apps = [id("app", 1), id("app", 2)] as const;

/** Alice, Bob and Carol, three tags (Alice signs, Carol audits), three policies, three OAuth providers and two apps. */
export function acme(parts: Partial<SeedOrganization> = {}): SeedOrganization {
	const provider = (providerId: string): { providerId: string; providerName: string } => ({
		providerId,
		providerName: "provider",
	});
	return seedOf({
		users: [
			{ userId: alice, userName: "alice", oauthProviders: [provider(providers[0]), provider(providers[1])] },
			{ userId: bob, userName: "bob", oauthProviders: [provider(providers[2])] },
			{ userId: carol, userName: "carol" },
		],
		userTags: [
			{ tagId: signers, tagName: "signers", userIds: [alice] },
			{ tagId: oncall, tagName: "oncall" },
			{ tagId: auditors, tagName: "auditors", userIds: [carol] },
		],
		policies: policies.map((policyId, index) => ({ policyId, policyName: `policy ${index}` })),
		tvcApps: apps.map((appId, index) => ({ id: appId, name: `app ${index}` })),
		...parts,
	});
}

/** A document that wants exactly these users to sign. */
export function wantSigners(...exactly: readonly string[]): DesiredOrganization {
	return desiredOf({ userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [...exactly].sort() } })] });
}

/** A small world as the emulator is seeded with it. */
export function seedOfWorld(world: SmallWorld, organization: string): SeedOrganization {
	return {
		...seedOf({
			users: world.userIds.map((userId, user) => ({
				userId,
				userName: `user ${user}`,
				oauthProviders: providerIdsIn(world, user, "kept", "removed").map((providerId) => ({
					providerId,
					providerName: "provider",
				})),
			})),
			userTags: world.tags.map((tag) => ({
				tagId: tag.id,
				tagName: tag.name,
				userIds: [...usersOf(world, tag.members)],
			})),
			policies: idsIn("policy", world.policies, "kept", "removed").map((policyId) => ({
				policyId,
				policyName: `policy ${policyId}`,
			})),
			tvcApps: idsIn("app", world.apps, "kept", "removed").map((appId) => ({ id: appId, name: `app ${appId}` })),
		}),
		organizationId: organization,
	};
}

/** Returns the entry of a request that was written last, or undefined. */
export async function latestOf(journal: Journal, requestDigest: string): Promise<JournalEntry | undefined> {
	let latest: JournalEntry | undefined;
	await journal.claim(requestDigest, (entries) => {
		latest = entries[0];
		return { kind: "skip" };
	});
	return latest;
}

/** Seven minutes into a quarter of an hour, near the real time, so that the service's Date headers fit. */
const baseMs = Math.floor(Date.now() / quarterHourMs) * quarterHourMs + 7 * minuteMs;

/** Applies a plan and returns the report. Throws the error that stopped the run. */
export async function applyToReport(comparison: Comparison, context: ApplyContext): Promise<Report> {
	return reportOf(await applyPlan(comparison, context));
}

export class Bench {
	readonly emulator: Emulator;
	readonly journalFile: string;
	journal: Journal;
	readonly #clients: Client[];
	readonly #folder: string;
	readonly #clock: { nowMs: number };

	private constructor(emulator: Emulator, journal: Journal, folder: string, clock: { nowMs: number }) {
		this.emulator = emulator;
		this.journal = journal;
		this.#folder = folder;
		this.#clock = clock;
		this.journalFile = join(folder, "journal.sqlite");
		this.#clients = [];
	}

	/** A bench with an emulator of its own. `reads: "documented"` is a service without the extended reads. */
	static async start(
		organizations: readonly SeedOrganization[] = [seedOf()],
		reads: "all" | "documented" = "all",
	): Promise<Bench> {
		const clock = { nowMs: baseMs };
		const folder = mkdtempSync(join(tmpdir(), "orgsync-sync-"));
		const emulator = await startEmulator({ seed: { organizations }, reads, now: () => clock.nowMs });
		const journal = await openJournal(join(folder, "journal.sqlite"));
		return new Bench(emulator, journal, folder, clock);
	}

	/** What the clock says, ours and the emulator's. */
	get nowMs(): number {
		return this.#clock.nowMs;
	}

	set nowMs(nowMs: number) {
		this.#clock.nowMs = nowMs;
	}

	/** Back to the first minute, with these organizations, an empty log and an empty journal. */
	async reset(...organizations: readonly SeedOrganization[]): Promise<void> {
		this.#clock.nowMs = baseMs;
		this.emulator.clearFaults();
		await this.emulator.changeState({ organizations });
		this.emulator.clearRequests();
		this.journal.close();
		for (const suffix of ["", "-wal", "-shm"]) rmSync(this.journalFile + suffix, { force: true });
		this.journal = await openJournal(this.journalFile);
	}

	/** A client of the emulator, or of another address; its waits pass on a clock of its own and take no time. */
	client(options: Partial<ClientOptions> = {}): Client {
		let sleptMs = 0;
		const client = createClient({
			url: this.emulator.url,
			stamper: admin,
			now: () => performance.now() + sleptMs,
			sleep: async (delayMs) => {
				sleptMs += delayMs;
			},
			random: () => 0,
			...options,
		});
		this.#clients.push(client);
		return client;
	}

	/**
	 * Everything that apply needs. Its reader has the time of the emulator's clock, in whole seconds as a Date header
	 * does.
	 */
	context(parts: Partial<ApplyContext> = {}, client: Client = this.client()): ApplyContext {
		return {
			reader: this.reader(client),
			submitter: client.submitter,
			journal: this.journal,
			now: () => this.nowMs,
			sleep: async (ms) => {
				this.nowMs += ms;
			},
			waitMs: 0,
			concurrency: 4,
			verify: true,
			stats: () => client.stats(),
			...parts,
		};
	}

	reader(client: Client): Reader {
		return {
			query: async (operation, fields) => {
				const answer = await client.reader.query(operation, fields);
				return { ...answer, serverTimeMs: Math.floor(this.nowMs / 1000) * 1000 };
			},
		};
	}

	/** Reads and plans, as `orgsync apply` does before it asks. */
	async compare(
		desired: DesiredOrganization,
		context: ApplyContext = this.context(),
		reads: Reads = "auto",
	): Promise<Comparison> {
		return compareLive(desired, context.reader, context.journal.lastApplied(desired.organizationId), {
			reads,
			now: context.now,
		});
	}

	/** One run of `orgsync apply`. */
	async run(
		desired: DesiredOrganization,
		parts: Partial<ApplyContext> = {},
		reads: Reads = "auto",
	): Promise<{ readonly comparison: Comparison; readonly report: Report }> {
		const context = this.context(parts);
		const settled = await settleOpenEntries(desired.organizationId, { ...context, reads });
		const comparison = await this.compare(desired, context, reads);
		return { comparison, report: await applyToReport(comparison, { ...context, settled }) };
	}

	/** Requests of the log, of one family. */
	requests(family: "query" | "submit"): readonly RequestLogEntry[] {
		return this.emulator.requests().filter(({ path }) => path.includes(`/${family}/`));
	}

	activities(): readonly Readonly<Record<string, unknown>>[] {
		return this.emulator.state(organizationId).activities;
	}

	/** The emulator's tag as it is now. */
	tag(tagId: string): { readonly tagName: string; readonly userIds: readonly string[] } {
		const tag = this.emulator.state(organizationId).organization.userTags?.find((one) => one.tagId === tagId);
		return { tagName: tag?.tagName ?? "", userIds: [...(tag?.userIds ?? [])].sort() };
	}

	async close(): Promise<void> {
		this.journal.close();
		await Promise.all(this.#clients.map((client) => client.close()));
		await this.emulator.close();
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
