/** The words of the signing page are those of the bytes: a request that is no step of the plan has none. */
import { describe, expect, it } from "vitest";
import { describeSteps, importWords } from "../../src/cli/signed-words.ts";
import { readRequest } from "../../src/passkey/words.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { standInFor } from "../../src/plan/stand-in.ts";
import type { Step } from "../../src/plan/step.ts";
import type { Comparison } from "../../src/sync/converge.ts";
import { writes } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { hostileNamings, planOf } from "../render/support.ts";

/** What the page is given for a request of this organization with these parameters. */
function wordsOf(plan: Plan, { operation }: Step, parameters: object, organizationId = plan.organizationId) {
	const context = { reads: "auto", readAtMs: 0 };
	const comparison = { plan, context, live: {}, clockOffsetMs: 0 } as unknown as Comparison;
	const { bytes } = encodeSubmit(writes[operation], organizationId, parameters as Record<string, unknown>, 1);
	const request = readRequest(bytes);
	return request && describeSteps(request, [comparison], () => 0);
}

describe("the words of a signed step", () => {
	const plan = planOf();

	it("are there for each step of the plan, with all that its parameters name", () => {
		expect(plan.steps.length).toBeGreaterThan(3);
		for (const step of plan.steps) {
			const shown = wordsOf(plan, step, step.parameters)?.html.html;
			for (const { address } of step.covers) expect(shown).toContain(address.split(":")[0]);
		}
	});

	it("are missing for other parameters, another organization and another operation", () => {
		for (const step of plan.steps) {
			const more = Object.entries(step.parameters).map(([name, value]) => {
				return [name, Array.isArray(value) ? [...value, "ffffffff-0000-4000-8000-000000000009"] : `${value}0`];
			});
			expect(wordsOf(plan, step, Object.fromEntries(more))).toBeUndefined();
			expect(wordsOf(plan, step, step.parameters, "ffffffff-0000-4000-8000-000000000009")).toBeUndefined();
			const { bytes } = encodeSubmit(writes.init_import_private_key, plan.organizationId, { userId: "x" }, 1);
			const request = readRequest(bytes);
			expect(request && importWords({ ...request, type: writes[step.operation].type }, plan)).toBeUndefined();
		}
	});

	it("show policies in full, and the ids of the tags that earlier steps created", () => {
		const [tag, created] = [
			standInFor(plan.organizationId, "userTag", "auditors"),
			"91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1009",
		];
		const consensus = (id: string) => `approvers.any(user, user.tags.contains('${id}'))`;
		const parametersWith = (id: string, effect = "EFFECT_ALLOW") => ({
			policies: [{ policyName: "read", effect, condition: "true", consensus: consensus(id), notes: "" }],
		});
		const step = {
			...{ id: "step-2", operation: "create_policies", parameters: parametersWith(tag), dependsOn: ["step-1"] },
			...{ covers: [{ address: "policy:read", id: "read" }], earlierActivity: null },
			reason: { kind: "create", of: "policy", count: 1, name: "read" },
		} as const satisfies Step;
		const texts = { consensus: consensus(tag), condition: "true" };
		const written = { consensus: consensus("${userTags.auditors}"), condition: "true" };
		const policy = { kind: "policy", action: "create", address: "policy:read", id: "read", basis: "live" } as const;
		const after = { name: "read", effect: "EFFECT_ALLOW", ...texts, notes: "", time: "" };
		const change = { ...policy, before: null, after, written, takesOver: false, reason: "create" };
		const tagChange = { kind: "userTag", action: "create", address: "userTag:auditors", tagId: tag };
		const own = { ...plan, steps: [step], changes: [tagChange, change] } as unknown as Plan;
		const shown = wordsOf(own, step, parametersWith(created))?.html.html;
		expect(shown).toContain("${userTags.auditors}");
		expect(shown).toMatch(new RegExp(`userTag:auditors.* has the id .*${created}`));
		expect(wordsOf(own, step, parametersWith(created, "EFFECT_DENY"))).toBeUndefined();
		expect(wordsOf(own, step, parametersWith("any id"))).toBeUndefined();
		const two = { policies: [...parametersWith(created).policies, ...parametersWith(created).policies] };
		expect(wordsOf(own, step, two)).toBeUndefined();
	});

	it("are text, whatever names say", () => {
		for (const naming of hostileNamings) {
			const hostile = planOf(naming);
			for (const step of hostile.steps) {
				expect(wordsOf(hostile, step, step.parameters)?.html.html).not.toMatch(
					/<(script|img|iframe|style)|<!--|\u202e/,
				);
			}
		}
	});
});
