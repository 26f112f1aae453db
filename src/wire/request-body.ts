/** Encodes a request as its exact bytes with their fingerprint, once: other bytes are another activity. */
import { createHash } from "node:crypto";
import { approvals, fingerprintPrefix, type Operation, type SubmitOperation, writes } from "./operations.ts";

/** The request of one submit, ready to be stamped and sent. `bytes` is UTF-8 text and is not made again. */
export interface RequestBody {
	readonly operation: SubmitOperation;
	readonly organizationId: string;
	readonly timestampMs: number;
	readonly bytes: string;
	readonly fingerprint: string;
}

/** Returns `sha256:` and the lower-case hex SHA-256 of the UTF-8 bytes (docs/internals/service.md#fingerprint-and-idempotency). */
export function fingerprintOf(bytes: string): string {
	return fingerprintPrefix + createHash("sha256").update(bytes, "utf8").digest("hex");
}

/**
 * Returns the body of a submit: the envelope (docs/internals/service.md#activity-envelope) without blanks, members in the order of the
 * table, so that the same operation, organization, parameters and time always give the same bytes. Throws TypeError for
 * parameters that the operation does not have; absent ones are left out. `timestampMs` is in whole milliseconds since 1970.
 */
export function encodeSubmit(
	operation: SubmitOperation,
	organizationId: string,
	parameters: Readonly<Record<string, unknown>>,
	timestampMs: number,
): RequestBody {
	const bytes = JSON.stringify({
		type: operation.type,
		timestampMs: String(timestampMs),
		organizationId,
		parameters: inOrder(operation, parameters),
	});
	return { operation, organizationId, timestampMs, bytes, fingerprint: fingerprintOf(bytes) };
}

/** Returns the body of a query: its fields as a flat object, in the order of the table (docs/internals/service.md#queries). No timestamp. */
export function encodeQuery(
	operation: Exclude<Operation, SubmitOperation>,
	fields: Readonly<Record<string, unknown>>,
): string {
	return JSON.stringify(inOrder(operation, fields));
}

function inOrder({ name: operation, fields }: Operation, values: Readonly<Record<string, unknown>>): object {
	const unknown = Object.keys(values).find((name) => !fields.includes(name));
	if (unknown !== undefined) throw new TypeError(`${operation} has no field ${unknown}`);
	return Object.fromEntries(fields.map((name) => [name, values[name]]));
}

/** Returns the request that these bytes are; undefined for bytes that `encodeSubmit` does not make. */
export function decodeSubmit(bytes: string): RequestBody | undefined {
	return decodeRequest(bytes, Object.values(writes));
}

/** Returns the vote that these bytes are; undefined as for `decodeSubmit`. */
export function decodeVote(bytes: string): RequestBody | undefined {
	return decodeRequest(bytes, Object.values(approvals));
}

function decodeRequest(bytes: string, operations: readonly SubmitOperation[]): RequestBody | undefined {
	try {
		const { type, organizationId, timestampMs, parameters } = JSON.parse(bytes) as Readonly<Record<string, unknown>>;
		const operation = operations.find((one) => one.type === type);
		if (operation === undefined || typeof organizationId !== "string") return undefined;
		const body = encodeSubmit(operation, organizationId, parameters as Record<string, unknown>, Number(timestampMs));
		return body.bytes === bytes ? body : undefined;
	} catch {
		return undefined;
	}
}

export function parametersOf({ bytes }: Pick<RequestBody, "bytes">): Readonly<Record<string, unknown>> {
	return (JSON.parse(bytes) as { parameters: Readonly<Record<string, unknown>> }).parameters;
}
