/** A pending activity as text. */
import type { ReviewedActivity } from "../../plan/activities/reviewed-activity.ts";
import { renderImpactLine } from "../impact/text.ts";
import { impactHeadingOf } from "../impact/words.ts";
import { phraseText } from "../print/text.ts";
import type { Style } from "../style.ts";
import { type ActivityOptions, type ActivityWords, describeActivity, type RequestLine } from "./activity-words.ts";

/** Returns the lines of one activity; the first is not indented. */
export function renderActivity(
	activity: ReviewedActivity,
	style: Style,
	options: ActivityOptions = {},
): readonly string[] {
	const words = describeActivity(activity, options);
	const below = [
		...words.mistakes.map((mistake) => style.remove(phraseText(mistake))),
		...words.request.map((line) => renderRequestLine(line, style)),
		...renderActivityImpact(words, style),
		...words.votes.map(phraseText),
		...(words.missing === null ? [] : [style.warn(phraseText(words.missing))]),
		style.faint(phraseText(words.fingerprint)),
	];
	return [style.strong(phraseText(words.title)), ...below.map((line) => `  ${line}`)];
}

/** Returns the sentence alone where no line explains it: a heading would only repeat it. */
function renderActivityImpact({ impact, impactLines }: ActivityWords, style: Style): readonly string[] {
	if (impact === null) return [];
	if (impactLines.length === 0) return [impact];
	return [
		style.strong(`${impactHeadingOf(false)}:`),
		...[impact, ...impactLines.flatMap((line) => renderImpactLine(line, style))].map((line) => `  ${line}`),
	];
}

/** Returns a line of what a request changes, with its sign as a plan has it. */
export function renderRequestLine({ sign, isPart, text }: RequestLine, style: Style): string {
	const mark = { "+": style.add, "-": style.remove, "~": style.update, "!": style.warn }[sign];
	return `${isPart ? "    " : ""}${mark(sign)} ${phraseText(text)}`;
}
