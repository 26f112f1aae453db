/** The client against a service that answers 429: nothing is lost, nothing is doubled, and every wait ends. */

import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { flag, say } from "../../src/common/said.ts";
import { type Emulator, type RateLimit, startEmulator } from "../../src/emulator/server.ts";
import { type AttemptEvent, type Client, type ClientOptions, createClient } from "../../src/wire/client.ts";
import { queries } from "../../src/wire/operations.ts";
import { createApiKeyStamper } from "../../src/wire/stamp.ts";
import type { Reply } from "./independent-server.ts";
import { makeVirtualClock } from "./virtual-clock.ts";
import { events, failure, forEver, makeClient, query, server, sleeps, startMs, submit } from "./watched-client.ts";

const throttle = (headers: Record<string, string> = {}): Reply => ({ ...failure(429, 8, "slow down"), headers });

describe("a 429", () => {
	it("is described in one line: the cause, what happens next, and what would avoid it", async () => {
		server.script(throttle({ "ratelimit-limit": "3", "retry-after": "2" }), throttle());
		await query();
		const hint = "lower the rate with --max-rps, or allow more time with --timeout";
		expect(events.map(({ result, reason }) => [result, reason])).toEqual([
			[429, `too many requests (limit 3): slow down; retried in 2 s, now at most 4 at once; ${hint}`],
			[429, `too many requests: slow down; retried in 1 s, now at most 2 at once; ${hint}`],
			[200, undefined],
		]);
	});

	it("with a pause longer than the timeout ends all other requests unsent, until the pause is over", async () => {
		const asking = makeClient();
		server.script(...forEver(throttle({ "retry-after": "60" })));
		expect(await submit(asking)).toMatchObject({ kind: "unknown", requests: 1 });
		const received = server.received.length;
		expect(await submit(asking)).toMatchObject({
			kind: "not-sent",
			because: "too many requests: slow down; the service asks for a pause of 60 s, longer than the timeout",
			hint: say`lower the rate with ${flag("max-rps")}, or allow more time with ${flag("timeout")}`,
			requests: 0,
		});
		expect(await query(asking)).toMatchObject({ code: "service", httpStatus: 429, grpcCode: 8 });
		expect(server.received.length).toBe(received);
		expect(asking.stats()).toEqual({ queries: 0, submits: 1, retries: 0, throttledMs: 0 });
		expect(sleeps).toEqual([]);
	});

	it("pauses other requests with ratelimit-remaining: 0 only", async () => {
		for (const [headers, others] of [
			[{}, [200, 200]],
			[{ "ratelimit-remaining": "5" }, [200, 200]],
			[{ "ratelimit-remaining": "0" }, []],
			[{ "retry-after": "1" }, []],
		] as const) {
			const wakes: (() => void)[] = [];
			const asking = makeClient({ sleep: () => new Promise((wake) => void wakes.push(wake)), concurrency: 2 });
			events.length = 0;
			server.script(throttle(headers));
			const first = query(asking);
			await expect.poll(() => wakes.length).toBe(1);
			const more = [query(asking), query(asking)];
			await expect.poll(() => events.length, { timeout: 5000 }).toBe(1 + others.length);
			// Long enough for requests that should have waited.
			await new Promise((resolve) => setTimeout(resolve, 50));
			expect(events.map(({ result }) => result)).toEqual([429, ...others]);
			const timer = setInterval(() => wakes.shift()?.(), 5);
			expect(await Promise.all([first, ...more])).toMatchObject([{ value: {} }, { value: {} }, { value: {} }]);
			clearInterval(timer);
		}
	});

	it("of the service before a 407 of a proxy leaves the submit in doubt", async () => {
		const lost: Reply = { act: (request) => request.socket.destroy() };
		const date = new Date(startMs).toUTCString();
		server.script(lost, { status: 407, body: "", headers: { date } });
		expect(await submit()).toMatchObject({
			kind: "unknown",
			because: expect.stringMatching(/a proxy requires a user name/) as string,
		});
	});
});

describe("limits of the client", () => {
	it("below one request a second space all attempts, and do not count towards the timeout", async () => {
		const slow = makeClient({ maxRequestsPerSecond: 0.1, timeoutMs: 5000 });
		server.script({}, failure(500, 13, "no"));
		expect(await Promise.all([query(slow), query(slow), query(slow)])).toMatchObject([
			{ httpStatus: 200 },
			{ value: {} },
			{ value: {} },
		]);
		expect(slow.stats()).toEqual({ queries: 3, submits: 0, retries: 1, throttledMs: 29_875 });
	});
});

describe("under pressure of a real service", () => {
	const stamper = createApiKeyStamper({ privateKey: "22".repeat(32) });
	const organizations = Array.from({ length: 4 }, (_, index) => ({
		organizationId: randomUUID(),
		users: [{ userId: randomUUID(), userName: `user ${index}`, apiKeys: [{ publicKey: stamper.publicKey }] }],
	}));
	const running: (() => Promise<void>)[] = [];
	afterEach(async () => {
		for (const end of running.splice(0)) await end();
	});

	/** An emulator and a client of it. With `isVirtual` neither waits: their clock jumps while no attempt is in flight. */
	async function start(limit: RateLimit | undefined, options: Partial<ClientOptions> = {}, isVirtual = false) {
		const clock = makeVirtualClock(Date.now());
		const emulator = await startEmulator({ seed: { organizations }, ...(isVirtual ? { now: clock.now } : {}) });
		emulator.setLimit(limit);
		const attempts: AttemptEvent[] = [];
		const client = createClient({
			url: emulator.url,
			stamper,
			onAttempt: (event) => void attempts.push(event),
			...(isVirtual ? { now: clock.now, sleep: clock.sleep } : {}),
			...options,
		});
		running.push(
			// A test may have closed its client.
			() => client.close().catch(() => undefined),
			() => emulator.close(),
		);
		const isIdle = () => {
			const { queries: sent, submits, retries } = client.stats();
			return sent + submits + retries === attempts.length;
		};
		const play = <Value>(work: Promise<Value>) => clock.runWhileIdle(isIdle, work);
		return { emulator, client, attempts, clock, play };
	}

	const startVirtual = (limit: RateLimit | undefined, options: Partial<ClientOptions> = {}) =>
		start(limit, options, true);

	/** Sends so many queries at once, over all organizations; returns how many answers are right. */
	async function askMany(client: Client, count: number): Promise<number> {
		const answers = await Promise.all(
			Array.from({ length: count }, (_, index) => {
				const organization = organizations[index % organizations.length];
				return client.reader.query(queries.list_user_tags, { organizationId: organization?.organizationId });
			}),
		);
		return answers.filter(({ value }) => Array.isArray(value.userTags)).length;
	}

	const countOf = (emulator: Emulator, status: number) =>
		emulator.requests().filter((entry) => entry.status === status).length;

	it("eight requests are in flight by default, and more with more connections", async () => {
		for (const [options, most] of [
			[{}, 8],
			[{ connections: 12 }, 12],
			[{ connections: 12, concurrency: 5 }, 5],
		] as const) {
			const { emulator, client } = await start(undefined, options);
			emulator.addFault({ operation: "*", fault: "slow", delayMs: 50, count: 30 });
			await askMany(client, 30);
			expect(emulator.maxInFlight()).toBe(most);
		}
	});

	it("every request is answered in the end, and each had an effect once", async () => {
		const { emulator, client, attempts, clock, play } = await startVirtual({ requestsPerSecond: 25, burst: 5 });
		const startMs = clock.now();
		expect(await play(askMany(client, 60))).toBe(60);
		const tookMs = clock.now() - startMs;
		expect(tookMs).toBeGreaterThan(2000);
		expect(countOf(emulator, 200)).toBe(60);
		const rejected = countOf(emulator, 429);
		expect(rejected).toBeGreaterThan(0);
		expect(client.stats()).toMatchObject({ queries: 60, retries: rejected });
		expect(client.stats().throttledMs).toBeGreaterThan(500);
		expect(client.stats().throttledMs).toBeLessThanOrEqual(tookMs);
		for (const { result, reason } of attempts) expect(reason === undefined).toBe(result === 200);
	}, 60_000);

	it("waiting for the client's own limits makes nothing fail, however short the timeout", async () => {
		const { emulator, client, play } = await startVirtual(undefined, { maxRequestsPerSecond: 1, timeoutMs: 300 });
		expect(await play(askMany(client, 12))).toBe(12);
		expect(countOf(emulator, 200)).toBe(12);
		const narrow = await start(undefined, { concurrency: 1, timeoutMs: 300 });
		narrow.emulator.addFault({ operation: "*", fault: "slow", delayMs: 100, count: 10 });
		expect(await askMany(narrow.client, 5)).toBe(5);
	}, 60_000);

	it("queued operations fail when the client closes, and nothing is submitted any more", async () => {
		const { emulator, client } = await start(undefined, { maxRequestsPerSecond: 0.05 });
		const answers = Array.from({ length: 4 }, () => askMany(client, 1).catch((error: unknown) => error));
		expect(await answers[0]).toBe(1);
		await client.close();
		expect(await Promise.all(answers.slice(1))).toMatchObject(
			Array.from({ length: 3 }, () => ({
				code: "transport",
				sent: "no",
				message: expect.stringMatching(/the client is closed$/) as string,
			})),
		);
		expect(emulator.requests()).toHaveLength(1);
	});
});
