/** Windows of time: instants worked out by hand, in zones whose clocks change in different ways. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/policy/language/evaluate.ts";
import {
	boundariesOf,
	type CronSpan,
	isOpen,
	isYearly,
	parseCronSpan,
	parseTimestamp,
} from "../../../src/policy/language/time.ts";
import { ofActivity } from "../../../src/policy/language/values.ts";
import { casesToTry } from "../../case-count.ts";
import { cpuMsOf } from "../../cpu-time.ts";
import { at, outcome, parseText } from "../worlds.ts";

function span(cron: string, duration: string, zone: string): CronSpan {
	const parsed = parseCronSpan(cron, duration, zone);
	if ("wrong" in parsed) throw new Error(parsed.wrong);
	return parsed;
}

type Row = readonly [moment: string, expected: boolean | null];

function itIsOpen(cron: string, duration: string, zone: string, rows: readonly Row[]): void {
	it.each(rows)(`CronSpan('${cron}', '${duration}', '${zone}') at %s is %s`, (moment, expected) => {
		expect(isOpen(span(cron, duration, zone), Date.parse(moment))).toBe(expected);
	});
}

describe("a window begins when it fires and ends before its last moment", () => {
	itIsOpen("0 9 * * 1-5", "8h", "America/New_York", [
		["2026-01-05T13:59:59.999Z", false],
		["2026-01-05T14:00:00Z", true],
		["2026-01-05T21:59:59.999Z", true],
		["2026-01-05T22:00:00Z", false],
		["2026-01-04T15:00:00Z", false],
		["2026-07-06T12:59:59Z", false],
		["2026-07-06T13:00:00Z", true],
	]);
	itIsOpen("15,45 12-13 * * *", "10m", "Asia/Kathmandu", [
		["2026-05-01T06:30:00Z", true],
		["2026-05-01T06:40:00Z", false],
		["2026-05-01T07:00:00Z", true],
		["2026-05-01T08:09:59Z", true],
		["2026-05-01T08:30:00Z", false],
	]);
});

describe("a day", () => {
	const noonsOf = (expected: Readonly<Record<string, boolean>>): readonly Row[] =>
		Object.entries(expected).map(([day, open]) => [`${day}T12:30:00Z`, open]);

	describe("that both fields restrict is one that either names", () => {
		itIsOpen(
			"0 12 1 * 1",
			"1h",
			"UTC",
			noonsOf({ "2026-06-01": true, "2026-07-01": true, "2026-07-06": true, "2026-07-07": false, "2026-07-31": false }),
		);
	});

	describe("that one field restricts is one that it names", () => {
		itIsOpen("0 12 1 * *", "1h", "UTC", noonsOf({ "2026-07-01": true, "2026-07-06": false }));
		itIsOpen("0 12 * * 0", "1h", "UTC", noonsOf({ "2026-07-05": true, "2026-07-06": false }));
		itIsOpen("0 12 29 2 *", "1h", "UTC", noonsOf({ "2028-02-29": true, "2026-02-28": false, "2026-03-01": false }));
		itIsOpen("0 12 31 4 *", "1h", "UTC", noonsOf({ "2026-04-30": false, "2026-05-01": false }));
	});
});

describe("a night's window", () => {
	// It ends at 7:00 after the clock goes forward and at 5:00 after it goes back; on other days at 6:00.
	itIsOpen("0 22 * * *", "8h", "America/New_York", [
		["2026-03-07T10:59:00Z", true],
		["2026-03-07T11:00:00Z", false],
		["2026-03-08T10:59:00Z", true],
		["2026-03-08T11:00:00Z", false],
		["2026-11-01T09:59:00Z", true],
		["2026-11-01T10:00:00Z", false],
		["2026-11-02T10:59:00Z", true],
	]);
});

describe("a window of a week", () => {
	// 168 hours: one less than the week in which the clock goes back.
	itIsOpen("0 0 * * 0", "7d", "America/New_York", [
		["2026-11-08T03:59:59Z", true],
		["2026-11-08T04:00:00Z", false],
		["2026-11-08T05:00:00Z", true],
		["2026-03-15T04:30:00Z", true],
	]);
});

describe("a morning follows the clock", () => {
	itIsOpen("0 9 * * *", "1h", "Australia/Sydney", [
		["2026-04-03T22:00:00Z", true],
		["2026-04-03T23:00:00Z", false],
		["2026-04-04T22:30:00Z", false],
		["2026-04-04T23:00:00Z", true],
		["2026-10-03T22:00:00Z", true],
	]);
	itIsOpen("0 9 * * *", "30m", "Australia/Lord_Howe", [
		["2026-04-03T22:00:00Z", true],
		["2026-04-04T22:00:00Z", false],
		["2026-04-04T22:30:00Z", true],
	]);
	itIsOpen("0 9 * * *", "1h", "Antarctica/Troll", [
		["2026-03-28T09:00:00Z", true],
		["2026-03-29T07:00:00Z", true],
		["2026-03-29T09:00:00Z", false],
	]);
	itIsOpen("0 9 * * *", "1h", "Africa/Monrovia", [
		["1971-06-01T09:44:29Z", false],
		["1971-06-01T09:44:30Z", true],
	]);
	itIsOpen("0 9 * * *", "1h", "Pacific/Kiritimati", [["2026-01-01T19:00:00Z", true]]);
	itIsOpen("30 23 31 12 *", "1h", "Asia/Kolkata", [
		["2025-12-31T18:00:00Z", true],
		["2025-12-31T19:00:00Z", false],
	]);
});

describe("a fire at a local time that a clock change skips", () => {
	itIsOpen("30 1 * * *", "1h", "Europe/London", [
		["2026-03-29T00:29:59Z", false],
		["2026-03-29T00:30:00Z", null],
		["2026-03-29T02:29:59Z", null],
		["2026-03-29T02:30:00Z", false],
	]);
	// The whole of December 30 was skipped.
	itIsOpen("0 12 30 12 *", "1h", "Pacific/Apia", [
		["2011-12-29T22:30:00Z", null],
		["2011-12-31T12:00:00Z", false],
	]);
	it("does not matter where another window is open", () => {
		expect(isOpen(span("* * * * *", "1m", "Europe/London"), Date.parse("2026-03-29T01:10:00Z"))).toBe(true);
	});
});

describe("a fire at a local time that a clock change repeats", () => {
	itIsOpen("30 1 * * *", "2h", "Europe/London", [
		["2026-10-25T00:29:59Z", false],
		["2026-10-25T00:30:00Z", null],
		["2026-10-25T01:30:00Z", true],
		["2026-10-25T02:29:59Z", true],
		["2026-10-25T02:30:00Z", null],
		["2026-10-25T03:30:00Z", false],
	]);
});

describe("CronSpan in an expression", () => {
	const office = "CronSpan('30 1 * * *', '1h', 'Europe/London')";

	it("is unknown where the documentation does not say whether it fires", () => {
		expect(outcome(office, at("2026-03-29T01:00:00Z"))).toMatch(/^unread: no documentation says/);
		expect(outcome(`${office} && false`, at("2026-03-29T01:00:00Z"))).toBe(false);
	});

	it("depends on the moment", () => {
		expect(outcome(office, new Map([["time", ofActivity]]))).toBe("activity: it depends on the activity");
		expect(outcome(office, new Map())).toBe("error: there is no `time.now`");
	});

	// Code with mutants in it is slower.
	it.skipIf(process.env.ORGSYNC_MUTANTS_TESTS)(
		"takes less than 0.2 ms of CPU on average, for 2,000 different moments and windows of a week in 5 zones",
		() => {
			const zones = ["America/New_York", "Europe/London", "Australia/Sydney", "Asia/Kolkata", "America/St_Johns"];
			const trees = zones.map((zone) => parseText(`CronSpan('* 0-22 1-31 2 0', '7d', '${zone}')`));
			const ms = cpuMsOf(() => {
				for (let index = 0; index < 2_000; index += 1) {
					for (const tree of trees) evaluate(tree, at(new Date(Date.UTC(2026, 0, 1, index)).toISOString()));
				}
			});
			expect(ms / 10_000).toBeLessThan(0.2);
		},
	);
});

describe("the moments at which windows open or close", () => {
	const boundaries = (cron: string, duration: string, zone: string, from: string, to: string, max = 100) =>
		boundariesOf(span(cron, duration, zone), Date.parse(from), Date.parse(to), max).map((moment) =>
			new Date(moment).toISOString().slice(5, 16),
		);

	it("are those of the days on which it fires, in order", () => {
		expect(boundaries("0 9 1 * *", "2h", "UTC", "2026-01-02T00:00:00Z", "2026-03-15T00:00:00Z")).toEqual([
			...["02-01T09:00", "02-01T11:00", "03-01T09:00", "03-01T11:00"],
		]);
		expect(boundaries("0,30 23 * * 1", "1h", "UTC", "2026-06-01T00:00:00Z", "2026-06-07T00:00:00Z")).toEqual([
			...["06-01T23:00", "06-01T23:30", "06-02T00:00", "06-02T00:30"],
		]);
	});

	it("are behind the first moment, up to the last, of windows that opened before too", () => {
		const nights = (from: string, to: string) => boundaries("0 22 * * *", "8h", "UTC", from, to);
		expect(nights("2026-06-01T22:00:00Z", "2026-06-02T06:00:00Z")).toEqual(["06-02T06:00"]);
		expect(nights("2026-06-01T21:59:59Z", "2026-06-02T05:59:59Z")).toEqual(["06-01T22:00"]);
		const weeks = boundaries("0 0 * * 1", "7d", "UTC", "2026-06-07T12:00:00Z", "2026-06-08T00:00:00Z");
		expect(weeks).toEqual(["06-08T00:00"]);
	});

	it("are those of each offset around a clock change, and at most so many days with some", () => {
		const around = boundaries("30 1 * * *", "1h", "Europe/London", "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z");
		expect(around).toEqual(["10-25T00:30", "10-25T01:30", "10-25T02:30"]);
		expect(boundaries("0 9 * * *", "1h", "UTC", "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z", 3)).toEqual([
			...["06-01T09:00", "06-01T10:00", "06-02T09:00"],
		]);
	});

	it("differ from week to week where only some days of a month or some months are named", () => {
		const yearly = ["* * * * *", "* * 1-30 * *", "* * * 1-11 *", "* * * * 1"].map((cron) =>
			isYearly(span(cron, "1h", "UTC")),
		);
		expect(yearly).toEqual([false, true, true, false]);
	});
});

describe("a timestamp", () => {
	it.each([
		["2026-03-01T00:00:00Z", 1_772_323_200_000_000_000n],
		["2026-03-01t00:00:00z", 1_772_323_200_000_000_000n],
		["2026-03-01T00:00:00+00:00", 1_772_323_200_000_000_000n],
		["2026-03-01T00:00:00.123456789-00:00", 1_772_323_200_123_456_789n],
		["1969-12-31T23:59:59.5Z", -500_000_000n],
		["0000-01-01T00:00:00Z", -62_167_219_200_000_000_000n],
		["2028-02-29T23:59:59Z", 1_835_481_599_000_000_000n],
	])("%s is %s nanoseconds", (text, expected) => {
		expect(parseTimestamp(text)).toBe(expected);
	});

	it.each([
		"2026-03-01",
		"2026-03-01 00:00:00Z",
		"2026-03-01T00:00:00",
		"2026-03-01T00:00:00+01:00",
		"2026-03-01T24:00:00Z",
		"2026-03-01T00:60:00Z",
		" 2026-03-01T00:00:00Z",
		"2026-03-01T00:00:00Z ",
		"2026-12-31T23:59:60Z",
		"2026-02-29T00:00:00Z",
		"2026-13-01T00:00:00Z",
		"26-03-01T00:00:00Z",
		"2026-03-01T00:00:00.Z",
		"2026-03-01T00:00:00.1234567890Z",
		"",
	])("%j is none", (text) => {
		expect(parseTimestamp(text)).toHaveProperty("wrong");
	});
});

describe("windows near clock changes", () => {
	const zones = [
		"America/New_York",
		"Europe/London",
		"Australia/Lord_Howe",
		"Antarctica/Troll",
		"Africa/Cairo",
		"Asia/Kolkata",
	];
	const minute = 60_000;

	/** Local fields of a moment: minute, hour, day, month, weekday. */
	function localFields(zone: string, ms: number): readonly number[] {
		const format =
			formatters.get(zone) ??
			new Intl.DateTimeFormat("en-US", {
				timeZone: zone,
				hourCycle: "h23",
				minute: "numeric",
				hour: "numeric",
				day: "numeric",
				month: "numeric",
				weekday: "short",
			});
		formatters.set(zone, format);
		const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
		const weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].indexOf(parts.get("weekday") ?? "");
		return [...(["minute", "hour", "day", "month"] as const).map((name) => Number(parts.get(name))), weekday];
	}
	const formatters = new Map<string, Intl.DateTimeFormat>();

	const field = (least: number, most: number) =>
		fc.oneof(
			fc.constant("*"),
			fc.uniqueArray(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 3 }).map(String),
		);

	it("are those of a search through every minute, wherever they are known", () => {
		const cron = fc.tuple(
			field(0, 59),
			field(0, 4),
			fc.constantFrom("*", "*", "1", "8,29"),
			fc.constantFrom("*", "3,4,10,11"),
			fc.constantFrom("*", "0", "5,6"),
		);
		// Sundays in March, April, October and November 2026, and the Fridays and Thursdays of Cairo.
		const days = [
			"2026-03-08",
			"2026-03-29",
			"2026-04-04",
			"2026-04-23",
			"2026-10-03",
			"2026-10-24",
			"2026-10-29",
			"2026-10-31",
		];
		let known = 0;
		fc.assert(
			fc.property(
				cron,
				fc.integer({ min: 1, max: 150 }),
				fc.constantFrom(...zones),
				fc.constantFrom(...days),
				fc.integer({ min: 0, max: 40 * 60 }),
				(fields, duration, zone, day, offset) => {
					const ms = Date.parse(`${day}T00:00:00Z`) + offset * minute + 1;
					const open = isOpen(span(fields.join(" "), `${duration}m`, zone), ms);
					if (open === null) return;
					known += 1;
					const matches = (local: readonly number[], index: number): boolean =>
						fields[index] === "*" ||
						(fields[index] ?? "")
							.split(",")
							.map(Number)
							.includes(local[index] ?? -1);
					let isExpected = false;
					for (let fire = ms - 1; fire > ms - duration * minute; fire -= minute) {
						const local = localFields(zone, fire);
						const isDay =
							fields[2] !== "*" && fields[4] !== "*"
								? matches(local, 2) || matches(local, 4)
								: matches(local, 2) && matches(local, 4);
						if (isDay && [0, 1, 3].every((index) => matches(local, index))) isExpected = true;
					}
					expect(open).toBe(isExpected);
				},
			),
			casesToTry(500),
		);
		expect(known).toBeGreaterThan(400);
	}, 60_000);
});
