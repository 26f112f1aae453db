/** Which resource applied each object last. Evidence only: it decides whose an object is, never what is submitted. */
import type { DatabaseSync } from "node:sqlite";
import { isTime, refuseRow, shownName } from "./journal/distrust.ts";

/** An object of an organization. Another service may have an organization of the same id. */
export interface OwnedObject {
	/** A digest of the service's address. */
	readonly service: string;
	readonly organizationId: string;
	/** For example `userTag/ID`. */
	readonly object: string;
}

export interface LastOwner {
	readonly resource: string;
	readonly resourceUrn?: string;
	/** Milliseconds since 1970. */
	readonly appliedAtMs: number;
}

export type OwnerJournal = ReturnType<typeof ownersIn>;

/** Returns the owners in a database whose tables are of this version. */
export function ownersIn(database: DatabaseSync) {
	const isObject = "service = ? AND organization_id = ? AND object = ?";
	const valuesOf = ({ service, organizationId, object }: OwnedObject) => [service, organizationId, object] as const;
	const upsert = database.prepare(
		`INSERT INTO owners (service, organization_id, object, resource, resource_urn, applied_at_ms) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE
			SET resource = excluded.resource, resource_urn = excluded.resource_urn, applied_at_ms = excluded.applied_at_ms`,
	);
	return {
		/** Returns the resource that applied the object last; undefined if none is known. Throws StorageError for a time that is none. */
		lastOwner(object: OwnedObject): LastOwner | undefined {
			const row = database.prepare(`SELECT * FROM owners WHERE ${isObject}`).get(...valuesOf(object));
			return row === undefined ? undefined : toLastOwner(row);
		},
		recordOwner(object: OwnedObject, { resource, resourceUrn, appliedAtMs }: LastOwner): void {
			upsert.run(...valuesOf(object), resource, resourceUrn ?? null, appliedAtMs);
		},
		forgetOwner(object: OwnedObject): void {
			database.prepare(`DELETE FROM owners WHERE ${isObject}`).run(...valuesOf(object));
		},
	};
}

function toLastOwner(row: Readonly<Record<string, unknown>>): LastOwner {
	const appliedAtMs = Number(row.applied_at_ms);
	if (!isTime(appliedAtMs)) refuseRow(`which resource applied ${shownName(String(row.object))} last cannot be read`);
	const resourceUrn = row.resource_urn === null ? {} : { resourceUrn: String(row.resource_urn) };
	return { resource: String(row.resource), ...resourceUrn, appliedAtMs };
}
