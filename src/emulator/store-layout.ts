/** The tables of the emulator's data file, and their versions. */
import type { DatabaseSync } from "node:sqlite";
import { StorageError } from "../common/errors.ts";

/** "orgE": it distinguishes data files of the emulator from other databases. */
const applicationId = 0x6f726745;
const layoutVersion = 3;

const layout = `
	CREATE TABLE organizations (
		organization_id TEXT PRIMARY KEY, name TEXT NOT NULL, rules TEXT NOT NULL, root_quorum TEXT, parent_id TEXT
	) STRICT;
	CREATE TABLE entities (
		sequence INTEGER PRIMARY KEY, organization_id TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
		body TEXT NOT NULL, UNIQUE (organization_id, kind, id)
	) STRICT;
	CREATE TABLE activities (
		sequence INTEGER PRIMARY KEY, organization_id TEXT NOT NULL, id TEXT NOT NULL, fingerprint TEXT NOT NULL,
		due_ms INTEGER, body TEXT NOT NULL, UNIQUE (organization_id, id), UNIQUE (organization_id, fingerprint)
	) STRICT;
	PRAGMA application_id = ${applicationId};
	PRAGMA user_version = ${layoutVersion};
`;

/** Brings a data file of the version in the key to the next one. */
const migrations: Readonly<Record<number, string>> = {
	1: "ALTER TABLE organizations ADD COLUMN root_quorum TEXT;",
	2: "ALTER TABLE organizations ADD COLUMN parent_id TEXT;",
};

/** Brings a data file to this version's layout, in one transaction. Returns false for a version that it does not know. */
function migrate(database: DatabaseSync, found: number): boolean {
	const steps: string[] = [];
	for (let version = found; version !== layoutVersion; version += 1) {
		const step = migrations[version];
		if (step === undefined) return false;
		steps.push(step);
	}
	if (steps.length === 0) return true;
	database.exec(`BEGIN IMMEDIATE; ${steps.join(" ")} PRAGMA user_version = ${layoutVersion}; COMMIT;`);
	return true;
}

/** Makes the tables of a new data file, or migrates those of an earlier version. Throws StorageError for any other file. */
export function prepareLayout(database: DatabaseSync, file: string): void {
	const found = database
		.prepare("SELECT application_id AS owner, user_version AS version FROM pragma_application_id, pragma_user_version")
		.get();
	const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
	if (isEmpty) database.exec(`BEGIN IMMEDIATE; ${layout} COMMIT;`);
	else if (found?.owner !== applicationId || !migrate(database, Number(found.version))) {
		const isNewer = found?.owner === applicationId && Number(found.version) > layoutVersion;
		const versions = `it has version ${found?.version}, and this orgsync reads versions up to ${layoutVersion}`;
		if (isNewer) throw new StorageError(`a newer orgsync wrote the data file ${file}: ${versions}`);
		throw new StorageError(`${file} is not a data file of the emulator`);
	}
}
