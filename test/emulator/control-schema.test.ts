/** A body under /emulator/ with an unknown field or a wrong value is rejected as a whole, with every problem. */
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { type Emulator, startEmulator } from "../../src/emulator/server.ts";
import * as world from "./world.ts";

const { organizationId, signers } = world;
let emulator: Emulator;

beforeEach(async () => {
	emulator = await startEmulator({ seed: world.makeSeed() });
});

afterEach(() => emulator.close());

/** The message of the 400 that an order gets; nothing in the emulator has changed. */
async function refusal(path: string, body: object, method = "POST"): Promise<string> {
	const before = [emulator.state(organizationId), emulator.faults(), emulator.limit()];
	const answer = await world.control(emulator.url, method, path, body);
	expect([answer.status, answer.body.code]).toEqual([400, 3]);
	expect([emulator.state(organizationId), emulator.faults(), emulator.limit()]).toEqual(before);
	return answer.body.message;
}

describe("a fault in a request", () => {
	const sound = { operation: "update_user_tag", fault: "429" };
	const kinds = "drop-before, drop-after, 429, 5xx, html, truncated, slow, fail, reject, fewer-ids, fewer-policies";
	const headers =
		"headers: must be an object of header names and texts, without connection, content-length, keep-alive, trailer, transfer-encoding, upgrade";

	it.each<[object, string]>([
		[
			{ ...sound, cuont: 2 },
			"cuont: unknown field (known: operation, fault, count, headers, delayMs, status, takesEffect)",
		],
		[{ fault: "429" }, "operation: missing, must be the name of an operation, for example list_user_tags, or *"],
		[
			{ ...sound, operation: "list_tags" },
			"operation: must be the name of an operation, for example list_user_tags, or *",
		],
		[
			{ ...sound, operation: "constructor" },
			"operation: must be the name of an operation, for example list_user_tags, or *",
		],
		[{ operation: "*" }, `fault: missing, must be one of ${kinds}`],
		[{ operation: "*", fault: 429 }, `fault: must be one of ${kinds}`],
		[{ ...sound, count: 0 }, "count: must be a whole number from 1 to 1000000000"],
		[{ ...sound, count: 1.5 }, "count: must be a whole number from 1 to 1000000000"],
		[{ ...sound, count: "2" }, "count: must be a whole number from 1 to 1000000000"],
		[{ ...sound, count: null }, "count: must be a whole number from 1 to 1000000000"],
		[{ ...sound, headers: { "retry-after": 7 } }, headers],
		[{ ...sound, headers: { "retry after": "7" } }, headers],
		[{ ...sound, headers: { "x-split": "a\r\nset-cookie: b" } }, headers],
		[{ ...sound, headers: { "Content-Length": "1" } }, headers],
		[{ ...sound, headers: { trailer: "x" } }, headers],
		[{ ...sound, headers: ["retry-after"] }, headers],
		[{ ...sound, fault: "slow", delayMs: -1 }, "delayMs: must be milliseconds from 0 to 3600000"],
		[{ ...sound, fault: "slow", delayMs: "9" }, "delayMs: must be milliseconds from 0 to 3600000"],
		[{ ...sound, fault: "slow", delayMs: 2 ** 31 }, "delayMs: must be milliseconds from 0 to 3600000"],
		[{ ...sound, fault: "5xx", status: 7 }, "status: must be an HTTP status from 200 to 599"],
		[{ ...sound, takesEffect: "yes" }, "takesEffect: must be true or false"],
		[{ ...sound, delayMs: 5 }, "delayMs: only for slow"],
		[{ ...sound, status: 503 }, "status: only for 5xx, html"],
		[{ ...sound, fault: "drop-after", takesEffect: true }, "takesEffect: only for 429, 5xx, html"],
		[{ ...sound, fault: "truncated", headers: {} }, "headers: only for 429, 5xx, html, slow"],
		[
			{ operation: "list_user_tags", fault: "fail" },
			"operation: fail is only for submits: update_user_tag, delete_oauth_providers, delete_policies, delete_tvc_app_and_deployments, init_import_private_key, create_policies, update_policy, create_user_tag, delete_user_tags, create_policy, create_oauth_providers, approve_activity, reject_activity, or *",
		],
	])("is refused: %j", async (body, message) => {
		expect(await refusal("faults", body)).toBe(message);
	});

	it("is rejected with every problem at once", async () => {
		const message = await refusal("faults", { fault: "later", count: 0, when: "now" });
		expect(message.split("; ").map((part) => part.split(":")[0])).toEqual(["when", "operation", "fault", "count"]);
	});

	it("is checked in process too", () => {
		expect(() => emulator.addFault({ operation: "list_tags", fault: "429" })).toThrow(/^operation: must be/);
		expect(() => emulator.setLimit({ requestsPerSecond: 0 })).toThrow(/^requestsPerSecond: must be/);
		expect(() => emulator.setClock({ nowMs: Number.NaN })).toThrow(/^nowMs: must be/);
	});

	it("is one of at most 1,000 queued", async () => {
		for (let order = 0; order < 1000; order += 1) emulator.addFault({ operation: "*", fault: "429" });
		expect(await refusal("faults", sound)).toBe(
			"1000 faults are queued already; to remove them: DELETE /emulator/faults",
		);
	});
});

describe("a rate limit in a request", () => {
	it.each([0, -1, 1e-320, 1e10, "1", null])("is refused with an invalid rate: %j", async (requestsPerSecond) => {
		expect(await refusal("limits", { requestsPerSecond })).toBe(
			"requestsPerSecond: must be a number from 0.000001 to 1000000000",
		);
	});
});

describe("a clock change", () => {
	const one = "the body must have one of nowMs (milliseconds), advanceMs (milliseconds), reset (true)";

	it.each<[object, string]>([
		[{}, one],
		[{ nowMs: 1, advanceMs: 1 }, one],
		[{ nowMs: 1, reset: true }, one],
		[{ advanceMS: 5 }, "advanceMS: unknown field (known: nowMs, advanceMs, reset)"],
		[{ nowMs: "1" }, "nowMs: must be milliseconds from 0 to 253402300799999"],
		[{ nowMs: -1 }, "nowMs: must be milliseconds from 0 to 253402300799999"],
		[{ nowMs: 1e300 }, "nowMs: must be milliseconds from 0 to 253402300799999"],
		[{ advanceMs: null }, "advanceMs: must be milliseconds from -253402300799999 to 253402300799999"],
		[{ reset: false }, "reset: must be true"],
	])("is refused: %j", async (body, message) => {
		expect(await refusal("clock", body)).toBe(message);
	});

	it("out of the range is refused, and the clock goes on", async () => {
		emulator.setClock({ nowMs: 5000 });
		expect(await refusal("clock", { advanceMs: -10_000_000 })).toMatch(
			/^advanceMs: must lead to a time from 0 to 253402300799999/,
		);
		expect((await world.control(emulator.url, "POST", "clock", { advanceMs: 1 })).body.nowMs).toBeLessThan(60_000);
		expect((await world.query(emulator.url, "list_user_tags", {})).status).toBe(200);
	});
});

describe("a request for rules", () => {
	it.each<[object, string]>([
		[{ rules: {} }, "organizationId: missing, must be a UUID"],
		[{ organizationId: "acme", rules: {} }, "organizationId: must be a UUID"],
		[{ organizationId }, "rules: missing, must be an object, in the form of a seed's rules, or {} to remove them"],
		[{ organizationId, rules: [] }, "rules: must be an object, in the form of a seed's rules, or {} to remove them"],
		[{ organizationId, rules: {}, approvals: {} }, "approvals: unknown field (known: organizationId, rules)"],
		[
			{ organizationId, rules: { aprovals: {} } },
			"rules.aprovals: unknown key `aprovals`; known here: approvals, authenticators, deny, denyReads, voteAnswer, emptyUpdate, pendingMs",
		],
		[{ organizationId, rules: { approvals: { ACTIVITY_TYPE_X: 0 } } }, "rules.approvals.ACTIVITY_TYPE_X: must be >= 1"],
		[{ organizationId, rules: { approvals: { x: 2 } } }, "rules.approvals: `x` cannot be a key here"],
		[
			{ organizationId, rules: { pendingMs: { ACTIVITY_TYPE_X: 1e300 } } },
			"rules.pendingMs.ACTIVITY_TYPE_X: must be <= 3155760000000",
		],
	])("is refused: %j", async (body, message) => {
		expect(await refusal("rules", body)).toBe(message);
	});
});

describe("a state change", () => {
	const known =
		"organizationId, organizationName, parentOrganizationId, users, userTags, policies, tvcApps, sessionProfiles, supportedAssets, rootQuorum, rules, remove";

	it.each<[object, string]>([
		[{ organizationId, colour: "red" }, `colour: unknown field (known: ${known})`],
		[{ users: [] }, "organizationId: missing, must be a UUID"],
		[{ organizationId, userTags: {} }, "userTags: must be a list of objects, as in a seed"],
		[{ organizationId, users: [null] }, "users: must be a list of objects, as in a seed"],
		[
			{ organizationId, supportedAssets: [] },
			"supportedAssets: must be an object with a list of assets by network, as in a seed",
		],
		[{ organizationId, organizationName: 7 }, "organizationName: must be a text"],
		[
			{ organizationId, rootQuorum: [] },
			"rootQuorum: must be an object with threshold and userIds, or null to remove it",
		],
		[
			{ organizationId, rootQuorum: { threshold: 2, userIds: [world.alice] } },
			"organizations[0].rootQuorum.threshold: 2 of 1 users cannot be reached",
		],
		[{ organizationId, remove: ["users"] }, "remove: must be an object with lists of ids by kind"],
		[
			{ organizationId, remove: { polices: [] } },
			"remove.polices: unknown field (known: users, userTags, policies, tvcApps, sessionProfiles, supportedAssets)",
		],
		[{ organizationId, remove: { policies: ["first"] } }, "remove.policies: must be a list of UUIDs"],
		[{ organizations: [], organizationId }, "organizationId: unknown field (known: organizations)"],
		[{ organizations: {} }, "organizations: must be a list of organizations: orgsync schema seed"],
		[
			{ organizationId, userTags: [{ tagId: signers, colour: "red" }] },
			"organizations[0].userTags[0].colour: unknown key `colour`; known here: tagId, tagName, tagType, userIds, createdAt, updatedAt",
		],
	])("is refused: %j", async (body, message) => {
		expect(await refusal("state", body)).toBe(message);
	});

	it("with a member of Object.prototype as a field is refused", async () => {
		const raw = `{"organizationId":"${organizationId}","__proto__":{"users":[]}}`;
		const response = await fetch(`${emulator.url}/emulator/state`, { method: "POST", body: raw });
		expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
			400,
			`__proto__: unknown field (known: ${known})`,
		]);
	});
});

test("a query parameter or a body that an endpoint does not take is refused", async () => {
	expect(await refusal("faults", { all: true }, "DELETE")).toBe("all: unknown field (known: none)");
	expect(await refusal("faults?operation=x", { operation: "*", fault: "429" })).toBe(
		"operation: unknown field (known: none)",
	);
	for (const [path, message] of [
		["state?organisationId=x", "organisationId: unknown field (known: organizationId)"],
		["state?organizationId=acme", "organizationId: must be a UUID"],
		["requests?last=5", "last: unknown field (known: none)"],
	]) {
		const answer = await world.control(emulator.url, "GET", String(path));
		expect([answer.status, answer.body.message]).toEqual([400, message]);
	}
});

test("an unknown endpoint is answered 404 with the known ones", async () => {
	const wrongMethod = await world.control(emulator.url, "PUT", "faults", {});
	expect([wrongMethod.status, wrongMethod.body.message]).toEqual([
		404,
		"unknown endpoint: PUT /emulator/faults; known: GET /emulator/faults, POST /emulator/faults, DELETE /emulator/faults",
	]);
	const wrongPath = await world.control(emulator.url, "GET", "fault");
	expect(wrongPath.body.message).toMatch(/^unknown endpoint: GET \/emulator\/fault; known: GET \/emulator\/state, .*/);
});
