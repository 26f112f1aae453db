/**
 * Which resource claims which object of an organization. Only one resource may manage an object: two that manage the same
 * tag would revert each other at every `up`, and deleting one would remove members that the other added.
 *
 * `check` makes the claims, so they hold for one command of the engine. Each Pulumi provider has its own process, so claims
 * are also files in a folder that all processes of one engine share. A command that checks no other resource
 * (`pulumi destroy --target`) learns from the last owners, in a folder beside the journal, that another one manages an object.
 */
import { createHash } from "node:crypto";
import {
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmdirSync,
	rmSync,
	writeFileSync,
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
	const keyOf = (organizationId: string, object: string): string => digestObject(url, organizationId, object);
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

/** A file name for an object of an organization of the service at `url`. */
function digestObject(url = "", organizationId: string, object: string): string {
	// Normalized: host in lower case, no default port, no slash at the end.
	const { origin, pathname } = URL.canParse(url) ? new URL(url) : { origin: url, pathname: "" };
	return digestText(`${origin}${pathname.replace(/\/+$/, "")} ${organizationId} ${object}`);
}

function digestText(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

const folderPrefix = "orgsync-claims-";

/** Claims as files. A file of a process that has ended is ignored. */
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
	const made = new Set<string>();
	const claim = (key: string, owner: Owner): Owner | undefined => {
		makeFolder(folder);
		const file = join(folder, key);
		if (!writeClaim(file, owner, linkSync)) {
			const known = readClaim(file);
			if (known !== undefined && !isSameOwner(known, owner)) return known;
			// A claim of a process that has ended, or of a preview that ends before this one.
			writeClaim(file, owner, renameSync);
		}
		made.add(key);
		return undefined;
	};
	return {
		claim(key, owner) {
			const attempt = () => orUndefined(() => ({ other: claim(key, owner) }));
			// Another process may have removed the folder as it ended: the second attempt creates it again.
			return (attempt() ?? attempt())?.other;
		},
		read: (key) => (isOurs(folder) ? readClaim(join(folder, key)) : undefined),
		close() {
			orUndefined(() => {
				for (const key of made) {
					if (readClaim(join(folder, key))?.pid === process.pid) rmSync(join(folder, key), { force: true });
				}
				rmdirSync(folder);
			});
		},
	};
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
		if (found !== undefined && found.mtimeMs < beforeMs) orUndefined(() => rmSync(folder, { recursive: true }));
	}
}

function isOurs(folder: string): boolean {
	const found = lstatSync(folder, { throwIfNoEntry: false });
	if (found?.isDirectory() !== true) return false;
	return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
}

/** Writes a claim atomically: `put` links it, which fails if the file exists, or renames it. Returns false if it exists. */
function writeClaim(file: string, owner: Owner, put: (from: string, to: string) => void): boolean {
	const temporary = `${file}.${process.pid}`;
	writeFileSync(temporary, JSON.stringify({ ...ownerOf(owner), pid: process.pid }), { mode: 0o600 });
	try {
		put(temporary, file);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		return false;
	} finally {
		rmSync(temporary, { force: true });
	}
}

/** The claim in a file, if its process is alive; otherwise undefined. */
function readClaim(file: string): (Owner & { readonly pid: number }) | undefined {
	return orUndefined(() => {
		const claim = JSON.parse(readFileSync(file, "utf8")) as Owner & { readonly pid: number };
		process.kill(claim.pid, 0);
		return { ...ownerOf(claim), pid: claim.pid };
	});
}

/** Which resource applied an object last. It is evidence only: it can keep members of a tag, and never causes a submit. */
interface LastOwner extends Owner {
	/** ISO 8601 in UTC. */
	readonly appliedAt: string;
}

export interface LastOwners {
	find(organizationId: string, object: string): LastOwner | undefined;
	record(organizationId: string, object: string, owner: LastOwner): void;
	/** Forgets the last owner if it is this resource. */
	forget(organizationId: string, object: string, owner: Owner): void;
}

/** The last owners beside a journal; none for a journal in memory. Ignores what cannot be written. */
export function openLastOwners(journalFile: string, url: string | undefined): LastOwners {
	if (journalFile === ":memory:") return { find: () => undefined, record: () => undefined, forget: () => undefined };
	const folder = `${journalFile}-resources`;
	const fileOf = (organizationId: string, object: string): string =>
		join(folder, `${digestObject(url, organizationId, object)}.json`);
	const find: LastOwners["find"] = (organizationId, object) =>
		orUndefined(() => {
			const last = JSON.parse(readFileSync(fileOf(organizationId, object), "utf8")) as LastOwner;
			return { ...ownerOf(last), appliedAt: new Date(last.appliedAt).toISOString() };
		});
	return {
		find,
		record(organizationId, object, owner) {
			const file = fileOf(organizationId, object);
			// On a read-only disk, the claims of each command still hold.
			orUndefined(() => {
				mkdirSync(folder, { recursive: true, mode: 0o700 });
				writeFileSync(`${file}.${process.pid}`, JSON.stringify(owner), { mode: 0o600 });
				renameSync(`${file}.${process.pid}`, file);
			});
		},
		forget(organizationId, object, owner) {
			const last = find(organizationId, object);
			if (last === undefined || !isSameOwner(last, owner)) return;
			orUndefined(() => rmSync(fileOf(organizationId, object), { force: true }));
		},
	};
}

function orUndefined<T>(work: () => T): T | undefined {
	try {
		return work();
	} catch {
		return undefined;
	}
}
