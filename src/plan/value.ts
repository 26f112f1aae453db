/** Equality, order and digests of plain values. A digest is ours; a fingerprint is the service's, of a body. */
import { createHash } from "node:crypto";
import fastDeepEqual from "fast-deep-equal";
import { ConfigurationError } from "../common/errors.ts";
import { isValueTooDeep, tooDeepMessage } from "../common/json.ts";

/** Whether two values are the same data, whatever the order of their members. */
export function sameValue(left: unknown, right: unknown): boolean {
	return fastDeepEqual(left, right);
}

/** JSON with sorted members: equal values give equal text. Throws ConfigurationError when nested too deep (json.ts). */
export function canonicalJson(value: unknown): string {
	if (isValueTooDeep(value)) throw new ConfigurationError(`a value is ${tooDeepMessage}`);
	return JSON.stringify(value, (_key, item: unknown) =>
		item !== null && typeof item === "object" && !Array.isArray(item)
			? Object.fromEntries(Object.entries(item).sort(([left], [right]) => compareText(left, right)))
			: item,
	);
}

/** `sha256:` and the hex SHA-256 of the value's canonical JSON. */
export function digestOf(value: unknown): string {
	return `sha256:${createHash("sha256").update(canonicalJson(value), "utf8").digest("hex")}`;
}

/** Order by UTF-16 code units: the same on every machine, whatever its locale. */
export function compareText(left: string, right: string): number {
	return left < right ? -1 : left > right ? 1 : 0;
}
