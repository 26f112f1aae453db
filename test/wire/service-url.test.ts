/** What counts as this machine, and that nothing else is ever asked in plain http. */
import dns from "node:dns";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createConnection } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../src/common/errors.ts";
import { findProxy } from "../../src/wire/proxy.ts";
import { isLoopback, lookUpHost, parseServiceUrl } from "../../src/wire/service-url.ts";
import { makeClient, query } from "./watched-client.ts";

const closing: Server[] = [];

afterEach(() => {
	vi.restoreAllMocks();
	for (const server of closing.splice(0)) {
		server.closeAllConnections();
		server.close();
	}
});

/** A service that answers with its own name as the id of a tag. */
async function serve(name: string, host: string, port = 0): Promise<number> {
	const server = createServer((request, response) => {
		const tag = { tagId: name, tagName: `${request.headers.host} ${request.url}`, tagType: "T" };
		response.setHeader("content-type", "application/json").end(JSON.stringify({ userTags: [tag] }));
	});
	closing.push(server);
	await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
	return (server.address() as AddressInfo).port;
}

describe("the service's address", () => {
	it.each([
		["https://somebody@api.example.com", "a user name or a password"],
		["https://:hidden@api.example.com", "a user name or a password"],
		["https://api.example.com?hidden", "a query or a fragment"],
		["https://api.example.com#hidden", "a query or a fragment"],
	])("is refused in %s, and is not repeated", (url, what) => {
		expect(() => parseServiceUrl(url)).toThrow(
			expect.objectContaining({
				message: `the service's address holds ${what}`,
				hint: "give an address like https://api.example.com with --url",
			}),
		);
	});
});

describe("plain http", () => {
	it.each([
		["http://localhost:1"],
		["http://LOCALHOST:1"],
		["http://localhost.:1"],
		["http://127.0.0.1:1"],
		["http://127.255.255.254:1"],
		["http://127.1:1"],
		["http://0x7f.1:1"],
		["http://0177.0.0.1:1"],
		["http://2130706433:1"],
		["http://127.0.0.1.:1"],
		["http://[::1]:1"],
		["http://[0:0:0:0:0:0:0:1]:1"],
		["http://[::ffff:127.0.0.1]:1"],
	])("goes to %s, which is this machine", (url) => {
		expect(isLoopback(parseServiceUrl(url).hostname)).toBe(true);
	});

	it.each([
		["http://foo.localhost:1"],
		["http://a.b.localhost:1"],
		["http://foo.localhost.:1"],
		["http://localhost.example.com"],
		["http://localhost..:1"],
		["http://notlocalhost:1"],
		["http://127.0.0.1.example.com"],
		["http://127.0.0.1.localhost"],
		["http://0.0.0.0:1"],
		["http://0:1"],
		["http://[::]:1"],
		["http://[::ffff:10.0.0.1]:1"],
		["http://[::127.0.0.1]:1"],
		["http://[64:ff9b::7f00:1]:1"],
		["http://128.0.0.1:1"],
		["http://126.255.255.255:1"],
		["http://example.com\\@localhost:1"],
		["http://localhost@example.com:1"],
		["http://127.0.0.1:80@example.com"],
	])("is refused to %s", (url) => {
		expect(() => parseServiceUrl(url)).toThrow(ConfigurationError);
	});

	it("is for names and addresses of this machine only, and the error says so", () => {
		expect(() => parseServiceUrl("http://foo.localhost:1")).toThrow("plain http is refused for foo.localhost");
	});
});

describe("a service at localhost", () => {
	/** As if a name server, or a hosts file, had another machine for every name. */
	function resolveEverythingTo(address: string): void {
		vi.spyOn(dns, "lookup").mockImplementation(((_name: string, options: { all?: boolean }, callback: unknown) => {
			const reply = callback as (error: null, found: unknown, family?: number) => void;
			if (options.all === true) reply(null, [{ address, family: 4 }]);
			else reply(null, address, 4);
		}) as never);
	}

	it("is on this machine, whatever a name server says", async () => {
		const port = await serve("here", "127.0.0.1");
		await serve("elsewhere", "127.0.0.77", port);
		resolveEverythingTo("127.0.0.77");
		for (const host of ["localhost", "localhost."]) {
			expect(await query(makeClient({ url: `http://${host}:${port}` }))).toMatchObject({
				value: { userTags: [{ tagId: "here" }] },
			});
		}
		expect(dns.lookup).not.toHaveBeenCalled();
	});

	it("can be at ::1 too", async () => {
		const port = await serve("here", "::1").catch(() => undefined);
		if (port === undefined) return;
		expect(await query(makeClient({ url: `http://localhost:${port}` }))).toMatchObject({
			value: { userTags: [{ tagId: "here" }] },
		});
	});

	it("is reached through a proxy at localhost by its address, so that neither name is resolved", async () => {
		const port = await serve("proxy", "127.0.0.1");
		await serve("elsewhere", "127.0.0.77", port);
		resolveEverythingTo("127.0.0.77");
		const proxy = { http: `http://localhost:${port}` };
		expect(await query(makeClient({ url: "http://localhost:8080/base", proxy }))).toMatchObject({
			value: {
				userTags: [
					{ tagId: "proxy", tagName: "localhost:8080 http://127.0.0.1:8080/base/public/v1/query/list_user_tags" },
				],
			},
		});
	});

	it("is reached directly when the proxy is below .localhost, which may be another machine", () => {
		const proxy = { http: "http://proxy.localhost:1", https: "http://proxy.localhost:1" };
		expect(findProxy(new URL("http://localhost:2"), proxy)).toBeUndefined();
		expect(findProxy(new URL("https://[::ffff:127.0.0.1]:2"), proxy)).toBeUndefined();
	});
});

describe("the lookup of a socket", () => {
	const found = (host: string, options: object) =>
		new Promise((resolve) => lookUpHost(host, options, (...answer) => resolve(answer)));

	it("has both addresses of localhost, or the one of the family that is asked for", async () => {
		const four = { address: "127.0.0.1", family: 4 };
		const six = { address: "::1", family: 6 };
		expect(await found("localhost", { all: true })).toEqual([null, [four, six]]);
		expect(await found("LocalHost.", { all: true, family: 6 })).toEqual([null, [six]]);
		expect(await found("localhost", { family: 0 })).toEqual([null, "127.0.0.1", 4]);
		for (const family of [6, "IPv6"]) expect(await found("localhost", { family })).toEqual([null, "::1", 6]);
		for (const family of [4, "IPv4"]) {
			expect(await found("localhost", { family, all: true })).toEqual([null, [four]]);
		}
	});

	it("is the system's for every other name", async () => {
		vi.spyOn(dns, "lookup");
		expect(await found("127.0.0.9", {})).toEqual([null, "127.0.0.9", 4]);
	});

	it("serves sockets that try one address only", async () => {
		const port = await serve("here", "127.0.0.1");
		const socket = createConnection({ host: "localhost", port, lookup: lookUpHost, autoSelectFamily: false });
		await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
		expect(socket.remoteAddress).toBe("127.0.0.1");
		socket.destroy();
	});
});
