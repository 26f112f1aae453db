/** HTTP, /emulator/ and the request log. */
import { request } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../src/emulator/server.ts";
import { apiKeyStamp } from "../keys.ts";
import * as world from "./world.ts";

const { organizationId, alice, bob, signers, tagUpdate } = world;
let emulator: Emulator;

beforeEach(async () => {
	emulator = await startEmulator({ seed: world.makeSeed() });
});

afterEach(() => emulator.close());

const control = (method: string, path: string, body?: object) => world.control(emulator.url, method, path, body);

/** A GET with headers that fetch does not let one set. */
function getStatus(path: string, headers: Record<string, string>): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const asked = request(emulator.url + path, { headers }, (response) => {
			response.resume();
			resolve(response.statusCode);
		});
		asked.on("error", reject).end();
	});
}

test("only POST is served, and unknown operations answer 404", async () => {
	const got = await fetch(`${emulator.url}/public/v1/query/list_user_tags`);
	expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
	const unknown = await world.query(emulator.url, "list_everything", {});
	expect([unknown.status, unknown.body.code]).toEqual([404, 5]);
});

test("with documented reads the extended ones answer 404, and the thirteen and votes are served", async () => {
	const documented = await startEmulator({ seed: world.makeSeed(), reads: "documented" });
	try {
		for (const name of ["list_users", "list_policies", "list_tvc_apps"]) {
			expect((await world.query(documented.url, name, {})).status).toBe(404);
			expect((await world.query(emulator.url, name, {})).status).toBe(200);
		}
		expect((await world.query(documented.url, "list_user_tags", {})).status).toBe(200);
		expect((await world.submit(documented.url, "approve_activity", { fingerprint: "x" })).body.code).toBe(5);
	} finally {
		await documented.close();
	}
});

test("a body over the limit is refused with 413", async () => {
	const answer = await world.postRaw(emulator.url, "/public/v1/query/list_user_tags", " ".repeat(1024 * 1024 + 1), {});
	expect([answer.status, answer.body.code]).toEqual([413, 3]);
	expect((await world.query(emulator.url, "list_user_tags", {})).status).toBe(200);
});

test("the Date of an answer is the emulator's own time", async () => {
	const emulator = await startEmulator({ now: () => 1_767_225_600_999 });
	try {
		const response = await fetch(`${emulator.url}/public/v1/query/whoami`, { method: "POST", body: "{}" });
		expect(response.headers.get("date")).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
	} finally {
		await emulator.close();
	}
});

test("a defect of the emulator answers 500 and gRPC 13, and the next request is served", async () => {
	let broken = false;
	const now = () => {
		if (broken) throw new Error("the clock stands still");
		return Date.now();
	};
	const other = await startEmulator({ seed: world.makeSeed(), now });
	try {
		broken = true;
		const answer = await world.query(other.url, "list_user_tags", {});
		expect([answer.status, answer.body.code]).toEqual([500, 13]);
		broken = false;
		expect((await world.query(other.url, "list_user_tags", {})).status).toBe(200);
	} finally {
		await other.close();
	}
});

test("a client that disconnects in the middle of its body does not stop the emulator", async () => {
	const asked = request(`${emulator.url}/public/v1/query/list_user_tags`, {
		method: "POST",
		headers: { "content-length": "1000" },
	});
	const gone = new Promise((resolve) => asked.on("error", resolve));
	asked.write("{", () => asked.destroy(new Error("gone")));
	await gone;
	expect((await world.query(emulator.url, "list_user_tags", {})).status).toBe(200);
});

test("ids are compared without regard to case", async () => {
	const raw = JSON.stringify({ organizationId: organizationId.toUpperCase(), userId: alice.toUpperCase() });
	const stamp = apiKeyStamp(raw, world.keys.alice);
	expect((await world.postRaw(emulator.url, "/public/v1/query/get_mfa_policies", raw, stamp)).status).toBe(200);
});

test("the request log has no stamp, signature or body", async () => {
	const raw = world.submitBody("update_user_tag", tagUpdate([bob]));
	const stamp = apiKeyStamp(raw, world.keys.alice);
	await world.postRaw(emulator.url, "/public/v1/submit/update_user_tag?x=secret", raw, stamp);
	await world.query(emulator.url, "list_user_tags", {});
	const { requests } = (await control("GET", "requests")).body;
	expect(requests).toMatchObject([
		{
			sequence: 1,
			method: "POST",
			path: "/public/v1/submit/update_user_tag",
			operation: "update_user_tag",
			organizationId,
			status: 200,
			fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
			replayed: false,
			fault: null,
		},
		{ sequence: 2, operation: "list_user_tags", fingerprint: null },
	]);
	const text = JSON.stringify(requests);
	const { signature } = JSON.parse(Buffer.from(stamp["x-stamp"] ?? "", "base64url").toString());
	for (const secret of [stamp["x-stamp"], signature, world.keys.alice.publicKey, "removeUserIds", "secret"]) {
		expect(text).not.toContain(secret);
	}
	await control("DELETE", "requests");
	expect(emulator.requests()).toEqual([]);
});

test("a patch changes members and updatedAt of that tag only", async () => {
	const before = emulator.state(organizationId).organization;
	expect(
		(await control("POST", "state", { organizationId, userTags: [{ tagId: signers, userIds: [bob] }] })).status,
	).toBe(200);
	const after = emulator.state(organizationId).organization;
	expect(after.userTags?.[0]).toMatchObject({ tagName: "signers", userIds: [bob] });
	expect(after.userTags?.[0]?.updatedAt).not.toEqual(before.userTags?.[0]?.updatedAt);
	expect({ ...after, userTags: after.userTags?.slice(1) }).toEqual({ ...before, userTags: before.userTags?.slice(1) });
});

test("a patch creates a removed policy, app or provider again", async () => {
	const before = (await control("GET", `state?organizationId=${organizationId}`)).body.organization;
	await world.submit(emulator.url, "delete_policies", { policyIds: [world.policies[0]] });
	await world.submit(emulator.url, "delete_tvc_app_and_deployments", { appId: world.app });
	await world.submit(emulator.url, "delete_oauth_providers", { userId: alice, providerIds: world.providers });
	const { policies, tvcApps, users } = before;
	const answer = await control("POST", "state", { organizationId, policies, tvcApps, users });
	expect(answer.body).toEqual({ changed: true });
	const after = emulator.state(organizationId).organization;
	expect(after.policies).toHaveLength(2);
	expect(after.tvcApps).toEqual(before.tvcApps);
	expect(after.users).toEqual(before.users);
});

test("a patch removes entities, and a removed user leaves its tags", async () => {
	await emulator.changeState({ organizationId, remove: { users: [alice], supportedAssets: ["eip155:1"] } });
	const { users, userTags, supportedAssets } = emulator.state(organizationId).organization;
	expect(users?.map((user) => user.userName)).toEqual(["bob", "carol"]);
	expect(userTags?.[0]?.userIds).toEqual([]);
	expect(Object.keys(supportedAssets ?? {})).toEqual(["solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"]);
});

test("a patch replaces the assets of a network, by its alias too", async () => {
	await emulator.changeState({ organizationId, supportedAssets: { "solana:mainnet": [{ symbol: "NEW" }] } });
	const { body } = await world.query(emulator.url, "list_supported_assets", { caip2: "solana:mainnet" });
	expect(body.assets).toEqual([{ symbol: "NEW" }]);
	const ethereum = await world.query(emulator.url, "list_supported_assets", { caip2: "eip155:1" });
	expect(ethereum.body.assets).toHaveLength(1);
});

test("a state change to an invalid state is refused and changes nothing", async () => {
	const before = emulator.state(organizationId);
	const wrong: readonly [object, string][] = [
		[{ organizationId, userTags: [{ tagId: world.id(23), tagName: "signers" }] }, "this tag name is used twice"],
		[{ organizationId, userTags: [{ tagId: signers, userIds: [world.id(99)] }] }, "no user of the organization"],
		[{ organizationId, policies: [{ policyId: world.id(33) }] }, "`policyName` is missing"],
		[{ organizationId, userTags: {} }, "userTags: must be a list of objects"],
		[{ organizationId, users: [null] }, "users: must be a list of objects"],
		[{ organizationId, remove: { polices: [] } }, "remove.polices: unknown field"],
		[{ organizationId, colour: "red" }, "colour: unknown field"],
		[{ organizationId: "acme" }, "organizationId: must be a UUID"],
		[{ organizations: [{}] }, "`organizationId` is missing"],
	];
	for (const [body, message] of wrong) {
		const answer = await control("POST", "state", body);
		expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(message)]);
	}
	expect(emulator.state(organizationId)).toEqual(before);
});

test("a seed under /emulator/state makes new organizations and replaces old ones with their activities", async () => {
	await world.submit(emulator.url, "update_user_tag", tagUpdate([bob]));
	const { organizations } = world.makeSeed();
	const made = { organizationId: world.id(3), organizationName: "New" };
	await control("POST", "state", { organizations: [organizations[0], made] });
	expect(emulator.state(organizationId).activities).toEqual([]);
	expect(emulator.state(organizationId).organization.userTags?.[0]?.userIds).toEqual([alice]);
	const listed = (await control("GET", "state")).body.organizations;
	expect(listed.map((one: { organizationName: string }) => one.organizationName).sort()).toEqual(["", "Acme", "New"]);
});

test("state can be shown, stored elsewhere and seeded again", async () => {
	const { organization } = emulator.state(organizationId);
	const copy = await startEmulator({ seed: { organizations: [JSON.parse(JSON.stringify(organization))] } });
	try {
		expect(copy.state(organizationId).organization).toEqual(organization);
	} finally {
		await copy.close();
	}
});

test("rules and the clock are set over HTTP, and invalid ones are refused", async () => {
	const rules = { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } };
	expect((await control("POST", "rules", { organizationId, rules })).status).toBe(200);
	expect(emulator.state(organizationId).organization.rules).toEqual(rules);
	expect((await control("POST", "rules", { organizationId, rules: { approvals: { x: 2 } } })).status).toBe(400);
	expect((await control("POST", "rules", { organizationId: world.id(99), rules })).status).toBe(404);
	const { nowMs } = (await control("POST", "clock", { nowMs: 1_700_000_000_000 })).body;
	expect(nowMs - 1_700_000_000_000).toBeLessThan(1000);
	expect((await control("POST", "clock", { advanceMs: 5000 })).body.nowMs).toBeGreaterThanOrEqual(nowMs + 5000);
	expect((await control("POST", "clock", { reset: true })).body.nowMs).toBeGreaterThan(1_700_000_010_000);
	expect((await control("POST", "clock", {})).status).toBe(400);
});

test("/emulator/ rejects web pages", async () => {
	const host = new URL(emulator.url).host;
	expect(await getStatus("/emulator/state", { host })).toBe(200);
	expect(await getStatus("/emulator/state", { host, origin: "http://evil.test" })).toBe(403);
	expect(await getStatus("/emulator/state", { host: "evil.test" })).toBe(403);
	expect(await getStatus("/emulator/state", { host: host.replace("127.0.0.1", "localhost") })).toBe(200);
});

test("a port that is taken is a configuration error", async () => {
	const port = Number(new URL(emulator.url).port);
	await expect(startEmulator({ port })).rejects.toMatchObject({ code: "configuration" });
});

test("closing ends connections that are kept alive", async () => {
	const other = await startEmulator({ seed: world.makeSeed() });
	await world.query(other.url, "list_user_tags", {});
	await other.close();
	await expect(fetch(other.url)).rejects.toThrow();
});

test("a port on which another process listens is refused, with what to do", async () => {
	const { port } = new URL(emulator.url);
	await expect(startEmulator({ port: Number(port) })).rejects.toMatchObject({
		message: `cannot listen on 127.0.0.1:${port}: another process listens there`,
		hint: "choose another port; port 0 is any free one",
		exitCode: 3,
	});
});
