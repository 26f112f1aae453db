/** Requests that are not sent, attempts that reach their timeout, and what a listener gets of them. */

import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server } from "node:net";
import { describe, expect, it } from "vitest";
import { ConfigurationError, OrgsyncError } from "../../src/common/errors.ts";
import { flag, say } from "../../src/common/said.ts";
import { createClient } from "../../src/wire/client.ts";
import { classifyTransportError, describeFailure, failureAt } from "../../src/wire/transport-failure.ts";
import type { Reply } from "./independent-server.ts";
import {
	body,
	client,
	clients,
	events,
	expectNoSecret,
	failure,
	forEver,
	makeClient,
	organizationId,
	privateKey,
	query,
	server,
	sleeps,
	stamper,
	submit,
} from "./watched-client.ts";

it.each([
	[700, "within 0.7 s"],
	[50, "within 0.1 s"],
	[49, "in the time that was left"],
])("a time limit of %i ms is never said to be 0 s", (timeoutMs, said) => {
	const { message } = describeFailure(failureAt("answering", "time-out"), "http://service", timeoutMs);
	expect(message).toBe(`no answer from http://service ${said}`);
});

describe("a request that is not sent", () => {
	async function closedPort(): Promise<number> {
		const closing = createSocketServer();
		await new Promise<void>((resolve) => closing.listen(0, "127.0.0.1", resolve));
		const { port } = closing.address() as AddressInfo;
		await new Promise((resolve) => closing.close(resolve));
		return port;
	}

	it("fails after a few attempts when no server listens", async () => {
		for (const host of ["127.0.0.1", "localhost"]) {
			const url = `http://${host}:${await closedPort()}`;
			const nobody = makeClient({ url });
			sleeps.length = 0;
			expect(await submit(nobody)).toEqual({
				kind: "not-sent",
				because: `no service answers at ${url} (connection refused)`,
				hint: say`check ${flag("url")}, and that the service is running`,
				requests: 4,
			});
			expect(sleeps).toEqual([125, 250, 500]);
			expect(await query(nobody)).toMatchObject({
				code: "transport",
				sent: "no",
				hint: expect.stringMatching(/--url/) as string,
			});
			expect(nobody.stats()).toEqual({ queries: 1, submits: 1, retries: 6, throttledMs: 0 });
		}
	});

	// By hand, because the tests ask no name server and keep no certificate.
	it.each([
		["ENOTFOUND", "name-not-found", /^the host name cannot be resolved: api\.example\.com \(ENOTFOUND\)$/, "briefly"],
		["EAI_AGAIN", "name-not-found", /^the host name cannot be resolved: api\.example\.com \(EAI_AGAIN\)$/, "briefly"],
		["EHOSTUNREACH", "not-connected", /^no connection to .* \(EHOSTUNREACH\)$/, "briefly"],
		["UND_ERR_CONNECT_TIMEOUT", "not-connected", /^no connection to /, "briefly"],
		["ECONNRESET", "not-connected", /^no connection to .* \(ECONNRESET\)$/, "briefly"],
		["CERT_HAS_EXPIRED", "tls", /^no secure connection to .* \(CERT_HAS_EXPIRED\)$/, "no"],
		["DEPTH_ZERO_SELF_SIGNED_CERT", "tls", /^no secure connection to /, "no"],
		["ERR_TLS_CERT_ALTNAME_INVALID", "tls", /^no secure connection to /, "no"],
	])("has the reason of %s", (code, reason, message, retry) => {
		const failure = classifyTransportError(Object.assign(new Error("words of the system"), { code }), "connecting");
		expect(failure).toEqual({ kind: "failure", reason, sent: "no", errorCode: code });
		const meaning = describeFailure(failure, "https://api.example.com", 10_000);
		expect(meaning).toMatchObject({ message: expect.stringMatching(message) as string, retry });
		expect(classifyTransportError({ code }, "written")).toMatchObject({ reason: "reset", sent: "maybe" });
	});

	it.each([
		["ENOTFOUND", "the name of the proxy cannot be resolved: proxy.example (ENOTFOUND)"],
		[
			"EHOSTUNREACH",
			"no connection to https://api.example.com through the proxy http://proxy.example:3128 (EHOSTUNREACH)",
		],
	])("has the words of a proxy for %s, where one is in use", (code, message) => {
		const failed = classifyTransportError(Object.assign(new Error("words of the system"), { code }), "connecting");
		const described = describeFailure(failed, "https://api.example.com", 10_000, "http://proxy.example:3128");
		expect(described).toMatchObject({
			...{ message, retry: "briefly", hint: expect.stringContaining("check the proxy's address") },
		});
	});

	it.each([
		"XENOTFOUND",
		"ENOTFOUNDX",
		"XUND_ERR_CLOSED",
		"1234",
		"X_ERR_TLS",
	])("has no reason that only a part of the code %s names", (code) => {
		expect(classifyTransportError({ code }, "connecting")).toMatchObject({ reason: "not-connected" });
	});

	it("is not retried when no secure connection can be made", async () => {
		const insecure = makeClient({ url: server.url.replace("http:", "https:") });
		expect(await submit(insecure)).toMatchObject({
			kind: "not-sent",
			because: expect.stringMatching(/^no secure connection to https:/) as string,
			requests: 1,
		});
		expect(await query(insecure)).toMatchObject({
			code: "transport",
			sent: "no",
			hint: expect.stringMatching(/NODE_EXTRA_CA_CERTS/) as string,
		});
	});

	it("fails when the client is closed", async () => {
		await client.close();
		expect(await submit()).toMatchObject({ kind: "not-sent", because: "the client is closed", requests: 1 });
		clients.length = 0;
	});

	it("fails when its stamp is not a header", async () => {
		const broken = makeClient({
			stamper: { stamp: async () => ({ stampHeaderName: "X-Stamp", stampHeaderValue: "a\r\nX-Other: b" }) },
		});
		const before = server.received.length;
		expect(await submit(broken)).toMatchObject({
			kind: "not-sent",
			requests: 1,
			because: expect.stringMatching(/made a header that HTTP does not allow$/) as string,
		});
		expect(server.received.length).toBe(before);
	});

	it("throws when it cannot be stamped, without the message of a foreign stamper", async () => {
		const before = server.received.length;
		const leaking = makeClient({
			stamper: { stamp: () => Promise.reject(new RangeError(`bad key ${privateKey}`)) },
		});
		const error: unknown = await leaking.submitter.submit(body).catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(ConfigurationError);
		expect((error as Error).message).toBe("the request could not be stamped: the stamper failed (RangeError)");
		expectNoSecret(error);
		expect(server.received.length).toBe(before);
	});

	it("is in doubt when an earlier attempt may have arrived", async () => {
		const leaving = createServer((request) => {
			request.socket.destroy();
			leaving.close();
		});
		await new Promise<void>((resolve) => leaving.listen(0, "127.0.0.1", resolve));
		const url = `http://127.0.0.1:${(leaving.address() as AddressInfo).port}`;
		expect(await submit(makeClient({ url }))).toMatchObject({
			kind: "unknown",
			because: expect.stringContaining("connection refused") as string,
			requests: 4,
		});
		expect(events.map(({ result }) => result)).toEqual([
			"reset",
			"connection-refused",
			"connection-refused",
			"connection-refused",
		]);
	});
});

describe("a timeout", () => {
	const silent: Reply = { act: () => undefined };

	it("ends an attempt without an answer; the request may have arrived", async () => {
		server.script(silent);
		const hasty = makeClient({ attemptTimeoutMs: 1000 });
		expect(await submit(hasty)).toMatchObject({ kind: "activity", requests: 2 });
		expect(events.map(({ result }) => result)).toEqual(["time-out", 200]);
	});

	it("ends the whole operation, on the real clock too", async () => {
		server.script(...forEver(silent));
		const real = createClient({ url: server.url, stamper, attemptTimeoutMs: 150, timeoutMs: 700 });
		clients.push(real);
		const start = performance.now();
		expect(await submit(real)).toMatchObject({
			kind: "unknown",
			because: expect.stringMatching(/^no answer from .* within 0\.\d s$/) as string,
		});
		expect(await query(real)).toMatchObject({ code: "transport", sent: "maybe" });
		expect(performance.now() - start).toBeLessThan(2500);
		expect(real.stats().retries).toBeGreaterThanOrEqual(2);
	});

	it("ends a request that waits for a connection: it was not sent, and is not sent later", async () => {
		const narrow = makeClient({ connections: 1, timeoutMs: 100 });
		const kinds: string[] = [];
		// Both time out in the same millisecond, or the second gets the connection first. What is said has to be true either way.
		for (let round = 0; round < 10 && !kinds.includes("not-sent"); round += 1) {
			server.script(silent, silent);
			const before = server.received.length;
			const start = performance.now();
			const [first, second] = await Promise.all([submit(narrow), submit(narrow)]);
			expect(performance.now() - start).toBeLessThan(2000);
			expect(first).toMatchObject({ kind: "unknown", requests: 1 });
			await new Promise((resolve) => setTimeout(resolve, 200));
			kinds.push(second.kind);
			if (second.kind !== "not-sent") continue;
			expect(second).toMatchObject({ because: expect.stringMatching(/^no connection to/) as string });
			expect(server.received.length).toBe(before + 1);
		}
		expect(kinds).toContain("not-sent");
	});

	it("can follow an interim answer, which is none", async () => {
		server.script({
			act: (request, response) => {
				response.writeProcessing();
				setTimeout(() => request.socket.destroy(), 50);
			},
		});
		expect(await submit()).toMatchObject({ kind: "activity", requests: 2 });
		expect(events.map(({ result }) => result)).toEqual(["reset", 200]);
	});

	it("ends an answer that starts and never ends", async () => {
		server.script({
			act: (_request, response) => {
				response.writeHead(200, { "content-type": "application/json" });
				response.write('{"userTags":[]');
			},
		});
		expect(await query(makeClient({ attemptTimeoutMs: 1000 }))).toMatchObject({ value: {} });
		expect(events.map(({ result }) => result)).toEqual(["time-out", 200]);
	});

	it("ends a connection that is never established: nothing was submitted, and nothing is submitted later", async () => {
		const opened: Buffer[] = [];
		const mute: Server = createSocketServer((socket) => {
			socket.on("error", () => undefined);
			socket.on("data", (chunk: Buffer) => opened.push(chunk));
		});
		await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
		// A TLS handshake that no server answers: the connection is open, the request cannot be written.
		const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
		const waiting = makeClient({ url, attemptTimeoutMs: 200, timeoutMs: 250, sleep: () => Promise.resolve() });
		const answer = await Promise.race([submit(waiting), new Promise((resolve) => setTimeout(resolve, 5000))]);
		expect(answer).toMatchObject({ kind: "not-sent" });
		expect(Buffer.concat(opened).includes("POST")).toBe(false);
		mute.close();
		await waiting.close();
		clients.splice(clients.indexOf(waiting), 1);
	});
});

describe("a listener", () => {
	it("that fails does not cost the answer", async () => {
		const shouting = makeClient({
			onAttempt: () => {
				throw new Error("listener");
			},
		});
		expect(await submit(shouting)).toMatchObject({ kind: "activity" });
	});

	it("gets every attempt, never a stamp or a body", async () => {
		server.script(failure(500, 13, "no"));
		await submit();
		expect(events).toEqual([
			{ operation: "delete_policies", organizationId, attempt: 1, result: 500, durationMs: 0 },
			{ operation: "delete_policies", organizationId, attempt: 2, result: 200, durationMs: 0 },
		]);
	});
});

describe("connections to the service", () => {
	it("are reused: fifty requests in a row use two at most", async () => {
		const ports = new Set<number | undefined>();
		const counting = createServer((request, response) => {
			ports.add(request.socket.remotePort);
			response.setHeader("content-type", "application/json");
			request.resume().on("end", () => response.end('{"userTags":[]}'));
		});
		await new Promise<void>((resolve) => counting.listen(0, "127.0.0.1", resolve));
		const kept = makeClient({ url: `http://127.0.0.1:${(counting.address() as AddressInfo).port}` });
		for (let count = 0; count < 50; count += 1) expect(await query(kept)).not.toBeInstanceOf(OrgsyncError);
		// The second is opened when a request follows so closely that the first connection is not yet free again.
		expect(ports.size).toBeLessThanOrEqual(2);
		await kept.close();
		clients.splice(clients.indexOf(kept), 1);
		counting.close();
	});

	it("end when something comes on them unasked, which is no answer to the next request", async () => {
		const answerWith = (tagId: string): string => {
			const text = JSON.stringify({ userTags: [{ tagId, tagName: "signers" }] });
			return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
		};
		let requests = 0;
		const ended = Promise.withResolvers<void>();
		const doubling = createSocketServer((socket) => {
			socket.on("close", () => ended.resolve()).on("error", () => undefined);
			socket.on("data", () => {
				requests += 1;
				socket.write(answerWith(`asked ${requests}`));
				if (requests === 1) setTimeout(() => socket.write(answerWith("unasked")), 50);
			});
		});
		await new Promise<void>((resolve) => doubling.listen(0, "127.0.0.1", resolve));
		const one = makeClient({ url: `http://127.0.0.1:${(doubling.address() as AddressInfo).port}`, connections: 1 });
		expect(await query(one)).toMatchObject({ value: { userTags: [{ tagId: "asked 1" }] } });
		// An idle connection ends after four seconds anyway.
		const late = new Promise((resolve) => setTimeout(resolve, 3000, "late"));
		expect(await Promise.race([ended.promise, late])).toBeUndefined();
		expect(await query(one)).toMatchObject({ value: { userTags: [{ tagId: "asked 2" }] } });
		await one.close();
		clients.splice(clients.indexOf(one), 1);
		doubling.close();
	});
});
