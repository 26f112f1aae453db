/**
 * Reader and Submitter over HTTP. Reader and Submitter are two types, because planning is handed only the first. What
 * becomes of one request is request.ts's, and how bytes travel is transport.ts's; here is what it means for who asked.
 */
import { AuthenticationError, ConfigurationError, ServiceError, TransportError } from "../errors.ts";
import { type Activity, readActivity } from "./activity.ts";
import { findMismatch } from "./activity-mismatch.ts";
import type { PolicyEvaluation } from "./answer.ts";
import type { QueryOperation } from "./operations.ts";
import { findProxy, type ProxyOptions } from "./proxy.ts";
import { type AttemptEvent, type ClientStats, type RequestContext, sendRequest } from "./request.ts";
import { encodeQuery, type RequestBody } from "./request-body.ts";
import { makeRequestQueue } from "./request-queue.ts";
import { parseServiceUrl } from "./service-url.ts";
import type { Stamper } from "./stamp.ts";
import { openTransport, sendAttempt } from "./transport.ts";

export type { AttemptEvent } from "./request.ts";

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
			/** The service answered the only attempt that can have arrived with its own error: no activity came of it. */
			readonly kind: "refused";
			readonly httpStatus: number;
			readonly grpcCode: number;
			readonly message: string;
			readonly hint?: string | undefined;
			readonly policyEvaluations: readonly PolicyEvaluation[];
			/** The key or the stamp is what was not accepted. */
			readonly keyNotAccepted: boolean;
			readonly requests: number;
	  }
	/** Perhaps sent, perhaps done: only the same bytes may follow. */
	| {
			readonly kind: "unknown";
			readonly because: string;
			readonly hint?: string | undefined;
			/** The last answer says that the key is not accepted: no other request would be either. */
			readonly keyNotAccepted?: boolean;
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
	/** The service's clock when it answered (`Date`, whole seconds), milliseconds since 1970. */
	readonly serverTimeMs: number | undefined;
	/**
	 * When it was asked, milliseconds since 1970 by our clock; only a Reader that keeps answers sets it, and then
	 * `serverTimeMs` is of that moment too.
	 */
	readonly askedAtMs?: number;
	/** The journal's position when it was asked, from a Reader that keeps answers and knows it. */
	readonly askedAtPosition?: number;
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
	 * `refused` only for an error in the service's own shape that answers the first attempt: then there is no activity. Once
	 * an attempt was lost no error tells what became of it, whatever it says and whoever says it; neither does a redirect or
	 * a gateway's page. Then it is `unknown`, and so is an activity that is not what the bytes asked for.
	 */
	submit(body: RequestBody): Promise<SubmitAnswer>;
}

export interface ClientOptions {
	/** Base address of the service; a path in it is kept before the operations' own. */
	readonly url: string;
	readonly stamper: Stamper;
	/**
	 * For one operation with all its attempts and the waits between them, from the first attempt on. Making the stamp does
	 * not count, and neither does waiting for our own limiter; but when the service answers nothing but 429 for so long, or
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
	/**
	 * True accepts any certificate and any TLS that Node would accept. Otherwise certificates are verified and TLS is 1.2 at
	 * least, whatever the environment says; see `refuseWeakTls`.
	 */
	readonly insecure?: boolean;
	readonly onAttempt?: (event: AttemptEvent) => void;
	readonly sleep?: (delayMs: number) => Promise<void>;
	/** At least 0 and below 1; spreads the retries. */
	readonly random?: () => number;
	/** Milliseconds since 1970, never going back. */
	readonly now?: () => number;
}

/** A way to the service whose requests are counted together. */
export interface OrganizationClient {
	readonly reader: Reader;
	readonly submitter: Submitter;
	/** Since it was made. */
	stats(): ClientStats;
}

export interface Client extends OrganizationClient {
	/**
	 * The same connections, limiter and key with counts of their own, for work whose requests are told apart. Its requests
	 * count for the client too. `throttledMs` is the time since then in which any request of the client was held back.
	 */
	forOrganization(): OrganizationClient;
	/** Resolves when the requests in flight are answered and the connections closed; nothing can be sent afterwards. */
	close(): Promise<void>;
}

/**
 * A client of the service at `url`. Throws ConfigurationError when the address or the proxy's is not one that may be
 * used, or a limit is no limit.
 */
export function createClient(options: ClientOptions): Client {
	const base = parseServiceUrl(options.url);
	const {
		concurrency = Math.max(8, options.connections ?? 8),
		timeoutMs = 30_000,
		attemptTimeoutMs = 10_000,
	} = options;
	const sleep = options.sleep ?? ((delayMs) => new Promise<void>((resolve) => setTimeout(resolve, delayMs)));
	// The wall clock may be set back while we wait; this one may not.
	const now = options.now ?? (() => performance.timeOrigin + performance.now());
	const gapMs = readGapMs(options.maxRequestsPerSecond);
	const queue = makeRequestQueue({
		concurrency: checkConcurrency(concurrency),
		intervalMs: gapMs,
		timeoutMs,
		now,
		sleep,
	});
	const proxy = findProxy(base, options.proxy ?? {});
	const { connections = concurrency, insecure = false } = options;
	const transport = openTransport(base, proxy, { connections, attemptTimeoutMs, insecure });
	const context: RequestContext = {
		url: base.href.replace(/\/+$/, ""),
		proxy: proxy?.address,
		stamper: options.stamper,
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
		close() {
			const closed = transport.dispatcher.close();
			queue.admitAll();
			return closed;
		},
	};
}

/** A line with counts of its own; what it counts, `context.count` hears of too. */
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
		submitter: { submit: (body) => submit(counting, body) },
		stats: () => ({ ...counts, throttledMs: context.queue.throttledMs() - throttledBeforeMs }),
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
	if (answer.kind === "valid") return { value: answer.value, serverTimeMs: answer.serverTimeMs };
	const options = answer.hint === undefined ? {} : { hint: answer.hint };
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
		const because = `the answer is about something else than was sent: it names ${difference}`;
		return { kind: "unknown", because, hint: "does something between here and the service change bodies?", requests };
	}
	if (answer.kind === "refused") {
		const { httpStatus, grpcCode, message, hint, policyEvaluations, keyNotAccepted } = answer;
		if (grpcCode !== undefined && !earlierMayHaveArrived) {
			return { kind: "refused", httpStatus, grpcCode, message, hint, policyEvaluations, keyNotAccepted, requests };
		}
		const why = earlierMayHaveArrived
			? "an earlier attempt may have arrived"
			: "it is no error of the service's own, so the request may have arrived";
		return { kind: "unknown", because: `${message}; ${why}`, hint, keyNotAccepted, requests };
	}
	return { kind: mayHaveArrived ? "unknown" : "not-sent", because: answer.message, hint: answer.hint, requests };
}
