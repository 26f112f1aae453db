/** TLS is as strong as orgsync needs it, whatever the environment says, unless an operator says otherwise. */
import { createServer as createProxy } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import tls from "node:tls";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../src/common/errors.ts";
import { needsTls, refuseWeakTls } from "../../src/wire/tls.ts";
import { makeCertificate } from "./certificate.ts";
import { makeClient, server as plainService, query } from "./watched-client.ts";

const closing: Server[] = [];
const sockets = new Set<Socket>();
const { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS } = tls;
/** A Node older than 22.19 cannot change which authorities it trusts. */
const canTrust = tls.setDefaultCACertificates !== undefined;
const authorities = tls.getCACertificates("default");

afterEach(() => {
	vi.unstubAllEnvs();
	Object.assign(tls, { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS });
	if (canTrust) tls.setDefaultCACertificates(authorities);
	for (const socket of sockets) socket.destroy();
	for (const server of closing.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
	closing.push(server);
	server.on("connection", (socket) => sockets.add(socket.on("error", () => undefined)));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return (server.address() as AddressInfo).port;
}

/** What reached the service that was started last. */
let requests = 0;

/** A service at https with a certificate that no one vouches for, unless it is trusted here. */
async function serve({ trusted, ...options }: ServerOptions & { readonly trusted: boolean }): Promise<string> {
	const pair = makeCertificate("localhost");
	requests = 0;
	if (trusted) tls.setDefaultCACertificates([...authorities, pair.cert]);
	const service = createServer({ ...pair, ...options }, (request, response) => {
		requests += 1;
		request.resume();
		response.setHeader("content-type", "application/json").end('{"userTags":[]}');
	});
	return `https://localhost:${await listen(service)}`;
}

/** A proxy that opens tunnels. */
async function startProxy(): Promise<string> {
	const proxy = createProxy().on("connect", (request, socket: Socket) => {
		sockets.add(socket.on("error", () => undefined));
		const upstream = connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
			socket.write("HTTP/1.1 200 OK\r\n\r\n");
			upstream.pipe(socket).pipe(upstream);
		});
		sockets.add(upstream.on("error", () => undefined));
	});
	return `http://127.0.0.1:${await listen(proxy)}`;
}

const answered = { value: { userTags: [] } };
const notSecure = {
	code: "transport",
	sent: "no",
	message: expect.stringContaining("no secure connection to") as string,
};
const oldTls = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;

/** As NODE_OPTIONS=--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0 leaves Node. */
function weakenNode(): void {
	Object.assign(tls, { DEFAULT_MIN_VERSION: "TLSv1", DEFAULT_CIPHERS: "DEFAULT@SECLEVEL=0" });
}

describe("a client", () => {
	it("verifies the certificate although NODE_TLS_REJECT_UNAUTHORIZED is 0, directly and in a tunnel", async () => {
		const url = await serve({ trusted: false });
		vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
		const proxy = { https: await startProxy() };
		expect(await query(makeClient({ url }))).toMatchObject(notSecure);
		expect(await query(makeClient({ url, proxy }))).toMatchObject(notSecure);
	});

	it("sends nothing to a service whose certificate it does not accept, directly and in a tunnel", async () => {
		const url = await serve({ trusted: false });
		const proxy = { https: await startProxy() };
		for (const client of [makeClient({ url }), makeClient({ url, proxy })]) await query(client);
		await setTimeout(50);
		expect(requests).toBe(0);
		expect(await query(makeClient({ url, insecure: true }))).toMatchObject(answered);
		expect(requests).toBe(1);
	});

	it.runIf(canTrust)("accepts a certificate of an authority that Node trusts", async () => {
		const url = await serve({ trusted: true });
		expect(await query(makeClient({ url }))).toMatchObject(answered);
		expect(await query(makeClient({ url, proxy: { https: await startProxy() } }))).toMatchObject(answered);
	});

	it("accepts any certificate when it is insecure, directly and in a tunnel", async () => {
		const url = await serve({ trusted: false });
		const proxy = { https: await startProxy() };
		expect(await query(makeClient({ url, insecure: true }))).toMatchObject(answered);
		expect(await query(makeClient({ url, insecure: true, proxy }))).toMatchObject(answered);
	});

	it.runIf(canTrust)("uses TLS 1.2 or later although Node allows less, unless it is insecure", async () => {
		const url = await serve({ trusted: true, ...oldTls });
		weakenNode();
		expect(await query(makeClient({ url }))).toMatchObject(notSecure);
		expect(await query(makeClient({ url, insecure: true }))).toMatchObject(answered);
	});

	it("uses plain http for a service on this machine whatever the TLS options are", async () => {
		expect(await query(makeClient({ url: plainService.url, insecure: true }))).toMatchObject({ value: {} });
	});
});

describe("an environment", () => {
	const keylog = "--tls-keylog=/tmp/keys";
	it.each<[Record<string, string>, string]>([
		[{ NODE_TLS_REJECT_UNAUTHORIZED: "0" }, "NODE_TLS_REJECT_UNAUTHORIZED=0"],
		[{ SSLKEYLOGFILE: "/tmp/keys" }, "SSLKEYLOGFILE"],
		[{ NODE_OPTIONS: keylog }, "--tls-keylog in NODE_OPTIONS"],
		[{ NODE_OPTIONS: `--max-old-space-size=99  ${keylog}` }, "--tls-keylog in NODE_OPTIONS"],
		[{ NODE_OPTIONS: '"--tls-keylog=/tmp/a b"' }, "--tls-keylog in NODE_OPTIONS"],
		[{ NODE_OPTIONS: '--tls_"keylog" /tmp/keys' }, "--tls-keylog in NODE_OPTIONS"],
		[{ NODE_OPTIONS: "--tls-min-v1.0" }, "--tls-min-v1.0 in NODE_OPTIONS"],
		[{ NODE_OPTIONS: "--tls-min-v1.1" }, "--tls-min-v1.1 in NODE_OPTIONS"],
		[{ NODE_OPTIONS: "--tls-cipher-list=DEFAULT@SECLEVEL=0" }, "--tls-cipher-list in NODE_OPTIONS"],
		[{ NODE_OPTIONS: "--tls-cipher-list=ECDHE-RSA-AES128-SHA:NULL-SHA256" }, "--tls-cipher-list in NODE_OPTIONS"],
		[{ NODE_OPTIONS: '"--tls-cipher-list=HIGH ALL"' }, "--tls-cipher-list in NODE_OPTIONS"],
		[
			{ NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_OPTIONS: `${keylog} --tls-min-v1.0` },
			"NODE_TLS_REJECT_UNAUTHORIZED=0, --tls-keylog in NODE_OPTIONS, --tls-min-v1.0 in NODE_OPTIONS",
		],
	])("that weakens TLS is refused: %j", (environment, named) => {
		let error: unknown;
		try {
			refuseWeakTls(environment, "--insecure");
		} catch (thrown) {
			error = thrown;
		}
		expect(error).toBeInstanceOf(ConfigurationError);
		expect(error).toMatchObject({
			message: `the environment weakens TLS: ${named}`,
			hint: `unset ${named.includes(",") ? "them" : "it"}; to trust a private certificate authority, name its file in NODE_EXTRA_CA_CERTS; to override: --insecure`,
		});
		expect(JSON.stringify(error)).not.toContain("/tmp");
	});

	it.each<Record<string, string>>([
		{},
		{ NODE_TLS_REJECT_UNAUTHORIZED: "" },
		{ NODE_TLS_REJECT_UNAUTHORIZED: "1" },
		{ SSLKEYLOGFILE: "" },
		{ NODE_EXTRA_CA_CERTS: "/etc/ca.pem", NODE_USE_SYSTEM_CA: "1" },
		{ NODE_OPTIONS: "--tls-min-v1.2 --tls-min-v1.3 --tls-max-v1.2 --use-openssl-ca" },
		{ NODE_OPTIONS: "--tls-cipher-list=TLS_AES_256_GCM_SHA384:ECDHE-RSA-AES256-GCM-SHA384:!DES:!RC4:-MD5:!aNULL" },
	])("that does not weaken TLS is accepted: %j", (environment) => {
		expect(() => refuseWeakTls(environment)).not.toThrow();
	});
});

it.each<[url: string, environment: Record<string, string>, matters: boolean]>([
	["https://example.com", {}, true],
	["http://127.0.0.1", {}, false],
	["http://127.0.0.1", { SSLKEYLOGFILE: "keys" }, true],
	["no address", {}, false],
])("whether TLS without verification matters: %s, %j", (url, environment, matters) => {
	expect(needsTls(url, environment)).toBe(matters);
});
