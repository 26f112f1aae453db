/** The functions of a policy's `time`: Timestamp and CronSpan (docs/internals/service.md#expressions). */
import { PolicyError } from "./tokens.ts";
import type { Expression, Value } from "./types.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const maxSpanMs = 7 * dayMs;

/** The values of one field of a cron expression; null for `*`. */
type CronField = ReadonlySet<number> | null;

const fieldRanges = [
	[0, 59],
	[0, 23],
	[1, 31],
	[1, 12],
	[0, 6],
] as const;

/** Reads `*`, numbers, ranges and lists of them; nothing else is in the service's subset. */
function readField(text: string, [min, max]: readonly [number, number]): CronField {
	if (text === "*") return null;
	const values = new Set<number>();
	for (const part of text.split(",")) {
		const [, first = "", last = first] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part) ?? [];
		if (first === "" || Number(first) < min || Number(last) > max || Number(last) < Number(first)) {
			throw new PolicyError(`not a field of a cron expression: ${text}`);
		}
		for (let value = Number(first); value <= Number(last); value += 1) values.add(value);
	}
	return values;
}

function readDuration(text: string): number {
	const [, days = "", hours = "", minutes = ""] = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?$/.exec(text) ?? [];
	const ms = Number(days) * dayMs + Number(hours) * 60 * minuteMs + Number(minutes) * minuteMs;
	if (ms <= 0 || ms > maxSpanMs) throw new PolicyError(`not a duration: ${text}`);
	return ms;
}

function readZone(timeZone: string): Intl.DateTimeFormat {
	// An offset such as +02:00 is accepted by the runtime and is no name of a zone.
	if (!/^[A-Za-z]/.test(timeZone)) throw new PolicyError(`not a time zone: ${timeZone}`);
	const numeric = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
	try {
		return new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...numeric });
	} catch {
		throw new PolicyError(`not a time zone: ${timeZone}`);
	}
}

/** Returns minute, hour, day, month and weekday of a moment in a zone. */
function readClock(zone: Intl.DateTimeFormat, ms: number): readonly number[] {
	const parts = new Map(zone.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
	const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
	const weekday = new Date(Date.UTC(of("year"), of("month") - 1, of("day"))).getUTCDay();
	return [of("minute"), of("hour"), of("day"), of("month"), weekday];
}

/** Whether the cron expression fires at this minute. With both a day and a weekday, either one is enough. */
function fires(fields: readonly CronField[], clock: readonly number[]): boolean {
	const [minute, hour, day, month, weekday] = fields.map((field, at) => field?.has(clock[at] ?? 0) ?? true);
	if (!minute || !hour || !month) return false;
	return fields[2] === null || fields[4] === null ? day === true && weekday === true : day === true || weekday === true;
}

/** Whether one of the spans that the schedule opens contains the moment: each from its minute until before its end. */
function isOpen(fields: readonly CronField[], spanMs: number, zone: Intl.DateTimeFormat, nowMs: number): boolean {
	const last = Math.floor(nowMs / minuteMs) * minuteMs;
	for (let at = last; at > nowMs - spanMs; at -= minuteMs) {
		if (fires(fields, readClock(zone, at))) return true;
	}
	return false;
}

function readTimestamp(text: string): number {
	const form = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]00:00)$/;
	const ms = form.test(text) ? Date.parse(text.toUpperCase().replace(/[+-]00:00$/, "Z")) : Number.NaN;
	// The runtime reads the 30th of February as a day of March.
	if (Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(text.slice(8, 10)))
		throw new PolicyError(`not a timestamp: ${text}`);
	return ms;
}

type TimeFunction = (texts: readonly string[]) => Expression;

const compileTimestamp: TimeFunction = ([text = "", ...rest]) => {
	if (rest.length > 0) throw new PolicyError("Timestamp takes one text");
	const ms = readTimestamp(text);
	return { type: "timestamp", evaluate: () => ms };
};

const compileCronSpan: TimeFunction = ([cron = "", duration = "", timeZone = "", ...rest]) => {
	const texts = cron.split(" ");
	if (rest.length > 0 || texts.length !== fieldRanges.length) throw new PolicyError("CronSpan takes three texts");
	const fields = texts.map((text, index) => readField(text, fieldRanges[index] ?? [0, 0]));
	const spanMs = readDuration(duration);
	const zone = readZone(timeZone);
	return {
		type: "bool",
		evaluate: ({ names }) => isOpen(fields, spanMs, zone, (names.time as { readonly now: Value }).now as number),
	};
};

export const timeFunctions: ReadonlyMap<string, TimeFunction> = new Map([
	["Timestamp", compileTimestamp],
	["CronSpan", compileCronSpan],
]);
