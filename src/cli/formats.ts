/**
 * The formats of a result. Each renderer is loaded only when its format is asked for.
 */
import { writeJson } from "../escape.ts";
import type { GithubOptions } from "../render/github.ts";
import type { CommandResult } from "../render/result.ts";
import type { TextOptions } from "../render/result-text.ts";
import { plainStyle } from "../render/style.ts";

/** How a result can be printed. Only results about organizations have more than the first two. */
export const formats = ["text", "json", "markdown", "html", "github"] as const;

export type Format = (typeof formats)[number];

interface Rendered {
	/** Ends with a newline, or is empty. */
	readonly text: string;
	/** What a pipeline shows beside its log; empty when the format has none. */
	readonly summary: string;
}

export interface RenderOptions extends GithubOptions, TextOptions {}

/** Max bytes of a step's summary; GitHub takes 1 MiB. */
const maxSummaryBytes = 1_000_000;

/** Returns the result in this format. */
export async function render(format: Format, result: CommandResult, options: RenderOptions): Promise<Rendered> {
	return renderers[format](result, options);
}

type Renderer = (result: CommandResult, options: RenderOptions) => Promise<Rendered>;

const renderers: Readonly<Record<Format, Renderer>> = {
	text: async (result, options) => {
		const { renderText } = await import("../render/result-text.ts");
		return { text: renderText(result, options), summary: "" };
	},
	json: async (result) => ({ text: `${writeJson(result, 2)}\n`, summary: "" }),
	markdown: async (result, options) => {
		const { renderMarkdown } = await import("../render/markdown.ts");
		return { text: renderMarkdown(result, options), summary: "" };
	},
	html: async (result, options) => {
		const { renderHtml } = await import("../render/html.ts");
		return { text: renderHtml(result, options), summary: "" };
	},
	github: async (result, options) => {
		const { renderGithub } = await import("../render/github.ts");
		const { annotations, summary } = renderGithub(result, { ...options, limit: maxSummaryBytes });
		// Annotations alone would leave the log without the plan.
		const log = await renderers.text(result, { ...options, style: plainStyle });
		return { text: `${annotations}${log.text}`, summary };
	},
};
