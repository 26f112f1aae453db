/** How the pace changes, by table and for any course of events; and the queue before it, on a clock of its own. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Unclear, unclear } from "../../src/wire/answer.ts";
import { type Gate, makeGate, type Pass } from "../../src/wire/gate.ts";
import {
	type Ending,
	endAttempt,
	findHopeless,
	gapsMs,
	longestPauseMs,
	makePace,
	type Pace,
	type PaceLimits,
	startAttempt,
	successesToGrow,
	waitOf,
} from "../../src/wire/pace.ts";
import { makeVirtualClock } from "./virtual-clock.ts";

const throttled = (pauseMs?: number): Ending => ({ kind: "throttled", pauseMs });
const answered: Ending = { kind: "answered", well: true };
const unwell: Ending = { kind: "answered", well: false };
const silence: Ending = { kind: "silence" };

/** The state after attempts one by one, each with its ending, one millisecond apart. */
function paceAfter(limits: PaceLimits, endings: readonly Ending[]): Pace {
	return endings.reduce((pace, ending, index) => {
		const started = startAttempt(pace, index);
		return endAttempt(started, started.started, ending, index);
	}, makePace(limits));
}

const many = (ending: Ending, count: number) => Array.from({ length: count }, () => ending);
const eight: PaceLimits = { concurrency: 8, gapMs: 0 };

describe("what is allowed at once", () => {
	const grown = (times: number) => many(answered, times * successesToGrow);
	it.each<[string, number, readonly Ending[], number]>([
		["at first is all of it", 8, [], 8],
		["is halved by a 429", 8, [throttled()], 4],
		["is halved by each further one", 8, many(throttled(), 2), 2],
		["is halved downwards", 5, [throttled()], 2],
		["is never less than one", 8, many(throttled(), 9), 1],
		["stays one when it was one", 1, [throttled()], 1],
		["does not grow before a run of answers", 8, [throttled(), ...many(answered, successesToGrow - 1)], 4],
		["grows by one after a run of answers", 8, [throttled(), ...grown(1)], 5],
		["grows by one after each further run", 8, [throttled(), ...grown(2)], 6],
		["does not grow beyond all of it", 8, [throttled(), ...grown(40)], 8],
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
		["does not care for silences", 8, [throttled(), ...many(answered, 9), silence, answered], 5],
		["does not shrink for a 5xx", 8, many(unwell, 5), 8],
		["does not shrink for a silence", 8, many(silence, 5), 8],
	])("%s", (_fact, concurrency, endings, allowed) => {
		expect(paceAfter({ concurrency, gapMs: 0 }, endings).allowed).toBe(allowed);
	});

	it.each<[string, PaceLimits, readonly Ending[], number, number]>([
		["begins when one at a time is too fast still", eight, many(throttled(), 4), 1, gapsMs.least],
		["grows by half with each further 429", eight, many(throttled(), 6), 1, 45],
		["is never longer than the longest", eight, many(throttled(), 30), 1, gapsMs.longest],
		["is shorter by a quarter after a run of answers", eight, [...many(throttled(), 6), ...grown(1)], 1, 33.75],
		["ends when it is hardly one, before more are allowed", eight, [...many(throttled(), 6), ...grown(3)], 1, 0],
		["is followed by more at once", eight, [...many(throttled(), 6), ...grown(4)], 2, 0],
		["grows from the user's own", { concurrency: 1, gapMs: 1000 }, [throttled()], 1, 1500],
		["is never shorter than the user's own", { concurrency: 1, gapMs: 1000 }, [throttled(), ...grown(9)], 1, 1000],
		[
			"stays the user's own when that is longer than the longest",
			{ concurrency: 1, gapMs: 9e4 },
			[throttled()],
			1,
			9e4,
		],
	])("the gap %s", (_fact, limits, endings, allowed, gapMs) => {
		expect(paceAfter(limits, endings)).toMatchObject({ allowed, gapMs });
	});

	it.each([
		[[], gapsMs.least],
		[[9900], 100],
		[[1, 9500, 9600, 9700], 1000],
		[[9500, 9600, 9700, 9800], 125],
		[[1, 2, ...Array.from({ length: 10 }, (_, index) => 9000 + index * 100)], 100],
	])("the first gap after answers at %j ms and a 429 at 10,000 ms is %d ms", (times, gapMs) => {
		let pace = makePace({ concurrency: 1, gapMs: 0 });
		for (const atMs of times) pace = endAttempt(startAttempt(pace, atMs), pace.started + 1, answered, atMs);
		pace = endAttempt(startAttempt(pace, 9990), pace.started + 1, throttled(), 10_000);
		expect(pace).toMatchObject({ allowed: 1, gapMs });
		expect(waitOf(startAttempt(pace, 20_000), 20_000)).toEqual({ because: "rate", waitMs: gapMs });
	});

	it("is halved once by many 429 to attempts that were in flight together", () => {
		let pace = makePace(eight);
		for (let number = 1; number <= 8; number += 1) pace = startAttempt(pace, 0);
		for (let number = 1; number <= 8; number += 1) pace = endAttempt(pace, number, throttled(), number);
		expect(pace).toMatchObject({ allowed: 4, inFlight: 0 });
		pace = startAttempt(pace, 9);
		expect(endAttempt(pace, 9, throttled(), 10).allowed).toBe(2);
	});
});

describe("the next attempt", () => {
	it("waits while as many are in flight as are allowed, and says whether that is fewer than usual", () => {
		let pace = startAttempt(startAttempt(makePace({ concurrency: 2, gapMs: 0 }), 0), 0);
		expect(waitOf(pace, 0)).toEqual({ because: "busy" });
		pace = endAttempt(pace, 1, throttled(), 0);
		expect(waitOf(pace, 0)).toEqual({ because: "shrunk" });
		expect(waitOf(endAttempt(pace, 2, answered, 0), 0)).toEqual({ because: "nothing" });
	});

	it("waits for the end of the longest pause, whoever asked for it", () => {
		let pace = startAttempt(startAttempt(startAttempt(makePace(eight), 0), 0), 0);
		pace = endAttempt(pace, 1, throttled(3000), 100);
		pace = endAttempt(pace, 2, throttled(1000), 200);
		pace = endAttempt(pace, 3, throttled(), 300);
		expect(waitOf(pace, 600)).toEqual({ because: "pause", waitMs: 2500 });
		expect(waitOf(pace, 3100)).toEqual({ because: "nothing" });
	});

	it("does not believe in a pause of more than five minutes", () => {
		const pace = endAttempt(startAttempt(makePace(eight), 0), 1, throttled(1e12), 0);
		expect(waitOf(pace, 0)).toEqual({ because: "pause", waitMs: longestPauseMs });
		expect(longestPauseMs).toBe(5 * 60 * 1000);
	});

	it("keeps the least time from start to start, and saves none up", () => {
		const pace = startAttempt(makePace({ concurrency: 8, gapMs: 200 }), 1000);
		expect(waitOf(pace, 1050)).toEqual({ because: "rate", waitMs: 150 });
		expect(waitOf(pace, 1200)).toEqual({ because: "nothing" });
		expect(waitOf(startAttempt(pace, 5000), 5001)).toEqual({ because: "rate", waitMs: 199 });
	});
});

describe("waiting is hopeless", () => {
	const paused = endAttempt(startAttempt(makePace(eight), 0), 1, throttled(30_000), 0);
	const dry = paceAfter(eight, [answered, throttled()]);
	const turnedAway = endAttempt(startAttempt(dry, 30_001), 3, throttled(), 30_001);
	it.each<[string, Pace, number, number, object | undefined]>([
		["never at first", makePace(eight), 0, 0, undefined],
		["when the pause is as long as an operation may take", paused, 0, 0, { because: "pause", forMs: 30_000 }],
		["not when the pause is shorter", paused, 0, 1, undefined],
		["when all were turned away for so long", turnedAway, 0, 30_001, { because: "turned-away", forMs: 30_000 }],
		["not for who came later", turnedAway, 2, 30_001, undefined],
		["not after one 429, however long ago", dry, 0, 99_000, undefined],
		["not when a silence came between", endAttempt(startAttempt(dry, 5), 3, silence, 99_000), 0, 99_000, undefined],
		["not after any other answer", endAttempt(startAttempt(turnedAway, 5), 4, unwell, 9), 0, 99_000, undefined],
	])("%s", (_fact, pace, sinceMs, nowMs, expected) => {
		expect(findHopeless(pace, sinceMs, 30_000, nowMs)).toEqual(expected);
	});
});

type Event = { readonly waitMs: number; readonly which: number; readonly ending: Ending };

const endingArbitrary: fc.Arbitrary<Ending> = fc.oneof(
	{ weight: 6, arbitrary: fc.constant(answered) },
	fc.constant(unwell),
	fc.constant(silence),
	fc.option(fc.nat(5000), { nil: undefined }).map((pauseMs): Ending => ({ kind: "throttled", pauseMs })),
);
const eventArbitrary: fc.Arbitrary<Event> = fc.record({
	waitMs: fc.nat(500),
	which: fc.nat(100),
	ending: endingArbitrary,
});

describe("whatever happens", () => {
	it("as many are in flight as are allowed, between one and all, none in a pause or too early", () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 12 }),
				fc.constantFrom(0, 50, 400),
				fc.array(eventArbitrary, { maxLength: 200 }),
				(concurrency, gapMs, events) => {
					let pace = makePace({ concurrency, gapMs });
					let [nowMs, lastStartMs, pausedUntilMs] = [0, Number.NEGATIVE_INFINITY, 0];
					const flying: number[] = [];
					for (const { waitMs, which, ending } of events) {
						nowMs += waitMs;
						while (waitOf(pace, nowMs).because === "nothing") {
							expect(nowMs).toBeGreaterThanOrEqual(Math.max(pausedUntilMs, lastStartMs + gapMs));
							pace = startAttempt(pace, nowMs);
							lastStartMs = nowMs;
							flying.push(pace.started);
							expect(flying.length).toBeLessThanOrEqual(pace.allowed);
						}
						const [number] = flying.splice(which % Math.max(1, flying.length), 1);
						if (number === undefined) continue;
						const before = pace;
						pace = endAttempt(pace, number, ending, nowMs);
						if (ending.kind === "throttled") pausedUntilMs = Math.max(pausedUntilMs, nowMs + (ending.pauseMs ?? 0));
						expect(pace.inFlight).toBe(flying.length);
						expect(pace.allowed).toBeGreaterThanOrEqual(1);
						expect(pace.gapMs).toBeGreaterThanOrEqual(gapMs);
						expect(pace.gapMs).toBeLessThanOrEqual(gapsMs.longest);
						expect(pace.gapMs > gapMs && pace.allowed > 1).toBe(false);
						expect(pace.allowed).toBeLessThanOrEqual(concurrency);
						expect(pace.allowed).toBeLessThanOrEqual(before.allowed + (ending.kind === "answered" ? 1 : 0));
						if (ending.kind !== "throttled") expect(pace.allowed).toBeGreaterThanOrEqual(before.allowed);
					}
				},
			),
		);
	});

	it("a wait ends when it says, and enough answers bring everything back", () => {
		fc.assert(
			fc.property(fc.array(eventArbitrary, { maxLength: 60 }), (events) => {
				let pace = makePace({ concurrency: 6, gapMs: 100 });
				let nowMs = 0;
				const step = (ending: Ending) => {
					const wait = waitOf(pace, nowMs);
					if ("waitMs" in wait) nowMs += wait.waitMs;
					expect(["pause", "rate", "nothing"]).toContain(wait.because);
					expect(waitOf(pace, nowMs)).toEqual({ because: "nothing" });
					pace = startAttempt(pace, nowMs);
					pace = endAttempt(pace, pace.started, ending, nowMs);
				};
				for (const { ending } of events) step(ending);
				for (let count = 0; count < 25 * successesToGrow; count += 1) step(answered);
				expect(pace).toMatchObject({ allowed: 6, gapMs: 100 });
			}),
		);
	});
});

describe("the gate", () => {
	const tooMany: Unclear = unclear({ message: "too many requests", again: "yes", httpStatus: 429, throttled: true });
	const clock = (limits: Partial<PaceLimits> = {}, timeoutMs = 30_000) => {
		const { now, sleep, run } = makeVirtualClock();
		const gate = makeGate({ concurrency: 8, gapMs: 0, ...limits, timeoutMs, now, sleep });
		return { gate, now, sleep, run };
	};
	/** What comes of each pass, in the order of coming out. */
	function enterAll(gate: Gate, count: number, now: () => number) {
		const passes: (Pass & { readonly who: number; readonly atMs: number })[] = [];
		for (let who = 0; who < count; who += 1) {
			void gate.enter(now()).then((pass) => passes.push({ ...pass, who, atMs: now() }));
		}
		return passes;
	}

	it("lets out in the order of coming, and no more than are allowed", async () => {
		const { gate, run, now } = clock({ concurrency: 2 });
		const passes = enterAll(gate, 5, now);
		await run();
		expect(passes.map(({ who }) => who)).toEqual([0, 1]);
		gate.leave(2, answered);
		await run();
		expect(passes.map(({ who }) => who)).toEqual([0, 1, 2]);
		// Waiting for a place that was never more is not what limits cost.
		expect(gate.throttledMs()).toBe(0);
	});

	it("spaces attempts evenly, the first at once, and counts the wait once for all", async () => {
		const { gate, run, now } = clock({ gapMs: 250 });
		const passes = enterAll(gate, 5, now);
		await run();
		expect(passes.map(({ atMs }) => atMs)).toEqual([0, 250, 500, 750, 1000]);
		expect(gate.throttledMs()).toBe(1000);
	});

	it("lets nobody out in a pause, not even those that came before it was longer", async () => {
		const { gate, run, now } = clock();
		const passes = enterAll(gate, 2, now);
		await run();
		gate.leave(1, throttled(1000), tooMany);
		const later = enterAll(gate, 1, now);
		await run(500);
		expect(gate.pauseMs()).toBe(500);
		gate.leave(2, throttled(2000), tooMany);
		await run();
		expect(passes).toHaveLength(2);
		expect(later.map(({ atMs }) => atMs)).toEqual([2500]);
		expect(gate.throttledMs()).toBe(2500);
		expect(gate.speed()).toMatchObject({ allowed: 4, gapMs: 0 });
	});

	it("does not count a pause in which nobody waits", async () => {
		const { gate, run, now } = clock();
		enterAll(gate, 1, now);
		await run();
		gate.leave(1, throttled(5000), tooMany);
		await run(4000);
		expect(gate.throttledMs()).toBe(0);
		enterAll(gate, 1, now);
		await run();
		expect(gate.throttledMs()).toBe(1000);
	});

	it("sends everybody away at once when the pause is longer than an operation may take", async () => {
		const { gate, run, now } = clock({ concurrency: 1 });
		const passes = enterAll(gate, 3, now);
		await run(0);
		gate.leave(1, throttled(60_000), tooMany);
		await run(0);
		expect(passes.slice(1)).toMatchObject([
			{ kind: "hopeless", who: 1, atMs: 0 },
			{ kind: "hopeless", who: 2, atMs: 0 },
		]);
		const [, second] = passes;
		expect(second?.kind === "hopeless" && second.verdict.message).toBe(
			"too many requests; the service asks to wait 60 s, longer than --timeout allows",
		);
		// The pause is over for who comes then.
		await run(60_000);
		const later = enterAll(gate, 1, now);
		await run();
		expect(later).toMatchObject([{ kind: "go", atMs: 60_000 }]);
	});

	it("sends away who waited while all were turned away, and lets out who comes later", async () => {
		const { gate, run, now } = clock({ concurrency: 1 }, 5000);
		const passes = enterAll(gate, 100, now);
		for (let left = 0; passes.length < 100; left = passes.length) {
			await run(now() + 100);
			for (const pass of passes.slice(left)) {
				if (pass.kind === "go") gate.leave(pass.number, throttled(1000), tooMany);
			}
		}
		const hopeless = passes.filter(({ kind }) => kind === "hopeless");
		expect(hopeless.length).toBeGreaterThan(90);
		for (const { atMs } of hopeless) expect(atMs).toBe(hopeless[0]?.atMs);
		expect(hopeless[0]?.atMs).toBeGreaterThanOrEqual(5000);
		expect(hopeless[0]?.atMs).toBeLessThan(10_000);
		expect(gate.speed().allowed).toBe(1);
		await run(now() + 10_000);
		const later = enterAll(gate, 1, now);
		await run();
		expect(later).toMatchObject([{ kind: "go" }]);
	});

	it("opens for everybody when it is opened", async () => {
		const { gate, run, now } = clock({ concurrency: 1, gapMs: 60_000 });
		const passes = enterAll(gate, 3, now);
		await run(0);
		gate.open();
		await run(0);
		expect(passes.map(({ kind, atMs }) => [kind, atMs])).toEqual([
			["go", 0],
			["go", 0],
			["go", 0],
		]);
	});

	it("survives a sleep that is over before the clock says so", async () => {
		let slept = 0;
		const gate = makeGate({
			concurrency: 8,
			gapMs: 1000,
			timeoutMs: 1,
			now: () => 0,
			sleep: async () => {
				slept += 1;
			},
		});
		const passes = enterAll(gate, 3, () => 0);
		await new Promise((resolve) => setImmediate(resolve));
		expect([passes.length, slept]).toEqual([3, 2]);
	});
});
