/** What every kind of answer becomes: for a query, for a submit, and for what may follow. */

import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { AuthenticationError, ServiceError, type TransportError } from "../../src/common/errors.ts";
import type { Reply } from "./independent-server.ts";
import {
	apiKey,
	body,
	client,
	clockMs,
	failure,
	forEver,
	organizationId,
	query,
	server,
	startMs,
	submit,
} from "./watched-client.ts";

const html: Readonly<Record<string, string>> = { "content-type": "text/html; charset=utf-8" };
const denial = [
	{
		"@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
		message: "no",
		policyEvaluations: [{ policyId: "p1", outcome: "OUTCOME_DENY_EXPLICIT" }, { outcome: null }, "odd"],
	},
];

describe("an answer that decides about the request", () => {
	it("may come in chunks of one byte", async () => {
		const text = JSON.stringify({ userTags: [{ tagId: "t", tagName: "審査員".repeat(500) }] });
		server.script({
			act: (request) => {
				const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
				const chunks = Array.from(Buffer.from(text), (byte) => Buffer.from([49, 13, 10, byte, 13, 10]));
				request.socket.end(Buffer.concat([Buffer.from(head), ...chunks, Buffer.from("0\r\n\r\n")]));
			},
		});
		expect(await query()).toMatchObject({ value: JSON.parse(text) as object });
	});

	const cases: readonly (readonly [string, Reply, number | undefined, RegExp, RegExp | undefined])[] = [
		["400/3", failure(400, 3, "bad UUID"), 3, /answered 400: bad UUID$/, undefined],
		["403/7", failure(403, 7, "denied by policy", denial), 7, /denies this: denied by policy$/, /a policy/],
		["404/5", failure(404, 5, "no organization"), 5, /answered 404: no organization$/, /check the ids/],
		["409/10", failure(409, 10, "aborted"), 10, /answered 409: aborted$/, undefined],
		["418 without a body", { status: 418, body: "" }, undefined, /answered 418$/, undefined],
		["501/12", failure(501, 12, "unknown method"), 12, /does not have this operation: unknown method$/, undefined],
		["429 for a quota", failure(429, 8, "organization quota exceeded"), 8, /limit of the organization/, /remove/],
		["404 as HTML", { status: 404, headers: html, body: "<h1>" }, undefined, /404 with text\/html$/, /check --url/],
		["403 as HTML", { status: 403, headers: html, body: "<h1>" }, undefined, /denies this with text\/html/, undefined],
		["an error cut in its JSON", { status: 400, body: '{"code":3,"mess' }, undefined, /not an answer/, /check --url/],
		[
			"a message of another type",
			{ status: 400, body: { code: "3", message: {} } },
			undefined,
			/answered 400$/,
			undefined,
		],
		["a gateway's JSON", failure(404, 404, "no route"), undefined, /answered 404: no route$/, /check the ids/],
		["429 of a gateway for a quota", failure(429, 429, "quota exceeded"), undefined, /quota exceeded/, /--max-rps/],
		[
			"302",
			{ status: 302, headers: { location: "/login?token=hidden" }, body: "" },
			undefined,
			/redirect \(302\) to http:\/\/127.0.0.1:\d+\/login, which is not followed$/,
			/final address/,
		],
		["308 to nowhere", { status: 308, body: "" }, undefined, /redirect \(308\), which is not followed$/, /final/],
	];

	/** Those that are not asked again. */
	const final = cases.filter(([name]) => !name.startsWith("429 of"));

	it.each(final)("%s: a query throws after one attempt", async (_case, reply, grpcCode, message, hint) => {
		server.script(reply);
		const error = (await query()) as ServiceError;
		expect(error).toBeInstanceOf(ServiceError);
		expect(error.message).toMatch(/^list_user_tags: /);
		expect(error.message).toMatch(message);
		expect(error).toMatchObject({ httpStatus: reply.status, grpcCode });
		if (hint === undefined) expect(error.hint).toBeUndefined();
		else expect(error.hint).toMatch(hint);
		expect(client.stats()).toEqual({ queries: 1, submits: 0, retries: 0, throttledMs: 0 });
	});

	it.each(
		final.filter(([, , grpcCode]) => grpcCode !== undefined),
	)("%s: a submit is refused after one attempt", async (_case, reply, grpcCode, message) => {
		server.script(reply);
		const before = server.received.length;
		expect(await submit()).toMatchObject({
			kind: "refused",
			httpStatus: reply.status,
			grpcCode,
			message: expect.stringMatching(message) as string,
			requests: 1,
		});
		expect(server.received.length).toBe(before + 1);
	});

	it.each(
		cases.filter(([, , grpcCode]) => grpcCode === undefined),
	)("%s: a submit is in doubt, because the error is not one of the service's own", async (_case, reply, _code, message) => {
		server.script(...Array.from({ length: 20 }, () => reply));
		const answer = await submit();
		expect(answer.kind).toBe("unknown");
		expect("because" in answer ? answer.because.replace(/; the error is not one .*/, "") : "").toMatch(message);
	});

	it.each([
		["401/16", failure(401, 16, "no stamp")],
		["401 without JSON", { status: 401, headers: html, body: "<h1>" }],
		["403/16", failure(403, 16, "expired key")],
	])("%s: the service rejects the key", async (_case, reply) => {
		server.script(reply, reply);
		const error = (await query()) as AuthenticationError;
		expect(error).toBeInstanceOf(AuthenticationError);
		expect(error.exitCode).toBe(4);
		expect(error.message).toMatch(/^the service does not accept this key/);
		expect(error.hint).toContain(apiKey.publicKey);
		expect(error.hint).toContain(organizationId);
		const kind = reply.headers === undefined ? "refused" : "unknown";
		expect(await submit()).toMatchObject({ kind, keyNotAccepted: true, requests: 1 });
	});

	it("makes exit code 9 of a 403 to a query", async () => {
		server.script(failure(403, 7, "denied", denial));
		expect(await query()).toMatchObject({ httpStatus: 403, exitCode: 9 });
	});
});

describe("an inconclusive answer", () => {
	const lasting: readonly (readonly [string, Reply, RegExp, number | undefined])[] = [
		["500", failure(500, 13, "internal"), /answered 500: internal$/, 500],
		["502 as HTML", { status: 502, headers: html, body: "<h1>" }, /answered 502 with text\/html$/, 502],
		["503 without a body", { status: 503, body: "" }, /answered 503$/, 503],
		["504", failure(504, 4, "deadline"), /answered 504: deadline$/, 504],
		["599", { status: 599, body: "" }, /answered 599$/, 599],
		["408", { status: 408, body: "" }, /answered 408$/, 408],
		["499", failure(499, 1, "cancelled"), /answered 499: cancelled$/, 499],
		["JSON cut short", { body: '{"userTags":[' }, /answer was cut short$/, undefined],
		["an empty JSON answer", { body: "" }, /answer was cut short$/, undefined],
		[
			"reset before the answer",
			{ act: (request) => request.socket.destroy() },
			/failed before an answer came/,
			undefined,
		],
		[
			"reset within the answer",
			{ act: (_request, response) => cutShort(response) },
			/answer of .* was cut short/,
			undefined,
		],
		["no HTTP", { act: (request) => request.socket.end("hello\r\n\r\n") }, /does not speak HTTP$/, undefined],
	];

	function cutShort(response: ServerResponse): void {
		response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
		response.write('{"userTags":[', () => setTimeout(() => response.destroy(), 20));
	}

	it.each(lasting)("%s: a query throws after all attempts", async (name, reply, message, httpStatus) => {
		server.script(...forEver(reply));
		const error = (await query()) as ServiceError | TransportError;
		expect(error.message).toMatch(message);
		if (httpStatus === undefined) expect(error).toMatchObject({ code: "transport", sent: "maybe" });
		else expect(error).toMatchObject({ code: "service", httpStatus });
		expect(clockMs - startMs).toBeLessThan(30_000);
		expect(client.stats().retries).toBe(name === "no HTTP" ? 0 : 11);
	});

	it.each(
		lasting,
	)("%s: a submit is in doubt after all attempts, each with the same bytes", async (name, reply, message) => {
		server.script(...forEver(reply));
		const before = server.received.length;
		const answer = await submit();
		const sent = server.received.slice(before);
		expect(answer).toMatchObject({ kind: "unknown", because: expect.stringMatching(message) as string });
		expect(answer.requests).toBe(name === "no HTTP" ? 1 : 12);
		expect(sent.length).toBe(answer.requests);
		expect(sent.flatMap(({ mistakes }) => mistakes)).toEqual([]);
		expect(new Set(sent.map((request) => request.body))).toEqual(new Set([body.bytes]));
		expect(client.stats()).toEqual({ queries: 0, submits: 1, retries: answer.requests - 1, throttledMs: 0 });
	});

	it.each(lasting)("%s once: a retry gets the answer", async (name, reply) => {
		if (name === "no HTTP") return;
		server.script(reply);
		expect(await query()).toMatchObject({ value: { userTags: [{ tagId: "t" }] } });
		server.script(reply);
		expect(await submit()).toMatchObject({ kind: "activity", requests: 2 });
		expect(client.stats()).toEqual({ queries: 1, submits: 1, retries: 2, throttledMs: 0 });
	});

	const foreign: readonly (readonly [string, Reply, RegExp])[] = [
		["200 as HTML", { headers: html, body: "<html>hidden" }, /not an answer of this service: 200 with text\/html$/],
		["204", { status: 204, headers: { "content-type": "" }, body: "" }, /204 with no content type$/],
		["303", { status: 303, headers: { location: "/done" }, body: "" }, /redirect \(303\)/],
		["JSON that is no object", { body: "[]" }, /not one of/],
		["JSON of something else", { body: { hello: "hidden" } }, /(userTags|activity) is missing/],
		["null", { body: "null" }, /not one of/],
	];

	it.each(foreign)("%s: is neither retried nor a success", async (_case, reply, message) => {
		server.script(reply, reply);
		const error = (await query()) as ServiceError;
		expect(error).toBeInstanceOf(ServiceError);
		expect(error.message).toMatch(message);
		expect(error.message).not.toContain("hidden");
		expect(error.hint).toMatch(/--url/);
		expect(await submit()).toMatchObject({
			kind: "unknown",
			because: expect.stringMatching(message) as string,
			requests: 1,
		});
	});

	it("is one that is compressed, which orgsync does not ask for", async () => {
		const act: Reply["act"] = (_request, response) => {
			response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
			response.end(gzipSync('{"userTags":[]}'));
		};
		server.script({ act });
		expect(await query()).toMatchObject({
			message: "list_user_tags: the answer is compressed (gzip), unasked",
			hint: expect.stringMatching(/^check --url: a gateway at .* compresses answers$/) as string,
		});
	});

	it("is one over 16 MiB, which is not read to its end", async () => {
		let written = 0;
		const endless: Reply = {
			act: (_request, response) => {
				const more = () => {
					while (!response.destroyed && written < 200e6 && response.write("x".repeat(1 << 20))) written += 1 << 20;
				};
				response.writeHead(200, { "content-type": "application/json" });
				response.on("drain", more);
				more();
			},
		};
		server.script(endless, endless);
		const error = (await query()) as ServiceError;
		expect(error.message).toMatch(/larger than 16 MiB and was not read$/);
		expect(await submit()).toMatchObject({ kind: "unknown", requests: 1 });
		expect(written).toBeLessThan(100e6);
	});
});
