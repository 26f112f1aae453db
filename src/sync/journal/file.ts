/** Opens the journal's file: for writing by `apply`, for reading by everything else. */

import { existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { explainFileError, StorageError } from "../../common/errors.ts";
import { makePrivate, sqliteSidecars } from "../../common/private-file.ts";
import { flag, say } from "../../common/said.ts";
import { type OwnerJournal, ownersIn } from "../journal-owners.ts";
import { type GitEnvironment, isTrackedByGit } from "./git-index.ts";
import { defaultBusyMs, hintFor, isBusy, openReadOnly, reasonOf, refuseLoneLog, refuseNonJournal } from "./inspect.ts";
import type { Journal, JournalView } from "./journal.ts";
import { copyJournal, importSqlite, migrate, schemaVersion, versionOf } from "./schema.ts";
import { JournalStore } from "./store.ts";
import { type VoteJournal, votesIn } from "./votes.ts";

export interface JournalFileOptions {
	/** Whether the operator named the file: then git may track it. */
	readonly isNamed?: boolean;
	/** Gets a line if the file's permissions were changed, or could not be. */
	readonly notice?: (text: string) => void;
	/** Max milliseconds to wait for another process that holds the file; 10 seconds when left out. */
	readonly busyMs?: number;
	/** Where git's variables are looked up; those of the process when left out. */
	readonly environment?: GitEnvironment;
}

/**
 * Opens the journal in this file for writing. A missing file is created, readable and writable by its owner alone.
 * `":memory:"` keeps nothing. Throws StorageError if the file cannot be opened or written, is no journal, was written by a
 * newer orgsync, belongs to another user, can be written by everyone, or is tracked by git.
 */
export function openJournal(file: string, options: JournalFileOptions = {}): Promise<Journal> {
	return withOpenErrors(file, async () => {
		if (file !== ":memory:") {
			if (!exists(file)) refuseLoneLog(file);
			keepOutOfGit(dirname(file));
			await checkPlace(file, options);
		}
		const { DatabaseSync } = await importSqlite();
		const database = new DatabaseSync(file);
		return journalIn(database, file, () => switchToLog(database, options.busyMs ?? defaultBusyMs));
	});
}

/** Opens the journal for reading, also in a read-only folder; undefined without a file. Throws StorageError as openJournal does. */
export function readJournal(file: string, options: JournalFileOptions = {}): Promise<JournalView | undefined> {
	return withOpenErrors(file, async () => {
		if (!exists(file)) {
			refuseLoneLog(file);
			return undefined;
		}
		await checkPlace(file, options);
		const database = await openReadOnly(file, options.busyMs);
		return journalIn(versionOf(database) < schemaVersion ? await copyInMemory(database) : database, file);
	});
}

/** Returns a copy that can be migrated, and closes the database. */
async function copyInMemory(database: DatabaseSync): Promise<DatabaseSync> {
	const { DatabaseSync } = await importSqlite();
	const memory = new DatabaseSync(":memory:");
	try {
		copyJournal(database, memory);
		return memory;
	} catch (error) {
		memory.close();
		throw error;
	} finally {
		database.close();
	}
}

/** Whether there is a file or a link. Throws if that cannot be known: a journal out of reach is not a missing one. */
function exists(file: string): boolean {
	return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Creates orgsync's own folder with a `.gitignore`: a journal belongs to one machine, not to version control. */
function keepOutOfGit(folder: string): void {
	if (basename(folder) !== ".orgsync" || existsSync(folder)) return;
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	writeFileSync(join(folder, ".gitignore"), "*\n");
}

/** Makes the file private, and creates it if it is missing. Throws StorageError if others could have written it. */
async function checkPlace(
	file: string,
	{ isNamed = false, notice = () => {}, busyMs, environment }: JournalFileOptions,
): Promise<void> {
	const tracked = isNamed
		? undefined
		: [file, ...sqliteSidecars.map((suffix) => file + suffix)].find((path) => isTrackedByGit(path, environment));
	if (tracked !== undefined) {
		throw new StorageError(`${tracked} is tracked by git: everyone who can commit can write it`, {
			hint: say`take it out of version control: git rm --cached ${tracked}; to use it anyway, name it with ${flag("journal")}`,
		});
	}
	// The permissions of a file that is no journal are left alone.
	if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === true) await refuseNonJournal(file, busyMs);
	makePrivate(file, notice);
}

/** Returns the journal in a database, with its tables migrated. Closes the database if that fails. */
async function journalIn(database: DatabaseSync, file: string, prepare?: () => Promise<void>): Promise<Journal> {
	try {
		database.exec("PRAGMA trusted_schema = OFF");
		await prepare?.();
		if (versionOf(database) !== schemaVersion) migrate(database);
		return withClearErrors(new JournalStore(database), { ...votesIn(database), ...ownersIn(database) }, file);
	} catch (error) {
		database.close();
		throw error;
	}
}

/** Puts the file into write-ahead mode. Two runs that create it at once can fail here at once, so this tries again. */
async function switchToLog(database: DatabaseSync, busyMs: number): Promise<void> {
	const end = performance.now() + busyMs;
	for (;;) {
		const leftMs = end - performance.now();
		database.exec(`PRAGMA busy_timeout = ${Math.max(1, Math.floor(leftMs))}`);
		try {
			database.exec("PRAGMA journal_mode = WAL");
			break;
		} catch (error) {
			if (leftMs <= 20 || !isBusy(error)) throw error;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}
	// Only claims and votes must survive a power cut: store.ts and votes.ts say so for each.
	database.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA synchronous = NORMAL`);
}

async function withOpenErrors<T>(file: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw new StorageError(`the journal ${file} cannot be opened: ${explainFileError(error)}`, {
			hint: hintFor(error),
			cause: error,
		});
	}
}

/** Returns the journal with errors that name its file, for example if the disk is full. */
function withClearErrors(store: JournalStore, more: VoteJournal & OwnerJournal, file: string): Journal {
	const explain = (error: unknown): never => {
		const message = `the journal ${file} cannot be used: ${reasonOf(error)}`;
		throw new StorageError(message, { hint: hintFor(error), cause: error });
	};
	const clear = (method: (...values: never[]) => unknown) => {
		return (...values: never[]): unknown => {
			try {
				const result = method(...values);
				return result instanceof Promise ? result.catch(explain) : result;
			} catch (error) {
				return explain(error);
			}
		};
	};
	const names = Object.getOwnPropertyNames(JournalStore.prototype).filter((name) => name !== "constructor");
	const ofStore = names.map((name) => [name, store[name as keyof JournalStore].bind(store)] as const);
	const methods = [...ofStore, ...Object.entries(more)].map(([name, method]) => [name, clear(method)]);
	return Object.fromEntries(methods) as unknown as Journal;
}
