/** What a plan says of its impact where a step changes something that was not read. */
import { describe, expect, it } from "vitest";
import { findImpact, impactModel } from "../../../src/plan/impact/impact.ts";
import type { Step } from "../../../src/plan/step.ts";
import type { AccessState, AccessUser } from "../../../src/policy/access.ts";
import { unknownAccess } from "../../policy/support-access.ts";
import { id } from "../support-organizations.ts";

const [alice, tag, policy] = [id("user", 1), id("tag", 1), id("policy", 1)];
const denied = { known: false, because: { kind: "stated", text: "the service denies it to this key" } } as const;
const user = (tagIds: AccessUser["tagIds"]): AccessUser => ({
	id: alice,
	tagIds,
	email: { known: true, value: null },
	credentials: { known: true, value: [] },
});
const known: AccessState = {
	users: { known: true, value: [user({ known: true, value: [] })] },
	policies: { known: true, value: [] },
	rootQuorum: { known: true, value: { threshold: 1, userIds: [alice] } },
};

function stepOf(request: Pick<Step, "operation" | "parameters">): Step {
	return {
		...{ id: "step-1", earlierActivity: null, covers: ["userTag:signers"], dependsOn: [], produces: [] },
		...request,
	} as unknown as Step;
}
const tagging = (addUserIds: readonly string[]): Step =>
	stepOf({ operation: "update_user_tag", parameters: { userTagId: tag, addUserIds, removeUserIds: [] } });
const removal = stepOf({ operation: "delete_policies", parameters: { policyIds: [policy] } });

describe("the impact of a step beside a policy with a time window", () => {
	const noon = Date.parse("2026-06-01T12:00:00Z");
	const signing = (time: string): AccessState => ({
		...known,
		rootQuorum: { known: true, value: { threshold: 2, userIds: [alice, id("user", 2)] } },
		policies: {
			known: true,
			value: [
				{
					...{ id: policy, name: "hours", effect: "EFFECT_ALLOW", condition: "activity.action == 'SIGN'", time },
					consensus: `approvers.any(user, user.tags.contains('${tag}'))`,
				},
			],
		},
	});
	const timed = (time: string) => findImpact(signing(time), [tagging([alice])], noon).impactTimed;

	it("names the policy where the window is closed, or will close", () => {
		expect(timed("CronSpan('0 1 * * *', '2h', 'UTC')")).toEqual([policy]);
		expect(timed("time.now < Timestamp('2026-07-01T00:00:00Z')")).toEqual([policy]);
	});

	it("holds what no one can any more at another time", () => {
		const access = signing("CronSpan('0 1 * * *', '2h', 'UTC')");
		const other = { ...user({ known: true, value: [] }), id: id("user", 2) };
		const users = { known: true, value: [user({ known: true, value: [tag] }), other] } as const;
		const held = { ...access, users };
		const removing = stepOf({
			operation: "update_user_tag",
			parameters: { userTagId: tag, addUserIds: [], removeUserIds: [alice] },
		});
		const found = findImpact(held, [removing], noon);
		expect(found.impact).toEqual([]);
		expect(found.impactAtOtherTimes?.map(({ change, userIds }) => [change, userIds])).toContainEqual([
			"nobody",
			[alice],
		]);
	});

	it("names none without a window, or where it is behind us or years ahead", () => {
		expect(timed("")).toBeUndefined();
		expect(timed("time.now < Timestamp('2026-05-01T00:00:00Z')")).toBeUndefined();
		expect(timed("time.now < Timestamp('2099-05-01T00:00:00Z')")).toBeUndefined();
	});
});

describe("the impact of a step", () => {
	it.each<[string, AccessState, Step]>([
		["that gives a tag, where users were not read", { ...known, users: denied }, tagging([alice])],
		[
			"that gives a tag to a user whose tags are not known",
			{ ...known, users: { known: true, value: [user(denied)] } },
			tagging([alice]),
		],
		["that removes a policy, where policies were not read", { ...known, policies: denied }, removal],
		["that gives a tag, where nothing was read", unknownAccess("it is missing"), tagging([alice])],
	])("%s, is unknown", (_what, access, step) => {
		expect(findImpact(access, [step], 0).impactVerdict).toBe("unknown");
	});

	it("is unknown where one of several steps changes what was not read", () => {
		const access = { ...known, policies: denied };
		const steps = [tagging([]), removal, tagging([alice])];
		expect(findImpact(access, steps, 0).impactVerdict).toBe("unknown");
		const rejected = steps.map((step) => ({ ...step, earlierActivity: { relation: "rejected" } }) as Step);
		expect(findImpact(access, rejected, 0)).toEqual({ impact: [], impactVerdict: "equivalent", impactModel });
	});

	it("has up to twenty sets for each power, and says where there are more", () => {
		const summary = (count: number, atLeast: number) => {
			const users = Array.from({ length: count }, (_, index) => {
				return { ...user({ known: true, value: [tag] }), id: id("user", index + 1) };
			});
			const consensus = `approvers.filter(user, user.tags.contains('${tag}')).count() >= ${atLeast}`;
			const named = { id: policy, name: "sign", effect: "EFFECT_ALLOW", time: "", consensus };
			const policies = [{ ...named, condition: "activity.resource == 'WALLET' && activity.action == 'EXPORT'" }];
			const access: AccessState = {
				users: { known: true, value: users },
				policies: { known: true, value: policies },
				rootQuorum: { known: true, value: { threshold: count, userIds: users.map((one) => one.id) } },
			};
			const [finding] = findImpact(access, [removal], 0).impact;
			return [finding?.before.together.length, finding?.before.isComplete];
		};
		// Three of six are twenty sets, and two of seven are one more.
		expect(summary(6, 3)).toEqual([20, true]);
		expect(summary(7, 2)).toEqual([20, false]);
		expect(summary(30, 10)).toEqual([20, false]);
		expect(summary(4, 2)).toEqual([6, true]);
	});

	it.each<[string, AccessState, Step]>([
		["that gives a tag that no policy names", known, tagging([alice])],
		["that renames a tag, where nothing was read", unknownAccess("it is missing"), tagging([])],
		["that removes a policy that is not there", known, removal],
	])("%s, is none", (_what, access, step) => {
		expect(findImpact(access, [step], 0)).toEqual({ impact: [], impactVerdict: "equivalent", impactModel });
	});
});
