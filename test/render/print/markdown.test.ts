/**
 * Plans and reports as Markdown: the order of their parts, that they always fit, and, rendered by a CommonMark and GFM
 * library, that a name is only text; hostile-markdown.test.ts tries hostile names in every result.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { showText } from "../../../src/common/escape.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { makePlan } from "../../../src/plan/plan.ts";
import { markerOf, renderMarkdown } from "../../../src/render/markdown.ts";
import { clip, codeSpan, fence, fitBlocks, longestText } from "../../../src/render/markdown-text.ts";
import type { CommandResult } from "../../../src/render/result/result.ts";
import { casesToTry } from "../../case-count.ts";
import { anyCharacter } from "../../characters.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../../plan/support-organizations.ts";
import { toHtml } from "../as-html.ts";
import { complete, generatedBy } from "../complete.ts";
import { emptyPlan, goodReportOf, hostileNames, hostileNamings, planOf, resultsOf } from "../support.ts";

function textOf(html: string): string {
	const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };
	return html.replace(/<[^>]*>/g, "").replace(/&(lt|gt|amp|quot);/g, (_, name: string) => entities[name] ?? "");
}

const results = Object.entries(resultsOf());

describe("a result as Markdown", () => {
	it.each(results)("%s", async (name, result) => {
		await expect(renderMarkdown(result, { generatedBy })).toMatchFileSnapshot(`../../golden/render/${name}.md`);
	});

	it.each(results)("of %s begins with the marker and a verdict of one line", (_, result) => {
		expect(renderMarkdown(result)).toMatch(
			/^<!-- orgsync: (plan|show|drift|apply) -->\n\n(> \[!CAUTION\]\n(> ⚠ [^\n]+\n)+\n)?### [^\n]+\n\n/,
		);
	});

	it("is the same for the same result", () => {
		const result = () => complete({ command: "plan", plans: [planOf()] });
		expect(renderMarkdown(result())).toBe(renderMarkdown(JSON.parse(JSON.stringify(result()))));
	});

	it("never folds removals, guards, pending activities and unknowns", () => {
		const html = toHtml(renderMarkdown(complete({ command: "plan", plans: [planOf()] })));
		const open = html.replace(/<details>.*?<\/details>/gs, "");
		for (const told of [
			`policy:${id("policy", 1)}`,
			`policy:${id("policy", 2)}`,
			`tvcApp:${id("app", 1)}`,
			`oauthProvider:alice/${id("provider", 1)}`,
			"--allow policies=2",
			"apply joins it",
			"whoami was denied",
		]) {
			expect(open, told).toContain(told);
		}
		expect(open).toMatch(/userTag:officers {2}loses .*bob/);
		expect(html.match(/<details>/g)?.length).toBe(3);
	});

	it("has a marker of the caller's, from which nothing can follow", () => {
		expect(markerOf("plan")).toBe("<!-- orgsync: plan -->");
		expect(markerOf("plan prod/eu-1")).toBe("<!-- orgsync: plan_prod/eu-1 -->");
		expect(markerOf("a--> <b>")).toBe("<!-- orgsync: a_-___b_ -->");
		expect(renderMarkdown(complete({ command: "plan", plans: [] }), { key: "x" })).toMatch(/^<!-- orgsync: x -->\n/);
	});
});

describe("hostile names in Markdown", () => {
	it.each(hostileNames.map((name) => [clip(name, 40), name]))("%j reads in code as it is written", (_, name) => {
		const shown = clip(showText(name), longestText);
		expect(textOf(toHtml(`before ${codeSpan(name)} behind`))).toBe(`before ${shown} behind`);
		expect(textOf(toHtml(`- ${codeSpan(name)}`)).trim()).toBe(shown.trim());
		expect(textOf(toHtml(fence([name, "second"], "diff")))).toBe(`${shown}\nsecond\n`);
	});

	it("reads in code as it is written, whatever it is", () => {
		const unit = fc.oneof(
			fc.constantFrom("`", " ", "\\", "<", "&", "|", "\n", "@", "#", "~"),
			fc.string({ unit: anyCharacter }),
		);
		fc.assert(
			fc.property(fc.string({ unit, maxLength: 40 }), (name) => {
				const shown = clip(showText(name), longestText);
				const text = shown === "" ? "(empty)" : shown.trim() === "" ? `"${shown}"` : shown;
				expect(textOf(toHtml(`x ${codeSpan(name)} y`))).toBe(`x ${text} y`);
				expect(textOf(toHtml(fence([name], "")))).toBe(`${shown}\n`);
			}),
			casesToTry(60),
		);
	});
});

/** A plan with so many policies to remove and tags of which members come and go. */
function largePlan(sizes: { policies?: number; tags?: number; members?: number; refused?: boolean }, number = 1): Plan {
	const { policies = 0, tags = 0, members = 0 } = sizes;
	const users = Object.fromEntries(Array.from({ length: members }, (_, index) => [`user-${index}`, id("user", index)]));
	const ids = Object.values(users);
	const each = <T>(count: number, make: (index: number) => T): T[] =>
		Array.from({ length: count }, (_, index) => make(index));
	const organizationId = id("org", number);
	return makePlan(
		desiredOf({
			organizationId,
			users,
			userTags: each(tags, (tag) =>
				wantTag(`tag-${tag}`, { members: { mode: "exactly", exactly: ids.filter((_, user) => user % 2 === 0) } }),
			),
			absent: { policyIds: each(policies, (index) => id("policy", index)), oauthProviders: [], tvcAppIds: [] },
			...(sizes.refused === true ? { limits: { policies: 0 } } : {}),
		}),
		liveOf({
			organizationId,
			userTags: known(
				each(tags, (tag) => liveTag(tag, `tag-${tag}`, { members: known(ids.filter((_, user) => user % 2 === 1)) })),
			),
			policies: known(each(policies, (index) => ({ id: id("policy", index), name: `rule ${index}` }))),
		}),
		context,
	);
}

describe("Markdown of many changes", () => {
	const whole = "plan.html of this run";
	const rendered = (...plans: Plan[]): string => renderMarkdown(complete({ command: "plan", plans }), { whole });

	it("of 5,000 changes of members has every removal, is cut, and says where the whole is", () => {
		const markdown = rendered(largePlan({ tags: 100, members: 50 }));
		expect(Buffer.byteLength(markdown)).toBeLessThan(65_536);
		const removed = markdown.split("\n").filter((line) => line.startsWith("- userTag:"));
		expect(removed.flatMap((line) => line.match(/user-\d+/g) ?? [])).toHaveLength(2_500);
		expect(markdown).toMatch(
			/^<!-- orgsync: plan -->\n\n> \[!CAUTION\]\n> ⚠ [^\n]+\n\n### Plan: 100 activities.*\n\n\*\*Shortened:\*\* \d+ lines of changes, 100 steps left out\. Full output: `plan\.html of this run`\.\n/,
		);
		expect(toHtml(markdown).match(/<details>|<\/details>/g)).toEqual(["<details>", "</details>"]);
	});

	it("of 5,000 removals has the verdict, the guard and as many removals as fit, and counts the others", () => {
		const markdown = rendered(largePlan({ policies: 5_000, refused: true }));
		expect(Buffer.byteLength(markdown)).toBeLessThan(65_536);
		expect(Buffer.byteLength(markdown)).toBeGreaterThan(60_000);
		expect(markdown).toContain("`--allow policies=5000`");
		const shown = markdown.match(/^- policy:/gm)?.length ?? 0;
		expect(markdown).toContain(`${5_000 - shown} lines of removals`);
		expect(markdown).toContain(`… and ${5_000 - shown} more`);
	});

	it("of a thousand organizations shows blocked ones first, and no removal without its organization", () => {
		const plans = Array.from({ length: 1_000 }, (_, number) =>
			largePlan({ policies: 3, refused: number % 100 === 99 }, number),
		);
		const markdown = rendered(...plans);
		expect(Buffer.byteLength(markdown)).toBeLessThan(65_536);
		expect(markdown).toContain("### 1000 organizations: 10 blocked by a guard, 990 with changes.");
		expect(markdown.match(/--allow policies=3/g)).toHaveLength(10);
		const html = toHtml(markdown);
		expect(html.match(/<h4>/g)?.length).toBeGreaterThan(50);
		for (const part of html.split("<h4>").slice(1))
			expect(part.split("<strong>Removals").length).toBeLessThanOrEqual(2);
	});

	it("keeps nothing of a group whose head has no room", () => {
		const block = (rank: number, group: string, size: number) => ({
			rank,
			group,
			noun: ["line", "lines"] as const,
			lines: [`${group}${rank} ${"x".repeat(size)}`],
			wrap: ([line = ""]: readonly string[]) => line,
		});
		const blocks = [block(0, "a", 10), block(1, "b", 3_000), block(2, "b", 10), block(2, "c", 10)];
		const fitted = fitBlocks(blocks, 2_000, "the file");
		expect(fitted).toContain("a0 ");
		expect(fitted).toContain("c2 ");
		expect(fitted).toContain("2 lines left out");
		expect(fitted).not.toContain("b2 ");
	});

	it("of a thousand organizations without a change is one fold", () => {
		const markdown = rendered(...Array.from({ length: 300 }, (_, number) => emptyPlan(number)));
		expect(markdown).toContain("### 300 organizations: 300 in sync.");
		expect(markdown).toContain("<summary>Nothing to decide (300)</summary>");
		expect(markdown).not.toContain("Shortened");
	});

	it("fits whatever the limit is, in bytes", () => {
		const plan = largePlan({ policies: 40, tags: 10, members: 30, refused: true });
		const apply: CommandResult = complete({ command: "apply", plans: [plan], reports: [goodReportOf(plan)] });
		for (let limit = 2_000; limit < 12_000; limit += 487) {
			for (const result of [
				complete({ command: "plan", plans: [plan] }),
				apply,
				...hostileNamings.slice(0, 3).map((naming) => resultsOf(naming).apply),
			]) {
				expect(Buffer.byteLength(renderMarkdown(result as CommandResult, { limit, whole }))).toBeLessThanOrEqual(limit);
			}
		}
		expect(
			Buffer.byteLength(renderMarkdown(complete({ command: "plan", plans: [plan] }), { limit: 5, whole })),
		).toBeLessThanOrEqual(2_000);
	});

	it("loses no removal to long names", () => {
		const long = (number: number): string => `${number}-${"ü".repeat(90)}`;
		const users = Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [long(number), id("user", number)]));
		const plan = makePlan(
			desiredOf({ users, userTags: [wantTag("t".repeat(500), { members: { mode: "exactly", exactly: [] } })] }),
			liveOf({ userTags: known([liveTag(1, "t".repeat(500), { members: known(Object.values(users)) })]) }),
			context,
		);
		for (const number of [1, 2, 3, 4, 5, 6]) expect(rendered(plan)).toMatch(new RegExp(`loses .*${number}-ü`));
	});
});
