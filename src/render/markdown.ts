/**
 * Plans and reports as Markdown, for the comment of a pull request and the summary of a pipeline: what a reader has to decide comes
 * first, and removals are never folded.
 */

import type { Voice } from "../common/said.ts";
import { listed, type Section } from "../say/section.ts";
import { sayVerdict } from "../say/verdict.ts";
import { type Block, codeSpan, fitBlocks, paragraph } from "./markdown-text.ts";
import { type Part, partsOf, sectionsBelow, sectionsOfRun, topicsOf } from "./page.ts";
import { phraseMarkdown, sectionBlocks } from "./print/markdown.ts";
import { foldOrganizations, isAlone, type OrganizationResult, type SuggestingOptions } from "./result/organizations.ts";
import type { CommandResult } from "./result/result.ts";
import { summarizeResult } from "./result/summary.ts";
import { dangersOf } from "./sections/danger.ts";
import { sayOrganization } from "./sections/organization.ts";

export interface MarkdownOptions extends SuggestingOptions {
	/** Distinguishes comments that are updated separately; the command when left out. */
	readonly key?: string;
	/** Max bytes of UTF-8, at least 2,000; 65,535 when left out, the longest comment on GitHub. */
	readonly limit?: number;
	/** Where the full output is, for example the name of an artifact; shown as code. */
	readonly whole?: string;
	/** Name and version of the program, for the foot. */
	readonly generatedBy?: string;
	/** How the reader gives flags; the command line's when left out. */
	readonly voice?: Voice;
}

/**
 * Returns Markdown of at most `limit` bytes. It begins with `<!-- orgsync: KEY -->`, which identifies the comment to replace
 * and which no name can imitate. The same result gives the same bytes.
 */
export function renderMarkdown(result: CommandResult, options: MarkdownOptions = {}): string {
	const { limit = 65_535, whole, generatedBy, voice, commands } = options;
	const { full, folded } = foldOrganizations(result, "decisions", commands);
	const marker = markerOf(options.key ?? result.command);
	const blocks = [
		paragraph(
			[marker, ...caution(result), `### ${phraseMarkdown(sayVerdict(summarizeResult(result).verdict))}`].join("\n\n"),
		),
		...sectionBlocks([...sectionsOfRun(result, "markdown"), foldedSection(folded)]),
		...partsOf(full, isAlone(result), "markdown").flatMap((part) => partBlocks(part, voice)),
		...sectionBlocks(sectionsBelow(result)),
		...topicsOf(result, "markdown").flatMap((part) => partBlocks(part)),
		...(generatedBy === undefined ? [] : [paragraph(`<sub>${codeSpan(generatedBy)}</sub>`, 5)]),
	];
	const pointer = whole === undefined ? "the output of the same command with `--format json`" : codeSpan(whole);
	return fitBlocks(blocks, Math.max(2_000, limit), pointer);
}

/** Returns what is dangerous in the plans, as a block that GitHub shows in red. */
function caution(result: CommandResult): readonly string[] {
	const lines = dangersOf(result);
	return lines.length === 0 ? [] : [["> [!CAUTION]", ...lines.map((line) => `> ${phraseMarkdown(line)}`)].join("\n")];
}

/** Returns the hidden comment of a key; what could end a comment is written as `_`. */
export function markerOf(key: string): string {
	return `<!-- orgsync: ${key.replace(/[^\w./:@-]|-(?=-)|-$|^[->]/gu, "_")} -->`;
}

/** Returns the organizations without anything to decide, one line each. */
function foldedSection(organizations: readonly OrganizationResult[]): Section {
	return listed("idle", organizations, ({ plan, verdict }) => [...sayOrganization(plan), ": ", ...sayVerdict(verdict)]);
}

/** Returns the head of a part and its sections: without its head no section of it is kept. */
function partBlocks({ heading, organizationId, lead, notes = [], sections }: Part, voice?: Voice): readonly Block[] {
	const sentences = [...(lead === undefined ? [] : [lead]), ...notes.map((note) => [...note, "."])];
	const head = [
		...(heading === null ? [] : [`#### ${phraseMarkdown(heading)}`]),
		...(sentences.length === 0 ? [] : [sentences.map(phraseMarkdown).join(" ")]),
	].join("\n\n");
	const blocks = sectionBlocks(sections, voice);
	// Of a thousand organizations those with a guard or a removal come first.
	const rank = heading === null ? 0 : Math.min(3, ...blocks.map((block) => block.rank));
	const own: Block = { ...paragraph(head, rank), noun: ["organization", "organizations"] };
	const all = head === "" ? blocks : [own, ...blocks];
	return organizationId === null ? all : all.map((block) => ({ ...block, group: organizationId }));
}
