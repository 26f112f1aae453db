/**
 * What is made once and kept for later runs: `.engine/` at the root of the project, which git ignores and `npm ci` leaves
 * alone. Each thing is a folder, named after its kind and everything that decides its content.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** Where to look, and where to build. The tests of these files give their own. */
export interface Places {
	/** Folders, as in the environment variable of that name. */
	readonly path: string;
	readonly home: string;
	/** Where Go is when it is not on the path. */
	readonly go: string;
	/** Where what was built is kept. */
	readonly store: string;
	/** Gets each line of progress. */
	say(line: string): void;
}

export const usualPlaces: Places = {
	path: process.env.PATH ?? "",
	home: homedir(),
	go: "/usr/local/go/bin",
	store: fileURLToPath(new URL("../../.engine", import.meta.url)),
	say: (line) => process.stderr.write(`engine: ${line}\n`),
};

/** A folder of the store: `KIND-HASH`, or `KINDVERSION-HASH`. */
export interface Kept {
	readonly kind: string;
	readonly version?: string;
	/** Everything that decides what is in the folder, beside the platform. */
	readonly from: readonly (string | Buffer)[];
	readonly resumes?: true;
}

/** The path that a kept folder has, made or not. */
export function keptFolder({ store }: Places, { kind, version = "", from }: Kept): string {
	const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
	for (const each of from) hash.update(each);
	return join(store, `${kind}${version}-${hash.digest("hex").slice(0, 12)}`);
}

/**
 * Returns the folder of that content; `make` fills it if it is not there. Many processes may ask at once: one makes it, the
 * others wait. The folder gets its name when `make` has ended, so it is never there in part. Older ones of its kind go. With
 * `resumes`, `make` gets what it had finished in the folder when it was interrupted.
 */
export async function keep(places: Places, kept: Kept, make: (folder: string) => Promise<void>): Promise<string> {
	const folder = keptFolder(places, kept);
	if (existsSync(folder)) return folder;
	mkdirSync(places.store, { recursive: true });
	await alone(places, async () => {
		if (existsSync(folder)) return;
		// The holder of the lock is the only one that makes anything, so an unfinished folder was interrupted.
		const old = new RegExp(`^(unfinished-)?${kept.kind}[\\d.]*-[0-9a-f]{12}$`);
		const unfinished = join(places.store, `unfinished-${basename(folder)}`);
		const resumed = kept.resumes === true ? basename(unfinished) : undefined;
		for (const name of readdirSync(places.store)) {
			if (old.test(name) && name !== resumed) rmSync(join(places.store, name), { recursive: true, force: true });
		}
		mkdirSync(unfinished, { recursive: true });
		await make(unfinished);
		renameSync(unfinished, folder);
	});
	return folder;
}

/** Holds the lock of the store while it works. The lock is the operating system's, so it ends with a process that dies. */
async function alone({ store, say }: Places, work: () => Promise<void>): Promise<void> {
	const database = new DatabaseSync(join(store, "lock.sqlite"), { timeout: 0 });
	try {
		for (let attempt = 0; !tryLock(database); attempt += 1) {
			if (attempt % 30 === 0) say("another process is building; waiting for that");
			await sleep(500);
		}
		await work();
	} finally {
		database.close();
	}
}

function tryLock(database: DatabaseSync): boolean {
	try {
		database.exec("BEGIN EXCLUSIVE");
		return true;
	} catch (error) {
		// 5 is SQLITE_BUSY.
		if ((error as { errcode?: number }).errcode === 5) return false;
		throw error;
	}
}
