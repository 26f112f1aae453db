/** What the build refuses of a bundle: files that load each other in a circle, of which Node warns at every command. */
import { describe, expect, it } from "vitest";
import { findCircle } from "../scripts/bundle.ts";

const findIn = (imports: Readonly<Record<string, readonly string[]>>) => findCircle(new Map(Object.entries(imports)));

describe("files of a bundle that load each other in a circle", () => {
	it("are found in their order, without the files that lead to them", () => {
		expect(findIn({ start: ["main"], main: ["lazy"], lazy: ["node:fs", "words"], words: ["main"] })).toEqual([
			"main",
			"lazy",
			"words",
			"main",
		]);
		expect(findIn({ main: [], alone: ["alone"] })).toEqual(["alone", "alone"]);
	});

	it("are not those that are loaded from several others", () => {
		expect(findIn({ start: ["main", "words"], main: ["words", "errors"], words: ["errors"], errors: [] })).toBe(
			undefined,
		);
	});
});
