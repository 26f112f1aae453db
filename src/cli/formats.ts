/**
 * The formats of a result besides text: what `--format json` prints, rendered for whom it is meant. Each renderer is loaded
 * only when it is asked for.
 */
import { writeJson } from "../escape.ts";
import type { GithubOptions } from "../render/github.ts";
import type { CommandResult } from "../render/result.ts";

/** How a result can be printed. Only plans and reports have more than the first two. */
export const formats = ["text", "json", "markdown", "html", "github"] as const;

export type Format = (typeof formats)[number];

interface Rendered {
	/** Ends with a newline. */
	readonly text: string;
	/** What a pipeline shows beside its log; empty when the format has none. */
	readonly summary: string;
}

/** Most bytes of a step's summary; GitHub takes 1 MiB. */
const longestSummary = 1_000_000;

type Renderer = (result: CommandResult, options: GithubOptions) => Promise<Rendered>;

/** The renderers by format. Text is each command's own. */
export const renderers: Readonly<Record<Exclude<Format, "text">, Renderer>> = {
	json: async ({ generatedBy, ...output }) => ({ text: `${writeJson(output, 2)}\n`, summary: "" }),
	markdown: async (result, options) => {
		const { renderMarkdown } = await import("../render/markdown.ts");
		return { text: renderMarkdown(result, options), summary: "" };
	},
	html: async (result) => {
		const { renderHtml } = await import("../render/html.ts");
		return { text: renderHtml(result), summary: "" };
	},
	github: async (result, options) => {
		const { renderGithub } = await import("../render/github.ts");
		const { annotations, summary } = renderGithub(result, { ...options, limit: longestSummary });
		return { text: annotations, summary };
	},
};
