/** The rate limit, for tests of clients: a token bucket. A request without a token is answered 429. */
import { ratelimitHeaders } from "../assumptions.ts";

export interface RateLimit {
	/** How many tokens the bucket gains each second; above 0, and possibly below 1. */
	readonly requestsPerSecond: number;
	/** How many tokens the bucket holds, and starts with: so many requests may come at once. 1 when left out. */
	readonly burst?: number;
	/** Whether a 429 says with `Retry-After` when the next token comes; false when left out. */
	readonly retryAfter?: boolean;
	/** One bucket for the whole server (the default), or one for each organization. */
	readonly per?: "server" | "organization";
}

interface Bucket {
	readonly tokens: number;
	readonly atMs: number;
}

/** Returns the bucket at `nowMs`. A clock that was set back neither takes tokens nor gives any. */
function refill(bucket: Bucket, limit: RateLimit, nowMs: number): Bucket {
	const gained = (Math.max(0, nowMs - bucket.atMs) / 1000) * limit.requestsPerSecond;
	return { tokens: Math.min(limit.burst ?? 1, bucket.tokens + gained), atMs: nowMs };
}

export type RateLimitBuckets = ReturnType<typeof makeRateLimitBuckets>;

export function makeRateLimitBuckets() {
	let current: RateLimit | undefined;
	const buckets = new Map<string, Bucket>();
	return {
		set(limit: RateLimit | undefined): void {
			current = limit;
			buckets.clear();
		},
		get: (): RateLimit | undefined => current,
		/** Takes a token for a request. Returns the headers of the 429 when there is none. `organizationId` null: the body names none. */
		take(organizationId: string | null, nowMs: number): Readonly<Record<string, string>> | undefined {
			if (current === undefined) return undefined;
			const name = current.per === "organization" ? (organizationId ?? "") : "";
			const bucket = refill(buckets.get(name) ?? { tokens: current.burst ?? 1, atMs: nowMs }, current, nowMs);
			// A token that is whole but for the rounding of fractions is whole.
			const passes = bucket.tokens >= 1 - 1e-9;
			buckets.set(name, passes ? { ...bucket, tokens: bucket.tokens - 1 } : bucket);
			if (passes) return undefined;
			const waitMs = ((1 - bucket.tokens) / current.requestsPerSecond) * 1000;
			return ratelimitHeaders(current.requestsPerSecond, current.retryAfter === true ? waitMs : undefined);
		},
	};
}
