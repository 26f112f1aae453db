/** Who moved what: against a real emulator whose activities other users made, and against answers of other services. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TransportError } from "../../src/errors.ts";
import type { Attribution } from "../../src/plan/drift.ts";
import { type DesiredOrganization, emptyExpectations } from "../../src/plan/organization.ts";
import type { Reads } from "../../src/plan/plan.ts";
import { type Attributed, attribute } from "../../src/sync/attribute.ts";
import { encodeSubmit } from "../../src/wire/body.ts";
import type { Reader } from "../../src/wire/client.ts";
import { submits } from "../../src/wire/operations.ts";
import { at, desiredOf, organizationId, wantTag } from "../plan/support-organizations.ts";
import {
	acme,
	alice,
	approverId,
	approverStamper,
	auditors,
	Bench,
	bob,
	minuteMs,
	policies,
	signers,
	wantSigners,
} from "./support.ts";

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(() => bench.reset(acme()));
afterAll(() => bench.close());

/** A change of a tag that the approver, not this program, sends; the clock moves on behind it. */
async function changeTag(tagId: string, parts: object): Promise<void> {
	const parameters = { userTagId: tagId, addUserIds: [], removeUserIds: [], ...parts };
	const body = encodeSubmit(submits.update_user_tag, organizationId, parameters, bench.nowMs);
	const answer = await bench.client({ stamper: approverStamper }).submitter.submit(body);
	expect(answer).toMatchObject({ kind: "activity", activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
	bench.nowMs += minuteMs;
}

async function attributed(desired: DesiredOrganization, reader?: Reader, reads: Reads = "auto"): Promise<Attributed> {
	const context = bench.context();
	const { plan } = await bench.compare(desired, context, reads);
	bench.emulator.clearRequests();
	return attribute(plan, reader ?? context.reader, (fingerprint) => bench.journal.entry(fingerprint) !== undefined);
}

const namesOf = ({ attributions }: Attributed) =>
	Object.fromEntries([...attributions].map(([address, { userId }]) => [address, userId]));

describe("who moved it", () => {
	it("is the submitter of the activity that added a member who should not be there", async () => {
		await changeTag(signers, { addUserIds: [bob] });
		const [activity] = bench.activities();
		const { attributions, unattributed } = await attributed(wantSigners(alice));
		expect(unattributed).toBeNull();
		expect(attributions.get("userTag:signers")).toEqual({
			activityId: String(activity?.id),
			type: "ACTIVITY_TYPE_UPDATE_USER_TAG",
			userId: approverId,
			userName: "approver",
			at: new Date(bench.nowMs - minuteMs).toISOString(),
		} satisfies Attribution);
		expect(bench.requests("query").map(({ operation }) => operation)).toEqual(["list_activities"]);
	});

	it("is called by the document's name", async () => {
		await changeTag(signers, { addUserIds: [bob] });
		const { attributions } = await attributed({ ...wantSigners(alice), users: { dora: approverId } });
		expect(attributions.get("userTag:signers")?.userName).toBe("dora");
	});

	it("is who removed a member, and who renamed a tag to what it is called now", async () => {
		await changeTag(signers, { removeUserIds: [alice] });
		await changeTag(auditors, { newUserTagName: "before" });
		await changeTag(auditors, { newUserTagName: "reviewers" });
		const renamed = bench.activities().at(-1)?.id;
		const desired = desiredOf({
			userTags: [...wantSigners(alice).userTags, wantTag("auditors", { id: auditors })],
		});
		const { attributions } = await attributed(desired);
		expect([...attributions.keys()].sort()).toEqual(["userTag:auditors", "userTag:signers"]);
		expect(attributions.get("userTag:auditors")?.activityId).toBe(renamed);
	});

	it("is nobody when the last that touched the member moved it the other way", async () => {
		await changeTag(signers, { addUserIds: [bob] });
		await changeTag(signers, { removeUserIds: [bob] });
		bench.emulator.changeState({
			organizationId,
			userTags: [{ tagId: signers, tagName: "signers", userIds: [alice, bob] }],
		});
		expect(namesOf(await attributed(wantSigners(alice)))).toEqual({});
	});

	it("is nobody when the last that did it was sent from here", async () => {
		await bench.run(wantSigners(alice, bob));
		expect(bench.activities()).toHaveLength(1);
		expect(namesOf(await attributed(wantSigners(alice)))).toEqual({});
		await changeTag(signers, { removeUserIds: [bob] });
		await changeTag(signers, { addUserIds: [bob] });
		expect(namesOf(await attributed(wantSigners(alice)))).toEqual({ "userTag:signers": approverId });
	});

	it("is not asked for when nothing differs, nor with documented reads", async () => {
		await changeTag(signers, { addUserIds: [bob] });
		expect(namesOf(await attributed(wantSigners(alice, bob)))).toEqual({});
		expect(namesOf(await attributed(wantSigners(alice), undefined, "documented"))).toEqual({});
		expect(bench.requests("query")).toEqual([]);
	});

	it.each([
		403, 404, 501,
	])("cannot be told where list_activities is answered %i, and that is no error", async (status) => {
		bench.emulator.changeState({
			organizationId,
			userTags: [{ tagId: signers, tagName: "signers", userIds: [] }],
		});
		bench.emulator.addFault({ operation: "list_activities", fault: "5xx", status, count: 99 });
		const { attributions, unattributed } = await attributed(wantSigners(alice));
		expect(attributions.size).toBe(0);
		expect(unattributed).toBe("the service does not list activities to this key");
	});
});

/** Answers list_activities with these. */
function lists(activities: readonly object[]): Reader {
	return { query: async () => ({ value: { activities }, serverTimeMs: undefined }) as never };
}

const vote = { userId: bob.toUpperCase(), user: { userName: "bob" } };

describe("other services' activities", () => {
	const desired = desiredOf({
		absent: { policyIds: [policies[0]], oauthProviders: [], tvcAppIds: [] },
		expect: { ...emptyExpectations, mfaPolicies: [{ userId: alice, name: "first", fields: { order: 1 }, at }] },
	});
	const create = {
		id: "1",
		type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
		fingerprint: "f",
		votes: [vote],
		createdAt: { seconds: "1700000000", nanos: "0" },
		intent: { createPolicyIntentV3: { policyName: "x" } },
		result: { createPolicyResult: { policyId: policies[0].toUpperCase() } },
	};

	it("are understood by the ids that they name, whatever their type", async () => {
		const mfa = {
			...create,
			id: "2",
			type: "ACTIVITY_TYPE_CREATE_MFA_POLICY",
			intent: { createMfaPolicyIntent: { userId: alice, mfaPolicyName: "first" } },
			result: null,
		};
		const { attributions } = await attributed(desired, lists([mfa, create]));
		expect(attributions.get(`policy:${policies[0]}`)).toMatchObject({
			activityId: "1",
			userId: bob,
			userName: "bob",
			at: "2023-11-14T22:13:20.000Z",
		});
		expect(attributions.get(`mfaPolicy:${alice}/first`)).toMatchObject({ activityId: "2" });
	});

	it("that removed the object are not blamed for its being there", async () => {
		const remove = {
			...create,
			id: "3",
			type: "ACTIVITY_TYPE_DELETE_POLICY",
			updatedAt: { seconds: "1800000000", nanos: "0" },
		};
		expect(namesOf(await attributed(desired, lists([remove, create])))).toEqual({});
	});

	it("count by when they took effect, not by when they were made", async () => {
		const early = { ...create, id: "early", updatedAt: "2026-01-02T00:00:00Z" };
		const late = { ...create, id: "late", updatedAt: "2026-01-01T00:00:00Z" };
		const { attributions } = await attributed(desired, lists([late, early]));
		expect(attributions.get(`policy:${policies[0]}`)?.activityId).toBe("early");
	});

	it.each([
		["without votes and times", { votes: null, createdAt: null, updatedAt: undefined }],
		["with votes that say nothing", { votes: [null, {}], createdAt: {}, updatedAt: 1e300 }],
	])("are read %s", async (_, parts) => {
		const { attributions } = await attributed(desired, lists([{ ...create, ...parts }]));
		expect(attributions.get(`policy:${policies[0]}`)).toMatchObject({ userId: null, userName: null, at: null });
	});

	it.each([null, "text", [], [null], [{}]])("are no reason to fail when the answer is %j", async (activities) => {
		expect((await attributed(desired, lists(activities as never))).attributions.size).toBe(0);
	});

	it("cannot be listed over a broken connection: told, and nothing lost; what nobody foresaw is thrown", async () => {
		const breaks = (error: Error): Reader => ({ query: () => Promise.reject(error) });
		const { unattributed } = await attributed(desired, breaks(new TransportError("no answer in 30 s", "no")));
		expect(unattributed).toBe("the activities could not be listed: no answer in 30 s");
		await expect(attributed(desired, breaks(new TypeError("a defect")))).rejects.toThrow(TypeError);
	});
});
