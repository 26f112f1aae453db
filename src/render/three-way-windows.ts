/** The change of a window between two documents, in words. */
import { clipMiddle, showText } from "../escape.ts";
import { isRecord } from "../json.ts";
import { describeTime } from "../plan/access-window.ts";

/** Returns both windows, escaped. A saved plan can have anything in their place. */
export function describeWindowChange(before: unknown, after: unknown): string {
	return `${describeWindow(before)} -> ${describeWindow(after)}`;
}

/** Returns a window as in a plan; without one, the user always has the tag. */
function describeWindow(value: unknown): string {
	if (!isRecord(value)) return "always";
	const text = (key: string): string | undefined => {
		const part = value[key];
		return typeof part === "string" ? showText(clipMiddle(part)) : undefined;
	};
	const moment = (word: "from" | "until"): readonly string[] => {
		const [time, written] = [text(word), text(`${word}Written`)];
		if (time === undefined) return [];
		return [`${word} ${describeTime(time)}${written === undefined ? "" : ` (written ${written})`}`];
	};
	const reason = text("reason")?.replaceAll('"', "'");
	const times = [...moment("from"), ...moment("until")].join(" ");
	return reason === undefined ? times : `${times}, reason "${reason}"`;
}
