/**
 * Which resource claims which object of an organization. One object has one resource: two that manage the same tag would
 * undo each other's work at every `up`, and deleting one of them would take away what the other one gave.
 *
 * A claim is made by `check`, so it holds for one command of the engine. Each Pulumi provider has a process of its own, so
 * claims are also files in a folder that all processes of one engine share.
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

/** A resource of a program: its name, and its URN where the name alone is ambiguous. */
export interface Owner {
	readonly resource: string;
	/** Left out by versions of this package that did not know it. */
	readonly resourceUrn?: string;
}

export interface Claims {
	/** The other resource that claims the object, or undefined: then the owner claims it from now on. */
	claim(organizationId: string, object: string, owner: Owner): Owner | undefined;
	/** The resource that claims the object, or undefined. */
	find(organizationId: string, object: string): Owner | undefined;
}

/** The owner alone, of a value that holds more. */
export function ownerOf({ resource, resourceUrn }: Owner): Owner {
	return { resource: String(resource), ...(resourceUrn === undefined ? {} : { resourceUrn: String(resourceUrn) }) };
}

/** Whether two owners are the same resource. */
export function isSameOwner(left: Owner, right: Owner): boolean {
	if (left.resourceUrn !== undefined && right.resourceUrn !== undefined) return left.resourceUrn === right.resourceUrn;
	return left.resource === right.resource;
}

/** The owners as a message names them: by name, or by URN where the names are equal. */
export function nameOwners(left: Owner, right: Owner): readonly [string, string] {
	const byUrn = left.resource === right.resource;
	const nameOf = ({ resource, resourceUrn }: Owner): string =>
		byUrn && resourceUrn !== undefined ? resourceUrn : resource;
	return [nameOf(left), nameOf(right)];
}

/**
 * The claims of this process on objects of one service and, if `folder` is given, of all processes that use the same
 * folder. Another service may have an organization of the same id.
 */
export function claimsIn(folder: ClaimsFolder | undefined, url: string | undefined): Claims {
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

/** A name for an object of an organization of the service at `url`, fit for a file. */
export function digestObject(url: string | undefined, organizationId: string, object: string): string {
	return createHash("sha256")
		.update(`${serviceOf(url)} ${organizationId} ${object}`)
		.digest("hex");
}

/** The address without what means nothing: the case of the host, the usual port, a slash at the end. */
function serviceOf(url: string | undefined): string {
	if (url === undefined || !URL.canParse(url)) return url ?? "";
	const { origin, pathname } = new URL(url);
	return origin + pathname.replace(/\/+$/, "");
}

const folderPrefix = "orgsync-claims-";

/** Claims as files. A file of a process that has ended counts for nothing. */
export interface ClaimsFolder {
	/** The other owner of the claim, or undefined: then it belongs to `owner` from now on. */
	claim(key: string, owner: Owner): Owner | undefined;
	read(key: string): Owner | undefined;
	/** Removes the claims of this process, and the folder with the last of them. */
	close(): void;
}

/**
 * The folder of one engine, which is known by its address. If it cannot be used (it belongs to another user, or nothing
 * can be written), claims hold within each process only.
 */
export function openClaimsFolder(engineAddress: string, project: string): ClaimsFolder {
	const name = createHash("sha256").update(`${engineAddress} ${project}`).digest("hex").slice(0, 32);
	const folder = join(tmpdir(), folderPrefix + name);
	const made = new Set<string>();
	const claim = (key: string, owner: Owner): Owner | undefined => {
		makeFolder(folder);
		const file = join(folder, key);
		if (!writeClaim(file, owner, linkSync)) {
			const known = readClaim(file);
			if (known !== undefined && !isSameOwner(known, owner)) return known;
			// Of a process that has ended, or will end before this one: of a preview, for example.
			writeClaim(file, owner, renameSync);
		}
		made.add(key);
		return undefined;
	};
	return {
		claim(key, owner) {
			const attempt = () => orUndefined(() => ({ other: claim(key, owner) }));
			// A process that ends may remove the folder just then: the second attempt makes it again.
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

/** Makes the folder for this user alone. Throws if it is there and belongs to another user, or can be read by others. */
function makeFolder(folder: string): void {
	if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) removeOld();
	if (!isOurs(folder)) throw new Error(`${folder} is not a folder of this user alone`);
}

/** Removes the folders that killed processes have left, a day after their last claim. */
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

/**
 * Writes a claim whole or not at all: `put` links it into place, which fails where a file is, or renames it over one.
 * Returns false where a file is.
 */
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

/** The claim in a file, if the process that wrote it is alive. */
function readClaim(file: string): (Owner & { readonly pid: number }) | undefined {
	try {
		const claim = JSON.parse(readFileSync(file, "utf8")) as Owner & { readonly pid: number };
		process.kill(claim.pid, 0);
		return { ...ownerOf(claim), pid: claim.pid };
	} catch {
		return undefined;
	}
}

/** What `work` gives; undefined when the file system refuses it. */
function orUndefined<T>(work: () => T): T | undefined {
	try {
		return work();
	} catch {
		return undefined;
	}
}
