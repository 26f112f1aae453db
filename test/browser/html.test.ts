/**
 * The HTML page in a real browser: it asks for nothing, runs nothing that a name says, can be used by keyboard and by ear,
 * and can be read on a phone, on a desk, in the dark and on paper.
 */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { showSpaces } from "../../src/common/escape.ts";
import { renderHtml } from "../../src/render/html/page.ts";
import type { CommandResult } from "../../src/render/result/result.ts";
import { id } from "../plan/support-organizations.ts";
import { complete } from "../render/complete.ts";
import { largePlan } from "../render/large.ts";
import { readElements } from "../render/page-elements.ts";
import { alice, emptyPlan, hostileNames, hostileNamings, planOf, resultsOf, tabledPlanOf } from "../render/support.ts";
import { impactPlanOf, manyPowersPlanOf } from "../render/support-impact.ts";
import { useBrowser } from "./use-browser.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const browser = useBrowser();
let server: Server;
let shown = "";
let tab: Page | undefined;
const asked: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
	server = createServer((request, response) => {
		asked.push(request.url ?? "");
		response.setHeader("content-type", "text/html; charset=utf-8").end(request.url === "/page" ? shown : "");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}, 60_000);

afterAll(async () => {
	await new Promise((resolve) => server?.close(resolve));
});

interface Look {
	readonly width?: number;
	readonly scheme?: "light" | "dark";
}

/** The tab of all tests: a new one takes longer than most of them. */
async function openTab(): Promise<Page> {
	const page = await browser().newPage();
	page.on("console", (message) => complaints.push(message.text()));
	page.on("pageerror", (error) => complaints.push(error.message));
	page.on("dialog", (dialog) => {
		complaints.push(`a dialog: ${dialog.message()}`);
		void dialog.dismiss();
	});
	return page;
}

/** The page as its reader has it; everything that the browser complained about or asked for is in the lists. */
async function open(result: CommandResult, { width = 1440, scheme = "light" }: Look = {}): Promise<Page> {
	tab ??= await openTab();
	await tab.setViewportSize({ width, height: 900 });
	await tab.emulateMedia({ colorScheme: scheme, media: null });
	shown = renderHtml(result);
	complaints.length = 0;
	asked.length = 0;
	await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/page`);
	return tab;
}

/** The rules of axe-core whose verdict depends on the width of the window or on its colours. */
const rulesOfLook = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"];

/** What axe-core finds wrong, with where. The page's policy lets no script in, so it is put in from outside. */
async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
	if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
	const options = JSON.stringify({ resultTypes: ["violations"], ...(rules === undefined ? {} : { runOnly: rules }) });
	const found = (await page.evaluate(`axe.run(${options}).then(({ violations }) => violations)`)) as {
		id: string;
		nodes: { html: string; failureSummary: string }[];
	}[];
	return found.flatMap(({ id, nodes }) =>
		nodes.slice(0, 3).map((node) => `${id}: ${node.html} ${node.failureSummary}`),
	);
}

const plan: CommandResult = complete({ command: "plan", plans: [planOf()] });
const tabledPlan: CommandResult = complete({ command: "plan", plans: [tabledPlanOf()] });

/** So many of the results that their pages have every element in every place where the page of any result has it. */
function distinctResults(): readonly (readonly [name: string, result: CommandResult])[] {
	const paths = (result: CommandResult) => new Set(readElements(renderHtml(result)).map(({ path }) => path));
	const all = Object.entries(resultsOf()).map(([name, result]) => ({ name, result, paths: paths(result) }));
	const seen = new Set<string>();
	const distinct = all
		.toSorted((one, other) => other.paths.size - one.paths.size)
		.filter((one) => {
			const isNew = [...one.paths].some((path) => !seen.has(path));
			for (const path of one.paths) seen.add(path);
			return isNew;
		});
	return distinct.map(({ name, result }) => [name, result]);
}

describe("the page", () => {
	it.each(
		distinctResults(),
	)("of %s is without a complaint of the browser or of axe-core, and asks for nothing", async (_, result) => {
		const page = await open(result);
		expect(await violations(page)).toEqual([]);
		expect(complaints).toEqual([]);
		expect(asked).toEqual(["/page"]);
	});

	it("is sound in light and dark, on a phone and on a desk, and never wider than the window", async () => {
		for (const result of [
			plan,
			complete({ command: "plan", plans: [largePlan({ tags: 5, users: 20, quiet: 2 })] }),
			resultsOf(hostileNamings[4])["plan-three"],
			resultsOf()["plan-policies"],
		]) {
			const page = await open(result as CommandResult);
			expect(await violations(page)).toEqual([]);
			for (const [scheme, width] of [
				["light", 360],
				["light", 1440],
				["dark", 360],
				["dark", 1440],
			] as const) {
				await page.setViewportSize({ width, height: 900 });
				await page.emulateMedia({ colorScheme: scheme });
				expect(await violations(page, rulesOfLook)).toEqual([]);
				expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
				const ground = await page.evaluate("getComputedStyle(document.body).backgroundColor");
				expect(ground).toBe(scheme === "light" ? "rgb(244, 245, 248)" : "rgb(14, 17, 22)");
			}
			expect(complaints).toEqual([]);
		}
	}, 60_000);

	it("allows no script or style but its own two", async () => {
		const page = await open(plan);
		await page.evaluate(`
			const script = document.createElement("script");
			script.textContent = "window.broken = true";
			document.body.append(script);
			document.body.insertAdjacentHTML("beforeend", '<p id="late" style="position:fixed" onclick="window.broken = true">late</p><img src="/image">');
			document.querySelector("#late").click();
		`);
		expect(await page.evaluate("window.broken")).toBeUndefined();
		expect(await page.evaluate("getComputedStyle(document.querySelector('#late')).position")).toBe("static");
		expect(complaints.filter((complaint) => complaint.includes("Content Security Policy"))).toHaveLength(4);
		expect(asked).toEqual(["/page"]);
	});
});

describe("hostile names on the page", () => {
	it("are read by a browser as the tests of its text read them", async () => {
		const page = await open(plan);
		// Names with tags, comments, quotes and references of characters.
		const namings = hostileNamings.filter((_, index) => /[<"&]/.test(hostileNames[index >> 1] ?? ""));
		expect(namings).toHaveLength(10);
		const pages = namings.flatMap((naming) => {
			const { "plan-impact-two": first, "apply-one-failed": second } = resultsOf(naming);
			return [first, second].map((result) => renderHtml(result as CommandResult));
		});
		const read = await page.evaluate(
			(texts) =>
				texts.map((text) => {
					const { documentElement } = new DOMParser().parseFromString(text, "text/html");
					const elements = [documentElement, ...documentElement.querySelectorAll("*")];
					return elements.map((one) => [one.localName, ...one.getAttributeNames()].join(" "));
				}),
			pages,
		);
		for (const [index, shapes] of read.entries())
			expect(readElements(pages[index] ?? "").map(({ shape }) => shape)).toEqual(shapes);
	});

	it("read as they are written, and do nothing", async () => {
		const plans = hostileNames.map((_, index) => ({
			...tabledPlanOf(hostileNamings[2 * index]),
			organizationId: id("org", index),
		}));
		const page = await open(complete({ command: "plan", plans }));
		const names = await page.$$eval(".grid tbody .name", (all) => all.map((one) => one.textContent));
		for (const name of hostileNames) expect(names).toContain(showSpaces(`${name}auditors`));
		expect(complaints).toEqual([]);
		expect(asked).toEqual(["/page"]);
	});
});

describe("the matrix", () => {
	const cells = (page: Page) =>
		page.$$eval(".grid tr", (rows) =>
			rows
				.filter((row) => row.checkVisibility())
				.map((row) => [...row.children].filter((cell) => cell.checkVisibility()).map((cell) => cell.textContent)),
		);

	it("shows by sign and word who gains, loses and keeps a tag", async () => {
		const page = await open(tabledPlan);
		expect(await cells(page)).toEqual([
			["User tag", "10000003-7a3f-4c9e-9d40-000000000003", "10000004-7a3f-4c9e-9d40-000000000004", "alice", "bob"],
			["auditors +1", "", "", "+gains", "\u2022keeps"],
			["signers \u2192 officers \u22123", "\u2212loses", "\u2212loses", "\u2022keeps", "\u2212loses"],
			["unseen *as last applied +1 \u22121", "\u2212loses", "", "", "+gains"],
		]);
	});

	it("finds tags by name with those they concern, and users with their tags", async () => {
		const page = await open(tabledPlan);
		await page.fill("input[type=search]", "AUDIT");
		expect(await cells(page)).toEqual(
			[
				["User tag", "alice"],
				["auditors +1", "+gains"],
			]
				.map(String)
				.map((row) => row.split(",")),
		);
		expect(await page.textContent("output")).toBe("1 of 3 tags, 1 of 4 users");
		await page.fill("input[type=search]", "10000003");
		expect((await cells(page)).map((row) => row[0])).toEqual([
			"User tag",
			"signers \u2192 officers \u22123",
			"unseen *as last applied +1 \u22121",
		]);
		await page.fill("input[type=search]", "");
		expect((await cells(page)).flat()).toHaveLength(20);
		expect(await page.textContent("output")).toBe("");
	});

	it("shows users without changes when asked to, or when they are searched for", async () => {
		const page = await open(complete({ command: "plan", plans: [largePlan({ tags: 9, users: 9, quiet: 3 })] }));
		const columns = async () => {
			const [head, ...rows] = (await cells(page)).map(({ length }) => length);
			expect(new Set(rows)).toEqual(new Set([head]));
			return head;
		};
		expect(await columns()).toBe(1 + 9);
		await page.check("text=show 3 users without changes");
		expect(await columns()).toBe(1 + 12);
		await page.uncheck("text=show 3 users without changes");
		await page.fill("input[type=search]", "quiet");
		expect(await columns()).toBe(1 + 3);
	});

	it("keeps tags and users in sight while it is scrolled", async () => {
		const page = await open(complete({ command: "plan", plans: [largePlan({ tags: 70, users: 70 })] }), { width: 360 });
		const place = () =>
			page.$$eval(".scroll, .grid tbody tr:nth-child(60) th, .grid thead th:nth-child(60)", (all) =>
				all.map((one) => one.getBoundingClientRect()).map(({ left, top }) => [left, top]),
			);
		await page.$eval(".scroll", (one) => one.scrollTo(1_700, 1_700));
		const [box, user, tag] = await place();
		expect(tag?.[0]).toBeCloseTo((box?.[0] ?? 0) + 1, 0);
		expect(user?.[1]).toBeCloseTo((box?.[1] ?? 0) + 1, 0);
	});

	it("of 100 tags × 100 users with 3,000 changes is searched", async () => {
		const page = await open(complete({ command: "plan", plans: [largePlan()] }));
		await page.fill("input[type=search]", "tag-07");
		expect((await cells(page)).map(([name]) => name)).toEqual(["User tag", expect.stringContaining("tag-07")]);
	});
});

describe("several organizations", () => {
	const unread = id("other", 99);
	const fleet = complete({
		command: "plan",
		plans: [...[1, 2, 3].map(emptyPlan), { ...planOf(), organizationId: id("org", 9) }],
		failed: [{ organizationId: unread, error: { code: "transport", message: "no answer", hint: null }, steps: [] }],
	});
	const rows = (page: Page) => page.locator(".overview li:visible");

	it("begin with the verdict, those that need action first, and those in sync folded", async () => {
		const page = await open(fleet);
		expect(await page.textContent("h1")).toBe("\u00d7Stop: 2 of 5 organizations need action");
		expect(await page.locator(".head dd").allTextContents()).toEqual(["1", "1", "3"]);
		expect(await rows(page).locator("code").allTextContents()).toEqual([unread, id("org", 9)]);
		await page.click("text=3 organizations in sync");
		expect(await rows(page).count()).toBe(5);
	});

	it("are found by id and by verdict, also those that are folded", async () => {
		const page = await open(fleet);
		const find = (word: string) => page.fill("input[type=search]", word);
		await find(id("org", 2).toUpperCase());
		expect(await rows(page).locator("code").allTextContents()).toEqual([id("org", 2)]);
		expect(await page.textContent("output")).toBe("1 of 5 organizations");
		expect(await page.locator(".organization:visible").count()).toBe(0);
		await find("blocks");
		expect(await page.locator(".organization:visible").count()).toBe(1);
		await find("");
		expect(await rows(page).count()).toBe(2);
		expect(await page.textContent("output")).toBe("");
	});
});

describe("times and ids", () => {
	it("are the reader's time and as short as no other id is, with the whole in the tooltip and on paper", async () => {
		const page = await open(plan);
		const read = page.locator(".head time");
		expect(await read.getAttribute("title")).toBe("2026-01-01T00:00:00.000Z");
		expect(await read.textContent()).toMatch(/^Jan 1, 2026, 12:00.AM UTC$/);
		const shown = page.locator(".head .id");
		expect(await shown.getAttribute("title")).toBe(id("org", 1));
		expect(await shown.innerText()).toContain("00000001");
		const width = async () => (await shown.boundingBox())?.width ?? 0;
		const short = await width();
		await page.emulateMedia({ media: "print" });
		expect(await width()).toBeGreaterThan(2 * short);
		expect(await page.locator(".copy:visible").count()).toBe(0);
	});

	it("are copied whole by a button beside them", async () => {
		const page = await open(plan);
		await page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
		await page.click(".head .copy");
		expect(await page.evaluate("window.copied")).toBe(id("org", 1));
		await expect.poll(() => page.getAttribute(".head .copy", "class")).toBe("copy done");
	});

	it("stay as they are in commands and in names", async () => {
		const time = "2026-01-01T00:00:00.000Z";
		const page = await open(complete({ command: "plan", plans: [planOf(() => `${alice} ${time}`)] }));
		expect(await page.locator("bdi .id, bdi time").count()).toBe(0);
	});
});

describe("the matrix of changed powers", () => {
	it("says by sign and word who has a power before and after, and leaves out who keeps all", async () => {
		const page = await open(complete({ command: "plan", plans: [impactPlanOf()] }), { width: 360 });
		const rows = page.locator(".reach tbody tr");
		const [alone, still] = ["before together with others, after alone", "together with others"];
		expect(await rows.nth(1).locator("td:visible").allTextContents()).toEqual([
			...[`\u25d0\u2192\u25cf${alone}`, `\u25d0${still}`, "\u00b7no", "\u25c7only in the root quorum"],
		]);
		expect(await page.locator(".reach thead th:visible").allTextContents()).not.toContain("alice");
		await page.check("text=show 1 user without changes");
		expect(await page.locator(".reach thead th:visible").allTextContents()).toContain("alice");
		expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
	});

	it("finds powers and users by name where there are many", async () => {
		const page = await open(complete({ command: "plan", plans: [manyPowersPlanOf(30)] }));
		await page.fill(".reach input[type=search]", "user-7");
		expect(await page.locator(".reach thead th:visible").allTextContents()).toEqual(["Who can", "user-7"]);
		expect(await page.textContent(".reach output")).toBe("1 of 1 powers, 1 of 30 users");
	});
});

describe("by keyboard", () => {
	it("everything that can be used is reached in the order of the page, and seen to be", async () => {
		const page = await open(
			complete({
				command: "plan",
				plans: [{ ...planOf(), changes: [...planOf().changes, ...largePlan({ tags: 9, users: 3, quiet: 1 }).changes] }],
			}),
		);
		const usable = await page.$$eval(
			"a[href], button, input, summary, [tabindex='0']",
			(all) => all.filter((one) => one.checkVisibility()).length,
		);
		const seen: string[] = [];
		for (let count = 0; count < usable; count += 1) {
			await page.keyboard.press("Tab");
			seen.push(
				await page.evaluate(() => {
					const active = document.activeElement as HTMLElement;
					const { outlineStyle, outlineWidth } = getComputedStyle(active);
					return `${active.tagName} ${[...document.querySelectorAll("*")].indexOf(active)} ${outlineStyle} ${outlineWidth}`;
				}),
			);
		}
		expect(usable).toBeGreaterThanOrEqual(7);
		expect(new Set(seen).size).toBe(usable);
		const order = seen.map((one) => Number(one.split(" ")[1]));
		expect(order).toEqual([...order].sort((left, right) => left - right));
		for (const one of seen) expect(one).toMatch(/ solid 3px$/);
	});

	it("folds open, the matrix scrolls and steps lead to each other, without an animation of the page", async () => {
		const page = await open(complete({ command: "plan", plans: [largePlan({ tags: 21, users: 50 })] }));
		await page.focus("summary >> nth=0");
		await page.keyboard.press("Enter");
		expect(await page.locator("details[open]").count()).toBe(1);
		await page.focus(".scroll");
		await page.keyboard.press("ArrowRight");
		await expect.poll(() => page.$eval(".scroll", (one) => one.scrollLeft)).toBeGreaterThan(0);
		const small = await open(plan);
		expect(await small.evaluate("getComputedStyle(document.documentElement).scrollBehavior")).toBe("auto");
		await small.click("summary:has-text('Steps, in order')");
		await small.click("a >> text=step-1 >> nth=0");
		expect(await small.evaluate("document.querySelector(':target').textContent")).toContain("step-1");
	});
});

describe("on paper", () => {
	const print = async (result: CommandResult, look?: Look): Promise<Page> => {
		const page = await open(result, look);
		await page.emulateMedia({ media: "print" });
		return page;
	};

	it("nothing is folded or cut off, and the ground is white though the screen is dark", async () => {
		const page = await print(tabledPlan, { scheme: "dark" });
		expect(await page.isVisible("text=guests")).toBe(true);
		expect(await page.isVisible("input[type=search]")).toBe(false);
		expect(await page.isVisible(".grid")).toBe(true);
		expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
		expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(23, 26, 33)");
		expect(await page.evaluate("getComputedStyle(document.querySelector('.scroll')).overflow")).toBe("visible");
	});

	it("the list stands for a matrix that is too wide", async () => {
		const page = await print(complete({ command: "plan", plans: [largePlan()] }));
		expect(await page.isVisible(".grid")).toBe(false);
		expect(await page.isVisible("text=The matrix is too wide for paper")).toBe(true);
		const chips = await page.$$eval(".chip.a", (all) => all.filter((one) => one.checkVisibility()).length);
		expect(chips).toBe(1_500);
	});
});
