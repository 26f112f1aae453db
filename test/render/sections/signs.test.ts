/** One convention for signs, whatever the command and the format: what apply would do, never what was done before it. */

import { describe, expect, it } from "vitest";
import { makeThreeWay } from "../../../src/plan/base/three-way.ts";
import { reportDrift } from "../../../src/plan/drift/drift.ts";
import { makePlan } from "../../../src/plan/plan.ts";
import { renderGithub } from "../../../src/render/github.ts";
import { renderHtml } from "../../../src/render/html/page.ts";
import { renderMarkdown } from "../../../src/render/markdown.ts";
import { renderPlan } from "../../../src/render/result-text.ts";
import { signsMean } from "../../../src/render/sections/verdict.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../../plan/support-organizations.ts";
import { renderDrift, renderThreeWay } from "../as-text.ts";
import { completeAll } from "../complete.ts";

const [bob, carol] = [id("user", 2), id("user", 3)];

/** bob lost the tag outside and carol got it: apply gives it back to bob and takes it from carol. */
const desired = desiredOf({
	users: { bob, carol },
	userTags: [wantTag("oncall", { members: { mode: "exactly", exactly: [bob] } })],
	absent: { policyIds: [id("policy", 1)], oauthProviders: [], tvcAppIds: [] },
});
const live = liveOf({
	userTags: known([liveTag(1, "oncall", { members: known([carol]) })]),
	policies: known([{ id: id("policy", 1), name: "old" }]),
});
const plan = makePlan(desired, live, context);
const threeWay = makeThreeWay({ name: "main", desired }, desired, live);
const results = completeAll({
	plan: { command: "plan", plans: [plan] },
	base: { command: "plan", plans: [plan], threeWay: [threeWay] },
	drift: { command: "drift", plans: [plan], drift: [reportDrift(plan)] },
	apply: { command: "apply", plans: [plan], reports: [] },
});

/** The text of the page, elements taken away. */
function textOf(html: string): string {
	return html
		.replace(/<(style|script)>.*?<\/\1>|<!--.*?-->/gs, "")
		.replace(/<[^>]*>/g, " ")
		.replaceAll("\u2212", "-")
		.replaceAll("\u00a0", " ");
}

const shown: readonly (readonly [name: string, text: string])[] = [
	["plan as text", renderPlan(plan, plainStyle)],
	["plan --base as text", renderThreeWay(plan, threeWay, plainStyle)],
	["drift as text", renderDrift(plan, reportDrift(plan), plainStyle)],
	...Object.entries(results).flatMap(([name, result]): [string, string][] => [
		[`${name} as Markdown`, renderMarkdown(result)],
		[`${name} as HTML`, textOf(renderHtml(result))],
		[`${name} as annotations`, renderGithub(result).annotations],
	]),
];

/** Returns every sign before `member NAME` or NAME, in the order of the text. */
function signsOf(name: string, text: string): readonly string[] {
	return [...text.matchAll(new RegExp(`(?<=[\\s;])([-+])\\s+(?:member )?${name}\\b`, "g"))].map(
		([, sign = ""]) => sign,
	);
}

describe("the sign before a member", () => {
	it.each(shown)("in %s is + for who gets the tag and - for who loses it", (_, text) => {
		const [gets, loses] = [signsOf("bob", text), signsOf("carol", text)];
		expect(gets.length).toBeGreaterThan(0);
		expect(new Set(gets)).toEqual(new Set(["+"]));
		expect(new Set(loses)).toEqual(new Set(["-"]));
	});

	it.each(shown)("and before an object in %s is - for what is removed", (_, text) => {
		expect(text).not.toMatch(/\+\s+policy:/);
		expect(text).toMatch(/-\s+(member |policy:|remove )/);
	});

	it.each(
		shown.filter(([name]) => /^(drift|base)|base/.test(name) && !name.includes("annotations")),
	)("is explained in %s, where a reader could take it for what was done before", (_, text) =>
		expect(text).toContain(signsMean));
});

describe("the sign of a change of the document", () => {
	const tag = (wanted: string[], mode: "exactly" | "atLeast", never: string[] = []) =>
		desiredOf({
			users: { bob, carol },
			userTags: [
				wantTag("oncall", {
					members: mode === "exactly" ? { mode, exactly: wanted } : { mode, atLeast: wanted, never },
				}),
			],
		});
	const tell = (base: ReturnType<typeof tag>, head: ReturnType<typeof tag>): string =>
		renderThreeWay(plan, makeThreeWay({ name: "main", desired: base }, head, live), plainStyle);

	it("of who is no longer listed is - only where apply takes the tag away", () => {
		expect(tell(tag([bob, carol], "exactly"), tag([bob], "exactly"))).toContain("      - member carol\n");
		expect(tell(tag([bob, carol], "atLeast"), tag([bob], "atLeast"))).toContain(
			"      member carol  (no longer required)\n",
		);
	});

	it("of who is never to have the tag from now on is -", () => {
		expect(tell(tag([bob], "atLeast"), tag([bob], "atLeast", [carol]))).toContain(
			"      - member carol  (never from now on)\n",
		);
	});
});
