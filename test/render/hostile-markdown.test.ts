/** Results as Markdown with hostile names, rendered by a CommonMark and GFM library: they add nothing, and stay in code. */
import { describe, expect, it } from "vitest";
import { isVisible } from "../../src/common/invisible.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import type { CommandResult } from "../../src/render/result/result.ts";
import { toHtml } from "./as-html.ts";
import { hostileNamings, resultsOf } from "./support.ts";

const hostileResults = hostileNamings.map((naming) => resultsOf(naming));
/** Beside them: a status that orgsync does not know is a name of others, too. */
const peacefulResults = resultsOf((name) => name.replace("ACTIVITY_STATUS_CONSENSUS_NEEDED", "ACTIVITY_STATUS_NEW"));

/** The tags and comments of the HTML in their order, without the text between them. */
function skeletonOf(html: string): readonly string[] {
	return html.match(/<!--.*?-->|<[^>]*>/gs) ?? [];
}

/** The text of the HTML that is in no code. */
function proseOf(html: string): string {
	return html
		.replace(/<!--.*?-->/gs, "")
		.replace(/<code[^>]*>.*?<\/code>/gs, "")
		.replace(/<[^>]*>/g, " ");
}

describe.each([...Object.keys(resultsOf()).entries()])("hostile names in Markdown of result %i, %s", (place, name) => {
	const render = (result: CommandResult | undefined) => renderMarkdown(result as CommandResult);
	const peaceful = toHtml(render(peacefulResults[name]));
	const hostile = hostileResults.map((all) => render(all[name]));
	// Most is in several results: rendered are those with each name in front or behind, by turns.
	const hostileHtml = hostile.filter((_, index) => index % 2 === ((index >> 1) + place) % 2).map(toHtml);

	it("leave the structure as it is, and one marker", () => {
		for (const html of hostileHtml) expect(skeletonOf(html)).toEqual(skeletonOf(peaceful));
		expect(skeletonOf(peaceful).filter((tag) => tag.startsWith("<!--"))).toHaveLength(1);
	});

	it("stand only in code, where nothing is linked or mentioned", () => {
		for (const html of hostileHtml) expect(proseOf(html)).toBe(proseOf(peaceful));
	});

	it("begin no workflow command where the Markdown is printed to a log, and have no control characters", () => {
		for (const markdown of hostile) {
			expect(markdown).not.toMatch(/^\s*::|##\[/m);
			expect(isVisible(markdown.replaceAll("\n", ""))).toBe(true);
		}
	});
});
