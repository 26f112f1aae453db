/**
 * Characters that a reviewer does not see: a document, and what orgsync writes, has them as escapes only.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeSequence, findHidden, nameCharacter, replaceHidden } from "../src/common/invisible.ts";
import { makeAliases } from "../src/document/export/export.ts";
import { parseDocuments } from "../src/document/read/parse.ts";
import { quote } from "../src/document/report.ts";
import { writeFlow, writeKey, writeText } from "../src/document/write-yaml.ts";
import { readDocument } from "../src/pulumi/inputs/inputs.ts";
import { anyCharacter } from "./characters.ts";
import { sectionsOf } from "./plan/support-organizations.ts";

const organizationId = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";
const alice = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001";
const head = `organizationId: ${organizationId}\n`;

const parse = (content: string, environment = {}) => parseDocuments([{ file: "d.yaml", content }], environment);
const codesOf = (content: string, environment = {}) =>
	parse(content, environment).problems.map(({ line, column, code }) => `${line}:${column} ${code}`);

const hidden: Readonly<Record<string, string>> = {
	"a Hangul filler": "\u3164",
	"a Hangul choseong filler": "\u115f",
	"a Hangul jungseong filler": "\u1160",
	"a halfwidth Hangul filler": "\uffa0",
	"a grapheme joiner": "\u034f",
	"a variation selector behind a letter": "\ufe0f",
	"a variation selector behind a digit": "1\ufe0f",
	"an ideographic variation selector": "\u{e0100}",
	"the last of them": "\u{e01ef}",
	"a tag": "\u{e0067}",
	"an unassigned code point of the tags": "\u{e0fff}",
	"an unassigned code point": "\u0378",
	"a noncharacter": "\ufffe",
	"an unassigned invisible operator": "\u2065",
	"an empty braille pattern": "\u2800",
	"a zero-width space": "\u200b",
	"a zero-width joiner": "\u200d",
	"a joiner between pictographs that make no emoji": "\u{1f600}\u200d\u{1f600}",
	"a second selector behind an emoji": "\u2764\ufe0f\ufe0f",
	"a right-to-left override": "\u202e",
	"an isolate": "\u2066",
	"an Arabic letter mark": "\u061c",
	"a soft hyphen": "\u00ad",
	"a byte order mark": "\ufeff",
	"a no-break space": "\u00a0",
	"an ideographic space": "\u3000",
	"a private character": "\ue000",
	"an object replacement": "\ufffc",
	"a null notehead": "\u{1d159}",
	"a blank hieroglyph": "\u{13441}",
};

const emoji = ["❤️", "⚡️", "⚡︎", "👩‍👩‍👧", "❤️‍🔥", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👍🏽", "🧑🏽‍🚀", "🇨🇭", "©️", "👁️‍🗨️"];

describe.each(Object.entries(hidden))("%s", (_what, character) => {
	const name = `sign${character}ers`;
	const { character: first = "", index = 0 } = findHidden(name) ?? {};
	const escaped = replaceHidden(name, escapeSequence);

	test("is a problem anywhere in a document", () => {
		const column = (text: string) => text.indexOf(name) + 1 + index;
		for (const line of [
			`userTags: [{ name: ${name} }]`,
			`userTags: [{ name: '${name}' }]`,
			`userTags: [{ name: x, previously: ["${name}"] }]`,
			`users: { ${name}: ${alice} }`,
			`protect: { userTags: [${name}] }`,
			`expect: { sessionProfiles: [{ id: ${alice}, name: ${name} }] }`,
			`protect: { userTags: [&${name} x] }`,
		]) {
			expect(codesOf(`${head}${line}\n`), line).toContain(`2:${column(line)} invisible-character`);
		}
		const block = `${head}userTags:\n  - name: |-\n      ${name}\n`;
		expect(codesOf(block)).toContain(`4:${7 + index} invisible-character`);
	});

	test("is reported by its number with an escape to write instead, and is not in the message", () => {
		const [problem] = parse(`${head}userTags: [{ name: ${name} }]\n`).problems;
		expect(problem?.message).toBe(
			`invisible character ${nameCharacter(first)}; remove it, or write it as "${escapeSequence(first)}" in double quotes`,
		);
		expect(findHidden(JSON.stringify(problem))).toBeUndefined();
	});

	test("can be in a name that is written with an escape, or that orgsync writes", () => {
		const names = [`"${escaped}"`, writeText(name), writeText(name, "single"), writeFlow(name)];
		for (const written of names) {
			expect(findHidden(written)).toBeUndefined();
			const { organizations, problems } = parse(`${head}protect: { userTags: [${written}] }\n`);
			expect(problems).toEqual([]);
			expect(organizations[0]?.protect.userTags).toEqual([name]);
		}
		const users = parse(`${head}users: { ${writeKey(name)}: ${alice} }\n`).organizations[0]?.users;
		expect(users).toEqual({ [name]: alice });
	});

	test("is escaped in messages, and removed from exported aliases", () => {
		expect(quote(name)).toBe(`\`${escaped}\``);
		expect(findHidden(makeAliases([{ id: alice, name }]).get(alice) ?? "")).toBeUndefined();
	});

	test("is a problem in the value of a variable, which the message does not show", () => {
		const content = `${head}protect: { userTags: ["\${ORGSYNC_VAR_TAG}"] }\n`;
		const [problem, ...others] = parse(content, { ORGSYNC_VAR_TAG: `secret${character}` }).problems;
		expect(others).toEqual([]);
		expect(problem?.code).toBe("invisible-character");
		expect(problem?.message).toContain(
			"the environment variable `ORGSYNC_VAR_TAG` contains the invisible character U+",
		);
		expect(problem?.message).not.toContain("secret");
	});

	test("is accepted from a program, which cannot escape it", () => {
		const found = readDocument({ organizationId, userTags: [{ name }] }, []);
		expect("desired" in found && sectionsOf(found.desired).userTags[0]?.name).toBe(name);
	});
});

test.each(emoji)("the emoji %s is not a problem", (one) => {
	const name = `team ${one}`;
	expect(codesOf(`${head}userTags: [{ name: ${name} }]\nusers: { ${name}: ${alice} }\n`)).toEqual([]);
	expect(writeText(name)).toContain(one);
	expect(quote(name)).toBe(`\`${name}\``);
});

describe("a comment", () => {
	test.each([
		"\u202a",
		"\u202e",
		"\u2066",
		"\u2069",
		"\u2028",
		"\u2029",
		"\u0085",
	])("cannot change the order or the lines in which it is displayed (%j)", (character) => {
		expect(codesOf(`${head}users: {} # so${character} it is\n`)).toEqual(["2:15 invisible-character"]);
	});

	test("cannot hide a line after a carriage return, which many tools display as a line break", () => {
		expect(codesOf(`${head}# soon:\rprotect: { userTags: [root] }\n`)).toEqual(["2:8 not-text"]);
		expect(codesOf(`${head}protect: { userTags: [root] }\n`.replaceAll("\n", "\r\n"))).toEqual([]);
	});

	test("can have any other character", () => {
		expect(codesOf(`# שלום\u200f, 日本\u3000語, ❤️, a\u00a0b\n${head}`)).toEqual([]);
	});
});

test("invisible characters are reported once for each text, and at most 100 times for a file", () => {
	const lines = `    - a\u200bb\u200bc\n`.repeat(500);
	const problems = codesOf(`${head}protect:\n  userTags:\n${lines}`).filter((line) =>
		line.endsWith("invisible-character"),
	);
	expect(problems).toHaveLength(100);
	expect(problems.slice(0, 2)).toEqual(["4:8 invisible-character", "5:8 invisible-character"]);
});

test("any text that is written reads back unchanged, without invisible characters", () => {
	const character = fc.oneof(
		fc.constantFrom(...Object.values(hidden), ...emoji, "$", "{", "'", '"', "\\", " ", "#", ":"),
		fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
	);
	fc.assert(
		fc.property(fc.array(character, { maxLength: 6 }), fc.constantFrom("plain", "single", "double"), (parts, style) => {
			const text = parts.join("");
			const written = writeText(text, style as "plain");
			expect(findHidden(written)).toBeUndefined();
			const { organizations, problems } = parse(
				`${head}expect: { sessionProfiles: [{ id: ${alice}, name: ${written} }] }\n`,
			);
			expect(problems).toEqual([]);
			expect(sectionsOf(organizations[0] ?? { objects: [] }).expect.sessionProfiles[0]?.fields.name).toBe(text);
		}),
		{ numRuns: 500 },
	);
});
