/**
 * The journal's file: opened to write by `apply`, to look by everything else, and refused where somebody else could have
 * written it.
 */
import { copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { StorageError } from "../errors.ts";
import { makePrivate, sidecars } from "../private-file.ts";
import { findTracked } from "./git-index.ts";
import type { Journal, JournalView } from "./journal.ts";
import { JournalStore, migrate, schemaVersion, versionOf } from "./journal-store.ts";
import { importSqlite } from "./sqlite.ts";

export interface JournalFileOptions {
	/** Whether the operator named the file: then it may be one that git tracks. */
	readonly isNamed?: boolean;
	/** Gets a line when the file's permissions were changed, or could not be. */
	readonly notice?: (text: string) => void;
}

/**
 * The journal in this file, for writing; made when it is missing, readable and writable by its owner alone. `":memory:"`
 * keeps nothing. Throws StorageError when the file cannot be opened or written, is no journal, was written by a newer
 * orgsync, belongs to another user, can be written by everyone, or is tracked by git.
 */
export function openJournal(file: string, options: JournalFileOptions = {}): Promise<Journal> {
	return withReason(file, async () => {
		if (file === ":memory:") return open(":memory:", file);
		keepOutOfGit(dirname(file));
		await checkPlace(file, options);
		return open(file, file);
	});
}

/**
 * What the journal in this file says; undefined when there is no file. The file is not changed, so that it may lie where
 * nothing can be written. Throws StorageError as openJournal does.
 */
export function readJournal(file: string, options: JournalFileOptions = {}): Promise<JournalView | undefined> {
	return withReason(file, async () => {
		if (!existsSync(file)) return undefined;
		await checkPlace(file, options);
		const { DatabaseSync } = await importSqlite();
		try {
			const database = new DatabaseSync(file, { readOnly: true });
			if (versionOf(database) === schemaVersion) return withClearErrors(new JournalStore(database), file);
			database.close();
		} catch (error) {
			if (!isUnwritable(error)) throw error;
		}
		return openCopy(file);
	});
}

/** A copy, brought to the present version: the file itself is of an earlier one, or SQLite needs to write beside it. */
async function openCopy(file: string): Promise<JournalView> {
	const folder = mkdtempSync(join(tmpdir(), "orgsync-journal-"));
	const remove = (): void => rmSync(folder, { recursive: true, force: true });
	try {
		const copy = join(folder, basename(file));
		copyFileSync(file, copy);
		if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
		const journal = await open(copy, file);
		return {
			...journal,
			close: () => {
				journal.close();
				remove();
			},
		};
	} catch (error) {
		remove();
		throw error;
	}
}

/** Makes orgsync's own folder, with a `.gitignore` in it: a journal is of one machine, not for version control. */
function keepOutOfGit(folder: string): void {
	if (basename(folder) !== ".orgsync" || existsSync(folder)) return;
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	writeFileSync(join(folder, ".gitignore"), "*\n");
}

/** Throws StorageError where somebody else could have written the file; makes it private, and creates it when missing. */
async function checkPlace(file: string, { isNamed = false, notice = () => {} }: JournalFileOptions): Promise<void> {
	const tracked = isNamed ? undefined : [file, ...sidecars.map((suffix) => file + suffix)].find(findTracked);
	if (tracked !== undefined) {
		throw new StorageError(`${tracked} is tracked by git, so that whoever can commit can write it`, {
			hint: `take it out of version control: git rm --cached ${tracked}; to use it all the same, name it with --journal`,
		});
	}
	// The permissions of a file that is no database are none of our business.
	if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === true) await refuseOther(file);
	makePrivate(file, notice);
}

/** Throws what SQLite throws for a file that is no database. As immutable, it is read without making files beside it. */
async function refuseOther(file: string): Promise<void> {
	const { DatabaseSync } = await importSqlite();
	const address = pathToFileURL(file);
	address.searchParams.set("immutable", "1");
	const database = new DatabaseSync(address, { readOnly: true });
	try {
		versionOf(database);
	} finally {
		database.close();
	}
}

async function open(path: string, file: string): Promise<Journal> {
	const { DatabaseSync } = await importSqlite();
	const database = new DatabaseSync(path);
	try {
		database.exec("PRAGMA busy_timeout = 10000; PRAGMA trusted_schema = OFF");
		await switchToLog(database);
		if (versionOf(database) !== schemaVersion) migrate(database);
		return withClearErrors(new JournalStore(database), file);
	} catch (error) {
		database.close();
		throw error;
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

/** SQLite's codes for a file, or a folder around it, that cannot be written (sqlite.org, "Result and Error Codes"). */
const unwritableCodes = [8, 14];

function isUnwritable(error: unknown): boolean {
	const { errcode } = error as { errcode?: unknown };
	return typeof errcode === "number" && unwritableCodes.includes(errcode & 0xff);
}

async function withReason<T>(file: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		const hint = error instanceof StorageError ? error.hint : undefined;
		throw new StorageError(`the journal ${file} cannot be opened: ${reason}`, {
			hint: hint ?? "--journal FILE names another one; without its journal orgsync does not know what it sent before",
			cause: error,
		});
	}
}

/** The same journal; what it throws, for example when the disk is full, says which file it is about. */
function withClearErrors(store: JournalStore, file: string): Journal {
	const explain = (error: unknown): StorageError => {
		const reason = error instanceof Error ? error.message : String(error);
		const hint = error instanceof StorageError && error.hint !== undefined ? { hint: error.hint } : {};
		return new StorageError(`the journal ${file} cannot be used: ${reason}`, { ...hint, cause: error });
	};
	const clear = <A extends readonly unknown[], R>(use: (...values: A) => R): ((...values: A) => R) => {
		return (...values) => {
			try {
				const result = use(...values);
				if (!(result instanceof Promise)) return result;
				return result.catch((error: unknown) => {
					throw explain(error);
				}) as R;
			} catch (error) {
				throw explain(error);
			}
		};
	};
	return {
		claim: (wish, choose) => clear(() => store.claim(wish, choose))(),
		sending: clear((...values: Parameters<Journal["sending"]>) => store.sending(...values)),
		settled: clear((...values: Parameters<Journal["settled"]>) => store.settled(...values)),
		neverArrived: clear((...values: Parameters<Journal["neverArrived"]>) => store.neverArrived(...values)),
		entry: clear((fingerprint: string) => store.entry(fingerprint)),
		open: clear((organizationId: string) => store.open(organizationId)),
		completedFor: clear((...values: Parameters<Journal["completedFor"]>) => store.completedFor(...values)),
		rejected: clear((organizationId: string) => store.rejected(organizationId)),
		abandon: clear((...values: Parameters<Journal["abandon"]>) => store.abandon(...values)),
		abandoned: clear((organizationId: string) => store.abandoned(organizationId)),
		remember: clear((...values: Parameters<Journal["remember"]>) => store.remember(...values)),
		memory: clear((organizationId: string) => store.memory(organizationId)),
		position: clear(() => store.position()),
		close: clear(() => store.close()),
	};
}
