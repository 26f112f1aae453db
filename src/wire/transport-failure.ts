/**
 * Why an attempt got no usable answer, and whether the request may have left. `sent` is "no" only when not one byte of the
 * request can have reached a connection. Everything else is "maybe", and then only the same bytes may follow. Pure.
 */
import { toSeconds } from "./retry.ts";

/** The stable word for what happened instead of an answer. */
type FailureReason =
	| "connection-refused"
	| "name-not-found"
	| "not-connected"
	| "proxy-refused"
	| "tls"
	| "reset"
	| "cut-short"
	| "time-out"
	| "too-large"
	| "no-http"
	| "not-writable"
	| "closed";

/** An attempt without a usable answer. */
export interface TransportFailure {
	readonly kind: "failure";
	readonly reason: FailureReason;
	readonly sent: "no" | "maybe";
	/** The code of the error, for example `ECONNRESET`, or the status of a proxy. Never the message. */
	readonly errorCode: string | undefined;
}

/** How far an attempt had come when it failed. */
export type AttemptStage = "connecting" | "written" | "answering";

/** A longer answer is not read: one organization is small (docs/service.md#rates-and-limits). */
export const maxAnswerBytes = 16 * 1024 * 1024;

const refusedCodes = ["ECONNREFUSED"];
const nameCodes = ["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME"];
const closedCodes = ["UND_ERR_CLOSED", "UND_ERR_DESTROYED"];
const notWritableCodes = ["UND_ERR_INVALID_ARG", "ERR_INVALID_CHAR", "ERR_INVALID_HTTP_TOKEN"];
const tlsCode =
	/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|UNABLE_TO_|ERROR_IN_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH)/;

/** Returns what the error of an attempt means. The message and the members of the error are not kept. */
export function classifyTransportError(error: unknown, stage: AttemptStage): TransportFailure {
	const errorCode = codeOf(error);
	return {
		kind: "failure",
		reason: reasonOf(errorCode ?? "", stage),
		sent: stage === "connecting" ? "no" : "maybe",
		errorCode,
	};
}

/** Returns the failure of an attempt that reached its timeout. */
export function timeoutAt(stage: AttemptStage): TransportFailure {
	return { kind: "failure", reason: "time-out", sent: stage === "connecting" ? "no" : "maybe", errorCode: undefined };
}

/** The failure of an attempt whose answer went over `answerLimitBytes`. */
export const answerTooLarge: TransportFailure = {
	kind: "failure",
	reason: "too-large",
	sent: "maybe",
	errorCode: undefined,
};

function codeOf(error: unknown): string | undefined {
	if (typeof error !== "object" || error === null) return undefined;
	const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown };
	// A proxy that opens no tunnel: undici has the status in the message only.
	const proxyStatus = /^Proxy response \((\d{3})\)/.exec(code === "UND_ERR_ABORTED" ? String(message) : "")?.[1];
	if (proxyStatus !== undefined) return proxyStatus;
	// The parser's errors have the number of a rule as their code, and a piece of the answer beside it.
	if (name === "HTTPParserError") return name;
	return typeof code === "string" ? code : undefined;
}

function reasonOf(code: string, stage: AttemptStage): FailureReason {
	if (stage === "connecting") {
		if (refusedCodes.includes(code)) return "connection-refused";
		if (nameCodes.includes(code)) return "name-not-found";
		if (tlsCode.test(code)) return "tls";
		if (/^\d{3}$/.test(code)) return "proxy-refused";
		if (closedCodes.includes(code)) return "closed";
		if (notWritableCodes.includes(code)) return "not-writable";
		return "not-connected";
	}
	if (code === "HTTPParserError") return "no-http";
	return stage === "written" ? "reset" : "cut-short";
}

/** What a failure means for the user and for what may follow. */
interface FailureDescription {
	readonly message: string;
	readonly hint: string | undefined;
	/** `briefly`: a few times, because waiting rarely helps and a mistyped address should fail soon. */
	readonly retry: "yes" | "briefly" | "no";
}

/** What the words for a failure need. */
interface FailureContext {
	/** The service's base address. */
	readonly url: string;
	/** The proxy in use, without user name and password. */
	readonly proxy: string;
	/** ` (CODE)`, or the empty string. */
	readonly code: string;
	readonly errorCode: string | undefined;
	readonly sent: "no" | "maybe";
	/** The time that the attempt had. */
	readonly timeoutMs: number;
}

type Describe = (context: FailureContext) => FailureDescription;

/**
 * Returns the words for a failure. `url` is the service's base address, `timeoutMs` the time that the attempt had, `proxy` the
 * address of the proxy in use, without user name and password.
 */
export function describeFailure(
	{ reason, sent, errorCode }: TransportFailure,
	url: string,
	timeoutMs: number,
	proxy?: string,
): FailureDescription {
	const code = errorCode === undefined ? "" : ` (${errorCode})`;
	const describe = (proxy === undefined ? undefined : proxyFailures[reason]) ?? failures[reason];
	return describe({ url, proxy: proxy ?? "", code, errorCode, sent, timeoutMs });
}

const proxyHint = "check the proxy's address in HTTPS_PROXY or HTTP_PROXY, or name the service in NO_PROXY";

/** The words for failures that a proxy causes. */
const proxyFailures: Partial<Readonly<Record<FailureReason, Describe>>> = {
	"connection-refused": ({ proxy }) => ({
		message: `no proxy answers at ${proxy} (connection refused)`,
		hint: proxyHint,
		retry: "briefly",
	}),
	"name-not-found": ({ proxy, code }) => ({
		message: `the name of the proxy cannot be resolved: ${new URL(proxy).hostname}${code}`,
		hint: proxyHint,
		retry: "briefly",
	}),
	"not-connected": ({ url, proxy, code }) => ({
		message: `no connection to ${url} through the proxy ${proxy}${code}`,
		hint: proxyHint,
		retry: "briefly",
	}),
	"proxy-refused": ({ url, proxy, code, errorCode }) => ({
		message: `the proxy ${proxy} does not connect to ${url}${code}`,
		hint:
			errorCode === "407"
				? "the proxy needs a user name and a password: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"
				: `does the proxy allow this address, and can it reach it? Otherwise ${proxyHint}`,
		retry: /^5/.test(errorCode ?? "") ? "briefly" : "no",
	}),
};

const notConnected: Describe = ({ url, code }) => ({
	message: `no connection to ${url}${code}`,
	hint: "check --url and the network",
	retry: "briefly",
});

const failures: Readonly<Record<FailureReason, Describe>> = {
	"connection-refused": ({ url }) => ({
		message: `no service answers at ${url} (connection refused)`,
		hint: "check --url, and that the service is running",
		retry: "briefly",
	}),
	"name-not-found": ({ url, code }) => ({
		message: `the host name cannot be resolved: ${new URL(url).hostname}${code}`,
		hint: "check --url, and the network's name service",
		retry: "briefly",
	}),
	"proxy-refused": notConnected,
	"not-connected": notConnected,
	tls: ({ url, code }) => ({
		message: `no secure connection to ${url}${code}`,
		hint: "check --url; to trust a private certificate authority, name its file in NODE_EXTRA_CA_CERTS",
		retry: "no",
	}),
	reset: ({ url, code }) => ({
		message: `the connection to ${url} failed before an answer came${code}`,
		hint: undefined,
		retry: "yes",
	}),
	"cut-short": ({ url, code }) => ({
		message: `the answer of ${url} was cut short${code}`,
		hint: undefined,
		retry: "yes",
	}),
	"time-out": ({ url, sent, timeoutMs }) => ({
		message: `${sent === "no" ? "no connection to" : "no answer from"} ${url} within ${toSeconds(timeoutMs)} s`,
		hint: "the service is slow or cannot be reached; allow more time with --timeout",
		retry: "yes",
	}),
	"too-large": ({ url }) => ({
		message: `the answer of ${url} is larger than ${maxAnswerBytes / 1024 / 1024} MiB and was not read`,
		hint: "check --url",
		retry: "no",
	}),
	"no-http": ({ url }) => ({
		message: `the server at ${url} does not speak HTTP`,
		hint: "check --url: http or https?",
		retry: "no",
	}),
	"not-writable": () => ({
		message: "the request cannot be sent: the stamper made a header that HTTP does not allow",
		hint: "a stamp is one header of printable ASCII characters",
		retry: "no",
	}),
	closed: () => ({ message: "the client is closed", hint: undefined, retry: "no" }),
};
