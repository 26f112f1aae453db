/** What the times of answers say of the service's clock. Times are in minutes after our clock. */
import { describe, expect, it } from "vitest";
import { LiveProblemError, ServiceError } from "../../../src/common/errors.ts";
import { refuseUncertainTime, whyUncertainTime, withServiceClock } from "../../../src/sync/read/service-clock.ts";
import type { QueryAnswer, Reader } from "../../../src/wire/client.ts";
import { queries } from "../../../src/wire/operations.ts";

const nowMs = 1_760_000_000_000;
const minuteMs = 60_000;
type Answer = Partial<QueryAnswer>;

/** A clocked reader that has heard these answers; a number is the minutes by which the service's clock is ahead. */
async function heard(answers: readonly (number | Answer | Error)[], position?: number, asks = answers.length) {
	const left = answers.map((one) => (typeof one === "number" ? { serverTimeMs: nowMs + one * minuteMs } : one));
	const asked: string[] = [];
	const query: Reader["query"] = async ({ name }) => {
		asked.push(name);
		const answer = left.shift() ?? {};
		if (answer instanceof Error) throw answer;
		return { value: {}, serverTimeMs: undefined, ...answer };
	};
	const clocked = withServiceClock({ query }, () => nowMs, position);
	for (let count = 0; count < asks; count += 1) await clocked.query(queries.list_user_tags, {}).catch(() => undefined);
	return { clocked, asked };
}
const set = (minutes: number): Answer => ({ serverTimeMs: nowMs + minutes * minuteMs, isClockSet: true });

describe("the service's clock", () => {
	it.each<
		[what: string, answers: readonly (number | Answer)[], offset: number, exact: number, time: number | undefined]
	>([
		["is ours without an answer", [], 0, 0, undefined],
		["is ours where no answer has a time", [{}], 0, 0, undefined],
		["is ours where they differ by less than half a minute", [0.4], 0, 0.4, 0.4],
		["is ahead", [0.5], 0.5, 0.5, 0.5],
		["is behind", [-2], -2, -2, -2],
		["is the offset that our own clock supports best", [3, -1, 2], -1, -1, 3],
		["is the later of two that ours supports alike", [1, -1], -1, -1, 1],
		["is shown by answers that agree alone", [2, 90], 2, 2, 2],
		["is shown by answers that are five minutes apart", [1, 6], 1, 1, 6],
		["is the latest where it was set", [set(60), set(90)], 90, 90, 90],
	])("%s", async (_what, answers, offset, exact, time) => {
		const { clocked } = await heard(answers);
		expect(clocked.clockOffsetMs()).toBe(offset * minuteMs);
		expect(clocked.exactOffsetMs()).toBe(exact * minuteMs);
		expect(clocked.serviceTimeMs()).toBe(time === undefined ? undefined : nowMs + time * minuteMs);
	});

	it("is compared with the time at which a shared answer was asked", async () => {
		const { clocked } = await heard([{ serverTimeMs: nowMs, askedAtMs: nowMs - 2 * minuteMs }]);
		expect(clocked.exactOffsetMs()).toBe(2 * minuteMs);
	});

	it.each<[what: string, answers: readonly (number | Answer)[], found: object | undefined]>([
		["up to five minutes", [5, -5], undefined],
		["none", [], undefined],
		["more than five minutes", [5.1], { answered: 5.1, expected: 0, isByAnswers: false }],
		["one answer", [1, -90, 7], { answered: -90, expected: 0, isByAnswers: false }],
		["a clock that was set", [set(60), set(61)], undefined],
		["a clock that was set, and moved", [set(60), set(90)], { answered: 90, expected: 60, isByAnswers: true }],
		["a clock that one answer says was set", [60, set(90)], { answered: 90, expected: 60, isByAnswers: true }],
	])("disagrees with ours by %s: %j", async (_what, answers, found) => {
		const { clocked } = await heard(answers);
		const { answered = 0, expected = 0, isByAnswers } = (found ?? {}) as Record<string, number>;
		const times = { answeredMs: nowMs + answered * minuteMs, expectedMs: nowMs + expected * minuteMs, isByAnswers };
		expect(clocked.disagreement()).toEqual(found && times);
		expect(whyUncertainTime(clocked)).toEqual(
			found && { kind: "clocks-disagree", ...times, toleranceMs: 5 * minuteMs },
		);
	});

	it("refuses what depends on the time where it is not certain", () => {
		expect(() => refuseUncertainTime("a window", undefined)).not.toThrow();
		const because = { kind: "emails-not-shown" } as const;
		expect(() => refuseUncertainTime("a window", because)).toThrow(LiveProblemError);
		expect(() => refuseUncertainTime("a window", because)).toThrow(
			"a window: list_users does not show e-mail addresses",
		);
	});
});

describe("an answer that is ensured", () => {
	const ensure = async (answers: readonly (number | Answer | Error)[], asks?: number) => {
		const { clocked, asked } = await heard(answers, undefined, asks);
		const before = asked.length;
		await clocked.ensureAnswered("organization");
		return asked.slice(before);
	};

	it("is asked for where there was none, and once more where the only one disagrees", async () => {
		expect(await ensure([1])).toEqual([]);
		expect(await ensure([{}])).toEqual([]);
		expect(await ensure([1], 0)).toEqual(["list_user_tags"]);
		expect(await ensure([60], 0)).toEqual(["list_user_tags", "list_user_tags"]);
		expect(await ensure([60])).toEqual(["list_user_tags"]);
		expect(await ensure([60, 60])).toEqual([]);
	});

	it("may be denied, and is an error where the organization does not exist", async () => {
		expect(await ensure([new ServiceError("denied", 403, 7)], 0)).toEqual(["list_user_tags"]);
		await expect(ensure([new ServiceError("none", 404, 5)], 0)).rejects.toThrow("none");
	});
});

describe("the oldest answer", () => {
	it("is the one that was asked first, by our clock and by the journal", async () => {
		const { clocked } = await heard([{}, { askedAtMs: nowMs - 5, askedAtPosition: 8 }, { askedAtMs: nowMs - 3 }], 9);
		expect(clocked.oldest()).toEqual({ askedAtMs: nowMs - 5, position: 8 });
	});

	it("is from now without an answer, and has no position where none is known", async () => {
		expect((await heard([], 9)).clocked.oldest()).toEqual({ askedAtMs: nowMs, position: 9 });
		expect((await heard([{ askedAtPosition: 8 }])).clocked.oldest()).toEqual({ askedAtMs: nowMs, position: undefined });
	});
});
