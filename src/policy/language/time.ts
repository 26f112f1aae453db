/** The functions of `time`: `Timestamp` and `CronSpan` (docs/internals/policies.md#time). */
import { remember } from "../../common/remember.ts";
import { type Expression, partsOf } from "./syntax.ts";
import { findZone, type Offset, type Zone } from "./zones.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** What an argument has wrong, and what would be right. */
export interface WrongArgument {
	readonly wrong: string;
	/** Which argument, from 0. */
	readonly argument: number;
}

const timestampPattern = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:[Zz]|[+-]00:00)$/;

/** Returns the moment of an RFC 3339 text with a zero offset, in nanoseconds since 1970. */
export function parseTimestamp(text: string): bigint | WrongArgument {
	const match = timestampPattern.exec(text);
	const wrong = "not a time with a zero offset; write it like '2026-03-01T00:00:00Z'";
	if (match === null) return { wrong, argument: 0 };
	const [, date, time, fraction = ""] = match;
	const ms = Date.parse(`${date}T${time}.000Z`);
	// The engine reads February 30 as March 2, and 24:00:00 as the next day.
	const isReal = !Number.isNaN(ms) && new Date(ms).toISOString() === `${date}T${time}.000Z`;
	if (!isReal) return { wrong: "no such date or time; write one that exists", argument: 0 };
	return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

/** A schedule with its windows: each opens when it fires, and is open for the duration. */
export interface CronSpan {
	/** Minutes of a day at which it fires, last first. */
	readonly minutesOfDay: readonly number[];
	readonly daysOfMonth: ReadonlySet<number>;
	readonly months: ReadonlySet<number>;
	readonly weekdays: ReadonlySet<number>;
	/** Whether a day fires that either the day of the month or the weekday names: both are restricted. */
	readonly isEitherDay: boolean;
	readonly durationMs: number;
	readonly zone: Zone;
}

type Construct = Expression & { readonly node: "construct" };

const read = new WeakMap<Construct, ReturnType<typeof findConstruct>>();

/** Returns the moment or the schedule that the expression writes, or what is wrong with an argument; null without as many texts as it needs. */
export const readConstruct = (expression: Construct): ReturnType<typeof findConstruct> =>
	remember(read, expression, () => findConstruct(expression));

function findConstruct({ name, arguments: given }: Construct): bigint | CronSpan | WrongArgument | null {
	const texts = given.flatMap((one) => (one.node === "literal" && typeof one.value === "string" ? one.value : []));
	const [first = "", second = "", third = ""] = texts;
	if (texts.length !== given.length || texts.length !== (name === "Timestamp" ? 1 : 3)) return null;
	return name === "Timestamp" ? parseTimestamp(first) : parseCronSpan(first, second, third);
}

/** Returns the moments, in milliseconds since 1970, and the schedules that a clause names. */
export function timesIn(clause: Expression): {
	readonly moments: readonly number[];
	readonly spans: readonly CronSpan[];
} {
	const found = partsOf(clause).map((part) => (part.node === "construct" ? readConstruct(part) : null));
	return {
		moments: found.flatMap((one) => (typeof one === "bigint" ? Number(one / 1_000_000n) : [])),
		spans: found.flatMap((one) => (typeof one === "object" && one !== null && "zone" in one ? one : [])),
	};
}

const cronFields = [
	["minute", 0, 59],
	["hour", 0, 23],
	["day of the month", 1, 31],
	["month", 1, 12],
	["weekday", 0, 6],
] as const;

/** Returns the schedule that the three arguments of `CronSpan` describe. */
export function parseCronSpan(cron: string, duration: string, zoneName: string): CronSpan | WrongArgument {
	const written = cron.split(/ +/);
	if (cron.length > 1_000 || written.length !== cronFields.length) {
		return { wrong: "not 5 fields; write minute, hour, day, month and weekday, like '0 9 * * 1-5'", argument: 0 };
	}
	const sets: ReadonlySet<number>[] = [];
	for (const [index, [name, least, most]] of cronFields.entries()) {
		const set = parseCronField(written[index] ?? "", least, most);
		const wrong = `the ${name} has only numbers from ${least} to ${most}, ranges like 1-5, lists like 1,3 and *`;
		if (set === null) return { wrong, argument: 0 };
		sets.push(set);
	}
	const durationMs = parseDuration(duration);
	if (typeof durationMs !== "number") return durationMs;
	const zone = findZone(zoneName);
	if (zone === null) return { wrong: "not an IANA time zone; write a name like 'America/New_York'", argument: 2 };
	const [minutes = new Set(), hours = new Set(), daysOfMonth = new Set(), months = new Set(), weekdays = new Set()] =
		sets;
	const minutesOfDay = [...hours].flatMap((hour) => [...minutes].map((minute) => hour * 60 + minute));
	minutesOfDay.sort((left, right) => right - left);
	const isEitherDay = written[2] !== "*" && written[4] !== "*";
	return { minutesOfDay, daysOfMonth, months, weekdays, isEitherDay, durationMs, zone };
}

/** Returns the numbers of one field, or null. Unverified, chosen: ranges go up, and `*` is alone. */
function parseCronField(field: string, least: number, most: number): ReadonlySet<number> | null {
	const numbers = new Set<number>();
	for (const part of field === "*" ? [`${least}-${most}`] : field.split(",")) {
		const match = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part);
		if (match === null) return null;
		const from = Number(match[1]);
		const to = Number(match[2] ?? match[1]);
		if (from < least || to > most || from > to) return null;
		for (let number = from; number <= to; number += 1) numbers.add(number);
	}
	return numbers;
}

/** Unverified, chosen: days, hours and minutes come in this order, each at most once. */
function parseDuration(text: string): number | WrongArgument {
	const match = /^(?:(\d{1,5})d)?(?:(\d{1,5})h)?(?:(\d{1,5})m)?$/.exec(text);
	const [, days = 0, hours = 0, minutes = 0] = match ?? [];
	const ms = Number(days) * dayMs + Number(hours) * 60 * minuteMs + Number(minutes) * minuteMs;
	if (match === null || text === "")
		return { wrong: "not a duration; write whole days, hours and minutes like '1d12h'", argument: 1 };
	if (ms > 0 && ms <= 7 * dayMs) return ms;
	return { wrong: "the duration is more than zero and at most 7 days", argument: 1 };
}

/**
 * Whether a window is open at the moment, in milliseconds since 1970. Null: it depends on whether the schedule fires at a
 * local time that a clock change skips or repeats, which is not documented.
 */
export function isOpen(span: CronSpan, atMs: number): boolean | null {
	const offsets = span.zone.offsets(atMs - span.durationMs - 2 * dayMs, atMs + 2 * dayMs);
	const ahead = offsets.map((offset) => offset.ahead);
	const earliest = atMs - span.durationMs + Math.min(...ahead);
	const latest = atMs + Math.max(...ahead);
	let isUnclear = false;
	for (let day = Math.floor(latest / dayMs); (day + 1) * dayMs > earliest; day -= 1) {
		if (!firesOn(span, day)) continue;
		for (const minute of span.minutesOfDay) {
			const local = day * dayMs + minute * minuteMs;
			if (local <= earliest || local > latest) continue;
			const isFireOpen = isOpenFrom(local, span.durationMs, offsets, atMs);
			if (isFireOpen === true) return true;
			if (isFireOpen === null) isUnclear = true;
		}
	}
	return isUnclear ? null : false;
}

/** `day`: days since 1970, in local time. */
function firesOn(span: CronSpan, day: number): boolean {
	const date = new Date(day * dayMs);
	if (!span.months.has(date.getUTCMonth() + 1)) return false;
	const isDay = span.daysOfMonth.has(date.getUTCDate());
	const isWeekday = span.weekdays.has(date.getUTCDay());
	return span.isEitherDay ? isDay || isWeekday : isDay && isWeekday;
}

/**
 * Whether the window of a fire at a local time is open. Unverified, chosen: a fire at a skipped local time may be left out,
 * early or late; one at a repeated local time may be the first, the second or both.
 */
function isOpenFrom(local: number, durationMs: number, offsets: readonly Offset[], atMs: number): boolean | null {
	const open = new Set<boolean>();
	for (const [index, { start, ahead }] of offsets.entries()) {
		const fire = local - ahead;
		const end = offsets[index + 1]?.start ?? Number.POSITIVE_INFINITY;
		if (fire >= start && fire < end) open.add(fire <= atMs && atMs < fire + durationMs);
	}
	const [only = null] = open;
	return open.size === 1 ? only : null;
}

/** Returns the moments at which windows of the schedule open or close, from one moment to another, in order; at most `max`. */
export function boundariesOf(span: CronSpan, from: number, to: number, max: number): readonly number[] {
	const found = new Set<number>();
	const offsets = span.zone.offsets(from - span.durationMs - 2 * dayMs, to + 2 * dayMs);
	for (let day = Math.floor((from - span.durationMs) / dayMs) - 1; day * dayMs <= to + dayMs; day += 1) {
		if (found.size >= max) break;
		if (!firesOn(span, day)) continue;
		const minutes = [...span.minutesOfDay].map((minute) => day * dayMs + minute * minuteMs);
		const fires = minutes.flatMap((local) => offsets.map(({ ahead }) => local - ahead));
		for (const at of fires.flatMap((fire) => [fire, fire + span.durationMs])) if (at > from && at <= to) found.add(at);
	}
	return [...found].sort((one, other) => one - other).slice(0, max);
}

/** Whether a schedule fires on some days of a month or some months only, so that its weeks differ. */
export const isYearly = ({ daysOfMonth, months }: CronSpan): boolean => daysOfMonth.size < 31 || months.size < 12;
