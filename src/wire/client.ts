/**
 * Reader, Submitter and Voter over HTTP. They are three types, because planning is handed only the first, and apply no Voter. request.ts sends one request with
 * its retries, transport.ts has the connections; this file turns the result into what the caller needs.
 */

import { defined } from "../common/defined.ts";
import { AuthenticationError, ConfigurationError, ServiceError, TransportError } from "../common/errors.ts";
import { flag, type Said, say } from "../common/said.ts";
import { type Activity, readActivity } from "./activity.ts";
import { findMismatch } from "./activity-mismatch.ts";
import type { RefusedAnswer, ValidAnswer } from "./answer.ts";
import { approvals, type QueryOperation, type SubmitOperation, writes } from "./operations.ts";
import { findProxy, type ProxyOptions } from "./proxy.ts";
import { type AttemptEvent, type ClientStats, publicKeyOf, type RequestContext, sendRequest } from "./request.ts";
import { encodeQuery, type RequestBody } from "./request-body.ts";
import { RequestQueue } from "./request-queue.ts";
import { parseServiceUrl } from "./service-url.ts";
import type { Stamper } from "./stamp.ts";
import { closeTransport, openTransport, sendAttempt } from "./transport.ts";

export type { AttemptEvent } from "./request.ts";

/** What became of a submit. `requests` counts all attempts, also those without a connection; it can be 0. */
export type SubmitAnswer =
	| {
			readonly kind: "activity";
			readonly activity: Activity;
			/** The service's clock when it answered (`Date`, whole seconds), milliseconds since 1970. */
			readonly serverTimeMs: number | undefined;
			readonly requests: number;
	  }
	/** The service answered the only attempt that can have arrived with its own error: it made no activity. */
	| (Omit<RefusedAnswer, "grpcCode" | "hint" | "serverTimeMs"> & {
			readonly grpcCode: number;
			readonly hint?: Said | undefined;
			readonly requests: number;
	  })
	/** In doubt: only the same bytes may follow. `keyNotAccepted`: the last answer rejects the key, so it would reject any other. */
	| (NoAnswer & { readonly kind: "unknown"; readonly keyNotAccepted?: boolean })
	/** No attempt left this machine. */
	| (NoAnswer & { readonly kind: "not-sent" });

interface NoAnswer {
	readonly because: string;
	readonly hint?: Said | undefined;
	readonly requests: number;
}

/** A query's answer as it came, unknown members included; it fits the operation's schema. */
export interface QueryAnswer extends Omit<ValidAnswer, "kind"> {
	/** When the query was sent by our clock, from a Reader that caches answers; `serverTimeMs` is of that time too. */
	readonly askedAtMs?: number;
	/** The journal's position when the query was sent, from a Reader that caches answers and knows it. */
	readonly askedAtPosition?: number;
}

/** Reads and cannot change anything. */
export interface Reader {
	/**
	 * Returns the answer to one query. `fields` holds `organizationId` and what else the operation takes.
	 *
	 * Throws AuthenticationError when the service rejects the key, ServiceError when it returns an error or something that is no
	 * answer to this query, TransportError when no usable answer comes in time, and ConfigurationError when the request cannot be
	 * stamped.
	 */
	query(operation: QueryOperation, fields: Readonly<Record<string, unknown>>): Promise<QueryAnswer>;
}

/** Submits activities. Only apply may hold one. */
export interface Submitter {
	/**
	 * Sends the bytes of `body` as they are and returns what became of them. Errors of the network and of the service are answers
	 * here. Only a request that cannot be stamped throws (ConfigurationError), and then nothing was submitted.
	 *
	 * `refused` only for an error in the service's own shape that answers the first attempt: then there is no activity. After a lost
	 * attempt no error proves anything, and neither does a redirect or the page of a gateway. Then the answer is `unknown`, as it is
	 * for an activity that does not match the request.
	 */
	submit(body: RequestBody): Promise<SubmitAnswer>;
}

/** Votes on activities. Only approve and reject may hold one. */
export interface Voter {
	/** Sends the bytes of a vote, as `submit` does. Only reading the activity that was voted on shows whether the vote counts. */
	vote(body: RequestBody): Promise<SubmitAnswer>;
}

export interface ClientOptions {
	/** Base address of the service; a path in it is kept before the operations' own. */
	readonly url: string;
	readonly stamper: Stamper;
	/** Stamps what is submitted, and the query for whose credential that is; `stamper` when left out. */
	readonly submitStamper?: Stamper;
	/**
	 * For one operation with all its attempts and the delays between them, from the first attempt on. Making the stamp and
	 * waiting in the queue do not count. But operations in the queue end when the service answers every request with 429 for this
	 * long, or asks for a pause this long.
	 */
	readonly timeoutMs?: number;
	readonly attemptTimeoutMs?: number;
	/** Max requests in flight; fewer while the service answers 429. 8 when left out, or `connections` if that is more. */
	readonly concurrency?: number;
	/** Max attempts a second, evenly spaced; no limit when left out. */
	readonly maxRequestsPerSecond?: number;
	/** Max connections to the service; as many as requests may be in flight when left out. */
	readonly connections?: number;
	/** Proxies to use; none when left out. The environment is not read: see `readProxies`. */
	readonly proxy?: ProxyOptions;
	/** True accepts any certificate and TLS version. Otherwise TLS is verified and at least 1.2; see `refuseWeakTls`. */
	readonly insecure?: boolean;
	readonly onAttempt?: (event: AttemptEvent) => void;
	readonly sleep?: (delayMs: number) => Promise<void>;
	/** At least 0 and below 1; spreads the retries. */
	readonly random?: () => number;
	/** Milliseconds since 1970, never going back. */
	readonly now?: () => number;
}

/** Reads and submits with counts of its own. */
export interface OrganizationClient {
	readonly reader: Reader;
	readonly submitter: Submitter;
	readonly voter: Voter;
	/** Returns the counts since the client was made. */
	stats(): ClientStats;
	/** Returns the public key that stamps the requests; undefined where the stamper does not say, or has not stamped any. */
	publicKey(): string | undefined;
}

export interface Client extends OrganizationClient {
	/** Returns a client with the same connections, rate limit and key, and counts of its own, which count for this client too. */
	forOrganization(): OrganizationClient;
	/** Resolves when the requests in flight are answered, or at once, and the connections are closed. Later requests fail. */
	close(isAtOnce?: boolean): Promise<void>;
}

/** Returns a client of the service at `url`. Throws ConfigurationError for an unusable address or proxy, or a limit out of range. */
export function createClient(options: ClientOptions): Client {
	const base = parseServiceUrl(options.url);
	const {
		concurrency = Math.max(8, options.connections ?? 8),
		timeoutMs = 30_000,
		attemptTimeoutMs = 10_000,
	} = options;
	const sleep = options.sleep ?? ((delayMs) => new Promise<void>((resolve) => setTimeout(resolve, delayMs)));
	// Unlike the wall clock, this one is never set back.
	const now = options.now ?? makeSteadyClock();
	const limits = { concurrency: checkConcurrency(concurrency), intervalMs: readGapMs(options.maxRequestsPerSecond) };
	const queue = new RequestQueue({ ...limits, timeoutMs, now, sleep });
	const proxy = findProxy(base, options.proxy ?? {});
	const { connections = concurrency, insecure = false } = options;
	const transport = openTransport(base, proxy, connections, attemptTimeoutMs, insecure);
	const context: RequestContext = {
		url: base.origin,
		servicePath: base.pathname.replace(/\/+$/, ""),
		proxy: proxy?.address,
		proxyAuthorization: proxy?.authorization,
		stamper: options.stamper,
		submitStamper: options.submitStamper,
		queue,
		timeoutMs,
		attemptTimeoutMs,
		onAttempt: options.onAttempt ?? (() => undefined),
		sleep,
		random: options.random ?? Math.random,
		now,
		count: () => undefined,
		send: (...request) => sendAttempt(transport, ...request),
	};
	const whole = makeOrganizationClient(context);
	return {
		...whole.line,
		forOrganization: () => makeOrganizationClient({ ...context, count: whole.count }).line,
		close(isAtOnce = false) {
			const closed = closeTransport(transport, isAtOnce);
			queue.admitAll();
			return closed;
		},
	};
}

/** Returns a client with counts of its own, which also calls `context.count`. */
function makeOrganizationClient(context: RequestContext): { line: OrganizationClient; count: RequestContext["count"] } {
	const counts = { queries: 0, submits: 0, retries: 0 };
	const throttledBeforeMs = context.queue.throttledMs();
	const count: RequestContext["count"] = (what) => {
		counts[what] += 1;
		context.count(what);
	};
	const counting = { ...context, count };
	const line: OrganizationClient = {
		reader: { query: (operation, fields) => query(counting, operation, fields) },
		submitter: { submit: async (body) => submit(counting, refuseOthers(body, writes)) },
		voter: { vote: async (body) => submit(counting, refuseOthers(body, approvals)) },
		stats: () => ({ ...counts, throttledMs: context.queue.throttledMs() - throttledBeforeMs }),
		publicKey: () => publicKeyOf(context.submitStamper ?? context.stamper),
	};
	return { line, count };
}

/** Returns the body. Throws TypeError for one of another table: who may submit may not vote, and the other way round. */
function refuseOthers(body: RequestBody, allowed: Readonly<Record<string, SubmitOperation>>): RequestBody {
	const { name } = body.operation;
	if (Object.hasOwn(allowed, name)) return body;
	throw new TypeError(`${name} cannot be sent with this capability`);
}

/** Returns milliseconds since 1970 that are never set back. Node loads `performance` in a millisecond. */
function makeSteadyClock(): () => number {
	const startMs = Date.now();
	const start = process.hrtime.bigint();
	return () => startMs + Number(process.hrtime.bigint() - start) / 1e6;
}

function checkConcurrency(concurrency: number): number {
	if (Number.isInteger(concurrency) && concurrency >= 1) return concurrency;
	throw new ConfigurationError("the maximum concurrency is not a whole number above 0");
}

/** Returns the interval between two attempts. The rate can be below one a second. */
function readGapMs(maxRequestsPerSecond: number | undefined): number {
	if (maxRequestsPerSecond === undefined) return 0;
	if (Number.isFinite(maxRequestsPerSecond) && maxRequestsPerSecond > 0) return 1000 / maxRequestsPerSecond;
	throw new ConfigurationError("the request rate is not a number above 0", {
		hint: say`for example ${flag("max-rps", "1")}, or 0.5 for one request in two seconds`,
	});
}

async function query(
	context: RequestContext,
	operation: QueryOperation,
	fields: Readonly<Record<string, unknown>>,
): Promise<QueryAnswer> {
	const organizationId = String(fields.organizationId);
	const { answer, mayHaveArrived } = await sendRequest(
		context,
		operation,
		organizationId,
		encodeQuery(operation, fields),
	);
	if (answer.kind === "valid") {
		const { kind: _valid, ...read } = answer;
		return read;
	}
	const options = defined({ hint: answer.hint });
	if (answer.kind === "refused" && answer.keyNotAccepted) throw new AuthenticationError(answer.message, options);
	if (answer.httpStatus === undefined) {
		throw new TransportError(`${operation.name}: ${answer.message}`, mayHaveArrived ? "maybe" : "no", options);
	}
	throw new ServiceError(`${operation.name}: ${answer.message}`, answer.httpStatus, answer.grpcCode, options);
}

async function submit(context: RequestContext, body: RequestBody): Promise<SubmitAnswer> {
	const { operation, organizationId, bytes } = body;
	const { answer, requests, mayHaveArrived, earlierMayHaveArrived } = await sendRequest(
		context,
		operation,
		organizationId,
		bytes,
	);
	if (answer.kind === "valid") {
		const activity = readActivity(operation, answer.value);
		const difference = findMismatch(body, activity);
		if (difference === null) return { kind: "activity", activity, serverTimeMs: answer.serverTimeMs, requests };
		const because = `the answer does not match the request: it names ${difference}`;
		const hint = "check whether a proxy or a gateway changes the bodies of requests";
		return { kind: "unknown", because, hint, requests };
	}
	if (answer.kind === "refused") {
		const { httpStatus, grpcCode, message, hint, policyEvaluations, keyNotAccepted } = answer;
		if (grpcCode !== undefined && !earlierMayHaveArrived) {
			return { kind: "refused", httpStatus, grpcCode, message, hint, policyEvaluations, keyNotAccepted, requests };
		}
		const why = earlierMayHaveArrived
			? "an earlier attempt may have arrived"
			: "the error is not one of the service's own, so the request may have arrived";
		return { kind: "unknown", because: `${message}; ${why}`, hint, keyNotAccepted, requests };
	}
	return { kind: mayHaveArrived ? "unknown" : "not-sent", because: answer.message, hint: answer.hint, requests };
}
