/** The moments at which other time windows of policies are open, from one moment on. */
import { expect, it } from "vitest";
import { findMoments } from "../../../src/policy/powers/moments.ts";
import { allow, atMs, is } from "./change-lines.ts";

const at = (time: string): string => `Timestamp('2026-06-${time}:00Z')`;

const span = (cron: string, duration: string): string => `CronSpan('${cron}', '${duration}', 'UTC')`;

/** The policies whose windows open or close, and the moments, for `atMs` 2026-06-01T12:00Z, without the year and the month. */
function momentsOf(times: readonly string[], most?: number) {
	const policies = times.map((time, index) => ({ ...allow(is("a")), id: `p${index}`, time }));
	const { policyIds, moments, isComplete } = findMoments(policies, atMs, most);
	const written = moments.map((one) => new Date(one).toISOString().replace(/^2026-06-(.*?)(:00)?\.000Z$/, "$1"));
	return [policyIds.join(), written.join(), ...(isComplete ? [] : ["and more"])];
}

it.each<[why: string, times: readonly string[], expected: readonly string[], most?: number]>([
	["policies without a time", ["", " "], ["", "01T12:00"]],
	["a time that is not understood", ["CronSpan('0 9"], ["", "01T12:00"]],
	["a time that is understood in part", [`time.now >= ${at("03T08:00")} && CronSpan('0 9'`], ["", "01T12:00"]],
	[
		"a time of which a part is not understood",
		[`time.now >= ${at("03T08:00")} && CronSpan('0 9', '1h', 'UTC')`],
		["p0", "01T12:00,03T08:00"],
	],
	["a time that is over", [`time.now < ${at("01T11:00")}`], ["", "01T12:00"]],
	["a time that comes", ["", `time.now >= ${at("03T08:00")}`], ["p1", "01T12:00,03T08:00"]],
	["a bound that is met at its moment, and not after", [`time.now == ${at("03T08:00")}`], ["p0", "01T12:00,03T08:00"]],
	["a time in two years", [`time.now >= Timestamp('2028-06-01T00:00:00Z')`], ["", "01T12:00"]],
	["the windows of a week", [span("0 9 * * 1-5", "2h")], ["p0", "01T12:00,02T09:00"]],
	[
		"the windows of two schedules, of which the second opens first",
		[span("0 16 * * *", "4h"), span("0 15 * * *", "2h")],
		["p0,p1", "01T12:00,01T15:00,01T16:00,01T17:00"],
	],
	[
		"a window that is open only after a time",
		[`${span("0 9 * * 1", "2h")} && time.now >= ${at("20T00:00")}`],
		["p0", "01T12:00,22T09:00"],
	],
	["a window of a day in a month", [span("0 9 30 6 *", "1h")], ["p0", "01T12:00,30T09:00"]],
	[
		"more combinations than are asked for",
		[span("0 16 * * *", "4h"), span("0 15 * * *", "2h")],
		["p0,p1", "01T12:00,01T15:00,01T16:00", "and more"],
		3,
	],
	["as many combinations as are asked for", [span("0 9 * * *", "2h")], ["p0", "01T12:00,02T09:00"], 2],
])("are those at which a combination of windows begins: %s", (_, times, expected, most) => {
	expect(momentsOf(times, most)).toEqual(expected);
});
