/** What every printer makes of one section: the same rows, each span escaped for the format. */
import { describe, expect, it } from "vitest";
import { renderAnnotation } from "../../../src/render/annotation.ts";
import { fitBlocks } from "../../../src/render/markdown-text.ts";
import { sectionAnnotations } from "../../../src/render/print/annotations.ts";
import { cardHtml } from "../../../src/render/print/html.ts";
import { sectionBlocks } from "../../../src/render/print/markdown.ts";
import { sectionsText } from "../../../src/render/print/text.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { address, code, flag, identifier, reason, time, title } from "../../../src/say/phrase.ts";
import type { Section } from "../../../src/say/section.ts";

/** A name that would end a line, a tag, a code span, a direction and a workflow command. */
const hostile = "a`</b>\n::error::\u202e";

const list: Section = {
	id: "guards",
	title: "Guards that block apply",
	look: "bad",
	noun: ["guard", "guards"],
	lead: ["two of them"],
	rows: [
		{
			badge: { word: "blocks", look: "bad" },
			said: [{ kind: "name", text: "bob", notes: ["b0000000"] }, " loses ", reason(hostile)],
			notes: [{ look: "plain", said: ["to override: ", flag("allow", "memberRemovals=3")] }],
			about: ["userTag:signers"],
		},
		{ said: [code(hostile), " until ", time("2026-12-01T09:30:00Z"), " in ", identifier("org-1")] },
	],
	shorten: "never",
};

const differences: Section = {
	id: "changes",
	title: "Changes",
	look: "plain",
	noun: ["line of changes", "lines of changes"],
	form: "differences",
	rows: [
		{
			sign: "~",
			said: [identifier("userTag:signers")],
			rows: [
				{ sign: "+", said: ["member ", { kind: "name", text: "alice", notes: [] }] },
				{ sign: "-", said: ["member ", { kind: "name", text: "bob", notes: [] }] },
			],
			notes: [{ look: "attention", said: ["members could not be read"] }],
		},
		{ sign: "-", said: [identifier("policy:old")] },
	],
	shorten: "first",
	isFolded: true,
};

const empty: Section = { ...list, lead: [], rows: [] };
const { lead: _, ...nothing } = empty;

const page = (section: Section): string => cardHtml(section)?.html ?? "";
const comment = (section: Section): string => fitBlocks(sectionBlocks([section]), 65_535, "the output");

describe("A section", () => {
	it("is a heading and indented lines in a terminal", () => {
		expect(sectionsText([list], plainStyle)).toEqual([
			"Guards that block apply:",
			"  two of them",
			"  bob (b0000000) loses a`</b>\\u{a}::error::\\u{202e}; to override: --allow memberRemovals=3",
			"  `a\\u{60}</b>\\u{a}::error::\\u{202e}` until 2026-12-01 09:30 UTC in org-1",
			"",
		]);
	});

	it("of differences has the sign of each in a terminal, and what belongs to it below", () => {
		expect(sectionsText([{ ...differences, title: null }], plainStyle)).toEqual([
			"~ userTag:signers",
			"    + member alice",
			"    - member bob",
			"    members could not be read",
			"",
			"- policy:old",
			"",
		]);
	});

	it("is a list in Markdown, with all that is not of orgsync in code spans", () => {
		expect(comment(list)).toBe(
			[
				"**Guards that block apply**\n",
				"two of them\n",
				"- `bob (b0000000)` loses ``a`</b>\\u{a}::error::\\u{202e}``; to override: `--allow memberRemovals=3`",
				"- ``a`</b>\\u{a}::error::\\u{202e}`` until 2026-12-01 09:30 UTC in `org-1`\n",
			].join("\n"),
		);
	});

	it("of differences is a folded block in Markdown, with the signs in front", () => {
		expect(comment(differences)).toBe(
			[
				"<details><summary>Changes (2)</summary>\n",
				"```diff\n~ userTag:signers\n+   member alice\n-   member bob\n    members could not be read\n- policy:old\n```\n",
				"</details>\n",
			].join("\n"),
		);
	});

	it("is a card on a page, in which text of others is isolated", () => {
		expect(page(list)).toContain('<h2 id="guards">Guards that block apply <span class="number">2</span></h2>');
		expect(page(list)).toContain('<span class="word bad">blocks</span> <span><strong><bdi>bob</bdi></strong>');
		expect(page(list)).toContain(
			"loses <bdi>a`&#60;/b&#62;\\u{a}::error::\\u{202e}</bdi><br>to override: <code>--allow memberRemovals=3</code>",
		);
		expect(page(differences)).toContain('<span class="chip a">+\u00a0member <strong><bdi>alice</bdi></strong></span>');
		expect(page(differences)).toContain('<p class="doubt">members could not be read</p>');
	});

	const table: Section = {
		...list,
		title: null,
		form: "table",
		columns: ["Power", "Who"],
		lead: ["two powers"],
		rows: [
			{
				said: [identifier("policies"), ", ", identifier("organizations"), ", ", identifier("kind CREATE_WALLET")],
				aside: ["create wallets"],
				rows: [
					{ badge: { word: "alone", look: "attention" }, said: [reason(hostile)] },
					{ badge: { word: "no one", look: "bad" }, said: [] },
					{ said: ["only the root quorum"] },
				],
			},
		],
	};

	it("of a table has two columns in a terminal and on a page, and a list in Markdown", () => {
		expect(sectionsText([table], plainStyle)).toEqual([
			"two powers",
			"",
			"policies, organizations,    alone: a`</b>\\u{a}::error::\\u{202e}",
			"kind CREATE_WALLET          no one",
			"                            only the root quorum",
			"",
		]);
		expect(comment(table)).toContain(
			[
				"- `policies`, `organizations`, `kind CREATE_WALLET` (create wallets)",
				"  - alone: ``a`</b>\\u{a}::error::\\u{202e}``",
				"  - no one",
				"  - only the root quorum\n",
			].join("\n"),
		);
		const html = cardHtml(table)?.html ?? "";
		expect(html).toContain('<th scope="col">Power</th><th scope="col">Who</th>');
		expect(html).toContain('<code>kind CREATE_WALLET</code><p class="soft">create wallets</p></th><td><p>');
		expect(html).toContain('<span class="word attention">alone</span> <bdi>a`&#60;/b&#62;');
		expect(html).toContain("<p>only the root quorum</p>");
	});

	it("has rows within rows below them, in every format", () => {
		const nested: Section = {
			...list,
			title: null,
			lead: ["no: bob cannot sign"],
			rows: [{ said: ["policy ", code("a")], rows: [{ said: ["time is in force"] }] }],
		};
		expect(sectionsText([nested], plainStyle)).toEqual([
			"no: bob cannot sign",
			"  policy `a`",
			"    time is in force",
			"",
		]);
		expect(comment(nested)).toBe("no: bob cannot sign\n\n- policy `a`\n  - time is in force\n");
		expect(cardHtml(nested)?.html).toContain('<ul class="within"><li><span>time is in force</span></li>');
	});

	const remarked: Section = {
		...differences,
		number: 7,
		isFolded: false,
		rows: [
			{
				sign: "~",
				said: [address(`userTag:${hostile}`)],
				aside: [identifier("20000001")],
				marks: [{ look: "good", said: ["completed"] }],
				rows: [
					{ said: ["name: ", title("old"), " -> ", title("new")] },
					{ said: ["notes"], sides: ["live", "document"].map((word) => ({ word, said: [identifier(`"${word}"`)] })) },
					{ sign: "+", noun: ["member", "members"], said: [{ kind: "name", text: "alice", notes: [] }] },
					{
						sign: "+",
						noun: ["member", "members"],
						said: [{ kind: "name", text: "bob", notes: [] }],
						marks: [{ look: "plain", said: ["already in place"] }],
					},
				],
				extra: ["kept by 2 users"],
			},
		],
	};

	it("of differences has remarks in brackets in a terminal and in Markdown, and says both sides of a field", () => {
		const lines = [
			"    name: old -> new",
			'    notes: live "live", document "document"',
			"    + member alice",
			"    + member bob  (already in place)",
		];
		expect(sectionsText([{ ...remarked, title: null }], plainStyle)).toEqual([
			expect.stringMatching(/^~ userTag:.*::error::.* {2}20000001 {2}\(completed\)$/),
			...lines,
			"",
		]);
		expect(comment(remarked)).toContain("**Changes (7)**");
		expect(comment(remarked).split("\n").slice(4, 8)).toEqual(lines.map((line) => line.replace(/^ {4}\+ /, "+   ")));
	});

	it("of differences has on a page badges for remarks, fields beside each other, and names set off", () => {
		const shown = page(remarked);
		expect(shown).toContain('Changes <span class="number">7</span>');
		expect(shown).toMatch(/<code>userTag:<strong>&#34;a`&#60;\/b&#62;[^<]*<\/strong><\/code>/);
		expect(shown).toContain(' <span class="word good">completed</span>');
		expect(shown).toContain("name: <strong><bdi>old</bdi></strong> -&#62; <strong><bdi>new</bdi></strong>");
		expect(shown).toContain(
			'<dl class="fields"><div><dt>notes</dt><dd><span class="kind">live</span> <code>&#34;live&#34;</code></dd><dd><span class="kind">document</span> <code>&#34;document&#34;</code></dd></div></dl>',
		);
		const chipOf = (name: string): string => `<span class="chip a">+\u00a0<strong><bdi>${name}</bdi></strong></span>`;
		const line = '<p class="people"><span class="kind">member</span> ';
		expect(shown).toContain(`${line}${chipOf("alice")} </p>`);
		expect(shown).toContain(`${line}${chipOf("bob")} <span class="soft">already in place</span> </p>`);
		expect(shown).toContain('<p class="soft">kept by 2 users</p>');
	});

	const steps: Section = {
		...list,
		form: "steps",
		rows: [
			{
				badge: { word: "failed", look: "bad", why: [reason(hostile)] },
				said: ["rename ", { kind: "name", text: "a", notes: [] }],
				aside: [identifier("userTag:a")],
				order: { id: "step-2", operation: "update_user_tag", after: ["step-1"] },
				notes: [{ look: "plain", said: ["submitted one by one:"] }],
				rows: [
					{ badge: { word: "completed", look: "good" }, said: [identifier("policy:1")] },
					{ badge: { word: "not attempted", look: "plain" }, said: [identifier("policy:2")], about: ["policy:2"] },
				],
			},
		],
	};

	it("of steps says what became of each, in every format", () => {
		expect(sectionsText([{ ...steps, title: null, lead: [] }], plainStyle).slice(1)).toEqual([
			"!! rename a  userTag:a",
			"     failed: a`</b>\\u{a}::error::\\u{202e}",
			"     submitted one by one:",
			"       ok policy:1",
			"       -- policy:2",
			"            not attempted",
			"",
		]);
		expect(comment(steps).split("\n").slice(4)).toEqual([
			"- step-2 rename `a` (`update_user_tag`, after step-1; `userTag:a`): **failed**: ``a`</b>\\u{a}::error::\\u{202e}``",
			"  - submitted one by one:",
			"  - `policy:1`: **completed**",
			"  - `policy:2`: **not attempted**",
			"",
		]);
		expect(page(steps)).toContain(
			'<li id="guards-step-2"><p><span class="step">step-2</span> <span class="word bad">failed</span>',
		);
		expect(page(steps)).toContain('after <a href="#guards-step-1">step-1</a>');
		expect(sectionAnnotations([steps], () => undefined).map(renderAnnotation)).toEqual([
			"::notice title=orgsync%3A not attempted::rename a: policy:2: not attempted",
		]);
	});

	it("is one annotation for each row, at the place of what it is about", () => {
		const at = { file: "org.yaml", line: 4, column: 7 };
		const lines = sectionAnnotations([list], (address) => (address === "userTag:signers" ? at : undefined)).map(
			renderAnnotation,
		);
		expect(lines).toEqual([
			"::error file=org.yaml,line=4,col=7,title=orgsync%3A guard::bob (b0000000) loses a`</b>\\u{a}::error::\\u{202e}; to override: --allow memberRemovals=3",
			"::error title=orgsync%3A guard::`a\\u{60}</b>\\u{a}::error::\\u{202e}` until 2026-12-01 09:30 UTC in org-1",
		]);
	});

	it("without content is in no format", () => {
		expect(sectionsText([nothing], plainStyle)).toEqual([]);
		expect(sectionBlocks([nothing])).toEqual([]);
		expect(page(nothing)).toBe("");
		expect(sectionAnnotations([nothing], () => undefined)).toEqual([]);
	});
});
