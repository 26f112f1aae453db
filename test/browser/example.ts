/**
 * The pictures in README.md and docs/output.md: `node test/browser/example.ts` opens the pages of a plan and of a fleet in a
 * browser, and keeps what they show in docs/plan.png and docs/fleet.png.
 */
import { fileURLToPath } from "node:url";
import { makePlan } from "../../src/plan/plan.ts";
import { renderHtml } from "../../src/render/html/page.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../plan/support-organizations.ts";
import { complete } from "../render/complete.ts";
import { emptyPlan } from "../render/support.ts";
import { launchBrowser } from "./browser.ts";

const names = ["ada", "bruno", "chiara", "dmitri", "elif", "farid", "greta", "hiro", "ines", "jonas", "kemal", "lena"];
const users = Object.fromEntries(names.map((name, index) => [name, id("user", index)]));
const of = (...chosen: string[]): string[] => chosen.map((name) => users[name] ?? "").sort();

/** Tag, its members, and those that the document wants. */
const tags: readonly (readonly [name: string, now: string[], wanted: string[], before?: string])[] = [
	["auditors", of("ada", "greta"), of("ada", "greta", "ines", "lena")],
	["oncall", of("bruno", "dmitri", "hiro"), of("bruno", "farid", "hiro", "jonas")],
	["payments-approvers", of("ada", "chiara", "elif", "greta"), of("ada", "chiara", "elif", "kemal")],
	["release-managers", of("dmitri", "elif"), of("dmitri", "elif", "ines"), "releasers"],
	["root-quorum", of("ada", "bruno", "chiara"), of("ada", "bruno", "chiara")],
	["signers-1", of("ada", "bruno"), of("ada", "bruno", "greta")],
	["signers-2", of("hiro", "kemal"), of("hiro")],
	["signers-10", of("ines"), of("ines", "lena")],
	["support", of("bruno", "farid", "jonas"), of("farid", "jonas")],
	["treasury-signers", of("chiara", "farid", "jonas", "kemal"), of("chiara", "farid", "lena")],
];

const plan = makePlan(
	desiredOf({
		users,
		userTags: tags.map(([name, , wanted, before]) =>
			wantTag(name, {
				previously: before === undefined ? [] : [before],
				members: { mode: "exactly", exactly: wanted },
			}),
		),
		absent: { policyIds: [id("policy", 1), id("policy", 2)], oauthProviders: [], tvcAppIds: [] },
	}),
	liveOf({
		userTags: known(
			tags.map(([name, now, , before], index) => liveTag(index, before ?? name, { members: known(now) })),
		),
		policies: known([
			{ id: id("policy", 1), name: "allow signing without a second approver" },
			{ id: id("policy", 2), name: "old export rule" },
		]),
	}),
	context,
);

const browser = await launchBrowser();
const single = complete({ command: "plan", plans: [plan] });
const fleet = complete({
	command: "plan",
	plans: [...Array.from({ length: 40 }, (_, index) => emptyPlan(index + 2)), plan],
	failed: [
		{ organizationId: id("org", 99), error: { code: "transport", message: "no answer", hint: null }, steps: [] },
	],
});
for (const [name, result, height] of [
	["plan", single, 1140],
	["fleet", fleet, 860],
] as const) {
	const page = await browser.newPage({ viewport: { width: 1200, height } });
	await page.setContent(renderHtml(result));
	await page.screenshot({ path: fileURLToPath(new URL(`../../docs/${name}.png`, import.meta.url)) });
}
await browser.close();
