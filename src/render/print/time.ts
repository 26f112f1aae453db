import { showText } from "../../common/escape.ts";

/** Returns a time for people: `2026-12-01 09:30 UTC`, with seconds where it has some. */
export function showTime(iso: string): string {
	const [, date, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):(\d\d)(?:\.\d+)?Z$/.exec(iso) ?? [];
	if (date === undefined) return showText(iso);
	return `${date} ${minute}${second === "00" ? "" : `:${second}`} UTC`;
}
