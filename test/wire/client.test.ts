/** The client against a server that shares no code with it: every byte of every operation. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/common/errors.ts";
import { type AttemptEvent, type Client, createClient } from "../../src/wire/client.ts";
import { extendedReads, operations, queries, submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { createApiKeyStamper } from "../../src/wire/stamp.ts";
import { type IndependentServer, queryAnswers, startIndependentServer, submitTypes } from "./independent-server.ts";

const stamper = createApiKeyStamper({ privateKey: "11".repeat(32) });
const organizationId = "0a1b2c3d-0000-4000-8000-000000000001";
const timestampMs = 1767225600000;
const envelope = (type: string, parameters: string) =>
	`{"type":"${type}","timestampMs":"1767225600000","organizationId":"${organizationId}","parameters":${parameters}}`;
const flat = (rest: string) => `{"organizationId":"${organizationId}"${rest}}`;

let server: IndependentServer;
let client: Client;
const events: AttemptEvent[] = [];

beforeAll(async () => {
	server = await startIndependentServer(stamper.publicKey);
	client = createClient({ url: server.url, stamper, onAttempt: (event) => events.push(event) });
});
afterAll(async () => {
	await client.close();
	await server.close();
});

describe("every operation", () => {
	const queryCases: readonly (readonly [keyof typeof queries, Record<string, unknown>, string])[] = [
		["get_session_profile", { sessionProfileId: "s" }, ',"sessionProfileId":"s"'],
		["get_mfa_policy", { mfaPolicyId: "m", userId: "u" }, ',"userId":"u","mfaPolicyId":"m"'],
		["get_mfa_policies", { userId: "u" }, ',"userId":"u"'],
		["get_mfa_status", { activityId: "a" }, ',"activityId":"a"'],
		["get_latest_boot_proof", { appName: "e" }, ',"appName":"e"'],
		["get_policy_evaluations", { activityId: "a" }, ',"activityId":"a"'],
		["list_user_tags", {}, ""],
		["list_supported_assets", { caip2: "eip155:1" }, ',"caip2":"eip155:1"'],
	];

	it.each(queryCases)("query %s sends exactly the expected bytes and headers", async (name, fields, rest) => {
		const before = server.received.length;
		const answer = await client.reader.query(queries[name], { ...fields, organizationId });
		expect(server.received.length).toBe(before + 1);
		const request = server.received[before];
		expect(request?.mistakes).toEqual([]);
		expect(request?.path).toBe(`/public/v1/query/${name}`);
		expect(request?.body).toBe(flat(rest));
		expect(answer.value).toEqual(queryAnswers[`/public/v1/query/${name}`]);
		expect(Math.abs((answer.serverTimeMs ?? 0) - Date.now())).toBeLessThan(60_000);
	});

	const submitCases: readonly (readonly [keyof typeof submits, Record<string, unknown>, string])[] = [
		[
			"update_user_tag",
			{ removeUserIds: [], addUserIds: ["u"], newUserTagName: "審査員 🔑", userTagId: "t" },
			'{"userTagId":"t","newUserTagName":"審査員 🔑","addUserIds":["u"],"removeUserIds":[]}',
		],
		["delete_oauth_providers", { userId: "u", providerIds: ["p"] }, '{"userId":"u","providerIds":["p"]}'],
		["delete_policies", { policyIds: ["p", "q"] }, '{"policyIds":["p","q"]}'],
		["delete_tvc_app_and_deployments", { appId: "a" }, '{"appId":"a"}'],
		["init_import_private_key", { userId: "u" }, '{"userId":"u"}'],
	];

	it.each(submitCases)("submit %s sends exactly the expected bytes and headers", async (name, parameters, expected) => {
		const before = server.received.length;
		const body = encodeSubmit(submits[name], organizationId, parameters, timestampMs);
		const answer = await client.submitter.submit(body);
		expect(server.received.length).toBe(before + 1);
		const request = server.received[before];
		expect(request?.mistakes).toEqual([]);
		expect(request?.path).toBe(`/public/v1/submit/${name}`);
		expect(request?.body).toBe(envelope(submitTypes[`/public/v1/submit/${name}`] ?? "", expected));
		expect(answer).toMatchObject({
			kind: "activity",
			requests: 1,
			activity: {
				fingerprint: body.fingerprint,
				status: "ACTIVITY_STATUS_COMPLETED",
				intent: JSON.parse(expected) as unknown,
				result: { done: true },
				failure: null,
				votes: [],
				canApprove: false,
				canReject: true,
				createdAtMs: 1767225600250,
				updatedAtMs: 1767225601000,
			},
		});
	});

	it("is in these tables", () => {
		const tried = [...queryCases, ...submitCases].map(([name]) => name);
		expect(new Set(tried)).toEqual(new Set(Object.keys(operations)));
		expect(tried.length).toBe(13);
	});

	it("is counted and emitted once", () => {
		expect(client.stats()).toEqual({ queries: 8, submits: 5, retries: 0, throttledMs: 0 });
		expect(events.map(({ operation, attempt, result }) => [operation, attempt, result])).toEqual(
			server.received.map(({ path }) => [path.split("/").at(-1), 1, 200]),
		);
		expect(Object.keys(events[0] ?? {}).sort()).toEqual([
			"attempt",
			"durationMs",
			"operation",
			"organizationId",
			"result",
		]);
	});
});

describe("an address", () => {
	it("may have a path, which is kept before the operation's own", async () => {
		const prefixed = createClient({ url: `${server.url}/base//`, stamper });
		await prefixed.reader.query(queries.list_user_tags, { organizationId }).catch(() => undefined);
		await prefixed.close();
		expect(server.received.at(-1)?.path).toBe("/base/public/v1/query/list_user_tags");
	});

	it.each([
		["", /not an http or https URL/],
		["api.example.com", /not an http or https URL/],
		["ftp://example.com", /not an http or https URL/],
		["https://user:hidden-word@example.com", /user name or a password/],
		["https://example.com/?token=hidden-word", /query or a fragment/],
		["http://example.com", /plain http is refused/],
		["http://127.0.0.1.example.com", /plain http is refused/],
		["http://192.168.0.1", /plain http is refused/],
	])("%s is refused before anything is sent", (url, message) => {
		let error: unknown;
		try {
			createClient({ url, stamper });
		} catch (thrown) {
			error = thrown;
		}
		expect(error).toBeInstanceOf(ConfigurationError);
		expect((error as ConfigurationError).message).toMatch(message);
		expect((error as ConfigurationError).hint).toBeTruthy();
		expect(JSON.stringify(error) + String(error)).not.toContain("hidden-word");
	});

	it.each([
		[{ concurrency: 0 }, "the maximum concurrency is not a whole number above 0", undefined],
		[{ concurrency: Number.NaN }, "the maximum concurrency is not a whole number above 0", undefined],
		[{ maxRequestsPerSecond: -1 }, "the request rate is not a number above 0", "--max-rps 1"],
		[{ maxRequestsPerSecond: Number.NaN }, "the request rate is not a number above 0", "--max-rps 1"],
		[{ concurrency: 1.5 }, "the maximum concurrency is not a whole number above 0", undefined],
		[{ maxRequestsPerSecond: 0 }, "the request rate is not a number above 0", "--max-rps 1"],
		[{ maxRequestsPerSecond: Number.POSITIVE_INFINITY }, "the request rate is not a number above 0", "--max-rps 1"],
	])("with the limits %j is refused", (limits, message, hint) => {
		let error: unknown;
		try {
			createClient({ url: server.url, stamper, ...limits });
		} catch (thrown) {
			error = thrown;
		}
		expect(error).toBeInstanceOf(ConfigurationError);
		expect((error as ConfigurationError).message).toBe(message);
		if (hint !== undefined) expect((error as ConfigurationError).hint).toContain(hint);
	});

	it.each([
		"http://localhost:1",
		"http://127.0.0.9:1",
		"http://[::1]:1",
		"https://example.com/v",
	])("%s is accepted", async (url) => {
		await createClient({ url, stamper }).close();
	});
});

describe("a client for one organization", () => {
	it("counts its own requests, and the whole client counts all of them", async () => {
		const whole = createClient({ url: server.url, stamper });
		const [one, other] = [whole.forOrganization(), whole.forOrganization()];
		await one.reader.query(queries.list_user_tags, { organizationId });
		await one.reader.query(queries.list_user_tags, { organizationId });
		const parameters = { userTagId: "t", addUserIds: [], removeUserIds: [] };
		await other.submitter.submit(encodeSubmit(submits.update_user_tag, organizationId, parameters, timestampMs));
		expect(one.stats()).toMatchObject({ queries: 2, submits: 0, retries: 0 });
		expect(other.stats()).toMatchObject({ queries: 0, submits: 1, retries: 0 });
		expect(whole.stats()).toMatchObject({ queries: 2, submits: 1, retries: 0 });
		await whole.close();
	});

	it("shares the rate limiter: together they have no more requests in flight than the whole client may", async () => {
		let inFlight = 0;
		let most = 0;
		const slow = createServer((_request, response) => {
			inFlight += 1;
			most = Math.max(most, inFlight);
			setTimeout(() => {
				inFlight -= 1;
				response.end('{"userTags":[]}');
			}, 20);
		});
		await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
		const { port } = slow.address() as AddressInfo;
		const whole = createClient({ url: `http://127.0.0.1:${port}`, stamper, concurrency: 3 });
		const ask = () => whole.forOrganization().reader.query(queries.list_user_tags, { organizationId });
		await Promise.all(Array.from({ length: 12 }, ask));
		await whole.close();
		slow.close();
		expect(most).toBe(3);
	});
});

describe("a client with a stamper of its own for submits", () => {
	it("stamps submits and the question whose key it is with that, and every other query with the first", async () => {
		const used: string[] = [];
		const stamperOf = (name: string) => ({
			stamp: async (body: string) => {
				used.push(`${name} ${JSON.parse(body).type ?? "query"}`);
				return stamper.stamp(body);
			},
		});
		const two = createClient({ url: server.url, stamper: stamperOf("first"), submitStamper: stamperOf("second") });
		const ask = (operation: Parameters<typeof two.reader.query>[0]) =>
			two.reader.query(operation, { organizationId }).catch(() => undefined);
		await ask(queries.list_user_tags);
		await ask(extendedReads.whoami);
		await two.submitter.submit(
			encodeSubmit(submits.delete_policies, organizationId, { policyIds: ["p"] }, timestampMs),
		);
		await two.close();
		expect(used).toEqual(["first query", "second query", "second ACTIVITY_TYPE_DELETE_POLICIES"]);
	});
});
