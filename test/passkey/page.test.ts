/** The server of the signing page, asked by hand, and the stamper behind it. The browser's part is in test/browser. */
import { createServer, request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenOnLoopback } from "../../src/passkey/loopback.ts";
import { PasskeyPage } from "../../src/passkey/page.ts";
import { createPasskeyStamper } from "../../src/passkey/stamper.ts";
import { html } from "../../src/render/html/html.ts";

async function openPage(): Promise<PasskeyPage> {
	const page = await PasskeyPage.open({
		port: undefined,
		limitMs: 60_000,
		now: Date.now,
		doneWords: ["request signed", "requests signed"],
		note: () => undefined,
		onFirstTask: () => undefined,
	});
	onTestFinished(() => page.close());
	return page;
}

interface Sent {
	readonly method?: string;
	readonly path?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string;
	readonly address?: string;
}

/** Asks the page's server, and returns status, headers and text. */
function ask(page: PasskeyPage, { method = "GET", path = "", headers = {}, body = "", address }: Sent) {
	const { host, port, pathname } = new URL(page.url);
	return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
		const options = {
			host: address ?? "127.0.0.1",
			port,
			method,
			path: pathname + path,
			headers: { host, ...headers },
		};
		request(options, (answer) => {
			let text = "";
			answer.setEncoding("utf8").on("data", (part: string) => {
				text += part;
			});
			answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
		})
			.on("error", reject)
			.end(body);
	});
}

describe("the server of the page", () => {
	it("answers at both addresses of localhost, with nothing that may be kept, framed or loaded from elsewhere", async () => {
		const page = await openPage();
		for (const address of ["127.0.0.1", "::1"]) {
			const { status, headers, text } = await ask(page, { address });
			expect([status, text]).toEqual([200, expect.stringMatching(/^<!doctype html>/)]);
			expect(headers).toMatchObject({
				"cache-control": "no-store",
				"referrer-policy": "no-referrer",
				"x-frame-options": "DENY",
				"content-security-policy": expect.stringMatching(
					/^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
				),
			});
		}
	});

	const json = { "content-type": "application/json" };
	const site = (value: string) => ({ "sec-fetch-site": value });

	it.each<[number, string, Sent]>([
		[421, "another name (DNS rebinding)", { headers: { host: "evil.test" } }],
		[421, "another port in its name", { headers: { host: "localhost:1" } }],
		[421, "an address as its name", { headers: { host: "127.0.0.1" } }],
		[404, "a longer token", { path: "x" }],
		[404, "an unknown part", { path: "/status" }],
		[404, "a part of a part", { path: "/answer/x" }],
		[405, "a write to the page", { method: "POST" }],
		[405, "a preflight", { method: "OPTIONS", path: "/answer", headers: { origin: "https://evil.test" } }],
		[405, "a read of an answer", { path: "/answer" }],
		[403, "another site that opens it", { headers: site("cross-site") }],
		[403, "another port that opens it", { headers: site("same-site") }],
		[403, "a frame", { headers: { ...site("same-origin"), "sec-fetch-dest": "iframe" } }],
		[403, "another site that listens", { path: "/events", headers: { ...site("cross-site") } }],
		[403, "another origin that listens", { path: "/events", headers: { origin: "http://localhost:1" } }],
		[403, "an answer without an origin", { method: "POST", path: "/answer", headers: json }],
		[403, "an answer of another origin", { method: "POST", path: "/answer", headers: { ...json, origin: "null" } }],
		[
			403,
			"a refusal of another port",
			{ method: "POST", path: "/refuse", headers: { ...json, origin: "http://localhost:1" } },
		],
	])("answers %i to %s", async (status, _, sent) => {
		expect(await ask(await openPage(), sent)).toMatchObject({ status });
	});

	it("refuses answers from its own origin that are no form's, no JSON, too large, or for no request", async () => {
		const page = await openPage();
		const own = { ...json, origin: page.origin };
		const post = (body: string, headers = own) => ask(page, { method: "POST", path: "/answer", headers, body });
		expect((await post("{}", { ...own, "content-type": "text/plain" })).status).toBe(403);
		expect((await post("[]")).status).toBe(400);
		expect((await post(`"${"x".repeat(70_000)}"`)).status).toBe(400);
		expect(await post('{"id":""}')).toMatchObject({
			status: 409,
			text: expect.stringContaining("this request is over"),
		});
	});

	it("has nothing of a request in the page itself: only the first tab gets it", async () => {
		const page = await openPage();
		const { stamp } = createPasskeyStamper({
			page,
			describe: () => ({ heading: "secret words", html: html`` }),
			findPasskeys: async () => undefined,
		});
		const outcome = stamp('{"type":"t","organizationId":"o","parameters":{}}').catch(String);
		expect((await ask(page, {})).text).not.toContain("secret words");
		await page.close();
		expect(await outcome).toContain("the command has ended");
	});
});

describe("a port", () => {
	it("that is in use at one of the two addresses is refused, with the flag that chooses another", async () => {
		for (const host of ["127.0.0.1", "::1"]) {
			const other = createServer();
			await new Promise<void>((resolve) => other.listen(0, host, resolve));
			onTestFinished(() => void other.close());
			const { port } = other.address() as { port: number };
			await expect(listenOnLoopback(port, () => undefined)).rejects.toMatchObject({
				message: `port ${port} cannot be used: it is in use`,
				hint: expect.stringContaining("--passkey-port"),
				exitCode: 3,
			});
		}
	});

	it("is free again after the page is closed", async () => {
		const first = await openPage();
		const { port } = new URL(first.url);
		await first.close();
		const again = await listenOnLoopback(Number(port), () => undefined);
		await again.close();
	});
});

describe("the stamper", () => {
	it.each([
		["no words", '{"type":"t","organizationId":"o","parameters":{}}'],
		["a repeated member", '{"organizationId":"o","type":"t","parameters":{"a":1,"a":2}}'],
		["a repeated organization", '{"organizationId":"o","organizationId":"p"}'],
		["blanks that another reader could skip", '{ "organizationId": "o" }'],
		["no organization", '{"type":"t"}'],
		["parameters that are no object", '{"type":"t","organizationId":"o","parameters":[]}'],
		["no JSON", "x"],
	])("shows no body with %s", async (_, body) => {
		const page = await openPage();
		const { stamp } = createPasskeyStamper({
			page,
			describe: () => undefined,
			findPasskeys: async () => undefined,
		});
		await expect(stamp(body)).rejects.toThrow("orgsync has no words for it");
	});
});
