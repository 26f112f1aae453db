/** When a request is retried, and what a refusal after a lost answer proves. */

import { describe, expect, it } from "vitest";
import { flag, say } from "../../src/common/said.ts";
import type { Reply } from "./independent-server.ts";
import { client, failure, forEver, query, server, sleeps, startMs, submit } from "./watched-client.ts";

describe("a retry", () => {
	const throttle = (headers: Record<string, string> = {}): Reply => ({ ...failure(429, 8, "slow down"), headers });

	it("waits for the seconds of Retry-After", async () => {
		server.script(throttle({ "retry-after": "7" }), throttle({ "retry-after": "2" }));
		expect(await submit()).toMatchObject({ kind: "activity", requests: 3 });
		expect(sleeps).toEqual([7000, 2000]);
		expect(client.stats()).toEqual({ queries: 0, submits: 1, retries: 2, throttledMs: 9000 });
	});

	it("never comes after the timeout: a submit is in doubt, a query throws a ServiceError", async () => {
		server.script(...forEver(throttle({ "retry-after": "31", "ratelimit-limit": "1" })));
		expect(await submit()).toMatchObject({
			kind: "unknown",
			because: "too many requests (limit 1): slow down",
			hint: say`lower the rate with ${flag("max-rps")}, or allow more time with ${flag("timeout")}`,
			requests: 1,
		});
		expect(await query()).toMatchObject({ code: "service", httpStatus: 429, grpcCode: 8 });
		expect(sleeps).toEqual([]);
	});
});

describe("a refusal after an attempt that may have arrived", () => {
	const lost: Reply = { act: (request) => request.socket.destroy() };
	const date = (ms: number) => ({ date: new Date(ms).toUTCString() });

	it.each([
		[400, 3],
		[401, 16],
		[403, 16],
		[403, 7],
		[404, 5],
		[409, 6],
		[429, 8],
	])("is no proof, though it is %i/%i of the service: the submit is in doubt", async (status, code) => {
		server.script(lost, { ...failure(status, code, "quota exceeded"), headers: date(startMs) });
		expect(await submit()).toMatchObject({
			kind: "unknown",
			because: expect.stringContaining("an earlier attempt may have arrived") as string,
			requests: 2,
		});
	});

	it.each([
		["HTML 404", { status: 404, headers: { "content-type": "text/html" }, body: "<h1>" }],
		["redirect", { status: 302, headers: { location: "/login" }, body: "" }],
	] as const)("is no proof when it is a gateway's %s", async (_what, reply) => {
		server.script(lost, reply);
		expect(await submit()).toMatchObject({ kind: "unknown", requests: 2 });
	});

	it("is no proof when the first attempt met a 429 that is not the service's", async () => {
		server.script({ status: 429, headers: { "content-type": "text/html" }, body: "<h1>" }, failure(403, 7, "no"));
		expect(await submit()).toMatchObject({ kind: "unknown", requests: 2 });
	});

	it("is a refusal when the earlier attempt got the service's own 429", async () => {
		server.script(failure(429, 8, "slow"), failure(403, 7, "no"));
		expect(await submit()).toMatchObject({ kind: "refused", httpStatus: 403, requests: 2 });
	});
});
