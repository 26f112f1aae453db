/**
 * Classifies an answer by its status, headers and text. It is a success only when it fits the operation's schema, and a refusal
 * only when the service itself rejected the request. Everything between the two is inconclusive. Pure: no clock, no network.
 */

import { hasMoreValues, isRecord, isTextTooDeep, readJson, tooDeepMessage } from "../common/json.ts";
import { flag, type Said, say } from "../common/said.ts";
import { checkSchema } from "../schema/schema.ts";
import { validators } from "../schema/validators/responses.ts";
import { withoutCredentials, withoutPath } from "./hide-path.ts";
import type { Operation } from "./operations.ts";
import { findPolicyEvaluations, type PolicyEvaluation } from "./policy-evaluations.ts";
import { describeSchemaErrors } from "./schema-errors.ts";
import { isLoopback } from "./service-url.ts";

/** One HTTP answer, read to its end. Header names are lower-case; `text` is decoded as UTF-8. */
export interface Answer {
	readonly kind: "answer";
	readonly httpStatus: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly text: string;
}

/** A success that fits the operation's schema. */
export interface ValidAnswer {
	readonly kind: "valid";
	readonly value: Readonly<Record<string, unknown>>;
	/** The service's clock when it answered (`Date`, whole seconds), milliseconds since 1970. */
	readonly serverTimeMs: number | undefined;
	/** Whether it comes from an emulator on this machine whose clock was set (docs/emulator.md#post-emulatorclock). */
	readonly isClockSet?: boolean;
}

/** An error that a retry does not change. It proves something only in the service's error shape. */
export interface RefusedAnswer {
	readonly kind: "refused";
	readonly httpStatus: number;
	/** Set when the answer has the service's error shape. Without it, something else may have answered. */
	readonly grpcCode: number | undefined;
	readonly message: string;
	readonly hint: Said | undefined;
	readonly policyEvaluations: readonly PolicyEvaluation[];
	/** The service rejects the key or the stamp. */
	readonly keyNotAccepted: boolean;
	readonly serverTimeMs: number | undefined;
}

/** An answer that settles nothing: the request may have had no effect, or all of it. */
export interface InconclusiveAnswer {
	readonly kind: "inconclusive";
	readonly sent: "no" | "maybe";
	readonly message: string;
	readonly hint: Said | undefined;
	readonly retry: "yes" | "briefly" | "no";
	/** Set when a service answered. Without it, no usable answer came. */
	readonly httpStatus: number | undefined;
	readonly grpcCode: number | undefined;
	/** The delay that the service asks for (`Retry-After`), in milliseconds. */
	readonly waitMs: number | undefined;
	readonly throttled: boolean;
	/** `ratelimit-remaining: 0` with a 429: no other request would pass either. */
	readonly exhausted: boolean;
}

export type ClassifiedAnswer = ValidAnswer | RefusedAnswer | InconclusiveAnswer;

/** What the messages about an answer need. `stampHeaderValue`, `servicePath` and `proxyAuthorization` are removed from every text. */
export interface AnswerContext {
	/** The origin of the service. */
	readonly url: string;
	/** The path of its base address, which may hold a token; empty or left out without one. */
	readonly servicePath?: string;
	/** The value of `Proxy-Authorization`; left out without one. */
	readonly proxyAuthorization?: string | undefined;
	readonly organizationId: string;
	readonly publicKey: string | undefined;
	readonly stampHeaderValue: string;
	/** Our clock, in milliseconds since 1970; for a `Retry-After` that is a date, when the answer has no `Date`. */
	readonly nowMs: number;
}

/** An answer with more values is not parsed: a user has about ten, with 16 bytes each. */
const maxValues = 700_000;

/** Client errors that leave open whether the request had an effect: timeout, too early, closed on the way (gRPC 1 as HTTP). */
const inconclusiveStatuses = [408, 425, 499];

/**
 * Classifies the answer to a request of `operation` (docs/internals/service.md#errors).
 *
 * 2xx: valid, or inconclusive. 3xx: never followed. 429 and 5xx: inconclusive and worth a retry; 501 means that the operation
 * does not exist. Any other 4xx: refused. Gateways answer for the service, also after they have passed the request on, so a
 * refusal without the service's error shape does not prove that the request had no effect.
 *
 * Unverified, chosen: every 2xx is read like 200. A 429 is a quota, which waiting does not change, when the service's own message
 * says so and neither `Retry-After` nor `ratelimit-remaining: 0` says that it is a rate.
 */
export function classifyAnswer(operation: Operation, answer: Answer, asked: AnswerContext): ClassifiedAnswer {
	const { httpStatus } = answer;
	// Text that is too deep is not parsed: no success, and no refusal either.
	if (isDecidedByBody(httpStatus) && isTextTooDeep(answer.text)) {
		return classifyMisfit(operation, httpStatus, asked, `it is ${tooDeepMessage}`);
	}
	if (isDecidedByBody(httpStatus) && hasMoreValues(answer.text, maxValues)) {
		return classifyMisfit(operation, httpStatus, asked, `it has more than ${maxValues} values`);
	}
	if (httpStatus < 300) return classifySuccess(operation, answer, asked);
	if (httpStatus < 400) return classifyRedirect(answer, asked);
	const body = readErrorBody(answer, asked);
	if (httpStatus === 429) return classifyThrottle(answer, asked, body);
	if (httpStatus === 501)
		return makeRefusal(answer, body, `the service does not have this operation${withMessage(body)}`, undefined);
	if (httpStatus >= 500 || inconclusiveStatuses.includes(httpStatus)) {
		return inconclusive({
			message: `the service answered ${httpStatus}${body.foreign}${withMessage(body)}`,
			retry: "yes",
			httpStatus,
			grpcCode: body.grpcCode,
			waitMs: readRetryAfter(answer, asked),
		});
	}
	return classifyRefusal(answer, asked, body);
}

/** Returns an inconclusive answer with `fields` and the defaults of the others. */
export function inconclusive(
	fields: Pick<InconclusiveAnswer, "message" | "retry"> & Partial<InconclusiveAnswer>,
): InconclusiveAnswer {
	return {
		kind: "inconclusive",
		sent: "maybe",
		hint: undefined,
		httpStatus: undefined,
		grpcCode: undefined,
		waitMs: undefined,
		throttled: false,
		exhausted: false,
		...fields,
	};
}

/** Returns false where the body decides nothing (a redirect) and where a retry may help. */
function isDecidedByBody(httpStatus: number): boolean {
	if (httpStatus === 429 || inconclusiveStatuses.includes(httpStatus)) return false;
	return httpStatus < 300 || (httpStatus >= 400 && httpStatus < 500) || httpStatus === 501;
}

function classifyMisfit(
	{ name }: Operation,
	httpStatus: number,
	{ url }: AnswerContext,
	why: string,
): ClassifiedAnswer {
	const hint = say`check ${flag("url")}: does this service answer at ${url}?`;
	return inconclusive({ message: `the answer is not one of ${name}: ${why}`, hint, retry: "no", httpStatus });
}

function classifySuccess(operation: Operation, answer: Answer, asked: AnswerContext): ClassifiedAnswer {
	const { httpStatus } = answer;
	const contentType = contentTypeOf(answer);
	const value = parse(answer.text);
	if (value === undefined) {
		const encoding = /^(?!identity$)[\w-]{1,20}$/i.exec(answer.headers["content-encoding"] ?? "")?.[0];
		if (encoding !== undefined) {
			const hint = say`check ${flag("url")}: a gateway at ${asked.url} compresses answers`;
			return inconclusive({
				message: `the answer is compressed (${encoding}), unasked`,
				hint,
				retry: "no",
				httpStatus,
			});
		}
		if (/\bjson\b/i.test(contentType)) return inconclusive({ message: "the answer was cut short", retry: "yes" });
		return inconclusive({
			message: `not an answer of this service: ${httpStatus} with ${contentType}`,
			hint: say`check ${flag("url")}: something else answers at ${asked.url}`,
			retry: "no",
			httpStatus,
		});
	}
	const mistakes = checkSchema(validators, `operations/${operation.name}.json#/$defs/response`, value);
	if (!isRecord(value) || mistakes.length > 0) {
		return classifyMisfit(operation, httpStatus, asked, describeSchemaErrors(mistakes));
	}
	const inner = operation.family === "submit" ? value.activity : value;
	const isClockSet = answer.headers["emulator-clock"] === "set" && isLoopback(new URL(asked.url).hostname);
	return {
		kind: "valid",
		value: inner as Record<string, unknown>,
		serverTimeMs: readDate(answer),
		...(isClockSet && { isClockSet }),
	};
}

function classifyRedirect(answer: Answer, asked: AnswerContext): ClassifiedAnswer {
	const { httpStatus } = answer;
	const target = answer.headers.location === undefined ? null : URL.parse(answer.headers.location, asked.url);
	// The query of a redirect may carry a token.
	const where = target === null ? "" : ` to ${cleanText(target.origin + target.pathname, asked)}`;
	const message = `the service answered with a redirect (${httpStatus})${where}, which is not followed`;
	return makeRefusal(answer, noErrorBody, message, say`give the final address with ${flag("url")}`);
}

function classifyThrottle(answer: Answer, asked: AnswerContext, body: ErrorBody): ClassifiedAnswer {
	const { headers } = answer;
	const waitMs = readRetryAfter(answer, asked);
	const exhausted = headers["ratelimit-remaining"]?.trim() === "0";
	const isQuota = body.grpcCode !== undefined && /\bquota\b|\bresource limit\b/i.test(body.message);
	if (isQuota && waitMs === undefined && !exhausted) {
		const hint = "remove what is not needed, or ask the service for more";
		return makeRefusal(answer, body, `a limit of the organization is reached${withMessage(body)}`, hint);
	}
	const limit = headers["ratelimit-limit"];
	return inconclusive({
		message: `too many requests${limit === undefined ? "" : ` (limit ${cleanText(limit, asked)})`}${withMessage(body)}`,
		hint: say`lower the rate with ${flag("max-rps")}, or allow more time with ${flag("timeout")}`,
		retry: "yes",
		httpStatus: answer.httpStatus,
		grpcCode: body.grpcCode,
		waitMs,
		throttled: true,
		exhausted,
	});
}

function classifyRefusal(answer: Answer, asked: AnswerContext, body: ErrorBody): RefusedAnswer {
	const { httpStatus } = answer;
	if (httpStatus === 407) {
		const hint = "put them into the proxy's address: HTTP_PROXY=http://USER:PASSWORD@HOST:PORT";
		return makeRefusal(answer, body, "a proxy requires a user name and a password (407)", hint);
	}
	if (httpStatus === 401 || (httpStatus === 403 && body.grpcCode === 16)) {
		const isPasskey = asked.stampHeaderValue.startsWith("{");
		const unnamed = isPasskey ? "the passkey" : "the key";
		const key = asked.publicKey === undefined ? unnamed : `the public key ${asked.publicKey}`;
		const hint = say`check that ${key} is registered in the organization ${asked.organizationId} and has not expired, and ${flag("url")}`;
		const message = `the service does not accept this ${isPasskey ? "passkey" : "key"}${withMessage(body)}`;
		return { ...makeRefusal(answer, body, message, hint), keyNotAccepted: true };
	}
	if (httpStatus === 403) {
		const hint = body.policyEvaluations.length === 0 ? undefined : "a policy of the organization denies this";
		return makeRefusal(answer, body, `the service denies this${body.foreign}${withMessage(body)}`, hint);
	}
	if (body.foreign !== "") {
		const hint = say`check ${flag("url")}: something else answers at ${asked.url}`;
		return makeRefusal(answer, body, `not an answer of this service: ${httpStatus}${body.foreign}`, hint);
	}
	const hint =
		httpStatus === 404 ? say`check the ids, the organization ${asked.organizationId} and ${flag("url")}` : undefined;
	return makeRefusal(answer, body, `the service answered ${httpStatus}${withMessage(body)}`, hint);
}

function makeRefusal(answer: Answer, body: ErrorBody, message: string, hint: Said | undefined): RefusedAnswer {
	return {
		kind: "refused",
		httpStatus: answer.httpStatus,
		grpcCode: body.grpcCode,
		message,
		hint,
		policyEvaluations: body.policyEvaluations,
		keyNotAccepted: false,
		serverTimeMs: readDate(answer),
	};
}

/** The body of an error, as far as it can be read. `foreign` is ` with CONTENT-TYPE` when it is not JSON. */
interface ErrorBody {
	/** Set only when the body has the service's error shape. */
	readonly grpcCode: number | undefined;
	readonly message: string;
	readonly policyEvaluations: readonly PolicyEvaluation[];
	readonly foreign: string;
}

const noErrorBody: ErrorBody = { grpcCode: undefined, message: "", policyEvaluations: [], foreign: "" };

function readErrorBody(answer: Answer, asked: AnswerContext): ErrorBody {
	const value = parse(answer.text);
	if (!isRecord(value)) return { ...noErrorBody, foreign: answer.text === "" ? "" : ` with ${contentTypeOf(answer)}` };
	const { code, message, details } = value;
	return {
		grpcCode: isGrpcCode(code) && typeof message === "string" ? code : undefined,
		message: typeof message === "string" ? cleanText(message, asked) : "",
		policyEvaluations: findPolicyEvaluations(details, 0),
		foreign: "",
	};
}

/** Whether a value is a gRPC error code (1 to 16), as in the service's error shape. Gateways have the HTTP status there. */
function isGrpcCode(code: unknown): code is number {
	return Number.isInteger(code) && Number(code) >= 1 && Number(code) <= 16;
}

function withMessage(body: ErrorBody): string {
	return body.message === "" ? "" : `: ${body.message}`;
}

function parse(text: string): unknown {
	if (hasMoreValues(text, maxValues)) return undefined;
	const read = readJson(text);
	return "value" in read ? read.value : undefined;
}

function contentTypeOf(answer: Answer): string {
	const [type = ""] = (answer.headers["content-type"] ?? "").split(";");
	return /^[\w.+/-]{1,100}$/.test(type.trim()) ? type.trim() : "no content type";
}

function readDate(answer: Answer): number | undefined {
	const ms = Date.parse(answer.headers.date ?? "");
	return Number.isNaN(ms) ? undefined : ms;
}

/** Returns the milliseconds of `Retry-After`, which is in seconds or a date, compared with the answer's own `Date`. */
function readRetryAfter(answer: Answer, asked: AnswerContext): number | undefined {
	const text = answer.headers["retry-after"]?.trim() ?? "";
	if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
	const ms = Date.parse(text);
	return Number.isNaN(ms) ? undefined : Math.max(0, ms - (readDate(answer) ?? asked.nowMs));
}

/** Returns a text of the service as one short line without control characters, and without our stamp. */
function cleanText(text: string, asked: AnswerContext): string {
	const { stampHeaderValue, proxyAuthorization = "", servicePath = "" } = asked;
	const safe = stampHeaderValue === "" ? text : text.replaceAll(stampHeaderValue, "[stamp]");
	const line = withoutPath(withoutCredentials(safe, proxyAuthorization), servicePath)
		.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
		.trim();
	return line.length > 500 ? `${line.slice(0, 500)}…` : line;
}
