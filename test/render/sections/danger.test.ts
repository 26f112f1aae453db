/** The worst that a plan does: the first thing that every format says, and what the question of apply repeats. */

import { describe, expect, it } from "vitest";
import { renderGithub } from "../../../src/render/github.ts";
import { renderHtml } from "../../../src/render/html/page.ts";
import { renderMarkdown } from "../../../src/render/markdown.ts";
import { phraseText } from "../../../src/render/print/text.ts";
import { renderPlan, renderText } from "../../../src/render/result-text.ts";
import { describeDangers } from "../../../src/render/sections/danger.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { complete } from "../complete.ts";
import { bob, changingPlanOf, findingOf, withImpact } from "../support-impact.ts";

const calm = changingPlanOf();
const signing = { resource: "PRIVATE_KEY", action: "SIGN" };
const alone = withImpact(calm, [findingOf({ change: "alone", group: signing, userIds: [bob] })]);
const gains = withImpact(calm, [findingOf({ change: "gains", group: signing, userIds: [bob] })]);
const textOf = (plan: typeof calm): readonly string[] => describeDangers([plan]).map(phraseText);

describe("a plan that lets someone sign alone", () => {
	const [line = ""] = textOf(alone);

	it("says so with its removals and activities in one line", () => {
		expect(line).toMatch(
			/^\u26a0 bob can now sign alone, with any wallet or key · (\d+ removals? · )?(\d+ memberships? lost · )?\d+ activit(y|ies)$/,
		);
	});

	it("has the line below its name and at its end in a terminal", () => {
		const lines = renderPlan(alone, plainStyle).trimEnd().split("\n");
		expect([lines[1], lines.at(-1)]).toEqual([line, line]);
	});

	it("begins with a block of caution in a comment, and has the line above the fold of a page", () => {
		const result = complete({ command: "plan", plans: [alone] });
		expect(renderMarkdown(result)).toMatch(
			/^<!-- orgsync: plan -->\n\n> \[!CAUTION\]\n> \u26a0 `bob` can now sign alone/,
		);
		const [header = ""] = renderHtml(result).split("<main");
		expect(header).toContain('<p class="danger">\u26a0 <strong><bdi>bob</bdi></strong> can now sign alone');
	});

	it("says conditions that can be read in one glance, and of longer ones that there are some", () => {
		const under = (condition: string): string =>
			textOf(withImpact(calm, [{ ...findingOf({ change: "alone", group: signing, userIds: [bob] }), condition }]))[0] ??
			"";
		const [short, long] = [1, 4].map((number) =>
			Array(number).fill("eth.tx.to == '0xa0b86991c6218b36c1d19d4a2e9eb0ce'").join(" || "),
		);
		expect(under(short ?? "")).toContain(", where the recipient is `0xa0b86991c6218b36c1d19d4a2e9eb0ce` \u00b7");
		expect(under(long ?? "")).toContain("with any wallet or key, under some conditions \u00b7");
	});

	it("names the organization among several", () => {
		const [of = ""] = describeDangers([alone, calm]).map(phraseText);
		expect(of).toBe(line.replace("\u26a0 ", `\u26a0 organization ${alone.organizationId}: `));
	});
});

describe("the verdict on several organizations", () => {
	const other = { ...calm, organizationId: calm.organizationId.replace(/^./, "f") };

	it.each([
		["counts the dangerous plans", [alone, other], " \u26a0 1 plan is dangerous."],
		["counts none where there is none", [calm, other], ""],
	])("%s, in every format", (_, plans, said) => {
		const result = complete({ command: "plan", plans });
		const verdict = `2 organizations: 2 with changes.${said}`;
		expect(renderText(result, { style: plainStyle }).trimEnd().split("\n").at(-1)).toBe(verdict);
		expect(renderMarkdown(result)).toContain(`### ${verdict}\n`);
		expect(renderGithub(result).annotations.split("\n")[0]).toContain(`::${verdict}`);
		expect(renderHtml(result)).toContain(`<title>orgsync plan: ${verdict}</title>`);
	});
});

describe("a plan without danger", () => {
	it.each([
		["of changes alone", calm],
		["in which someone only takes part in more", gains],
		["that submits nothing", { ...alone, steps: [] }],
	])("%s has no such line", (_, plan) => expect(textOf(plan)).toEqual([]));

	it("becomes one by more removals than its limits allow", () => {
		const guard = {
			kind: "memberRemovals",
			found: 3,
			refuses: true,
			where: [],
			finding: { what: "stated", limit: "at most 1", message: "3" },
		} as const;
		expect(textOf({ ...calm, guards: [guard] })).toEqual([
			expect.stringMatching(/(removals?|memberships? lost), more than the limits allow · /),
		]);
	});
});

it("six dangerous plans are five lines and a number", () => {
	const lines = describeDangers(Array.from({ length: 7 }, () => alone)).map(phraseText);
	expect(lines).toHaveLength(6);
	expect(lines.at(-1)).toBe("\u26a0 and 2 organizations more");
});
