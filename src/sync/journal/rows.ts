/** Reads rows of the journal's file, which is not trusted: a row that contradicts itself is an error that names it. */

import { defined } from "../../common/defined.ts";
import { isRecord, isTexts } from "../../common/json.ts";
import { removalKindNames } from "../../plan/kinds/names.ts";
import { emptyLastApplied, type LastApplied } from "../../plan/organization.ts";
import type { WriteName } from "../../wire/operations.ts";
import { decodeSubmit, parametersOf, type RequestBody } from "../../wire/request-body.ts";
import { isTime, refuseRow, shownName } from "./distrust.ts";
import {
	type AppliedObject,
	finality,
	type JournalEntry,
	type RecordedOutcome,
	type RunRecord,
	requestDigestOf,
} from "./journal.ts";
import { isRunId } from "./run-id.ts";

/** A row of the table `sent`. */
export interface SentRow {
	readonly fingerprint: string;
	readonly organization_id: string;
	readonly operation: string;
	readonly bytes: string;
	readonly timestamp_ms: number;
	readonly request_digest: string;
	readonly covers: string;
	readonly plans: string;
	readonly sent_at_ms: number;
	readonly outcome: string | null;
	readonly activity_id: string | null;
	readonly settled_at_ms: number | null;
	readonly settled_position: number | null;
}

/** A row of the table `applied`. */
export interface AppliedRow {
	readonly kind: string;
	readonly id: string;
	readonly value: string;
}

/** A row of the table `runs`. */
export interface RunRow {
	readonly id: string;
	readonly started_at_ms: number;
	readonly service: string;
	readonly reads: string;
	readonly selection: string;
	readonly size: number;
}

/** Returns the entry of a row. Throws StorageError if the bytes are not the request that the row describes. */
export function toEntry(row: SentRow): JournalEntry {
	const body = decodeSubmit(row.bytes);
	if (body === undefined) return refuse(row, "its bytes are no request of orgsync");
	const mistake = findMistake(row, body);
	if (mistake !== undefined) return refuse(row, mistake);
	return {
		body,
		requestDigest: row.request_digest,
		covers: readTexts(row.covers) ?? refuse(row, "its addresses cannot be read"),
		planDigests: readDigests(row.plans) ?? refuse(row, "the saved plans that it was sent for cannot be read"),
		sentAtMs: row.sent_at_ms,
		activityId: row.activity_id,
		...(row.outcome === null
			? { outcome: "in-flight" }
			: {
					outcome: row.outcome as RecordedOutcome,
					settledAtMs: row.settled_at_ms ?? row.sent_at_ms,
					// Version 1 of the tables had no positions.
					settledPosition: row.settled_position ?? 0,
				}),
	};
}

function findMistake(row: SentRow, body: RequestBody): string | undefined {
	const operation = body.operation.name as WriteName;
	if (body.fingerprint !== row.fingerprint) return `its bytes have the fingerprint ${body.fingerprint}`;
	if (operation !== row.operation) return `its bytes are another operation, ${operation}`;
	if (body.organizationId !== row.organization_id) return `its bytes are for the organization ${body.organizationId}`;
	if (body.timestampMs !== row.timestamp_ms) return "its bytes have another timestamp";
	if (requestDigestOf(body.organizationId, operation, parametersOf(body)) !== row.request_digest)
		return "its bytes ask for something else";
	const isKnown = row.outcome === null || Object.hasOwn(finality, row.outcome);
	if (!isKnown) return "its outcome is none that orgsync knows";
	return isTime(row.sent_at_ms) && isTime(row.settled_at_ms ?? 0) ? undefined : "its times are none that a clock shows";
}

/** Returns the run of a row. Throws StorageError for a row that orgsync did not write. */
export function toRun({ id, started_at_ms: startedAtMs, service, reads, selection, size }: RunRow): RunRecord {
	const only = readTexts(selection);
	if (only !== undefined && isRunId(id) && isTime(startedAtMs)) return { id, startedAtMs, service, reads, only, size };
	return refuseRow("a run in the journal cannot be read");
}

/** Returns the position in the one row of its table. Throws StorageError if that is missing. */
export function toPosition(row: Readonly<Record<string, unknown>> | undefined): number {
	if (typeof row?.value === "number") return row.value;
	return refuseRow("the position of the journal is missing");
}

function refuse({ fingerprint }: SentRow, because: string): never {
	return refuseRow(`the entry ${shownName(fingerprint)} does not agree with itself: ${because}`);
}

/** Returns the last-applied state with these rows. Throws StorageError for a row that orgsync did not write. */
export function toLastApplied(rows: readonly AppliedRow[], known = emptyLastApplied): LastApplied {
	const refuseObject = ({ kind, id }: AppliedRow): never =>
		refuseRow(`what was last applied to ${shownName(`${kind} ${id}`)} cannot be read`);
	const objects = rows.map((row) => toAppliedObject(row) ?? refuseObject(row));
	return withApplied(known, objects);
}

/** Returns the last-applied state with these objects, in place of what it has of them. */
export function withApplied(known: LastApplied, objects: readonly AppliedObject[]): LastApplied {
	if (objects.length === 0) return known;
	const { userTags, removed, policies } = known;
	const ofKind = (kind: string) => objects.filter((object) => object.kind === kind).map(({ id, value }) => [id, value]);
	const kinds = removalKindNames.filter((kind) => objects.some((object) => object.kind === kind));
	const removals = kinds.map((kind) => [kind, { ...removed[kind], ...Object.fromEntries(ofKind(kind)) }]);
	const written = { ...policies, ...Object.fromEntries(ofKind("policyText")) };
	return {
		userTags: { ...userTags, ...Object.fromEntries(ofKind("userTag")) },
		removed: { ...removed, ...Object.fromEntries(removals) },
		...(Object.keys(written).length === 0 ? {} : { policies: written }),
	};
}

function toAppliedObject({ kind, id, value: text }: AppliedRow): AppliedObject | undefined {
	const value = parse(text);
	if (!isRecord(value) || typeof value.appliedAt !== "string") return undefined;
	const { appliedAt, name, present, gone, updatedAt, completedAtMs } = value;
	if (kind === "policyText") return typeof name === "string" ? { kind, id, value: { appliedAt, name } } : undefined;
	const removalKind = removalKindNames.find((name) => name === kind);
	if (removalKind !== undefined) return { kind: removalKind, id, value: { appliedAt } };
	if (kind !== "userTag" || typeof name !== "string" || typeof updatedAt !== "string") return undefined;
	if (!isTexts(present) || !isTexts(gone)) return undefined;
	if (completedAtMs !== undefined && typeof completedAtMs !== "number") return undefined;
	return { kind, id, value: { appliedAt, name, present, gone, updatedAt, ...defined({ completedAtMs }) } };
}

function readTexts(text: string): readonly string[] | undefined {
	const value = parse(text);
	return isTexts(value) ? value : undefined;
}

/** Returns digests of saved plans, each once; undefined for anything else. */
function readDigests(text: string): readonly string[] | undefined {
	const digests = readTexts(text);
	const isSound = digests?.every((digest) => /^sha256:[0-9a-f]{64}$/.test(digest)) === true;
	return isSound && new Set(digests).size === digests.length ? digests : undefined;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
