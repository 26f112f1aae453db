/** The verdict on a plan that a guard blocks: every format ends or begins with it. */
import { describe, expect, test } from "vitest";
import { reportDrift } from "../../../src/plan/drift/drift.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { renderGithub } from "../../../src/render/github.ts";
import { verdictText } from "../../../src/render/print/text.ts";
import { summarizeResult } from "../../../src/render/result/summary.ts";
import { renderText } from "../../../src/render/result-text.ts";
import { summarizeFindings } from "../../../src/render/sections/drift.ts";
import { summarizePlan } from "../../../src/render/sections/verdict.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { id } from "../../plan/support-organizations.ts";
import { complete } from "../complete.ts";
import { doubtfulPlanOf, emptyPlan } from "../support.ts";

const guard = {
	kind: "protected",
	found: 1,
	refuses: true,
	where: [],
	finding: { what: "stated", limit: "none", message: "m" },
} as const;
const blocked: Plan = { ...doubtfulPlanOf(), guards: [guard] };
const waits = "Nothing to submit. 2 steps are waiting for pending activities.";

const resultOf = (...plans: readonly Plan[]) => complete({ command: "plan", plans });

describe("a guard that blocks a plan whose steps all wait", () => {
	test("is in the last line of the text", () => {
		const text = renderText(resultOf(blocked), { style: plainStyle });
		expect(text.trimEnd().split("\n").at(-1)).toBe(`${waits} A guard blocks apply.`);
	});

	test("is in the verdict of every other format", () => {
		const verdict = `${waits} A guard blocks apply.`;
		const summary = summarizeResult(resultOf(blocked));
		expect([verdictText(summary.verdict), summary.tone]).toEqual([verdict, "bad"]);
		expect(renderGithub(resultOf(blocked)).annotations.split("\n")[0]).toContain("A guard blocks apply");
	});

	test("is counted in the verdict on several organizations", () => {
		const { verdict } = summarizeResult(resultOf(emptyPlan(), { ...blocked, organizationId: id("org", 2) }));
		expect(verdictText(verdict)).toBe("2 organizations: 1 blocked by a guard, 1 in sync.");
	});

	test("is in the verdict of drift", () => {
		const drift = reportDrift(blocked);
		expect(verdictText(summarizeFindings(drift, blocked))).toBe(
			"Drift: 2 objects drifted; 2 steps are waiting for pending activities, but a guard blocks apply.",
		);
		const [finding] = drift.findings;
		if (finding === undefined) throw new Error("nothing drifted");
		const [step] = blocked.steps;
		const waiting = [{ ...finding, earlierActivity: step?.earlierActivity as never }];
		expect(verdictText(summarizeFindings({ ...drift, verdict: "waiting", findings: [], waiting }, blocked))).toBe(
			"Pending: 1 object is not in sync yet; a pending activity fixes it, but a guard blocks apply.",
		);
	});
});

test("a guard that blocks a plan without steps is in its verdict", () => {
	expect(verdictText(summarizePlan({ ...blocked, steps: [] }))).toBe("Nothing to submit. A guard blocks apply.");
});

test("a guard with an override is not in the verdict", () => {
	const overrides = [{ flag: "allow", kind: "protected", number: 1 }] as const;
	expect(verdictText(summarizePlan({ ...blocked, overrides }))).toBe(waits);
});
