/** The rate limiter, by table and for any course of events. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	type AttemptResult,
	endAttempt,
	findDelay,
	findQueueTimeout,
	intervalsMs,
	makeRateLimiter,
	maxPauseMs,
	type RateLimiter,
	type RateLimits,
	startAttempt,
	successesToSpeedUp,
} from "../../src/wire/rate-limiter.ts";

const throttled = (pauseMs?: number): AttemptResult => ({ kind: "throttled", pauseMs });
const answered: AttemptResult = { kind: "answered", healthy: true };
const unwell: AttemptResult = { kind: "answered", healthy: false };
const noAnswer: AttemptResult = { kind: "no-answer" };

/** The state after attempts one by one, each with its result, one millisecond apart. */
function limiterAfter(limits: RateLimits, results: readonly AttemptResult[]): RateLimiter {
	return results.reduce((limiter, result, index) => {
		const started = startAttempt(limiter, index);
		return endAttempt(started, started.started, result, index);
	}, makeRateLimiter(limits));
}

const many = (result: AttemptResult, count: number) => Array.from({ length: count }, () => result);
const eight: RateLimits = { concurrency: 8, intervalMs: 0 };

describe("the concurrency", () => {
	const grown = (times: number) => many(answered, times * successesToSpeedUp);
	it.each<[string, number, readonly AttemptResult[], number]>([
		["starts at the limit", 8, [], 8],
		["is halved by a 429", 8, [throttled()], 4],
		["is halved by each further one", 8, many(throttled(), 2), 2],
		["is rounded down", 5, [throttled()], 2],
		["is never less than one", 8, many(throttled(), 9), 1],
		["stays one when it was one", 1, [throttled()], 1],
		["does not grow before a run of answers", 8, [throttled(), ...many(answered, successesToSpeedUp - 1)], 4],
		["grows by one after a run of answers", 8, [throttled(), ...grown(1)], 5],
		["grows by one after each further run", 8, [throttled(), ...grown(2)], 6],
		["never exceeds the limit", 8, [throttled(), ...grown(40)], 8],
		[
			"does not grow when a 429 breaks the run",
			8,
			[throttled(), ...many(answered, 9), throttled(), ...many(answered, 9)],
			2,
		],
		[
			"does not grow when a 5xx breaks the run",
			8,
			[throttled(), ...many(answered, 9), unwell, ...many(answered, 9)],
			4,
		],
		["ignores attempts without an answer", 8, [throttled(), ...many(answered, 9), noAnswer, answered], 5],
		["does not shrink for a 5xx", 8, many(unwell, 5), 8],
		["does not shrink for an attempt without an answer", 8, many(noAnswer, 5), 8],
	])("%s", (_fact, concurrency, results, allowed) => {
		expect(limiterAfter({ concurrency, intervalMs: 0 }, results).maxInFlight).toBe(allowed);
	});

	it.each<[string, RateLimits, readonly AttemptResult[], number, number]>([
		["starts when one at a time is still too fast", eight, many(throttled(), 4), 1, intervalsMs.min],
		["grows by half with each further 429", eight, many(throttled(), 6), 1, 45],
		["is never longer than the longest", eight, many(throttled(), 30), 1, intervalsMs.max],
		["is shorter by a quarter after a run of answers", eight, [...many(throttled(), 6), ...grown(1)], 1, 33.75],
		["ends when it is very short, before more are allowed", eight, [...many(throttled(), 6), ...grown(3)], 1, 0],
		["is followed by more at once", eight, [...many(throttled(), 6), ...grown(4)], 2, 0],
		["grows from the user's own", { concurrency: 1, intervalMs: 1000 }, [throttled()], 1, 1500],
		["is never shorter than the user's own", { concurrency: 1, intervalMs: 1000 }, [throttled(), ...grown(9)], 1, 1000],
		[
			"stays the user's own when that is longer than the longest",
			{ concurrency: 1, intervalMs: 9e4 },
			[throttled()],
			1,
			9e4,
		],
	])("reaches an interval that %s", (_fact, limits, results, allowed, gapMs) => {
		expect(limiterAfter(limits, results)).toMatchObject({ maxInFlight: allowed, intervalMs: gapMs });
	});

	it.each([
		[[], intervalsMs.min],
		[[9900], 100],
		[[1, 9500, 9600, 9700], 1000],
		[[9500, 9600, 9700, 9800], 125],
		[[1, 2, ...Array.from({ length: 10 }, (_, index) => 9000 + index * 100)], 100],
	])("reaches a first interval, after answers at %j ms and a 429 at 10,000 ms, of %d ms", (times, gapMs) => {
		let limiter = makeRateLimiter({ concurrency: 1, intervalMs: 0 });
		for (const atMs of times) limiter = endAttempt(startAttempt(limiter, atMs), limiter.started + 1, answered, atMs);
		limiter = endAttempt(startAttempt(limiter, 9990), limiter.started + 1, throttled(), 10_000);
		expect(limiter).toMatchObject({ maxInFlight: 1, intervalMs: gapMs });
		expect(findDelay(startAttempt(limiter, 20_000), 20_000)).toEqual({ waitMs: gapMs, isThrottled: true });
	});

	it("is halved once by many 429 to attempts that were in flight together", () => {
		let limiter = makeRateLimiter(eight);
		for (let number = 1; number <= 8; number += 1) limiter = startAttempt(limiter, 0);
		for (let number = 1; number <= 8; number += 1) limiter = endAttempt(limiter, number, throttled(), number);
		expect(limiter).toMatchObject({ maxInFlight: 4, inFlight: 0 });
		limiter = startAttempt(limiter, 9);
		expect(endAttempt(limiter, 9, throttled(), 10).maxInFlight).toBe(2);
	});
});

describe("the next attempt", () => {
	it("waits while as many are in flight as are allowed, and is throttled where 429 answers lowered that number", () => {
		let limiter = startAttempt(startAttempt(makeRateLimiter({ concurrency: 2, intervalMs: 0 }), 0), 0);
		expect(findDelay(limiter, 0)).toEqual({ isThrottled: false });
		limiter = endAttempt(limiter, 1, throttled(), 0);
		expect(findDelay(limiter, 0)).toEqual({ isThrottled: true });
		expect(findDelay(endAttempt(limiter, 2, answered, 0), 0)).toBeUndefined();
	});

	it("waits for the end of the longest pause", () => {
		let limiter = startAttempt(startAttempt(startAttempt(makeRateLimiter(eight), 0), 0), 0);
		limiter = endAttempt(limiter, 1, throttled(3000), 100);
		limiter = endAttempt(limiter, 2, throttled(1000), 200);
		limiter = endAttempt(limiter, 3, throttled(), 300);
		expect(findDelay(limiter, 600)).toEqual({ waitMs: 2500, isThrottled: true });
		expect(findDelay(limiter, 3100)).toBeUndefined();
	});

	it("waits no longer than five minutes for a pause", () => {
		const limiter = endAttempt(startAttempt(makeRateLimiter(eight), 0), 1, throttled(1e12), 0);
		expect(findDelay(limiter, 0)).toEqual({ waitMs: maxPauseMs, isThrottled: true });
		expect(maxPauseMs).toBe(5 * 60 * 1000);
	});

	it("keeps the interval between starts, and accumulates no credit", () => {
		const limiter = startAttempt(makeRateLimiter({ concurrency: 8, intervalMs: 200 }), 1000);
		expect(findDelay(limiter, 1050)).toEqual({ waitMs: 150, isThrottled: true });
		expect(findDelay(limiter, 1200)).toBeUndefined();
		expect(findDelay(startAttempt(limiter, 5000), 5001)).toEqual({ waitMs: 199, isThrottled: true });
	});
});

describe("a queue timeout", () => {
	const paused = endAttempt(startAttempt(makeRateLimiter(eight), 0), 1, throttled(30_000), 0);
	const dry = limiterAfter(eight, [answered, throttled()]);
	const allThrottled = endAttempt(startAttempt(dry, 30_001), 3, throttled(), 30_001);
	it.each<[string, RateLimiter, number, number, string | undefined]>([
		["never comes at first", makeRateLimiter(eight), 0, 0, undefined],
		[
			"comes when the pause is as long as the timeout",
			paused,
			0,
			0,
			"the service asks for a pause of 30 s, longer than the timeout",
		],
		["does not come when the pause is shorter", paused, 0, 1, undefined],
		[
			"comes after 429 answers only for as long as the timeout",
			allThrottled,
			0,
			30_001,
			"the service rejected every request for 30 s",
		],
		["does not come for a later operation", allThrottled, 2, 30_001, undefined],
		["does not come after one 429, however long ago", dry, 0, 99_000, undefined],
		[
			"does not come when an attempt without an answer was last",
			endAttempt(startAttempt(dry, 5), 3, noAnswer, 99_000),
			0,
			99_000,
			undefined,
		],
		[
			"does not come after any other answer",
			endAttempt(startAttempt(allThrottled, 5), 4, unwell, 9),
			0,
			99_000,
			undefined,
		],
	])("%s", (_fact, limiter, sinceMs, nowMs, expected) => {
		expect(findQueueTimeout(limiter, sinceMs, 30_000, nowMs)).toEqual(expected);
	});
});

type Event = { readonly waitMs: number; readonly which: number; readonly result: AttemptResult };

const endingArbitrary: fc.Arbitrary<AttemptResult> = fc.oneof(
	{ weight: 6, arbitrary: fc.constant(answered) },
	fc.constant(unwell),
	fc.constant(noAnswer),
	fc.option(fc.nat(5000), { nil: undefined }).map((pauseMs): AttemptResult => ({ kind: "throttled", pauseMs })),
);
const eventArbitrary: fc.Arbitrary<Event> = fc.record({
	waitMs: fc.nat(500),
	which: fc.nat(100),
	result: endingArbitrary,
});

describe("in any course of events", () => {
	it("no attempt exceeds the concurrency, or starts in a pause or too early", () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 12 }),
				fc.constantFrom(0, 50, 400),
				fc.array(eventArbitrary, { maxLength: 200 }),
				(concurrency, gapMs, events) => {
					let limiter = makeRateLimiter({ concurrency, intervalMs: gapMs });
					let [nowMs, lastStartMs, pausedUntilMs] = [0, Number.NEGATIVE_INFINITY, 0];
					const flying: number[] = [];
					for (const { waitMs, which, result } of events) {
						nowMs += waitMs;
						while (findDelay(limiter, nowMs) === undefined) {
							expect(nowMs).toBeGreaterThanOrEqual(Math.max(pausedUntilMs, lastStartMs + gapMs));
							limiter = startAttempt(limiter, nowMs);
							lastStartMs = nowMs;
							flying.push(limiter.started);
							expect(flying.length).toBeLessThanOrEqual(limiter.maxInFlight);
						}
						const [number] = flying.splice(which % Math.max(1, flying.length), 1);
						if (number === undefined) continue;
						const before = limiter;
						limiter = endAttempt(limiter, number, result, nowMs);
						if (result.kind === "throttled") pausedUntilMs = Math.max(pausedUntilMs, nowMs + (result.pauseMs ?? 0));
						expect(limiter.inFlight).toBe(flying.length);
						expect(limiter.maxInFlight).toBeGreaterThanOrEqual(1);
						expect(limiter.intervalMs).toBeGreaterThanOrEqual(gapMs);
						expect(limiter.intervalMs).toBeLessThanOrEqual(intervalsMs.max);
						expect(limiter.intervalMs > gapMs && limiter.maxInFlight > 1).toBe(false);
						expect(limiter.maxInFlight).toBeLessThanOrEqual(concurrency);
						expect(limiter.maxInFlight).toBeLessThanOrEqual(before.maxInFlight + (result.kind === "answered" ? 1 : 0));
						if (result.kind !== "throttled") expect(limiter.maxInFlight).toBeGreaterThanOrEqual(before.maxInFlight);
					}
				},
			),
		);
	});

	it("a delay ends when it says, and enough answers restore the full rate", () => {
		fc.assert(
			fc.property(fc.array(eventArbitrary, { maxLength: 60 }), (events) => {
				let limiter = makeRateLimiter({ concurrency: 6, intervalMs: 100 });
				let nowMs = 0;
				const step = (result: AttemptResult) => {
					const wait = findDelay(limiter, nowMs);
					if (wait !== undefined) expect(wait.waitMs).toBeGreaterThan(0);
					nowMs += wait?.waitMs ?? 0;
					expect(findDelay(limiter, nowMs)).toBeUndefined();
					limiter = startAttempt(limiter, nowMs);
					limiter = endAttempt(limiter, limiter.started, result, nowMs);
				};
				for (const { result } of events) step(result);
				for (let count = 0; count < 25 * successesToSpeedUp; count += 1) step(answered);
				expect(limiter).toMatchObject({ maxInFlight: 6, intervalMs: 100 });
			}),
		);
	});
});
