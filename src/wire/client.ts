/**
 * Reader and Submitter over HTTP. Reader and Submitter are two types, because planning is handed only the first. The
 * rule: a request is stamped once, and every attempt sends the same bytes with the same stamp; whether an attempt may
 * have left is known, not guessed, and decides what the caller may do next. The only door to undici.
 */
import { type Dispatcher, Pool } from "undici";
import { AuthenticationError, ConfigurationError, OrgsyncError, ServiceError, TransportError } from "../errors.ts";
import { type Activity, readActivity } from "./activity.ts";
import { readAddress } from "./address.ts";
import {
	type Answer,
	judge,
	type PolicyEvaluation,
	type Refused,
	type Unclear,
	unclear,
	type Verdict,
} from "./answer.ts";
import { type Body, encodeQuery } from "./body.ts";
import { bodyLifetimeMs, type Operation, type QueryOperation } from "./operations.ts";
import { nextDelayMs } from "./retry.ts";
import {
	answerLimitBytes,
	explainSilence,
	type Silence,
	type Stage,
	silenceOf,
	timeOutAt,
	tooLarge,
} from "./silence.ts";
import type { Stamp, Stamper } from "./stamp.ts";

export type { Activity, Vote } from "./activity.ts";
export type { PolicyEvaluation } from "./answer.ts";

/** What became of a submit. `requests` counts the attempts, those that found no connection too. */
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

/** One attempt, told as it ends. It never holds a stamp or a body. */
export interface RequestEvent {
	readonly operation: string;
	readonly organizationId: string;
	/** Counts from 1. */
	readonly attempt: number;
	/** The HTTP status, or the word for why there is none (SilenceWord). */
	readonly outcome: number | string;
	readonly durationMs: number;
}

export interface ClientOptions {
	/** Base address of the service; a path in it is kept before the operations' own. */
	readonly url: string;
	readonly stamper: Stamper;
	/** For one operation with all its attempts, from the first one on; making the stamp does not count. */
	readonly timeoutMs?: number;
	/** For one attempt. */
	readonly attemptTimeoutMs?: number;
	/** Connections kept to the service, and so the most requests in flight. */
	readonly connections?: number;
	readonly onRequest?: (event: RequestEvent) => void;
	readonly sleep?: (delayMs: number) => Promise<void>;
	/** At least 0 and below 1; spreads the retries. */
	readonly random?: () => number;
	/** Milliseconds since 1970, never going back. */
	readonly now?: () => number;
}

/** Counted since the client was made: `queries` + `submits` + `retries` attempts were made in all. */
export interface ClientStats {
	readonly queries: number;
	readonly submits: number;
	/** Attempts after the first of their operation. */
	readonly retries: number;
	/** Time spent waiting because the service answered 429. */
	readonly throttledMs: number;
}

export interface Client {
	readonly reader: Reader;
	readonly submitter: Submitter;
	stats(): ClientStats;
	/** Resolves when the requests in flight are answered and the connections closed; nothing can be sent afterwards. */
	close(): Promise<void>;
}

/** A client of the service at `url`. Throws ConfigurationError when the address is not one that may be used. */
export function createClient(options: ClientOptions): Client {
	const base = readAddress(options.url);
	const settings: Settings = {
		stamper: options.stamper,
		timeoutMs: options.timeoutMs ?? 30_000,
		attemptTimeoutMs: options.attemptTimeoutMs ?? 10_000,
		onRequest: options.onRequest ?? (() => undefined),
		sleep: options.sleep ?? ((delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs))),
		random: options.random ?? Math.random,
		// The wall clock may be set back while we wait; this one may not.
		now: options.now ?? (() => performance.timeOrigin + performance.now()),
		url: base.href.replace(/\/+$/, ""),
		pathPrefix: base.pathname.replace(/\/+$/, ""),
		pool: new Pool(base.origin, {
			connections: options.connections ?? 8,
			pipelining: 1,
			// An attempt has one time limit, kept in `send`; undici's own would race with it.
			headersTimeout: 0,
			bodyTimeout: 0,
			// Only so that a connection nobody waits for any more is given up too.
			connect: { timeout: options.attemptTimeoutMs ?? 10_000 },
		}),
		counts: { queries: 0, submits: 0, retries: 0, throttledMs: 0 },
	};
	return {
		reader: {
			query(operation, fields) {
				settings.counts.queries += 1;
				return query(settings, operation, fields);
			},
		},
		submitter: {
			submit(body) {
				settings.counts.submits += 1;
				return submit(settings, body);
			},
		},
		stats: () => ({ ...settings.counts }),
		close: () => settings.pool.close(),
	};
}

type Settings = Required<Omit<ClientOptions, "connections">> & {
	readonly pathPrefix: string;
	readonly pool: Pool;
	readonly counts: { -readonly [Name in keyof ClientStats]: number };
};

async function query(
	settings: Settings,
	operation: QueryOperation,
	fields: Readonly<Record<string, unknown>>,
): Promise<QueryAnswer> {
	const organizationId = String(fields.organizationId);
	const { verdict, maybeSent } = await ask(settings, operation, organizationId, encodeQuery(operation, fields));
	if (verdict.kind === "fits") return { value: verdict.value, serverTimeMs: verdict.serverTimeMs };
	const options = verdict.hint === undefined ? {} : { hint: verdict.hint };
	if (verdict.kind === "refused" && verdict.notAccepted) throw new AuthenticationError(verdict.message, options);
	if (verdict.httpStatus === undefined) {
		throw new TransportError(`${operation.name}: ${verdict.message}`, maybeSent ? "maybe" : "no", options);
	}
	throw new ServiceError(`${operation.name}: ${verdict.message}`, verdict.httpStatus, verdict.grpcCode, options);
}

async function submit(settings: Settings, body: Body): Promise<SubmitAnswer> {
	const { operation, organizationId, bytes } = body;
	const { verdict, requests, maybeSent, maybeSentBefore } = await ask(settings, operation, organizationId, bytes);
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
		if (maybeSentBefore && !provesNothingWasDone(verdict, body, settings.now())) {
			return { kind: "unknown", because: `${message}, but an earlier attempt may have arrived`, hint, requests };
		}
		return { kind: "refused", httpStatus, grpcCode, message, hint, policyEvaluations, requests };
	}
	return { kind: maybeSent ? "unknown" : "not-sent", because: verdict.message, hint: verdict.hint, requests };
}

/** See Submitter: whether a refusal tells that an earlier attempt of the same bytes made no activity either. */
function provesNothingWasDone(refused: Refused, body: Body, nowMs: number): boolean {
	if (refused.httpStatus === 401 || refused.httpStatus === 403) return false;
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

interface Outcome {
	readonly verdict: Verdict;
	readonly requests: number;
	/** Some attempt may have arrived, the last one included. A 429 counts: product.md, section 4, wants it so. */
	readonly maybeSent: boolean;
	/** An attempt before the last may have arrived. A 429 does not count: it was turned away at the door. */
	readonly maybeSentBefore: boolean;
}

/** The verdict on one request, after as many attempts as the verdicts and the time limit allow. */
async function ask(settings: Settings, operation: Operation, organizationId: string, bytes: string): Promise<Outcome> {
	const { url, counts, now } = settings;
	const stamp = await makeStamp(settings.stamper, bytes);
	const { stampHeaderValue } = stamp;
	const publicKey = publicKeyOf(settings.stamper);
	const deadlineMs = now() + settings.timeoutMs;
	let maybeSent = false;
	let maybeSentBefore = false;
	for (let attempt = 1; ; attempt += 1) {
		const startMs = now();
		const timeoutMs = Math.min(settings.attemptTimeoutMs, deadlineMs - startMs);
		const exchange = await send(settings, operation.path, bytes, stamp, timeoutMs);
		tell(settings, operation, organizationId, attempt, exchange, now() - startMs);
		const verdict =
			exchange.kind === "silence"
				? judgeSilence(exchange, url, timeoutMs)
				: judge(operation, exchange, { url, organizationId, publicKey, stampHeaderValue, nowMs: now() });
		if (verdict.kind !== "unclear") return { verdict, requests: attempt, maybeSent: true, maybeSentBefore };
		if (verdict.sent === "maybe") maybeSent = true;
		const delayMs = nextDelayMs(verdict, attempt, deadlineMs - now(), settings.random());
		if (delayMs === undefined) return { verdict, requests: attempt, maybeSent, maybeSentBefore };
		if (verdict.sent === "maybe" && !verdict.throttled) maybeSentBefore = true;
		if (verdict.throttled) counts.throttledMs += delayMs;
		await settings.sleep(delayMs);
		counts.retries += 1;
	}
}

function judgeSilence(silence: Silence, url: string, timeoutMs: number): Unclear {
	// Too large an answer is the service's fault: it did answer, so it counts as one of its errors.
	const httpStatus = silence.word === "too-large" ? 200 : undefined;
	return unclear({ ...explainSilence(silence, url, timeoutMs), sent: silence.sent, httpStatus });
}

function tell(
	settings: Settings,
	operation: Operation,
	organizationId: string,
	attempt: number,
	exchange: Answer | Silence,
	durationMs: number,
): void {
	const outcome = exchange.kind === "answer" ? exchange.httpStatus : exchange.word;
	try {
		settings.onRequest({ operation: operation.name, organizationId, attempt, outcome, durationMs });
	} catch {
		// A listener that fails must not cost us the answer to something that was done.
	}
}

async function makeStamp(stamper: Stamper, bytes: string): Promise<Stamp> {
	try {
		return await stamper.stamp(bytes);
	} catch (error) {
		if (error instanceof OrgsyncError) throw error;
		// The text of a foreign stamper's error may hold its key, so neither it nor the error goes on.
		const name = error instanceof Error ? error.name : "no error object";
		throw new ConfigurationError(`the request could not be stamped: the stamper failed (${name})`);
	}
}

function publicKeyOf(stamper: Stamper): string | undefined {
	const { publicKey } = stamper as { publicKey?: unknown };
	return typeof publicKey === "string" ? publicKey : undefined;
}

/**
 * One attempt: the answer, read to its end, or why there is none. Never throws. Redirects are not followed, and undici
 * sends no POST a second time by itself.
 */
function send(
	settings: Settings,
	path: string,
	bytes: string,
	stamp: Stamp,
	timeoutMs: number,
): Promise<Answer | Silence> {
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
			accept: "application/json",
			"content-type": "application/json",
			[stamp.stampHeaderName]: stamp.stampHeaderValue,
		};
		try {
			settings.pool.dispatch({ path: settings.pathPrefix + path, method: "POST", headers, body: bytes }, handler);
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
