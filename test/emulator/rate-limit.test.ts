/** Requests that get 429, and how many were in flight at once. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Emulator, type RateLimit, startEmulator } from "../../src/emulator/server.ts";
import * as world from "./world.ts";

const { organizationId, bob, tagUpdate } = world;
const startMs = 1_767_225_600_000;
let emulator: Emulator;

beforeEach(async () => {
	// A clock that moves by orders alone, so that the tests say when tokens come.
	emulator = await startEmulator({ seed: world.makeSeed(), now: () => startMs });
});

afterEach(() => emulator.close());

const ask = () => world.query(emulator.url, "list_user_tags", {});
const askElsewhere = () =>
	world.query(emulator.url, "list_user_tags", { organizationId: world.otherOrganizationId }, world.keys.stranger);
const statuses = async (count: number) => {
	const seen: number[] = [];
	for (let index = 0; index < count; index += 1) seen.push((await ask()).status);
	return seen;
};

test("a burst passes, and what follows gets 429 until the rate allows more", async () => {
	const limit: RateLimit = { requestsPerSecond: 2, burst: 3 };
	expect((await world.control(emulator.url, "POST", "limits", limit)).body).toEqual({ limit });
	expect(await statuses(5)).toEqual([200, 200, 200, 429, 429]);
	emulator.setClock({ advanceMs: 499 });
	expect(await statuses(1)).toEqual([429]);
	emulator.setClock({ advanceMs: 1 });
	expect(await statuses(2)).toEqual([200, 429]);
	emulator.setClock({ advanceMs: 60_000 });
	expect(await statuses(4)).toEqual([200, 200, 200, 429]);
});

test("a 429 has the service's code and headers, and Retry-After when asked for", async () => {
	emulator.setLimit({ requestsPerSecond: 0.25 });
	await ask();
	const plain = await ask();
	expect(plain.body).toMatchObject({ code: 8, message: "too many requests", details: [] });
	expect(plain.headers.get("ratelimit-limit")).toBe("0.25");
	expect(plain.headers.get("ratelimit-remaining")).toBe("0");
	expect(plain.headers.get("retry-after")).toBeNull();
	emulator.setLimit({ requestsPerSecond: 0.25, retryAfter: true });
	await ask();
	emulator.setClock({ advanceMs: 500 });
	expect((await ask()).headers.get("retry-after")).toBe("4");
	emulator.setClock({ advanceMs: 3499 });
	expect((await ask()).headers.get("retry-after")).toBe("1");
	emulator.setClock({ advanceMs: 1 });
	expect((await ask()).status).toBe(200);
});

test("a request that gets 429 has no effect, uses up no fault and is logged", async () => {
	emulator.setLimit({ requestsPerSecond: 1 });
	await ask();
	emulator.addFault({ operation: "*", fault: "5xx" });
	expect((await world.submit(emulator.url, "update_user_tag", tagUpdate([bob]))).status).toBe(429);
	expect(emulator.state(organizationId).activities).toEqual([]);
	expect(emulator.faults()).toHaveLength(1);
	expect(emulator.requests().at(-1)).toMatchObject({
		operation: "update_user_tag",
		organizationId,
		status: 429,
		fingerprint: expect.stringMatching(/^sha256:/),
		fault: null,
	});
});

test("one bucket serves all organizations, or each has its own", async () => {
	emulator.setLimit({ requestsPerSecond: 1 });
	expect([(await ask()).status, (await askElsewhere()).status]).toEqual([200, 429]);
	emulator.setLimit({ requestsPerSecond: 1, per: "organization" });
	expect([(await ask()).status, (await askElsewhere()).status, (await ask()).status]).toEqual([200, 200, 429]);
});

test("unknown organizations share one bucket, so that made-up ids cost no memory", async () => {
	emulator.setLimit({ requestsPerSecond: 1, per: "organization" });
	const unknown = async (number: number) =>
		(await world.query(emulator.url, "list_user_tags", { organizationId: world.id(number) })).status;
	expect([await unknown(901), await unknown(902), (await ask()).status]).toEqual([404, 429, 200]);
});

test("a limit is removed by DELETE, by an empty body, or in process", async () => {
	const lifts = [
		() => world.control(emulator.url, "DELETE", "limits"),
		() => world.control(emulator.url, "POST", "limits", {}),
		async () => emulator.setLimit(undefined),
	];
	for (const lift of lifts) {
		emulator.setLimit({ requestsPerSecond: 1 });
		expect(await statuses(2)).toEqual([200, 429]);
		await lift();
		expect((await world.control(emulator.url, "GET", "limits")).body).toEqual({ limit: null });
		expect(await statuses(3)).toEqual([200, 200, 200]);
	}
});

test("a clock that is set back neither takes tokens away nor gives any", async () => {
	emulator.setLimit({ requestsPerSecond: 1, burst: 2 });
	await ask();
	emulator.setClock({ advanceMs: -3_600_000 });
	expect(await statuses(2)).toEqual([200, 429]);
	emulator.setClock({ advanceMs: 1000 });
	expect(await statuses(2)).toEqual([200, 429]);
});

test.each([
	[{ requestsPerSecond: 0 }, "requestsPerSecond"],
	[{ requestsPerSecond: "1" }, "requestsPerSecond"],
	[{ burst: 3 }, "requestsPerSecond"],
	[{ requestsPerSecond: 1, burst: 0 }, "burst"],
	[{ requestsPerSecond: 1, burst: 1.5 }, "burst"],
	[{ requestsPerSecond: 1, retryAfter: "yes" }, "retryAfter"],
	[{ requestsPerSecond: 1, per: "user" }, "per"],
	[{ requestsPerSecond: 1, colour: "red" }, "colour"],
])("an invalid limit is refused: %j", async (body, field) => {
	const answer = await world.control(emulator.url, "POST", "limits", body);
	expect(answer.status).toBe(400);
	expect(answer.body.message).toMatch(new RegExp(`^${field}:`));
	expect(emulator.limit()).toBeUndefined();
});

test("the log shows how many requests were in flight at once", async () => {
	emulator.addFault({ operation: "*", fault: "slow", delayMs: 300, count: 5 });
	const answers = Array.from({ length: 5 }, ask);
	await expect.poll(() => emulator.requests().length).toBe(5);
	const { body } = await world.control(emulator.url, "GET", "requests");
	expect([body.maxInFlight, body.requests.length]).toEqual([5, 5]);
	await world.control(emulator.url, "DELETE", "requests");
	// Those that are under way still count.
	expect(emulator.maxInFlight()).toBe(5);
	await Promise.all(answers);
	emulator.clearRequests();
	expect(emulator.maxInFlight()).toBe(0);
	for (let index = 0; index < 20; index += 1) await ask();
	expect(emulator.maxInFlight()).toBe(1);
});

test("a request whose connection was cut is no longer in flight", async () => {
	for (const fault of ["drop-before", "drop-after", "truncated"] as const) {
		emulator.addFault({ operation: "*", fault });
		await ask().catch(() => undefined);
	}
	emulator.clearRequests();
	expect(emulator.maxInFlight()).toBe(0);
});
