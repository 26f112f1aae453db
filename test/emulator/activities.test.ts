/** Activities: bytes, the time window, rules, votes, delays, and what the interface leaves open. */
import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../src/emulator/server.ts";
import type { TestKey } from "../keys.ts";
import * as world from "./world.ts";

const { organizationId, alice, bob, carol, signers, tagUpdate } = world;
const minute = 60_000;
const hour = 60 * minute;
const tagType = "ACTIVITY_TYPE_UPDATE_USER_TAG";
let emulator: Emulator;

beforeEach(async () => {
	emulator = await startEmulator({ seed: world.makeSeed() });
});

afterEach(() => emulator.close());

const submit = (name: string, parameters: object, key = world.keys.alice) =>
	world.submit(emulator.url, name, parameters, key);
const submitRaw = (name: string, raw: string, key = world.keys.alice) => world.submitRaw(emulator.url, name, raw, key);
const vote = (fingerprint: string, key: TestKey, name = "approve_activity") => submit(name, { fingerprint }, key);

function tag() {
	const found = emulator.state(organizationId).organization.userTags?.find(({ tagId }) => tagId === signers);
	if (found?.updatedAt === undefined) throw new Error("the tag is gone");
	return found;
}

test("the fingerprint is the SHA-256 of the body", async () => {
	const raw = world.submitBody("update_user_tag", tagUpdate([bob]));
	const { body } = await submitRaw("update_user_tag", raw);
	expect(body.activity.fingerprint).toBe(`sha256:${createHash("sha256").update(raw).digest("hex")}`);
	expect(body.activity.votes[0].message).toBe(raw);
});

test("another spelling of the same intent is another activity", async () => {
	const raw = world.submitBody("update_user_tag", tagUpdate([bob]));
	const one = await submitRaw("update_user_tag", raw);
	const other = await submitRaw("update_user_tag", `${raw} `);
	expect(other.body.activity.id).not.toBe(one.body.activity.id);
});

test("the same bytes stamped by another user answer the same activity and are no vote", async () => {
	await emulator.setRules(organizationId, { approvals: { [tagType]: 2 } });
	const raw = world.submitBody("update_user_tag", tagUpdate([bob]));
	const one = await submitRaw("update_user_tag", raw);
	const other = await submitRaw("update_user_tag", raw, world.keys.bob);
	expect(other.body.activity).toEqual({ ...one.body.activity, canApprove: true });
	expect(other.body.activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
});

test("a timestamp an hour old or more than five minutes ahead is refused, known bytes too", async () => {
	const startMs = Date.now();
	emulator.setClock({ nowMs: startMs });
	const at = (timestampMs: number) =>
		world.submitBody("update_user_tag", tagUpdate([bob]), 0, { timestampMs: String(timestampMs) });
	const raw = at(startMs - hour + minute);
	const old = await submitRaw("update_user_tag", raw);
	const ahead = await submitRaw("update_user_tag", at(startMs + 5 * minute - 1000));
	expect([old.status, ahead.status]).toEqual([200, 200]);
	const stale = await submitRaw("update_user_tag", at(startMs - hour));
	const early = await submitRaw("update_user_tag", at(startMs + 6 * minute));
	expect([stale.status, stale.body.code, early.status, early.body.code]).toEqual([400, 3, 400, 3]);
	expect(stale.body.message).not.toBe(early.body.message);
	emulator.setClock({ advanceMs: 2 * minute });
	expect((await submitRaw("update_user_tag", raw)).status).toBe(400);
	const made = emulator.state(organizationId).activities.map(({ id }) => id);
	expect(made).toEqual([old.body.activity.id, ahead.body.activity.id]);
});

test("the intent repeats the parameters as they were sent, without unknown ones", async () => {
	const parameters = { ...tagUpdate([bob.toUpperCase()]), unknown: 1, newUserTagName: null };
	const { body } = await submit("update_user_tag", parameters);
	expect(body.activity.intent).toEqual({
		updateUserTagIntent: { userTagId: signers, addUserIds: [bob.toUpperCase()], removeUserIds: [] },
	});
	expect(tag().userIds).toEqual([alice, bob]);
});

test("every change increases updatedAt of a tag, also within one millisecond and with the clock set back", async () => {
	const times = [tag().updatedAt];
	for (const [add, remove, name] of [
		[[bob], [], undefined],
		[[], [bob], undefined],
		[[], [], "keepers"],
	] as const) {
		emulator.setClock({ nowMs: Date.now() - minute });
		await submit("update_user_tag", tagUpdate(add, remove, name));
		times.push(tag().updatedAt);
	}
	const nanos = times.map((time) => BigInt(time?.seconds ?? 0) * 1_000_000_000n + BigInt(time?.nanos ?? 0));
	expect(nanos).toEqual([...new Set(nanos)].sort((one, other) => (one < other ? -1 : 1)));
});

test("adding a member and removing a non-member is accepted and changes nothing", async () => {
	const before = tag();
	const { body } = await submit("update_user_tag", tagUpdate([alice], [carol]));
	expect(body.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
	expect(tag()).toEqual(before);
});

test.each([
	["a missing tag", "update_user_tag", { userTagId: world.id(99), addUserIds: [], removeUserIds: [] }, 404, 5],
	["an unknown user to add", "update_user_tag", tagUpdate([world.id(99)]), 404, 5],
	["an unknown user to remove", "update_user_tag", tagUpdate([], [world.id(99)]), 404, 5],
	["a user in both lists", "update_user_tag", tagUpdate([bob], [bob]), 400, 3],
	["an unknown policy beside a known one", "delete_policies", { policyIds: [world.policies[0], world.id(99)] }, 404, 5],
	["no policy at all", "delete_policies", { policyIds: [] }, 400, 3],
	["an unknown provider", "delete_oauth_providers", { userId: alice, providerIds: [world.id(99)] }, 404, 5],
	["a provider of another user", "delete_oauth_providers", { userId: bob, providerIds: [world.providers[0]] }, 404, 5],
	["an unknown app", "delete_tvc_app_and_deployments", { appId: world.id(99) }, 404, 5],
	["an unknown importer", "init_import_private_key", { userId: world.id(99) }, 404, 5],
	["an id that is no UUID", "init_import_private_key", { userId: "alice" }, 400, 3],
])("%s is refused and makes no activity", async (_what, name, parameters, status, code) => {
	const before = emulator.state(organizationId);
	const answer = await submit(name, parameters);
	expect([answer.status, answer.body.code]).toEqual([status, code]);
	expect(emulator.state(organizationId)).toEqual(before);
});

test("a body that does not fit names the field", async () => {
	const wrongType = world.submitBody("update_user_tag", tagUpdate([bob]), Date.now(), { type: "ACTIVITY_TYPE_OTHER" });
	expect((await submitRaw("update_user_tag", wrongType)).body.message).toContain(`type: must be equal to constant`);
	const missing = await submit("update_user_tag", { userTagId: signers, addUserIds: [] });
	expect(missing.body).toMatchObject({ code: 3, message: "missing field: parameters.removeUserIds" });
	const asset = await world.query(emulator.url, "list_supported_assets", { caip2: "eip155:0" });
	expect([asset.status, asset.body.message]).toEqual([400, expect.stringContaining("caip2")]);
	const broken = await world.postRaw(emulator.url, "/public/v1/query/list_user_tags", "{", {});
	expect([broken.status, broken.body.message]).toEqual([400, "the body is not JSON"]);
});

test("an update that fails in part changes nothing", async () => {
	const before = tag();
	expect((await submit("update_user_tag", tagUpdate([bob], [alice], "auditors"))).status).toBe(400);
	expect(tag()).toEqual(before);
});

test("the submitter cannot approve again, and an unknown or finished activity cannot be voted on", async () => {
	await emulator.setRules(organizationId, { approvals: { [tagType]: 2 } });
	const { fingerprint } = (await submit("update_user_tag", tagUpdate([bob]))).body.activity;
	expect((await vote(fingerprint, world.keys.alice)).status).toBe(400);
	expect((await vote("sha256:00", world.keys.bob)).status).toBe(404);
	expect((await vote(fingerprint, world.keys.bob)).status).toBe(200);
	expect((await vote(fingerprint, world.keys.bob, "reject_activity")).status).toBe(400);
	expect(tag().userIds).toEqual([alice, bob]);
});

test("the submitter can withdraw a pending activity by rejecting it", async () => {
	await emulator.setRules(organizationId, { approvals: { [tagType]: 2 } });
	const raw = world.submitBody("update_user_tag", tagUpdate([bob]));
	const { fingerprint } = (await submitRaw("update_user_tag", raw)).body.activity;
	expect((await vote(fingerprint, world.keys.alice, "reject_activity")).status).toBe(200);
	const { activity } = (await submitRaw("update_user_tag", raw)).body;
	expect([activity.status, activity.canReject]).toEqual(["ACTIVITY_STATUS_REJECTED", false]);
	expect(tag().userIds).toEqual([alice]);
});

test("votes expire after a day", async () => {
	await emulator.setRules(organizationId, { approvals: { [tagType]: 2 } });
	const { fingerprint } = (await submit("update_user_tag", tagUpdate([bob]))).body.activity;
	emulator.setClock({ advanceMs: 25 * hour });
	const late = () => Date.now() + 25 * hour;
	const approve = (key: TestKey) =>
		submitRaw("approve_activity", world.submitBody("approve_activity", { fingerprint }, late()), key);
	await approve(world.keys.bob);
	expect(tag().userIds).toEqual([alice]);
	await approve(world.keys.alice);
	expect(tag().userIds).toEqual([alice, bob]);
});

test("an activity that no longer fits the state at its last approval fails, and its bytes answer the failure from then on", async () => {
	await emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
	const raw = world.submitBody("delete_policies", { policyIds: [world.policies[0]] });
	const { fingerprint } = (await submitRaw("delete_policies", raw)).body.activity;
	await emulator.changeState({ organizationId, remove: { policies: [world.policies[0]] } });
	expect((await vote(fingerprint, world.keys.bob)).body.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
	const { activity } = (await submitRaw("delete_policies", raw)).body;
	expect(activity).toMatchObject({ status: "ACTIVITY_STATUS_FAILED", failure: { code: 5, details: [] } });
	expect(activity.result).toBeUndefined();
});

test("an activity that needs another authenticator completes with the submitter's passkey", async () => {
	await emulator.setRules(organizationId, { authenticators: [tagType] });
	const raw = world.submitBody("update_user_tag", tagUpdate([bob]));
	const { activity } = (await submitRaw("update_user_tag", raw)).body;
	expect(activity.status).toBe("ACTIVITY_STATUS_AUTHENTICATORS_NEEDED");
	const statuses = await world.query(emulator.url, "get_mfa_status", { activityId: activity.id });
	expect(statuses.body.mfaStatuses[0].satisfied).toBe(false);
	await vote(activity.fingerprint, world.keys.bob);
	expect(tag().userIds).toEqual([alice]);
	const approval = world.submitBody("approve_activity", { fingerprint: activity.fingerprint });
	const path = "/public/v1/submit/approve_activity";
	expect((await world.postRaw(emulator.url, path, approval, world.passkeyStamp(approval))).status).toBe(200);
	expect(tag().userIds).toEqual([alice, bob]);
	const after = await world.query(emulator.url, "get_mfa_status", { activityId: activity.id, userId: alice });
	expect(after.body.mfaStatuses[0].satisfied).toBe(true);
});

test("a submit with a passkey's stamp needs no other authenticator", async () => {
	await emulator.setRules(organizationId, { authenticators: [tagType] });
	const raw = world.submitBody("update_user_tag", tagUpdate([bob]));
	const path = "/public/v1/submit/update_user_tag";
	const { body } = await world.postRaw(emulator.url, path, raw, world.passkeyStamp(raw));
	expect(body.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("a delayed activity is created, then pending, then completed when it is due", async () => {
	await emulator.setRules(organizationId, { pendingMs: { [tagType]: minute } });
	const raw = world.submitBody("update_user_tag", tagUpdate([bob]));
	const statusOf = async () => (await submitRaw("update_user_tag", raw)).body.activity.status;
	expect(await statusOf()).toBe("ACTIVITY_STATUS_CREATED");
	expect(await statusOf()).toBe("ACTIVITY_STATUS_PENDING");
	expect(tag().userIds).toEqual([alice]);
	emulator.setClock({ advanceMs: minute });
	expect(tag().userIds).toEqual([alice, bob]);
	expect(await statusOf()).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("a denial names one user, or everyone", async () => {
	await emulator.setRules(organizationId, { deny: [{ type: tagType, userId: bob.toUpperCase() }] });
	const denied = await submit("update_user_tag", tagUpdate([bob]), world.keys.bob);
	expect([denied.status, denied.body.code]).toEqual([403, 7]);
	expect((await submit("update_user_tag", tagUpdate([bob]))).status).toBe(200);
	await emulator.setRules(organizationId, { deny: [{ type: tagType }] });
	expect((await submit("update_user_tag", tagUpdate([carol]))).status).toBe(403);
});

test.each([
	["get_session_profile", { sessionProfileId: world.id(99) }],
	["get_mfa_policy", { userId: alice, mfaPolicyId: world.id(99) }],
	["get_mfa_policies", { userId: world.id(99) }],
	["get_mfa_status", { activityId: world.id(99) }],
	["get_policy_evaluations", { activityId: world.id(99) }],
	["get_latest_boot_proof", { appName: world.id(99) }],
])("%s answers 404 and gRPC 5 for unknown ids", async (name, body) => {
	const answer = await world.query(emulator.url, name, body);
	expect([answer.status, answer.body.code]).toEqual([404, 5]);
});
