/**
 * Turning requests away at the door, for tests of clients under pressure: a bucket of tokens that fills at an even rate,
 * and every request takes one or is answered 429 (docs/service.md#errors).
 */
import { ratelimitHeaders } from "./assumptions.ts";

/** An order to allow only so many requests. */
export interface RateLimit {
	/** How many tokens come into the bucket each second; above 0, and less than 1 is possible. */
	readonly requestsPerSecond: number;
	/** How many tokens the bucket holds, and begins with: so many requests may come at once. 1 when left out. */
	readonly burst?: number;
	/** Whether a 429 says with `Retry-After` when the next token comes; false when left out. */
	readonly retryAfter?: boolean;
	/** Whose bucket it is: one for the whole server, which is meant when left out, or one for each organization that is there. */
	readonly per?: "server" | "organization";
}

/** The limit that is in force, and its buckets. */
export interface RateLimitBuckets {
	/** Puts a limit in force, with full buckets; undefined lifts it. */
	set(limit: RateLimit | undefined): void;
	get(): RateLimit | undefined;
	/**
	 * The headers of the 429 that a request gets, or undefined when it may pass; then it has taken a token. Nothing is
	 * taken by a request that is turned away. `organizationId` is null when the body named none.
	 */
	take(organizationId: string | null, nowMs: number): Readonly<Record<string, string>> | undefined;
}

interface Bucket {
	readonly tokens: number;
	readonly atMs: number;
}

/** The bucket as it is at `nowMs`. A clock that was set back takes no tokens away and gives none. */
function refill(bucket: Bucket, limit: RateLimit, nowMs: number): Bucket {
	const gained = (Math.max(0, nowMs - bucket.atMs) / 1000) * limit.requestsPerSecond;
	return { tokens: Math.min(limit.burst ?? 1, bucket.tokens + gained), atMs: nowMs };
}

/** No limit. */
export function makeRateLimitBuckets(): RateLimitBuckets {
	let inForce: RateLimit | undefined;
	const buckets = new Map<string, Bucket>();
	return {
		set(limit) {
			inForce = limit;
			buckets.clear();
		},
		get: () => inForce,
		take(organizationId, nowMs) {
			if (inForce === undefined) return undefined;
			const name = inForce.per === "organization" ? (organizationId ?? "") : "";
			const bucket = refill(buckets.get(name) ?? { tokens: inForce.burst ?? 1, atMs: nowMs }, inForce, nowMs);
			// A token that is whole but for the rounding of fractions is whole.
			const passes = bucket.tokens >= 1 - 1e-9;
			buckets.set(name, passes ? { ...bucket, tokens: bucket.tokens - 1 } : bucket);
			if (passes) return undefined;
			const waitMs = ((1 - bucket.tokens) / inForce.requestsPerSecond) * 1000;
			return ratelimitHeaders(inForce.requestsPerSecond, inForce.retryAfter === true ? waitMs : undefined);
		},
	};
}
