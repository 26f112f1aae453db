/** The reads outside the 13 through the vendor's published client; how they page, and how they are taken away. */
import { TurnkeyRequestError } from "@turnkey/http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takePage } from "../../src/emulator/assumptions.ts";
import { type Emulator, startEmulator } from "../../src/emulator/server.ts";
import { extendedReads } from "../../src/wire/operations.ts";
import { checkSchema } from "../check-schema.ts";
import * as world from "./world.ts";

const { organizationId, alice, bob, signers, tagUpdate } = world;
const renamed = (name: string) => tagUpdate([], [], name);
let emulator: Emulator;
let client: ReturnType<typeof world.vendorClient>;

beforeEach(async () => {
	emulator = await startEmulator({ seed: world.makeSeed() });
	client = world.vendorClient(emulator.url, world.keys.alice);
});

afterEach(() => emulator.close());

/** Fields that make each of them answer 200. */
async function fieldsOf(name: string): Promise<object> {
	if (name !== "get_activity") return {};
	const { body } = await world.submit(emulator.url, "update_user_tag", renamed("keepers"));
	return { activityId: body.activity.id };
}

/** Ids of activities, oldest first: three tag updates, a removal of a policy and one that fails. */
async function makeActivities(): Promise<readonly string[]> {
	const ids: string[] = [];
	for (const name of ["one", "two", "three"]) {
		ids.push((await world.submit(emulator.url, "update_user_tag", renamed(name))).body.activity.id);
	}
	ids.push((await world.submit(emulator.url, "delete_policies", { policyIds: [world.policies[0]] })).body.activity.id);
	emulator.addFault({ operation: "update_user_tag", fault: "fail" });
	ids.push((await world.submit(emulator.url, "update_user_tag", renamed("five"))).body.activity.id);
	return ids;
}

async function listIds(body: object): Promise<readonly string[]> {
	const answer = await world.query(emulator.url, "list_activities", body);
	expect(answer.status).toBe(200);
	return answer.body.activities.map(({ id }: { id: string }) => id);
}

test("whoami answers whose key stamped the request, flat", async () => {
	const mine = await client.getWhoami({ organizationId });
	const his = await world.vendorClient(emulator.url, world.keys.bob).getWhoami({ organizationId });
	expect(mine).toEqual({ organizationId, organizationName: "Acme", userId: alice, username: "alice" });
	expect(his).toEqual({ organizationId, organizationName: "Acme", userId: bob, username: "bob" });
});

test("list_suborgs pages through the organizations that name their parent, newest first", async () => {
	const ids = [1, 2, 3].map((index) => `f0000000-0000-4000-8000-00000000000${index}`);
	for (const [index, id] of ids.entries()) {
		const one = {
			organizationId: id,
			parentOrganizationId: organizationId.toUpperCase(),
			organizationName: `n${index}`,
		};
		await emulator.changeState({ organizations: [one] });
	}
	const list = async (body: object) => (await client.getSubOrgIds({ organizationId, ...body })).organizationIds;
	expect(await list({})).toEqual([...ids].reverse());
	expect(await list({ paginationOptions: { limit: "2" } })).toEqual([ids[2], ids[1]]);
	expect(await list({ paginationOptions: { limit: "2", before: ids[1] } })).toEqual([ids[0]]);
	expect(await list({ paginationOptions: { after: ids[1] } })).toEqual([ids[2]]);
	expect(await list({ filterType: "NAME", filterValue: "n1" })).toEqual([ids[1]]);
	await expect(list({ filterType: "EMAIL", filterValue: "x" })).rejects.toThrow("by NAME only");
	await expect(list({ paginationOptions: { after: alice } })).rejects.toThrow("paginationOptions");
	expect(emulator.state(ids[0] as string).organization.parentOrganizationId).toBe(organizationId);
});

test("whoami by a passkey answers its owner", async () => {
	const raw = JSON.stringify({ organizationId });
	const answer = await world.postRaw(emulator.url, "/public/v1/query/whoami", raw, world.passkeyStamp(raw));
	expect(answer.body.userId).toBe(alice);
});

test("list_users shows tags, OAuth providers and MFA policies of every user", async () => {
	const { users } = await client.getUsers({ organizationId });
	expect(users.map(({ userName, userTags }) => [userName, userTags])).toEqual([
		["alice", [signers]],
		["bob", []],
		["carol", []],
	]);
	expect(users[0]?.oauthProviders.map(({ providerId }) => providerId)).toEqual(world.providers);
	expect(users[0]).toMatchObject({ mfaPolicies: [{ mfaPolicyId: world.mfaPolicy }] });
});

test("list_policies, list_tvc_apps and get_session_profiles show all entities", async () => {
	const { policies } = await client.getPolicies({ organizationId });
	const { tvcApps } = await client.getTvcApps({ organizationId });
	const { sessionProfiles } = await client.getSessionProfiles({ organizationId });
	expect(policies.map(({ policyId }) => policyId)).toEqual(world.policies);
	expect(tvcApps).toMatchObject([{ id: world.app, name: "signer", organizationId }]);
	expect(sessionProfiles).toMatchObject([{ sessionProfileId: world.profile, sessionProfileName: "short" }]);
});

test("get_organization_configs shows the root quorum of the seed, and none without one", async () => {
	expect(await client.getOrganizationConfigs({ organizationId })).toEqual({ configs: { features: [] } });
	await emulator.changeState({ organizationId, rootQuorum: { threshold: 1, userIds: [alice.toUpperCase(), bob] } });
	const { configs } = await client.getOrganizationConfigs({ organizationId });
	expect(configs).toEqual({ features: [], quorum: { threshold: 1, userIds: [alice, bob] } });
	expect(emulator.state(organizationId).organization.rootQuorum).toEqual(configs.quorum);
});

test("list_policies shows a policy's time, and leaves it out where the seed does", async () => {
	const time = "time.now < Timestamp('2030-01-01T00:00:00Z')";
	const [first, second] = world.policies;
	await emulator.changeState({ organizationId, policies: [{ policyId: first, time }] });
	const { policies } = (await world.query(emulator.url, "list_policies", {})).body;
	expect(policies.map((policy: { policyId: string; time?: string }) => [policy.policyId, policy.time])).toEqual([
		[first, time],
		[second, undefined],
	]);
});

test("get_active_policies says of each policy whether its time is open, and why one that errs is not", async () => {
	const [first, second] = world.policies;
	const active = async (time: string) => {
		await emulator.changeState({ organizationId, policies: [{ policyId: first, time }] });
		return client.getActivePolicies({ organizationId });
	};
	const [open, past] = ["time.now > Timestamp('2020-01-01T00:00:00Z')", "time.now < Timestamp('2020-01-01T00:00:00Z')"];
	const always = { organizationId, policyId: second, active: true };
	const answer = await active(open);
	expect(answer).toEqual({
		statuses: [{ organizationId, policyId: first, active: true, timeExpr: open }, always],
		evaluatedAtMs: expect.stringMatching(/^\d{13}$/),
	});
	expect((await active(past)).statuses[0]).toEqual({ organizationId, policyId: first, active: false, timeExpr: past });
	expect((await active("")).statuses[0]).toEqual({ ...always, policyId: first });
	const slip = (await active("time.now")).statuses[0];
	expect(slip).toEqual({
		...{ organizationId, policyId: first, active: false, timeExpr: "time.now" },
		error: expect.any(String),
	});
});

test("get_activity answers what the same bytes answer, as the stamping user sees it", async () => {
	await emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
	const raw = world.submitBody("update_user_tag", renamed("keepers"));
	const made = (await world.submitRaw(emulator.url, "update_user_tag", raw)).body.activity;
	const { activity } = await client.getActivity({ organizationId, activityId: made.id });
	expect(activity).toEqual(made);
	expect(activity.votes).toMatchObject([{ userId: alice, selection: "VOTE_SELECTION_APPROVED" }]);
	const forBob = world.vendorClient(emulator.url, world.keys.bob);
	expect((await forBob.getActivity({ organizationId, activityId: made.id })).activity.canApprove).toBe(true);
	expect(activity.canApprove).toBe(false);
});

test("get_activity shows a delayed activity as pending, and as completed when it is due", async () => {
	await emulator.setRules(organizationId, { pendingMs: { ACTIVITY_TYPE_UPDATE_USER_TAG: 5000 } });
	const { body } = await world.submit(emulator.url, "update_user_tag", renamed("keepers"));
	const statusNow = async () =>
		(await client.getActivity({ organizationId, activityId: body.activity.id })).activity.status;
	expect(await statusNow()).toBe("ACTIVITY_STATUS_PENDING");
	expect((await client.getActivities({ organizationId })).activities.map(({ status }) => status)).toEqual([
		"ACTIVITY_STATUS_PENDING",
	]);
	emulator.setClock({ advanceMs: 5000 });
	expect(await statusNow()).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("get_activity does not find an unknown activity, or one of another organization", async () => {
	const { body } = await world.submit(emulator.url, "update_user_tag", renamed("keepers"));
	expect((await world.query(emulator.url, "get_activity", { activityId: world.id(99) })).status).toBe(404);
	const elsewhere = { organizationId: world.otherOrganizationId, activityId: body.activity.id };
	expect((await world.query(emulator.url, "get_activity", elsewhere, world.keys.stranger)).status).toBe(404);
});

test("list_activities is newest first, with the whole of each activity", async () => {
	const ids = await makeActivities();
	const { activities } = await client.getActivities({ organizationId });
	expect(activities.map(({ id }) => id)).toEqual([...ids].reverse());
	const { activity } = await client.getActivity({ organizationId, activityId: ids[0] ?? "" });
	expect(activities.at(-1)).toEqual(activity);
});

test("list_activities is filtered by status and by type, and an empty filter is none", async () => {
	const ids = await makeActivities();
	const failed = await client.getActivities({ organizationId, filterByStatus: ["ACTIVITY_STATUS_FAILED"] });
	const removals = await client.getActivities({ organizationId, filterByType: ["ACTIVITY_TYPE_DELETE_POLICIES"] });
	expect(failed.activities.map(({ id }) => id)).toEqual([ids[4]]);
	expect(removals.activities.map(({ id }) => id)).toEqual([ids[3]]);
	const filterByType = ["ACTIVITY_TYPE_DELETE_POLICIES", "ACTIVITY_TYPE_UPDATE_USER_TAG"];
	const filterByStatus = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_PENDING"];
	expect(await listIds({ filterByType, filterByStatus })).toEqual([ids[3], ids[2], ids[1], ids[0]]);
	expect(await listIds({ filterByType: [], filterByStatus: [] })).toEqual([...ids].reverse());
});

test("list_activities shows ten by default, and a hundred at most", async () => {
	for (let count = 0; count < 12; count += 1) {
		await world.submit(emulator.url, "update_user_tag", renamed(`name ${count}`));
	}
	expect(await listIds({})).toHaveLength(10);
	expect(await listIds({ paginationOptions: { limit: "11" } })).toHaveLength(11);
	expect(await listIds({ paginationOptions: { limit: "100" } })).toHaveLength(12);
	for (const limit of ["0", "101", "-1", "ten", ""]) {
		const answer = await world.query(emulator.url, "list_activities", { paginationOptions: { limit } });
		expect([answer.status, answer.body.code]).toEqual([400, 3]);
	}
});

test("list_activities pages to older ones with before, and to newer ones with after", async () => {
	const [a, b, c, d, e] = (await makeActivities()) as [string, string, string, string, string];
	const page = (paginationOptions: object, rest: object = {}) => listIds({ paginationOptions, ...rest });
	expect(await page({ limit: "2" })).toEqual([e, d]);
	expect(await page({ limit: "2", before: d })).toEqual([c, b]);
	expect(await page({ limit: "2", before: b.toUpperCase() })).toEqual([a]);
	expect(await page({ limit: "2", before: a })).toEqual([]);
	expect(await page({ limit: "2", after: b })).toEqual([e, d]);
	expect(await page({ limit: "2", after: d })).toEqual([e]);
	expect(await page({ limit: "2", after: e })).toEqual([]);
	expect(await page({ after: b, before: e })).toEqual([d, c]);
	expect(await page({ limit: "1", after: b, before: e })).toEqual([d]);
	const filterByType = ["ACTIVITY_TYPE_UPDATE_USER_TAG"];
	expect(await page({ limit: "2", before: d }, { filterByType })).toEqual([c, b]);
	expect(await page({ limit: "2", after: b }, { filterByType })).toEqual([e, c]);
	const unknown = await world.query(emulator.url, "list_activities", { paginationOptions: { after: world.id(99) } });
	expect([unknown.status, unknown.body.code]).toEqual([400, 3]);
});

test("a page reads the newest of a long list, and no more than it needs", () => {
	const read: number[] = [];
	function* newestFirst(): Iterable<number> {
		for (let number = 100_000; number > 0; number -= 1) {
			read.push(number);
			yield number;
		}
	}
	const isEven = (number: number): boolean => number % 2 === 0;
	const page = { before: "99999", after: undefined, limit: 2 };
	expect(takePage(newestFirst(), String, isEven, page)).toEqual([99_998, 99_996]);
	expect(read).toEqual([100_000, 99_999, 99_998, 99_997, 99_996]);
});

test("every answer fits the schema of its operation", async () => {
	await makeActivities();
	for (const name of Object.keys(extendedReads)) {
		const { body } = await world.query(emulator.url, name, await fieldsOf(name));
		expect([name, checkSchema(`operations/${name}.json`, body, "#/$defs/response")]).toEqual([name, []]);
	}
});

test("with documented reads every one of them answers 404", async () => {
	const documented = await startEmulator({ seed: world.makeSeed(), reads: "documented" });
	try {
		expect(Object.keys(extendedReads)).toHaveLength(10);
		for (const name of Object.keys(extendedReads)) {
			const fields = await fieldsOf(name);
			expect([name, (await world.query(emulator.url, name, fields)).status]).toEqual([name, 200]);
			const answer = await world.query(documented.url, name, fields);
			expect([name, answer.status, answer.body.code]).toEqual([name, 404, 5]);
		}
	} finally {
		await documented.close();
	}
});

test("a rule denies single queries with 403, gRPC 7 and no details", async () => {
	const rules = { denyReads: ["whoami", "list_user_tags"] };
	expect((await world.control(emulator.url, "POST", "rules", { organizationId, rules })).status).toBe(200);
	const error = await client.getWhoami({ organizationId }).catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(TurnkeyRequestError);
	expect(error).toMatchObject({ code: 7, details: [] });
	expect(emulator.requests().at(-1)).toMatchObject({ operation: "whoami", status: 403, fault: null });
	expect((await world.query(emulator.url, "list_user_tags", {})).status).toBe(403);
	expect((await world.query(emulator.url, "list_users", {})).status).toBe(200);
	expect(emulator.state(organizationId).organization.rules).toEqual(rules);
	const elsewhere = { organizationId: world.otherOrganizationId };
	expect((await world.query(emulator.url, "whoami", elsewhere, world.keys.stranger)).status).toBe(200);
	const unsigned = await world.postRaw(emulator.url, "/public/v1/query/whoami", JSON.stringify({ organizationId }), {});
	expect(unsigned.status).toBe(401);
	const wrong = { organizationId, rules: { denyReads: ["update_user_tag"] } };
	expect((await world.control(emulator.url, "POST", "rules", wrong)).status).toBe(400);
});

test.each([
	[404, 5],
	[501, 12],
	[403, 7],
	[500, 14],
])("a fault has a single query answer %i with gRPC %i", async (status, code) => {
	emulator.addFault({ operation: "whoami", fault: "5xx", status, count: 2 });
	const answer = await world.query(emulator.url, "whoami", {});
	expect([answer.status, answer.body.code]).toEqual([status, code]);
	expect((await world.query(emulator.url, "list_users", {})).status).toBe(200);
});
