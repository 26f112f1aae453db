/** Writes what must survive a power cut, such as bytes that are about to be sent: a crash alone loses no transaction. */
import { closeSync, fdatasync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { inTransaction } from "./schema.ts";

export class DiskWriter {
	readonly #database: DatabaseSync;
	/** The file of the write-ahead log; undefined until the first write, and for a database without a log. */
	#log: number | undefined;
	/** Why the log could not be put on disk. A power cut could then lose what follows in it too, so nothing more is written. */
	failure: unknown;

	constructor(database: DatabaseSync) {
		this.#database = database;
	}

	/** Resolves with the result of a transaction once that is on disk. SQLite would wait for the disk too, and nothing else could run. */
	async write<T>(work: () => T): Promise<T> {
		if (this.failure !== undefined) throw this.failure;
		if (this.#log === undefined) return this.#writeFirst(work);
		const written = inTransaction(this.#database, work);
		await promisify(fdatasync)(this.#log).catch((error: unknown) => {
			this.failure = error;
		});
		if (this.failure !== undefined) throw this.failure;
		return written;
	}

	/** SQLite puts the first one on disk, which also records that there is such a file. */
	#writeFirst<T>(work: () => T): T {
		try {
			this.#database.exec("PRAGMA synchronous = FULL");
			const written = inTransaction(this.#database, work);
			this.#log = openLog(this.#database);
			return written;
		} finally {
			if (this.#database.isOpen) this.#database.exec("PRAGMA synchronous = NORMAL");
		}
	}

	close(): void {
		this.failure ??= new Error("the journal is closed");
		if (this.#log !== undefined) closeSync(this.#log);
	}
}

/** Returns the file of the database's write-ahead log, opened; undefined where it has none, or where that cannot be opened. */
function openLog(database: DatabaseSync): number | undefined {
	const file = database.location();
	if (file === null || database.prepare("PRAGMA journal_mode").get()?.journal_mode !== "wal") return undefined;
	try {
		return openSync(`${file}-wal`, "r+");
	} catch {
		return undefined;
	}
}
