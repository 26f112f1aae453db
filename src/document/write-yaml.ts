/** Writes values as YAML for any place of a document. A literal `${` is `$${`, as variables are substituted when it is read. */
import { escapeSequence, findHidden, replaceHidden } from "../common/invisible.ts";
import { uuid } from "../common/uuid.ts";

/** The style of a text. The writer uses double quotes if the text does not fit the style. */
export type TextStyle = "plain" | "single" | "double";

/** Words that are not text in YAML 1.2 or in YAML 1.1, which other readers use. */
const notText = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** Text that begins with a letter and has no YAML syntax. A UUID is text too, although it can begin with a digit. */
const plainWords = /^[\p{L}_][\p{L}\p{N}_.@/-]*(?: [\p{L}\p{N}_.@/-]+)*$/u;
/** Text that a pipeline would run as a command if the document were printed to its log. */
const commandOfLog = /(?<=#)#(?=\w*\[)/g;

/** Returns the text as a value of a document. */
export function writeText(text: string, style: TextStyle = "plain"): string {
	return writeKey(
		text.replaceAll("${", () => "$${"),
		style,
	);
}

/** Returns the text as a key of a map. Variables are not substituted in keys, so it must not contain `${`. */
export function writeKey(text: string, style: TextStyle = "plain"): string {
	const isPlain = findHidden(text) === undefined && !/\p{Cc}/u.test(text) && text.search(commandOfLog) < 0;
	if (isPlain && style === "plain" && (uuid.test(text) || (plainWords.test(text) && !notText.test(text)))) return text;
	if (isPlain && style === "single") return `'${text.replaceAll("'", "''")}'`;
	const escaped = replaceHidden(JSON.stringify(text), escapeSequence).replace(/\p{Cc}/gu, escapeSequence);
	return escaped.replaceAll(commandOfLog, "\\x23");
}

/** Whether the text is one without quotes too, as a value of a map that is not written in braces: some words, such as an expression. */
export function isPlainLine(text: string): boolean {
	const isWhole = findHidden(text) === undefined && text.search(commandOfLog) < 0 && !/\p{C}/u.test(text);
	return isWhole && /^[\p{L}_(](?=.* )(?:(?!: | #).)*[^\s:]$/u.test(text);
}

/** Texts that a literal block can hold as they are: visible characters and line breaks, no space at the beginning or end. */
const blockText = /^[^\s\p{C}][^\p{C}\p{Zl}\p{Zp}]*(?:\n+[^\p{C}\p{Zl}\p{Zp}]+)*(?<=\S)$/u;

/** Returns the lines of a block below its header; undefined where no block can hold the text. Variables are not escaped. */
export function writeBlock(text: string, indent: string, newline = "\n"): string | undefined {
	const needsEscapes = writeKey(text, "double") !== JSON.stringify(text);
	if (needsEscapes || !blockText.test(text)) return undefined;
	return text.replace(/\n(?!\n)/g, `\n${indent}`).replaceAll("\n", newline);
}

/** Returns the value on one line. `write` writes its texts. */
export function writeFlow(value: unknown, write: (text: string) => string = (text) => writeText(text)): string {
	if (typeof value === "string") return write(value);
	if (Array.isArray(value)) return `[${value.map((item) => writeFlow(item, write)).join(", ")}]`;
	if (typeof value !== "object" || value === null) return String(value);
	const entries = Object.entries(value).map(([key, entry]) => `${writeKey(key)}: ${writeFlow(entry, write)}`);
	return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
