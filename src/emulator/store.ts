/**
 * Organizations and activities in SQLite, in a file or in memory. One row per entity, so that a request writes only what it changed.
 * Organizations are loaded when they are first needed.
 *
 * Every answered change is on disk: a write is one transaction, and it is synced when it returns.
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { defined } from "../common/defined.ts";
import { StorageError } from "../common/errors.ts";
import { makePrivate } from "../common/private-file.ts";
import { maxLoadedOrganizations } from "./assumptions.ts";
import { entityKinds } from "./kinds/table.ts";
import { users } from "./kinds/user.ts";
import { type CredentialIndex, indexCredentials } from "./stamps/verify-stamp.ts";
import type { ActivityRecord, EntitySection, Organization, StateChange, SubOrganization } from "./state.ts";
import { prepareLayout } from "./store-layout.ts";

const inMemory = ":memory:";

interface LoadedOrganization extends Organization {
	readonly due: Map<string, number>;
	readonly sections: ReadonlyMap<string, Map<string, object>>;
	credentials: CredentialIndex | undefined;
}

export interface OrganizationSummary {
	readonly organizationId: string;
	readonly organizationName: string;
	readonly users: readonly { readonly userId: string; readonly userName: string }[];
}

function openDatabase(file: string | undefined, notice: (text: string) => void): DatabaseSync {
	let database: DatabaseSync | undefined;
	try {
		// SQLite gives the files that it keeps beside a database the mode of the database.
		if (file !== undefined && file !== inMemory) makePrivate(file, notice);
		database = new DatabaseSync(file ?? inMemory);
		// One process at a time: what is loaded here would go stale under another one's writes.
		database.exec("PRAGMA busy_timeout = 2000; PRAGMA locking_mode = EXCLUSIVE;");
		database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
		prepareLayout(database, file ?? inMemory);
		return database;
	} catch (error) {
		// A file that is refused is not kept from others.
		database?.close();
		if (error instanceof StorageError) throw error;
		const reason = error instanceof Error ? error.message : String(error);
		throw new StorageError(`the emulator cannot open its data file ${file}: ${reason}`, {
			cause: error,
			hint: isHeld(error)
				? "one emulator at a time can have a data file open"
				: "if it was a data file of the emulator, restore it from a copy; in a new file, the emulator begins with its seed",
		});
	}
}

/** Whether another process holds the file (sqlite.org, "Result and Error Codes": busy). */
function isHeld(error: unknown): boolean {
	return ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;
}

function prepareStatements(database: DatabaseSync) {
	const prepare = (sql: string): StatementSync => database.prepare(sql);
	return {
		head: prepare(
			"SELECT name, rules, root_quorum AS rootQuorum, parent_id AS parentId FROM organizations WHERE organization_id = ?",
		),
		subOrganizations: prepare(
			"SELECT organization_id, name FROM organizations WHERE parent_id = ? ORDER BY rowid DESC",
		),
		entities: prepare("SELECT kind, id, body FROM entities WHERE organization_id = ? ORDER BY sequence"),
		due: prepare("SELECT id, due_ms FROM activities WHERE organization_id = ? AND due_ms IS NOT NULL"),
		byFingerprint: prepare("SELECT body FROM activities WHERE organization_id = ? AND fingerprint = ?"),
		byId: prepare("SELECT body FROM activities WHERE organization_id = ? AND id = ?"),
		activitiesNewestFirst: prepare("SELECT body FROM activities WHERE organization_id = ? ORDER BY sequence DESC"),
		organizations: prepare(
			"SELECT organization_id, name, (SELECT json_group_array(json_object('userId', id, 'userName', body ->> '$.userName') " +
				"ORDER BY sequence) FROM entities WHERE kind = 'users' AND organization_id = organizations.organization_id) AS users " +
				"FROM organizations ORDER BY rowid",
		),
		putHead: prepare(
			"INSERT INTO organizations (organization_id, name, rules, root_quorum, parent_id) VALUES (?, ?, ?, ?, ?) " +
				"ON CONFLICT (organization_id) DO UPDATE SET name = excluded.name, rules = excluded.rules, " +
				"root_quorum = excluded.root_quorum, parent_id = excluded.parent_id",
		),
		putEntity: prepare(
			"INSERT INTO entities (organization_id, kind, id, body) VALUES (?, ?, ?, ?) " +
				"ON CONFLICT (organization_id, kind, id) DO UPDATE SET body = excluded.body",
		),
		removeEntity: prepare("DELETE FROM entities WHERE organization_id = ? AND kind = ? AND id = ?"),
		putActivity: prepare(
			"INSERT INTO activities (organization_id, id, fingerprint, due_ms, body) VALUES (?, ?, ?, ?, ?) " +
				"ON CONFLICT (organization_id, id) DO UPDATE SET due_ms = excluded.due_ms, body = excluded.body",
		),
		clearEntities: prepare("DELETE FROM entities WHERE organization_id = ?"),
		clearActivities: prepare("DELETE FROM activities WHERE organization_id = ?"),
	};
}

type Statements = ReturnType<typeof prepareStatements>;

function load(statements: Statements, organizationId: string): LoadedOrganization | undefined {
	const head = statements.head.get(organizationId) as
		| { name: string; rules: string; rootQuorum: string | null; parentId: string | null }
		| undefined;
	if (head === undefined) return undefined;
	const sections = new Map(entityKinds.map(({ section }) => [section, new Map<string, object>()]));
	for (const row of statements.entities.all(organizationId)) {
		sections.get(String(row.kind))?.set(String(row.id), JSON.parse(String(row.body)));
	}
	return {
		organizationId,
		organizationName: head.name,
		...(head.rootQuorum === null ? {} : { rootQuorum: JSON.parse(head.rootQuorum) }),
		...defined({ parentOrganizationId: head.parentId ?? undefined }),
		rules: JSON.parse(head.rules),
		due: new Map(statements.due.all(organizationId).map((row) => [String(row.id), Number(row.due_ms)])),
		sections,
		credentials: undefined,
		entities: <Entity extends object>({ section }: EntitySection<Entity>) =>
			(sections.get(section) ?? new Map()) as ReadonlyMap<string, object> as ReadonlyMap<string, Entity>,
	};
}

function writeRow(statements: Statements, organizationId: string, change: StateChange): void {
	switch (change.change) {
		case "settings": {
			const { organizationName, rules, rootQuorum, parentOrganizationId = null } = change.settings;
			const quorum = rootQuorum === undefined ? null : JSON.stringify(rootQuorum);
			statements.putHead.run(organizationId, organizationName, JSON.stringify(rules), quorum, parentOrganizationId);
			return;
		}
		case "put":
			statements.putEntity.run(organizationId, change.section, change.id, JSON.stringify(change.value));
			return;
		case "remove":
			statements.removeEntity.run(organizationId, change.section, change.id);
			return;
		case "activity": {
			const { id, fingerprint, dueMs } = change.activity;
			statements.putActivity.run(organizationId, id, fingerprint, dueMs, JSON.stringify(change.activity));
			return;
		}
		case "clear":
			statements.clearEntities.run(organizationId);
			statements.clearActivities.run(organizationId);
	}
}

/** Brings an organization in memory up to a change of its entities or activities that was written. */
function applyToLoaded(loaded: LoadedOrganization, change: StateChange): void {
	if (change.change === "activity") {
		const { id, dueMs } = change.activity;
		if (dueMs === null) loaded.due.delete(id);
		else loaded.due.set(id, dueMs);
	} else if (change.change === "put" || change.change === "remove") {
		const section = loaded.sections.get(change.section);
		if (change.change === "put") section?.set(change.id, change.value);
		else section?.delete(change.id);
		if (change.section === users.section) loaded.credentials = undefined;
	}
}

/** Returns an organization, loaded when it is first needed. The least recently used leaves memory first. */
function findOrganization(
	statements: Statements,
	cache: Map<string, LoadedOrganization>,
	organizationId: string,
): LoadedOrganization | undefined {
	const found = cache.get(organizationId) ?? load(statements, organizationId);
	if (found === undefined) return undefined;
	cache.delete(organizationId);
	cache.set(organizationId, found);
	const oldest = cache.keys().next().value;
	if (cache.size > maxLoadedOrganizations && oldest !== undefined) cache.delete(oldest);
	return found;
}

export type Store = ReturnType<typeof openStore>;

/** Opens a store on `file`, made private, or in memory. Throws a StorageError. `notice` gets the messages of makePrivate. */
export function openStore(file: string | undefined, notice: (text: string) => void = () => undefined) {
	const database = openDatabase(file, notice);
	const statements = prepareStatements(database);
	const cache = new Map<string, LoadedOrganization>();
	const find = (organizationId: string) => findOrganization(statements, cache, organizationId);
	/** Writes changes of organizations, all or none: they are on disk when it returns. Throws a StorageError. */
	const writeAll = (all: readonly (readonly [organizationId: string, changes: readonly StateChange[]])[]): void => {
		try {
			database.exec("BEGIN IMMEDIATE");
			for (const [organizationId, changes] of all) for (const one of changes) writeRow(statements, organizationId, one);
			database.exec("COMMIT");
		} catch (error) {
			if (database.isTransaction) database.exec("ROLLBACK");
			throw new StorageError("the emulator could not write its data file", { cause: error });
		}
		for (const [organizationId, changes] of all) {
			// Settings are read when the organization is loaded.
			if (changes.some(({ change }) => change === "clear" || change === "settings")) cache.delete(organizationId);
			const loaded = cache.get(organizationId);
			if (loaded !== undefined) for (const change of changes) applyToLoaded(loaded, change);
		}
	};
	const readActivity = (row: Record<string, unknown> | undefined): ActivityRecord | undefined =>
		row === undefined ? undefined : (JSON.parse(String(row.body)) as ActivityRecord);
	return {
		/** Returns the organization, or undefined when there is none of that id (lower case). */
		organization: (organizationId: string): Organization | undefined => find(organizationId),
		credentials(organizationId: string): CredentialIndex {
			const loaded = find(organizationId);
			if (loaded === undefined) return indexCredentials([]);
			loaded.credentials ??= indexCredentials(loaded.entities(users).values());
			return loaded.credentials;
		},
		findByFingerprint: (organizationId: string, fingerprint: string) =>
			readActivity(statements.byFingerprint.get(organizationId, fingerprint)),
		findById: (organizationId: string, activityId: string) =>
			readActivity(statements.byId.get(organizationId, activityId)),
		/** All activities of an organization, newest first, each read when it is needed: an organization keeps all of them. */
		*activitiesNewestFirst(organizationId: string): Iterable<ActivityRecord> {
			for (const row of statements.activitiesNewestFirst.iterate(organizationId)) {
				yield readActivity(row) as ActivityRecord;
			}
		},
		/** All organizations, in the order they were made, with the names of their users. */
		summaries: (): readonly OrganizationSummary[] =>
			statements.organizations.all().map((row) => ({
				organizationId: String(row.organization_id),
				organizationName: String(row.name),
				users: JSON.parse(String(row.users)),
			})),
		/** The sub-organizations of one, newest first. */
		subOrganizations: (organizationId: string): readonly SubOrganization[] =>
			statements.subOrganizations.all(organizationId).map((row) => ({
				organizationId: String(row.organization_id),
				organizationName: String(row.name),
			})),
		writeAll,
		write(organizationId: string, changes: readonly StateChange[]): void {
			if (changes.length > 0) writeAll([[organizationId, changes]]);
		},
		close: (): void => database.close(),
	};
}
