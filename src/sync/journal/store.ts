/** The journal in a SQLite database: the statements that read and write its tables. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { remember } from "../../common/remember.ts";
import type { LastApplied } from "../../plan/organization.ts";
import type { RequestBody } from "../../wire/request-body.ts";
import type { OwnerJournal } from "../journal-owners.ts";
import { DiskWriter } from "./disk-writer.ts";
import {
	type AppliedObject,
	type ClaimDecision,
	type FindLastAppliedTag,
	type FinishedOrganization,
	finality,
	isOpen,
	type Journal,
	type JournalEntry,
	maxRunAgeMs,
	type NewJournalEntry,
	type RecordedOutcome,
	type RunRecord,
	type SettledEntry,
} from "./journal.ts";
import { type AppliedRow, type RunRow, type SentRow, toEntry, toLastApplied, toPosition, toRun } from "./rows.ts";
import { inTransaction } from "./schema.ts";
import type { VoteJournal } from "./votes.ts";

interface Claim {
	readonly requestDigest: string;
	readonly choose: (entries: readonly JournalEntry[]) => ClaimDecision;
	readonly planDigest: string | undefined;
	readonly resolve: (decision: ClaimDecision) => void;
	readonly reject: (error: unknown) => void;
}

const isOpenRow = "(outcome IS NULL OR outcome IN ('unknown', 'awaiting-approval', 'awaiting-authenticator'))";

/** Max organizations whose last-applied state is kept. */
const maxApplied = 100;

/** The journal in a database whose tables are of this version, without its votes and its owners. */
export class JournalStore implements Omit<Journal, keyof (VoteJournal & OwnerJournal)> {
	readonly #database: DatabaseSync;
	readonly #claims: Claim[] = [];
	#isWriting = false;
	readonly #disk: DiskWriter;
	readonly #statements = new Map<string, StatementSync>();
	/** What was last applied, by organization, as of a version of the file: a plan asks for it several times. */
	readonly #applied = new Map<string, LastApplied>();
	#appliedVersion: unknown;

	constructor(database: DatabaseSync) {
		this.#database = database;
		this.#disk = new DiskWriter(database);
	}

	/** Returns the entries of the rows for which this condition holds. */
	#entries(condition: string, ...values: readonly string[]): readonly JournalEntry[] {
		const rows = this.#prepare(`SELECT * FROM sent WHERE ${condition}`).all(...values);
		return (rows as unknown as SentRow[]).map(toEntry);
	}

	#prepare(sql: string): StatementSync {
		return remember(this.#statements, sql, () => this.#database.prepare(sql));
	}

	claim<D extends ClaimDecision>(
		requestDigest: string,
		choose: (entries: readonly JournalEntry[]) => D,
		planDigest?: string,
	): Promise<D> {
		return new Promise((resolve, reject) => {
			const claim = { requestDigest, choose, planDigest, resolve: resolve as Claim["resolve"], reject };
			this.#claims.push(claim);
			void this.#writeClaims();
		});
	}

	async recordSending(
		body: RequestBody,
		requestDigest: string,
		covers: readonly string[],
		nowMs: number,
	): Promise<boolean> {
		const { kind } = await this.claim(requestDigest, (entries): ClaimDecision => {
			const known = entries.find((entry) => entry.body.fingerprint === body.fingerprint);
			const isFirst = known === undefined || known.outcome === "not-attempted";
			return isFirst ? { kind: "send", entry: { body, covers, nowMs } } : { kind: "skip" };
		});
		return kind === "send";
	}

	/** Claims that are made together, and those that are made while the disk writes, share one slow write. */
	async #writeClaims(): Promise<void> {
		if (this.#isWriting) return;
		this.#isWriting = true;
		await undefined;
		while (this.#claims.length > 0) await this.#write(this.#claims.splice(0));
		this.#isWriting = false;
	}

	async #write(together: readonly Claim[]): Promise<void> {
		try {
			const decisions = await this.#disk.write(() => together.map((claim) => this.#decide(claim)));
			for (const [index, { resolve }] of together.entries()) resolve(decisions[index] as ClaimDecision);
		} catch (error) {
			// A claim that cannot be written must not fail those of other organizations that share its write.
			if (together.length > 1 && this.#disk.failure === undefined) for (const one of together) await this.#write([one]);
			else for (const { reject } of together) reject(error);
		}
	}

	#decide({ requestDigest, choose, planDigest }: Claim): ClaimDecision {
		const decision = choose(this.#entries("request_digest = ? ORDER BY written DESC", requestDigest));
		if (decision.kind === "send") this.#insert(decision.entry, requestDigest, planDigest);
		if (decision.kind === "resend") this.#recordResend(decision.entry, planDigest);
		return decision;
	}

	#insert({ body, covers, nowMs }: NewJournalEntry, requestDigest: string, planDigest: string | undefined): void {
		this.#prepare(
			`INSERT INTO sent (fingerprint, organization_id, operation, bytes, timestamp_ms, request_digest, covers, plans, sent_at_ms, written)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (fingerprint) DO UPDATE
				SET outcome = NULL, settled_at_ms = NULL, settled_position = NULL, sent_again = 0,
					plans = excluded.plans, sent_at_ms = excluded.sent_at_ms, written = excluded.written`,
		).run(
			body.fingerprint,
			body.organizationId,
			body.operation.name,
			body.bytes,
			body.timestampMs,
			requestDigest,
			JSON.stringify(covers),
			JSON.stringify(planDigest === undefined ? [] : [planDigest]),
			nowMs,
			this.#nextPosition(),
		);
	}

	#recordResend({ body, planDigests }: JournalEntry, planDigest: string | undefined): void {
		const isNew = planDigest !== undefined && !planDigests.includes(planDigest);
		const all = JSON.stringify(isNew ? [...planDigests, planDigest] : planDigests);
		this.#prepare("UPDATE sent SET sent_again = 1, plans = ? WHERE fingerprint = ?").run(all, body.fingerprint);
	}

	#nextPosition(): number {
		return toPosition(this.#prepare("UPDATE position SET value = value + 1 RETURNING value").get());
	}

	position(): number {
		return toPosition(this.#prepare("SELECT value FROM position").get());
	}

	recordOutcome(
		fingerprint: string,
		outcome: RecordedOutcome,
		activityId: string | null,
		nowMs: number,
		applied?: (findTag: FindLastAppliedTag) => readonly AppliedObject[],
	): boolean {
		return this.#writeApplied(() => {
			const isRecorded = this.#settle(fingerprint, outcome, activityId, nowMs);
			const row = applied && this.#prepare("SELECT organization_id FROM sent WHERE fingerprint = ?").get(fingerprint);
			if (applied === undefined || row === undefined) return isRecorded;
			const organizationId = String(row.organization_id);
			this.#recordApplied(
				organizationId,
				applied((tagId) => this.lastApplied(organizationId).userTags[tagId]),
			);
			return isRecorded;
		});
	}

	#settle(fingerprint: string, outcome: RecordedOutcome, activityId: string | null, nowMs: number): boolean {
		const stronger = Object.entries(finality)
			.filter(([, rank]) => rank > finality[outcome])
			.map(([name]) => `'${name}'`);
		const isWeaker = `outcome NOT IN (${stronger.join(", ")})`;
		// Without an activity it is how the service answered one sender; with one it is what became of the bytes.
		const gives =
			outcome === "abandoned"
				? isWeaker
				: activityId === null
					? `${isWeaker} AND activity_id IS NULL`
					: `(${isWeaker} OR (activity_id IS NULL AND outcome <> 'abandoned'))`;
		const isOnlySender = activityId === null && outcome !== "abandoned" ? "AND sent_again = 0" : "";
		const { changes } = this.#prepare(
			`UPDATE sent SET outcome = ?, activity_id = coalesce(?, activity_id), settled_at_ms = ?, settled_position = ?
				WHERE fingerprint = ? AND (outcome IS NULL OR ${gives}) ${isOnlySender}`,
		).run(outcome, activityId, nowMs, this.#nextPosition(), fingerprint);
		return Number(changes) > 0;
	}

	recordNeverArrived(fingerprint: string, nowMs: number): void {
		this.#prepare(
			`UPDATE sent SET outcome = 'not-attempted', settled_at_ms = ?, settled_position = ?
				WHERE fingerprint = ? AND activity_id IS NULL AND (outcome IS NULL OR outcome = 'unknown')`,
		).run(nowMs, this.#nextPosition(), fingerprint);
	}

	entry(fingerprint: string): JournalEntry | undefined {
		return this.#entries("fingerprint = ?", fingerprint)[0];
	}

	openEntries(organizationId: string): readonly JournalEntry[] {
		return this.#entries(`organization_id = ? AND ${isOpenRow} ORDER BY written`, organizationId);
	}

	rejectedEntries(organizationId: string): readonly JournalEntry[] {
		return this.#entries(
			`organization_id = ? AND outcome = 'rejected'
				AND NOT EXISTS (SELECT 1 FROM sent AS later WHERE later.request_digest = sent.request_digest AND later.written > sent.written)
				ORDER BY written`,
			organizationId,
		);
	}

	completedEntries(organizationId: string, planDigest: string): readonly SettledEntry[] {
		const isOfPlan = "organization_id = ? AND outcome = 'completed' AND instr(plans, ?) > 0 ORDER BY written";
		const entries = this.#entries(isOfPlan, organizationId, planDigest) as readonly SettledEntry[];
		return entries.filter(({ planDigests }) => planDigests.includes(planDigest));
	}

	completedTagEntries(organizationId: string): readonly JournalEntry[] {
		const isTag = "organization_id = ? AND outcome = 'completed' AND operation = 'update_user_tag'";
		return this.#entries(`${isTag} ORDER BY written DESC LIMIT 100`, organizationId);
	}

	abandon(organizationId: string, activityOrFingerprint: string, nowMs: number): void {
		inTransaction(this.#database, () => {
			this.#prepare("INSERT INTO abandoned (organization_id, name, at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING").run(
				organizationId,
				activityOrFingerprint,
				nowMs,
			);
			const isNamed = "organization_id = ? AND lower(?) IN (lower(fingerprint), lower(activity_id))";
			for (const entry of this.#entries(isNamed, organizationId, activityOrFingerprint)) {
				if (isOpen(entry)) this.#settle(entry.body.fingerprint, "abandoned", null, nowMs);
			}
		});
	}

	abandonedNames(organizationId: string): ReadonlySet<string> {
		const rows = this.#prepare("SELECT name FROM abandoned WHERE organization_id = ?").all(organizationId);
		return new Set(rows.map(({ name }) => String(name)));
	}

	recordApplied(organizationId: string, applied: readonly AppliedObject[]): void {
		this.#writeApplied(() => this.#recordApplied(organizationId, applied));
	}

	#writeApplied<T>(write: () => T): T {
		try {
			return inTransaction(this.#database, write);
		} catch (error) {
			this.#applied.clear();
			throw error;
		}
	}

	#recordApplied(organizationId: string, applied: readonly AppliedObject[]): void {
		const upsert = this.#prepare(
			`INSERT INTO applied (organization_id, kind, id, value) VALUES (?, ?, ?, ?)
			ON CONFLICT (organization_id, kind, id) DO UPDATE SET value = excluded.value`,
		);
		const rows = applied.map(({ kind, id, value }) => ({ kind, id, value: JSON.stringify(value) }));
		for (const { kind, id, value } of rows) upsert.run(organizationId, kind, id, value);
		const known = this.#applied.get(organizationId);
		if (known !== undefined) this.#applied.set(organizationId, toLastApplied(rows, known));
	}

	lastApplied(organizationId: string): LastApplied {
		// It changes when another process writes.
		const version = this.#prepare("PRAGMA data_version").get()?.data_version;
		if (version !== this.#appliedVersion || this.#applied.size >= maxApplied) this.#applied.clear();
		this.#appliedVersion = version;
		return remember(this.#applied, organizationId, () => {
			const all = "SELECT kind, id, value FROM applied WHERE organization_id = ? ORDER BY kind, id";
			return toLastApplied(this.#prepare(all).all(organizationId) as unknown as AppliedRow[]);
		});
	}

	run(id?: string): RunRecord | undefined {
		const row =
			id === undefined
				? this.#prepare("SELECT * FROM runs ORDER BY started_at_ms DESC, id DESC LIMIT 1").get()
				: this.#prepare("SELECT * FROM runs WHERE id = ?").get(id);
		return row === undefined ? undefined : toRun(row as unknown as RunRow);
	}

	hasFinished(runId: string, organizationId: string, documentDigest: string): boolean {
		const row = this.#prepare(
			"SELECT document_digest, read_position FROM finished WHERE run_id = ? AND organization_id = ?",
		).get(runId, organizationId);
		if (row?.document_digest !== documentDigest) return false;
		const readPosition = Number(row.read_position);
		const newer = this.#prepare(
			`SELECT 1 FROM sent WHERE organization_id = ? AND (written > ? OR settled_position > ? OR ${isOpenRow}) LIMIT 1`,
		).get(organizationId, readPosition, readPosition);
		return newer === undefined && readPosition <= this.position();
	}

	recordRun({ id, startedAtMs, service, reads, only, size }: RunRecord): void {
		inTransaction(this.#database, () => {
			this.#prepare("DELETE FROM runs WHERE started_at_ms < ?").run(startedAtMs - maxRunAgeMs);
			this.#prepare("DELETE FROM finished WHERE run_id NOT IN (SELECT id FROM runs)").run();
			this.#prepare(
				"INSERT INTO runs (id, started_at_ms, service, reads, selection, size) VALUES (?, ?, ?, ?, ?, ?)",
			).run(...[id, startedAtMs, service, reads, JSON.stringify(only), size]);
		});
	}

	recordFinished(runId: string, { organizationId, documentDigest, readPosition }: FinishedOrganization): void {
		this.#prepare(
			`INSERT INTO finished (run_id, organization_id, document_digest, read_position) VALUES (?, ?, ?, ?)
				ON CONFLICT (run_id, organization_id) DO UPDATE
				SET document_digest = excluded.document_digest, read_position = excluded.read_position`,
		).run(runId, organizationId, documentDigest, readPosition);
	}

	endRun(id: string): void {
		inTransaction(this.#database, () => {
			const finished = "SELECT count(*) FROM finished WHERE run_id = id";
			this.#prepare(`DELETE FROM runs WHERE id = ? AND size <= (${finished})`).run(id);
			this.#prepare("DELETE FROM finished WHERE run_id NOT IN (SELECT id FROM runs)").run();
		});
	}

	close(): void {
		this.#disk.close();
		this.#database.close();
	}
}
