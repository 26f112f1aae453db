/**
 * The journal in a SQLite database: its tables, their versions, and the statements that read and write them.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StorageError } from "../errors.ts";
import type { LastApplied } from "../plan/organization.ts";
import type { Outcome } from "../plan/report.ts";
import type { RequestBody } from "../wire/request-body.ts";
import {
	type AppliedObject,
	type ClaimDecision,
	isOpen,
	type Journal,
	type JournalEntry,
	type NewJournalEntry,
} from "./journal.ts";
import { type AppliedRow, type SentRow, toEntry, toLastApplied } from "./journal-rows.ts";

/** The version of the tables that this orgsync writes. */
export const schemaVersion = 3;

/** The version of the tables in a database; 0 when it has none. */
export function versionOf(database: DatabaseSync): number {
	return (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}

/** Makes the tables, or brings those of an earlier version forward. Throws StorageError for a newer version. */
export function migrate(database: DatabaseSync): void {
	if (versionOf(database) > schemaVersion) {
		throw new StorageError("it was written by a newer orgsync", { hint: "upgrade orgsync" });
	}
	inTransaction(database, () => {
		// Another process may have done it meanwhile.
		if (versionOf(database) < 1) database.exec(tablesOfVersion1);
		if (versionOf(database) < 2) database.exec(stepToVersion2);
		if (versionOf(database) < 3) database.exec(stepToVersion3);
	});
}

const tablesOfVersion1 = `
	CREATE TABLE sent (
		fingerprint TEXT PRIMARY KEY,
		organization_id TEXT NOT NULL,
		operation TEXT NOT NULL,
		bytes TEXT NOT NULL,
		timestamp_ms INTEGER NOT NULL,
		wish TEXT NOT NULL,
		covers TEXT NOT NULL,
		sent_at_ms INTEGER NOT NULL,
		outcome TEXT,
		activity_id TEXT,
		settled_at_ms INTEGER
	) STRICT;
	CREATE INDEX sent_by_wish ON sent (wish, timestamp_ms);
	CREATE INDEX sent_by_organization ON sent (organization_id, sent_at_ms);
	CREATE TABLE applied (
		organization_id TEXT NOT NULL,
		kind TEXT NOT NULL,
		id TEXT NOT NULL,
		value TEXT NOT NULL,
		PRIMARY KEY (organization_id, kind, id)
	) STRICT;
	CREATE TABLE abandoned (
		organization_id TEXT NOT NULL,
		name TEXT NOT NULL,
		at_ms INTEGER NOT NULL,
		PRIMARY KEY (organization_id, name)
	) STRICT;
	PRAGMA user_version = 1;
`;

/** Clocks can be wrong, so that rows are ordered by when they were written: each write takes the next position. */
const stepToVersion2 = `
	CREATE TABLE position (value INTEGER NOT NULL) STRICT;
	INSERT INTO position SELECT coalesce(max(rowid), 0) FROM sent;
	ALTER TABLE sent ADD COLUMN written INTEGER;
	ALTER TABLE sent ADD COLUMN settled_position INTEGER;
	ALTER TABLE sent ADD COLUMN sent_again INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE sent ADD COLUMN plans TEXT NOT NULL DEFAULT '[]';
	UPDATE sent SET written = rowid;
	DROP INDEX sent_by_wish;
	DROP INDEX sent_by_organization;
	CREATE INDEX sent_by_wish ON sent (wish, written);
	CREATE INDEX sent_by_organization ON sent (organization_id, written);
	PRAGMA user_version = 2;
`;

const stepToVersion3 = `
	ALTER TABLE sent RENAME COLUMN wish TO request_digest;
	PRAGMA user_version = 3;
`;

/** What `work` gives, all of it written or nothing. An error of SQLite may have ended the transaction by itself. */
function inTransaction<T>(database: DatabaseSync, work: () => T): T {
	database.exec("BEGIN IMMEDIATE");
	try {
		const value = work();
		database.exec("COMMIT");
		return value;
	} catch (error) {
		if (database.isOpen && database.isTransaction) database.exec("ROLLBACK");
		throw error;
	}
}

/**
 * How final an outcome is: it gives way only to one that is as final or more so. A failure may be no more than the refusal
 * of one sender, so it gives way to what an activity came to.
 */
const finality: Readonly<Record<Outcome | "abandoned", 0 | 1 | 2>> = {
	"not-attempted": 0,
	unknown: 0,
	"awaiting-approval": 0,
	"awaiting-authenticator": 0,
	denied: 0,
	failed: 1,
	abandoned: 1,
	rejected: 2,
	completed: 2,
};

interface Claim {
	readonly requestDigest: string;
	readonly choose: (entries: readonly JournalEntry[]) => ClaimDecision;
	readonly resolve: (choice: ClaimDecision) => void;
	readonly reject: (error: unknown) => void;
}

/** The journal in a database whose tables are of this version. */
export class JournalStore implements Journal {
	readonly #database: DatabaseSync;
	readonly #claims: Claim[] = [];
	readonly #statements = new Map<string, StatementSync>();

	constructor(database: DatabaseSync) {
		this.#database = database;
	}

	/** The statement of this text, made once: every step asks the same few questions. */
	#prepare(sql: string): StatementSync {
		const known = this.#statements.get(sql);
		if (known !== undefined) return known;
		const statement = this.#database.prepare(sql);
		this.#statements.set(sql, statement);
		return statement;
	}

	claim<C extends ClaimDecision>(requestDigest: string, choose: (entries: readonly JournalEntry[]) => C): Promise<C> {
		return new Promise((resolve, reject) => {
			this.#claims.push({ requestDigest, choose, resolve: resolve as (choice: ClaimDecision) => void, reject });
			// Steps that begin together share one write to the disk, which is what takes the time.
			if (this.#claims.length === 1) setImmediate(() => this.#flush());
		});
	}

	async recordSending(
		body: RequestBody,
		requestDigest: string,
		covers: readonly string[],
		nowMs: number,
	): Promise<boolean> {
		const choice = await this.claim(requestDigest, (entries) => {
			const known = entries.find((entry) => entry.body.fingerprint === body.fingerprint);
			const isFirst = known === undefined || known.outcome === "not-attempted";
			return { isFirst, ...(isFirst ? { put: { body, covers, nowMs } } : {}) };
		});
		return choice.isFirst;
	}

	#flush(together: readonly Claim[] = this.#claims.splice(0)): void {
		try {
			// Only this must outlive a power cut: what became of the bytes can be asked again, by the same bytes.
			this.#database.exec("PRAGMA synchronous = FULL");
			const choices = inTransaction(this.#database, () =>
				together.map(({ requestDigest, choose }) => {
					const choice = choose(this.#entriesOf(requestDigest));
					if (choice.put !== undefined) this.#put(choice.put, requestDigest, choice.plan);
					if (choice.again !== undefined) this.#noteAgain(choice.again, choice.plan);
					return choice;
				}),
			);
			for (const [index, { resolve }] of together.entries()) resolve(choices[index] as ClaimDecision);
		} catch (error) {
			// What cannot be put down of one organization must not keep the others, which happened to begin with it.
			if (together.length > 1) for (const one of together) this.#flush([one]);
			else for (const { reject } of together) reject(error);
		} finally {
			if (this.#database.isOpen) this.#database.exec("PRAGMA synchronous = NORMAL");
		}
	}

	#entriesOf(requestDigest: string): readonly JournalEntry[] {
		const rows = this.#prepare("SELECT * FROM sent WHERE request_digest = ? ORDER BY written DESC").all(requestDigest);
		return (rows as unknown as SentRow[]).map(toEntry);
	}

	#put({ body, covers, nowMs }: NewJournalEntry, requestDigest: string, plan: string | undefined): void {
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
			JSON.stringify(plan === undefined ? [] : [plan]),
			nowMs,
			this.#nextPosition(),
		);
	}

	#noteAgain({ body, planDigests }: JournalEntry, plan: string | undefined): void {
		const all = JSON.stringify(plan === undefined || planDigests.includes(plan) ? planDigests : [...planDigests, plan]);
		this.#prepare("UPDATE sent SET sent_again = 1, plans = ? WHERE fingerprint = ?").run(all, body.fingerprint);
	}

	#nextPosition(): number {
		const row = this.#prepare("UPDATE position SET value = value + 1 RETURNING value").get();
		return (row as { value: number }).value;
	}

	position(): number {
		return (this.#prepare("SELECT value FROM position").get() as { value: number }).value;
	}

	recordOutcome(
		fingerprint: string,
		outcome: Outcome | "abandoned",
		activityId: string | null,
		nowMs: number,
		applied?: (memory: LastApplied) => readonly AppliedObject[],
	): boolean {
		return inTransaction(this.#database, () => {
			const isNoted = this.#settle(fingerprint, outcome, activityId, nowMs);
			const organizationId = applied === undefined ? undefined : this.#organizationOf(fingerprint);
			if (organizationId !== undefined) {
				this.#remember(organizationId, applied?.(this.lastApplied(organizationId)) ?? []);
			}
			return isNoted;
		});
	}

	#settle(fingerprint: string, outcome: Outcome | "abandoned", activityId: string | null, nowMs: number): boolean {
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

	#organizationOf(fingerprint: string): string | undefined {
		const row = this.#prepare("SELECT organization_id FROM sent WHERE fingerprint = ?").get(fingerprint);
		return row === undefined ? undefined : String(row.organization_id);
	}

	entry(fingerprint: string): JournalEntry | undefined {
		const row = this.#prepare("SELECT * FROM sent WHERE fingerprint = ?").get(fingerprint);
		return row === undefined ? undefined : toEntry(row as unknown as SentRow);
	}

	openEntries(organizationId: string): readonly JournalEntry[] {
		return (
			this.#prepare(
				`SELECT * FROM sent WHERE organization_id = ?
					AND (outcome IS NULL OR outcome IN ('unknown', 'awaiting-approval', 'awaiting-authenticator'))
					ORDER BY written`,
			).all(organizationId) as unknown as SentRow[]
		).map(toEntry);
	}

	rejectedEntries(organizationId: string): readonly JournalEntry[] {
		return (
			this.#prepare(
				`SELECT * FROM sent WHERE organization_id = ? AND outcome = 'rejected'
					AND NOT EXISTS (SELECT 1 FROM sent AS later WHERE later.request_digest = sent.request_digest AND later.written > sent.written)
					ORDER BY written`,
			).all(organizationId) as unknown as SentRow[]
		).map(toEntry);
	}

	completedEntries(organizationId: string, plan: string): readonly JournalEntry[] {
		const rows = this.#prepare(
			"SELECT * FROM sent WHERE organization_id = ? AND outcome = 'completed' AND instr(plans, ?) > 0 ORDER BY written",
		).all(organizationId, plan) as unknown as SentRow[];
		return rows.map(toEntry).filter(({ planDigests }) => planDigests.includes(plan));
	}

	abandon(organizationId: string, activityOrFingerprint: string, nowMs: number): void {
		inTransaction(this.#database, () => {
			this.#prepare("INSERT INTO abandoned (organization_id, name, at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING").run(
				organizationId,
				activityOrFingerprint,
				nowMs,
			);
			const rows = this.#prepare(
				"SELECT * FROM sent WHERE organization_id = ?1 AND (lower(fingerprint) = lower(?2) OR lower(activity_id) = lower(?2))",
			).all(organizationId, activityOrFingerprint) as unknown as SentRow[];
			for (const entry of rows.map(toEntry)) {
				if (isOpen(entry)) this.#settle(entry.body.fingerprint, "abandoned", null, nowMs);
			}
		});
	}

	abandonedNames(organizationId: string): ReadonlySet<string> {
		const rows = this.#prepare("SELECT name FROM abandoned WHERE organization_id = ?").all(organizationId);
		return new Set(rows.map(({ name }) => String(name)));
	}

	recordApplied(organizationId: string, applied: readonly AppliedObject[]): void {
		inTransaction(this.#database, () => this.#remember(organizationId, applied));
	}

	#remember(organizationId: string, applied: readonly AppliedObject[]): void {
		const upsert = this.#prepare(
			`INSERT INTO applied (organization_id, kind, id, value) VALUES (?, ?, ?, ?)
			ON CONFLICT (organization_id, kind, id) DO UPDATE SET value = excluded.value`,
		);
		for (const item of applied) {
			const value = item.kind === "userTag" ? item.tag : { appliedAt: item.appliedAt };
			upsert.run(organizationId, item.kind, item.id, JSON.stringify(value));
		}
	}

	lastApplied(organizationId: string): LastApplied {
		const rows = this.#prepare("SELECT kind, id, value FROM applied WHERE organization_id = ? ORDER BY kind, id").all(
			organizationId,
		);
		return toLastApplied(rows as unknown as AppliedRow[]);
	}

	close(): void {
		this.#database.close();
	}
}
