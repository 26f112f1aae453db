/**
 * Which resource claims which object of an organization. Only one resource may manage an object: two that manage the same
 * tag would revert each other at every `up`, and deleting one would remove members that the other added.
 *
 * `check` makes the claims, so they hold for one command of the engine. Each Pulumi provider has its own process, so claims
 * are also files in a folder that all processes of one engine share. A command that checks no other resource
 * (`pulumi destroy --target`) learns from the last owners, in the journal, that another one manages an object.
 */
import { createHash, randomUUID } from "node:crypto";
import {
	closeSync,
	fstatSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	rmdirSync,
	rmSync,
	writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A resource of a program: its name, and its URN where the class knows it. */
export interface Owner {
	readonly resource: string;
	readonly resourceUrn?: string;
}

export interface Claims {
	/** Claims the object for the owner. Returns the other resource if one has claimed it already. */
	claim(organizationId: string, object: string, owner: Owner): Owner | undefined;
	find(organizationId: string, object: string): Owner | undefined;
}

export function ownerOf({ resource, resourceUrn }: Owner): Owner {
	return { resource: String(resource), ...(resourceUrn === undefined ? {} : { resourceUrn: String(resourceUrn) }) };
}

export function isSameOwner(left: Owner, right: Owner): boolean {
	if (left.resourceUrn !== undefined && right.resourceUrn !== undefined) return left.resourceUrn === right.resourceUrn;
	return left.resource === right.resource;
}

/** The owners' names for a message: the URNs if the names are equal. */
export function nameOwners(left: Owner, right: Owner): readonly [string, string] {
	const byUrn = left.resource === right.resource;
	const nameOf = ({ resource, resourceUrn = resource }: Owner): string => (byUrn ? resourceUrn : resource);
	return [nameOf(left), nameOf(right)];
}

/**
 * The claims of this process on objects of one service and, if `folder` is given, of all processes that use the same
 * folder. Another service may have an organization of the same id.
 */
export function openClaims(folder: ClaimsFolder | undefined, url: string | undefined): Claims {
	const own = new Map<string, Owner>();
	const service = digestService(url);
	const keyOf = (organizationId: string, object: string): string => `${service} ${organizationId} ${object}`;
	const find = (organizationId: string, object: string): Owner | undefined =>
		own.get(keyOf(organizationId, object)) ?? folder?.read(keyOf(organizationId, object));
	return {
		find,
		claim(organizationId, object, owner) {
			const key = keyOf(organizationId, object);
			const known = own.get(key) ?? folder?.claim(key, owner);
			if (known !== undefined && !isSameOwner(known, owner)) return known;
			own.set(key, ownerOf(owner));
			return undefined;
		},
	};
}

/** The service at this address in claims and in the journal: the address may be a secret. */
export function digestService(url = ""): string {
	// Normalized: host in lower case, no default port, no slash at the end.
	const { origin, pathname } = URL.canParse(url) ? new URL(url) : { origin: url, pathname: "" };
	return digestText(`${origin}${pathname.replace(/\/+$/, "")}`);
}

function digestText(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

const folderPrefix = "orgsync-claims-";

/** Claims as files, one of each process, which adds a line for each claim. A file of a process that has ended is ignored. */
export interface ClaimsFolder {
	claim(key: string, owner: Owner): Owner | undefined;
	read(key: string): Owner | undefined;
	/** Removes the claims of this process, and the folder with the last of them. */
	close(): void;
}

/**
 * The folder of the engine with this address. If the folder belongs to another user or is not writable, claims hold within
 * each process only.
 */
export function openClaimsFolder(engineAddress: string, project: string): ClaimsFolder {
	const folder = join(tmpdir(), folderPrefix + digestText(`${engineAddress} ${project}`).slice(0, 32));
	const others = new OtherClaims(folder);
	const own = new OwnClaims(folder);
	const claim = (key: string, owner: Owner): Owner | undefined => {
		if (!own.isOpen) makeFolder(folder);
		const isOther = (known: Owner | undefined): known is Owner => known !== undefined && !isSameOwner(known, owner);
		const known = others.find(key, own.name);
		if (isOther(known)) return known;
		own.add(key, owner);
		// Another process may have claimed it since: at least one of the two finds the claim of the other.
		const later = others.find(key, own.name);
		if (!isOther(later)) return undefined;
		own.withdraw(key);
		return later;
	};
	return {
		claim(key, owner) {
			const attempt = () => orUndefined(() => ({ other: claim(key, owner) }));
			// Another process may have removed the folder as it ended: the second attempt creates it again.
			return (attempt() ?? attempt())?.other;
		},
		read: (key) => (isOurs(folder) ? orUndefined(() => others.find(key, undefined)) : undefined),
		close() {
			orUndefined(() => {
				own.close();
				rmdirSync(folder);
			});
		},
	};
}

/** A line of a file of claims: a claim of an object, or without an owner the end of it. */
interface ClaimLine {
	readonly key: string;
	readonly owner?: Owner;
}

/** The claims of this process. */
class OwnClaims {
	/** Beside the process's id, a name for each session of it. */
	readonly name = `${process.pid}.${randomUUID()}`;
	readonly #file: string;
	readonly #claims = new Map<string, Owner>();
	#descriptor: number | undefined;

	constructor(folder: string) {
		this.#file = join(folder, this.name);
	}

	/** Whether the file is there, and with it the folder of this user alone: no other process removes a folder that has a file. */
	get isOpen(): boolean {
		return this.#descriptor !== undefined && fstatSync(this.#descriptor).nlink > 0;
	}

	/** Adds a claim. Throws if it cannot be written. */
	add(key: string, owner: Owner): void {
		this.#claims.set(key, ownerOf(owner));
		if (this.isOpen) {
			this.#write({ key, owner: ownerOf(owner) });
			return;
		}
		// The file of an engine that made no claim for a day was removed.
		if (this.#descriptor !== undefined) closeSync(this.#descriptor);
		this.#descriptor = undefined;
		this.#descriptor = openSync(this.#file, "ax", 0o600);
		for (const [known, claimant] of this.#claims) this.#write({ key: known, owner: claimant });
	}

	withdraw(key: string): void {
		this.#claims.delete(key);
		this.#write({ key });
	}

	#write(line: ClaimLine): void {
		if (this.#descriptor !== undefined) writeSync(this.#descriptor, `${JSON.stringify(line)}\n`);
	}

	close(): void {
		if (this.#descriptor === undefined) return;
		closeSync(this.#descriptor);
		this.#descriptor = undefined;
		rmSync(this.#file, { force: true });
	}
}

/** The claims in the files of a folder. What a process added since the last time is read; an incomplete line is none. */
class OtherClaims {
	readonly #folder: string;
	readonly #files = new Map<string, { read: number; readonly claims: Map<string, Owner> }>();

	constructor(folder: string) {
		this.#folder = folder;
	}

	/** The claim of another process that is alive, or of a session of this one, except the one of this name. */
	find(key: string, except: string | undefined): Owner | undefined {
		for (const name of readdirSync(this.#folder)) {
			if (name === except) continue;
			const owner = this.#read(name).get(key);
			if (owner !== undefined && isAlive(Number(name.split(".")[0]))) return owner;
		}
		return undefined;
	}

	#read(name: string): ReadonlyMap<string, Owner> {
		const known = this.#files.get(name) ?? { read: 0, claims: new Map<string, Owner>() };
		this.#files.set(name, known);
		const file = join(this.#folder, name);
		// The process may have ended meanwhile.
		if ((lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) <= known.read) return known.claims;
		const content = orUndefined(() => readFileSync(file));
		if (content === undefined) return known.claims;
		const end = content.lastIndexOf("\n") + 1;
		for (const text of content.toString("utf8", known.read, Math.max(known.read, end)).split("\n")) {
			const line = orUndefined(() => JSON.parse(text) as ClaimLine);
			if (line?.owner !== undefined) known.claims.set(line.key, ownerOf(line.owner));
			else if (line !== undefined) known.claims.delete(line.key);
		}
		known.read = end;
		return known.claims;
	}
}

function isAlive(pid: number): boolean {
	return orUndefined(() => process.kill(pid, 0)) === true;
}

/** Creates the folder for this user alone. Throws if it belongs to another user or if others can read it. */
function makeFolder(folder: string): void {
	if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) removeOld();
	if (!isOurs(folder)) throw new Error(`${folder} is not a folder of this user alone`);
}

/** Removes folders of killed processes, a day after their last claim. */
function removeOld(): void {
	const beforeMs = Date.now() - 24 * 60 * 60 * 1000;
	for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(folderPrefix))) {
		const folder = join(tmpdir(), name);
		const found = isOurs(folder) ? lstatSync(folder, { throwIfNoEntry: false }) : undefined;
		const isOld = orUndefined(() => found !== undefined && lastClaimMs(folder) < beforeMs);
		if (isOld === true) orUndefined(() => rmSync(folder, { recursive: true }));
	}
}

/** When the folder, or a file in it, was changed last, in milliseconds since 1970. */
function lastClaimMs(folder: string): number {
	const files = readdirSync(folder).map((name) => join(folder, name));
	return Math.max(...[folder, ...files].map((file) => lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

function isOurs(folder: string): boolean {
	const found = lstatSync(folder, { throwIfNoEntry: false });
	if (found?.isDirectory() !== true) return false;
	return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
}

function orUndefined<T>(work: () => T): T | undefined {
	try {
		return work();
	} catch {
		return undefined;
	}
}
