/** A plan that renames a tag warns where its old name is still used. */
import { describe, expect, it } from "vitest";
import { blockingGuards } from "../../../src/plan/guards/overrides.ts";
import type { DesiredRule } from "../../../src/plan/organization.ts";
import type { Plan, PlanContext } from "../../../src/plan/plan.ts";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import { rowText } from "../../../src/render/print/text.ts";
import { warningGuardsSection } from "../../../src/render/sections/guards.ts";
import { inWords } from "../../../src/say/published.ts";
import { checkSchema } from "../../check-schema.ts";
import { makePlan } from "../../in-words.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../support-organizations.ts";

const alice = id("user", 1);
const live = liveOf({
	userTags: known([liveTag(1, "approvers", { members: known([alice]) }), liveTag(2, "oncall", { members: known([]) })]),
});
const renamed = wantTag("signers", { previously: ["approvers"] });

function planOf(
	parts: Parameters<typeof desiredOf>[0] & object,
	policies: readonly AccessPolicy[] = [],
	more: Partial<PlanContext> = {},
): Plan {
	const desired = desiredOf({ userTags: [renamed], digest: `sha256:${"0".repeat(64)}`, ...parts });
	const access = { users: known([]), policies: known(policies), rootQuorum: known({ threshold: 1, userIds: [alice] }) };
	const plan = makePlan(desired, live, { ...context, access, ...more });
	expect(checkSchema("plan.json", JSON.parse(JSON.stringify(plan, inWords)))).toEqual([]);
	return plan;
}

const warnings = (plan: Plan): readonly string[] => warningGuardsSection(plan).rows.map(rowText);

function policy(number: number, condition: string, consensus = "true"): AccessPolicy {
	const name = `policy ${number} of approvers`;
	return { id: id("policy", number), name, effect: "EFFECT_ALLOW", consensus, condition, time: "" };
}

describe("the rename of a tag", () => {
	const exclusive: DesiredRule = { rule: "exclusive", tags: ["approvers", "oncall"], at };
	const min: DesiredRule = { rule: "members", tag: "approvers", min: 1, at: { file: "b.yaml", line: 9, column: 3 } };

	it("warns about each rule with the old name, with its file and line, and blocks nothing", () => {
		const plan = planOf({ rules: [exclusive, min] });
		expect(warnings(plan)).toEqual([
			`after the rename, no user tag has the name approvers, which is used in rule:exclusive.approvers+oncall (${at.file}:${at.line}), rule:members.approvers (b.yaml:9) (allowed: any number of uses)`,
		]);
		expect(blockingGuards(plan)).toEqual([]);
		expect(plan.guards.find(({ kind }) => kind === "oldNames")).toMatchObject({ found: 2, where: ["userTag:signers"] });
	});

	it("warns about the text of a policy that has the name as a string, and not about ids, names or the word `approvers`", () => {
		const ids = policy(1, "true", `approvers.any(user, user.tags.contains('${id("tag", 1)}'))`);
		const named = policy(2, "true", "approvers.any(user, user.tags.contains('approvers'))");
		expect(warnings(planOf({}, [ids]))).toEqual([]);
		expect(warnings(planOf({}, [ids, named]))).toEqual([
			`after the rename, no user tag has the name approvers, which is used in policy:${named.id} (policy 2 of approvers) (allowed: any number of uses)`,
		]);
	});

	it("warns about `protect`, which then protects nothing", () => {
		expect(warnings(planOf({ protect: { userIds: [], userTags: ["approvers"] } }))).toEqual([
			expect.stringContaining("used in protect (allowed"),
		]);
	});

	it("does not warn where the rules have the new name, or another tag gets the old one", () => {
		expect(warnings(planOf({ rules: [{ ...min, tag: "signers" }] }))).toEqual([]);
		const swapped = [wantTag("oncall", { id: id("tag", 1) }), wantTag("approvers", { id: id("tag", 2) })];
		expect(warnings(planOf({ rules: [min], userTags: swapped }))).toEqual([]);
	});

	it("does not warn where the tag has its name already, and lists at most ten uses", () => {
		expect(warnings(planOf({ rules: [min], userTags: [wantTag("approvers")] }))).toEqual([]);
		const many = Array.from({ length: 15 }, (_, index) => policy(index + 1, "'approvers' == 'x'"));
		expect(warnings(planOf({}, many))[0]).toMatch(/, 5 more \(allowed/);
	});
});
