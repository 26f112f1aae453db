/** The difference of two texts, line by line and word by word. */
import { describe, expect, test } from "vitest";
import type { Span } from "../../src/say/phrase.ts";
import { differenceOf } from "../../src/say/text-difference.ts";

const show = (span: Span): string =>
	typeof span === "string" ? span : span.kind === "changed" ? `[${span.text}]` : span.kind === "line" ? span.text : "?";
const shown = (before: string, after: string): readonly string[] =>
	differenceOf(before, after).map(({ sign, said }) => `${sign}${said.map(show).join("")}`);

describe("a difference", () => {
	test.each<[string, string, string, readonly string[]]>([
		["marks the words that differ in a line", "a == 'x'", "a == 'y'", ["-a == ['x']", "+a == ['y']"]],
		["keeps lines that both have", "a\n&& b", "a\n&& c", [" a", "-&& [b]", "+&& [c]"]],
		["marks nothing in lines without a common word", "a", "b", ["-a", "+b"]],
		["of a new text has its lines", "", "a\nb", ["+a", "+b"]],
		["of a text that is gone has its lines", "a", "", ["-a"]],
		["adds a line between others", "a\nb", "a\nx\nb", [" a", "+x", " b"]],
		["takes a string as one word", "t('a b')", "t('a c')", ["-t(['a b'])", "+t(['a c'])"]],
	])("%s", (_what, before, after, expected) => {
		expect(shown(before, after)).toEqual(expected);
	});

	test("of large texts without a common line is shown as a whole, without a long search", () => {
		const [before, after] = ["a", "b"].map((letter) =>
			Array.from({ length: 2_000 }, (_, index) => `${letter}${index}`).join("\n"),
		);
		expect(differenceOf(before ?? "", after ?? "")).toHaveLength(4_000);
	});
});
