/** Pending activities of any user on policies, user tags and credentials, as the service lists them. */
import { describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/common/errors.ts";
import type { OthersAsked } from "../../../src/plan/activities/other-pending.ts";
import { readOtherPending } from "../../../src/sync/read/other-pending.ts";
import type { Reader } from "../../../src/wire/client.ts";
import { organizationId } from "../../plan/support-organizations.ts";

const all: OthersAsked = { written: true, credentialsOf: null };

function recordOf(type: string, intent: object | null, more: object = {}) {
	const status = "ACTIVITY_STATUS_CONSENSUS_NEEDED";
	return {
		...{ id: `id of ${type}`, organizationId, fingerprint: "sha256:f", status, type: `ACTIVITY_TYPE_${type}` },
		...{ intent: intent && { anyIntent: intent }, ...more },
	};
}

async function read(asked: OthersAsked, ...records: readonly object[]) {
	let filters: Readonly<Record<string, unknown>> = {};
	const query: Reader["query"] = async (_operation, fields) => {
		filters = fields;
		return { value: { activities: records }, serverTimeMs: 1_760_000_000_000 };
	};
	return { ...(await readOtherPending(organizationId, asked, { query })), filters };
}

describe("pending activities of others", () => {
	it.each<[asked: OthersAsked, yes: readonly string[], no: readonly string[]]>([
		[all, ["CREATE_POLICIES", "UPDATE_POLICY_V2", "DELETE_USER_TAGS", "CREATE_API_KEYS_V2"], ["CREATE_USERS_V3"]],
		[{ written: true, credentialsOf: [] }, ["CREATE_POLICY_V3", "UPDATE_USER_TAG"], ["CREATE_API_KEYS_V2"]],
		[{ written: false, credentialsOf: ["u"] }, ["CREATE_OAUTH_PROVIDERS"], ["UPDATE_POLICY_V2", "DELETE_API_KEYS"]],
	])("are asked for by the types that matter: %j", async (asked, yes, no) => {
		const { filters } = await read(asked);
		const types = filters.filterByType as readonly string[];
		expect(types).toEqual(expect.arrayContaining(yes.map((type) => `ACTIVITY_TYPE_${type}`)));
		for (const type of no) expect(types).not.toContain(`ACTIVITY_TYPE_${type}`);
		expect(filters).toMatchObject({
			organizationId,
			filterByStatus: expect.arrayContaining(["ACTIVITY_STATUS_PENDING"]),
		});
	});

	it.each<[type: string, intent: object | null, action: string, kind: string, objects: readonly string[]]>([
		[
			"CREATE_POLICIES",
			{ policies: [{ policyName: "pay" }, null, { policyName: "vote" }] },
			"create",
			"policy",
			["pay", "vote"],
		],
		["CREATE_POLICY_V3", { policyName: "pay" }, "create", "policy", ["pay"]],
		["UPDATE_POLICY_V2", { policyId: "P1", policyName: "new" }, "update", "policy", ["p1"]],
		["DELETE_POLICIES", { policyIds: ["P1", "P2"] }, "remove", "policy", ["p1", "p2"]],
		["CREATE_USER_TAG", { userTagName: "signers", userIds: [] }, "create", "userTag", ["signers"]],
		["UPDATE_USER_TAG", { userTagId: "T1", newUserTagName: "x" }, "update", "userTag", ["t1"]],
		["DELETE_USER_TAGS", { userTagIds: ["T1"] }, "remove", "userTag", ["t1"]],
		["CREATE_API_KEYS_V2", { userId: "U1" }, "create", "credential", ["u1"]],
		["CREATE_AUTHENTICATORS_V2", { userId: "U1" }, "create", "credential", ["u1"]],
		["DELETE_POLICY", null, "remove", "policy", []],
	])("are what they do to which objects: %s", async (type, intent, action, kind, objects) => {
		const { otherPending, isComplete } = await read(all, recordOf(type, intent));
		expect(otherPending).toEqual([
			{
				...{ activityId: `id of ${type}`, fingerprint: "sha256:f", state: "pending" },
				...{ status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", createdAt: null, approvedBy: [], saidBy: "service" },
				...{ action, kind, objects },
			},
		]);
		expect(isComplete).toBe(true);
	});

	it("have the time at which they were made and the users who approved", async () => {
		const selection = "VOTE_SELECTION_APPROVED";
		const votes = [
			{ userId: "u1", user: { userName: "alice" }, selection, createdAt: "1760000000" },
			{ userId: "u2", selection, createdAt: "1" },
			{ user: { userName: "nobody" }, selection },
			{ userId: "u3", user: { userName: "carol" }, selection: "VOTE_SELECTION_REJECTED" },
		];
		const more = { createdAt: { seconds: "1760000000", nanos: "0" }, votes };
		const { otherPending } = await read(all, recordOf("DELETE_POLICY", { policyId: "p" }, more));
		const approvals = { approvedBy: ["u1", "u2"], lapsed: ["u2"], liveNames: { u1: "alice" } };
		expect(otherPending).toMatchObject([{ createdAt: "2025-10-09T08:53:20.000Z", ...approvals }]);
		expect(Object.keys(otherPending[0]?.liveNames ?? {})).toEqual(["u1"]);
	});

	it.each<[why: string, asked: OthersAsked, type: string, intent: object, more?: object]>([
		["has ended", all, "DELETE_POLICY", { policyId: "p" }, { status: "ACTIVITY_STATUS_COMPLETED" }],
		["is of another type", all, "CREATE_USERS_V3", { userId: "u" }],
		["is on policies", { written: false, credentialsOf: ["p"] }, "DELETE_POLICY", { policyId: "p" }],
		["is for another user", { written: true, credentialsOf: ["u"] }, "CREATE_API_KEYS_V2", { userId: "v" }],
		["is for a user", { written: true, credentialsOf: ["u"] }, "CREATE_API_KEYS_V2", {}],
	])("lack an activity that was not asked for: it %s", async (_why, asked, type, intent, more) => {
		expect((await read(asked, recordOf(type, intent, more))).otherPending).toEqual([]);
	});

	it("have a credential for a user who was asked about, written in any case", async () => {
		const found = await read({ written: false, credentialsOf: ["u"] }, recordOf("CREATE_API_KEYS_V2", { userId: "U" }));
		expect(found.otherPending).toHaveLength(1);
	});

	it("are incomplete where the service denies the list", async () => {
		const query = () => Promise.reject(new ServiceError("denied", 403, 7));
		expect(await readOtherPending(organizationId, all, { query })).toEqual({ otherPending: [], isComplete: false });
	});
});
