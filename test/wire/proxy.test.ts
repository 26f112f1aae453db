/** Which proxy is used, and the client behind real ones: a tunnel for https, forwarding for http. */
import { createServer as createHttpServer, type IncomingMessage, request as requestHttp } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/common/errors.ts";
import { findProxy, type ProxyOptions, readProxies } from "../../src/wire/proxy.ts";
import { makeCertificate } from "./certificate.ts";
import { goodActivity } from "./independent-server.ts";
import { events, expectNoSecret, makeClient, query, server, stamped, submit } from "./watched-client.ts";

const password = "p@ss w%rd";
const user = "alice";
const credentials = `${user}:${encodeURIComponent(password)}`;
const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
const serviceName = "api.example.test";

describe("the proxy in use", () => {
	const https = "http://proxy.test:3128";
	const choose = (url: string, options: ProxyOptions) => findProxy(new URL(url), options)?.address;

	it.each<[string, string, ProxyOptions, string | undefined]>([
		["is none without a variable", "https://api.test", {}, undefined],
		["is none for an empty variable", "https://api.test", { https: " " }, undefined],
		["is that of HTTPS_PROXY for https", "https://api.test", { https, http: "http://other.test:1" }, https],
		["is none for https with HTTP_PROXY only", "https://api.test", { http: https }, undefined],
		["is an http proxy without a scheme", "https://api.test", { https: "proxy.test:3128" }, https],
		["can be an https proxy", "https://api.test", { https: "https://proxy.test" }, "https://proxy.test"],
		["is none on another machine for a service on this one", "http://127.0.0.1:1", { http: https }, undefined],
		["is none on another machine for a service on this one, with https", "https://localhost:1", { https }, undefined],
		["can be on this machine for a service on it", "http://127.0.0.1:1", { http: "http://[::1]:8" }, "http://[::1]:8"],
		[
			"can be on this machine for a service elsewhere",
			"https://api.test",
			{ https: "localhost:8" },
			"http://localhost:8",
		],
	])("%s", (_fact, url, options, expected) => {
		expect(choose(url, options)).toBe(expected);
	});

	it.each([
		["*", "https://api.test"],
		["api.test", "https://api.test"],
		["API.Test", "https://api.test"],
		["test", "https://api.test"],
		[".test", "https://api.test"],
		["*.test", "https://api.test"],
		["api.test.", "https://api.test"],
		["one.test, api.test", "https://api.test"],
		["one.test api.test", "https://api.test"],
		["api.test:443", "https://api.test"],
		["api.test:8443", "https://api.test:8443"],
		["10.1.2.3", "https://10.1.2.3"],
		["10.0.0.0/8", "https://10.1.2.3"],
		["fd00::/8", "https://[fd12::1]"],
		["[fd12::1]", "https://[fd12::1]"],
		["fd12::1", "https://[fd12::1]:8443"],
		["[fd12::1]:8443", "https://[fd12::1]:8443"],
	])("is none when NO_PROXY is %j and the address %s", (no, url) => {
		expect(choose(url, { https, no })).toBeUndefined();
	});

	it.each([
		["", "https://api.test"],
		[",", "https://api.test"],
		[".", "https://api.test"],
		["i.test", "https://api.test"],
		["api.test.com", "https://api.test"],
		["v1.api.test", "https://api.test"],
		["api.test:8443", "https://api.test"],
		["2.3", "https://10.1.2.3"],
		["10.0.0.0/16", "https://10.1.2.3"],
		["10.0.0.0/99", "https://10.1.2.3"],
		["10.0.0.0/8", "https://api.test"],
		["fd00::/8", "https://10.1.2.3"],
	])("is the named one when NO_PROXY is %j and the address %s", (no, url) => {
		expect(choose(url, { https, no })).toBe(https);
	});

	it.each([
		["", undefined],
		["alice@", "alice:"],
		[":word@", ":word"],
		["alice:a%20b%3A@", "alice:a b:"],
	])("gets the user name and the password of its address: %j", (named, credentials) => {
		const authorization = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
		expect(findProxy(new URL("https://api.test"), { https: `http://${named}proxy.test:3128/` })).toEqual({
			address: https,
			authorization,
		});
	});

	it("comes from the environment; a lower-case name takes precedence", () => {
		const environment = { HTTP_PROXY: "a", HTTPS_PROXY: "b", https_proxy: "c", no_proxy: "", NO_PROXY: "*" };
		expect(readProxies(environment)).toEqual({ http: "a", https: "c", no: "" });
		expect(readProxies({})).toEqual({ http: undefined, https: undefined, no: undefined });
	});

	it.each([
		`socks5://${credentials}@proxy.test`,
		`http://${credentials}@`,
		`http://${user}:%zz-hidden@proxy.test`,
		`http://${credentials}@proxy.test:99999`,
	])("is refused without its address when it cannot be used: case %#", (text) => {
		let error: unknown;
		try {
			makeClient({ url: "https://api.test", proxy: { https: text } });
		} catch (thrown) {
			error = thrown;
		}
		expect(error).toBeInstanceOf(ConfigurationError);
		const seen = inspect(error, { depth: 9 }) + JSON.stringify(error);
		expect(seen).toContain("HTTPS_PROXY");
		for (const secret of [user, "hidden", encodeURIComponent(password)]) expect(seen).not.toContain(secret);
	});
});

/** A small proxy: forwards requests with an absolute address, and opens tunnels; every name is this machine. */
interface RunningProxy {
	readonly url: string;
	readonly seen: {
		readonly line: string;
		readonly host: string | undefined;
		readonly authorization: string | undefined;
		readonly stamp: boolean;
	}[];
	/** Refuses tunnels and requests with this status. */
	refuse: number | undefined;
	readonly server: Server;
}

const closing: (() => Promise<unknown>)[] = [];
const sockets = new Set<Socket>();

function listen(listening: Server): Promise<number> {
	listening.on("connection", (socket) => {
		sockets.add(socket.on("error", () => undefined));
		socket.on("close", () => sockets.delete(socket));
	});
	closing.push(() => new Promise((resolve) => listening.close(resolve)));
	return new Promise((resolve) => {
		listening.listen(0, "127.0.0.1", () => resolve((listening.address() as AddressInfo).port));
	});
}

async function startProxy(): Promise<RunningProxy> {
	const proxy = createHttpServer();
	const running = { url: "", seen: [] as RunningProxy["seen"], refuse: undefined as number | undefined, server: proxy };
	const note = ({ method, url, headers }: IncomingMessage) => {
		const stamp = headers["x-stamp"] !== undefined;
		const { host, "proxy-authorization": authorization } = headers;
		running.seen.push({ line: `${method} ${url}`, host, authorization, stamp });
	};
	proxy.on("connect", (request: IncomingMessage, socket: Socket) => {
		note(request);
		socket.on("error", () => undefined);
		if (running.refuse !== undefined) return socket.end(`HTTP/1.1 ${running.refuse} No\r\ncontent-length: 0\r\n\r\n`);
		const upstream = connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
			socket.write("HTTP/1.1 200 OK\r\n\r\n");
			upstream.pipe(socket).pipe(upstream);
		});
		sockets.add(upstream);
		return upstream.on("error", () => socket.destroy());
	});
	proxy.on("request", (request, response) => {
		note(request);
		if (running.refuse !== undefined) return response.writeHead(running.refuse).end();
		const { "proxy-authorization": _ours, ...headers } = request.headers;
		const upstream = requestHttp(String(request.url), { method: request.method ?? "", headers }, (answer) => {
			response.writeHead(answer.statusCode ?? 500, answer.headers);
			answer.pipe(response);
		});
		return request.pipe(upstream);
	});
	running.url = `http://127.0.0.1:${await listen(proxy)}`;
	return running;
}

/** A Node older than 22.19 cannot trust the certificate of the test. */
const canTrust = setDefaultCACertificates !== undefined;

describe.runIf(canTrust)("a service behind a proxy", () => {
	let proxy: RunningProxy;
	let serviceUrl: string;
	let hosts: (string | undefined)[];
	beforeAll(async () => {
		const pair = makeCertificate(serviceName);
		setDefaultCACertificates([...getCACertificates("default"), pair.cert]);
		const service = createHttpsServer(pair, (request, response) => {
			const chunks: Buffer[] = [];
			request.on("data", (chunk: Buffer) => chunks.push(chunk));
			request.on("end", () => {
				hosts.push(request.headers.host);
				const isQuery = request.url?.includes("/query/");
				const answer = isQuery ? { userTags: [] } : { activity: goodActivity(Buffer.concat(chunks).toString()) };
				response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
			});
		});
		proxy = await startProxy();
		serviceUrl = `https://${serviceName}:${await listen(service)}`;
	});
	afterAll(async () => {
		for (const socket of sockets) socket.destroy();
		await Promise.all(closing.map((close) => close()));
	});
	afterEach(() => {
		proxy.seen.length = 0;
		proxy.refuse = undefined;
		hosts = [];
	});
	hosts = [];

	const withPassword = () => proxy.url.replace("//", `//${credentials}@`);
	function expectNoPassword(value: unknown): void {
		expectNoSecret(value);
		const text = inspect(value, { depth: 12, showHidden: true }) + JSON.stringify([value, events]);
		for (const secret of [password, encodeURIComponent(password), authorization.slice(6), user]) {
			expect(text.includes(secret)).toBe(false);
		}
	}

	it("is reached through a tunnel with https, in which the proxy sees no stamp", async () => {
		const client = makeClient({ url: serviceUrl, proxy: { https: withPassword(), http: "http://unused.test" } });
		expect(await query(client)).toMatchObject({ value: { userTags: [] } });
		expect(await submit(client)).toMatchObject({ kind: "activity", requests: 1 });
		const host = new URL(serviceUrl).host;
		expect(new Set(proxy.seen.map(({ line }) => line))).toEqual(new Set([`CONNECT ${host}`]));
		expect(proxy.seen.every((seen) => seen.authorization === authorization && !seen.stamp)).toBe(true);
		expect(hosts).toEqual([host, host]);
		expect(stamped).toHaveLength(2);
	});

	it("is reached by forwarding with http, when both are on this machine", async () => {
		const client = makeClient({ proxy: { http: withPassword() } });
		const before = server.received.length;
		expect(await query(client)).toMatchObject({ value: { userTags: [{ tagId: "t" }] } });
		expect(await submit(client)).toMatchObject({ kind: "activity" });
		expect(proxy.seen.map(({ line }) => line)).toEqual([
			`POST ${server.url}/public/v1/query/list_user_tags`,
			`POST ${server.url}/public/v1/submit/delete_policies`,
		]);
		expect(proxy.seen.map((seen) => seen.authorization)).toEqual([authorization, authorization]);
		expect(new Set(proxy.seen.map(({ host }) => host))).toEqual(new Set([new URL(server.url).host]));
		// The service gets what it would get directly: the proxy's header is not among it.
		expect(server.received.slice(before).map(({ mistakes }) => mistakes)).toEqual([[], []]);
	});

	it("is reached directly when NO_PROXY names it", async () => {
		const client = makeClient({ proxy: { http: proxy.url, no: "127.0.0.1" } });
		expect(await query(client)).toMatchObject({ value: {} });
		expect(proxy.seen).toEqual([]);
	});

	it.each([
		[407, 1, /the proxy needs a user name and a password/],
		[403, 1, /does the proxy allow this address/],
		[503, 4, /NO_PROXY/],
	])("gets nothing when the proxy refuses the tunnel (%i), and the message names the proxy", async (status, requests, hint) => {
		proxy.refuse = status;
		const client = makeClient({ url: serviceUrl, proxy: { https: withPassword() } });
		const answer = await submit(client);
		expect(answer).toMatchObject({
			kind: "not-sent",
			because: `the proxy ${proxy.url} does not connect to ${serviceUrl} (${status})`,
			hint: expect.stringMatching(hint) as string,
			requests,
		});
		const error = await query(client);
		expect(error).toMatchObject({ code: "transport", sent: "no" });
		expect(events.map(({ result }) => result)).toContain("proxy-refused");
		expectNoPassword([answer, error]);
		expect(hosts).toEqual([]);
	});

	it("gets nothing when the proxy does not listen, and the message names the proxy", async () => {
		const gone = await startProxy();
		gone.server.close();
		const client = makeClient({ url: serviceUrl, proxy: { https: gone.url.replace("//", `//${credentials}@`) } });
		const answer = await submit(client);
		expect(answer).toMatchObject({
			kind: "not-sent",
			because: `no proxy answers at ${gone.url} (connection refused)`,
			requests: 4,
		});
		expectNoPassword([answer, await query(client)]);
	});

	it("leaves the submit in doubt when an http proxy requires a password, and the message says so", async () => {
		proxy.refuse = 407;
		const client = makeClient({ proxy: { http: proxy.url } });
		expect(await submit(client)).toMatchObject({
			kind: "unknown",
			because: expect.stringMatching(/^a proxy requires a user name and a password \(407\); /) as string,
		});
	});

	it("gets nothing when the proxy does not reach it in time", async () => {
		const mute = await startProxy();
		mute.server.removeAllListeners("connect").on("connect", (_request, socket: Socket) => void sockets.add(socket));
		const client = makeClient({
			url: serviceUrl,
			proxy: { https: mute.url },
			attemptTimeoutMs: 100,
			timeoutMs: 150,
			sleep: () => Promise.resolve(),
		});
		expect(await submit(client)).toMatchObject({
			kind: "not-sent",
			because: expect.stringMatching(/^no connection to https:/) as string,
		});
		for (const socket of sockets) socket.destroy();
	});
});
