/** Offsets of time zones, and the moments at which they change. */
import { describe, expect, it } from "vitest";
import { parseCronSpan } from "../../../src/policy/language/time.ts";
import { findZone } from "../../../src/policy/language/zones.ts";

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
		["60 9 * * *", "1h", 0],
		["0 24 * * *", "1h", 0],
		["0 9 * 13 *", "1h", 0],
		["5-1 9 * * *", "1h", 0],
		["0 9 * * *", "0m", 1],
		["0 9 * * *", "1h1d", 1],
	])("is wrong as %j for %j, in its argument %i", (cron, duration, argument) => {
		expect(parseCronSpan(cron, duration, "UTC")).toMatchObject({ argument });
	});
});
