/**
 * Which resource applied an object last, beside the journal. Claims hold for one command of the engine; a command that
 * checks no other resource (`pulumi destroy --target`, `pulumi up --target`) learns here who has taken over an object.
 *
 * Evidence only: it can keep members where they are, and never cause a submit.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestObject, isSameOwner, type Owner, ownerOf } from "./claims.ts";

/** The resource that applied an object last. */
interface Holder extends Owner {
	/** ISO 8601 in UTC. */
	readonly appliedAt: string;
}

export interface Holders {
	/** The resource that applied the object last, or undefined. */
	find(organizationId: string, object: string): Holder | undefined;
	hold(organizationId: string, object: string, holder: Holder): void;
	/** Forgets the holder if it is this resource. */
	release(organizationId: string, object: string, owner: Owner): void;
}

/** The holders that are kept beside a journal; none for a journal in memory. What cannot be written is left out. */
export function holdersBeside(journalFile: string, url: string | undefined): Holders {
	if (journalFile === ":memory:") return { find: () => undefined, hold: () => undefined, release: () => undefined };
	const folder = `${journalFile}-resources`;
	const fileOf = (organizationId: string, object: string): string =>
		join(folder, `${digestObject(url, organizationId, object)}.json`);
	const find = (organizationId: string, object: string): Holder | undefined => {
		try {
			const holder = JSON.parse(readFileSync(fileOf(organizationId, object), "utf8")) as Holder;
			return { ...ownerOf(holder), appliedAt: new Date(holder.appliedAt).toISOString() };
		} catch {
			return undefined;
		}
	};
	return {
		find,
		hold(organizationId, object, holder) {
			const file = fileOf(organizationId, object);
			try {
				mkdirSync(folder, { recursive: true, mode: 0o700 });
				writeFileSync(`${file}.${process.pid}`, JSON.stringify(holder), { mode: 0o600 });
				renameSync(`${file}.${process.pid}`, file);
			} catch {
				// A read-only disk: the claims of each command still hold.
			}
		},
		release(organizationId, object, owner) {
			const holder = find(organizationId, object);
			if (holder === undefined || !isSameOwner(holder, owner)) return;
			try {
				rmSync(fileOf(organizationId, object), { force: true });
			} catch {
				// As above.
			}
		},
	};
}
