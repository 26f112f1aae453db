/**
 * The formats of a result. Each renderer is loaded only when its format is asked for.
 */

import { type ProgramLanguage, programLanguages } from "../../document/export/program.ts";
import type { GithubOptions } from "../../render/github.ts";
import type { MetricsOptions, RunFacts } from "../../render/metrics/openmetrics.ts";
import type { FoundOrganization } from "../../render/result/found.ts";
import type { StreamOptions } from "../../render/result/organizations.ts";
import type { CommandResult, ErrorDescription } from "../../render/result/result.ts";
import type { TextOptions } from "../../render/result-text.ts";
import { plainStyle } from "../../render/style.ts";

/** How a result can be printed. Only results about organizations have more than the first two. */
export const formats = ["text", "json", "markdown", "html", "github"] as const;

/** The formats of commands that work on one organization after the other. */
export const streamFormats = [...formats, "jsonl"] as const;

/** The formats of commands that can be watched: with metrics. */
export const meteredFormats = [...streamFormats, "openmetrics"] as const;

/** The formats of `show`: the access cases of a plan as a list of tests too. */
export const showFormats = [...formats, "junit"] as const;

/** The formats of `test`: a list of tests for pipelines too. */
export const caseFormats = ["text", "json", "markdown", "github", "junit"] as const;

/** The formats of `export`: documents, and programs, which the command writes as the text of its result. */
export const exportFormats = ["text", "json", ...programLanguages] as const;

export const lintFormats = ["text", "json", "markdown", "github", "sarif"] as const;

export const allFormats = [...meteredFormats, "junit", ...programLanguages, "sarif"] as const;

export type Format = (typeof allFormats)[number];

/** Whether results are text for standard output, and errors are only on standard error. */
export function isText(format: Format): boolean {
	return format === "text" || isProgramLanguage(format);
}

export function isProgramLanguage(format: Format): format is ProgramLanguage {
	return programLanguages.some((language) => language === format);
}

export interface Rendered {
	/** Ends with a newline, or is empty. */
	readonly text: string;
	/** What a pipeline shows beside its log; empty when the format has none. */
	readonly summary: string;
}

export interface RenderOptions extends GithubOptions, TextOptions {
	readonly run: RunFacts;
}

/** Max bytes of a step's summary; GitHub takes 1 MiB. */
const maxSummaryBytes = 1_000_000;

type Renderer = (result: CommandResult, options: RenderOptions) => Promise<string>;

/** Hooks and editors run `validate` often: the text of plans, which loads what makes plans, is not loaded for it. */
const renderText: Renderer = async (result, options) => {
	if (result.command !== "validate" || result.error !== null)
		return (await import("../../render/result-text.ts")).renderText(result, options);
	const { sectionsText } = await import("../../render/print/text.ts");
	const { validateSection } = await import("../../render/sections/validate.ts");
	return sectionsText([validateSection(result)], options.style).join("\n");
};

const renderers: Readonly<Record<Exclude<Format, "github">, Renderer>> = {
	text: renderText,
	"pulumi-yaml": renderText,
	"pulumi-typescript": renderText,
	jsonl: async (result) => {
		const { LineStream } = await import("../../render/result/lines.ts");
		const lines = new LineStream({ command: result.command, size: 0, style: plainStyle });
		return `${lines.begin()}${lines.end(result)}`;
	},
	sarif: async (result) => (await import("../../render/sarif.ts")).renderSarif(result),
	json: async (result) => (await import("../../render/result/published.ts")).renderJson(result),
	markdown: async (result, options) => (await import("../../render/markdown.ts")).renderMarkdown(result, options),
	openmetrics: async (result, { run }) =>
		(await import("../../render/metrics/openmetrics.ts")).renderOpenMetrics(result, run),
	junit: async (result) => (await import("../../render/print/junit.ts")).renderJunit(result),
	html: async (result, options) => (await import("../../render/html/page.ts")).renderHtml(result, options),
};

export async function render(format: Format, result: CommandResult, options: RenderOptions): Promise<Rendered> {
	if (format !== "github") return { text: await renderers[format](result, options), summary: "" };
	const { renderGithub } = await import("../../render/github.ts");
	const { annotations, summary } = renderGithub(result, { ...options, limit: maxSummaryBytes });
	// Annotations alone would leave the log without the plan.
	const log = await renderers.text(result, { ...options, style: plainStyle });
	return { text: `${annotations}${log}`, summary };
}

/** The text of a result that comes in parts. */
interface PartRenderer {
	/** Returns what comes before the first part. */
	begin?(): string;
	add(found: FoundOrganization): string;
	/**
	 * Returns the end; `rest` is the result without its organizations, or that of the error that ended the call. `error` is
	 * why the command did not do its work; null if only the work in organizations failed.
	 */
	end(rest: CommandResult, error: ErrorDescription | null): string;
}

/** Whether the format shows one organization after the other, and keeps none. */
export function isStreamed(format: Format): boolean {
	return format === "jsonl" || format === "text" || format === "openmetrics";
}

/** Returns the renderer for a format that shows one organization after the other; undefined for one that is one document. */
export async function findPartRenderer(
	format: Format,
	options: StreamOptions & MetricsOptions,
): Promise<PartRenderer | undefined> {
	if (format === "openmetrics") return new (await import("../../render/metrics/openmetrics.ts")).MetricsStream(options);
	if (format === "jsonl") return new (await import("../../render/result/lines.ts")).LineStream(options);
	if (format === "text") return new (await import("../../render/result-text.ts")).TextStream(options);
	return undefined;
}
