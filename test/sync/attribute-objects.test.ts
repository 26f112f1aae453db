/** Who removed, renamed or created the objects of a document, from the activities that a service lists. */
import { describe, expect, it } from "vitest";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import { makePlan } from "../../src/plan/plan.ts";
import { attributeDrift } from "../../src/sync/attribute.ts";
import type { Reader } from "../../src/wire/client.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../plan/support-organizations.ts";

const [tag, policy] = [id("tag", 1), id("policy", 1)];
const live = liveOf({ userTags: known([liveTag(1, "extra")]), policies: known([]) });
const gone = {
	tag: desiredOf({ userTags: [{ ...wantTag("signers"), create: true }] }),
	policy: {
		...desiredOf(),
		objects: [
			{
				...{ kind: "policy" as const, name: "pay", previously: [], effect: "EFFECT_ALLOW" as const, at },
				...{ consensus: "true", condition: "" },
			},
		],
	},
	extra: { ...desiredOf(), objects: [{ kind: "userTag" as const, absent: true as const, name: "extra", at }] },
};

const act = (type: string, atS: number, intent: object, result: object = {}) => ({
	...{ id: type, type: `ACTIVITY_TYPE_${type}`, fingerprint: type, intent: { intent }, result: { result } },
	...{ createdAt: { seconds: String(atS), nanos: "0" } },
});

async function cause(desired: DesiredOrganization, activities: readonly object[], isOurs = false) {
	const query = async () => ({ value: { activities }, serverTimeMs: undefined });
	const plan = makePlan(desired, { ...live, policies: known([]) }, context);
	const { attributions } = await attributeDrift(plan, { query } as unknown as Reader, () => isOurs);
	return [...attributions.values()].map(({ activityId }) => activityId).join();
}

describe("an object of the document that is gone", () => {
	const made = act("CREATE_USER_TAG", 100, { userTagName: "signers" }, { userTagId: tag.toUpperCase() });
	const madePolicies = act("CREATE_POLICIES", 100, { policies: [{ policyName: "pay" }] }, { policyIds: [policy] });
	const rename = (name: string | undefined, userTagId = tag) =>
		act("UPDATE_USER_TAG", 200, { userTagId, newUserTagName: name });

	it.each<[what: string, of: keyof typeof gone, others: readonly object[], cause: object]>([
		["removed a tag", "tag", [made], act("DELETE_USER_TAGS", 200, { userTagIds: [id("tag", 9), tag] })],
		["renamed a tag", "tag", [made], rename("other")],
		[
			"removed a tag that had the name",
			"tag",
			[rename("signers")],
			act("DELETE_USER_TAGS", 300, { userTagIds: [tag] }),
		],
		["removed a policy", "policy", [madePolicies], act("DELETE_POLICY", 200, { policyId: policy.toUpperCase() })],
		["renamed a policy", "policy", [madePolicies], act("UPDATE_POLICY_V2", 200, { policyId: policy, policyName: "x" })],
	])("has as its cause the activity that %s", async (_what, of, others, expected) => {
		expect(await cause(gone[of], [...others, expected])).toBe((expected as { id: string }).id);
		expect(await cause(gone[of], [...others, expected], true)).toBe("");
	});

	it.each<[what: string, of: keyof typeof gone, activities: readonly object[]]>([
		["nobody knows which tag it was", "tag", [act("DELETE_USER_TAGS", 200, { userTagIds: [tag] })]],
		["another tag was removed", "tag", [made, act("DELETE_USER_TAGS", 200, { userTagIds: [id("tag", 9)] })]],
		["another tag was renamed", "tag", [made, rename("other", id("tag", 9))]],
		["the tag kept its name", "tag", [made, rename(undefined)]],
		["the tag was given the same name", "tag", [made, rename("signers")]],
		["the tag was only named", "tag", [made, act("UPDATE_USER", 200, { userTagIds: [tag], newUserTagName: "x" })]],
		["policies had the name", "tag", [madePolicies, act("DELETE_POLICY", 200, { policyId: policy })]],
		["the policy kept its name", "policy", [madePolicies, act("UPDATE_POLICY_V2", 200, { policyId: policy })]],
	])("has no cause where %s", async (_what, of, activities) => {
		expect(await cause(gone[of], activities)).toBe("");
	});
});

describe("a tag that should not exist", () => {
	const extra = act("CREATE_USER_TAG", 100, { userTagName: "extra" }, { userTagId: tag });
	it("has its creation as its cause, unless it was removed since", async () => {
		expect(await cause(gone.extra, [act("UPDATE_USER_TAG", 200, { userTagId: tag }), extra])).toBe("CREATE_USER_TAG");
		expect(await cause(gone.extra, [act("DELETE_USER_TAGS", 200, { userTagIds: [tag] }), extra])).toBe("");
		expect(await cause(gone.extra, [act("CREATE_POLICY_V3", 100, {}, { policyId: tag })])).toBe("");
	});
});

describe("a credential that was added", () => {
	const asked: string[] = [];
	const given = async (...activities: readonly object[]) => {
		const query: Reader["query"] = async ({ name }) => {
			asked.push(name);
			return { value: { activities }, serverTimeMs: undefined };
		};
		const plan = makePlan(desiredOf(), live, context);
		const { attributions } = await attributeDrift(plan, { query }, () => false, [{ key: "k", id: "c1" }]);
		return [...attributions].map(([key, { activityId }]) => `${key}: ${activityId}`).join();
	};

	it("has as its cause the activity that made it, with a user, an invitation or a recovery too", async () => {
		for (const type of ["CREATE_API_KEYS_V2", "CREATE_USERS_V3", "ACCEPT_INVITATION_V2", "RECOVER_USER"])
			expect(await given(act(type, 100, {}, { ids: ["C1"] }))).toBe(`k: ${type}`);
		expect(await given(act("CREATE_API_KEYS_V2", 100, {}, { ids: ["c2"] }))).toBe("");
		expect(await given(act("UPDATE_USER", 100, { id: "c1" }))).toBe("");
		expect(new Set(asked)).toEqual(new Set(["list_activities"]));
	});

	it("has none where it was removed since", async () => {
		const made = act("CREATE_API_KEYS_V2", 100, {}, { ids: ["c1"] });
		expect(await given(act("DELETE_API_KEYS", 200, { ids: ["c1"] }), made)).toBe("");
		expect(await given(act("REMOVE_X", 200, { ids: ["c1"] }), made)).toBe("");
	});
});
