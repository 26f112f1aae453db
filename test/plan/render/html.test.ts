/** The HTML page as text: its policy, its size, and that it is the same every time. test/browser/ opens it. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { renderGithub } from "../../../src/plan/render/github.ts";
import { renderHtml } from "../../../src/plan/render/html.ts";
import { html, trusted } from "../../../src/plan/render/html-text.ts";
import { renderMarkdown } from "../../../src/plan/render/markdown.ts";
import { type Matrix, makeMatrix } from "../../../src/plan/render/matrix.ts";
import { resultsByAddress } from "../../../src/plan/render/result.ts";
import { plainStyle, renderPlan } from "../../../src/plan/render/text.ts";
import { describeWaiting, tellWaiting } from "../../../src/plan/render/waiting-text.ts";
import { id } from "../support-organizations.ts";
import { largePlan } from "./large.ts";
import { alice, bob, carol, doubtfulPlanOf, fingerprint, planOf, resultsOf } from "./support.ts";

const results = Object.entries(resultsOf());

describe("the page as text", () => {
	it.each(
		results,
	)("of %s is the same every time, and begins with a policy that allows its own style and script only", (_, result) => {
		const page = renderHtml(result);
		expect(renderHtml(JSON.parse(JSON.stringify(result)))).toBe(page);
		const [, policy = ""] =
			/^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="([^"]*)">\n/.exec(
				page,
			) ?? [];
		const hashOf = (tag: string): string => {
			const [, text = ""] = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(page) ?? [];
			expect(text.length).toBeGreaterThan(100);
			return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
		};
		expect(policy.split("; ")).toEqual([
			"default-src 'none'",
			`style-src ${hashOf("style")}`,
			`script-src ${hashOf("script")}`,
			"base-uri 'none'",
			"form-action 'none'",
		]);
		expect(page).not.toMatch(/\s(style|on\w+|src|href="(?!#))=/);
		expect(page.match(/<script/g)).toHaveLength(1);
	});

	it("has no two elements of the same id, and no link or label to one that is not there", () => {
		for (const [, result] of results) {
			const page = renderHtml(result);
			const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
			expect(new Set(ids).size).toBe(ids.length);
			const named = [...page.matchAll(/ (?:href="#|for="|aria-labelledby=")([^"]*)"/g)].map(([, id]) => id);
			for (const id of named) expect(ids).toContain(id);
		}
	});

	it("of 3,000 membership changes is under 1 MB, each change told twice", () => {
		const plan = largePlan();
		const moves = plan.changes.flatMap((change) =>
			change.kind === "userTag" ? [...change.addUserIds, ...change.removeUserIds] : [],
		);
		expect(moves).toHaveLength(3_000);
		const page = renderHtml({ command: "plan", plans: [plan] });
		expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
		expect(page.match(/<td class=[ar]>/g)).toHaveLength(3_000);
		expect(page.match(/<span class="chip [ar]">/g)).toHaveLength(3_000);
	});

	it("tells after an apply what was done, not what was planned", () => {
		const { apply } = resultsOf();
		const facts = renderHtml(apply ?? { command: "" })
			.match(/<dt>[^<]*<\/dt><dd>[^<]*<\/dd>/g)
			?.map((one) => one.replace(/<[^>]*>/g, " ").trim());
		expect(facts).toEqual([
			"steps completed  3 of 10",
			"membership gained  +1",
			"membership lost  \u22121",
			"removal  \u22121",
			"only reported  2",
			"activities wait  2",
		]);
	});
});

describe("what was sent and never answered", () => {
	const doubtful = doubtfulPlanOf();
	const sentences = doubtful.waiting.flatMap((activity) => [
		...describeWaiting(activity, doubtful),
		...tellWaiting(activity),
	]);
	const formats = {
		text: renderPlan(doubtful, plainStyle),
		Markdown: renderMarkdown({ command: "plan", plans: [doubtful] }),
		HTML: renderHtml({ command: "plan", plans: [doubtful] }).replace(/&#(\d+);/g, (_, code) =>
			String.fromCodePoint(Number(code)),
		),
		GitHub: renderGithub({ command: "plan", plans: [doubtful] }).annotations,
	};

	it.each(Object.entries(formats))("is told in the same sentences as %s, with the name to give up", (_, shown) => {
		expect(doubtful.waiting.map(({ activityId }) => activityId)).toEqual([id("other", 8), null]);
		expect(sentences).toHaveLength(8);
		for (const sentence of sentences) expect(shown).toContain(sentence);
		expect(shown).toContain(`--abandon ${fingerprint}`);
		expect(shown).not.toContain("null");
	});
});

describe("a change that takes two steps", () => {
	it("is shown as the one that did not complete", () => {
		const { apply } = resultsOf();
		const outcomes = [...resultsByAddress(apply?.reports?.[0]?.steps ?? null)].map(([address, { outcome }]) => [
			address,
			outcome,
		]);
		expect(Object.fromEntries(outcomes)).toMatchObject({
			"userTag:first": "failed",
			"userTag:second": "awaiting-approval",
		});
	});
});

describe("the template", () => {
	it("escapes what is put into it for text and attributes, but not what it made itself", () => {
		const name = `<b> & "x" 'y' \u202E`;
		const safe = "&#60;b&#62; &#38; &#34;x&#34; &#39;y&#39; \\u{202e}";
		expect(html`<i title="${name}">${name}</i>${[html`<b>${1}</b>`, null, trusted("<hr>")]}`.html).toBe(
			`<i title="${safe}">${safe}</i><b>1</b><hr>`,
		);
	});
});

describe("the matrix as data", () => {
	const marksOf = (matrix: Matrix | null) =>
		matrix?.rows.map(({ change, marks }) => [
			change.after.name,
			...matrix.users.map(({ id }, index) => `${id.slice(0, 8)} ${marks[index]}`),
		]);

	it("has a mark for each tag and user", () => {
		expect(marksOf(makeMatrix(planOf()))).toEqual([
			["auditors", "10000003 none", "10000004 none", "10000001 gains", "10000002 keeps"],
			["officers", "10000003 loses", "10000004 loses", "10000001 keeps", "10000002 loses"],
			["unseen", "10000003 loses", "10000004 none", "10000001 none", "10000002 gains"],
		]);
	});

	it("says of members who cannot be read that they are unknown, and of changes that nobody knows whether they are needed", () => {
		const plan = planOf();
		const changes = plan.changes.flatMap((change) =>
			change.kind !== "userTag"
				? []
				: [
						{
							...change,
							basis: "unknown" as const,
							before: { ...change.before, members: null },
							addUserIds: [alice],
							removeUserIds: change.after.name === "auditors" ? [bob] : [carol],
						},
					],
		);
		expect(marksOf(makeMatrix({ ...plan, changes: changes.slice(0, 2) }))).toEqual([
			["auditors", "10000003 unknown", "10000001 mayGain", "10000002 mayLose"],
			["first", "10000003 mayLose", "10000001 mayGain", "10000002 unknown"],
		]);
	});

	it("leaves out users who only keep what they have, and at last itself, when it grows too large", () => {
		expect(makeMatrix(largePlan({ tags: 10, users: 10, quiet: 30 }))).toMatchObject({
			leftOut: 0,
			users: { length: 40 },
		});
		expect(makeMatrix(largePlan({ tags: 100, users: 100, quiet: 30 }))).toMatchObject({
			leftOut: 30,
			users: { length: 100 },
		});
		expect(makeMatrix(largePlan({ tags: 300, users: 300 }))).toBeNull();
		expect(makeMatrix({ ...planOf(), changes: [] })).toBeNull();
	});
});
