/** The window of a member in a comparison of two documents, in words. */
import { clipMiddle, showText } from "../../common/escape.ts";
import { isRecord } from "../../common/json.ts";
import { describeTime } from "../../plan/access-window.ts";

/** Returns a window, escaped; without one, the user always has the tag. A saved plan can have anything in its place. */
export function describeWindow(value: unknown): string {
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
