/** Splits a fleet among runners by the id alone, so that a new organization moves no other from a runner's journal. */
import { createHash } from "node:crypto";

/** One share of several; `index` counts from 1. */
export interface Shard {
	readonly index: number;
	readonly count: number;
}

const maxShards = 10_000;

/** The share that `I/N` writes, or undefined when it writes none. */
export function parseShard(text: string): Shard | undefined {
	const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(text)?.map(Number) ?? [];
	if (index === undefined || count === undefined || index < 1 || index > count || count > maxShards) return undefined;
	return { index, count };
}

/** Whether the organization belongs to this share; of all shares of a count, exactly one is its own. */
export function isInShard(organizationId: string, { index, count }: Shard): boolean {
	const hash = createHash("sha256").update(organizationId.toLowerCase(), "utf8").digest();
	return (hash.readUInt32BE(0) % count) + 1 === index;
}
