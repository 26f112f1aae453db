/**
 * Values to YAML text that reads back as the same values, wherever in a document it stands: in a block, inside [ ] and
 * { }, or as a key. A literal `${` is written as `$${`, because the environment is filled in on reading.
 */
import { escapeSequence, findHidden, replaceHidden } from "../invisible.ts";

/** How a text is written; the writer falls back to double quotes where the style cannot hold the text. */
export type TextStyle = "plain" | "single" | "double";

/** Words that are no text in YAML 1.2, and those that other readers take for something else (YAML 1.1). */
const notText = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** Letters first and nothing that means something to YAML; a UUID begins with a digit and is text all the same. */
const plainWords = /^[\p{L}_][\p{L}\p{N}_.@/-]*(?: [\p{L}\p{N}_.@/-]+)*$/u;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a pipeline's log would take for a command, were the document printed there. */
const commandOfLog = /(?<=#)#(?=\w*\[)/g;

/** The text as a value of a document. */
export function writeText(text: string, style: TextStyle = "plain"): string {
	return writeKey(
		text.replaceAll("${", () => "$${"),
		style,
	);
}

/** The text as a key of a map, into which no environment is filled: it cannot hold `${`. */
export function writeKey(text: string, style: TextStyle = "plain"): string {
	const isSeen = findHidden(text) === undefined && !/\p{Cc}/u.test(text) && text.search(commandOfLog) < 0;
	if (isSeen && style === "plain" && (uuid.test(text) || (plainWords.test(text) && !notText.test(text)))) return text;
	if (isSeen && style === "single") return `'${text.replaceAll("'", "''")}'`;
	const escaped = replaceHidden(JSON.stringify(text), escapeSequence).replace(/\p{Cc}/gu, escapeSequence);
	return escaped.replaceAll(commandOfLog, "\\x23");
}

/** The value on one line. */
export function writeFlow(value: unknown): string {
	if (typeof value === "string") return writeText(value);
	if (Array.isArray(value)) return `[${value.map(writeFlow).join(", ")}]`;
	if (typeof value !== "object" || value === null) return String(value);
	const entries = Object.entries(value).map(([key, entry]) => `${writeKey(key)}: ${writeFlow(entry)}`);
	return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
