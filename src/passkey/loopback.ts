/**
 * Listens on this machine only, at both addresses that `localhost` can mean. A browser may try ::1 first: if another program
 * listened there, it would get the page's address and answer in its place.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigurationError } from "../common/errors.ts";

/** A port of this machine on which no other program listens. */
export interface Loopback {
	readonly port: number;
	/** Resolves when nothing listens and no connection is open any more. */
	close(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** How often a free port is looked for that is free at both addresses. */
const maxAttempts = 20;

/** How long connections may take to end after the last answer, in milliseconds. */
const closeGraceMs = 500;

/** Listens at `port`, or at any free one. Throws ConfigurationError if it is in use at an address, or may not be used. */
export async function listenOnLoopback(port: number | undefined, handler: Handler): Promise<Loopback> {
	for (let attempt = 1; ; attempt += 1) {
		const found = await tryPort(port ?? 0, handler);
		if (typeof found === "object") return found;
		if (port !== undefined) throw portError(port, found);
		if (attempt === maxAttempts) throw portError(0, found);
	}
}

function portError(port: number, code: string): ConfigurationError {
	const reasons: Readonly<Record<string, string>> = { EADDRINUSE: "it is in use", EACCES: "permission is denied" };
	const because = reasons[code] ?? code;
	const message =
		port === 0 ? `no port of this machine can be used: ${because}` : `port ${port} cannot be used: ${because}`;
	return new ConfigurationError(message, { hint: "choose another port with --passkey-port, 1024 to 65535" });
}

/** Returns why ::1 does not count on this machine: it has no such address. */
const withoutIpv6 = ["EADDRNOTAVAIL", "EAFNOSUPPORT"];

/** Listens at both addresses. Returns the code of the system's error if that fails. */
async function tryPort(port: number, handler: Handler): Promise<Loopback | string> {
	const first = await listen(port, "127.0.0.1", handler);
	if (typeof first === "string") return first;
	const chosen = (first.address() as AddressInfo).port;
	const second = await listen(chosen, "::1", handler);
	const servers = typeof second === "string" ? [first] : [first, second];
	const close = async (): Promise<void> => {
		await Promise.all(servers.map(closeServer));
	};
	if (typeof second !== "string" || withoutIpv6.includes(second)) return { port: chosen, close };
	await close();
	return second;
}

function listen(port: number, host: string, handler: Handler): Promise<Server | string> {
	const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16_384 }, handler);
	server.maxConnections = 64;
	return new Promise((resolve) => {
		server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
		server.listen({ port, host, exclusive: true }, () => {
			server.removeAllListeners("error");
			resolve(server);
		});
	});
}

function closeServer(server: Server): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(() => server.closeAllConnections(), closeGraceMs);
		server.close(() => {
			clearTimeout(timer);
			resolve();
		});
		server.closeIdleConnections();
	});
}
