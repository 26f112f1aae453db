/** Plans and reports as text: what a person reads, and that no name can do anything to the terminal it is shown on. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { showText, showValue } from "../../../src/common/escape.ts";
import { emptyLastApplied } from "../../../src/plan/organization.ts";
import { makePlan, type Plan } from "../../../src/plan/plan.ts";
import type { Report, StepResult } from "../../../src/plan/report.ts";
import type { CoveredObject } from "../../../src/plan/step.ts";
import { stepLines, verdictText } from "../../../src/render/print/text.ts";
import { renderProblem } from "../../../src/render/problem-text.ts";
import { renderPlan, renderReport } from "../../../src/render/result-text.ts";
import { summarizeReport } from "../../../src/render/sections/results.ts";
import { stepRow } from "../../../src/render/sections/steps.ts";
import { summarizePlan } from "../../../src/render/sections/verdict.ts";
import { plainStyle, type Style } from "../../../src/render/style.ts";
import { anyCharacter } from "../../characters.ts";
import {
	at,
	context,
	desiredOf,
	id,
	known,
	type LiveParts,
	liveOf,
	liveTag,
	nothingExpected,
	organizationId,
	sectionsOf,
	unknown,
	wantTag,
} from "../../plan/support-organizations.ts";

const [alice, bob] = [id("user", 1), id("user", 2)];
const escapeCharacter = "\u001b";
const evil = `a${escapeCharacter}[31m\n::error::b\r\u202Ec\u2028d\u0007`;
const shown = "a\\u{1b}[31m\\u{a}::error::b\\u{d}\\u{202e}c\\u{2028}d\\u{7}";
/** Everything that may move the cursor, change the colour, break the line or turn the writing, but our own line ends. */
const dangerous = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

describe("a text", () => {
	it.each([
		["plain", "plain"],
		["größe 大 🙂", "größe 大 🙂"],
		["\u001b[2J", "\\u{1b}[2J"],
		["\u009b31m", "\\u{9b}31m"],
		["two\nlines\r\n", "two\\u{a}lines\\u{d}\\u{a}"],
		["tab\t", "tab\\u{9}"],
		["\u202Egnp.exe", "\\u{202e}gnp.exe"],
		["\u200E\u200F\u2066\u2069\u061C", "\\u{200e}\\u{200f}\\u{2066}\\u{2069}\\u{61c}"],
		["zero\u200Bwidth\uFEFF", "zero\\u{200b}width\\u{feff}"],
		["\u2028\u2029", "\\u{2028}\\u{2029}"],
		["\uD800", "\\u{d800}"],
	])("%j is shown as %j", (text, safe) => {
		expect(showText(text)).toBe(safe);
	});

	it("is shown on one line and without control characters, whatever it is", () => {
		fc.assert(
			fc.property(fc.string({ unit: anyCharacter }), (text) => {
				expect(showText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
			}),
		);
	});

	it.each([
		[null, "(not set)"],
		[undefined, "(not set)"],
		["", '""'],
		["a\nb", '"a\\nb"'],
		["\u202E", '"\\u{202e}"'],
		[900, "900"],
		[[{ any: [] }], '[{"any":[]}]'],
	])("of the value %j is %s", (value, text) => {
		expect(showValue(value)).toBe(text);
	});
});

describe("a plan as text", () => {
	const desired = desiredOf({
		users: { alice },
		userTags: [
			wantTag("auditors", { members: { mode: "exactly", exactly: [alice] } }),
			wantTag("officers", { previously: ["signers"], members: { mode: "exactly", exactly: [alice] } }),
		],
		absent: {
			policyIds: [id("policy", 1)],
			oauthProviders: [{ userId: alice, providerIds: [id("provider", 1)] }],
			tvcAppIds: [id("app", 1)],
		},
		expect: {
			...nothingExpected,
			sessionProfiles: [
				{ id: id("other", 1), fields: { name: "short", notes: "n" }, at },
				{ id: id("other", 2), fields: { name: "x" }, at },
			],
		},
	});
	const live = liveOf({
		userTags: known([liveTag(1, "signers", { members: known([bob]) }), liveTag(2, "auditors", { members: unknown })]),
		policies: known([{ id: id("policy", 1), name: "old rule" }]),
		oauthProviders: unknown,
		tvcApps: unknown,
		sessionProfiles: {
			[id("other", 1)]: known({ sessionProfileName: "long", notes: null }),
			[id("other", 2)]: known(null),
		},
	});

	it("says every change, what could not be read, and one sentence", () => {
		expect(renderPlan(makePlan(desired, live, context), plainStyle)).toBe(
			`Organization ${organizationId}

~ userTag:auditors  ${id("tag", 2)}
    + member alice
    members could not be read: these changes may not be needed

~ userTag:officers  ${id("tag", 1)}
    name: signers -> officers
    + member alice
    - member ${bob}

- oauthProvider:alice/${id("provider", 1)}  (may already be gone: it could not be read)

- policy:${id("policy", 1)}  old rule

- tvcApp:${id("app", 1)}  (may already be gone: it could not be read)

! sessionProfile:${id("other", 1)}  differs; report-only
    name: live "long", document "short"
    notes: live (not set), document "n"

! sessionProfile:${id("other", 2)}  not found; report-only

Could not be read:
  members of userTag:auditors, oauthProvider:*, tvcApp:*: the service does not show it

Plan: 5 activities. 2 user tags to update, 1 OAuth provider to remove, 1 policy to remove, 1 TVC app to remove. 2 differences are report-only.
`,
		);
	});

	it("says what was last applied as that, and whether the tag was changed since", () => {
		const tag = { appliedAt: "2026-01-02T03:04:05.000Z", name: "auditors", present: [bob], gone: [] };
		const textFor = (updatedAt: string): string =>
			renderPlan(
				makePlan(
					desiredOf({ userTags: sectionsOf(desired).userTags.slice(0, 1) }),
					{
						...live,
						lastApplied: { ...emptyLastApplied, userTags: { [id("tag", 2)]: { ...tag, updatedAt } } },
					},
					context,
				),
				plainStyle,
			);
		const told = "members as last applied at 2026-01-02T03:04:05.000Z, not live";
		expect(textFor("1.0")).toContain(`    ${told}\n`);
		expect(textFor("0.5")).toContain(`    ${told}; the tag was changed elsewhere since\n`);
		expect(textFor("1.0")).toContain(
			"members of userTag:auditors: the service does not show it; using the last-applied state",
		);
	});

	it("says that nothing differs only as far as it is known", () => {
		const expecting = desiredOf({ expect: sectionsOf(desired).expect });
		const same = { sessionProfileName: "short", notes: "n" };
		const other = { sessionProfileName: "x" };
		const sentence = (second: LiveParts["sessionProfiles"][string]): string =>
			verdictText(
				summarizePlan(
					makePlan(
						expecting,
						liveOf({ sessionProfiles: { [id("other", 1)]: known(same), [id("other", 2)]: second } }),
						context,
					),
				),
			);
		expect(sentence(known(other))).toBe("No changes. The organization is in sync.");
		expect(sentence(unknown)).toBe("No changes. The organization is in sync, as far as it could be read.");
		expect(sentence(known(null))).toBe("Nothing to submit. 1 difference is report-only.");
	});

	it("with a problem says where and that nothing would be submitted", () => {
		const text = renderPlan(makePlan(desiredOf({ userTags: [wantTag("signer")] }), live, context), plainStyle);
		expect(text).toContain("  document.yaml:1:1: no user tag is called `signer`");
		expect(text).toContain("Cannot converge: 1 problem in the live organization. Apply would submit nothing.");
	});

	it("names five of many objects that could not be read for one reason, and counts the others", () => {
		const sessionProfiles = [1, 2, 3, 4, 5, 6, 7].map((number) => ({ id: id("other", number), fields: {}, at }));
		const text = renderPlan(
			makePlan(desiredOf({ expect: { ...nothingExpected, sessionProfiles } }), liveOf(), context),
			plainStyle,
		);
		expect(text.match(/sessionProfile:/g)?.length).toBe(5);
		expect(text).toContain(" and 2 more: it was not requested");
	});

	it("marks its parts with the caller's style and nothing else", () => {
		const mark =
			(name: string) =>
			(text: string): string =>
				`<${name}>${text}</${name}>`;
		const names = ["add", "remove", "update", "warn", "faint", "strong"] as const;
		const style = Object.fromEntries(names.map((name) => [name, mark(name)])) as unknown as Style;
		const plan = makePlan(desired, live, context);
		const text = renderPlan(plan, style);
		for (const name of names) expect(text).toContain(`<${name}>`);
		expect(text.replaceAll(/<\/?(add|remove|update|warn|faint|strong)>/g, "")).toBe(renderPlan(plan, plainStyle));
	});

	it("shows no name, id or text as anything but text", () => {
		const position = { file: evil, line: 1, column: 1 };
		const plan = makePlan(
			desiredOf({
				organizationId: evil,
				users: { [evil]: alice },
				userTags: [
					wantTag(`${evil} wanted`, { previously: [evil], members: { mode: "exactly", exactly: [alice] } }),
					wantTag("second", { members: { mode: "exactly", exactly: [alice] }, at: position }),
				],
				absent: { policyIds: [id("policy", 1)], oauthProviders: [], tvcAppIds: [] },
				expect: {
					...nothingExpected,
					sessionProfiles: [{ id: id("other", 1), fields: { [evil]: evil }, at: position }],
					supportedAssets: [{ caip2: "eip155:1", symbol: evil, fields: {}, at: position }],
				},
			}),
			liveOf({
				userTags: known([
					{ ...liveTag(1, evil, { members: known([evil]) }), id: evil },
					{
						...liveTag(2, "second", { members: { known: false, because: { kind: "stated", text: evil } } }),
						id: `${evil}2`,
					},
				]),
				policies: known([{ id: id("policy", 1), name: evil }]),
				sessionProfiles: { [id("other", 1)]: known({ [evil]: `${evil} live` }) },
				lastApplied: {
					...emptyLastApplied,
					userTags: { [`${evil}2`]: { appliedAt: evil, name: evil, present: [evil], gone: [], updatedAt: evil } },
				},
			}),
			context,
		);
		const impossible: Plan = {
			...plan,
			problems: [{ ...position, path: "", code: "", message: evil }],
		};
		for (const text of [renderPlan(plan, plainStyle), renderPlan(impossible, plainStyle)]) {
			expect(text).not.toMatch(dangerous);
			expect(text).not.toMatch(/^::/m);
			expect(text.split(shown).length).toBeGreaterThan(12);
		}
		expect(renderProblem({ ...position, path: "", code: "", message: evil })).toBe(`${shown}:1:1: ${shown}`);
		const within = { ...position, file: "d.yaml", path: "", code: "", message: "wrong", excerpt: `${evil}\n ^` };
		expect(renderProblem(within)).toBe(
			`d.yaml:1:1: wrong\n${evil
				.split("\n")
				.map((line) => `  | ${showText(line)}\n`)
				.join("")}  |  ^`,
		);
	});
});

describe("a report as text", () => {
	const result = (parts: Partial<StepResult> = {}): StepResult => ({
		step: {
			id: "step-1",
			operation: "delete_policies",
			parameters: { policyIds: ["1"] },
			covers: [{ address: "policy:1", id: "1" }],
			dependsOn: [],
			reason: { kind: "remove", of: "policy", count: 1 },
			earlierActivity: null,
		},
		outcome: "completed",
		activityId: "activity",
		fingerprint: "sha256:f",
		requests: 1,
		tookMs: 5,
		message: null,
		refusedStatus: null,
		policyEvaluations: [],
		keyNotAccepted: false,
		parts: [],
		...parts,
	});
	const report = (steps: readonly StepResult[], parts: Partial<Report> = {}): Report => ({
		formatVersion: 1,
		organizationId,
		planDigest: "sha256:0",
		startedAt: "2026-01-01T00:00:00.000Z",
		finishedAt: "2026-01-01T00:00:00.000Z",
		steps,
		left: null,
		unverified: null,
		inSync: false,
		interrupted: false,
		overrides: [],
		stats: { queries: 1, submits: 2, retries: 0, throttledMs: 0 },
		...parts,
	});

	const noPlan = makePlan(desiredOf({}), liveOf({}), context);
	const linesOf = (one: StepResult) => stepLines(stepRow(one, noPlan), plainStyle);

	it("of a completed step is one line", () => {
		expect(linesOf(result())).toEqual(["ok remove a policy  policy:1"]);
	});

	it("of a step that waits says for what, which activity, and what to do", () => {
		const activityId = "60000001-7a3f-4c9e-9d40-000000000001";
		const waiting = result({ outcome: "awaiting-approval", message: "two of three", activityId });
		expect(linesOf(waiting)).toEqual([
			".. remove a policy  policy:1",
			"     has not ended: two of three",
			`     activity ${activityId}, fingerprint sha256:f`,
			`     \`orgsync explain ${activityId}\` shows what it is waiting for`,
			"     run apply again when it ends: it joins this activity and submits no other",
		]);
	});

	it("of a denied step names the policies", () => {
		const policyEvaluations = [{ policyId: "p", outcome: "OUTCOME_DENY_EXPLICIT" }, {}];
		expect(linesOf(result({ outcome: "denied", policyEvaluations })).slice(1)).toEqual([
			"     denied",
			"     policy p: OUTCOME_DENY_EXPLICIT",
			"     policy (not set): no outcome given",
			"     activity activity, fingerprint sha256:f",
		]);
	});

	it("names at most three of the objects of a step", () => {
		const covers = ["1", "2", "3", "4"].map((one): CoveredObject => ({ address: `policy:${one}`, id: one }));
		const line = (count: number) => linesOf(result({ step: { ...result().step, covers: covers.slice(0, count) } }))[0];
		expect(line(3)).toBe("ok remove a policy  policy:1, policy:2, policy:3");
		expect(line(4)).toBe("ok remove a policy  policy:1, policy:2 and 2 more");
	});

	it.each<[string, Report]>([
		["Applied: 1 completed (1 query, 2 submits).", report([result()], { inSync: true })],
		["Applied: nothing to do (1 query, 2 submits).", report([], { inSync: true })],
		[
			"Not in sync: 1 completed, 1 pending approval, 1 not attempted (3 queries, 1 submit, 4 retried).",
			report([result({ outcome: "not-attempted" }), result({ outcome: "awaiting-approval" }), result()], {
				stats: { queries: 3, submits: 1, retries: 4, throttledMs: 0 },
			}),
		],
		[
			"Interrupted: 1 not attempted (1 query, 2 submits).",
			report([result({ outcome: "not-attempted" })], { interrupted: true }),
		],
	])("sums up: %s", (sentence, summed) => {
		expect(verdictText(summarizeReport(summed))).toBe(sentence);
	});

	it("says what is left, and leaves out what completed where it was seen to", () => {
		const { changes } = makePlan(
			desiredOf({ userTags: [wantTag("a", { previously: ["b"] })] }),
			liveOf({ userTags: known([liveTag(1, "b")]) }),
			context,
		);
		const whole = report([result(), result({ outcome: "failed", message: "no" })], { left: changes });
		expect(renderReport(whole, noPlan, plainStyle, "open")).toBe(
			`!! remove a policy  policy:1
     failed: no
     activity activity, fingerprint sha256:f

Still different after the last step (changed elsewhere):
  userTag:a

Not in sync: 1 completed, 1 failed (1 query, 2 submits).
`,
		);
		expect(renderReport(whole, noPlan, plainStyle)).toContain("ok remove a policy");
	});

	it("shows no name, id or text as anything but text", () => {
		const reason = { kind: "name-differs", from: evil, to: evil } as const;
		const step = { ...result().step, reason, covers: [{ address: `policy:${evil}` as const, id: evil }] };
		const policyEvaluations = [{ policyId: evil, outcome: evil }];
		const parts = { step, message: evil, activityId: evil, fingerprint: evil, policyEvaluations };
		const text = renderReport(
			report([result({ ...parts, outcome: "awaiting-approval" }), result({ ...parts, outcome: "denied" })]),
			noPlan,
			plainStyle,
		);
		expect(text).not.toMatch(dangerous);
		expect(text).not.toMatch(/^::/m);
		expect(text.split(shown).length).toBeGreaterThan(8);
	});
});
