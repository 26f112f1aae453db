import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
	type AccessEdit,
	type AccessRefusal,
	type AccessRequest,
	editAccess,
} from "../../src/document/edit/access-edit.ts";
import { parseDocuments } from "../../src/document/read/parse.ts";
import { tagsOf } from "../../src/plan/organization.ts";
import { id, organizationId } from "../plan/support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];
const head = `organizationId: ${organizationId}
users: { alice: ${alice}, "bob, the 2nd": ${bob} }
`;

const nowMs = Date.parse("2026-11-22T18:30:10Z");
const until = "2026-11-22T22:31:00Z";
const ended = "2026-11-22T18:30:00Z";
const grant = { nowMs, until, untilMs: Date.parse(until), reason: "incident: 4711" };
const revoke = { nowMs, until: ended, untilMs: Date.parse(ended), reason: undefined };

interface Options extends Partial<AccessRequest> {
	readonly environment?: Readonly<Record<string, string>>;
	readonly others?: Readonly<Record<string, string>>;
}

/** Edits the entry of alice in the tag `ops` of this document. */
function edit(text: string, how: typeof grant | typeof revoke, options: Options = {}): AccessEdit | AccessRefusal {
	const { environment = {}, others = {}, ...request } = options;
	const sources = Object.entries({ "o.yaml": text, ...others }).map(([file, content]) => ({ file, content }));
	const { organizations, problems } = parseDocuments(sources, environment);
	expect(problems).toEqual([]);
	const desired = organizations.find((one) => one.organizationId === organizationId);
	if (desired === undefined) throw new Error("the organization is missing");
	const tag = tagsOf(desired).find(({ name }) => name === "ops");
	if (tag === undefined) throw new Error("the tag is missing");
	const about = { desired, tag, userId: alice, isMember: true, ...how, ...request };
	return editAccess(sources, about, { environment });
}

function textAfter(text: string, how: typeof grant | typeof revoke, options?: Options): string {
	const edited = edit(text, how, options);
	if ("refusal" in edited) throw new Error(edited.refusal);
	return edited.contents.get("o.yaml") ?? text;
}

const entry = `{ user: alice, until: ${until}, reason: "incident: 4711" }`;

/** The rest of a document after `- name: ops`, and what an edit makes of it. */
type Row = readonly [what: string, before: string, after: string];

const granted: readonly Row[] = [
	[
		"the end of a list with dashes",
		"    members:\n      exactly: # who\n        - carol  # she\n\n  # the next\n",
		`    members:\n      exactly: # who\n        - carol  # she\n        - ${entry}\n\n  # the next\n`,
	],
	[
		"the end of a list in brackets",
		"    members: { atLeast: [carol] }\n",
		`    members: { atLeast: [carol, ${entry}] }\n`,
	],
	[
		"a list in brackets on several lines",
		"    members:\n      atLeast: [\n        carol, # she\n      ]\n",
		`    members:\n      atLeast: [\n        carol, # she\n        ${entry},\n      ]\n`,
	],
	["an empty list", "    members: { exactly: [] }\n", `    members: { exactly: [${entry}] }\n`],
	[
		"members with `never` alone",
		"    members:\n      never: [carol] # not she\n",
		`    members:\n      never: [carol] # not she\n      atLeast: [${entry}]\n`,
	],
	["a tag without members", "    previously: [old]\n", `    previously: [old]\n    members: { atLeast: [${entry}] }\n`],
	[
		"the window that the user has, if it ends earlier",
		"    members:\n      exactly:\n        - user: alice # her\n          until: 2026-11-22 Europe/Berlin # soon\n          reason: 'audit'\n",
		`    members:\n      exactly:\n        - user: alice # her\n          until: ${until} # soon\n          reason: "incident: 4711"\n`,
	],
	[
		"a window without a reason",
		"    members:\n      exactly:\n        - user: alice\n          until: 2026-11-21T00:00:00Z\n            # deeper\n        - carol\n",
		`    members:\n      exactly:\n        - user: alice\n          until: ${until}\n            # deeper\n          reason: "incident: 4711"\n        - carol\n`,
	],
	[
		"a window in braces",
		"    members: { exactly: [{ user: alice, until: 2026-11-21T00:00:00Z }, carol] }\n",
		`    members: { exactly: [${entry}, carol] }\n`,
	],
];

const revoked: readonly Row[] = [
	[
		"removes an entry of `exactly`",
		"    members: { exactly: [alice, carol] }\n",
		"    members: { exactly: [carol] }\n",
	],
	[
		"removes an entry with a window and its comments",
		"    members:\n      exactly:\n        - user: alice # her\n          until: 2026-12-01T00:00:00Z\n          # why\n        - carol # she\n",
		"    members:\n      exactly:\n        - carol # she\n",
	],
	["leaves an empty list", "    members:\n      exactly:\n        - alice\n", "    members:\n      exactly: []\n"],
	[
		"ends the access of an entry of `atLeast` now",
		"    members:\n      atLeast:\n        - alice # her\n",
		`    members:\n      atLeast:\n        - { user: alice, until: ${ended} } # her\n`,
	],
	[
		"ends a window now, and keeps its reason",
		"    members: { atLeast: [{ user: alice, until: 2026-12-01T00:00:00Z, reason: audit }] }\n",
		`    members: { atLeast: [{ user: alice, until: ${ended}, reason: audit }] }\n`,
	],
	[
		"ends a window without an end",
		"    members: { atLeast: [{ from: 2026-11-01T00:00:00Z, user: alice }] }\n",
		`    members: { atLeast: [{ from: 2026-11-01T00:00:00Z, user: alice, until: ${ended} }] }\n`,
	],
	[
		"removes the beginning of a window that has not begun",
		"    members:\n      atLeast:\n        - user: alice\n          from: 2026-12-01T00:00:00Z\n          until: 2026-12-02T00:00:00Z\n",
		`    members:\n      atLeast:\n        - user: alice\n          until: ${ended}\n`,
	],
	[
		"replaces a window that only begins",
		"    members: { atLeast: [{ user: alice, from: 2026-12-01T00:00:00Z, reason: audit }] }\n",
		`    members: { atLeast: [{ user: alice, until: ${ended}, reason: audit }] }\n`,
	],
	[
		"ends access that the document does not list",
		"    members: { atLeast: [carol] }\n",
		`    members: { atLeast: [carol, { user: alice, until: ${ended} }] }\n`,
	],
];

const withCarol = (text: string): string => text.replaceAll(/\bcarol\b/g, carol);
const asDocument = (rest: string): string => withCarol(`${head}userTags:\n  - name: ops # break glass\n${rest}`);

describe("a grant", () => {
	it.each(granted)("writes %s", (_what, before, after) => {
		expect(textAfter(asDocument(before), grant)).toBe(asDocument(after));
	});

	it.each([
		["a user without an end", "{ exactly: [alice] }"],
		["a window that ends later", "{ exactly: [{ user: alice, until: 2026-12-01T00:00:00Z }] }"],
		["a window that ends then", `{ atLeast: [{ user: alice, until: ${until}, reason: x }] }`],
		["a window without an end", "{ atLeast: [{ user: alice, from: 2026-11-01T00:00:00Z }] }"],
	])("does not change %s", (_what, members) => {
		const edited = edit(asDocument(`    members: ${members}\n`), grant);
		expect(edited).toMatchObject({ effect: "unchanged", contents: new Map() });
	});

	it.each([
		[
			"a user under `never`",
			"    members: { never: [alice] }\n",
			"the document has alice under `never` of userTag:ops",
		],
		[
			"a window that begins later",
			"    members: { exactly: [{ user: alice, from: 2026-12-01 Europe/Berlin }] }\n",
			"alice already has a window of userTag:ops that begins later: 2026-12-01 Europe/Berlin",
		],
		[
			"a list with an anchor",
			"    members: { exactly: &on [] }\n",
			"exactly has the YAML anchor `&on`, which aliases may use",
		],
		["a list that is an alias", "    members: { exactly: *all }\n", "exactly is inside the YAML alias `*all`"],
		[
			"a window from the environment",
			'    members: { exactly: [{ user: alice, until: "${ORGSYNC_VAR_END}" }] }\n',
			"until comes from an environment variable",
		],
		[
			"a protected tag",
			"protect: { userTags: [ops] }\n",
			"the edited document would be invalid: o.yaml:5: the tag `ops` is protected on line 7",
		],
	])("refuses %s", (_what, rest, refusal) => {
		const text = asDocument(rest).replace("userTags:\n", "userTags:\n  - { name: x, members: { exactly: &all [] } }\n");
		const edited = edit(text, grant, { environment: { ORGSYNC_VAR_END: "2026-11-01T00:00:00Z" } });
		expect("refusal" in edited ? edited.refusal : edited).toContain(refusal);
	});

	it("names a user by the alias, or by the id, in quotes where YAML needs them", () => {
		const text = asDocument("    members: { exactly: [] }\n");
		expect(textAfter(text, grant, { userId: bob })).toContain(`[{ user: "bob, the 2nd", until: ${until}`);
		expect(textAfter(text, grant, { userId: carol, reason: "no ${HOME} #1" })).toContain(
			`[{ user: ${carol}, until: ${until}, reason: "no $\${HOME} #1" }]`,
		);
	});

	it("finds the tag in the file that has it, and changes no other", () => {
		const others = {
			"ops.yaml": `organizationId: ${organizationId}\nuserTags: [{ name: ops, members: { exactly: [] } }]\n`,
		};
		const edited = edit(head, grant, { others });
		expect(edited).toMatchObject({ effect: "added", at: { file: "ops.yaml", line: 2 } });
		expect([...("contents" in edited ? edited.contents.keys() : [])]).toEqual(["ops.yaml"]);
	});

	it("refuses a tag that a list of organizations describes", () => {
		const text = `organizations: [{ organizationId: ${organizationId} }]\nuserTags: [{ name: ops, members: { exactly: [] } }]\n`;
		expect(edit(text, grant)).toMatchObject({
			refusal: expect.stringContaining("o.yaml describes it for all organizations of its list"),
		});
	});
});

describe("a revoke", () => {
	it.each(revoked)("%s", (_what, before, after) => {
		expect(textAfter(asDocument(before), revoke)).toBe(asDocument(after));
	});

	it.each([
		["a user whom `exactly` does not list", "{ exactly: [carol] }", true],
		["a user under `never`", "{ never: [alice] }", true],
		["a window that has ended", "{ atLeast: [{ user: alice, until: 2026-11-22T18:00:00Z }] }", true],
		["a user who neither is listed nor has the tag", "{ atLeast: [carol] }", false],
	])("does not change %s", (_what, members, isMember) => {
		const edited = edit(asDocument(`    members: ${members}\n`), revoke, { isMember });
		expect(edited).toMatchObject({ effect: "unchanged", contents: new Map() });
	});
});

test("all other bytes of the file stay: a byte order mark, line endings, and a last line without one", () => {
	for (const [, before, after] of [...granted, ...revoked]) {
		const isGrant = after.includes("incident");
		const windows = (text: string): string => `\uFEFF${asDocument(text).trimEnd().replaceAll("\n", "\r\n")}`;
		expect(textAfter(windows(before), isGrant ? grant : revoke)).toBe(windows(after));
	}
});

test("what was edited twice is what was edited once", () => {
	for (const [, before] of granted) {
		const once = textAfter(asDocument(before), grant);
		expect(textAfter(once, grant)).toBe(once);
	}
	for (const [, before] of revoked) {
		const once = textAfter(asDocument(before), revoke);
		expect(textAfter(once, revoke)).toBe(once);
	}
});

/** A document with a list of members in a random layout. Its text without commas, spaces and line breaks is that of no other. */
const layouts = fc
	.record({
		mode: fc.constantFrom("exactly", "atLeast"),
		isFlow: fc.boolean(),
		isInline: fc.boolean(),
		newline: fc.constantFrom("\n", "\r\n"),
		indent: fc.constantFrom("", "  "),
		members: fc.uniqueArray(fc.constantFrom("bob", "carol", "dave", "erin"), { maxLength: 4 }),
		entries: fc.array(fc.constantFrom("plain", "quoted", "braces", "block"), { minLength: 4, maxLength: 4 }),
		comments: fc.array(fc.constantFrom("", "", " # it's, [a] \"note", " # {x}"), { minLength: 6, maxLength: 6 }),
		asides: fc.array(fc.constantFrom("", "", "# aside", "\n"), { minLength: 5, maxLength: 5 }),
		after: fc.constantFrom("", "      never: []\n", "  - { name: later }\n", "# the end\n"),
	})
	.map((layout) => ({ ...layout, text: writeLayout(layout) }));

type Layout = Parameters<typeof writeLayout>[0];

function writeLayout(layout: {
	readonly mode: string;
	readonly isFlow: boolean;
	readonly isInline: boolean;
	readonly newline: string;
	readonly indent: string;
	readonly members: readonly string[];
	readonly entries: readonly string[];
	readonly comments: readonly string[];
	readonly asides: readonly string[];
	readonly after: string;
}): string {
	const { mode, isFlow, isInline, newline, indent, members, entries, comments, asides, after } = layout;
	const window = "until: 2026-12-24T00:00:00Z";
	const write = (name: string, index: number): string => {
		const style = entries[index] === "block" && isFlow ? "braces" : entries[index];
		if (style === "block") return `user: ${name}\n${indent}          ${window}`;
		return style === "plain" ? name : style === "quoted" ? `'${name}'` : `{ user: ${name}, ${window} }`;
	};
	const aside = (index: number, deep: string): string =>
		asides[index] === "" ? "" : `${asides[index] === "\n" ? "" : `${deep}${asides[index]}`}\n`;
	const lines = members.map((name, index) => {
		const deep = `${indent}        `;
		const comma = isFlow && index < members.length - 1 ? "," : "";
		return `${aside(index, deep)}${deep}${isFlow ? "" : "- "}${write(name, index)}${comma}${comments[index]}\n`;
	});
	const inline = `[${members.map(write).join(", ")}]${comments[5]}\n`;
	const isOneLine = (isFlow && isInline) || members.length === 0;
	const list = isOneLine ? ` ${inline}` : isFlow ? ` [\n${lines.join("")}${indent}      ]\n` : `\n${lines.join("")}`;
	const users = `users: { alice: ${alice}, bob: ${bob}, carol: ${carol}, dave: ${id("user", 4)}, erin: ${id("user", 5)} }`;
	const text = `organizationId: ${organizationId}\n${users}\nuserTags:\n  - name: ops\n    members:\n      ${mode}:${list}${after}`;
	return text.replaceAll("\n", newline);
}

/** The text without what separates items. */
const bare = (text: string): string => text.replaceAll(/[,\s]/g, "");

test("in any layout, a grant adds its entry and nothing else, and a revoke in `exactly` removes that again", () => {
	fc.assert(
		fc.property(layouts, ({ mode, isFlow, members, text }: Layout & { readonly text: string }) => {
			const after = textAfter(text, grant);
			const added = isFlow || members.length === 0 ? entry : `- ${entry}`;
			expect(bare(after.replace(added, ""))).toBe(bare(text));
			expect(after.split("\n").length - text.split("\n").length).toBeLessThanOrEqual(1);
			if (mode === "atLeast") return;
			const again = textAfter(after, revoke);
			expect(bare(again)).toBe(bare(text));
			if (!isFlow && members.length > 0) expect(again).toBe(text);
		}),
		{ numRuns: 60 },
	);
});
