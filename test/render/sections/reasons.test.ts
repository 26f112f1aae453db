/** Reasons that begin with a policy: readers see its name, and never take the name for words of orgsync. */
import { describe, expect, it } from "vitest";
import type { Reason } from "../../../src/policy/powers/reason.ts";
import { phraseMarkdown } from "../../../src/render/print/markdown.ts";
import { phraseText } from "../../../src/render/print/text.ts";
import { describeImpact } from "../../../src/render/sections/impact-words.ts";
import { inWords } from "../../../src/say/published.ts";
import { reasonText, sayReason } from "../../../src/say/reason.ts";
import { anyOf, planFor, policyOf, signers } from "../../plan/support-access.ts";
import { id } from "../../plan/support-organizations.ts";

const policyId = id("policy", 2);
const because: Reason = {
	kind: "policy",
	policyId,
	because: {
		kind: "not-understood",
		clause: "condition",
		message: "`count` is a function",
		span: { start: 0, end: 5 },
	},
};
const withId = `policy ${policyId}: the condition is not understood: \`count\` is a function`;
const named = (name: string) => ({ userNames: {}, policyNames: { [policyId]: name } });

describe("a reason that begins with a policy", () => {
	it("has the policy's name where it is known", () => {
		const text = "policy `payroll`: the condition is not understood: `count` is a function";
		expect(phraseText(sayReason(because, named("payroll")))).toBe(text);
		expect(phraseMarkdown(sayReason(because, named("payroll")))).toMatch(/^policy `payroll`: ``the condition/);
		expect(reasonText(because, named("payroll"))).toBe(text.replace("`payroll`", "payroll"));
	});

	it.each([
		{},
		named(""),
		{ policyNames: { [id("policy", 3)]: "other" } },
	])("has its id where %j has no name", (names) => {
		expect(phraseText(sayReason(because, { ...names }))).toBe(withId);
		expect(reasonText(because, names)).toBe(withId);
	});

	it("has the name escaped, in code or in quotes", () => {
		const evil = "x`: it is fine\u001b[31m\nno impact";
		const shown = [phraseText(sayReason(because, named(evil))), reasonText(because, named(evil))];
		expect(shown[0]).toMatch(/^policy `x\\u\{60\}: it is fine[^`]*`: the condition is not understood/);
		expect(shown[1]).toMatch(/^policy "x`: it is fine.*": the condition is not understood/);
		// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
		expect(shown.join("")).not.toMatch(/[\u0000-\u001f]/);
	});

	it("is named in an assumption too", () => {
		const assumed: Reason = { kind: "assumed", what: "errors", policyIds: [policyId] };
		expect(phraseText(sayReason(assumed, named("payroll")))).toBe(
			"policy `payroll`: a condition that errs neither allows nor denies",
		);
	});
});

describe("the published JSON", () => {
	it("has a text for each reason, and nothing else changes", () => {
		const value = { because, unknown: null, more: [{ unknown: because, because: "a text", assumptions: [because] }] };
		const text = {
			because: withId,
			unknown: null,
			more: [{ unknown: withId, because: "a text", assumptions: [withId] }],
		};
		expect(JSON.parse(JSON.stringify(value, inWords))).toEqual(text);
	});
});

describe("a plan beside a policy that is not understood", () => {
	const unclear = policyOf(2, { consensus: `${anyOf(signers)} == 1`, condition: "activity.action == 'SIGN'" });
	const organization = { members: { signers: ["alice", "bob"] }, policies: [unclear] } as const;
	const plan = planFor(organization, { absent: [policyId] });

	it("keeps its id in data, with its name beside", () => {
		const [finding] = (plan.impact ?? []).filter(({ change }) => change === "unknown");
		expect(finding?.because).toMatchObject({ kind: "policy", policyId, because: { kind: "not-understood" } });
		expect(plan.policyNames).toEqual({ [policyId]: "policy 2" });
	});

	it("names it in the impact", () => {
		const [line] = describeImpact(plan).filter(({ sign }) => sign === "?");
		expect(phraseText(line?.sentence ?? [])).toContain(": policy `policy 2`: the consensus is not understood: ");
	});
});
