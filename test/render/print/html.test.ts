/** The HTML page as text: its policy, its size, and that it is the same every time. test/browser/ opens it. */

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { resultsByAddress } from "../../../src/plan/report.ts";
import { renderGithub } from "../../../src/render/github.ts";
import { html, trusted } from "../../../src/render/html/html.ts";
import { renderHtml } from "../../../src/render/html/page.ts";
import { renderMarkdown } from "../../../src/render/markdown.ts";
import { phraseHtml } from "../../../src/render/print/html.ts";
import { phraseMarkdown } from "../../../src/render/print/markdown.ts";
import { phraseText } from "../../../src/render/print/text.ts";
import type { CommandResult, PlannedResult } from "../../../src/render/result/result.ts";
import { renderPlan } from "../../../src/render/result-text.ts";
import { pendingSections } from "../../../src/render/sections/pending.ts";
import { tagGrid } from "../../../src/render/sections/tag-matrix.ts";
import { plainStyle } from "../../../src/render/style.ts";
import type { Phrase } from "../../../src/say/phrase.ts";
import { id } from "../../plan/support-organizations.ts";
import { complete, generatedBy } from "../complete.ts";
import { largePlan } from "../large.ts";
import { readElements } from "../page-elements.ts";
import {
	alice,
	bob,
	carol,
	doubtfulPlanOf,
	emptyPlan,
	fingerprint,
	goodReportOf,
	planOf,
	resultsOf,
} from "../support.ts";

const results = Object.entries(resultsOf());

describe("the headline of an apply", () => {
	const pageOf = (name: string): string =>
		results.flatMap(([key, one]) => (key === name ? renderHtml(one) : [])).join("");

	it("leaves more than two counts of outcomes to the line below it", () => {
		const page = pageOf("apply");
		expect(page).toContain("<span>Not in sync</span></h1>");
		const lead = /<p class="lead">([^<]*)<\/p>/.exec(page)?.[1] ?? "";
		expect(lead.split(";")[0]).toMatch(/^\d+ completed(, \d+ [a-z ]+){2,}$/);
		expect(page).toContain(`<title>orgsync apply: Not in sync: ${lead.split(";")[0]} (`);
	});

	it("has up to two counts", () => {
		expect(pageOf("apply-good")).toMatch(/<span>Applied: \d+ completed<\/span><\/h1>/);
	});
});

describe("the page as text", () => {
	it.each(
		results,
	)("of %s is the same every time, and begins with a policy that allows its own style and script only", (_, result) => {
		const page = renderHtml(result, { generatedBy });
		expect(renderHtml(JSON.parse(JSON.stringify(result)), { generatedBy })).toBe(page);
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

	it.each(
		results,
	)("of %s says its state in words in its one first heading, and leaves out no level of heading", (_, result) => {
		const page = renderHtml(result);
		const [, heading = ""] = /<h1>(.*?)<\/h1>/s.exec(page) ?? [];
		expect(heading.replace(/<[^>]*>/g, "")).toMatch(/(Good|Attention|Stop): /);
		const levels = readElements(page)
			.flatMap(({ shape }) => /^h(\d)/.exec(shape)?.[1] ?? [])
			.map(Number);
		expect(levels.filter((level) => level === 1)).toHaveLength(1);
		for (const [index, level] of levels.entries()) expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1);
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

	it("of 3,000 membership changes is under 1 MB, each change shown twice", () => {
		const plan = largePlan();
		const moves = plan.changes.flatMap((change) =>
			change.kind === "userTag" ? [...change.addUserIds, ...change.removeUserIds] : [],
		);
		expect(moves).toHaveLength(3_000);
		const page = renderHtml(complete({ command: "plan", plans: [plan] }));
		expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
		expect(page.match(/<td class=[ar]>/g)).toHaveLength(3_000);
		expect(page.match(/<span class="chip [ar]">/g)).toHaveLength(3_000);
	});

	it("has no matrix that is too large to read: the list has its changes", () => {
		const page = renderHtml(complete({ command: "plan", plans: [largePlan({ tags: 300, users: 300 })] }));
		expect(readElements(page).filter(({ path }) => /\bgrid\b/.test(path))).toEqual([]);
		expect(page).toMatch(/<details><summary><h2 [^>]*>User tags <span class="number">300</);
	});

	it("shows after an apply what was done, not what was planned", () => {
		const { apply } = resultsOf();
		const facts = renderHtml(apply ?? complete({ command: "" }))
			.match(/<dt>[^<]*<\/dt><dd>[^<]*<\/dd>/g)
			?.map((one) => one.replace(/<[^>]*>/g, " ").trim());
		expect(facts).toEqual([
			"steps completed  3 of 10",
			"memberships gained  +1 of 2",
			"memberships lost  \u22121 of 4",
			"removals  \u22121 of 4",
			"report-only  2",
			"pending activities  2",
		]);
	});
});

describe("what the page counts", () => {
	const pageOf = (result: CommandResult | undefined): string => renderHtml(result ?? complete({ command: "" }));
	const factsOf = (page: string): readonly (readonly [words: string, number: string])[] =>
		[...page.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)].map(([, words = "", number = ""]) => [words, number]);
	const numberOf = (page: string, title: string): string | undefined =>
		new RegExp(`>${title} <span class="number">(\\d+)</span>`).exec(page)?.[1];

	it("of an invalid document is no organization: there is no card of organizations", () => {
		const page = pageOf(resultsOf()["error-document"]);
		expect(page).toContain("2 problems in the documents");
		expect(page).not.toContain(">Organizations");
	});

	it("of a plan is what its verdict counts, without steps that are waiting", () => {
		const { plan } = resultsOf();
		const page = pageOf(plan);
		expect(page).toContain(
			"5 user tags to update, 1 OAuth provider to remove, 1 policy to remove, 1 TVC app to remove.",
		);
		expect(factsOf(page)).toContainEqual(["removals", "\u22123 of 4"]);
		const waiting = /<li>(?:(?!<\/li>).)*<span class="word attention">pending<\/span>/s.exec(page)?.[0];
		expect(waiting?.split("<li>").at(-1)).toContain("older rule");
	});

	it("of a plan that submits nothing is no gain and no loss", () => {
		expect(factsOf(pageOf(resultsOf()["plan-doubt"]))).toEqual([
			["activities to submit", "0"],
			["requests in doubt", "2"],
		]);
		expect(factsOf(pageOf(resultsOf()["plan-impossible"]))).toEqual([["activities to submit", "0"]]);
	});

	it("of an apply that began nothing is nothing submitted", () => {
		for (const name of ["apply-stale", "apply-refused", "apply-declined"]) {
			expect(factsOf(pageOf(resultsOf()[name])), name).toEqual([
				["activities submitted", "0 of 9"],
				["report-only", "2"],
				["pending activity", "1"],
			]);
		}
	});

	it("says of each change of an apply that began nothing that it was not submitted", () => {
		for (const name of ["apply-stale", "apply-refused", "apply-declined"]) {
			const page = pageOf(resultsOf()[name]);
			const [tags = ""] = />User tags <.*?<\/section>/s.exec(page) ?? [];
			expect(tags.match(/>not submitted</g), name).toHaveLength(5);
			expect(page, name).toContain(">Steps that were not submitted <");
		}
		expect(pageOf(resultsOf().plan)).not.toContain(">not submitted<");
	});

	it("orders user tags as people count", () => {
		const page = pageOf(complete({ command: "plan", plans: [largePlan({ tags: 120, users: 20 })] }));
		const names = [...page.matchAll(/<span class="name"[^>]*><strong><bdi>([^<]*)/g)].map(([, name]) => name);
		expect(names.slice(98, 102)).toEqual(["tag-98", "tag-99", "tag-100", "tag-101"]);
	});

	it("of an apply that had nothing to do is nothing at all", () => {
		const plan = emptyPlan();
		const idle = { ...goodReportOf(plan), steps: [] };
		expect(pageOf(complete({ command: "apply", plans: [plan], reports: [idle] }))).not.toContain("<dl");
	});

	it("as guards that keep apply from sending anything are those that refuse, and no others", () => {
		const { "plan-base": result } = resultsOf();
		const page = pageOf(result);
		const guards = (result as PlannedResult).organizations[0]?.plan?.guards ?? [];
		const refusing = guards.filter(({ refuses }) => refuses).length;
		expect([refusing, guards.length]).toEqual([1, 3]);
		expect(numberOf(page, "Guards that block apply")).toBe("1");
		expect(numberOf(page, "Guards that pass")).toBe("2");
		const [blocking = ""] = /Guards that block apply.*?<\/section>/s.exec(page) ?? [];
		expect(blocking.match(/class="word \w+">[^<]*/g)).toEqual(['class="word bad">blocks']);
	});

	it("as organizations is what the headline counts, those that could not be read included", () => {
		const failed = { organizationId: id("org", 9), error: { code: "service", message: "404", hint: null }, steps: [] };
		const page = pageOf(complete({ command: "plan", plans: [planOf(), emptyPlan(2)], failed: [failed] }));
		expect(page).toContain("3 organizations");
		expect(numberOf(page, "Organizations")).toBe("3");
		expect(page).toContain(`<a href="#unplanned"><code>${id("org", 9)}</code></a>`);
	});
});

describe("a name or a command in a sentence", () => {
	it.each(results)("of %s is never between back quotes", (_, result) => {
		const page = renderHtml(result).replace(/<(style|script)>.*?<\/\1>/gs, "");
		expect(page).not.toContain("`");
	});
});

describe("what was sent and never answered", () => {
	const doubtful = doubtfulPlanOf();
	const sentences = pendingSections(doubtful).flatMap(({ rows }) =>
		rows.flatMap((row) => [row.said, ...(row.rows ?? []).map(({ said }) => said)]),
	);
	const result = complete({ command: "plan", plans: [doubtful] });
	const formats = [
		["text", renderPlan(doubtful, plainStyle), phraseText],
		["Markdown", renderMarkdown(result), phraseMarkdown],
		["HTML", renderHtml(result), (phrase: Phrase) => phraseHtml(phrase).html],
		["GitHub", renderGithub(result).annotations, phraseText],
	] as const;

	it.each(formats)("uses the same sentences as %s, with the name to abandon", (_, shown, print) => {
		expect(doubtful.waiting.map(({ activityId }) => activityId)).toEqual([id("other", 8), null]);
		expect(sentences).toHaveLength(6);
		for (const sentence of sentences) expect(shown).toContain(print(sentence));
		expect(shown).toContain(`--abandon ${fingerprint}`);
		expect(shown).not.toContain("null");
	});
});

describe("a change that takes two steps", () => {
	it("is shown as the one that did not complete", () => {
		const { apply } = resultsOf();
		const outcomes = [...resultsByAddress((apply as PlannedResult).organizations[0]?.report?.steps ?? null)].map(
			([address, { outcome }]) => [address, outcome],
		);
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
	const marksOf = (grid: ReturnType<typeof tagGrid>) =>
		grid?.rows.map(({ title, cells }) => [
			phraseText(title.slice(-1)),
			...cells.map(({ look }, index) => `${grid.columns[index]?.id.slice(0, 8)} ${look}`),
		]);

	it("has a mark for each tag and user", () => {
		expect(marksOf(tagGrid(planOf()))).toEqual([
			["auditors", "10000003 none", "10000004 none", "10000001 gain", "10000002 same"],
			["officers", "10000003 loss", "10000004 loss", "10000001 same", "10000002 loss"],
			["unseen", "10000003 loss", "10000004 none", "10000001 none", "10000002 gain"],
		]);
	});

	it("shows unreadable members as unknown, and their changes as possibly not needed", () => {
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
		expect(marksOf(tagGrid({ ...plan, changes: changes.slice(0, 2) }))).toEqual([
			["auditors", "10000003 unknown", "10000001 mayGain", "10000002 mayLose"],
			["first", "10000003 mayLose", "10000001 mayGain", "10000002 unknown"],
		]);
	});

	it("leaves out users who only keep what they have, and at last itself, when it grows too large", () => {
		expect(tagGrid(largePlan({ tags: 10, users: 10, quiet: 30 }))).toMatchObject({
			leftOut: 0,
			columns: { length: 40 },
		});
		expect(tagGrid(largePlan({ tags: 100, users: 100, quiet: 30 }))).toMatchObject({
			leftOut: 30,
			columns: { length: 100 },
		});
		expect(tagGrid(largePlan({ tags: 300, users: 300 }))).toBeNull();
		expect(tagGrid({ ...planOf(), changes: [] })).toBeNull();
	});
});
