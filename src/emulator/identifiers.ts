/** Identifiers, times and fingerprints as the service writes them. Only the ids of new activities and votes are random. */
import { createHash, randomBytes } from "node:crypto";
import { fingerprintPrefix } from "../wire/operations.ts";

/** A point in time as docs/internals/service.md#times writes it. */
export interface Time {
	readonly seconds: string;
	readonly nanos: string;
}

/** Whether `value` is a UUID in lower case. */
export function isUuid(value: string): boolean {
	return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value);
}

function formatUuid(bytes: Buffer, version: number): string {
	bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
	bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
	const hex = bytes.toString("hex", 0, 16);
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A fresh UUIDv7 of `nowMs` and randomness (docs/internals/service.md#activity-object). */
export function makeUuid(nowMs: number): string {
	const bytes = randomBytes(16);
	bytes.writeUIntBE(Math.max(0, Math.trunc(nowMs)), 0, 6);
	return formatUuid(bytes, 7);
}

/** A UUID that depends on `parts` alone: the same on every run. */
export function deriveUuid(...parts: readonly string[]): string {
	return formatUuid(createHash("sha256").update(parts.join("\n")).digest(), 8);
}

/** `sha256:` and the lower-case hex SHA-256 of the exact body bytes (docs/internals/service.md#fingerprint-and-idempotency). */
export function fingerprintOf(rawBody: Buffer): string {
	return fingerprintPrefix + createHash("sha256").update(rawBody).digest("hex");
}

function fromNanos(nanos: bigint): Time {
	return { seconds: String(nanos / 1_000_000_000n), nanos: String(nanos % 1_000_000_000n) };
}

export function timeAt(nowMs: number): Time {
	return fromNanos(BigInt(Math.trunc(nowMs)) * 1_000_000n);
}

/** Returns `nowMs`, or one nanosecond after `previous` when that is later: a changed entity always gets a later time. */
export function laterTime(nowMs: number, previous: Time): Time {
	const now = BigInt(Math.trunc(nowMs)) * 1_000_000n;
	const floor = BigInt(previous.seconds) * 1_000_000_000n + BigInt(previous.nanos) + 1n;
	return fromNanos(now > floor ? now : floor);
}

/** Milliseconds since 1970 of a time that the emulator wrote. */
export function toMilliseconds(time: Time): number {
	return Number(time.seconds) * 1000 + Math.trunc(Number(time.nanos) / 1_000_000);
}
