/**
 * The text, the Markdown, the page and the annotations of one result agree in every count, sign and colour. What each of them
 * shows is read back from it, and compared with the value of the result.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reportDrift } from "../../../src/plan/drift/drift.ts";
import { makePlan, type Plan } from "../../../src/plan/plan.ts";
import { renderGithub } from "../../../src/render/github.ts";
import { renderHtml } from "../../../src/render/html/page.ts";
import { renderMarkdown } from "../../../src/render/markdown.ts";
import { renderJson } from "../../../src/render/result/published.ts";
import { type CommandResult, driftIn, isCompared } from "../../../src/render/result/result.ts";
import { renderText } from "../../../src/render/result-text.ts";
import { plainStyle, type Style } from "../../../src/render/style.ts";
import { casesToTry } from "../../case-count.ts";
import { context, desiredOfWorld, id, liveOfWorld, smallWorlds } from "../../plan/support-organizations.ts";
import { complete } from "../complete.ts";
import { emptyPlan, goodReportOf, planOf, resultsOf } from "../support.ts";

/** What is compared, by name: a number, or lines in the order of the alphabet. A format leaves out what it does not show. */
type Facts = Readonly<Record<string, number | readonly string[]>>;

const foundIn = (result: CommandResult) => (isCompared(result) ? result.organizations : []);
const plansOf = (result: CommandResult): readonly Plan[] => foundIn(result).flatMap(({ plan }) => plan ?? []);
const reportsOf = (result: CommandResult) => foundIn(result).flatMap(({ report }) => report ?? []);
const failedOf = (result: CommandResult) => foundIn(result).flatMap(({ failed }) => failed ?? []);
const sorted = (all: Iterable<string>): readonly string[] => [...all].sort();
const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0);

/** How each sign is coloured: green, red or amber. */
const colours: Readonly<Record<string, string>> = { "+": "a", "-": "r", "~": "w", "!": "w", "?": "w", "!!": "r" };

/** Whether the result is one of changes to come: none was begun. */
function isPlanned(result: CommandResult): boolean {
	return reportsOf(result).length === 0 && failedOf(result).length === 0;
}

/** Returns the facts of all organizations that the format shows in full. */
function factsOf(result: CommandResult, isShown: (organizationId: string) => boolean): Facts {
	const plans = plansOf(result).filter(({ organizationId }) => isShown(organizationId));
	const changes = plans.flatMap((plan) => plan.changes);
	const signs = { create: "+", update: "~", remove: "-", report: "!" } as const;
	const members = plans.flatMap(({ userNames, liveNames, ...plan }) =>
		plan.changes.flatMap((change) => {
			if (change.kind !== "userTag") return [];
			const show = (sign: string) => (userId: string) =>
				`${sign} ${userNames[userId] ?? liveNames?.[userId] ?? userId}`;
			return [...change.addUserIds.map(show("+")), ...change.removeUserIds.map(show("-"))];
		}),
	);
	// Of an object that apply can do nothing about there is no change, only a finding.
	const problems = driftIn(result)
		.flatMap(({ findings }) => findings.filter(({ state }) => state !== "not-looked-at"))
		.filter((finding) => !changes.some(({ address }) => address === finding.address))
		.map(({ address }) => `! ${address}`);
	const refusing = plans.flatMap(({ guards, overrides = [] }) =>
		guards.filter(
			({ refuses, kind }) => refuses && !overrides.some((one) => one.flag === "allow" && one.kind === kind),
		),
	);
	const ended = [...reportsOf(result), ...failedOf(result)];
	const outcomes = ended.filter(({ organizationId }) => isShown(organizationId)).flatMap(({ steps }) => steps);
	return {
		changes: sorted([...changes.map(({ action, address }) => `${signs[action]} ${address}`), ...problems]),
		members: sorted(members),
		removals: changes.filter(({ action }) => action === "remove").length,
		lost: members.filter((one) => one.startsWith("-")).length,
		gained: members.filter((one) => one.startsWith("+")).length,
		reported: changes.filter(({ action }) => action === "report").length,
		changed: changes.length,
		guards: isPlanned(result) ? refusing.length : 0,
		unmanaged: sum(plans.map(({ unmanaged }) => unmanaged.length)),
		drifted: sum(driftIn(result).map(({ findings }) => findings.filter((one) => one.state !== "not-looked-at").length)),
		unknown: sum(driftIn(result).map(({ unread }) => unread.length)),
		resolved: sum(driftIn(result).map(({ gone }) => gone.length)),
		badImpact: sum(
			(isPlanned(result) ? plans : []).map(
				({ impact = [] }) => impact.filter(({ change }) => /nobody|alone|fewer/.test(change)).length,
			),
		),
		completed: outcomes.filter(({ outcome }) => outcome === "completed").length,
	};
}

const linesIn = (text: string): number => text.split("\n").filter((line) => line !== "").length;

/** Returns every sign with its object, and every one with its member, of text or of the `diff` blocks of Markdown. */
function linesOf(text: string): Pick<Facts, "changes" | "members"> {
	const find = (pattern: RegExp) => sorted([...text.matchAll(pattern)].map(([, sign, what]) => `${sign} ${what}`));
	return { changes: find(/^([-+~!]) ([a-z]\w+:\S+)/gm), members: find(/^(?: {4}|(?=[-+] {3}))([-+]) +member (\S+)/gm) };
}

function readText(result: CommandResult): Facts {
	const text = renderText(result, { style: plainStyle, quiet: true });
	const guards = [...text.matchAll(/^Guards that block apply:\n((?: {2}.*\n)+)/gm)].map(([, lines = ""]) =>
		linesIn(lines),
	);
	const isDrift = driftIn(result).length > 0;
	// A problem of a plan has no sign in text: it is an error at a line of the document.
	const hasSigns = isDrift || plansOf(result).every(({ problems }) => problems.length === 0);
	const isShown = isPlanned(result) && result.command !== "apply" && hasSigns;
	return {
		...(isShown
			? {
					...linesOf(isDrift ? text.replaceAll(/^ {2}/gm, "") : text),
					guards: sum(guards),
					badImpact: [...text.matchAll(/^ {2}!! (?!userTag)/gm)].length,
				}
			: {}),
		...(reportsOf(result).length > 0 ? { completed: [...text.matchAll(/^ok /gm)].length } : {}),
	};
}

/** Which organizations Markdown shows in full: the others have a line each. */
function shownInMarkdown(result: CommandResult): (organizationId: string) => boolean {
	const folded = /<summary>Nothing to decide.*?<\/details>/s.exec(renderMarkdown(result))?.[0] ?? "";
	return (organizationId) => !folded.includes(organizationId);
}

function readMarkdown(result: CommandResult): Facts {
	const text = renderMarkdown(result);
	const join = (pattern: RegExp): string => [...text.matchAll(pattern)].map(([, lines]) => lines).join("\n");
	const numberOf = (title: RegExp): number =>
		sum([...text.matchAll(new RegExp(`${title.source} \\((\\d+)\\)`, "g"))].map(([, number]) => Number(number)));
	const diffUnder = (title: RegExp): string =>
		join(new RegExp(`${title.source} \\(\\d+\\)[^]*?\n\n\`\`\`diff\n([^]*?)\n\`\`\``, "g"));
	const bulletsUnder = (title: string): number => linesIn(join(new RegExp(`\\*\\*${title}.*\n\n((?:- .*\n)+)`, "g")));
	const [removals, memberships] = [
		/\*\*Removals(?: and their results)?/,
		/\*\*Memberships lost(?: and their results)?/,
	];
	const lost = [...diffUnder(memberships).matchAll(/ {2}loses (.*?)(?: {2}|$)/gm)];
	const losers = lost.flatMap(([, names = ""]) => names.split(/, (?![^(]*\))/));
	expect(linesIn(diffUnder(removals))).toBe(numberOf(removals));
	expect(losers).toHaveLength(numberOf(memberships));
	const isDrift = driftIn(result).length > 0;
	const ofDrift = ["Drifted", "Fixed by a pending activity", "Unknown"].map((title) =>
		diffUnder(new RegExp(`\\*\\*${title}`)),
	);
	return {
		...linesOf(isDrift ? ofDrift.join("\n") : diffUnder(/<summary>Changes/)),
		...(isDrift
			? { drifted: numberOf(/\*\*Drifted/), unknown: numberOf(/\*\*Unknown/), resolved: bulletsUnder("Resolved since") }
			: { removals: numberOf(removals), lost: losers.length, changed: numberOf(/Changes/) }),
		guards: bulletsUnder("Guards that block apply"),
		unmanaged: numberOf(/Unmanaged user tags, which apply does not touch/),
		badImpact:
			bulletsUnder("What (?:changes|apply would change) for .*\n\n") -
			[...text.matchAll(/^- could not compare/gm)].length,
		completed: numberOf(/Completed steps/),
	};
}

interface Card {
	readonly title: string;
	/** Shown beside the title. */
	readonly number: number;
	readonly body: string;
}

const wordsOf = (html: string): string =>
	html
		.replace(/<[^>]*>/g, "")
		.replaceAll("\u2212", "-")
		.replaceAll("\u00a0", " ")
		.replaceAll("&#39;", "'")
		.trim();

function cardsOf(page: string): readonly Card[] {
	return page
		.split(/<(?:section|div) class="card /)
		.slice(1)
		.map((body) => {
			const heading = /<h[23][^>]*>(.*?)<\/h[23]>/.exec(body)?.[1] ?? "";
			const [title = "", number] = heading.split(' <span class="number">');
			return { title, number: Number.parseInt(number ?? "0", 10), body };
		});
}

/** Returns the rows of a card: their sign, its colour, and what they say. */
function rowsOf({ body }: Card) {
	const rows = body.matchAll(/<li><span class="mark (\w)" aria-hidden="true">(.*?)<\/span><div>(.*?)<\/div><\/li>\n/gs);
	return [...rows].map(([, look = "", sign = "", content = ""]) => ({ look, sign: wordsOf(sign), content }));
}

function readPage(result: CommandResult): Facts {
	const page = renderHtml(result);
	const cards = cardsOf(page);
	const ofTitle = (title: RegExp): readonly Card[] => cards.filter((card) => title.test(card.title));
	const numberOf = (title: RegExp): number => sum(ofTitle(title).map(({ number }) => number));
	const ofChanges = ofTitle(
		/^(Removals(?: and their results)?|User tags|Policies|Report-only differences|Drifted|Fixed by a pending activity|Unknown)$/,
	);
	for (const card of ofChanges) expect(rowsOf(card), card.title).toHaveLength(card.number);
	const rows = ofChanges.flatMap(rowsOf);
	const addresses = new Map(
		plansOf(result).flatMap(({ changes }) =>
			changes.map((one) => ["tagId" in one ? one.tagId : one.address, one.address]),
		),
	);
	const names = rows.flatMap(({ sign, content }) => {
		const code = wordsOf(/<code>(.*?)<\/code>/.exec(content)?.[1] ?? "");
		const address = addresses.get(code) ?? code;
		return sign === "?" ? [] : [`${sign} ${address}`];
	});
	const chips = ofChanges.flatMap(({ body }) => [
		...body.matchAll(/<span class="chip ([ar])">(.)\u00a0(.*?)<\/span>(?=<|\s)/gs),
	]);
	for (const [, look, sign] of chips) expect(look).toBe(colours[wordsOf(sign ?? "")]);
	for (const { look, sign } of [...rows, ...ofTitle(/for who can do what$/).flatMap(rowsOf)])
		expect(look, sign).toBe(colours[sign]);
	const impact = ofTitle(/for who can do what$/).flatMap(rowsOf);
	const isDrift = driftIn(result).length > 0;
	const figure = (words: RegExp): number => {
		const [, shown = "0"] =
			new RegExp(`<dt>${words.source}</dt><dd>[+\u2212]?(?:\\d+ of )?(\\d+)</dd>`).exec(page) ?? [];
		return Number(shown);
	};
	const isAlone = plansOf(result).length === 1;
	return {
		changes: sorted(names),
		members: sorted(chips.map(([, , sign = "", name = ""]) => `${wordsOf(sign)} ${wordsOf(name).split(" ")[0]}`)),
		...(isDrift
			? { drifted: numberOf(/^Drifted$/), unknown: numberOf(/^Unknown$/), resolved: numberOf(/^Resolved/) }
			: {
					removals: numberOf(/^Removals(?: and their results)?$/),
					reported: numberOf(/^Report-only/),
					changed: rows.length,
				}),
		// Figures are left out where nothing is to be submitted, or was completed.
		...(isAlone && figure(/removals?/) > 0 ? { removals: figure(/removals?/) } : {}),
		...(isAlone && figure(/memberships? lost/) > 0 ? { lost: figure(/memberships? lost/) } : {}),
		...(isAlone && figure(/memberships? gained/) > 0 ? { gained: figure(/memberships? gained/) } : {}),
		guards: numberOf(/^Guards that block apply$/),
		unmanaged: numberOf(/^Unmanaged/),
		badImpact: impact.filter(({ sign }) => sign === "!!").length,
		completed: [...page.matchAll(/<span class="step">[^<]*<\/span> <span class="word good">completed/g)].length,
	};
}

/** Each guard has an annotation; of the changes GitHub shows no more than ten of a level. */
function readAnnotations(result: CommandResult): Facts {
	const lines = renderGithub(result).annotations.split("\n");
	const isCut = lines.some((line) => /title=orgsync%3A more::/.test(line));
	return isCut || !isPlanned(result)
		? {}
		: { guards: lines.filter((line) => /^::error.*title=orgsync%3A guard::/.test(line)).length };
}

const several = complete({
	command: "apply",
	plans: [planOf(), ...[2, 3].map((number) => emptyPlan(number))],
	reports: [goodReportOf(planOf()), ...[2, 3].map((number) => goodReportOf(emptyPlan(number)))],
	notRead: [id("org", 4)],
	failed: [{ organizationId: id("org", 5), error: { code: "transport", message: "no answer", hint: null }, steps: [] }],
});
const results = Object.entries({ ...resultsOf(), "apply-several": several }).filter(
	([, result]) => plansOf(result).length > 0,
);

describe("one result in several formats", () => {
	it.each(
		results.flatMap(([name, result]) =>
			Object.entries({ text: readText, Markdown: readMarkdown, page: readPage, annotations: readAnnotations }).map(
				([format, read]) => [name, format, result, read] as const,
			),
		),
	)("%s has as %s the counts, signs and colours of its value", (_, format, result, read) => {
		const shown = read(result);
		const facts = factsOf(result, format === "Markdown" ? shownInMarkdown(result) : () => true);
		expect(shown).toEqual(Object.fromEntries(Object.keys(shown).map((key) => [key, facts[key]])));
	});

	it("has the counts of its value for any small organization, as a plan and as a report of drift", () => {
		fc.assert(
			fc.property(smallWorlds(), fc.constantFrom("plan", "show", "drift"), (world, command) => {
				const plan = makePlan(desiredOfWorld(world), liveOfWorld(world), context);
				const drift = command === "drift" ? { drift: [reportDrift(plan)] } : {};
				const result = complete({ command, plans: [plan], ...drift, savedPlan: undefined });
				const facts = factsOf(result, () => true);
				for (const read of [readText, readMarkdown, readPage, readAnnotations]) {
					const shown = read(result);
					expect(shown).toEqual(Object.fromEntries(Object.keys(shown).map((key) => [key, facts[key]])));
				}
				const published = JSON.parse(renderJson(result)).plans[0];
				expect(published.changes.map(({ address }: { address: string }) => address).length).toBe(facts.changed);
				expect(published.unmanaged.length).toBe(facts.unmanaged);
			}),
			casesToTry(60),
		);
	});

	it.each(results)("%s has the same colour for the same sign in a terminal as on the page", (_, result) => {
		const mark = (look: string) => (text: string) => `<${look}>${text}</>`;
		const style: Style = { ...plainStyle, add: mark("a"), remove: mark("r"), update: mark("w"), warn: mark("w") };
		const text = renderText(result, { style, quiet: true });
		for (const [, look, sign = ""] of text.matchAll(/^ *<(\w)>([-+~!?]{1,2})(?: |<)/gm)) {
			expect(`${sign} ${look}`).toBe(`${sign} ${sign === "--" ? "w" : colours[sign]}`);
		}
	});

	it.each(
		results.filter(([, result]) => plansOf(result).length > 1),
	)("%s counts the same organizations in its verdict, on the page, and in its lists", (_, result) => {
		const [, all = "0"] = /### (\d+) organizations: /.exec(renderMarkdown(result)) ?? [];
		const page = renderHtml(result);
		expect(page).toContain(`<h2 id="overview">Organizations <span class="number">${all}</span></h2>`);
		const figures = [...page.matchAll(/<dt>[^<]*<\/dt><dd>(\d+)<\/dd>/g)].map(([, number]) => Number(number));
		if (figures.length > 0) expect(sum(figures)).toBe(Number(all));
		expect(renderText(result, { style: plainStyle, quiet: true })).toContain(`${all} organizations: `);
		expect(renderGithub(result).annotations).toContain(`${all} organizations: `);
	});
});
