/** Access with an end in every format: who, until when and why, whatever the reason says; also where nothing differs. */

import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { reportDrift } from "../../../src/plan/drift/drift.ts";
import type { AccessWindow } from "../../../src/plan/organization.ts";
import { isIdle, makePlan, type Plan } from "../../../src/plan/plan.ts";
import { renderGithub } from "../../../src/render/github.ts";
import { renderHtml } from "../../../src/render/html/page.ts";
import { renderMarkdown } from "../../../src/render/markdown.ts";
import { renderOpenMetrics } from "../../../src/render/metrics/openmetrics.ts";
import type { PlannedResult } from "../../../src/render/result/result.ts";
import { renderPlan, renderText, TextStream } from "../../../src/render/result-text.ts";
import { findSoonEnding } from "../../../src/render/sections/windows.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { todoText } from "../../../src/say/todo.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../../plan/support-organizations.ts";
import { renderDrift } from "../as-text.ts";
import { complete } from "../complete.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)] as const;
const users = { alice, bob, carol };
/** 2026-01-01 00:00 UTC. */
const now = context.readAtMs;
const dayMs = 24 * 3_600_000;

const windowOf = (userId: string, more: Partial<AccessWindow>): AccessWindow => ({ userId, at, ...more });

/** The plan of a tag with these windows, which live has with these members. */
function planOf(windows: readonly AccessWindow[], members: readonly string[], more: object = {}): Plan {
	const wanted = { mode: "atLeast", atLeast: windows.map(({ userId }) => userId).sort(), never: [], windows } as const;
	const desired = desiredOf({ users, userTags: [wantTag("signers", { members: wanted })] });
	const live = liveOf({
		users: known({ [alice]: "alice", [bob]: "bob", [carol]: "carol" }),
		userTags: known([liveTag(1, "signers", { members: known(members) })]),
	});
	return makePlan(desired, live, { ...context, ...more });
}

/** What every format says of the plan, and of its drift. */
function textsOf(plan: Plan): Readonly<Record<string, string>> {
	const result = complete({ command: "plan", plans: [plan] });
	const drift = reportDrift(plan);
	const drifted = complete({ command: "drift", plans: [plan], drift: [drift] });
	return {
		text: renderPlan(plan, plainStyle),
		markdown: renderMarkdown(result),
		annotations: renderGithub(result).annotations,
		html: renderHtml(result).replace(/<(style|script)>.*?<\/\1>/gs, ""),
		drift: renderDrift(plan, drift, plainStyle),
		"drift, markdown": renderMarkdown(drifted),
		"drift, html": renderHtml(drifted).replace(/<(style|script)>.*?<\/\1>/gs, ""),
	};
}

const soon = windowOf(bob, { untilMs: now + 3 * dayMs, until: "2026-01-04 Etc/GMT", reason: "ledger migration" });
const later = windowOf(carol, { fromMs: now + dayMs, from: "2026-01-02T00:00:00Z", untilMs: now + 90 * dayMs });

describe("access that ends or begins soon", () => {
	const plan = planOf([soon, later], [bob]);

	it("is listed by every format, though nothing differs, and counted in the verdict", () => {
		expect(plan.changes).toEqual([]);
		for (const [format, text] of Object.entries(textsOf(plan))) {
			expect(text, format).toContain("Access of 1 member ends soon, in 3 days.");
			expect(text, format).toContain("access begins in 1 day (");
			expect(text, format).toContain("ledger migration");
		}
		expect(renderPlan(plan, plainStyle)).toContain(
			[
				"Access with an end:",
				"  userTag:signers  carol: access begins in 1 day (2026-01-02 00:00 UTC), ends 2026-04-01 00:00 UTC",
				'  userTag:signers  bob: access ends in 3 days (2026-01-04 00:00 UTC, written `2026-01-04 Etc/GMT`), reason "ledger migration"',
				"",
				"No changes. The organization is in sync. Access of 1 member ends soon, in 3 days.",
			].join("\n"),
		);
	});

	it("names a user without an alias by the live name", () => {
		const members = { mode: "atLeast", atLeast: [bob], never: [], windows: [soon] } as const;
		const live = liveOf({
			users: known({ [bob]: "Robert" }),
			userTags: known([liveTag(1, "signers", { members: known([bob]) })]),
		});
		const text = renderPlan(
			makePlan(desiredOf({ userTags: [wantTag("signers", { members })] }), live, context),
			plainStyle,
		);
		expect(text).toContain(`userTag:signers  Robert (id ${bob.slice(0, 8)}…): access ends`);
	});

	it("is in docs/access.md as a plan prints it", () => {
		const page = readFileSync(new URL("../../../docs/access.md", import.meta.url), "utf8");
		const [, shown = ""] = /```text\n([^`]*(?:`[^`\n]+`[^`]*)*?)```/.exec(page) ?? [];
		const until = { untilMs: Date.parse("2026-11-30T23:00:00Z"), until: "2026-12-01 Europe/Berlin" };
		const readAtMs = until.untilMs - 3 * dayMs;
		const printed = renderPlan(
			planOf([windowOf(bob, { ...until, reason: "ledger migration" })], [bob], { readAtMs }),
			plainStyle,
		);
		expect(shown).toContain("Access with an end:");
		expect(printed).toContain(shown);
	});

	it("has its moments on a page as times, which the page shows in the reader's zone", () => {
		const moment = "2026-01-04T00:00:00.000Z";
		expect(textsOf(plan).html).toContain(`<time datetime="${moment}">${moment}</time>`);
	});

	it("is in full among several organizations, which the verdict counts", () => {
		const other = { ...planOf([], []), organizationId: id("org", 2) };
		const result = complete({ command: "plan", plans: [plan, other] });
		for (const text of [renderText(result, { style: plainStyle }), renderMarkdown(result), renderHtml(result)]) {
			expect(text).toContain("2 organizations: 2 in sync. In 1 of them access ends soon.");
			expect(text).toContain("ledger migration");
		}
	});

	it("keeps apply from holding no plan of an organization in sync; the end of its text counts it", () => {
		expect(isIdle(plan)).toBe(true);
		const stream = new TextStream({ command: "apply", size: 2, style: plainStyle });
		const endsSoon = findSoonEnding(plan) ?? undefined;
		expect(endsSoon).toEqual({ members: 1, firstAt: "2026-01-04T00:00:00.000Z" });
		stream.add({ organizationId: id("org", 1), exitCode: 0, state: "inSync", ...(endsSoon && { endsSoon }) });
		stream.add({ organizationId: id("org", 2), exitCode: 0, state: "inSync" });
		expect(stream.end(complete({ command: "apply", plans: [], reports: [] }), null)).toContain(
			"2 organizations: 2 in sync. In 1 of them access ends soon.",
		);
	});

	it("is not listed behind the horizon, nor with a horizon of 0", () => {
		const day = planOf([soon, later], [bob], { horizonMs: dayMs });
		expect(day.expiries?.map(({ userId }) => userId)).toEqual([carol]);
		expect(planOf([soon, later], [bob], { horizonMs: 0 }).expiries).toBeUndefined();
	});
});

describe("a change that comes from a window", () => {
	const expired = windowOf(bob, { untilMs: now - dayMs, until: "2025-12-31T00:00:00Z", reason: "incident 4711" });
	const granted = windowOf(carol, { untilMs: now + 90 * dayMs, until: "2026-04-01T00:00:00Z", reason: "new desk" });

	it("says so in every format, with moment and reason, whatever the horizon is", () => {
		const plan = planOf([expired, granted], [bob], { horizonMs: 0 });
		for (const [format, text] of Object.entries(textsOf(plan))) {
			expect(text, format).toMatch(
				/bob.*access expired (2025-12-31 00:00 UTC|<time datetime="2025-12-31T00:00:00.000Z">)/,
			);
			expect(text, format).toContain("incident 4711");
			expect(text, format).toMatch(
				/carol.*access ends (2026-04-01 00:00 UTC|<time datetime="2026-04-01T00:00:00.000Z">)/,
			);
			expect(text, format).toContain("new desk");
			expect(text, format).not.toContain("Access with an end");
		}
	});

	it("is drift of its own kind where nothing else differs, which apply ends and --accept does not keep", () => {
		const [finding] = reportDrift(planOf([expired], [bob])).findings;
		expect(finding).toMatchObject({ what: "access-expired" });
		expect(todoText(finding?.todo ?? "")).toBe(
			"`orgsync apply` ends the access of bob; to keep the access, change `until` in the document",
		);
		const mixed = reportDrift(planOf([expired, granted], [bob])).findings;
		expect(mixed).toMatchObject([{ what: "members-differ" }]);
	});

	it("is in the metrics: how many expired and when the first did, how many end soon and when the first does", () => {
		const plan = planOf(
			[expired, soon].map((one, index) => ({ ...one, userId: [bob, carol][index] ?? "" })),
			[bob, carol],
		);
		const result = complete({ command: "drift", plans: [plan], drift: [reportDrift(plan)] }) as PlannedResult;
		const run = { version: "0", endedAtMs: 0, durationMs: 0, requests: null, labels: {} };
		const text = renderOpenMetrics(result, run);
		expect(text).toContain('orgsync_access_expired{command="drift"} 1\n');
		expect(text).toContain(`orgsync_access_expired_timestamp_seconds{command="drift"} ${(now - dayMs) / 1000}\n`);
		expect(text).toContain('orgsync_access_expires{command="drift"} 1\n');
		expect(text).toContain(`orgsync_access_expires_timestamp_seconds{command="drift"} ${(now + 3 * dayMs) / 1000}\n`);
		expect(text).toContain(`orgsync_oldest_drift_timestamp_seconds{command="drift"} ${(now - dayMs) / 1000}\n`);
	});
});

test.each([
	["a line of its own", "x\n::error::y\r  - member root"],
	["markup", '<img src=x onerror="alert(1)"> `code` **bold** @team #1 </code></time>'],
	["the end of its quotes", '"), reason "none'],
	["what cannot be seen", "\u202Ex\u200b\u{E0041}\u001b[2J"],
	["so much text that a line would be cut", `${"\u202E".repeat(199)}`],
])("a reason with %s stays a reason in every format", (_, reason) => {
	const windows = [
		windowOf(bob, { untilMs: now - 1, until: "2025-12-31T23:59:59Z", reason }),
		windowOf(alice, { untilMs: now + dayMs, until: "2026-01-02T00:00:00Z", reason }),
	];
	for (const [format, text] of Object.entries(textsOf(planOf(windows, [alice, bob])))) {
		expect(text, format).not.toMatch(/(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}]/u);
		expect(text, format).not.toMatch(/^::error|^\s*- member root|reason "none"|reason ""/m);
		if (format.includes("html")) expect(text, format).not.toMatch(/<img|<\/time><\/code>/);
		else if (format.includes("markdown"))
			expect(text.replaceAll(/(`+)[^`].*?\1/gs, ""), format).not.toMatch(/@team|none/);
		else expect(text, format).not.toMatch(/reason "(?:[^"\\\n]|\\.)*$/m);
	}
});

it("A removal that expired is whole in Markdown, however long all names and its reason are", () => {
	const long = "\u202E".repeat(200);
	const until = { untilMs: now - 1, until: `2025-12-31T23:59 America/Argentina/ComodRivadavia`, reason: long };
	const members = { mode: "exactly", exactly: [], never: [], windows: [windowOf(bob, until)] } as const;
	const desired = desiredOf({ users: { [long]: bob }, userTags: [wantTag(long, { members })] });
	const live = liveOf({
		users: known({ [bob]: `${long}!` }),
		userTags: known([liveTag(1, long, { members: known([bob]) })]),
	});
	const text = renderMarkdown(complete({ command: "plan", plans: [makePlan(desired, live, context)] }));
	expect(text).toMatch(/^- userTag:.* {2}loses .* {2}\(access expired 2025-12-31 .*, reason ".*\u2026"\)$/m);
});
