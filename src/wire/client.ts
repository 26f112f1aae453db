/**
 * Reader and Submitter over HTTP. Reader and Submitter are two types, because planning is handed only the first. What
 * becomes of one request is ask.ts's; here is what it means for who asked, and how bytes travel. The only door to undici.
 */
import { type Dispatcher, Pool, ProxyAgent } from "undici";
import { AuthenticationError, ConfigurationError, ServiceError, TransportError } from "../errors.ts";
import { type Activity, readActivity } from "./activity.ts";
import { readAddress } from "./address.ts";
import type { Answer, PolicyEvaluation, Refused } from "./answer.ts";
import { type AskContext, ask, type ClientStats, type RequestEvent } from "./ask.ts";
import { type Body, encodeQuery } from "./body.ts";
import { makeGate } from "./gate.ts";
import { bodyLifetimeMs, type QueryOperation } from "./operations.ts";
import { findProxy, type ProxyOptions, type ServiceProxy } from "./proxy.ts";
import { answerLimitBytes, type Silence, type Stage, silenceOf, timeOutAt, tooLarge } from "./silence.ts";
import type { Stamp, Stamper } from "./stamp.ts";

export type { Activity, Vote } from "./activity.ts";
export type { PolicyEvaluation } from "./answer.ts";
export type { ClientStats, RequestEvent } from "./ask.ts";
export type { ProxyOptions } from "./proxy.ts";

/** What became of a submit. `requests` counts the attempts, those that found no connection too; 0 is possible. */
export type SubmitAnswer =
	| {
			readonly kind: "activity";
			readonly activity: Activity;
			/** The service's clock when it answered (`Date`, whole seconds), milliseconds since 1970. */
			readonly serverTimeMs: number | undefined;
			readonly requests: number;
	  }
	| {
			/** The service answered with an error: no activity came of it. */
			readonly kind: "refused";
			readonly httpStatus: number;
			readonly grpcCode: number | undefined;
			readonly message: string;
			readonly hint?: string | undefined;
			readonly policyEvaluations: readonly PolicyEvaluation[];
			readonly requests: number;
	  }
	/** Perhaps sent, perhaps done: only the same bytes may follow. */
	| {
			readonly kind: "unknown";
			readonly because: string;
			readonly hint?: string | undefined;
			readonly requests: number;
	  }
	/** No attempt ever left this machine. */
	| {
			readonly kind: "not-sent";
			readonly because: string;
			readonly hint?: string | undefined;
			readonly requests: number;
	  };

/** A query's answer as it came, unknown members included; it fits the operation's schema. */
export interface QueryAnswer {
	readonly value: Readonly<Record<string, unknown>>;
	readonly serverTimeMs: number | undefined;
	/** When it was asked, milliseconds since 1970 by our clock; only a Reader that keeps answers sets it. */
	readonly askedAtMs?: number;
}

/** What reads. It cannot change anything. */
export interface Reader {
	/**
	 * The answer to one query. `fields` holds `organizationId` and whatever else the operation asks for.
	 *
	 * Throws AuthenticationError when the key is not accepted, ServiceError when the service answers with an error or
	 * with something that is no answer to this query, TransportError when no usable answer comes in time, and
	 * ConfigurationError when the request cannot be stamped.
	 */
	query(operation: QueryOperation, fields: Readonly<Record<string, unknown>>): Promise<QueryAnswer>;
}

/** What changes. Nothing but applying may hold one. */
export interface Submitter {
	/**
	 * What became of the bytes of `body`, which are sent as they are. Errors of the network and of the service are
	 * answers here; only a request that cannot be stamped throws (ConfigurationError), and then nothing was sent.
	 *
	 * A refusal that follows an attempt that may have arrived is judged by what it says. 400, 404 and the like speak of
	 * the bytes, and the service answers the same bytes with the activity they made (service-facts.md, "Bytes,
	 * fingerprint, idempotency"): there is none, so it is `refused`; unless the bytes have grown too old meanwhile, for
	 * the answer to a stale timestamp is not documented. 401 and 403 speak of who asks, and the earlier attempt may have
	 * changed just that (a policy or a tag removed): `unknown`.
	 *
	 * Unverified, chosen: that the key is judged before the same bytes are recognized. If not, `unknown` is too careful.
	 */
	submit(body: Body): Promise<SubmitAnswer>;
}

export interface ClientOptions {
	/** Base address of the service; a path in it is kept before the operations' own. */
	readonly url: string;
	readonly stamper: Stamper;
	/**
	 * For one operation with all its attempts and the waits between them, from the first attempt on. Making the stamp does
	 * not count, and neither does waiting for our own pace; but when the service answers nothing but 429 for so long, or
	 * asks everybody to wait so long, operations end that have waited for their turn meanwhile.
	 */
	readonly timeoutMs?: number;
	/** For one attempt. */
	readonly attemptTimeoutMs?: number;
	/**
	 * The most requests in flight at once; fewer while the service turns some away. 8 when left out, or `connections` if
	 * those are more.
	 */
	readonly concurrency?: number;
	/** The most attempts a second, evenly spaced; no limit when left out. */
	readonly maxRequestsPerSecond?: number;
	/** Connections kept to the service; as many as requests may be in flight when left out. */
	readonly connections?: number;
	/** Proxies to use; none when left out. The environment is not looked at: see `readProxies`. */
	readonly proxy?: ProxyOptions;
	readonly onRequest?: (event: RequestEvent) => void;
	readonly sleep?: (delayMs: number) => Promise<void>;
	/** At least 0 and below 1; spreads the retries. */
	readonly random?: () => number;
	/** Milliseconds since 1970, never going back. */
	readonly now?: () => number;
}

/** A way to the service whose requests are counted together. */
export interface Line {
	readonly reader: Reader;
	readonly submitter: Submitter;
	/** Since it was made. */
	stats(): ClientStats;
}

export interface Client extends Line {
	/**
	 * The same connections, pace and key with counts of their own, for work whose requests are told apart. Its requests
	 * count for the client too. `throttledMs` is the time since then in which any request of the client was held back.
	 */
	apart(): Line;
	/** Resolves when the requests in flight are answered and the connections closed; nothing can be sent afterwards. */
	close(): Promise<void>;
}

/**
 * A client of the service at `url`. Throws ConfigurationError when the address or the proxy's is not one that may be
 * used, or a limit is no limit.
 */
export function createClient(options: ClientOptions): Client {
	const base = readAddress(options.url);
	const {
		concurrency = Math.max(8, options.connections ?? 8),
		timeoutMs = 30_000,
		attemptTimeoutMs = 10_000,
	} = options;
	const sleep = options.sleep ?? ((delayMs) => new Promise<void>((resolve) => setTimeout(resolve, delayMs)));
	// The wall clock may be set back while we wait; this one may not.
	const now = options.now ?? (() => performance.timeOrigin + performance.now());
	const gapMs = readGapMs(options.maxRequestsPerSecond);
	const gate = makeGate({ concurrency: checkConcurrency(concurrency), gapMs, timeoutMs, now, sleep });
	const proxy = findProxy(base, options.proxy ?? {});
	const route = makeRoute(base, proxy, options.connections ?? concurrency, attemptTimeoutMs);
	const context: AskContext = {
		url: base.href.replace(/\/+$/, ""),
		proxy: proxy?.address,
		stamper: options.stamper,
		gate,
		timeoutMs,
		attemptTimeoutMs,
		onRequest: options.onRequest ?? (() => undefined),
		sleep,
		random: options.random ?? Math.random,
		now,
		count: () => undefined,
		send: (...request) => send(route, ...request),
	};
	const whole = makeLine(context);
	return {
		...whole.line,
		apart: () => makeLine({ ...context, count: whole.count }).line,
		close() {
			const closed = route.dispatcher.close();
			gate.open();
			return closed;
		},
	};
}

/** A line with counts of its own; what it counts, `context.count` hears of too. */
function makeLine(context: AskContext): { line: Line; count: AskContext["count"] } {
	const counts = { queries: 0, submits: 0, retries: 0 };
	const throttledBeforeMs = context.gate.throttledMs();
	const count: AskContext["count"] = (what) => {
		counts[what] += 1;
		context.count(what);
	};
	const counting = { ...context, count };
	const line: Line = {
		reader: { query: (operation, fields) => query(counting, operation, fields) },
		submitter: { submit: (body) => submit(counting, body) },
		stats: () => ({ ...counts, throttledMs: context.gate.throttledMs() - throttledBeforeMs }),
	};
	return { line, count };
}

function checkConcurrency(concurrency: number): number {
	if (Number.isInteger(concurrency) && concurrency >= 1) return concurrency;
	throw new ConfigurationError("the number of requests at once is not a whole number above 0");
}

/** The time between two attempts; rates below one a second are meant too. */
function readGapMs(maxRequestsPerSecond: number | undefined): number {
	if (maxRequestsPerSecond === undefined) return 0;
	if (Number.isFinite(maxRequestsPerSecond) && maxRequestsPerSecond > 0) return 1000 / maxRequestsPerSecond;
	throw new ConfigurationError("the number of requests a second is not a number above 0", {
		hint: "for example --max-rps 1, or 0.5 for one in two seconds",
	});
}

/** How requests reach the service. */
interface Route {
	readonly dispatcher: Dispatcher;
	readonly origin: string;
	/** What stands before an operation's own path. */
	readonly pathPrefix: string;
	/** What a proxy wants to see besides. May hold a password. */
	readonly headers: Readonly<Record<string, string>>;
}

function makeRoute(base: URL, proxy: ServiceProxy | undefined, connections: number, attemptTimeoutMs: number): Route {
	const pathPrefix = base.pathname.replace(/\/+$/, "");
	// An attempt has one time limit, kept in `send`; undici's own would race with it.
	const options = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
	// Only so that a connection nobody waits for any more is given up too.
	const connect = { timeout: attemptTimeoutMs };
	const direct = (origin: string) => new Pool(origin, { ...options, connect });
	if (proxy === undefined) return { dispatcher: direct(base.origin), origin: base.origin, pathPrefix, headers: {} };
	if (base.protocol === "http:") {
		// Not undici's own forwarding: it tells a 407 as an error of the caller.
		const { authorization } = proxy;
		const password = authorization === undefined ? {} : { "proxy-authorization": authorization };
		const headers = { host: base.host, ...password };
		const origin = proxy.address;
		return { dispatcher: direct(origin), origin, pathPrefix: base.origin + pathPrefix, headers };
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

async function query(
	context: AskContext,
	operation: QueryOperation,
	fields: Readonly<Record<string, unknown>>,
): Promise<QueryAnswer> {
	const organizationId = String(fields.organizationId);
	const { verdict, maybeSent } = await ask(context, operation, organizationId, encodeQuery(operation, fields));
	if (verdict.kind === "fits") return { value: verdict.value, serverTimeMs: verdict.serverTimeMs };
	const options = verdict.hint === undefined ? {} : { hint: verdict.hint };
	if (verdict.kind === "refused" && verdict.notAccepted) throw new AuthenticationError(verdict.message, options);
	if (verdict.httpStatus === undefined) {
		throw new TransportError(`${operation.name}: ${verdict.message}`, maybeSent ? "maybe" : "no", options);
	}
	throw new ServiceError(`${operation.name}: ${verdict.message}`, verdict.httpStatus, verdict.grpcCode, options);
}

async function submit(context: AskContext, body: Body): Promise<SubmitAnswer> {
	const { operation, organizationId, bytes } = body;
	const { verdict, requests, maybeSent, maybeSentBefore } = await ask(context, operation, organizationId, bytes);
	if (verdict.kind === "fits") {
		const activity = readActivity(operation, verdict.value);
		if (ourFingerprints(body).includes(activity.fingerprint)) {
			return { kind: "activity", activity, serverTimeMs: verdict.serverTimeMs, requests };
		}
		const because = "the service answered with an activity of another fingerprint: it read other bytes than were sent";
		return { kind: "unknown", because, hint: "does something between here and the service change bodies?", requests };
	}
	if (verdict.kind === "refused") {
		const { httpStatus, grpcCode, message, hint, policyEvaluations } = verdict;
		if (maybeSentBefore && !provesNothingWasDone(verdict, body, context.now())) {
			return { kind: "unknown", because: `${message}, but an earlier attempt may have arrived`, hint, requests };
		}
		return { kind: "refused", httpStatus, grpcCode, message, hint, policyEvaluations, requests };
	}
	return { kind: maybeSent ? "unknown" : "not-sent", because: verdict.message, hint: verdict.hint, requests };
}

/** See Submitter: whether a refusal tells that an earlier attempt of the same bytes made no activity either. */
function provesNothingWasDone(refused: Refused, body: Body, nowMs: number): boolean {
	// A 407 is a proxy's: it says nothing of what the service did before.
	if ([401, 403, 407].includes(refused.httpStatus)) return false;
	return (refused.serverTimeMs ?? nowMs) - body.timestampMs < bodyLifetimeMs;
}

/**
 * The fingerprints that an activity of ours may have: that of the bytes.
 *
 * Unverified, chosen: a vote may also be answered with the activity that was voted on, which its parameters name.
 */
function ourFingerprints(body: Body): readonly unknown[] {
	if (!body.operation.fields.includes("fingerprint")) return [body.fingerprint];
	const { parameters } = JSON.parse(body.bytes) as { parameters: { fingerprint?: unknown } };
	return [body.fingerprint, parameters.fingerprint];
}

/**
 * One attempt: the answer, read to its end, or why there is none. Never throws. Redirects are not followed, and undici
 * sends no POST a second time by itself.
 */
function send(route: Route, path: string, bytes: string, stamp: Stamp, timeoutMs: number): Promise<Answer | Silence> {
	return new Promise((resolve) => {
		let stage: Stage = "connecting";
		let abort: (() => void) | undefined;
		let ended = false;
		const end = (exchange: Answer | Silence) => {
			ended = true;
			clearTimeout(timer);
			resolve(exchange);
		};
		const giveUp = (silence: Silence) => {
			end(silence);
			abort?.();
		};
		const timer = setTimeout(() => giveUp(timeOutAt(stage)), Math.max(0, timeoutMs));
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
				if (size > answerLimitBytes) giveUp(tooLarge);
				else chunks.push(chunk);
			},
			onResponseEnd() {
				end({ kind: "answer", ...head, text: new TextDecoder().decode(Buffer.concat(chunks)) });
			},
			onResponseError(_controller, error) {
				if (!ended) end(silenceOf(error, stage));
			},
		};
		const headers = {
			...route.headers,
			accept: "application/json",
			"content-type": "application/json",
			[stamp.stampHeaderName]: stamp.stampHeaderValue,
		};
		try {
			const { dispatcher, origin, pathPrefix } = route;
			dispatcher.dispatch({ origin, path: pathPrefix + path, method: "POST", headers, body: bytes }, handler);
		} catch (error) {
			// A header that HTTP does not allow is thrown, not reported.
			end(silenceOf(error, "connecting"));
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
