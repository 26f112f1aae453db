import { describe, expect, it } from "vitest";
import { showText } from "../../src/plan/render/escape.ts";

describe("a name in the log of a pipeline", () => {
	it.each([
		["::error::stop", "\\u{3a}:error::stop"],
		["  ::set-output name=a::b", "  \\u{3a}:set-output name=a::b"],
		["##[error]stop", "#\\u{23}[error]stop"],
		["a ##[group]b", "a #\\u{23}[group]b"],
	])("%j is no command of it", (name, shown) => expect(showText(name)).toBe(shown));

	it.each(["a::b", "#[a]", "# [a]", "##a", "plain"])("%j is shown as it is", (name) =>
		expect(showText(name)).toBe(name));
});
