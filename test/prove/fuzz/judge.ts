/**
 * What is wrong with what orgsync printed. Written from what a person may expect of a message, and apart from `src/`: the code
 * that escapes and hides is what is judged.
 */
import type { Json, Outcome } from "./input.ts";

/** Texts that inputs carry, and that nothing may print. */
export const secrets: readonly string[] = [
	"canary-of-the-environment",
	"5ec7e7000000000000000000000000000000000000000000000000005ec7e701",
	"canary-of-the-stamp",
];

/** The words of a defect: of JavaScript, of a value that was turned into text by mistake, of a database. */
const slips: readonly RegExp[] = [
	/\bundefined\b/,
	/\[object \w+\]/,
	/\bNaN\b/,
	/\bInfinity\b/,
	/\n\s+at \S.*:\d+/,
	/unexpected error|unforeseen/,
	/Cannot (?:read|set|convert|mix|destructure|create|access|assign)/,
	/is not (?:a function|iterable|defined|a constructor)(?= or its|$)/m,
	/Maximum call stack/,
	/Unexpected (?:token|end of JSON|non-whitespace|number|string)|in JSON at position/,
	/Invalid (?:time value|array length|string length|regular expression|count value|code point|date|key|character)/,
	/\b(?:Type|Range|Syntax|Reference|URI|Eval)Error\b/,
	/\bERR_[A-Z_]+\b/,
	/SQLITE_|SQL logic|constraint failed/i,
	/function\s*\(|=>\s*\{/,
	/node:internal/,
];

/** Characters that act on a terminal, hide or reorder text; a line break is our own. */
const unsafe = /(?!\n)(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]|\u034f|[\ufe00-\ufe0f])/u;

/** A message with a part that is missing. */
const gaps = /: [,;](?:\s|$)|, ,|(?<!\S)``(?=[\s,;:.]|$)|(?<=\s)\( *\)/m;

/** The last word of an error or a hint that ends in the middle of a sentence: no indented lines follow. */
const openEnd = /^(?:error|hint): .*?(?<word>\S*[:,;]) *(?:\n(?! )|(?![\s\S]))/m;

/** Returns what shows that a part of a message is missing, unless the input has it. */
function findGap(printed: string, given: string): string | undefined {
	const found = [gaps.exec(printed)?.[0], openEnd.exec(printed)?.groups?.word];
	return found.find((gap) => gap !== undefined && !given.includes(gap.trim()));
}

/** In Markdown, a text in a block of code or between backticks is no markup. */
function withoutCode(printed: string): string {
	return printed.replaceAll(/^(`{3,})[^`\n]*\n.*?^\1$/gms, "").replaceAll(/(`+)[^\n]*?\1/g, "");
}

/** Max characters of one line of a refusal: more than anyone reads. A line of JSON is for programs. */
const maxLine = 2500;

/** Returns why a person could not use the message, or what it gives away; undefined for a good one. */
export function findFault({ accepted, printed, markup = false }: Outcome, input: Json): string | undefined {
	const given = JSON.stringify(input);
	const secret = secrets.find((text) => printed.includes(text));
	if (secret !== undefined) return `a secret is printed (${secret.slice(0, 20)})`;
	// Our own HTML is indented with tabs.
	const [character] = unsafe.exec(markup ? printed.replaceAll("\t", "") : printed) ?? [];
	if (character !== undefined) return `a raw character is printed: U+${character.codePointAt(0)?.toString(16)}`;
	if (/^\s*::error::x|##\[error\]x/m.test(printed)) return "a text of others is a command for the log of a pipeline";
	if (markup && withoutCode(printed).includes("<script>alert(1)")) return "a text of others is markup";
	if (accepted) return undefined;
	const said = markup ? printed.replaceAll(/<(script|style)\b.*?<\/\1>/gs, "") : printed;
	const found = slips.flatMap((pattern) => pattern.exec(said)?.[0] ?? []);
	const slip = found.find((one) => !given.includes(one));
	if (slip !== undefined) return `the words of a defect are printed: ${slip.trim()}`;
	if (printed.trim() === "") return "it is refused without a word";
	const gap = markup ? undefined : findGap(printed, given);
	if (gap !== undefined) return `a part of the message is missing at "${gap}"`;
	const long = printed.split("\n").find((line) => line.length > maxLine && !/^ *["{]/.test(line));
	if (long !== undefined) return `a line of the message has ${long.length} characters`;
	return undefined;
}
