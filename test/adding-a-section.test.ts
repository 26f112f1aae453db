/**
 * What it takes to show something more of a plan, and to guard against something more. A copy of the sources gets one of each, in few
 * files; every format of the copy then shows them.
 */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder, runProgram } from "./run.ts";

const root = resolve(import.meta.dirname, "..");

/** A change of the sources: new files, and what is written behind a text of the others. */
interface Addition {
	readonly created: Readonly<Record<string, string>>;
	readonly changed: Readonly<Record<string, readonly (readonly [behind: string, added: string])[]>>;
}

/** A fact of the plan that it did not have, and its section: the user tags that are left without a member. */
const section: Addition = {
	created: {
		"src/plan/emptied.ts": `import type { Change } from "./change.ts";

/** Returns the tags that the changes leave without a member. */
export function findEmptied(changes: readonly Change[]): readonly string[] {
	return changes.flatMap((change) => {
		if (change.kind !== "userTag" || change.before.members === null || change.addUserIds.length > 0) return [];
		return change.before.members.length === change.removeUserIds.length ? [change.address] : [];
	});
}
`,
		"src/render/sections/emptied.ts": `import { showAddress } from "../../common/escape.ts";
import type { Plan } from "../../plan/plan.ts";
import { identifier } from "../../say/phrase.ts";
import type { Section } from "../../say/section.ts";

export function emptiedSection({ emptied }: Plan): Section {
	return {
		id: "emptied",
		title: "Left without a member",
		look: "attention",
		noun: ["tag without a member", "tags without a member"],
		rows: emptied.map((address) => ({ said: [identifier(showAddress(address))], about: [address] })),
		shorten: "last",
	};
}
`,
	},
	changed: {
		"src/plan/plan.ts": [
			[
				"	readonly documentDigest: string;\n",
				"	/** Addresses of tags left without a member. */\n	readonly emptied: readonly string[];\n",
			],
			["		formatVersion: 1,\n", "		emptied: findEmptied(changes),\n"],
			['import { makeSteps } from "./steps.ts";\n', 'import { findEmptied } from "./emptied.ts";\n'],
		],
		"src/render/page.ts": [
			["		warningsSection(plan),\n", "		emptiedSection(plan),\n"],
			[
				'import { explainSection } from "./sections/explain.ts";\n',
				'import { emptiedSection } from "./sections/emptied.ts";\n',
			],
		],
	},
};

/** A guard that blocks plans that change any user tag. */
const guard: Addition = {
	created: {},
	changed: {
		"src/plan/guards/guards.ts": [
			['	"memberRemovals",\n', '	"tagChanges",\n'],
			["		...judgeProtected(desired, changes),\n", "		...judgeTagChanges(tagChanges(changes)),\n"],
			[
				'	return changes.filter((change) => change.kind === "userTag");\n}\n',
				`
function judgeTagChanges(changes: readonly TagChange[]): readonly Guard[] {
	if (changes.length === 0) return [];
	const where = changes.map(({ address }) => address).sort(compareText);
	return [{ kind: "tagChanges", found: changes.length, refuses: true, where, finding: { what: "tag-changes" } }];
}
`,
			],
		],
		"src/plan/guards/finding.ts": [["export type GuardFinding =\n", '	| { readonly what: "tag-changes" }\n']],
		"src/say/guards.ts": [
			[
				"	switch (finding.what) {\n",
				'		case "tag-changes":\n			return count(found, "user tag changes", "user tags change");\n',
			],
			["const limits = {\n", '	"tag-changes": "none",\n'],
		],
	},
};

/** Returns the folder of a copy of the sources with the addition. */
function copyWith({ created, changed }: Addition): string {
	const copy = makeFolder();
	for (const name of ["src", "schemas", "package.json", "tsconfig.json"]) {
		cpSync(join(root, name), join(copy, name), { recursive: true });
	}
	mkdirSync(join(copy, "test/plan"), { recursive: true });
	const support = "test/plan/support-organizations.ts";
	cpSync(join(root, support), join(copy, support));
	symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
	for (const [file, text] of Object.entries(created)) writeFileSync(join(copy, file), text);
	for (const [file, additions] of Object.entries(changed)) {
		let text = readFileSync(join(copy, file), "utf8");
		for (const [behind, added] of additions) {
			expect(text, file).toContain(behind);
			text = text.replace(behind, () => behind + added);
		}
		writeFileSync(join(copy, file), text);
	}
	return copy;
}

/** What the program imports from the copy. */
const imports: Readonly<Record<string, string>> = {
	"src/plan/plan.ts": "makePlan",
	"src/render/github.ts": "renderGithub",
	"src/render/html/page.ts": "renderHtml",
	"src/render/markdown.ts": "renderMarkdown",
	"src/render/result-text.ts": "renderText",
	"src/render/style.ts": "plainStyle",
	"test/plan/support-organizations.ts": "context, desiredOf, id, known, liveOf, liveTag, wantTag",
};

/** Prints a plan in four formats: of a tag that loses its only member, which the document does not forbid. */
const program = `
${Object.entries(imports)
	.map(([file, names]) => `const { ${names} } = await import(${JSON.stringify(`./${file}`)});`)
	.join("\n")}
const desired = desiredOf({ userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [] } })] });
const live = liveOf({ userTags: known([liveTag(1, "signers", { members: known([id("user", 1)]) })]) });
const plan = makePlan(desired, live, context);
const organizations = [{ organizationId: plan.organizationId, exitCode: 0, plan }];
const result = { formatVersion: 1, command: "plan", exitCode: 0, error: null, problems: [], organizations };
const text = renderText(result, { style: plainStyle });
console.log(JSON.stringify({ text, markdown: renderMarkdown(result), html: renderHtml(result), annotations: renderGithub(result).annotations }));
`;

interface Shown {
	readonly text: string;
	readonly markdown: string;
	readonly html: string;
	readonly annotations: string;
}

async function show(copy: string): Promise<Shown> {
	writeFileSync(join(copy, "show.ts"), program);
	const { code, stdout, stderr } = await runProgram([process.execPath, join(copy, "show.ts")], { cwd: copy });
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	return JSON.parse(stdout);
}

async function expectTypes(copy: string): Promise<void> {
	const tsc = join(root, "node_modules/typescript/bin/tsc");
	const { stdout } = await runProgram([process.execPath, tsc, "-p", copy, "--noEmit"]);
	expect(stdout).toBe("");
}

const filesOf = ({ created, changed }: Addition): readonly string[] => [
	...Object.keys(created),
	...Object.keys(changed),
];

describe("a section that is added to the report of a plan", () => {
	const copy = copyWith(section);

	it("changes at most 5 files, those of its fact included, and passes the type check", async () => {
		expect(filesOf(section).length).toBeLessThanOrEqual(5);
		expect(new Set(filesOf(section).map((file) => dirname(file)))).toEqual(
			new Set(["src/plan", "src/render", "src/render/sections"]),
		);
		await expectTypes(copy);
	}, 240_000);

	it("is in all four formats", async () => {
		const { text, markdown, html, annotations } = await show(copy);
		expect(text).toContain("\nLeft without a member:\n  userTag:signers\n");
		expect(markdown).toContain("\n**Left without a member**\n\n- `userTag:signers`\n");
		expect(html).toContain('<h2 id="emptied">Left without a member <span class="number">1</span></h2>');
		expect(annotations).toContain("::warning title=orgsync%3A tag without a member::userTag:signers\n");
	});
});

describe("a guard that is added", () => {
	const copy = copyWith(guard);

	it("changes at most 4 files, and passes the type check", async () => {
		expect(filesOf(guard).length).toBeLessThanOrEqual(4);
		await expectTypes(copy);
	}, 240_000);

	it("is in all four formats, with what overrides it", async () => {
		const { text, markdown, html, annotations } = await show(copy);
		const allow = "--allow tagChanges=1";
		expect(text).toContain(`1 user tag changes (allowed: none); to override: ${allow}\n`);
		expect(markdown).toContain(`- \`1 user tag changes\` (allowed: none); to override: \`${allow}\`\n`);
		expect(html).toContain(`<code>${allow}</code>`);
		expect(annotations).toContain(`1 user tag changes (allowed: none); to override: ${allow}\n`);
	});
});
