/** Workflow commands: lines of the log that begin with `::`. Names are escaped twice, as text and as data of the command. */
import { showText } from "../common/escape.ts";
import type { Position } from "../plan/organization.ts";
import { clip } from "./markdown-text.ts";

export const levelsInOrder = ["error", "warning", "notice"] as const;

export type Level = (typeof levelsInOrder)[number];

export interface Annotation {
	readonly level: Level;
	readonly title: string;
	readonly message: string;
	readonly at: Position | undefined;
}

/** Longest message, in characters; the summary has the whole. */
const longestMessage = 1_000;

/** Returns one workflow command. `-` is standard input, which has no line in the repository. */
export function renderAnnotation({ level, title, message, at }: Annotation): string {
	const place =
		at === undefined || at.file === "-"
			? []
			: [`file=${escapeProperty(showText(at.file))}`, `line=${at.line}`, `col=${at.column}`];
	const properties = [...place, `title=${escapeProperty(title)}`];
	const whole = showText(message.replace(/\s*\n\s*/g, " "));
	const more = whole.length <= longestMessage ? "" : " (cut here: the summary has all of it)";
	return `::${level} ${properties.join(",")}::${escapeData(`${clip(whole, longestMessage)}${more}`)}`;
}

/** Escapes the text of a command as the toolkit of GitHub's actions does. */
function escapeData(text: string): string {
	return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
	return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
