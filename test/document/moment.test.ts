/** Times of a document: what each form means, and which are no moment. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { readMoment } from "../../src/document/read/moment.ts";
import { checkSchema } from "../check-schema.ts";

function read(text: string): string {
	const moment = readMoment(text);
	return "ms" in moment ? new Date(moment.ms).toISOString() : moment.mistake;
}

describe("a time", () => {
	test.each([
		["2026-12-01T00:00:00Z", "2026-12-01T00:00:00.000Z"],
		["2026-12-01t00:00:00z", "2026-12-01T00:00:00.000Z"],
		["2026-12-01T09:30+01:00", "2026-12-01T08:30:00.000Z"],
		["2026-12-01T00:00:00.123456-09:30", "2026-12-01T09:30:00.123Z"],
		["2028-02-29T23:59:59+14:00", "2028-02-29T09:59:59.000Z"],
	])("with an offset is RFC 3339: %s", (text, utc) => {
		expect(read(text)).toBe(utc);
	});

	test.each([
		["2026-12-01T09:00 Europe/Berlin", "2026-12-01T08:00:00.000Z"],
		["2026-07-01T09:00:30  Europe/Berlin", "2026-07-01T07:00:30.000Z"],
		["2026-12-01T09:00 UTC", "2026-12-01T09:00:00.000Z"],
		["2026-10-25T03:00 Europe/Berlin", "2026-10-25T02:00:00.000Z"],
		["2026-10-25T01:59:59 Europe/Berlin", "2026-10-24T23:59:59.000Z"],
		["2027-03-28T01:59:59 Europe/Berlin", "2027-03-28T00:59:59.000Z"],
		["2027-03-28T03:00 Europe/Berlin", "2027-03-28T01:00:00.000Z"],
		["2026-10-04T02:00 Australia/Lord_Howe", "clocks go forward"],
		["2026-10-04T02:30 Australia/Lord_Howe", "2026-10-03T15:30:00.000Z"],
	])("with a zone is that time there: %s", (text, utc) => {
		expect(read(text)).toContain(utc);
	});

	test.each([
		["2026-12-01 Europe/Berlin", "2026-11-30T23:00:00.000Z"],
		["2026-12-01 Asia/Kathmandu", "2026-11-30T18:15:00.000Z"],
		// Midnight is skipped: the day begins at one.
		["2026-04-24 Africa/Cairo", "2026-04-23T22:00:00.000Z"],
		// Midnight comes twice: the day begins with the first.
		["2026-11-01 America/Havana", "2026-11-01T04:00:00.000Z"],
		["2011-12-31 Pacific/Apia", "2011-12-30T10:00:00.000Z"],
	])("that is a day of a zone is its first moment: %s", (text, utc) => {
		expect(read(text)).toBe(utc);
	});

	it("is a time for an editor too, in each form that has a moment", () => {
		const forms = [
			"2026-12-01T00:00:00Z",
			"2026-12-01T09:30+01:00",
			"2026-12-01T09:00:30 Europe/Berlin",
			"2026-12-01 UTC",
		];
		const inSchema = (text: string) => checkSchema("document.json", text, "#/$defs/time").length === 0;
		expect([...forms, "$" + "{each.until}"].map(inSchema)).not.toContain(false);
		expect(["2026-12-01", "2026-12-01T09:00:00", "in 4 hours"].map(inSchema)).not.toContain(true);
	});

	it("of a zone is one moment of all, wherever it is read", () => {
		const zones = fc.constantFrom("Europe/Berlin", "America/St_Johns", "Africa/Cairo", "Pacific/Chatham", "UTC");
		const days = fc.integer({ min: 0, max: 12_000 });
		fc.assert(
			fc.property(zones, days, fc.integer({ min: 0, max: 1439 }), (zone, day, minutes) => {
				const local = new Date(day * 86_400_000 + minutes * 60_000).toISOString().slice(0, 16);
				const moment = readMoment(`${local} ${zone}`);
				if ("mistake" in moment) {
					expect(moment.mistake).toMatch(/exists twice|does not exist/);
					return;
				}
				const parts = { dateStyle: "short", timeStyle: "short" } as const;
				const shown = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, ...parts }).format(moment.ms);
				expect(shown.replace(" ", "T")).toBe(local);
			}),
			{ numRuns: 200 },
		);
	});
});

test.each([
	[
		"2026-10-25T02:30 Europe/Berlin",
		"exists twice in Europe/Berlin: clocks go back; write it with an offset, for example `2026-10-25T02:30:00+02:00`",
	],
	[
		"2027-03-28T02:30 Europe/Berlin",
		"does not exist in Europe/Berlin: clocks go forward over it; write it with an offset, for example `2027-03-28T02:30:00+02:00`",
	],
	["2011-12-30 Pacific/Apia", "is a day that Pacific/Apia skips"],
	["2026-12-01", "no offset and no time zone, so it is not one moment; write for example `2026-12-01 Europe/Berlin`"],
	[
		"2026-12-01T09:00:00",
		"no offset and no time zone, so it is not one moment; write for example `2026-12-01T09:00:00Z`",
	],
	["2026-12-01Z", "is a date with an offset, but without a time"],
	["2026-12-01 Berlin", "unknown time zone `Berlin`"],
	["2026-12-01 europe/berlin", "unknown time zone `europe/berlin`"],
	["2026-12-01 +01:00", "unknown time zone `+01:00`"],
	["2026-02-30 UTC", "a date that does not exist"],
	["2026-13-01 UTC", "a date that does not exist"],
	["2026-12-01T24:00:00Z", "a time that does not exist"],
	["2026-12-01T23:59:60Z", "a time that does not exist"],
	["2026-12-01T00:00:00+24:00", "an offset that does not exist: `+24:00`"],
	["1969-12-31T23:59:59Z", "not in the years 1970 to 9998"],
	["9999-12-31T23:59:59Z", "not in the years 1970 to 9998"],
	["2026-12-01 09:00:00Z", "has a space before its time; write a `T`: `2026-12-01T09:00:00Z`"],
	["in 4 hours", "is not a time: expected a time such as"],
	["", "is not a time"],
	["2026-12-01T00:00:00Z\n", "is not a time"],
])("%j is no moment of a document: %s", (text, mistake) => {
	expect(read(text)).toContain(mistake);
});
