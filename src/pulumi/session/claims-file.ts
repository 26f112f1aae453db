/**
 * Claims that the processes of one engine share: a file in the temporary folder, to which each process adds a line for each
 * claim. Lines are only added, so all processes see the claims of an object in one order: of two that claim it at the same
 * time, the later one finds the earlier one. Those of a process that has ended do not count.
 */
import { randomUUID } from "node:crypto";
import {
	closeSync,
	constants,
	existsSync,
	fstatSync,
	lstatSync,
	openSync,
	readdirSync,
	readFileSync,
	readSync,
	rmSync,
	type Stats,
	writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestText, isSameOwner, type Owner, ownerOf, type SharedClaims } from "./claims.ts";

/** A line of the file: a claim of a session. Without an owner, that claim ends; without a key, all of the session do. */
interface ClaimLine {
	/** The id of the process, and a name for each session of it. */
	readonly by: string;
	readonly key?: string;
	readonly owner?: Owner;
}

const prefix = "orgsync-claims-";

/** The claims of one session. Where the file belongs to another user or cannot be used, there are none. */
export class ClaimsFile implements SharedClaims {
	readonly #path: string;
	readonly #by = `${process.pid}.${randomUUID()}`;
	readonly #own = new Map<string, Owner>();
	/** By key and session, in the order of the file. */
	readonly #claims = new Map<string, Map<string, Owner>>();
	#descriptor: number | undefined;
	/** How many bytes of the file were read. */
	#read = 0;

	/** The file of the engine with this address, for the programs of this folder. */
	constructor(engineAddress: string, project: string) {
		this.#path = join(tmpdir(), prefix + digestText(`${engineAddress} ${project}`).slice(0, 32));
	}

	/** Claims the object for the owner. Returns the other resource if one has claimed it already. */
	claim(key: string, owner: Owner): Owner | undefined {
		const known = this.#own.get(key);
		if (known !== undefined && !isSameOwner(known, owner)) return known;
		this.#own.set(key, ownerOf(owner));
		const other = orUndefined(() => this.#share(key, ownerOf(owner)));
		if (other !== undefined) this.#own.delete(key);
		return other;
	}

	#share(key: string, owner: Owner): Owner | undefined {
		const descriptor = this.#open(constants.O_CREAT);
		const line = { by: this.#by, key, owner };
		const shared = this.#update(descriptor, line, write(descriptor, line)) ? descriptor : this.#claimAgain();
		const other = this.#others(key).find((one) => !isSameOwner(one, owner));
		if (other !== undefined) write(shared, { by: this.#by, key });
		return other;
	}

	/** Who claimed the object first. */
	find(key: string): Owner | undefined {
		const other = orUndefined(() => {
			this.#update(this.#open());
			return this.#others(key)[0];
		});
		return other ?? this.#own.get(key);
	}

	/** Ends the claims of this session, and removes the file if no other session has one. */
	close(): void {
		orUndefined(() => {
			if (this.#descriptor === undefined) return;
			if (!this.#end()) {
				// The session that removed the file may have written these claims into another.
				this.#close();
				if (!this.#end()) return;
			}
			if (this.#living().length > 0) return;
			rmSync(this.#path);
			// Another session may have claimed just before the file was gone, and would not know.
			this.#update(this.#open());
			const late = this.#living();
			this.#close();
			for (const line of late) write(this.#open(constants.O_CREAT), line);
		});
		this.#close();
	}

	/** Returns false if the file was removed. */
	#end(): boolean {
		const descriptor = this.#open();
		write(descriptor, { by: this.#by });
		return this.#update(descriptor);
	}

	/** The claims of sessions whose processes are alive. */
	#living(): readonly ClaimLine[] {
		const all = [...this.#claims].flatMap(([key, claims]) => [...claims].map(([by, owner]) => ({ by, key, owner })));
		return all.filter(({ by }) => isAlive(by));
	}

	/** Claims all again: another process removed the file as it ended. */
	#claimAgain(): number {
		this.#close();
		const descriptor = this.#open(constants.O_CREAT);
		for (const [key, owner] of this.#own) write(descriptor, { by: this.#by, key, owner });
		this.#update(descriptor);
		return descriptor;
	}

	/** The claims before that of this session, of processes that are alive. */
	#others(key: string): readonly Owner[] {
		const sessions = [...(this.#claims.get(key) ?? [])];
		const own = sessions.findIndex(([by]) => by === this.#by);
		const earlier = own === -1 ? sessions : sessions.slice(0, own);
		return earlier.filter(([by]) => isAlive(by)).map(([, owner]) => owner);
	}

	/** Throws if there is no file, which `O_CREAT` creates, or if it is not a file of this user alone. */
	#open(create = 0): number {
		if (this.#descriptor !== undefined) return this.#descriptor;
		if (create !== 0 && !existsSync(this.#path)) removeOld();
		// Windows has no such flag.
		const noLink = constants.O_NOFOLLOW ?? 0;
		const descriptor = openSync(this.#path, constants.O_RDWR | constants.O_APPEND | noLink | create, 0o600);
		this.#descriptor = descriptor;
		if (isOurs(fstatSync(descriptor))) return descriptor;
		this.#close();
		throw new Error(`${this.#path} is not a file of this user alone`);
	}

	#close(): void {
		if (this.#descriptor !== undefined) closeSync(this.#descriptor);
		this.#descriptor = undefined;
		this.#claims.clear();
		this.#read = 0;
	}

	/**
	 * Reads what was added since the last time; nothing where that is only our own line, of so many bytes. Returns false if the file
	 * was removed.
	 */
	#update(descriptor: number, own?: ClaimLine, ownLength = 0): boolean {
		const { size, nlink } = fstatSync(descriptor);
		if (own !== undefined && size === this.#read + ownLength) {
			this.#add(own);
			this.#read = size;
			return nlink > 0;
		}
		const added = Buffer.alloc(Math.max(0, size - this.#read));
		const length = readSync(descriptor, added, 0, added.length, this.#read);
		const end = added.lastIndexOf("\n", length - 1) + 1;
		for (const text of added.toString("utf8", 0, end).split("\n")) {
			// An incomplete line is none.
			const line = orUndefined(() => JSON.parse(text) as ClaimLine);
			if (line !== undefined) this.#add(line);
		}
		this.#read += end;
		return nlink > 0;
	}

	#add({ by, key, owner }: ClaimLine): void {
		if (key === undefined) for (const claims of this.#claims.values()) claims.delete(by);
		else if (owner === undefined) this.#claims.get(key)?.delete(by);
		else {
			const claims = this.#claims.get(key) ?? new Map<string, Owner>();
			this.#claims.set(key, claims.set(by, ownerOf(owner)));
		}
	}
}

/** Returns how many bytes the line has. */
function write(descriptor: number, line: ClaimLine): number {
	return writeSync(descriptor, `${JSON.stringify(line)}\n`);
}

function isAlive(by: string): boolean {
	return orUndefined(() => process.kill(Number.parseInt(by, 10), 0)) === true;
}

/** Removes files whose processes are all killed; those without a line a day later, because a process may be about to write one. */
function removeOld(): void {
	const beforeMs = Date.now() - 24 * 60 * 60 * 1000;
	for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(prefix))) {
		const path = join(tmpdir(), name);
		const found = lstatSync(path, { throwIfNoEntry: false });
		if (found === undefined || !isOurs(found)) continue;
		orUndefined(() => {
			const processes = readFileSync(path, "utf8").match(/(?<=^{"by":")\d+/gm) ?? [];
			const isLeft = processes.length === 0 ? found.mtimeMs < beforeMs : !processes.some(isAlive);
			if (isLeft) rmSync(path);
		});
	}
}

function isOurs(found: Stats): boolean {
	if (!found.isFile()) return false;
	return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
}

function orUndefined<T>(work: () => T): T | undefined {
	try {
		return work();
	} catch {
		return undefined;
	}
}
