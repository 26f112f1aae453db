/**
 * A large fleet split among runners that know nothing of each other: each takes its share of the organizations. Which
 * share an organization falls into depends on its id and on nothing else, so that one more or less in the documents moves
 * no other, and a runner that keeps its journal finds there what it did before.
 */
import { createHash } from "node:crypto";

/** One share of several; `index` counts from 1. */
export interface Shard {
	readonly index: number;
	readonly count: number;
}

/** The most shares that are told apart. */
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
