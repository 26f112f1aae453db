/** Phrases and sections as Markdown: whatever is not a word of orgsync is in a code span or a fenced block. */
import { showAddress } from "../../common/escape.ts";
import { commandLine, overrideText, type Voice } from "../../common/said.ts";
import { inVoice, type Phrase } from "../../say/phrase.ts";
import { hasContent, isSpaced, type Row, type Section, type Shortening, withPlace } from "../../say/section.ts";
import { type Block, codeSpan, fence, foldUnder, paragraph, withMore } from "../markdown-text.ts";
import { plainStyle } from "../style.ts";
import { cellPhrase, differenceLines, outcomePhrase, showTime } from "./text.ts";

/** Longest sentence with text of others, in characters: a guard may name many tags. */
const longestReason = 1_000;

export function phraseMarkdown(phrase: Phrase): string {
	return phrase
		.map((span) => {
			if (typeof span === "string") return span;
			if (span.kind === "time") return showTime(span.text);
			if (span.kind === "earlier-input") return commandLine.earlierInput;
			if (span.kind === "override") return codeSpan(overrideText(span));
			if (span.kind === "flag") return codeSpan(commandLine.flag(span.flag, span.value));
			if (span.kind === "address") return codeSpan(showAddress(span.text));
			if (span.kind === "reason") return codeSpan(span.text, longestReason);
			const notes = span.kind === "name" && span.notes.length > 0 ? ` (${span.notes.join(", ")})` : "";
			return codeSpan(`${span.text}${notes}`);
		})
		.join("");
}

const ranks: Readonly<Record<Shortening, number>> = { never: 1, whole: 1.5, last: 2, later: 3, early: 4, first: 6 };

/** Returns the sections as blocks that can be shortened; none of those without content. */
export function sectionBlocks(sections: readonly Section[], voice: Voice = commandLine): readonly Block[] {
	return sections.filter(hasContent).flatMap((given) => {
		const { rest, ...section } = inVoice(given, voice);
		const {
			rows,
			shorten,
			form = "list",
			noun: [, many],
		} = section;
		const lines = form === "differences" ? diffLines(section) : rows.map(prints[form]);
		const noun = form === "differences" ? ([`line of ${many}`, `lines of ${many}`] as const) : section.noun;
		const block: Block =
			rows.length === 0
				? paragraph(wrap(section, [], 0), ranks[shorten])
				: { rank: ranks[shorten], noun, lines, wrap: (kept, more) => wrap(section, kept, more) };
		if (rest === undefined || rest.rows.length === 0) return [block];
		const { lead: _, number: __, ...others } = section;
		return [block, ...sectionBlocks([{ ...others, ...rest, isFolded: true, shorten: "first" }])];
	});
}

function wrap(section: Section, kept: readonly string[], more: number): string {
	const { title, lead, rows, number = rows.length, foot = [], form, isFolded = false } = section;
	const shown = withMore(kept, more);
	const body = form === "differences" ? fence(shown, "diff") : shown.map((line) => `- ${line}`).join("\n");
	const parts = [
		...(lead === undefined ? [] : [phraseMarkdown(lead)]),
		...(shown.length === 0 ? [] : [body]),
		...foot.map(phraseMarkdown),
	].join("\n\n");
	if (title === null) return parts;
	if (isFolded) return foldUnder(`${title} (${number})`, parts);
	return `**${title}${form === "differences" && number > 0 ? ` (${number})` : ""}**\n\n${parts}`;
}

const prints = { list: rowMarkdown, steps: stepMarkdown, sentences: sentenceMarkdown, table: tableMarkdown } as const;

function rowMarkdown({ marks = [], notes = [], rows = [], ...row }: Row): string {
	const behind = marks.map((mark) => ` (${phraseMarkdown(mark.said)})`);
	const said = `${phraseMarkdown(withPlace(row))}${behind.join("")}`;
	const line = [said, ...notes.map((note) => phraseMarkdown(note.said))].join("; ");
	return withBelow(line, rows.map(rowMarkdown));
}

/** Returns a sentence, and its details small below it. */
function sentenceMarkdown({ said, notes = [] }: Row): string {
	return [phraseMarkdown(said), ...notes.map((note) => `<sub>${phraseMarkdown(note.said)}</sub>`)].join("<br>");
}

function tableMarkdown({ said, aside, rows = [] }: Row): string {
	const details = aside === undefined ? "" : ` (${phraseMarkdown(aside)})`;
	return withBelow(`${phraseMarkdown(said)}${details}`, rows.map(cellPhrase).map(phraseMarkdown));
}

function withBelow(line: string, below: readonly string[]): string {
	return [line, ...below.map((one) => `  - ${one.replaceAll("\n", "\n  ")}`)].join("\n");
}

/** Returns a step with what became of it, and its notes and parts as a list below it. */
function stepMarkdown({ badge, said, aside, order, notes = [], rows = [] }: Row): string {
	const outcome =
		badge === undefined || (badge.look === "good" && order !== undefined)
			? ""
			: `: **${badge.word}**${phraseMarkdown(outcomePhrase(badge).slice(1))}`;
	const after = order === undefined || order.after.length === 0 ? "" : `, after ${order.after.join(", ")}`;
	const id = order === undefined ? "" : `${order.id} `;
	const details = [
		...(order === undefined ? [] : [`${codeSpan(order.operation)}${after}`]),
		...(aside === undefined ? [] : [phraseMarkdown(aside)]),
	].join("; ");
	const below = [...notes.map((note) => phraseMarkdown(note.said)), ...rows.map(stepMarkdown)];
	return withBelow(`${id}${phraseMarkdown(said)}${details === "" ? "" : ` (${details})`}${outcome}`, below);
}

/** Returns differences in lines with their sign in front, where a `diff` block colours them. */
function diffLines(section: Section): readonly string[] {
	return section.rows.flatMap((row, index) => [
		...(isSpaced(section) && section.title !== null && index > 0 ? [""] : []),
		...differenceLines(row, plainStyle).map(markInFront),
	]);
}

/** Returns the line with the sign of a part in front, where a `diff` block colours it. A line of a text stays above its marks. */
function markInFront(line: string): string {
	return line.replace(/^( {4})( {4}|)([+-]) /, (_all, margin: string, deeper: string, sign: string) =>
		deeper === "" ? sign + margin.slice(1) : `${sign + margin.slice(1) + deeper}  `,
	);
}
