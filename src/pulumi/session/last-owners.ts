/** Which resource applied an object last, in the journal. Evidence only: it can keep members of a tag, never cause a submit. */
import { StorageError } from "../../common/errors.ts";
import type { Journal, JournalView } from "../../sync/journal/journal.ts";
import type { LastOwner, OwnedObject } from "../../sync/journal-owners.ts";
import { digestService, isSameOwner, type Owner, ownerOf } from "./claims.ts";

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

	record(organizationId: string, object: string, owner: Owner): Promise<void> {
		const last = { ...ownerOf(owner), appliedAtMs: this.#journal.now() };
		return this.#write((journal) => journal.recordOwner(this.#nameOf(organizationId, object), last));
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
