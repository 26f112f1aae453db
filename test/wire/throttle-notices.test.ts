/** What a person hears of a service that answers 429 to many requests. */
import { describe, expect, it } from "vitest";
import { makeThrottleNotices } from "../../src/wire/throttle-notices.ts";

/** Notices under a clock that the test moves. */
function notices() {
	let nowMs = 1_000_000;
	const made = makeThrottleNotices(() => nowMs);
	return {
		wait: (ms: number) => {
			nowMs += ms;
		},
		/** Null: it is not asked again. */
		hear: (because: string, againMs: number | null = 500) =>
			made.onAttempt({
				reason: `${because}; retried in ${againMs} ms`,
				throttle: { because, againMs: againMs ?? undefined },
			}),
		end: made.summarize,
		hearOther: () => made.onAttempt({}),
	};
}

describe("a service that answers 429", () => {
	it("causes one notice, though it answers every request with it", () => {
		const { hear, hearOther, wait } = notices();
		expect(hear("too many requests (limit 3): slow down")).toContain("slow down; retried in 500 ms");
		for (let count = 0; count < 100; count += 1) {
			wait(1_000);
			expect(hearOther()).toBeUndefined();
			expect(hear("too many requests (limit 3): slow down")).toBeUndefined();
		}
	});

	it("causes another notice for new words, for a request that is not retried, and for a much longer delay", () => {
		const { hear } = notices();
		hear("too many requests: slow down");
		expect(hear("a limit of the organization is reached: quota exceeded")).toContain("quota exceeded");
		expect(hear("too many requests: slow down", 5_499)).toBeUndefined();
		expect(hear("too many requests: slow down", 5_500)).toContain("5500 ms");
		expect(hear("too many requests: slow down", 20_000)).toContain("20000 ms");
		expect(hear("too many requests: slow down", 20_000)).toBeUndefined();
		expect(hear("too many requests: slow down", null)).toContain("retried in null ms");
		expect(hear("too many requests: slow down", null)).toBeUndefined();
	});

	it("causes another notice after a minute without a 429", () => {
		const { hear, wait } = notices();
		hear("too many requests");
		wait(60_000);
		expect(hear("too many requests")).toBeUndefined();
		wait(60_001);
		expect(hear("too many requests")).toContain("too many requests");
	});

	it("causes at most five notices, though each answer has new words", () => {
		const { hear } = notices();
		const told = Array.from({ length: 100 }, (_, index) => hear(`slow down, request ${index}`)).filter(Boolean);
		expect(told).toHaveLength(1);
		const words = Array.from({ length: 100 }, (_, index) => hear("x".repeat(index))).filter(Boolean);
		expect(words).toHaveLength(4);
	});

	it("is summarized where its only request was not retried", () => {
		const { hear, end } = notices();
		hear("too many requests", null);
		expect(end()).toBe("rate limit: the service rejected 1 request (429); orgsync did not retry it");
	});

	it("is summarized at the end: how many requests, in what time, and whether they were retried", () => {
		const { hear, wait, end } = notices();
		expect(end()).toBeUndefined();
		hear("too many requests");
		expect(end()).toBe("rate limit: the service rejected 1 request (429); orgsync retried it");
		wait(41_000);
		hear("too many requests");
		expect(end()).toBe("rate limit: the service rejected 2 requests within 41 s (429); orgsync retried all of them");
		hear("too many requests", null);
		expect(end()).toBe(
			"rate limit: the service rejected 3 requests within 41 s (429); orgsync did not retry 1 of them",
		);
	});
});
