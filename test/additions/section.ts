import type { Addition } from "./addition.ts";

/** A fact of the plan that it did not have, and its section: the user tags that are left without a member. */
export const section: Addition = {
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
import { type Section, section } from "../../say/section.ts";

export function emptiedSection({ emptied }: Plan): Section {
	return section(
		"emptied",
		emptied.map((address) => ({ said: [identifier(showAddress(address))], about: [address] })),
	);
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
		"src/say/section.ts": [
			[
				"const heads = {\n",
				'	emptied: ["Left without a member", ["tag without a member", "tags without a member"], attention, last],\n',
			],
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
export const guard: Addition = {
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

/** Prints a plan in four formats: of a tag that loses its only member, which shows the section and is blocked by the guard. */
export const program = `
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
