/** The connections to the service, directly or through a proxy, and one attempt over them. */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { urlToHttpOptions } from "node:url";
import { BoundedBody } from "../common/bounded-body.ts";
import type { Answer } from "./answer.ts";
import type { ServiceProxy } from "./proxy.ts";
import { lookUpHost, loopbackOrigin } from "./service-url.ts";
import type { Stamp } from "./stamp.ts";
import { tlsOptions } from "./tls.ts";
import {
	type AttemptStage,
	classifyTransportError,
	failureAt,
	maxAnswerBytes,
	type TransportFailure,
} from "./transport-failure.ts";

interface Transport {
	/** Where requests go, over which connections. */
	readonly target: RequestOptions & { readonly agent: Agent };
	/** What precedes an operation's own path. */
	readonly pathPrefix: string;
	/** Headers for a proxy. They may hold a password. */
	readonly headers: Readonly<Record<string, string>>;
	/** The attempts that have not ended. */
	readonly inFlight: Set<Promise<unknown>>;
	isClosed: boolean;
	/** Ends the tunnels that open. */
	readonly closing: AbortController;
}

/** A connection without a request is closed after this time: a gateway may close it without saying so. */
const idleMs = 4000;

/** Returns the transport to `base` over at most `connections`. `attemptTimeoutMs` is for opening a tunnel through a proxy. */
export function openTransport(
	base: URL,
	proxy: ServiceProxy | undefined,
	connections: number,
	attemptTimeoutMs: number,
	insecure: boolean,
): Transport {
	const pathPrefix = base.pathname.replace(/\/+$/, "");
	const shared = { inFlight: new Set<Promise<unknown>>(), isClosed: false, closing: new AbortController() };
	const open = (url: URL) => {
		const { protocol, hostname, port } = urlToHttpOptions(url);
		const { Agent } = httpFor(protocol);
		const security = protocol === "https:" ? tlsOptions(insecure) : {};
		const options = { keepAlive: true, maxSockets: connections, timeout: idleMs, lookup: lookUpHost, ...security };
		return { protocol, hostname, port, agent: guardIdle(new Agent(options)) };
	};
	if (proxy === undefined) return { target: open(base), pathPrefix, headers: {}, ...shared };
	const { authorization } = proxy;
	const password = authorization === undefined ? {} : { "proxy-authorization": authorization };
	const address = new URL(proxy.address);
	if (base.protocol === "http:") {
		const headers = { host: base.host, ...password };
		return { target: open(address), pathPrefix: loopbackOrigin(base) + pathPrefix, headers, ...shared };
	}
	const target = open(base);
	const { protocol, hostname, port } = urlToHttpOptions(address);
	const opening = { protocol, hostname, port, lookup: lookUpHost, ...tlsOptions(insecure), agent: false as const };
	useTunnels(target.agent, () => {
		const path = `${base.hostname}:${base.port === "" ? 443 : base.port}`;
		// No attempt waits so long.
		const signal = AbortSignal.any([shared.closing.signal, AbortSignal.timeout(2 * attemptTimeoutMs)]);
		const request = httpFor(protocol).request({ ...opening, method: "CONNECT", path, signal });
		return request.setHeaders(new Map(Object.entries({ host: path, ...password })));
	});
	return { target, pathPrefix, headers: {}, ...shared };
}

/** Closes an idle connection on which something arrives: older versions of Node take it for the answer to the next request. */
function guardIdle(agent: Agent): Agent {
	const [keep, reuse] = [agent.keepSocketAlive.bind(agent), agent.reuseSocket.bind(agent)];
	function close(this: Duplex): void {
		this.destroy();
	}
	agent.keepSocketAlive = (socket) => {
		socket.on("data", close);
		return keep(socket);
	};
	agent.reuseSocket = (socket, request) => {
		socket.off("data", close);
		reuse(socket, request);
	};
	return agent;
}

/** Node's client for the protocol of a URL. It loads TLS, which takes milliseconds, only for https. */
function httpFor(protocol: string | null | undefined): Pick<typeof import("node:http"), "Agent" | "request"> {
	return process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http");
}

/** Lets the agent of https connect through tunnels of a proxy, which sees a name and ciphertext, no stamp. */
function useTunnels(agent: Agent, connect: () => ClientRequest): void {
	const secure = agent.createConnection.bind(agent);
	agent.createConnection = (options, callback) => {
		const fail = (error: Error): void => callback?.(error, undefined as never);
		connect()
			.once("connect", ({ statusCode }: IncomingMessage, socket: Socket, head: Buffer) => {
				if (statusCode === 200) {
					socket.unshift(head);
					callback?.(null, secure({ ...options, socket } as typeof options) as Socket);
				} else {
					socket.destroy();
					fail(Object.assign(new Error("the proxy opens no tunnel"), { code: String(statusCode) }));
				}
			})
			.once("error", fail)
			.end();
		return undefined;
	};
}

/** Makes one attempt: returns the answer, read to its end, or why there is none. Never throws. Redirects are not followed. */
export function sendAttempt(
	{ target, pathPrefix, headers, inFlight, isClosed }: Transport,
	path: string,
	bytes: string,
	stamp: Stamp,
	timeoutMs: number,
): Promise<Answer | TransportFailure> {
	if (isClosed) return Promise.resolve(failureAt("connecting", "closed"));
	const allHeaders = {
		...headers,
		accept: "application/json",
		"content-type": "application/json",
		[stamp.stampHeaderName]: stamp.stampHeaderValue,
	};
	const attempt = new Promise<Answer | TransportFailure>((resolve) => {
		const options = { ...target, path: pathPrefix + path, method: "POST" };
		const request = follow(httpFor(target.protocol).request(options), timeoutMs, resolve);
		try {
			// Not among the options: NODE_DEBUG=http prints those.
			request.setHeaders(new Map(Object.entries(allHeaders))).end(bytes);
		} catch (error) {
			// A header that HTTP does not allow.
			resolve(classifyTransportError(error, "connecting"));
			request.destroy();
		}
	});
	inFlight.add(attempt);
	void attempt.then(() => inFlight.delete(attempt));
	return attempt;
}

/** Resolves when the attempts in flight have ended, or at once, and the connections are closed. */
export async function closeTransport(transport: Transport, isAtOnce: boolean): Promise<void> {
	transport.isClosed = true;
	if (!isAtOnce) await Promise.all(transport.inFlight);
	transport.closing.abort();
	transport.target.agent.destroy();
}

/** Calls `end` once, with the answer to the request, or with why there is none. Returns the request. */
function follow(
	request: ClientRequest,
	timeoutMs: number,
	end: (exchange: Answer | TransportFailure) => void,
): ClientRequest {
	const body = new BoundedBody(maxAnswerBytes);
	let stage: AttemptStage = "connecting";
	const finish = (exchange: Answer | TransportFailure): void => {
		clearTimeout(timer);
		end(exchange);
	};
	// Nothing leaves any more, even if the connection opens later.
	const abort = (reason: "time-out" | "too-large"): void => {
		finish(failureAt(stage, reason));
		request.destroy();
	};
	const timer = setTimeout(() => abort("time-out"), Math.max(0, timeoutMs));
	const fail = (error: unknown): void => finish(classifyTransportError(error, stage));
	request.on("error", fail);
	// Node writes the request only once the connection is open.
	request.on("socket", (socket: Socket & { readonly secureConnecting?: boolean }) => {
		const writing = (): void => {
			stage = "written";
		};
		if (socket.secureConnecting === true) socket.once("secureConnect", writing);
		else if (socket.connecting) socket.once("connect", writing);
		else writing();
	});
	request.on("response", (response) => {
		stage = "answering";
		const { statusCode: httpStatus = 0, rawHeaders } = response;
		response.on("error", fail);
		response.on("data", (chunk: Buffer) => {
			if (!body.add(chunk)) abort("too-large");
		});
		response.on("end", () =>
			finish({ kind: "answer", httpStatus, headers: joinHeaders(rawHeaders), text: decoder.decode(body.read()) }),
		);
	});
	return request;
}

/** One for all answers: making one costs more than decoding a small answer. */
const decoder = new TextDecoder();

/** Names and values in turn as texts by lower-case name. */
function joinHeaders(raw: readonly string[]): Record<string, string> {
	const texts: Record<string, string> = Object.create(null);
	for (let at = 0; at < raw.length; at += 2) {
		const name = (raw[at] ?? "").toLowerCase();
		const value = raw[at + 1] ?? "";
		texts[name] = name in texts ? `${texts[name]}, ${value}` : value;
	}
	return texts;
}
