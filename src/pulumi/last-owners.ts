/**
 * Which resource applied an object last, in a folder beside the journal. Claims hold for one command of the engine. A
 * command that checks no other resource (`pulumi destroy --target`) learns here that another resource manages an object.
 *
 * It is only evidence: it can keep members of a tag, and never causes a submit.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestObject, isSameOwner, type Owner, orUndefined, ownerOf } from "./claims.ts";

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
