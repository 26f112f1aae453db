/** The HTML page under hostile names: they add nothing to it, and read as they are written. */
import { describe, expect, it } from "vitest";
import { showSpaces } from "../../src/common/escape.ts";
import { renderHtml } from "../../src/render/html/page.ts";
import { complete } from "./complete.ts";
import { readElements } from "./page-elements.ts";
import { hostileNames, hostileNamings, resultsOf, tabledPlanOf } from "./support.ts";

/**
 * Every element with its attributes, sorted: users stand in the order of their names. Lines of a message are its own, and so is
 * the id beside an alias that has to be cut.
 */
const structureOf = (page: string): readonly string[] =>
	readElements(page)
		.filter(({ shape, path }) => shape !== "br" && !/\.who /.test(path))
		.map(({ shape }) => shape)
		.sort();

/** The text of a part of a page, as a browser shows it. */
const textOf = (part: string): string =>
	part.replace(/<[^>]*>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));

// A name that is changed is no id any more, so that no command can be suggested for it: in the peaceful page too.
const peaceful = resultsOf((text) => `peaceful ${text}`);
const hostile = hostileNamings.map(resultsOf);

describe("hostile names on the page", () => {
	// Most is in several results: rendered are those with each name in front or behind, by turns.
	it.each(
		Object.entries(peaceful).map(([name, result], place) => ({
			name,
			result,
			renamed: hostile.filter((_, index) => index % 2 === ((index >> 1) + place) % 2),
		})),
	)("add no element and no attribute to $name", ({ name, result, renamed }) => {
		const structure = structureOf(renderHtml(result));
		for (const results of renamed) {
			const page = renderHtml(results[name] ?? complete({ command: "" }));
			expect(structureOf(page)).toEqual(structure);
		}
	});

	it.each(hostileNames.map((name, index) => [name.slice(0, 40), index]))("%j reads as it is written", (_, index) => {
		const page = renderHtml(complete({ command: "plan", plans: [tabledPlanOf(hostileNamings[2 * Number(index)])] }));
		const names = [...page.matchAll(/<span class="name"[^>]*>(.*?)<\/span>/gs)].map(([, name = ""]) => textOf(name));
		expect(names).toContain(showSpaces(`${hostileNames[Number(index)]}auditors`));
	});
});
