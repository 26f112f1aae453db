/**
 * What was sent, on disk before it is sent, and what we last applied. A SQLite file; it holds bodies and fingerprints,
 * never keys, stamps or bundles.
 *
 * The rule it keeps: after `sending` has returned, the bytes survive a kill, so that whatever happens next, the same bytes
 * can follow and no second activity is made.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StorageError } from "../errors.ts";
import type { Memory, RememberedTag } from "../plan/organization.ts";
import type { Outcome } from "../plan/report.ts";
import { digestOf } from "../plan/value.ts";
import type { Body } from "../wire/body.ts";
import { type SubmitName, submits } from "../wire/operations.ts";
import { importSqlite } from "./sqlite.ts";

/** One body that was sent, or was about to be. */
export interface JournalEntry {
	readonly body: Body;
	/** Digest of organization, operation and parameters: the same wish at another time has other bytes. */
	readonly wish: string;
	readonly covers: readonly string[];
	readonly sentAtMs: number;
	/** Null from `sending` until `settled`: nobody knows what became of it. `abandoned`: given up by a person. */
	readonly outcome: Outcome | "abandoned" | null;
	readonly activityId: string | null;
	readonly settledAtMs: number | null;
}

/** What is remembered when a step has completed. */
export type Applied =
	| { readonly kind: "userTag"; readonly id: string; readonly tag: RememberedTag }
	| { readonly kind: "policy" | "oauthProvider" | "tvcApp"; readonly id: string; readonly appliedAt: string };

export interface Journal {
	/**
	 * Puts bytes and fingerprint on disk, in flight from now on; an entry that is there already stays as it is, unless it was
	 * never attempted. Resolves only when they would survive a kill and a power cut; those put down together share one write.
	 * False when they were in flight already: another process is sending, or has sent, the same.
	 */
	sending(body: Body, wish: string, covers: readonly string[], nowMs: number): Promise<boolean>;
	/**
	 * Notes what became of a body. What is known to have ended stays so: another process that shares the journal may have
	 * asked later, and be answered earlier.
	 */
	settled(fingerprint: string, outcome: Outcome | "abandoned", activityId: string | null, nowMs: number): void;
	/** The latest entry of this wish, or undefined. */
	latest(wish: string): JournalEntry | undefined;
	/** The entry of exactly these bytes, or undefined. */
	entry(fingerprint: string): JournalEntry | undefined;
	/** Entries of an organization whose end is not known: in flight, unknown or waiting; oldest first. */
	open(organizationId: string): readonly JournalEntry[];
	/**
	 * Gives up an activity by its id or fingerprint: its wish may be sent anew, and it stands in nobody's way any more. Works
	 * for activities of others too, which the journal has no entry of.
	 */
	abandon(organizationId: string, activityOrFingerprint: string, nowMs: number): void;
	/** Ids and fingerprints that were given up. */
	abandoned(organizationId: string): ReadonlySet<string>;
	remember(organizationId: string, applied: readonly Applied[]): void;
	memory(organizationId: string): Memory;
	close(): void;
}

/** Outcomes after which the same activity can still become something else. */
const openOutcomes: readonly (Outcome | null)[] = [null, "unknown", "awaiting-approval", "awaiting-authenticator"];

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

/** The digest by which the same wish is known again, whatever the time. */
export function wishOf(
	organizationId: string,
	operation: SubmitName,
	parameters: Readonly<Record<string, unknown>>,
): string {
	return digestOf({ organizationId, operation, parameters });
}

/**
 * The journal in this file, made when it is not there; `":memory:"` keeps nothing. Throws StorageError when the file
 * cannot be opened, is no journal, or was written by a newer orgsync.
 */
export async function openJournal(file: string): Promise<Journal> {
	const { DatabaseSync } = await importSqlite();
	try {
		if (file !== ":memory:") mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
		const database = new DatabaseSync(file);
		database.exec("PRAGMA busy_timeout = 10000");
		await switchToLog(database);
		migrate(database, file);
		return withClearErrors(new SqliteJournal(database), file);
	} catch (error) {
		if (error instanceof StorageError) throw error;
		const reason = error instanceof Error ? error.message : String(error);
		throw new StorageError(`the journal ${file} cannot be opened: ${reason}`, {
			hint: "--journal FILE names another one; without its journal orgsync does not know what it sent before",
			cause: error,
		});
	}
}

/**
 * Puts the file into write-ahead mode. Two runs that make the journal at the same moment can refuse each other here at
 * once, whatever the busy timeout says, so it is tried again for a while.
 */
async function switchToLog(database: DatabaseSync): Promise<void> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			database.exec("PRAGMA journal_mode = WAL");
			return;
		} catch (error) {
			if (attempt === 50 || !(error instanceof Error) || !error.message.includes("locked")) throw error;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}
}

/** The same journal; what SQLite throws, for example when the disk is full, says which file it is about. */
function withClearErrors(journal: Journal, file: string): Journal {
	const explain = (error: unknown): StorageError => {
		const reason = error instanceof Error ? error.message : String(error);
		return new StorageError(`the journal ${file} cannot be used: ${reason}`, { cause: error });
	};
	const clear =
		<A extends readonly unknown[], R>(use: (...values: A) => R): ((...values: A) => R) =>
		(...values) => {
			try {
				return use(...values);
			} catch (error) {
				throw explain(error);
			}
		};
	return {
		sending: (...values) =>
			journal.sending(...values).catch((error: unknown) => {
				throw explain(error);
			}),
		settled: clear((...values: Parameters<Journal["settled"]>) => journal.settled(...values)),
		latest: clear((wish: string) => journal.latest(wish)),
		entry: clear((fingerprint: string) => journal.entry(fingerprint)),
		open: clear((organizationId: string) => journal.open(organizationId)),
		abandon: clear((...values: Parameters<Journal["abandon"]>) => journal.abandon(...values)),
		abandoned: clear((organizationId: string) => journal.abandoned(organizationId)),
		remember: clear((organizationId: string, applied: readonly Applied[]) => journal.remember(organizationId, applied)),
		memory: clear((organizationId: string) => journal.memory(organizationId)),
		close: clear(() => journal.close()),
	};
}

const schemaVersion = 1;

function migrate(database: DatabaseSync, file: string): void {
	const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
	if (version > schemaVersion) {
		throw new StorageError(`the journal ${file} was written by a newer orgsync`, { hint: "upgrade orgsync" });
	}
	if (version === schemaVersion) return;
	database.exec(`
		BEGIN IMMEDIATE;
		CREATE TABLE IF NOT EXISTS sent (
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
		CREATE INDEX IF NOT EXISTS sent_by_wish ON sent (wish, timestamp_ms);
		CREATE INDEX IF NOT EXISTS sent_by_organization ON sent (organization_id, sent_at_ms);
		CREATE TABLE IF NOT EXISTS applied (
			organization_id TEXT NOT NULL,
			kind TEXT NOT NULL,
			id TEXT NOT NULL,
			value TEXT NOT NULL,
			PRIMARY KEY (organization_id, kind, id)
		) STRICT;
		CREATE TABLE IF NOT EXISTS abandoned (
			organization_id TEXT NOT NULL,
			name TEXT NOT NULL,
			at_ms INTEGER NOT NULL,
			PRIMARY KEY (organization_id, name)
		) STRICT;
		PRAGMA user_version = ${schemaVersion};
		COMMIT;
	`);
}

interface Sending {
	readonly row: [body: Body, wish: string, covers: readonly string[], nowMs: number];
	readonly resolve: (isFirst: boolean) => void;
	readonly reject: (error: unknown) => void;
}

class SqliteJournal implements Journal {
	readonly #database: DatabaseSync;
	readonly #sending: Sending[] = [];
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

	sending(body: Body, wish: string, covers: readonly string[], nowMs: number): Promise<boolean> {
		return new Promise((resolve, reject) => {
			this.#sending.push({ row: [body, wish, covers, nowMs], resolve, reject });
			// Steps that begin together share one write to the disk, which is what takes the time.
			if (this.#sending.length === 1) setImmediate(() => this.#flush());
		});
	}

	#flush(together: readonly Sending[] = this.#sending.splice(0)): void {
		try {
			// Only this must outlive a power cut: what became of the bytes can be asked again, by the same bytes.
			this.#database.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
			const areFirst = together.map(({ row }) => this.#insert(...row));
			this.#database.exec("COMMIT; PRAGMA synchronous = NORMAL");
			for (const [index, { resolve }] of together.entries()) resolve(areFirst[index] === true);
		} catch (error) {
			if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
			// What cannot be put down of one organization must not keep the others, which happened to begin with it.
			if (together.length > 1) for (const one of together) this.#flush([one]);
			else for (const { reject } of together) reject(error);
		}
	}

	#insert(body: Body, wish: string, covers: readonly string[], nowMs: number): boolean {
		const { changes } = this.#prepare(
			`INSERT INTO sent (fingerprint, organization_id, operation, bytes, timestamp_ms, wish, covers, sent_at_ms)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (fingerprint) DO UPDATE
				SET outcome = NULL, settled_at_ms = NULL, sent_at_ms = excluded.sent_at_ms WHERE outcome = 'not-attempted'`,
		).run(
			body.fingerprint,
			body.organizationId,
			body.operation.name,
			body.bytes,
			body.timestampMs,
			wish,
			JSON.stringify(covers),
			nowMs,
		);
		return Number(changes) > 0;
	}

	settled(fingerprint: string, outcome: Outcome | "abandoned", activityId: string | null, nowMs: number): void {
		const stronger = Object.entries(finality)
			.filter(([, rank]) => rank > finality[outcome])
			.map(([name]) => `'${name}'`);
		this.#prepare(
			`UPDATE sent SET outcome = ?, activity_id = coalesce(?, activity_id), settled_at_ms = ?
				WHERE fingerprint = ? AND (outcome IS NULL OR outcome NOT IN (${stronger.join(", ")}))`,
		).run(outcome, activityId, nowMs, fingerprint);
	}

	latest(wish: string): JournalEntry | undefined {
		const row = this.#prepare("SELECT * FROM sent WHERE wish = ? ORDER BY timestamp_ms DESC, rowid DESC LIMIT 1").get(
			wish,
		);
		return row === undefined ? undefined : toEntry(row as unknown as SentRow);
	}

	entry(fingerprint: string): JournalEntry | undefined {
		const row = this.#prepare("SELECT * FROM sent WHERE fingerprint = ?").get(fingerprint);
		return row === undefined ? undefined : toEntry(row as unknown as SentRow);
	}

	open(organizationId: string): readonly JournalEntry[] {
		return (
			this.#prepare(
				`SELECT * FROM sent WHERE organization_id = ?
					AND (outcome IS NULL OR outcome IN ('unknown', 'awaiting-approval', 'awaiting-authenticator'))
					ORDER BY sent_at_ms, rowid`,
			).all(organizationId) as unknown as SentRow[]
		).map(toEntry);
	}

	abandon(organizationId: string, activityOrFingerprint: string, nowMs: number): void {
		this.#prepare("INSERT INTO abandoned (organization_id, name, at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING").run(
			organizationId,
			activityOrFingerprint,
			nowMs,
		);
		const rows = this.#prepare(
			"SELECT * FROM sent WHERE organization_id = ?1 AND (fingerprint = ?2 OR activity_id = ?2)",
		).all(organizationId, activityOrFingerprint) as unknown as SentRow[];
		for (const { fingerprint, outcome } of rows) {
			if (openOutcomes.includes(outcome as Outcome | null)) this.settled(fingerprint, "abandoned", null, nowMs);
		}
	}

	abandoned(organizationId: string): ReadonlySet<string> {
		const rows = this.#prepare("SELECT name FROM abandoned WHERE organization_id = ?").all(organizationId);
		return new Set(rows.map(({ name }) => String(name)));
	}

	remember(organizationId: string, applied: readonly Applied[]): void {
		const upsert = this.#prepare(
			`INSERT INTO applied (organization_id, kind, id, value) VALUES (?, ?, ?, ?)
			ON CONFLICT (organization_id, kind, id) DO UPDATE SET value = excluded.value`,
		);
		this.#database.exec("BEGIN IMMEDIATE");
		try {
			for (const item of applied) {
				const value = item.kind === "userTag" ? item.tag : { appliedAt: item.appliedAt };
				upsert.run(organizationId, item.kind, item.id, JSON.stringify(value));
			}
			this.#database.exec("COMMIT");
		} catch (error) {
			this.#database.exec("ROLLBACK");
			throw error;
		}
	}

	memory(organizationId: string): Memory {
		const rows = this.#prepare("SELECT kind, id, value FROM applied WHERE organization_id = ? ORDER BY kind, id").all(
			organizationId,
		) as { kind: string; id: string; value: string }[];
		const ofKind = <T>(kind: string): Record<string, T> =>
			Object.fromEntries(rows.filter((row) => row.kind === kind).map(({ id, value }) => [id, JSON.parse(value) as T]));
		return {
			userTags: ofKind("userTag"),
			removedPolicies: ofKind("policy"),
			removedOauthProviders: ofKind("oauthProvider"),
			removedTvcApps: ofKind("tvcApp"),
		};
	}

	close(): void {
		this.#database.close();
	}
}

interface SentRow {
	readonly fingerprint: string;
	readonly organization_id: string;
	readonly operation: string;
	readonly bytes: string;
	readonly timestamp_ms: number;
	readonly wish: string;
	readonly covers: string;
	readonly sent_at_ms: number;
	readonly outcome: string | null;
	readonly activity_id: string | null;
	readonly settled_at_ms: number | null;
}

function toEntry(row: SentRow): JournalEntry {
	return {
		body: {
			operation: submits[row.operation as SubmitName],
			organizationId: row.organization_id,
			timestampMs: row.timestamp_ms,
			bytes: row.bytes,
			fingerprint: row.fingerprint,
		},
		wish: row.wish,
		covers: JSON.parse(row.covers) as string[],
		sentAtMs: row.sent_at_ms,
		outcome: row.outcome as JournalEntry["outcome"],
		activityId: row.activity_id,
		settledAtMs: row.settled_at_ms,
	};
}
