/** Every fault, as a client meets it, and what the service did meanwhile. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Emulator, type Fault, startEmulator } from "../../src/emulator/server.ts";
import { apiKeyStamp } from "../keys.ts";
import * as world from "./world.ts";

const { organizationId, bob, tagUpdate } = world;
const operation = "update_user_tag";
let emulator: Emulator;

beforeEach(async () => {
	emulator = await startEmulator({ seed: world.makeSeed() });
});

afterEach(() => emulator.close());

async function order(fault: Omit<Fault, "operation">): Promise<void> {
	const answer = await world.control(emulator.url, "POST", "faults", { operation, ...fault });
	expect(answer.status).toBe(200);
}

function post(raw = world.submitBody(operation, tagUpdate([bob]))): Promise<Response> {
	const headers = apiKeyStamp(raw, world.keys.alice);
	return fetch(`${emulator.url}/public/v1/submit/${operation}`, { method: "POST", body: raw, headers });
}

const members = () => emulator.state(organizationId).organization.userTags?.[0]?.userIds?.length;

test("drop-before cuts the connection and has no effect", async () => {
	await order({ fault: "drop-before" });
	await expect(post()).rejects.toThrow();
	expect(members()).toBe(1);
	const [entry] = emulator.requests();
	expect(entry).toMatchObject({ operation, organizationId, status: null, fault: "drop-before" });
	expect(entry?.fingerprint).toMatch(/^sha256:/);
});

test("drop-after cuts the connection and has its effect, which the same bytes show", async () => {
	await order({ fault: "drop-after" });
	const raw = world.submitBody(operation, tagUpdate([bob]));
	await expect(post(raw)).rejects.toThrow();
	expect(members()).toBe(2);
	expect((await post(raw)).status).toBe(200);
	expect(emulator.requests()).toMatchObject([
		{ status: null, replayed: false, fault: "drop-after" },
		{ status: 200, replayed: true, fault: null },
	]);
});

test("429 comes with its headers and has no effect", async () => {
	await order({ fault: "429", headers: { "retry-after": "7", "ratelimit-remaining": "0" } });
	const response = await post();
	expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
	expect(await response.json()).toMatchObject({ code: 8 });
	expect(members()).toBe(1);
});

test("5xx has no effect unless takesEffect is true", async () => {
	await order({ fault: "5xx" });
	await order({ fault: "5xx", status: 500, takesEffect: true });
	expect((await post()).status).toBe(503);
	expect(members()).toBe(1);
	expect((await post()).status).toBe(500);
	expect(members()).toBe(2);
});

test("html answers a page instead of JSON", async () => {
	await order({ fault: "html" });
	const response = await post();
	expect([response.status, response.headers.get("content-type")]).toEqual([502, "text/html"]);
	expect(await response.text()).toMatch(/^<html>/);
	expect(members()).toBe(1);
});

test("truncated sends a part of the answer and has its effect", async () => {
	await order({ fault: "truncated" });
	const response = await post();
	await expect(response.text()).rejects.toThrow();
	expect(members()).toBe(2);
});

test("slow has its effect at once and answers late", async () => {
	await order({ fault: "slow", delayMs: 10_000 });
	const answer = post();
	await expect.poll(members).toBe(2);
	expect(emulator.requests()).toMatchObject([{ status: null, fault: "slow" }]);
	// Closing ends the wait, so that the answer comes without the test waiting ten seconds.
	await emulator.close();
	expect((await answer).status).toBe(200);
	emulator = await startEmulator();
});

test("fail makes the next activity failed, and its bytes answer the failure from then on", async () => {
	await order({ fault: "fail" });
	const raw = world.submitBody(operation, tagUpdate([bob]));
	for (const _attempt of [1, 2]) {
		const { activity } = (await (await post(raw)).json()) as { activity: object };
		expect(activity).toMatchObject({ status: "ACTIVITY_STATUS_FAILED", failure: { code: 13 } });
	}
	expect(members()).toBe(1);
});

test("reject makes the next new activity rejected", async () => {
	const raw = world.submitBody(operation, tagUpdate([bob]));
	await post(raw);
	await order({ fault: "reject" });
	expect(await (await post(raw)).json()).toMatchObject({ activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
	expect(await (await post()).json()).toMatchObject({ activity: { status: "ACTIVITY_STATUS_REJECTED" } });
});

test("a fault applies to its operation only, as often as its count", async () => {
	await order({ fault: "429", count: 2 });
	expect((await world.query(emulator.url, "list_user_tags", {})).status).toBe(200);
	expect((await world.control(emulator.url, "GET", "faults")).body.faults).toEqual([
		{ operation, fault: "429", count: 2 },
	]);
	expect([(await post()).status, (await post()).status, (await post()).status]).toEqual([429, 429, 200]);
	expect(emulator.faults()).toEqual([]);
});

test("a fault for * applies to any operation, and DELETE removes faults", async () => {
	emulator.addFault({ operation: "*", fault: "5xx", count: 5 });
	expect((await world.query(emulator.url, "list_user_tags", {})).status).toBe(503);
	await world.control(emulator.url, "DELETE", "faults");
	expect((await world.query(emulator.url, "list_user_tags", {})).status).toBe(200);
});

test.each([
	["fewer-ids", ["one", "two"]],
	["fewer-policies", ["one"]],
] as const)("%s makes the next creation of policies answer one id less", async (fault, created) => {
	const before = emulator.state(organizationId).organization.policies ?? [];
	expect((await world.control(emulator.url, "POST", "faults", { operation, fault })).status).toBe(400);
	emulator.addFault({ operation: "create_policies", fault });
	const text = { effect: "EFFECT_ALLOW", condition: "", consensus: "", notes: "" };
	const raw = world.submitBody("create_policies", {
		policies: ["one", "two"].map((policyName) => ({ policyName, ...text })),
	});
	const headers = apiKeyStamp(raw, world.keys.alice);
	const answer = await fetch(`${emulator.url}/public/v1/submit/create_policies`, {
		method: "POST",
		body: raw,
		headers,
	});
	const { activity } = (await answer.json()) as {
		activity: { result: { createPoliciesResult: { policyIds: unknown[] } } };
	};
	expect(activity.result.createPoliciesResult.policyIds).toHaveLength(1);
	const names = emulator.state(organizationId).organization.policies?.map(({ policyName }) => policyName);
	expect(names).toEqual([...before.map(({ policyName }) => policyName), ...created]);
});
