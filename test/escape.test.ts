/** Escaping of text from the service and documents: workflow commands and invisible characters. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { showText, writeJson } from "../src/common/escape.ts";
import { isVisible } from "../src/common/invisible.ts";
import { anyCharacter } from "./characters.ts";

describe("a name in a pipeline log", () => {
	it.each([
		["::error::stop", "\\u{3a}:error::stop"],
		["  ::set-output name=a::b", "  \\u{3a}:set-output name=a::b"],
		["##[error]stop", "#\\u{23}[error]stop"],
		["a ##[group]b", "a #\\u{23}[group]b"],
		["##vso[task.setvariable]b", "#\\u{23}vso[task.setvariable]b"],
	])("is not a workflow command: %j", (name, shown) => expect(showText(name)).toBe(shown));

	it.each(["a::b", "#[a]", "# [a]", "##a", "plain"])("is unchanged: %j", (name) => expect(showText(name)).toBe(name));
});

describe("an invisible character", () => {
	const groups: Readonly<Record<string, readonly (number | readonly [from: number, to: number])[]>> = {
		"a control character": [
			[0, 0x1f],
			[0x7f, 0x9f],
		],
		"a direction mark": [0x61c, 0x200e, 0x200f, [0x202a, 0x202e], [0x2066, 0x2069]],
		"a joiner or another format character": [
			0xad,
			0x180e,
			[0x200b, 0x200d],
			[0x2060, 0x2064],
			0xfeff,
			[0xfff9, 0xfffb],
		],
		"a space other than U+0020": [0xa0, 0x1680, [0x2000, 0x200a], 0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
		"a blank letter or symbol": [0x115f, 0x1160, 0x2800, 0x3164, 0xffa0, 0xfffc, 0x13441, 0x16fe4, 0x1d159],
		"a mark without a picture": [0x34f, 0x17b4, 0x17b5, [0x180b, 0x180f], 0x1107f],
		"a variation selector": [
			[0xfe00, 0xfe0f],
			[0xe0100, 0xe01ef],
		],
		"a tag, or unassigned beside the tags": [0x2065, [0xfff0, 0xfff8], [0xe0000, 0xe0fff]],
		"for private use": [[0xe000, 0xf8ff], 0xf0000, 0x10fffd],
		"half of a pair": [[0xd800, 0xdfff]],
		"no character": [[0xfdd0, 0xfdef], 0xfffe, 0xffff, 0x1fffe, 0x10ffff],
	};

	it.each(Object.entries(groups))("is shown as its number, and found: %s", (_, ranges) => {
		for (const range of ranges) {
			const [from, to] = typeof range === "number" ? [range, range] : range;
			for (let code = from; code <= to; code += 1) {
				const character = String.fromCodePoint(code);
				expect(showText(`a${character}b`)).toBe(`a\\u{${code.toString(16)}}b`);
				expect(isVisible(`a${character}b`)).toBe(false);
			}
		}
	});

	it("is shown in emoji of several characters, and emoji of one character are unchanged", () => {
		expect(showText("\u2764 \u{1F642} \u{1F44D}\u{1F3FD}")).toBe("\u2764 \u{1F642} \u{1F44D}\u{1F3FD}");
		expect(showText("\u2764\uFE0F")).toBe("\u2764\\u{fe0f}");
		expect(showText("\u{1F469}\u200D\u{1F4BB}")).toBe("\u{1F469}\\u{200d}\u{1F4BB}");
	});

	it("is not among the characters of ordinary names", () => {
		for (const name of [
			"alice",
			"gr\u00f6\u00dfe",
			"e\u0301",
			"\u5c71\u7530",
			"\u05d0\u05d1",
			"\u0646\u0627\u0645",
			"\u0e17\u0e35\u0e48",
			"\u0915\u094d\u0937\u0947",
			"a b",
		]) {
			expect(showText(name)).toBe(name);
			expect(isVisible(name)).toBe(true);
		}
	});
});

describe("a combining mark", () => {
	it("without a base letter is shown as its number", () => {
		expect(showText("\u0336\u0336bob")).toBe("\\u{336}\\u{336}bob");
		expect(showText("a \u0336b")).toBe("a \\u{336}b");
	});

	it("after six others on one letter is shown as its number, so that it hides no other line", () => {
		const six = `a${"\u0301".repeat(6)}`;
		expect(showText(`${six}\u0301\u0302b`)).toBe(`${six}\\u{301}\\u{302}b`);
	});
});

describe("escaped text", () => {
	const unit = fc.oneof(
		fc.string({ unit: anyCharacter, maxLength: 3 }),
		fc.constantFrom("#", "[", ":", " ", "\u0301", "\u3164", "a", "\\", "\ud800", "\u{e0100}"),
	);
	const anyText = fc.array(unit).map((parts) => parts.join(""));

	it("does not change when it is escaped again", () => {
		fc.assert(
			fc.property(anyText, (text) => {
				expect(showText(showText(text))).toBe(showText(text));
			}),
		);
	});

	it("contains no invisible character and starts no command", () => {
		fc.assert(
			fc.property(anyText, (text) => {
				const shown = showText(text);
				expect(isVisible(shown)).toBe(true);
				expect(shown).not.toMatch(/^\s*::|##\[|##vso\[/);
			}),
		);
	});

	it("as JSON reads back unchanged, and has no invisible character but line breaks", () => {
		fc.assert(
			fc.property(anyText, (text) => {
				const json = writeJson({ [text]: [text] }, 2);
				expect(JSON.parse(json)).toEqual({ [text]: [text] });
				expect(isVisible(json.replaceAll("\n", ""))).toBe(true);
				expect(json).not.toMatch(/^\s*::|##\[/m);
			}),
		);
	});
});
