/** Many operations of one client against a service with a rate, on a clock that takes no time. */
import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/wire/answer.ts";
import { queries } from "../../src/wire/operations.ts";
import { type AttemptEvent, type RequestContext, sendRequest } from "../../src/wire/request.ts";
import { RequestQueue } from "../../src/wire/request-queue.ts";
import { makeVirtualClock } from "./virtual-clock.ts";

interface Service {
	readonly perSecond: number;
	readonly burst: number;
	readonly latencyMs: number;
	/** Of its 429s; `Retry-After` is added when it is the empty string here. */
	readonly headers: Readonly<Record<string, string>>;
}

/** What a run of `count` queries at once comes to. */
async function run(count: number, service: Service, concurrency = 8, timeoutMs = 30_000) {
	const { now, sleep, run: runClock } = makeVirtualClock();
	let [tokens, filledMs, turnedAway, inFlight, most] = [service.burst, 0, 0, 0, 0];
	let seed = 1;
	const events: AttemptEvent[] = [];
	const answer = (httpStatus: number, text: string, headers: Record<string, string>): Answer => ({
		kind: "answer",
		httpStatus,
		headers: { "content-type": "application/json", ...headers },
		text,
	});
	const counts = { queries: 0, submits: 0, retries: 0 };
	const context: RequestContext = {
		url: "https://api.example.com",
		proxy: undefined,
		stamper: { stamp: async () => ({ stampHeaderName: "X-Stamp", stampHeaderValue: "stamp" }) },
		queue: new RequestQueue({ concurrency, intervalMs: 0, timeoutMs, now, sleep }),
		timeoutMs,
		attemptTimeoutMs: 10_000,
		onAttempt: (event) => void events.push(event),
		sleep,
		random: () => {
			seed = (seed * 1103515245 + 12345) % 2 ** 31;
			return seed / 2 ** 31;
		},
		now,
		count: (what) => {
			counts[what] += 1;
		},
		async send() {
			inFlight += 1;
			most = Math.max(most, inFlight);
			await sleep(service.latencyMs / 2);
			tokens = Math.min(service.burst, tokens + ((now() - filledMs) / 1000) * service.perSecond);
			filledMs = now();
			const admissions = tokens >= 1;
			const seconds = String(Math.max(1, Math.ceil((1 - tokens) / service.perSecond)));
			if (admissions) tokens -= 1;
			else turnedAway += 1;
			await sleep(service.latencyMs / 2);
			inFlight -= 1;
			if (admissions) return answer(200, '{"userTags":[]}', {});
			const headers =
				"retry-after" in service.headers ? { ...service.headers, "retry-after": seconds } : service.headers;
			return answer(429, '{"code":8,"message":"slow down"}', headers);
		},
	};
	let endMs = 0;
	const outcomes = Promise.all(
		Array.from({ length: count }, async () => {
			const outcome = await sendRequest(context, queries.list_user_tags, "organization", "{}");
			endMs = now();
			return outcome;
		}),
	);
	await runClock();
	const kinds = (await outcomes).map(({ answer }) => answer.kind);
	const answered = kinds.filter((kind) => kind === "valid").length;
	return { answered, turnedAway, most, endMs, events, counts, throttledMs: context.queue.throttledMs() };
}

const silent = {};
const exhausted = { "ratelimit-remaining": "0" };
const retryAfter = { "ratelimit-remaining": "0", "retry-after": "" };

describe("an unknown rate limit of the service", () => {
	it.each([
		["1 a second, 12 queries", 12, 1, 1, 40],
		["1 a second, 40 queries", 40, 1, 1, 40],
		["1 a second, 40 queries, answered at once", 40, 1, 1, 4],
		["3 a second, 40 queries", 40, 3, 3, 40],
		["10 a second, 200 queries", 200, 10, 10, 40],
		["10 a second, 200 queries, answered at once", 200, 10, 10, 4],
		["60 a second, 200 queries", 200, 60, 60, 40],
		["60 a second, 200 queries, answered slowly", 200, 60, 60, 400],
	])("%s: all requests are answered, in little more than the least time, with few 429", async (_case, count, perSecond, burst, latencyMs) => {
		for (const headers of [silent, exhausted, retryAfter]) {
			const { answered, turnedAway, endMs, most, counts } = await run(count, { perSecond, burst, latencyMs, headers });
			expect(answered).toBe(count);
			const leastMs = ((count - burst) / perSecond) * 1000 + (latencyMs * count) / 8;
			expect(endMs).toBeLessThan(leastMs * 1.4 + 3000);
			expect(turnedAway).toBeLessThan(count / 4 + 24);
			expect(most).toBeLessThanOrEqual(8);
			expect(counts).toEqual({ queries: count, submits: 0, retries: turnedAway });
		}
	});
});

describe("a service that answers 429 only,", () => {
	it.each([
		["says nothing", silent],
		["says that nothing remains", exhausted],
		["says when to come back", retryAfter],
	])("and %s, ends every request soon after the timeout, however many there are", async (_case, headers) => {
		for (const count of [1, 10, 300]) {
			const service = { perSecond: 1e-9, burst: 0, latencyMs: 40, headers };
			const { answered, endMs, turnedAway, counts, events } = await run(count, service);
			expect(answered).toBe(0);
			expect(endMs).toBeLessThan(65_000);
			expect(turnedAway).toBeLessThan(count + 100);
			expect(counts.queries + counts.retries).toBe(turnedAway);
			expect(events.every(({ reason }) => reason?.includes("--max-rps"))).toBe(true);
		}
	});
});

describe("the throttled time", () => {
	it("counts waits at the same time once", async () => {
		const service = { perSecond: 1, burst: 1, latencyMs: 40, headers: exhausted };
		const { throttledMs, endMs } = await run(20, service);
		expect(throttledMs).toBeLessThanOrEqual(endMs);
		expect(throttledMs).toBeGreaterThan(endMs / 2);
	});

	it("is 0 without limits", async () => {
		const service = { perSecond: 1e6, burst: 1e6, latencyMs: 40, headers: silent };
		expect(await run(100, service)).toMatchObject({ answered: 100, throttledMs: 0, most: 8, turnedAway: 0 });
	});
});
