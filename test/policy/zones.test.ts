/** Offsets of time zones, and the moments at which they change. */
import { describe, expect, it } from "vitest";
import { isOpen, parseCronSpan, parseTimestamp } from "../../src/policy/language/time.ts";
import { findZone } from "../../src/policy/language/zones.ts";

const hourMs = 3_600_000;
const at = (text: string): number => Date.parse(text);

/** Each offset as `from: hours ahead`. */
function offsets(zone: string, from: string, to: string): readonly string[] {
	const found = findZone(zone)?.offsets(at(from), at(to)) ?? [];
	return found.map(({ start, ahead }) => `${new Date(start).toISOString()}: ${ahead / hourMs}`);
}

describe("A time zone", () => {
	it("has its offset, ahead of UTC or behind it, in minutes and seconds too", () => {
		const one = (zone: string, day: string) => offsets(zone, `${day}T01:00:00Z`, `${day}T02:00:00Z`);
		expect(one("UTC", "2026-06-01")).toEqual(["2026-06-01T00:00:00.000Z: 0"]);
		expect(one("Asia/Kolkata", "2026-06-01")).toEqual(["2026-06-01T00:00:00.000Z: 5.5"]);
		expect(one("America/St_Johns", "2026-06-01")).toEqual(["2026-06-01T00:00:00.000Z: -2.5"]);
		// Until 1972, Monrovia was 44 minutes and 30 seconds behind.
		const behind = -(44 * 60 + 30) / 3600;
		expect(one("Africa/Monrovia", "1971-06-01")).toEqual([`1971-06-01T00:00:00.000Z: ${behind}`]);
	});

	it("changes its offset at the second of the clock change, forward and back, asked once or twice", () => {
		for (let time = 0; time < 2; time += 1) {
			expect(offsets("Europe/Berlin", "2026-03-28T13:00:00Z", "2026-03-30T00:00:00Z")).toEqual([
				...["2026-03-28T12:00:00.000Z: 1", "2026-03-29T01:00:00.000Z: 2"],
			]);
			expect(offsets("America/New_York", "2026-11-01T00:00:00Z", "2026-11-01T12:00:00Z")).toEqual([
				...["2026-11-01T00:00:00.000Z: -4", "2026-11-01T06:00:00.000Z: -5"],
			]);
		}
	});

	it("has both changes of a year in their order, and none outside of what was asked for", () => {
		expect(offsets("Europe/Berlin", "2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z")).toEqual([
			"2026-01-01T00:00:00.000Z: 1",
			"2026-03-29T01:00:00.000Z: 2",
			"2026-10-25T01:00:00.000Z: 1",
		]);
		expect(offsets("Europe/Berlin", "2026-03-28T00:00:00Z", "2026-03-28T23:00:00Z")).toHaveLength(1);
	});

	it("has the same offsets after those of very many other moments", () => {
		const first = offsets("Europe/Berlin", "2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z");
		findZone("Europe/Berlin")?.offsets(at("2000-01-01T00:00:00Z"), at("2016-01-01T00:00:00Z"));
		expect(offsets("Europe/Berlin", "2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z")).toEqual(first);
	});

	it.each([
		"Europe/berlin",
		"europe/Berlin",
		"UTc",
		"+01:00",
		"Europe/Nowhere",
		"",
		"Europe/",
		"/Berlin",
		"A".repeat(61),
	])("is none for the name %j", (name) => {
		expect([findZone(name), findZone(name)]).toEqual([null, null]);
	});

	it.each(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])("is one for the name %j", (name) => {
		expect(findZone(name)).not.toBe(null);
	});
});

describe("A schedule", () => {
	const minutes = (length: number): string => {
		const text = `${"0,".repeat(length)}0 9 * * *`;
		return text;
	};

	it("has at most a thousand characters", () => {
		const longest = minutes(496);
		expect(longest).toHaveLength(1_001);
		expect(parseCronSpan(longest, "1h", "UTC")).toMatchObject({
			argument: 0,
			wrong: expect.stringContaining("not 5 fields"),
		});
		const allowed = `0${longest.slice(3)}`;
		expect([allowed.length, "wrong" in parseCronSpan(allowed, "1h", "UTC")]).toEqual([999, false]);
		const exact = `00${longest.slice(3)}`;
		expect([exact.length, "wrong" in parseCronSpan(exact, "1h", "UTC")]).toEqual([1_000, false]);
	});

	it.each([
		["0 9 * *", "1h", 0],
		["0 9 * * * *", "1h", 0],
		["60 9 * * *", "1h", 0],
		["0 24 * * *", "1h", 0],
		["0 9 0 * *", "1h", 0],
		["0 9 * 13 *", "1h", 0],
		["0 9 * * 7", "1h", 0],
		["5-1 9 * * *", "1h", 0],
		["*/5 9 * * *", "1h", 0],
		["0 9 * * *", "", 1],
		["0 9 * * *", "0m", 1],
		["0 9 * * *", "7d1m", 1],
		["0 9 * * *", "1h1d", 1],
		["0 9 * * *", "1.5h", 1],
	])("is wrong as %j for %j, in its argument %i", (cron, duration, argument) => {
		expect(parseCronSpan(cron, duration, "UTC")).toMatchObject({ argument });
	});

	/** Whether it is open at each of these moments. */
	function open(cron: string, duration: string, zone: string, ...moments: readonly string[]): readonly unknown[] {
		const span = parseCronSpan(cron, duration, zone);
		if ("wrong" in span) throw new Error(span.wrong);
		return moments.map((moment) => isOpen(span, at(moment)));
	}

	it("is open from when it fires, to before its duration has passed, also over midnight and for days", () => {
		expect(
			open(
				"0 9 * * *",
				"1h",
				"UTC",
				"2026-06-01T08:59:59.999Z",
				"2026-06-01T09:00:00Z",
				"2026-06-01T09:59:59.999Z",
				"2026-06-01T10:00:00Z",
			),
		).toEqual([false, true, true, false]);
		expect(open("30 23 * * *", "1h", "UTC", "2026-06-01T00:15:00Z", "2026-06-01T00:30:00Z")).toEqual([true, false]);
		expect(
			open("0 0 1 * *", "7d", "UTC", "2026-06-07T23:59:59Z", "2026-06-08T00:00:00Z", "2026-05-31T23:59:59Z"),
		).toEqual([...[true, false, false]]);
	});

	it("fires at local time, and on days and months that it names", () => {
		expect(open("0 9 * * *", "1h", "Asia/Kolkata", "2026-06-01T03:30:00Z", "2026-06-01T03:29:59Z")).toEqual([
			true,
			false,
		]);
		expect(open("0 9 * * *", "1h", "Africa/Monrovia", "1971-06-01T09:44:30Z", "1971-06-01T09:44:29Z")).toEqual([
			true,
			false,
		]);
		// 1 June 2026 is a Monday.
		expect(
			open("0 9 * 6 1", "1h", "UTC", "2026-06-01T09:00:00Z", "2026-06-02T09:00:00Z", "2026-07-06T09:00:00Z"),
		).toEqual([...[true, false, false]]);
		expect(
			open("0 9 2 * 1", "1h", "UTC", "2026-06-01T09:00:00Z", "2026-06-02T09:00:00Z", "2026-06-03T09:00:00Z"),
		).toEqual([...[true, true, false]]);
		expect(open("0 9 1 * *", "1h", "UTC", "2026-06-01T09:00:00Z", "2026-06-08T09:00:00Z")).toEqual([true, false]);
	});

	it("is not known where it fires at a local time that is skipped or repeated, and nowhere else", () => {
		const berlin = (cron: string, ...moments: readonly string[]) => open(cron, "10m", "Europe/Berlin", ...moments);
		expect(berlin("30 2 * * *", "2026-03-29T00:35:00Z", "2026-03-29T01:35:00Z", "2026-03-29T02:05:00Z")).toEqual([
			...[null, null, false],
		]);
		expect(berlin("30 2 * * *", "2026-10-25T00:35:00Z", "2026-10-25T01:35:00Z", "2026-10-25T02:35:00Z")).toEqual([
			...[null, null, false],
		]);
		expect(berlin("30 3 * * *", "2026-03-29T01:35:00Z", "2026-10-25T02:35:00Z")).toEqual([true, true]);
	});
});

describe("A moment", () => {
	it.each([
		["2026-03-01T00:00:00Z", 1_772_323_200_000_000_000n],
		["2026-03-01t00:00:00.000000001z", 1_772_323_200_000_000_001n],
		["2026-03-01T00:00:00.5+00:00", 1_772_323_200_500_000_000n],
		["1969-12-31T23:59:59-00:00", -1_000_000_000n],
	])("is %s in nanoseconds", (text, expected) => {
		expect(parseTimestamp(text)).toBe(expected);
	});

	it.each([
		"2026-02-30T00:00:00Z",
		"2026-03-01T24:00:00Z",
		"2026-03-01T00:60:00Z",
		"2026-13-01T00:00:00Z",
	])("does not exist as %s", (text) => {
		expect(parseTimestamp(text)).toEqual({ wrong: "no such date or time; write one that exists", argument: 0 });
	});

	it.each([
		"2026-03-01",
		"2026-03-01T00:00:00",
		"2026-03-01T00:00:00+01:00",
		"2026-03-01T00:00:00.1234567890Z",
		" 2026-03-01T00:00:00Z",
		"2026-03-01T00:00:00Z ",
	])("is not written as %j", (text) => {
		expect(parseTimestamp(text)).toMatchObject({ wrong: expect.stringContaining("not a time with a zero offset") });
	});
});
