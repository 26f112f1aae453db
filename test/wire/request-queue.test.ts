/** The request queue, on a virtual clock. */
import { describe, expect, it } from "vitest";
import { type InconclusiveAnswer, inconclusive } from "../../src/wire/answer.ts";
import type { AttemptResult, RateLimits } from "../../src/wire/rate-limiter.ts";
import { type Admission, RequestQueue } from "../../src/wire/request-queue.ts";
import { makeVirtualClock } from "./virtual-clock.ts";

const throttled = (pauseMs?: number): AttemptResult => ({ kind: "throttled", pauseMs });
const answered: AttemptResult = { kind: "answered", healthy: true };

describe("the request queue", () => {
	const tooMany: InconclusiveAnswer = inconclusive({
		message: "too many requests",
		retry: "yes",
		httpStatus: 429,
		throttled: true,
	});
	const clock = (limits: Partial<RateLimits> = {}, timeoutMs = 30_000) => {
		const { now, sleep, run } = makeVirtualClock();
		const queue = new RequestQueue({ concurrency: 8, intervalMs: 0, ...limits, timeoutMs, now, sleep });
		return { queue, now, sleep, run };
	};
	/** What comes of each admission, in the order of coming out. */
	function enterAll(queue: RequestQueue, count: number, now: () => number) {
		const admissions: (Admission & { readonly who: number; readonly atMs: number })[] = [];
		for (let who = 0; who < count; who += 1) {
			void queue.waitForSlot(now()).then((admission) => admissions.push({ ...admission, who, atMs: now() }));
		}
		return admissions;
	}

	it("admits in the order of arrival, and no more than are allowed", async () => {
		const { queue, run, now } = clock({ concurrency: 2 });
		const admissions = enterAll(queue, 5, now);
		await run();
		expect(admissions.map(({ who }) => who)).toEqual([0, 1]);
		queue.release(2, answered);
		await run();
		expect(admissions.map(({ who }) => who)).toEqual([0, 1, 2]);
		// Waiting for a place that was never more is not what limits cost.
		expect(queue.throttledMs()).toBe(0);
	});

	it("spaces attempts evenly, the first at once, and counts waits at the same time once", async () => {
		const { queue, run, now } = clock({ intervalMs: 250 });
		const admissions = enterAll(queue, 5, now);
		await run();
		expect(admissions.map(({ atMs }) => atMs)).toEqual([0, 250, 500, 750, 1000]);
		expect(queue.throttledMs()).toBe(1000);
	});

	it("admits nothing in a pause, nor in its extension", async () => {
		const { queue, run, now } = clock();
		const admissions = enterAll(queue, 2, now);
		await run();
		queue.release(1, throttled(1000), tooMany);
		const later = enterAll(queue, 1, now);
		await run(500);
		expect(queue.pauseMs()).toBe(500);
		queue.release(2, throttled(2000), tooMany);
		await run();
		expect(admissions).toHaveLength(2);
		expect(later.map(({ atMs }) => atMs)).toEqual([2500]);
		expect(queue.throttledMs()).toBe(2500);
		expect(queue.currentRate()).toMatchObject({ maxInFlight: 4, intervalMs: 0 });
	});

	it("does not count a pause in which nothing waits", async () => {
		const { queue, run, now } = clock();
		enterAll(queue, 1, now);
		await run();
		queue.release(1, throttled(5000), tooMany);
		await run(4000);
		expect(queue.throttledMs()).toBe(0);
		enterAll(queue, 1, now);
		await run();
		expect(queue.throttledMs()).toBe(1000);
	});

	it("times all waiters out at once when the pause is longer than the timeout", async () => {
		const { queue, run, now } = clock({ concurrency: 1 });
		const admissions = enterAll(queue, 3, now);
		await run(0);
		queue.release(1, throttled(60_000), tooMany);
		await run(0);
		expect(admissions.slice(1)).toMatchObject([
			{ kind: "timed-out", who: 1, atMs: 0 },
			{ kind: "timed-out", who: 2, atMs: 0 },
		]);
		const [, second] = admissions;
		expect(second?.kind === "timed-out" && second.answer.message).toBe(
			"too many requests; the service asks for a pause of 60 s, longer than the timeout",
		);
		// The pause is over for who comes then.
		await run(60_000);
		const later = enterAll(queue, 1, now);
		await run();
		expect(later).toMatchObject([{ kind: "admitted", atMs: 60_000 }]);
	});

	it("times out what comes in such a pause, though another answer came after the 429", async () => {
		const { queue, run, now } = clock({ concurrency: 2 });
		enterAll(queue, 2, now);
		await run(0);
		queue.release(1, throttled(60_000), tooMany);
		queue.release(2, answered);
		const later = enterAll(queue, 1, now);
		await run(0);
		expect(later).toMatchObject([{ kind: "timed-out", atMs: 0 }]);
	});

	it("times out what waited while all answers were 429, and admits what comes later", async () => {
		const { queue, run, now } = clock({ concurrency: 1 }, 5000);
		const admissions = enterAll(queue, 100, now);
		for (let left = 0; admissions.length < 100; left = admissions.length) {
			await run(now() + 100);
			for (const admission of admissions.slice(left)) {
				if (admission.kind === "admitted") queue.release(admission.number, throttled(1000), tooMany);
			}
		}
		const timeout = admissions.filter(({ kind }) => kind === "timed-out");
		expect(timeout.length).toBeGreaterThan(90);
		for (const { atMs } of timeout) expect(atMs).toBe(timeout[0]?.atMs);
		expect(timeout[0]?.atMs).toBeGreaterThanOrEqual(5000);
		expect(timeout[0]?.atMs).toBeLessThan(10_000);
		expect(queue.currentRate().maxInFlight).toBe(1);
		await run(now() + 10_000);
		const later = enterAll(queue, 1, now);
		await run();
		expect(later).toMatchObject([{ kind: "admitted" }]);
	});

	it("admits everything at once when the client closes", async () => {
		const { queue, run, now } = clock({ concurrency: 1, intervalMs: 60_000 });
		const admissions = enterAll(queue, 3, now);
		await run(0);
		queue.admitAll();
		await run(0);
		expect(admissions.map(({ kind, atMs }) => [kind, atMs])).toEqual([
			["admitted", 0],
			["admitted", 0],
			["admitted", 0],
		]);
	});

	it("accepts a timer that fires before the clock reaches its time", async () => {
		let slept = 0;
		const queue = new RequestQueue({
			concurrency: 8,
			intervalMs: 1000,
			timeoutMs: 1,
			now: () => 0,
			sleep: async () => {
				slept += 1;
			},
		});
		const admissions = enterAll(queue, 3, () => 0);
		await new Promise((resolve) => setImmediate(resolve));
		expect([admissions.length, slept]).toEqual([3, 2]);
	});
});
