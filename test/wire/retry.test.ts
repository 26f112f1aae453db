/** When a request is retried, and what a 429 says: the borders, one answer at a time. */
import { describe, expect, it } from "vitest";
import { type InconclusiveAnswer, inconclusive, type RefusedAnswer } from "../../src/wire/answer.ts";
import { describeThrottle, retryDelayMs, sharedPauseMs, toSeconds } from "../../src/wire/retry.ts";

const lost = (parts: Partial<InconclusiveAnswer> = {}) => inconclusive({ message: "lost", retry: "yes", ...parts });
const delays = (answer: InconclusiveAnswer, random = 0) =>
	[1, 2, 3, 4, 5, 6, 7, 99].map((attempt) => retryDelayMs(answer, attempt, 1e9, random));

describe("the delay before a retry", () => {
	it("doubles up to eight seconds, half of it random, and begins later after a 429", () => {
		expect(delays(lost())).toEqual([125, 250, 500, 1000, 2000, 4000, 4000, 4000]);
		expect(delays(lost(), 0.999_999)).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
		expect(delays(lost({ throttled: true }), 0.5)).toEqual([750, 1500, 3000, 6000, 6000, 6000, 6000, 6000]);
	});

	it("is the one that the service asks for, if that is any", () => {
		expect(delays(lost({ waitMs: 7 }), 0.5)).toEqual(Array(8).fill(7));
		expect(retryDelayMs(lost({ waitMs: 0 }), 1, 1e9, 0)).toBe(125);
	});

	it("is none where the timeout would leave no time for an attempt after it, or the answer forbids it", () => {
		expect([225, 226].map((remainingMs) => retryDelayMs(lost(), 1, remainingMs, 0))).toEqual([undefined, 125]);
		expect(delays(lost({ retry: "no" }))).toEqual(Array(8).fill(undefined));
		expect(delays(lost({ retry: "briefly" }))).toEqual([125, 250, 500, ...Array(5).fill(undefined)]);
	});
});

describe("the pause of all requests after a 429", () => {
	it.each([
		[{ waitMs: 7, exhausted: true }, 7],
		[{ waitMs: 7 }, 7],
		[{ waitMs: 0, exhausted: true }, 1000],
		[{ exhausted: true }, 1000],
		[{ waitMs: 0 }, undefined],
		[{}, undefined],
	])("of %j is %s ms", (parts, pauseMs) => {
		expect(sharedPauseMs(lost(parts))).toBe(pauseMs);
	});
});

describe("the line about a 429", () => {
	const eight = { maxInFlight: 8, intervalMs: 0 };
	it("says when the request is retried, what the client allows from now on, and what would avoid it", () => {
		expect(describeThrottle(lost({ hint: "slower" }), 1250, eight)).toBe(
			"lost; retried in 1.3 s, now at most 8 at once; slower",
		);
		expect(describeThrottle(lost(), undefined, { maxInFlight: 1, intervalMs: 40 })).toBe(
			"lost; not retried, the timeout is reached, now at most 1 at once, 0 s apart",
		);
	});

	it("is only the refusal and its hint, if that is final", () => {
		const refused: RefusedAnswer = {
			...{ kind: "refused" as const, httpStatus: 429, grpcCode: 8, message: "a limit", policyEvaluations: [] },
			...{ keyNotAccepted: false, serverTimeMs: undefined, hint: undefined },
		};
		expect(describeThrottle(refused, 5, eight)).toBe("a limit");
		expect(describeThrottle({ ...refused, hint: "remove" }, 5, eight)).toBe("a limit; remove");
	});

	it("has seconds with one decimal place", () => {
		expect([0, 49, 50, 1000, 1234].map(toSeconds)).toEqual([0, 0, 0.1, 1, 1.2]);
	});
});
