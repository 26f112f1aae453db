/** Reads a moment: RFC 3339, or a local date or time with a zone. One that a zone skips or has twice is a mistake. */

import { findZone, type Zone } from "../../policy/language/zones.ts";
import { quote } from "../report.ts";

type Moment =
	/** Milliseconds since 1970. */
	| { readonly ms: number }
	/** What is wrong, as the end of a sentence that begins with the moment. */
	| { readonly mistake: string };

const dayMs = 24 * 3_600_000;

/** No offset of a zone is as large. */
const maxOffsetMs = 36 * 3_600_000;

const pattern =
	/^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(?:([Zz]|[+-]\d\d:\d\d)| +(\S+))?$/;

const expected =
	"expected a time such as `2026-12-01T00:00:00Z`, or a date with its time zone: `2026-12-01 Europe/Berlin`";

/** Returns the moment that a text of a document means. */
export function readMoment(text: string): Moment {
	const [, year, month, day, hour, minute, second = "00", fraction = "", offset, zoneName] = pattern.exec(text) ?? [];
	if (year === undefined) return { mistake: `is not a time: ${expected}` };
	if (Number(year) < 1970 || Number(year) > 9998) return { mistake: "is not in the years 1970 to 9998" };
	const days = Date.UTC(Number(year), Number(month) - 1, Number(day));
	if (new Date(days).toISOString().slice(0, 10) !== `${year}-${month}-${day}`) {
		return { mistake: "is a date that does not exist" };
	}
	if (hour !== undefined && (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)) {
		return { mistake: "has a time that does not exist: hours are 00 to 23, minutes and seconds 00 to 59" };
	}
	const timeMs = (Number(hour ?? 0) * 60 + Number(minute ?? 0)) * 60_000 + Number(second) * 1000;
	const local = days + timeMs + Number(fraction.slice(0, 3).padEnd(3, "0"));
	if (offset !== undefined) return atOffset(local, hour !== undefined, offset);
	if (zoneName === undefined) {
		const example = hour === undefined ? `${text} Europe/Berlin` : `${text}Z`;
		return { mistake: `has no offset and no time zone, so it is not one moment; write for example ${quote(example)}` };
	}
	if (/^\d\d:\d\d/.test(zoneName)) {
		return { mistake: `has a space before its time; write a \`T\`: ${quote(text.replace(/ +/, "T"))}` };
	}
	const zone = findZone(zoneName);
	if (zone === null) {
		return {
			mistake: `has an unknown time zone ${quote(zoneName)}: expected a name such as \`Europe/Berlin\` or \`UTC\``,
		};
	}
	return hour === undefined ? startOfDay(local, zone, zoneName) : atLocalTime(local, zone, zoneName);
}

function atOffset(local: number, hasTime: boolean, offset: string): Moment {
	if (!hasTime) return { mistake: `is a date with an offset, but without a time: ${expected}` };
	if (/z/i.test(offset)) return { ms: local };
	const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4))];
	if (hours > 23 || minutes > 59) return { mistake: `has an offset that does not exist: ${quote(offset)}` };
	const aheadMs = (hours * 60 + minutes) * 60_000;
	return { ms: offset.startsWith("-") ? local + aheadMs : local - aheadMs };
}

/** Returns the first moment of the day there, which need not be midnight: where midnight is skipped, the day begins later. */
function startOfDay(midnight: number, zone: Zone, name: string): Moment {
	const starts = spansOf(midnight, zone).flatMap(({ start, end, ahead }) => {
		const moment = Math.max(start, midnight - ahead);
		return moment < end && moment + ahead < midnight + dayMs ? [moment] : [];
	});
	return starts.length > 0
		? { ms: Math.min(...starts) }
		: { mistake: `is a day that ${name} skips; write a time with an offset` };
}

function atLocalTime(local: number, zone: Zone, name: string): Moment {
	const found = spansOf(local, zone).filter(({ start, end, ahead }) => local - ahead >= start && local - ahead < end);
	const [first, second] = found;
	if (first !== undefined && second === undefined) return { ms: local - first.ahead };
	const offset = describeOffset((first ?? spansOf(local, zone).at(-1))?.ahead ?? 0);
	const example = `${new Date(local).toISOString().slice(0, 19)}${offset}`;
	const what =
		first === undefined
			? `does not exist in ${name}: clocks go forward over it`
			: `exists twice in ${name}: clocks go back`;
	return { mistake: `${what}; write it with an offset, for example ${quote(example)}` };
}

interface Span {
	/** From one moment to another, the zone is this much ahead of UTC. Milliseconds since 1970. */
	readonly start: number;
	readonly end: number;
	readonly ahead: number;
}

function spansOf(local: number, zone: Zone): readonly Span[] {
	const offsets = zone.offsets(local - maxOffsetMs, local + dayMs + maxOffsetMs);
	return offsets.map(({ start, ahead }, index) => ({
		start: index === 0 ? Number.NEGATIVE_INFINITY : start,
		end: offsets[index + 1]?.start ?? Number.POSITIVE_INFINITY,
		ahead,
	}));
}

function describeOffset(aheadMs: number): string {
	const minutes = Math.round(Math.abs(aheadMs) / 60_000);
	const pad = (value: number): string => String(value).padStart(2, "0");
	return `${aheadMs < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
