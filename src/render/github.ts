/**
 * Plans and reports for a pipeline on GitHub: annotations at the lines of the document, and the summary of the step, which has
 * what a log has no lines for.
 */

import { showOrganization } from "../plan/organization-name.ts";
import type { Section } from "../say/section.ts";
import { type Annotation, levelsInOrder, renderAnnotation } from "./annotation.ts";
import { type MarkdownOptions, renderMarkdown } from "./markdown.ts";
import { decisionsIn, findingsIn, sectionsOfRun, topicsOf } from "./page.ts";
import type { PositionOf } from "./positions.ts";
import { levels, sectionAnnotations } from "./print/annotations.ts";
import { verdictText } from "./print/text.ts";
import { isAlone, type OrganizationResult, organizationsOf } from "./result/organizations.ts";
import type { CommandResult } from "./result/result.ts";
import { errorAbove, summarizeResult } from "./result/summary.ts";

export interface GithubOptions extends MarkdownOptions {
	readonly positionOf?: PositionOf;
}

export interface GithubResult {
	/** Lines for the log, each a workflow command; at most ten of a level, as GitHub shows no more of one step. */
	readonly annotations: string;
	/** Markdown to append to the file that `GITHUB_STEP_SUMMARY` names. */
	readonly summary: string;
}

/** Max annotations of a level that GitHub shows of one step. */
const maxOfALevel = 10;

export function renderGithub(result: CommandResult, options: GithubOptions = {}): GithubResult {
	return { annotations: renderAnnotations(result, options), summary: renderMarkdown(result, options) };
}

/** Returns the annotations, the verdict first. No name can begin, end or extend a workflow command. */
export function renderAnnotations(result: CommandResult, options: GithubOptions = {}): string {
	const [verdict, ...others] = annotationsOf(result, options);
	const byLevel = Map.groupBy(others, ({ level }) => level);
	const lines = levelsInOrder.flatMap((level) =>
		withinLimit(byLevel.get(level) ?? [], maxOfALevel - (verdict.level === level ? 1 : 0)),
	);
	return [verdict, ...lines].map((annotation) => `${renderAnnotation(annotation)}\n`).join("");
}

function annotationsOf(
	result: CommandResult,
	{ positionOf = () => undefined, commands }: GithubOptions,
): readonly [verdict: Annotation, ...others: Annotation[]] {
	const { verdict, tone } = summarizeResult(result);
	const { command } = result;
	const error = errorAbove(result);
	const hasOthers = !isAlone(result);
	const at = (one: OrganizationResult, sections: readonly Section[]): readonly Annotation[] => {
		const { organizationId } = one.plan;
		const found = sectionAnnotations(sections, (address) => positionOf(address, organizationId));
		// Where several share a log, a line of a document names its organization.
		const about = `organization ${showOrganization(one.plan)}: `;
		return found.map((note) =>
			hasOthers && note.at === undefined ? { ...note, message: `${about}${note.message}` } : note,
		);
	};
	const organizations = organizationsOf(result, commands);
	return [
		// A plan with changes is normal: a warning on every pull request would be ignored.
		{
			level: (command === "plan" || command === "show") && tone === "attention" ? "notice" : levels[tone],
			title: `orgsync: ${command}`,
			message: error === null ? verdictText(verdict) : [error.message, error.hint ?? []].flat().join("; "),
			at: undefined,
		},
		...sectionAnnotations(sectionsOfRun(result, "annotations"), (address, organizationId = "") =>
			positionOf(address, organizationId),
		),
		...organizations.flatMap((one) => at(one, decisionsIn(one, "annotations"))),
		// After what is to be decided in all of them: GitHub shows no more than ten of a level.
		...organizations.flatMap((one) => at(one, findingsIn(one, "annotations"))),
		...topicsOf(result, "annotations").flatMap(({ sections }) => sectionAnnotations(sections, () => undefined)),
	];
}

function withinLimit(annotations: readonly Annotation[], max: number): readonly Annotation[] {
	const [first] = annotations;
	if (first === undefined || annotations.length <= max) return annotations;
	const shown = annotations.slice(0, max - 1);
	const message = `${annotations.length - shown.length} more: the summary of this step has them`;
	return [...shown, { level: first.level, title: "orgsync: more", message, at: undefined }];
}
