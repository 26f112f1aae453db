/**
 * How bytes travel: the connections to the service, through a proxy or not, and one attempt over them. The only door to
 * undici.
 */
import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { Answer } from "./answer.ts";
import type { ServiceProxy } from "./proxy.ts";
import { lookUpHost, loopbackOrigin } from "./service-url.ts";
import type { Stamp } from "./stamp.ts";
import { tlsOptions } from "./tls.ts";
import {
	type AttemptStage,
	answerTooLarge,
	classifyTransportError,
	maxAnswerBytes,
	type TransportFailure,
	timeoutAt,
} from "./transport-failure.ts";

/** How requests reach the service. */
export interface Transport {
	readonly dispatcher: Dispatcher;
	readonly origin: string;
	/** What stands before an operation's own path. */
	readonly pathPrefix: string;
	/** What a proxy wants to see besides. May hold a password. */
	readonly headers: Readonly<Record<string, string>>;
}

/** How many connections a transport has, how long one may take to open, and whether any certificate will do. */
export interface TransportOptions {
	readonly connections: number;
	readonly attemptTimeoutMs: number;
	readonly insecure: boolean;
}

/** The transport to the service at `base`, by `proxy` where there is one. */
export function openTransport(
	base: URL,
	proxy: ServiceProxy | undefined,
	{ connections, attemptTimeoutMs, insecure }: TransportOptions,
): Transport {
	const pathPrefix = base.pathname.replace(/\/+$/, "");
	// An attempt has one time limit, kept in `send`; undici's own would race with it.
	const options = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
	// Only so that a connection nobody waits for any more is given up too.
	const connect = { timeout: attemptTimeoutMs, lookup: lookUpHost, ...tlsOptions(insecure) };
	const direct = (origin: string) => new Pool(origin, { ...options, connect });
	if (proxy === undefined) return { dispatcher: direct(base.origin), origin: base.origin, pathPrefix, headers: {} };
	if (base.protocol === "http:") {
		// Not undici's own forwarding: it tells a 407 as an error of the caller.
		const { authorization } = proxy;
		const password = authorization === undefined ? {} : { "proxy-authorization": authorization };
		const headers = { host: base.host, ...password };
		const origin = proxy.address;
		return { dispatcher: direct(origin), origin, pathPrefix: loopbackOrigin(base) + pathPrefix, headers };
	}
	// In a tunnel the proxy sees a name and ciphertext, no stamp.
	const dispatcher = new ProxyAgent({
		...options,
		uri: proxy.address,
		...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
		proxyTls: connect,
		requestTls: connect,
		clientFactory: (origin, given) => new Pool(origin, { ...given, headersTimeout: attemptTimeoutMs }),
	});
	return { dispatcher, origin: base.origin, pathPrefix, headers: {} };
}

/**
 * One attempt: the answer, read to its end, or why there is none. Never throws. Redirects are not followed, and undici
 * sends no POST a second time by itself.
 */
export function sendAttempt(
	transport: Transport,
	path: string,
	bytes: string,
	stamp: Stamp,
	timeoutMs: number,
): Promise<Answer | TransportFailure> {
	return new Promise((resolve) => {
		let stage: AttemptStage = "connecting";
		let abort: (() => void) | undefined;
		let ended = false;
		const end = (exchange: Answer | TransportFailure) => {
			ended = true;
			clearTimeout(timer);
			resolve(exchange);
		};
		const fail = (failure: TransportFailure) => {
			end(failure);
			abort?.();
		};
		const timer = setTimeout(() => fail(timeoutAt(stage)), Math.max(0, timeoutMs));
		const chunks: Buffer[] = [];
		let size = 0;
		let head: Pick<Answer, "httpStatus" | "headers"> = { httpStatus: 0, headers: {} };
		const handler: Dispatcher.DispatchHandler = {
			onRequestStart(controller) {
				// Called right before the first byte is written. After a time-out nothing may leave any more.
				abort = () => controller.abort(new Error("given up"));
				if (ended) abort();
				else stage = "written";
			},
			onResponseStart(_controller, httpStatus, headers) {
				if (httpStatus < 200) return;
				stage = "answering";
				head = { httpStatus, headers: flatten(headers) };
			},
			onResponseData(_controller, chunk) {
				size += chunk.length;
				if (size > maxAnswerBytes) fail(answerTooLarge);
				else chunks.push(chunk);
			},
			onResponseEnd() {
				end({ kind: "answer", ...head, text: new TextDecoder().decode(Buffer.concat(chunks)) });
			},
			onResponseError(_controller, error) {
				if (!ended) end(classifyTransportError(error, stage));
			},
		};
		const headers = {
			...transport.headers,
			accept: "application/json",
			"content-type": "application/json",
			[stamp.stampHeaderName]: stamp.stampHeaderValue,
		};
		try {
			const { dispatcher, origin, pathPrefix } = transport;
			dispatcher.dispatch({ origin, path: pathPrefix + path, method: "POST", headers, body: bytes }, handler);
		} catch (error) {
			// A header that HTTP does not allow is thrown, not reported.
			end(classifyTransportError(error, "connecting"));
		}
	});
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [
			name.toLowerCase(),
			Array.isArray(value) ? value.join(", ") : (value ?? ""),
		]),
	);
}
