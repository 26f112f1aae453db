/**
 * Forgeries of a journal: damaged bytes, rows that say something else, tables that are others. Each is drawn from a seed of its own,
 * so that a finding can be repeated with some of them only.
 */
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { requestDigestOf } from "../../../src/sync/journal/journal.ts";
import { approvals, writes } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { randomFrom } from "../proof.ts";
import { drawParameters, organizationId, users } from "../small-world.ts";

/** What a forger knows. */
export interface Scene {
	readonly file: string;
	readonly nowMs: number;
	/** A fingerprint that the service knows; undefined if it knows none. */
	readonly fingerprint: string | undefined;
}

/** One way to forge. Returns what it did, for people. Throws if SQLite refuses it: then nothing was forged. */
type Forge = (database: DatabaseSync, random: () => number, scene: Scene) => string;

const tables = ["sent", "sent", "sent", "sent", "votes", "applied", "abandoned", "runs", "finished", "position"];

function pick<T>(list: readonly T[], random: () => number): T {
	const found = list[Math.floor(random() * list.length)];
	if (found === undefined) throw new Error("the list is empty");
	return found;
}

function shorten(value: unknown): string {
	const text = typeof value === "string" ? JSON.stringify(value) : String(value);
	return text.length > 120 ? `${text.slice(0, 120)}… (${text.length} characters)` : text;
}

const escapeSequence = "\u001b[2J\u001b]0;title\u0007";
const strangers = ["00000000-0000-4000-8000-00000000000f", "ffffffff-ffff-4fff-8fff-ffffffffffff"] as const;
const hostileTexts = [
	"",
	" ",
	"null",
	"{}",
	"[]",
	"[null]",
	"[1]",
	'["userTag:signers"]',
	'{"__proto__":{"present":[]}}',
	"__proto__",
	"constructor",
	`${escapeSequence}completed`,
	"line one\nhint: run orgsync apply --yes --allow lockout=99\n",
	"\u202etxt.exe",
	"\ud800",
	"'; DROP TABLE sent; --",
	"../../../etc/passwd",
	"x".repeat(5000),
	"[".repeat(50_000),
	'{"a":'.repeat(3000),
	...strangers,
	organizationId.toUpperCase(),
	"sha256:",
	`sha256:${"0".repeat(64)}`,
];
const outcomes = [
	"completed",
	"rejected",
	"failed",
	"denied",
	"unknown",
	"not-attempted",
	"awaiting-approval",
	"abandoned",
	"in-flight",
	"counted",
	"void",
	"toString",
];
const numbers = [
	0,
	-1,
	1,
	2 ** 31,
	2 ** 53 - 1,
	-(2 ** 53) + 1,
	8_640_000_000_000_001,
	9_223_372_036_854_775_807n,
	-9_223_372_036_854_775_808n,
];

interface Column {
	readonly name: string;
	readonly type: string;
	readonly notnull: number;
}

function columnsOf(database: DatabaseSync, table: string): readonly Column[] {
	return database.prepare(`PRAGMA table_info(${table})`).all() as unknown as readonly Column[];
}

function keysOf(database: DatabaseSync, table: string): readonly (readonly SQLInputValue[])[] {
	const names = keyColumns(database, table);
	const rows = database.prepare(`SELECT ${names.join(", ")} FROM ${table}`).all();
	return rows.map((row) => names.map((name) => row[name] as SQLInputValue));
}

function keyColumns(database: DatabaseSync, table: string): readonly string[] {
	const columns = database.prepare(`PRAGMA table_info(${table})`).all();
	const keys = columns.filter(({ pk }) => Number(pk) > 0).map(({ name }) => String(name));
	return keys.length > 0 ? keys : columns.map(({ name }) => String(name));
}

function whereOf(names: readonly string[]): string {
	return names.map((name) => `${name} = ?`).join(" AND ");
}

/** A value for a cell: of its kind, hostile, or from another row. */
function drawValue(
	database: DatabaseSync,
	table: string,
	column: Column,
	random: () => number,
	scene: Scene,
): SQLInputValue {
	const kind = random();
	if (kind < 0.12 && column.notnull === 0) return null;
	if (column.type === "INTEGER") {
		const near = scene.nowMs + pick([-7_200_000, -3_600_000, -900_000, -1, 0, 1, 900_000, 7_200_000], random);
		return kind < 0.5 ? pick(numbers, random) : near;
	}
	if (kind < 0.35) {
		const others = database.prepare(`SELECT ${column.name} AS value FROM ${table}`).all();
		return pick(others, random).value as SQLInputValue;
	}
	if (column.name === "outcome" && kind < 0.8) return pick(outcomes, random);
	if (column.name === "plans" && kind < 0.8) return JSON.stringify([`sha256:${"a".repeat(64)}`]);
	if (column.name === "voter" && kind < 0.8) return pick(Object.values(users), random);
	return pick(hostileTexts, random);
}

/** Sets one cell of one row. */
const setCell: Forge = (database, random, scene) => {
	const table = pick(tables, random);
	const row = pick(keysOf(database, table), random);
	const column = pick(columnsOf(database, table), random);
	const value = drawValue(database, table, column, random, scene);
	const names = keyColumns(database, table);
	const where = whereOf(names);
	const before = database.prepare(`SELECT ${column.name} AS value FROM ${table} WHERE ${where}`).get(...row)?.value;
	database.prepare(`UPDATE ${table} SET ${column.name} = ? WHERE ${where}`).run(value, ...row);
	return `${table}.${column.name} of ${shorten(row[0])}: ${shorten(before)} -> ${shorten(value)}`;
};

/** Exchanges one column of two rows of `sent`. */
const swapCells: Forge = (database, random) => {
	const table = pick(["sent", "sent", "votes", "applied"], random);
	const rows = database.prepare(`SELECT rowid AS id, * FROM ${table}`).all();
	const [one, other] = [pick(rows, random), pick(rows, random)];
	if (one.id === other.id) throw new Error("there is one row only");
	const { name } = pick(columnsOf(database, table), random);
	const update = database.prepare(`UPDATE ${table} SET ${name} = ? WHERE rowid = ?`);
	update.run(`${Math.floor(random() * 1e9)}`, one.id as number);
	update.run(one[name] as SQLInputValue, other.id as number);
	update.run(other[name] as SQLInputValue, one.id as number);
	return `${table}.${name} of two rows exchanged`;
};

/** Deletes or repeats rows. */
const dropRows: Forge = (database, random) => {
	const table = pick(tables, random);
	const row = pick(keysOf(database, table), random);
	const names = keyColumns(database, table);
	if (random() < 0.3) {
		database.exec(`DELETE FROM ${table}`);
		return `all rows of ${table} deleted`;
	}
	database.prepare(`DELETE FROM ${table} WHERE ${whereOf(names)}`).run(...row);
	return `row ${shorten(row[0])} of ${table} deleted`;
};

/** Turns one character of the bytes of a request into another. */
const changeBytes: Forge = (database, random) => {
	const table = random() < 0.7 ? "sent" : "votes";
	const { fingerprint, bytes } = pick(database.prepare(`SELECT fingerprint, bytes FROM ${table}`).all(), random);
	const text = String(bytes);
	const at = Math.floor(random() * text.length);
	const digit = pick([...'0123456789abcdef"{}, \u0000'], random);
	const after = random() < 0.8 ? text.slice(0, at) + digit + text.slice(at + 1) : text.slice(0, at);
	database.prepare(`UPDATE ${table} SET bytes = ? WHERE fingerprint = ?`).run(after, fingerprint as string);
	return `${table}.bytes of ${shorten(fingerprint)} changed at ${at}: ${shorten(after)}`;
};

/** Puts another request, which is sound in itself, into the row of one that a command may send again. */
const exchangeRequest: Forge = (database, random, scene) => {
	const { operation, parameters } = drawParameters(random);
	const body = encodeSubmit(
		writes[operation],
		organizationId,
		parameters,
		scene.nowMs - pick([0, 60_000, 900_000], random),
	);
	const { fingerprint } = pick(database.prepare("SELECT fingerprint FROM sent").all(), random);
	const also = {
		fingerprint: body.fingerprint,
		operation,
		timestamp_ms: body.timestampMs,
		request_digest: requestDigestOf(organizationId, operation, parameters),
	};
	const kept = Object.entries(also).filter(() => random() < 0.6);
	const open = random() < 0.7 ? ", outcome = NULL, activity_id = NULL" : "";
	const sets = ["bytes = ?", ...kept.map(([name]) => `${name} = ?`)].join(", ");
	const values = [body.bytes, ...kept.map(([, value]) => value), fingerprint as string];
	database.prepare(`UPDATE sent SET ${sets}${open} WHERE fingerprint = ?`).run(...values);
	const names = ["bytes", ...kept.map(([name]) => name)].join(", ");
	return `sent: ${names} of ${shorten(fingerprint)} are those of another request${open}: ${body.bytes}`;
};

/** Puts another vote, or a request, into the row of a vote that a command may send again. */
const exchangeVote: Forge = (database, random, scene) => {
	const { fingerprint, target } = pick(database.prepare("SELECT fingerprint, target FROM votes").all(), random);
	const { operation, parameters } = drawParameters(random);
	const body =
		random() < 0.6
			? encodeSubmit(approvals.reject_activity, organizationId, { fingerprint: String(target) }, scene.nowMs)
			: encodeSubmit(writes[operation], organizationId, parameters, scene.nowMs);
	const sets = random() < 0.5 ? "bytes = ?" : "bytes = ?, fingerprint = ?, timestamp_ms = ?";
	const values = sets === "bytes = ?" ? [body.bytes] : [body.bytes, body.fingerprint, body.timestampMs];
	database
		.prepare(`UPDATE votes SET ${sets}, outcome = NULL, settled_at_ms = NULL WHERE fingerprint = ?`)
		.run(...values, fingerprint as string);
	return `votes: ${sets} of ${shorten(fingerprint)}, in flight: ${body.bytes}`;
};

/** Adds an entry that agrees with itself, of a request that the document may not ask for. */
const addEntry: Forge = (database, random, scene) => {
	const { operation, parameters } = drawParameters(random);
	const organization = random() < 0.85 ? organizationId : pick(strangers, random);
	const timestampMs = scene.nowMs - pick([0, 0, 60_000, 600_000, 3_000_000, 4_000_000, -200_000, -9e6], random);
	const body = encodeSubmit(writes[operation], organization, parameters, timestampMs);
	const outcome = random() < 0.5 ? null : pick(outcomes.slice(0, 8), random);
	const covers = JSON.stringify([pick(["userTag:signers", "userTag:oncall", "policy:*", "tvcApp:x"], random)]);
	const written = pick([1, 5, 1000, 2 ** 50], random);
	const activity = random() < 0.5 ? null : pick([strangers[0], scene.fingerprint ?? "x"], random);
	insert(database, "sent", {
		...{
			fingerprint: body.fingerprint,
			organization_id: organization,
			operation,
			bytes: body.bytes,
			timestamp_ms: body.timestampMs,
		},
		...{
			request_digest: requestDigestOf(organization, operation, parameters),
			covers,
			sent_at_ms: scene.nowMs,
			outcome,
		},
		...{
			activity_id: activity,
			settled_at_ms: outcome === null ? null : scene.nowMs,
			written,
			settled_position: written,
		},
		...{ sent_again: random() < 0.5 ? 0 : 1, plans: "[]" },
	});
	return `an entry added that agrees with itself, ${outcome ?? "in flight"}: ${body.bytes}`;
};

/** Adds a vote that agrees with itself, of a user and for an activity that exists or not. */
const addVote: Forge = (database, random, scene) => {
	const operation = random() < 0.5 ? "approve_activity" : "reject_activity";
	const target = random() < 0.8 ? (scene.fingerprint ?? "") : `sha256:${"1".repeat(64)}`;
	const timestampMs = scene.nowMs - pick([0, 60_000, 3_000_000, 90_000_000, -9e6], random);
	const body = encodeSubmit(approvals[operation], organizationId, { fingerprint: target }, timestampMs);
	const outcome = pick([null, "counted", "void"], random);
	const voter = pick(Object.values(users), random);
	insert(database, "votes", {
		...{ fingerprint: body.fingerprint, organization_id: organizationId, operation, target, voter, bytes: body.bytes },
		...{
			timestamp_ms: body.timestampMs,
			sent_at_ms: scene.nowMs,
			outcome,
			settled_at_ms: outcome && scene.nowMs,
			written: 99,
		},
	});
	return `a vote added that agrees with itself, ${outcome ?? "in flight"}: ${body.bytes}`;
};

/** Leaves a vote of a user in flight, as a run does that is killed before it is sent. */
export function leaveVote(file: string, voter: string, target: string, nowMs: number): void {
	const operation = "approve_activity";
	const { bytes, fingerprint, timestampMs } = encodeSubmit(
		approvals[operation],
		organizationId,
		{ fingerprint: target },
		nowMs,
	);
	const database = new DatabaseSync(file);
	insert(database, "votes", {
		...{ fingerprint, organization_id: organizationId, operation, target, voter, bytes },
		...{ timestamp_ms: timestampMs, sent_at_ms: nowMs, outcome: null, settled_at_ms: null, written: 1 },
	});
	database.close();
}

function insert(database: DatabaseSync, table: string, row: Readonly<Record<string, SQLInputValue>>): void {
	const names = Object.keys(row);
	const marks = names.map(() => "?").join(", ");
	database.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks})`).run(...Object.values(row));
}

/** Adds what was last applied to an object, or an abandoned name. */
const addMemory: Forge = (database, random, scene) => {
	if (random() < 0.3) {
		const name = random() < 0.6 ? (scene.fingerprint ?? "x") : pick(hostileTexts, random);
		database.prepare("INSERT OR REPLACE INTO abandoned VALUES (?, ?, ?)").run(organizationId, name, scene.nowMs);
		return `abandoned: ${shorten(name)} added`;
	}
	const { parameters } = drawParameters(random);
	const id = "userTagId" in parameters ? parameters.userTagId : pick(hostileTexts, random);
	const kind = pick(["userTag", "policy", "oauthProvider", "tvcApp", "nothing", "__proto__"], random);
	const people = [users.bob, strangers[0]];
	const time = new Date(scene.nowMs).toISOString();
	const value = {
		appliedAt: time,
		name: pick(["signers", escapeSequence, "x"], random),
		present: people,
		gone: people,
		updatedAt: time,
	};
	database
		.prepare("INSERT OR REPLACE INTO applied VALUES (?, ?, ?, ?)")
		.run(organizationId, kind, id, JSON.stringify(value));
	return `applied: ${kind} ${shorten(id)} added: ${JSON.stringify(value)}`;
};

const setVersion: Forge = (database, random) => {
	const version = pick([0, 1, 2, 3, 4, 5, 7, 8, 99, -1, 2 ** 31 - 1], random);
	database.exec(`PRAGMA user_version = ${version}`);
	return `user_version ${version}`;
};

/** Statements that make the tables others than those of orgsync. */
const schemaChanges = [
	"DROP TABLE votes",
	"DROP TABLE sent",
	"DROP TABLE position",
	"DROP TABLE applied",
	"DROP INDEX sent_by_wish",
	"DELETE FROM position",
	"INSERT INTO position VALUES (7), (8)",
	"ALTER TABLE sent ADD COLUMN more TEXT",
	"ALTER TABLE sent RENAME COLUMN bytes TO body",
	"ALTER TABLE sent RENAME TO old; CREATE VIEW sent AS SELECT * FROM old",
	"ALTER TABLE sent RENAME TO old; CREATE TABLE sent AS SELECT * FROM old",
	"ALTER TABLE applied RENAME TO old; CREATE TABLE applied (organization_id, kind, id, value); INSERT INTO applied SELECT organization_id, kind, id, CAST(value AS BLOB) FROM old",
	"ALTER TABLE sent RENAME TO old; CREATE TABLE sent (fingerprint PRIMARY KEY, organization_id, operation, bytes, timestamp_ms, request_digest, covers, sent_at_ms, outcome, activity_id, settled_at_ms, written, settled_position, sent_again, plans); INSERT INTO sent SELECT fingerprint, organization_id, operation, CAST(bytes AS BLOB), timestamp_ms + 0.5, request_digest, covers, sent_at_ms, outcome, activity_id, settled_at_ms, written, settled_position, sent_again, plans FROM old",
	"CREATE TRIGGER t AFTER INSERT ON sent BEGIN DELETE FROM sent; END",
	"CREATE TRIGGER t AFTER INSERT ON sent BEGIN UPDATE sent SET outcome = 'completed', settled_position = 99999999 WHERE fingerprint = new.fingerprint; END",
	"CREATE TRIGGER t BEFORE INSERT ON sent BEGIN SELECT RAISE(IGNORE); END",
	"CREATE TRIGGER t BEFORE INSERT ON votes BEGIN SELECT RAISE(IGNORE); END",
	"CREATE TRIGGER t BEFORE UPDATE ON sent BEGIN SELECT RAISE(ABORT, 'hint: run orgsync apply --allow lockout=9'); END",
	"CREATE TRIGGER t AFTER UPDATE ON sent BEGIN UPDATE sent SET outcome = NULL, activity_id = NULL WHERE fingerprint = new.fingerprint; END",
	"CREATE TRIGGER t AFTER INSERT ON sent BEGIN INSERT INTO abandoned VALUES (new.organization_id, new.fingerprint, 1); END",
	"CREATE TABLE sqlite (x); CREATE VIEW v AS SELECT * FROM sent",
	"CREATE VIRTUAL TABLE search USING fts5(body)",
	"CREATE UNIQUE INDEX one_organization ON sent (organization_id, operation)",
	"DROP TABLE applied; CREATE VIEW applied AS SELECT 'x' AS organization_id, 'userTag' AS kind, 'y' AS id, 'z' AS value",
] as const;

const changeSchema: Forge = (database, random) => {
	const statement = pick(schemaChanges, random);
	database.exec(statement);
	return statement;
};

/** Adds so much that a reader which takes all of it at once is slow. */
const addGiant: Forge = (database, random, scene) => {
	const megabyte = "y".repeat(2 ** 20);
	const fingerprint = `sha256:${Math.floor(random() * 1e15)
		.toString(16)
		.padStart(64, "0")}`;
	const bytes = pick([megabyte, `{"a":"${megabyte}"}`, `${"[".repeat(200_000)}`], random);
	insert(database, "sent", {
		...{ fingerprint, organization_id: organizationId, operation: "update_user_tag", bytes, timestamp_ms: scene.nowMs },
		...{ request_digest: "x", covers: "[]", sent_at_ms: scene.nowMs, outcome: null, written: 1, plans: "[]" },
	});
	return `an entry with ${bytes.length} bytes: ${shorten(bytes)}`;
};

/** Damages the file as a file: SQLite is not asked. */
const damage = (file: string, random: () => number): string => {
	const kind = random();
	const content = readFileSync(file);
	if (kind < 0.5) {
		const flips = 1 + Math.floor(random() * 12);
		const places = Array.from({ length: flips }, () => Math.floor(random() * content.length));
		for (const place of places) content[place] = (content[place] ?? 0) ^ (1 << Math.floor(random() * 8));
		writeFileSync(file, content);
		return `bits flipped in the bytes ${places.join(", ")}`;
	}
	if (kind < 0.65) {
		const length = Math.floor(random() * content.length);
		truncateSync(file, length);
		return `cut to ${length} bytes`;
	}
	const page = 4096;
	const pages = Math.floor(content.length / page);
	const [one, other] = [Math.floor(random() * pages), Math.floor(random() * pages)];
	if (kind < 0.8) {
		const copy = Buffer.from(content.subarray(one * page, (one + 1) * page));
		content.copyWithin(one * page, other * page, (other + 1) * page);
		copy.copy(content, other * page);
		writeFileSync(file, content);
		return `the pages ${one} and ${other} exchanged`;
	}
	if (kind < 0.9) {
		content.fill(0, one * page, (one + 1) * page);
		writeFileSync(file, content);
		return `page ${one} filled with zeros`;
	}
	const suffix = random() < 0.7 ? "-wal" : "-journal";
	writeFileSync(file + suffix, content.subarray(0, Math.floor(random() * 9000)));
	return `bytes of the file put into ${suffix}`;
};

const ways: readonly (readonly [number, Forge | "damage"])[] = [
	[30, setCell],
	[8, swapCells],
	[6, dropRows],
	[8, changeBytes],
	[16, addEntry],
	[14, exchangeRequest],
	[14, exchangeVote],
	[6, addVote],
	[6, addMemory],
	[3, setVersion],
	[6, changeSchema],
	[1, addGiant],
	[10, "damage"],
];

/** Forges the journal once, as the seed says. Returns what was done; undefined if nothing was. */
export function forge(seed: number, scene: Scene): string | undefined {
	const random = randomFrom(seed);
	const total = ways.reduce((sum, [weight]) => sum + weight, 0);
	let place = random() * total;
	const [, way] = ways.find(([weight]) => {
		place -= weight;
		return place < 0;
	}) ?? [0, setCell];
	if (way === "damage") return damage(scene.file, random);
	const before = keep(scene.file);
	try {
		const database = new DatabaseSync(scene.file);
		try {
			return way(database, random, scene);
		} finally {
			database.close();
		}
	} catch {
		// SQLite refuses what no forger can write either.
		before.restore();
		return undefined;
	}
}

function keep(file: string): { restore(): void } {
	const copy = `${file}.before`;
	copyFileSync(file, copy);
	return {
		restore() {
			copyFileSync(copy, file);
			for (const suffix of ["-wal", "-shm", "-journal"]) if (existsSync(file + suffix)) rmSync(file + suffix);
		},
	};
}

/** Returns the bytes of all requests and votes in the journal, as far as they can be read. */
export function readBodies(file: string): readonly string[] {
	if (!existsSync(file) || statSync(file).size === 0) return [];
	try {
		const database = new DatabaseSync(file, { readOnly: true });
		try {
			const rows = ["sent", "votes"].flatMap((table) => database.prepare(`SELECT bytes FROM ${table}`).all());
			return rows.map(({ bytes }) => String(bytes));
		} finally {
			database.close();
		}
	} catch {
		return [];
	}
}
