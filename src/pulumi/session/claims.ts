/**
 * Which resource claims which object of an organization. Only one resource may manage an object: two that manage the same
 * tag would revert each other at every `up`, and deleting one would remove members that the other added.
 *
 * `check` makes the claims, so they hold for one command of the engine. Each Pulumi provider has its own process, so claims
 * are also lines of a file that all processes of one engine share (claims-file.ts): a preview writes no journal, and each
 * provider may have another one. A command that checks no other resource (`pulumi destroy --target`) learns from the last
 * owners, in the journal, that another one manages an object.
 */
import { createHash } from "node:crypto";
import { StorageError } from "../../common/errors.ts";
import type { Journal, JournalView } from "../../sync/journal/journal.ts";
import type { LastOwner, OwnedObject } from "../../sync/journal-owners.ts";

/** A resource of a program: its name, and its URN where the class knows it. */
export interface Owner {
	readonly resource: string;
	readonly resourceUrn?: string;
}

export interface Claims {
	/**
	 * Claims the object for the owner. Returns the other resource if one has claimed it already. `isKnown`: whether all inputs of the
	 * owner are known.
	 */
	claim(organizationId: string, object: string, owner: Owner, isKnown?: boolean): Owner | undefined;
	/** Makes the earlier claims of the resource irrelevant to `find`, since its replacement makes its own. */
	renew(owner: Owner): void;
	/**
	 * Returns who manages the object when this resource is deleted. A claim of the same resource counts if its replacement made it, with
	 * known inputs: for `--target-dependents`, the engine also checks the resources that it deletes, with unknown inputs.
	 */
	find(organizationId: string, object: string, deleted: Owner): Owner | undefined;
}

/** Claims that several processes share, each by a key of the object. */
export interface SharedClaims {
	/** Claims the object for the owner. Returns the other resource if one has claimed it already. */
	claim(key: string, owner: Owner): Owner | undefined;
	find(key: string): Owner | undefined;
}

export function ownerOf({ resource, resourceUrn }: Owner): Owner {
	return { resource: String(resource), ...(resourceUrn === undefined ? {} : { resourceUrn: String(resourceUrn) }) };
}

export function isSameOwner(left: Owner, right: Owner): boolean {
	if (left.resourceUrn !== undefined && right.resourceUrn !== undefined) return left.resourceUrn === right.resourceUrn;
	return left.resource === right.resource;
}

/** Says that two resources manage an object, by their names, or by their URNs if the names are equal. */
export function explainSecond(subject: string, other: Owner, own: Owner, advice: string): string {
	const byUrn = other.resource === own.resource;
	const nameOf = ({ resource, resourceUrn = resource }: Owner): string => (byUrn ? resourceUrn : resource);
	return `${subject} by two resources, \`${nameOf(other)}\` and \`${nameOf(own)}\`; ${advice}`;
}

/** The claims of this process, and of all that share them, on objects of one service: ids are unique to a service. */
export function openClaims(shared: SharedClaims | undefined, url: string | undefined): Claims {
	const own = new Map<string, { readonly owner: Owner; isKnown: boolean }>();
	const service = digestService(url);
	const keyOf = (organizationId: string, object: string): string => `${service} ${organizationId} ${object}`;
	return {
		find(organizationId, object, deleted) {
			const key = keyOf(organizationId, object);
			const claim = own.get(key);
			if (claim?.isKnown === false && isSameOwner(claim.owner, deleted)) return undefined;
			return claim?.owner ?? shared?.find(key);
		},
		renew(owner) {
			for (const claim of own.values()) if (isSameOwner(claim.owner, owner)) claim.isKnown = false;
		},
		claim(organizationId, object, owner, isKnown = true) {
			const key = keyOf(organizationId, object);
			const known = own.get(key)?.owner ?? shared?.claim(key, owner);
			if (known !== undefined && !isSameOwner(known, owner)) return known;
			own.set(key, { owner: ownerOf(owner), isKnown });
			return undefined;
		},
	};
}

/** The service at this address in claims and in the journal: the address may be a secret. */
function digestService(url = ""): string {
	// Normalized: host in lower case, no default port, no slash at the end.
	const { origin, pathname } = URL.canParse(url) ? new URL(url) : { origin: url, pathname: "" };
	return digestText(`${origin}${pathname.replace(/\/+$/, "")}`);
}

export function digestText(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

interface OwnersJournal {
	/** Resolves with undefined if there is none. */
	readonly read: () => Promise<JournalView | undefined>;
	readonly open: () => Promise<Journal>;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

export class LastOwners {
	readonly #service: string;
	readonly #journal: OwnersJournal;

	constructor(url: string | undefined, journal: OwnersJournal) {
		this.#service = digestService(url);
		this.#journal = journal;
	}

	async find(organizationId: string, object: string): Promise<LastOwner | undefined> {
		return (await this.#journal.read())?.lastOwner(this.#nameOf(organizationId, object));
	}

	async record(organizationId: string, object: string, owner: Owner): Promise<LastOwner> {
		const last = { ...ownerOf(owner), appliedAtMs: this.#journal.now() };
		await this.#write((journal) => journal.recordOwner(this.#nameOf(organizationId, object), last));
		return last;
	}

	async forget(organizationId: string, object: string, owner: Owner): Promise<void> {
		const last = await this.find(organizationId, object);
		if (last === undefined || !isSameOwner(last, owner)) return;
		await this.#write((journal) => journal.forgetOwner(this.#nameOf(organizationId, object)));
	}

	/** What cannot be written fails nothing: the claims of each command still hold. */
	async #write(write: (journal: Journal) => void): Promise<void> {
		try {
			write(await this.#journal.open());
		} catch (error) {
			if (!(error instanceof StorageError)) throw error;
		}
	}

	#nameOf(organizationId: string, object: string): OwnedObject {
		return { service: this.#service, organizationId, object };
	}
}
