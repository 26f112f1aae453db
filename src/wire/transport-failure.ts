/**
 * Why no usable answer came, and whether the request may have left. The rule: `sent` is "no" only when not one byte of
 * the request can have reached a connection; everything else is "maybe", and then only the same bytes may follow. Pure.
 */

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

/** One attempt that brought no usable answer. */
export interface TransportFailure {
	readonly kind: "failure";
	readonly reason: FailureReason;
	readonly sent: "no" | "maybe";
	/** The system's or the library's word for the error, for example `ECONNRESET`, or a proxy's status. Never its text. */
	readonly errorCode: string | undefined;
}

/** How far an attempt had come when it broke. */
export type AttemptStage = "connecting" | "written" | "answering";

/** A longer answer is not read: one organization is small (docs/service.md#rates-and-limits). */
export const maxAnswerBytes = 16 * 1024 * 1024;

const refusedCodes = ["ECONNREFUSED"];
const nameCodes = ["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME"];
const closedCodes = ["UND_ERR_CLOSED", "UND_ERR_DESTROYED"];
const notWritableCodes = ["UND_ERR_INVALID_ARG", "ERR_INVALID_CHAR", "ERR_INVALID_HTTP_TOKEN"];
const tlsCode =
	/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|UNABLE_TO_|ERROR_IN_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH)/;

/** What the error of an attempt means, given how far it had come. The error's text and members are not kept. */
export function classifyTransportError(error: unknown, stage: AttemptStage): TransportFailure {
	const errorCode = codeOf(error);
	return {
		kind: "failure",
		reason: reasonOf(errorCode ?? "", stage),
		sent: stage === "connecting" ? "no" : "maybe",
		errorCode,
	};
}

/** The failure of an attempt whose time was up. */
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
	// A proxy that does not let us through: undici has the status in the text only.
	const proxyStatus = /^Proxy response \((\d{3})\)/.exec(code === "UND_ERR_ABORTED" ? String(message) : "")?.[1];
	if (proxyStatus !== undefined) return proxyStatus;
	// The parser's errors carry the number of a rule as their code, and a piece of the answer beside it.
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

/** The words for what a proxy is to blame for; undefined when it is not. */
function describeProxyFailure(
	{ reason: word, errorCode }: TransportFailure,
	url: string,
	proxy: string,
	code: string,
): FailureDescription | undefined {
	const hint = "check the proxy's address in HTTPS_PROXY or HTTP_PROXY, or name the service in NO_PROXY";
	switch (word) {
		case "connection-refused":
			return { message: `no proxy answers at ${proxy} (connection refused)`, hint, retry: "briefly" };
		case "name-not-found":
			return {
				message: `the name of the proxy, ${new URL(proxy).hostname}, cannot be found${code}`,
				hint,
				retry: "briefly",
			};
		case "not-connected":
			return { message: `no connection to ${url} through the proxy ${proxy}${code}`, hint, retry: "briefly" };
		case "proxy-refused":
			return {
				message: `the proxy ${proxy} does not connect us to ${url}${code}`,
				hint:
					errorCode === "407"
						? "it wants a user name and a password: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"
						: `does it allow this address, and can it reach it? Else ${hint}`,
				retry: /^5/.test(errorCode ?? "") ? "briefly" : "no",
			};
		default:
			return undefined;
	}
}

/** What a failure means for a person and for what may follow. */
export interface FailureDescription {
	readonly message: string;
	readonly hint: string | undefined;
	/** `briefly`: a few times, because waiting seldom mends it and a mistyped address should be told soon. */
	readonly retry: "yes" | "briefly" | "no";
}

function seconds(timeMs: number): number {
	return Number((timeMs / 1000).toFixed(1));
}

/**
 * The words for a failure. `url` is the service's base address, `timeoutMs` the time the attempt had, `proxy` the address
 * of the proxy that was asked, without user name and password.
 */
export function describeFailure(
	failure: TransportFailure,
	url: string,
	timeoutMs: number,
	proxy?: string,
): FailureDescription {
	const code = failure.errorCode === undefined ? "" : ` (${failure.errorCode})`;
	const checkUrl = "check --url";
	const meaning = proxy === undefined ? undefined : describeProxyFailure(failure, url, proxy, code);
	if (meaning !== undefined) return meaning;
	switch (failure.reason) {
		case "connection-refused":
			return {
				message: `no service answers at ${url} (connection refused)`,
				hint: `${checkUrl}, and that the service is running`,
				retry: "briefly",
			};
		case "name-not-found":
			return {
				message: `the name ${new URL(url).hostname} cannot be found${code}`,
				hint: `${checkUrl}, and the network's name service`,
				retry: "briefly",
			};
		case "proxy-refused":
		case "not-connected":
			return { message: `no connection to ${url}${code}`, hint: `${checkUrl}, and the network`, retry: "briefly" };
		case "tls":
			return {
				message: `no secure connection to ${url}${code}`,
				hint: `${checkUrl}; a certificate of a private authority is accepted when NODE_EXTRA_CA_CERTS names its file`,
				retry: "no",
			};
		case "reset":
			return { message: `the connection to ${url} broke before an answer came${code}`, hint: undefined, retry: "yes" };
		case "cut-short":
			return { message: `the answer of ${url} was cut short${code}`, hint: undefined, retry: "yes" };
		case "time-out":
			return {
				message: `${failure.sent === "no" ? "no connection to" : "no answer from"} ${url} within ${seconds(timeoutMs)} s`,
				hint: "the service is slow or cannot be reached; --timeout allows more time",
				retry: "yes",
			};
		case "too-large":
			return {
				message: `the answer of ${url} is larger than ${maxAnswerBytes / 1024 / 1024} MiB and was not read`,
				hint: checkUrl,
				retry: "no",
			};
		case "no-http":
			return {
				message: `what answers at ${url} does not speak HTTP`,
				hint: `${checkUrl}: http or https?`,
				retry: "no",
			};
		case "not-writable":
			return {
				message: "the request could not be written: the stamper made a header that HTTP does not allow",
				hint: "a stamp is one header of plain characters",
				retry: "no",
			};
		case "closed":
			return { message: "the client is closed", hint: undefined, retry: "no" };
	}
}
