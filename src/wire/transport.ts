/**
 * The connections to the service, directly or through a proxy, and one attempt over them. The only door to undici.
 */
import { type Dispatcher, Pool, ProxyAgent } from "undici";
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
	readonly dispatcher: Dispatcher;
	readonly origin: string;
	/** What precedes an operation's own path. */
	readonly pathPrefix: string;
	/** Headers for a proxy. They may hold a password. */
	readonly headers: Readonly<Record<string, string>>;
	/** The attempts that have not ended. */
	readonly inFlight: Set<Promise<unknown>>;
}

/**
 * Returns the transport to the service at `base`, through the proxy if there is one, over at most `connections`.
 * `attemptTimeoutMs` is for opening a connection; `insecure` accepts any certificate.
 */
export function openTransport(
	base: URL,
	proxy: ServiceProxy | undefined,
	connections: number,
	attemptTimeoutMs: number,
	insecure: boolean,
): Transport {
	const pathPrefix = base.pathname.replace(/\/+$/, "");
	// An attempt has one timeout, kept in `sendAttempt`; undici's own would race with it.
	const options = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
	const inFlight = new Set<Promise<unknown>>();
	// Ends connections that no attempt waits for any more.
	const isSecure = base.protocol === "https:" || proxy?.address.startsWith("https:") === true;
	const connect = { timeout: attemptTimeoutMs, lookup: lookUpHost, ...(isSecure ? tlsOptions(insecure) : {}) };
	const direct = (origin: string) => new Pool(origin, { ...options, connect });
	if (proxy === undefined) {
		return { dispatcher: direct(base.origin), origin: base.origin, pathPrefix, headers: {}, inFlight };
	}
	if (base.protocol === "http:") {
		// Not undici's own forwarding: it turns a 407 into an error about the arguments.
		const { authorization } = proxy;
		const password = authorization === undefined ? {} : { "proxy-authorization": authorization };
		const headers = { host: base.host, ...password };
		const origin = proxy.address;
		return { dispatcher: direct(origin), origin, pathPrefix: loopbackOrigin(base) + pathPrefix, headers, inFlight };
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
	return { dispatcher, origin: base.origin, pathPrefix, headers: {}, inFlight };
}

/**
 * Makes one attempt: returns the answer, read to its end, or why there is none. Never throws. Redirects are not followed, and
 * undici never sends a POST twice.
 */
export function sendAttempt(
	{ dispatcher, origin, pathPrefix, headers, inFlight }: Transport,
	path: string,
	bytes: string,
	stamp: Stamp,
	timeoutMs: number,
): Promise<Answer | TransportFailure> {
	const attempt = new Promise<Answer | TransportFailure>((resolve) => {
		const handler = new AttemptHandler(resolve, timeoutMs);
		const allHeaders = {
			...headers,
			accept: "application/json",
			"content-type": "application/json",
			[stamp.stampHeaderName]: stamp.stampHeaderValue,
		};
		try {
			dispatcher.dispatch(
				{ origin, path: pathPrefix + path, method: "POST", headers: allHeaders, body: bytes },
				handler,
			);
		} catch (error) {
			// undici throws for a header that HTTP does not allow.
			handler.onResponseError(undefined, error);
		}
	});
	inFlight.add(attempt);
	void attempt.then(() => inFlight.delete(attempt));
	return attempt;
}

/**
 * Resolves when the attempts in flight have ended and the connections are closed. What undici still does for attempts that have reached
 * their timeout ends too: a proxy may never finish its answer to CONNECT.
 */
export async function closeTransport({ dispatcher, inFlight }: Transport): Promise<void> {
	const closed = dispatcher.close();
	await Promise.all(inFlight);
	await dispatcher.destroy();
	await closed;
}

/** Collects one answer, or finds out why there is none. Ends once, by `end`. */
class AttemptHandler implements Dispatcher.DispatchHandler {
	readonly #end: (exchange: Answer | TransportFailure) => void;
	readonly #body = new BoundedBody(maxAnswerBytes);
	#stage: AttemptStage = "connecting";
	#head: Pick<Answer, "httpStatus" | "headers"> = { httpStatus: 0, headers: {} };
	#hasEnded = false;
	#abort: (() => void) | undefined;

	constructor(end: (exchange: Answer | TransportFailure) => void, timeoutMs: number) {
		const timer = setTimeout(() => this.#fail(failureAt(this.#stage, "time-out")), Math.max(0, timeoutMs));
		this.#end = (exchange) => {
			this.#hasEnded = true;
			clearTimeout(timer);
			end(exchange);
		};
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		// Called right before the first byte is written. After a timeout nothing may leave any more.
		this.#abort = () => controller.abort(new Error("the attempt has ended"));
		if (this.#hasEnded) this.#abort();
		else this.#stage = "written";
	}

	onResponseStart(
		_controller: Dispatcher.DispatchController,
		httpStatus: number,
		headers: Readonly<Record<string, string | string[] | undefined>>,
	): void {
		if (httpStatus < 200) return;
		this.#stage = "answering";
		this.#head = { httpStatus, headers: flatten(headers) };
	}

	onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
		if (!this.#body.add(chunk)) this.#fail(failureAt(this.#stage, "too-large"));
	}

	onResponseEnd(): void {
		this.#end({ kind: "answer", ...this.#head, text: decoder.decode(this.#body.read()) });
	}

	onResponseError(_controller: unknown, error: unknown): void {
		if (!this.#hasEnded) this.#end(classifyTransportError(error, this.#stage));
	}

	#fail(failure: TransportFailure): void {
		this.#end(failure);
		this.#abort?.();
	}
}

/** One for all answers: making one costs more than decoding a small answer. */
const decoder = new TextDecoder();

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
	const texts: Record<string, string> = Object.create(null);
	for (const name in headers) {
		const value = headers[name];
		texts[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : (value ?? "");
	}
	return texts;
}
