/** An alias that a change of the document points at another user: no format lets one user pass for another. */

import { describe, expect, it } from "vitest";
import { makeThreeWay } from "../../../src/plan/base/three-way.ts";
import { reportDrift } from "../../../src/plan/drift/drift.ts";
import { renderGithub } from "../../../src/render/github.ts";
import { renderHtml } from "../../../src/render/html/page.ts";
import { renderMarkdown } from "../../../src/render/markdown.ts";
import { verdictText } from "../../../src/render/print/text.ts";
import type { CommandResult } from "../../../src/render/result/result.ts";
import { summarizeResult } from "../../../src/render/result/summary.ts";
import { renderPlan, renderText } from "../../../src/render/result-text.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { checkSchema } from "../../check-schema.ts";
import { makePlan } from "../../in-words.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../../plan/support-organizations.ts";
import { renderDrift, renderThreeWay } from "../as-text.ts";
import { complete } from "../complete.ts";
import { reportOf } from "../support.ts";

const [alice, carol, mallory] = [1, 3, 4].map((number) => id("user", number)) as [string, string, string];
const provider = id("provider", 1);
const digest = `sha256:${"a".repeat(64)}`;

/** The document with `carol` as an alias of this user. */
const documentOf = (user: string) =>
	desiredOf({
		digest,
		users: { alice, carol: user },
		userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice, user].sort() } })],
		absent: { policyIds: [], tvcAppIds: [], oauthProviders: [{ userId: user, providerIds: [provider] }] },
	});
const liveWith = (users: ReturnType<typeof liveOf>["users"]) =>
	liveOf({
		users,
		userTags: known([liveTag(1, "signers", { members: known([alice, carol]) })]),
		oauthProviders: known([{ userId: mallory, id: provider, name: "login" }]),
	});
const live = liveWith(known({ [alice]: "alice", [carol]: "carol", [mallory]: "mallory" }));
const blind = liveWith({ known: false, because: { kind: "stated", text: "HTTP 404" } });
const [base, head] = [documentOf(carol), documentOf(mallory)];

/** The text of the page, entities resolved and elements taken away. */
function textOf(html: string): string {
	return html
		.replace(/<(style|script)>.*?<\/\1>|<!--.*?-->/gs, "")
		.replace(/<[^>]*>/g, " ")
		.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
		.replaceAll("\u2212", "-")
		.replace(/[\u00a0 ]+/g, " ")
		.replaceAll("( ", "(");
}

function formatsOf(result: CommandResult): Readonly<Record<string, string>> {
	return {
		Markdown: renderMarkdown(result).replaceAll("`", ""),
		HTML: textOf(renderHtml(result)),
		annotations: renderGithub(result).annotations,
	};
}

describe("an alias that means another user from now on", () => {
	const plan = makePlan(head, live, context);
	const threeWay = makeThreeWay({ name: "main", desired: base }, head, live);
	const shown = Object.entries({
		text: renderThreeWay(plan, threeWay, plainStyle),
		...formatsOf(complete({ command: "plan", plans: [plan], threeWay: [threeWay] })),
	});
	const nowAndBefore = [`${mallory} (live name mallory)`, `${carol} (live name carol)`];

	it.each(shown)("is listed in %s, with both users, by id and by live name", (_, text) => {
		const at = text.search(/aliase?s? that now means? another user/i);
		expect(at).toBeGreaterThan(0);
		const told = text.slice(at, at + 400);
		for (const user of nowAndBefore) expect(told).toContain(user);
		expect(text).toContain("1 alias now means another user.");
		// Before everything that the alias alone would make look harmless.
		expect(at).toBeLessThan(text.indexOf("member carol") < 0 ? text.length : text.indexOf("member carol"));
	});

	it.each(shown)("is never shown alone in %s for a user who gains or loses something", (_, text) => {
		expect(text).toMatch(/\+\s+(member )?carol \(?id 10000004…, live name mallory/);
		expect(text).not.toMatch(/[-+]\s+(member )?carol(?! (is now|\(?(id 1|alias)))/);
		expect(text).toContain("of carol (id 10000004…, live name mallory)");
	});

	it("is in the three-way comparison as data, beside aliases that are new or gone", () => {
		const other = makeThreeWay({ name: "main", desired: { ...base, users: { al: alice, carol } } }, head, live);
		expect(other.aliases).toEqual([
			{ alias: "al", before: alice, after: null },
			{ alias: "alice", before: null, after: alice },
			{ alias: "carol", before: carol, after: mallory },
		]);
		expect(checkSchema("three-way.json", JSON.parse(JSON.stringify(other)))).toEqual([]);
		const text = renderThreeWay(plan, other, plainStyle);
		expect(text).toContain(`  ~ users.al  is no longer an alias; it was ${alice} (live name alice)\n`);
		expect(text).toContain(`  ~ users.alice  is ${alice} (live name alice)\n`);
	});

	it("is a reason to look, also where nothing is to be done", () => {
		const idle = desiredOf({ digest, users: { carol: mallory } });
		const calm = makePlan(idle, live, context);
		const found = makeThreeWay({ name: "main", desired: desiredOf({ digest, users: { carol } }) }, idle, live);
		const result: CommandResult = complete({ command: "plan", plans: [calm], threeWay: [found] });
		const summary = summarizeResult(result);
		expect(verdictText(summary.verdict)).toBe(
			"No changes. The organization is in sync. 1 alias now means another user.",
		);
		expect(summary.tone).toBe("attention");
		const plans = [calm, { ...calm, organizationId: id("org", 2) }];
		const several = complete({ command: "plan", plans, threeWay: [found] });
		expect(verdictText(summarizeResult(several).verdict)).toContain("In 1 of them an alias now means another user.");
		expect(renderMarkdown(several)).toContain("Aliases that now mean another user");
		expect(renderHtml(several)).toContain("Aliases that now mean another user");
	});

	it("shows ids alone where live names are unknown", () => {
		const unknown = makeThreeWay({ name: "main", desired: base }, head, blind);
		const text = renderThreeWay(makePlan(head, blind, context), unknown, plainStyle);
		expect(text).toContain(`  carol is now ${mallory}, before ${carol}\n`);
		expect(text).toContain("      + member carol (id 10000004…)\n");
		expect(text).toContain("      - member carol (alias before this change, id 10000003…)\n");
		expect(text).not.toContain("live name");
	});
});

describe("without a base, an alias of another user", () => {
	const plan = makePlan(head, live, context);
	const drift: CommandResult = complete({ command: "drift", plans: [plan], drift: [reportDrift(plan)] });
	const applied: CommandResult = complete({ command: "apply", plans: [plan], reports: [reportOf(plan)] });
	const shown: readonly (readonly [string, string])[] = [
		["a plan as text", renderPlan(plan, plainStyle)],
		["drift as text", renderDrift(plan, reportDrift(plan), plainStyle)],
		...Object.entries(formatsOf(complete({ command: "plan", plans: [plan] }))).map(
			([name, text]) => [`a plan as ${name}`, text] as const,
		),
		...Object.entries(formatsOf(drift)).map(([name, text]) => [`drift as ${name}`, text] as const),
		["the page of an apply", textOf(renderHtml(applied))],
	];

	it.each(shown)("is shown in %s with the live name and the id", (_, text) => {
		expect(text).toMatch(/\+\s+(member )?carol \(?id 10000004…, live name mallory/);
		expect(text).not.toMatch(/[-+]\s+(member )?carol(?! \(?id 1)/);
		expect(text).toMatch(/carol \(?id 10000003…, no alias/);
	});

	it("that applies the plan is shown by the guard with the live name", () => {
		const guarded = makePlan(head, live, { ...context, caller: known(mallory) });
		expect(guarded.guards.map(({ message }) => message)).toContain(
			"carol (id 10000004…, live name mallory) applies this plan and would be left without any OAuth provider",
		);
	});

	it("that caused drift is shown with the name in the activity", () => {
		const by = { activityId: "a", type: "ACTIVITY_TYPE_X", userId: mallory, userName: "carol", at: null };
		const seen = makePlan(head, live, context);
		const told = (more: object) =>
			renderDrift(
				seen,
				reportDrift(seen, { attributions: new Map([["userTag:signers", { ...by, ...more }]]) }),
				plainStyle,
			);
		expect(told({ liveName: "mallory" })).toContain("of carol (id 10000004…, live name mallory), activity a");
		const stranger = { userId: id("user", 9), userName: "alice", liveName: "alice" };
		expect(told(stranger)).toContain(`of alice (id ${id("user", 9)}), activity a`);
	});

	it("is never shown by explain under a live name that is the id of another user", () => {
		const activity = {
			...{
				status: "ACTIVITY_STATUS_COMPLETED",
				type: "ACTIVITY_TYPE_X",
				operation: null,
				fingerprint: digest,
				covers: [],
			},
			...{ parameters: null, approvedBy: [mallory], rejectedBy: [], canApprove: null, failure: null },
		};
		const lists = { policyEvaluations: [], policies: [], judgments: [], mfaStatuses: [] };
		const names = { userNames: {}, liveNames: { [mallory]: carol } };
		const result = complete({
			command: "explain",
			activityId: id("org", 1),
			reads: "auto",
			activity,
			...lists,
			...names,
		});
		expect(renderText(result, { style: plainStyle })).toContain(`approved by ${mallory} (live name ${carol})\n`);
	});
});
