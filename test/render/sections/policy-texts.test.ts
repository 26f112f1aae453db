/** The texts of written policies: one that is empty does not restrict, and a reader has to see that. */
import { expect, it } from "vitest";
import { parseDocuments } from "../../../src/document/read/parse.ts";
import { makePlan } from "../../../src/plan/plan.ts";
import { renderPlan } from "../../../src/render/result-text.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { context, id, known, liveOf, organizationId } from "../../plan/support-organizations.ts";

const blank = { effect: "EFFECT_DENY", consensus: "", condition: "", time: "", notes: "" };

/** Returns the lines of a plan about the policies. */
function linesOf(policies: string, live: Partial<typeof blank> | null): string {
	const content = `organizationId: ${organizationId}\npolicies: [${policies}]\n`;
	const [desired = expect.unreachable()] = parseDocuments([{ file: "d.yaml", content }], {}).organizations;
	const found = live === null ? [] : [{ ...blank, ...live, id: id("policy", 1), name: "p" }];
	const plan = makePlan(desired, { ...liveOf(), policies: known(found) }, context);
	const lines = renderPlan(plan, plainStyle).split("\n");
	return lines.filter((line) => /^ {4}/.test(line)).join("\n");
}

it("a new policy without a condition is about every activity", () => {
	expect(linesOf(`{ name: p, effect: allow, consensus: "true", condition: "" }`, null)).toBe(
		"    effect: allow\n    consensus:\n        + true\n    condition:\n        + (every activity)",
	);
});

it("a new deny says nothing of its empty consensus", () => {
	expect(linesOf(`{ name: p, effect: deny, consensus: "", condition: "false" }`, null)).toBe(
		"    effect: deny\n    condition:\n        + false",
	);
});

it("a text that is added or removed is shown beside what its absence means", () => {
	const live = { consensus: "true", notes: "old" };
	const written = `{ name: p, effect: deny, consensus: "", condition: "false", notes: "", time: "time.now < Timestamp('2030-01-01T00:00:00Z')" }`;
	expect(linesOf(written, live).split("\n    takes over")[0]).toBe(
		[
			"    consensus:",
			"        - true",
			"        + (any approvers)",
			"    condition:",
			"        - (every activity)",
			"        + false",
			"    notes:",
			"        - old",
			"    time:",
			"        - (always)",
			"        + time.now < Timestamp('2030-01-01T00:00:00Z')",
		].join("\n"),
	);
});
