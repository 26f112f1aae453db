/**
 * Checks that a file is a journal without changing it, and explains errors of SQLite to its owner.
 *
 * The last writes of a journal can be only in the log beside it (`-wal`), also after a full disk or a crash in a checkpoint.
 * So the file is never checked without its log, and never read while another process moves the log into it.
 */

import { copyFileSync, existsSync, lstatSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { StorageError } from "../../common/errors.ts";
import { clipMiddle, showText } from "../../common/escape.ts";
import { refuseForeignFile, sqliteSidecars } from "../../common/private-file.ts";
import { flag, type Said, say } from "../../common/said.ts";
import { changedHint } from "./distrust.ts";
import { findWrongTable, importSqlite, schemaVersion, versionOf } from "./schema.ts";

/** Max milliseconds for which SQLite waits for another process. */
export const defaultBusyMs = 10_000;

/** Throws what SQLite throws for a file that is no database, and StorageError for a database that is no journal. */
export async function refuseNonJournal(file: string, busyMs = defaultBusyMs): Promise<void> {
	refuseLoneLog(file);
	for (const suffix of sqliteSidecars) refuseForeignFile(file + suffix);
	if (!hasLog(file)) {
		try {
			// An immutable database is read without creating files beside it.
			return await checkIsJournal(await openImmutable(file));
		} catch {
			// Another process may be writing it: read it again, with locks.
		}
	}
	await checkIsJournal(await openReadOnly(file, busyMs));
}

/** Throws StorageError for a log without its journal: SQLite deletes the log of an empty or new file, even when it only reads. */
export function refuseLoneLog(file: string): void {
	const sizeOf = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
	const log = `${file}-wal`;
	if (sizeOf(file) > 0 || sizeOf(log) === 0) return;
	const what = existsSync(file) ? "is empty" : "is missing";
	throw new StorageError(`it ${what}, and its log ${showText(log)} is not: what orgsync wrote is lost or in the log`, {
		hint: "restore both from one backup; do not delete the log before",
	});
}

function hasLog(file: string): boolean {
	return ["-wal", "-journal"].some((suffix) => (lstatSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

async function openImmutable(file: string): Promise<DatabaseSync> {
	const { DatabaseSync } = await importSqlite();
	const address = pathToFileURL(file);
	address.searchParams.set("immutable", "1");
	return new DatabaseSync(address, { readOnly: true });
}

/** Throws StorageError if it is no journal, or acts on its own, and closes it. Without tables it is one that is being created. */
async function checkIsJournal(database: DatabaseSync): Promise<void> {
	const { DatabaseSync } = await importSqlite();
	const empty = new DatabaseSync(":memory:");
	try {
		const parts = database.prepare("SELECT name, type, sql FROM sqlite_schema").all();
		const tables = parts.filter(({ type }) => type === "table");
		if (parts.length === 0 || tables.some(({ name }) => name === "sent")) {
			refusePrograms(parts);
			refuseWrongTables(database, empty, parts.length);
			refuseDamage(database);
			return;
		}
	} finally {
		empty.close();
		database.close();
	}
	throw new StorageError("it is a SQLite database, but not a journal", {
		hint: say`${flag("journal")} takes the name of a journal, or of a file that does not exist yet`,
	});
}

/** Throws StorageError for triggers, views and virtual tables: they could change what orgsync writes, or read without end. */
function refusePrograms(parts: readonly Readonly<Record<string, unknown>>[]): void {
	const isVirtual = (sql: unknown): boolean => /^\s*CREATE\s+VIRTUAL/i.test(String(sql));
	const found = parts.find(({ type, sql }) => (type !== "table" && type !== "index") || isVirtual(sql));
	if (found === undefined) return;
	const kind = found.type === "table" ? "virtual table" : String(found.type);
	throw new StorageError(
		`it has the ${kind} ${showText(String(found.name))}, and orgsync makes tables and indexes only`,
		{
			hint: changedHint,
		},
	);
}

/** Throws StorageError for tables that are not those of their version. What a newer orgsync makes is not known here. */
function refuseWrongTables(database: DatabaseSync, empty: DatabaseSync, partCount: number): void {
	const version = versionOf(database);
	if (partCount === 0 || version > schemaVersion) return;
	const table = version > 0 ? findWrongTable(database, empty) : "sent";
	if (table === undefined) return;
	const because =
		version > 0
			? `its table \`${table}\` does not have the columns of version ${version}`
			: `it has ${version === 0 ? "no version" : `version ${version}, which no orgsync wrote`}`;
	throw new StorageError(because, { hint: changedHint });
}

/** Throws StorageError for damage, as in a copy made during a write: an index that lacks a row hides what is pending. */
function refuseDamage(database: DatabaseSync): void {
	const [found] = database.prepare("PRAGMA integrity_check(1)").all();
	const what = String(found?.integrity_check).split("\n").at(-1) ?? "";
	if (what !== "ok") throw new StorageError(`it is damaged: ${showText(clipMiddle(what, 200))}`, { hint: damagedHint });
}

/** Opens the database for reading, or a copy if SQLite cannot write beside it; `close` deletes that. Throws what SQLite throws. */
export async function openReadOnly(file: string, busyMs = defaultBusyMs): Promise<DatabaseSync> {
	const { DatabaseSync } = await importSqlite();
	const database = new DatabaseSync(file, { readOnly: true, timeout: busyMs, open: false });
	try {
		database.open();
		database.prepare("SELECT count(*) FROM sqlite_schema").get();
		return database;
	} catch (error) {
		if (database.isOpen) database.close();
		if (!isUnwritable(error)) throw error;
	}
	return openCopy(file);
}

async function openCopy(file: string): Promise<DatabaseSync> {
	const { DatabaseSync } = await importSqlite();
	const folder = mkdtempSync(join(tmpdir(), "orgsync-journal-"));
	const remove = () => rmSync(folder, { recursive: true, force: true });
	try {
		const path = join(folder, "journal.sqlite");
		await copyFiles(file, path);
		const copy = new DatabaseSync(path);
		const close = copy.close.bind(copy);
		copy.close = () => {
			close();
			remove();
		};
		return copy;
	} catch (error) {
		remove();
		throw error;
	}
}

/** Copies the files as they are. In a read-only folder no lock stops another process from writing meanwhile. */
async function copyFiles(file: string, target: string): Promise<void> {
	const maxAttempts = 5;
	for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
		if (copyOnce(file, target)) return;
		await setTimeout(20 * attempt);
	}
	throw new StorageError("another process keeps writing it", { hint: busyHint });
}

/** Copies the database and its logs. Returns whether none of them changed meanwhile. */
function copyOnce(file: string, target: string): boolean {
	const suffixes = ["", "-wal", "-journal"];
	const states = (): string => suffixes.map((suffix) => stateOf(file + suffix)).join();
	const before = states();
	for (const suffix of suffixes) {
		rmSync(target + suffix, { force: true });
		if (stateOf(file + suffix) !== "") copyFileSync(file + suffix, target + suffix);
	}
	return states() === before;
}

function stateOf(path: string): string {
	const found = statSync(path, { throwIfNoEntry: false, bigint: true });
	return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeNs}`;
}

const codes = { busy: 5, locked: 6, readOnly: 8, corrupt: 11, full: 13, cannotOpen: 14, notDatabase: 26 };

/** SQLite cannot create or extend the file by which processes share the log (sqlite.org, "Result and Error Codes"). */
const sharedMemoryCodes: readonly number[] = [4618, 4874, 5386];

/** Returns SQLite's extended code of an error; undefined for any other error. */
function codeOf(error: unknown): number | undefined {
	const { errcode } = error as { errcode?: unknown };
	return typeof errcode === "number" ? errcode : undefined;
}

function isAny(error: unknown, ...wanted: readonly number[]): boolean {
	const code = codeOf(error);
	return code !== undefined && wanted.includes(code & 0xff);
}

/** Whether the file, or the folder around it, cannot be written. */
function isUnwritable(error: unknown): boolean {
	return isAny(error, codes.readOnly, codes.cannotOpen, codes.full) || sharedMemoryCodes.includes(codeOf(error) ?? 0);
}

/** Whether another process holds the file. */
export function isBusy(error: unknown): boolean {
	return isAny(error, codes.busy, codes.locked);
}

const busyHint = "run the command again when the other process has ended";

const lossHint = say`a new journal (${flag("journal", "FILE")}) does not know which requests are in doubt, pending, rejected or abandoned: apply can submit the same change again`;

const damagedHint = say`if it was a journal, restore it from a backup, together with its -wal file; ${lossHint}. Check the last activities at the service first`;

/** Whether a row has a number that no number of orgsync is as large as. */
function isTooLarge(error: unknown): boolean {
	return (error as { code?: unknown }).code === "ERR_OUT_OF_RANGE";
}

/** Returns why the journal cannot be used. */
export function reasonOf(error: unknown): string {
	if (isTooLarge(error)) return "a number in it is larger than any that orgsync writes";
	return error instanceof Error ? error.message : String(error);
}

/** Returns what to do about an error of the journal's file. Another file alone is no answer: it can lead to a duplicate. */
export function hintFor(error: unknown): Said {
	if (error instanceof StorageError && error.advice !== undefined) return error.advice;
	if (isBusy(error)) return busyHint;
	if (isTooLarge(error)) return changedHint;
	if (isAny(error, codes.full) || (error as { code?: unknown }).code === "ENOSPC") {
		return "free some space, then run the command again with the same journal";
	}
	if (isAny(error, codes.corrupt, codes.notDatabase)) {
		return damagedHint;
	}
	return say`make the file usable, and run the command again with it; ${lossHint}`;
}
