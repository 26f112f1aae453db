/** The tables of the journal and their versions. */
import type { DatabaseSync } from "node:sqlite";
import { StorageError } from "../../common/errors.ts";
import { remember } from "../../common/remember.ts";

/** The version of the tables that this orgsync writes. */
export const schemaVersion = 7;

/** Returns the version of the tables in a database; 0 if it has none. */
export function versionOf(database: DatabaseSync): number {
	return (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}

/** Creates the tables, or migrates those of an earlier version. Throws StorageError for a newer version. */
export function migrate(database: DatabaseSync): void {
	const version = versionOf(database);
	if (version > schemaVersion) {
		throw new StorageError(
			`a newer orgsync wrote it: it has version ${version}, and this orgsync reads versions up to ${schemaVersion}`,
			{ hint: "upgrade orgsync, and run the command again with this journal" },
		);
	}
	inTransaction(database, () => makeVersion(database, schemaVersion));
}

function makeVersion(database: DatabaseSync, version: number): void {
	for (const [index, step] of steps.slice(0, version).entries()) {
		// Another process may have done it meanwhile.
		if (versionOf(database) <= index) database.exec(step);
	}
}

/** Copies the journal of an earlier version into memory, to migrate there. Columns that no version has are left out. */
export function copyJournal(database: DatabaseSync, memory: DatabaseSync): void {
	// One state of the file, whatever other processes write meanwhile.
	database.exec("BEGIN");
	makeVersion(memory, versionOf(database));
	for (const { name } of memory.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
		const columns = memory.prepare("SELECT name FROM pragma_table_info(?)").all(String(name));
		const list = columns.map((column) => `"${column.name}"`).join(", ");
		// In the order in which the rows were written, which version 1 has nowhere else.
		const select = database.prepare(`SELECT ${list} FROM "${name}" NOT INDEXED`);
		memory.exec(`DELETE FROM "${name}"`);
		const insert = memory.prepare(`INSERT INTO "${name}" (${list}) VALUES (${columns.map(() => "?").join(", ")})`);
		for (const row of select.iterate()) insert.run(...Object.values(row));
	}
	database.exec("COMMIT");
}

/**
 * Returns the name of a table that does not have the columns of its version, because something else than orgsync made it or a
 * disk damaged its definition; undefined if there is none. Columns that no version has do not matter. `empty` is a new database
 * in memory, to compare with.
 */
export function findWrongTable(database: DatabaseSync, empty: DatabaseSync): string | undefined {
	const found = new Set(columnsOf(database).map(({ column }) => column));
	const columnsIn = (version: number) =>
		remember(columnsByVersion, version, () => {
			makeVersion(empty, version);
			return columnsOf(empty);
		});
	const expected = columnsIn(versionOf(database));
	const ofVersion = new Set(expected.map(({ column }) => column));
	const later = columnsIn(schemaVersion).filter(({ column }) => !ofVersion.has(column));
	const wrong = expected.find(({ column }) => !found.has(column)) ?? later.find(({ column }) => found.has(column));
	return wrong?.table;
}

const columnsByVersion = new Map<number, ReturnType<typeof columnsOf>>();

/** The columns of all tables, each in a text that is the same whatever version of SQLite made it. */
function columnsOf(database: DatabaseSync): readonly { readonly table: string; readonly column: string }[] {
	const rows = database
		.prepare(
			`SELECT tables.name AS name, json_array(tables.name, columns.name, columns.type, columns."notnull", columns.pk, columns.hidden) AS definition
				FROM sqlite_schema AS tables, pragma_table_xinfo(tables.name) AS columns WHERE tables.type = 'table'`,
		)
		.all();
	return rows.map(({ name, definition }) => ({ table: String(name), column: String(definition) }));
}

// A step never changes once it is in use: the journals that it made keep its names.

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

/** Clocks can be wrong, so rows are ordered by when they were written: each write takes the next position. */
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

/** Runs over several organizations, and the organizations that each of them left in sync. */
const stepToVersion4 = `
	CREATE TABLE runs (
		id TEXT PRIMARY KEY,
		started_at_ms INTEGER NOT NULL,
		service TEXT NOT NULL,
		reads TEXT NOT NULL,
		selection TEXT NOT NULL
	) STRICT;
	CREATE TABLE finished (
		run_id TEXT NOT NULL,
		organization_id TEXT NOT NULL,
		document_digest TEXT NOT NULL,
		read_position INTEGER NOT NULL,
		PRIMARY KEY (run_id, organization_id)
	) STRICT, WITHOUT ROWID;
	PRAGMA user_version = 4;
`;

/** How many organizations a run has: a share of them does not complete it. */
const stepToVersion5 = `
	ALTER TABLE runs ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
	PRAGMA user_version = 5;
`;

/** Votes on activities: the bytes of each, before they are sent. */
const stepToVersion6 = `
	CREATE TABLE votes (
		fingerprint TEXT PRIMARY KEY,
		organization_id TEXT NOT NULL,
		operation TEXT NOT NULL,
		target TEXT NOT NULL,
		voter TEXT NOT NULL,
		bytes TEXT NOT NULL,
		timestamp_ms INTEGER NOT NULL,
		sent_at_ms INTEGER NOT NULL,
		outcome TEXT,
		settled_at_ms INTEGER,
		written INTEGER NOT NULL
	) STRICT;
	CREATE INDEX votes_by_target ON votes (organization_id, target, written);
	PRAGMA user_version = 6;
`;

/** Which resource of a Pulumi program applied each object last. */
const stepToVersion7 = `
	CREATE TABLE owners (
		service TEXT NOT NULL,
		organization_id TEXT NOT NULL,
		object TEXT NOT NULL,
		resource TEXT NOT NULL,
		resource_urn TEXT,
		applied_at_ms INTEGER NOT NULL,
		PRIMARY KEY (service, organization_id, object)
	) STRICT, WITHOUT ROWID;
	PRAGMA user_version = 7;
`;

const steps = [
	tablesOfVersion1,
	stepToVersion2,
	stepToVersion3,
	stepToVersion4,
	stepToVersion5,
	stepToVersion6,
	stepToVersion7,
];

/** Runs `work` in one transaction. An error of SQLite may have ended the transaction already. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
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

/** Imports node:sqlite without its warning: the oldest Node that orgsync supports marks it as experimental. */
export async function importSqlite(): Promise<typeof import("node:sqlite")> {
	const emitWarning = process.emitWarning;
	process.emitWarning = (warning: string | Error, ...more: unknown[]) => {
		if (!String(warning).startsWith("SQLite is an experimental feature")) {
			Reflect.apply(emitWarning, process, [warning, ...more]);
		}
	};
	try {
		return await import("node:sqlite");
	} finally {
		process.emitWarning = emitWarning;
	}
}
