/** Phrases and sections for a terminal or a log. */
import { listFirst, showAddress, showQuoted, showSpaces, showText } from "../../common/escape.ts";
import { commandLine, voicedText } from "../../common/said.ts";
import { count } from "../../say/count.ts";
import { inVoice, type Phrase, type Span } from "../../say/phrase.ts";
import {
	hasContent,
	isLong,
	isSpaced,
	type Look,
	type Row,
	type Section,
	type Sign,
	withPlace,
} from "../../say/section.ts";
import type { DifferenceLine } from "../../say/text-difference.ts";
import { sayVerdict, type Verdict } from "../../say/verdict.ts";
import { plainStyle, type Style } from "../style.ts";

export function phraseText(phrase: Phrase): string {
	return phrase.map((span) => (typeof span === "string" ? span : spanText(span))).join("");
}

export function verdictText(verdict: Verdict): string {
	return phraseText(sayVerdict(verdict));
}

function spanText(span: Exclude<Span, string>): string {
	switch (span.kind) {
		case "reason":
		case "title":
		case "line":
		case "changed":
		case "id":
			return showText(span.text);
		case "address":
			return showAddress(span.text);
		case "command":
			return `\`${showText(span.text)}\``;
		case "flag":
		case "override":
		case "earlier-input":
			return showText(voicedText(span, commandLine));
		case "time":
			return showTime(span.text);
		case "quote":
			return showQuoted(span.text, span.maxLength);
		case "code":
			return `\`${showSpaces(span.text.replaceAll("`", "\\u{60}"))}\``;
		case "name": {
			const notes = span.notes.length === 0 ? "" : ` (${span.notes.join(", ")})`;
			return likeWords.test(span.text) ? `"${span.text}"${notes}` : `${span.text}${notes}`;
		}
	}
}

/** Returns a time for people: `2026-12-01 09:30 UTC`, with seconds where it has some. */
export function showTime(iso: string): string {
	const [, date, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):(\d\d)(?:\.\d+)?Z$/.exec(iso) ?? [];
	if (date === undefined) return showText(iso);
	return `${date} ${minute}${second === "00" ? "" : `:${second}`} UTC`;
}

/** Names that a sentence could take for its own words, so that they are in quotes: with a blank, numbers, and words that join others. */
const likeWords = /^[^"].*\s|^\d+$|^(?:alone|and|any|no|of|one|only|or|the|together)$/i;

/** Returns the sections, each with an empty line after it; none of those without content. */
export function sectionsText(sections: readonly Section[], style: Style): readonly string[] {
	const { voice = commandLine } = style;
	return sections.filter(hasContent).flatMap((section) => [...sectionLines(inVoice(section, voice), style), ""]);
}

/** Of sections that may be shortened, more rows than this are counted: the other formats and the JSON have them all. */
const maxRows = 50;

function sectionLines(section: Section, style: Style): readonly string[] {
	const { title, look, lead, rest, foot = [], form = "list", isFolded = false } = section;
	const rows = [...section.rows, ...(rest?.rows ?? [])];
	if (isFolded && form === "list") return rows.length === 0 ? [] : [style.faint(foldedText(section))];
	const margin = title === null && (lead === undefined || form !== "list") ? "" : "  ";
	const leadMargin = title === null ? "" : margin;
	const isCut = form !== "differences" && form !== "sentences" && title !== null && isLong(section, maxRows);
	const shown = (isCut ? rows.slice(0, maxRows) : rows).flatMap((row, index) => [
		...(isSpaced(section) && index > 0 ? [""] : []),
		...linesOf[form](row, style),
	]);
	return [
		...(title === null ? [] : [paint(look, style)(`${title}:`)]),
		...(lead === undefined ? [] : [`${leadMargin}${phraseText(lead)}`, ...(form === "table" ? [""] : [])]),
		...shown.map((line) => (line === "" ? line : `${margin}${line}`)),
		...(isCut ? [`${margin}and ${rows.length - maxRows} more`] : []),
		...foot.map((phrase) => `${margin}${phraseText(phrase)}`),
	];
}

/** Of a list that other formats fold, more rows than this are only counted. */
const maxFolded = 20;

function foldedText({ rows, noun }: Section): string {
	return `${count(rows.length, ...noun)}: ${listFirst(rows.map(rowText), maxFolded)}`;
}

function paint(look: Look, style: Style): (text: string) => string {
	return { plain: (text: string) => text, good: style.add, attention: style.warn, bad: style.remove }[look];
}

const linesOf = {
	list: listLines,
	differences: differenceLines,
	sentences: differenceLines,
	steps: stepLines,
	table: tableLines,
} as const satisfies Readonly<Record<NonNullable<Section["form"]>, (row: Row, style: Style) => readonly string[]>>;

/** Returns a row, its marks and its notes on one line. */
export function rowText({ notes = [], ...row }: Row): string {
	return [headText(row, plainStyle), ...notes.map((note) => phraseText(note.said))].join("; ");
}

/** Returns a row of a list, and its texts and the rows below it, each on a line. */
export function listLines({ difference = [], rows = [], ...row }: Row): readonly string[] {
	const texts = difference.flatMap((line) => changedLines(line, plainStyle));
	const head = `${rowText(row)}${texts.length === 0 ? "" : ":"}`;
	return [head, ...[...texts, ...rows.flatMap(listLines)].map((line) => `  ${line}`)];
}

/** Width of the first column of a table, in characters; what is longer is wrapped between its parts. */
const firstColumn = 26;

function tableLines({ said, rows = [] }: Row): readonly string[] {
	const [left, right] = [wrapPhrase(said), rows.map(cellPhrase).map(phraseText)];
	return Array.from({ length: Math.max(left.length, right.length) }, (_, at) =>
		`${(left[at] ?? "").padEnd(firstColumn)}  ${right[at] ?? ""}`.trimEnd(),
	);
}

function wrapPhrase(phrase: Phrase): readonly string[] {
	const lines: string[] = [];
	for (const span of phrase) {
		const [text, last] = [phraseText([span]), lines.pop()];
		if (last === undefined) lines.push(text);
		else if (typeof span === "string" || last.length + text.length < firstColumn) lines.push(last + text);
		else lines.push(last.trimEnd(), text);
	}
	return lines;
}

/** Returns what the second column of a table says, with the word of its badge. */
export function cellPhrase({ badge, said }: Row): Phrase {
	return badge === undefined ? said : outcomePhrase({ ...badge, why: said });
}

/** Returns a step with a mark for what became of it, and below it that in words, notes and parts. */
export function stepLines({ badge, said, aside, order, notes = [], rows = [] }: Row, style: Style): readonly string[] {
	const mark = badge === undefined ? (order?.id ?? "--") : paint(badge.look, style)(marks[badge.look]);
	const outcome = badge === undefined || badge.look === "good" ? [] : [phraseText(outcomePhrase(badge))];
	return [
		`${mark} ${phraseText(said)}${aside === undefined ? "" : `  ${style.faint(phraseText(aside))}`}`,
		...outcome.map((line) => `     ${line}`),
		...notes.map((note) => `     ${paint(note.look, style)(phraseText(note.said))}`),
		...rows.flatMap((row) => stepLines(row, style)).map((line) => `       ${line}`),
	];
}

const marks: Readonly<Record<Look, string>> = { good: "ok", attention: "..", bad: "!!", plain: "--" };

export function outcomePhrase({ word, why = [] }: NonNullable<Row["badge"]>): Phrase {
	return why.length === 0 ? [word] : [word, ": ", ...why];
}

/** Returns a row with its sign, and what belongs to it in lines of their own. */
export function differenceLines(
	{ notes = [], rows = [], difference = [], ...row }: Row,
	style: Style,
): readonly string[] {
	return [
		`${headText(row, style)}${difference.length === 0 ? "" : ":"}`,
		...difference.flatMap((line) => changedLines(line, style)).map((line) => `    ${line}`),
		...rows.flatMap((within) => differenceLines(within, style)).map((line) => `    ${line}`),
		...notes.map((note) => `    ${paintQuietly(note.look, style)(phraseText(note.said))}`),
	];
}

/** Returns a line of a text with its sign, and below it a `^` for each character of the words that differ. */
function changedLines({ sign, said }: DifferenceLine, style: Style): readonly string[] {
	const shown = sign === " " ? " " : paintSign(sign, style)(sign);
	const isChanged = (span: Span): boolean => typeof span !== "string" && span.kind === "changed";
	const marks = said.map((span) => (isChanged(span) ? "^" : " ").repeat(phraseText([span]).length)).join("");
	const line = `${shown} ${phraseText(said)}`;
	return said.some(isChanged) ? [line, `  ${marks.trimEnd()}`] : [line];
}

/** Returns the same on one line, without the lines of a text that stay and the marks below words. */
export function differenceText({ notes = [], rows = [], difference = [], ...row }: Row): string {
	const changed = difference.filter(({ sign }) => sign !== " ").map(({ sign, said }) => `${sign} ${phraseText(said)}`);
	const head = headText(row, plainStyle);
	return [
		changed.length === 0 ? head : `${head}: ${changed.join("; ")}`,
		...rows.map(differenceText),
		...notes.map(({ said }) => phraseText(said)),
	].join("; ");
}

/** Returns the row without what belongs to it. */
function headText(row: Row, style: Style): string {
	const { sign, noun, aside, marks: remarks = [] } = row;
	const start = noun === undefined ? sign : `${sign} ${noun[0]}`;
	return [
		start === undefined || sign === undefined ? "" : `${paintSign(sign, style)(start)} `,
		phraseText(withPlace(row)),
		aside === undefined ? "" : `  ${style.faint(phraseText(aside))}`,
		...remarks.map((mark) => paintQuietly(mark.look, style)(`  (${phraseText(mark.said)})`)),
	].join("");
}

function paintQuietly(look: Look, style: Style): (text: string) => string {
	return look === "plain" ? style.faint : paint(look, style);
}

function paintSign(sign: Sign, { add, remove, update, warn }: Style): (text: string) => string {
	return { "+": add, "-": remove, "~": update, "!": warn, "!!": remove, "?": warn }[sign];
}
