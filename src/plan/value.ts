/** Equality, order and digests of plain values. A digest is ours; a fingerprint is the service's, of a body. */
import { createHash } from "node:crypto";
import fastDeepEqual from "fast-deep-equal";
import { ConfigurationError } from "../common/errors.ts";
import { maxJsonDepth, tooDeepMessage } from "../common/json.ts";

/** Whether two values are the same data, whatever the order of their members. */
export function sameValue(left: unknown, right: unknown): boolean {
	return fastDeepEqual(left, right);
}

/** JSON with sorted members: equal values give equal text. Throws ConfigurationError when nested too deep (json.ts). */
export function canonicalJson(value: unknown): string {
	return JSON.stringify(sortMembers(value, 1));
}

function sortMembers(value: unknown, depth: number): unknown {
	if (typeof value !== "object" || value === null) return value;
	if (depth > maxJsonDepth) throw new ConfigurationError(`a value is ${tooDeepMessage}`);
	if (Array.isArray(value)) return value.map((item) => sortMembers(item, depth + 1));
	const names = Object.keys(value).sort(compareText);
	return Object.fromEntries(names.map((name) => [name, sortMembers(value[name as keyof typeof value], depth + 1)]));
}

/** `sha256:` and the hex SHA-256 of the value's canonical JSON. */
export function digestOf(value: unknown): string {
	return `sha256:${createHash("sha256").update(canonicalJson(value), "utf8").digest("hex")}`;
}

/** Order by UTF-16 code units: the same on every machine, whatever its locale. */
export function compareText(left: string, right: string): number {
	return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns every text in a value, at any depth. */
export function textsIn(value: unknown, found: string[] = []): readonly string[] {
	if (typeof value === "string") found.push(value);
	else if (typeof value === "object" && value !== null) for (const one of Object.values(value)) textsIn(one, found);
	return found;
}
