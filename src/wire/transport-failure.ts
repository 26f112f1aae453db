/**
 * Why an attempt got no usable answer, and whether the request may have left. `sent` is "no" only when not one byte of the
 * request can have reached a connection. Everything else is "maybe", and then only the same bytes may follow. Pure.
 */
import { flag, type Said, say } from "../common/said.ts";
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

export interface TransportFailure {
	readonly kind: "failure";
	readonly reason: FailureReason;
	readonly sent: "no" | "maybe";
	/** The code of the error, for example `ECONNRESET`, or the status of a proxy. Never the message. */
	readonly errorCode: string | undefined;
}

/** How far an attempt had come when it failed. */
export type AttemptStage = "connecting" | "written" | "answering";

/** A longer answer is not read: one organization is small (docs/internals/service.md#rates-and-limits). */
export const maxAnswerBytes = 16 * 1024 * 1024;

/** What error codes mean before a connection is open. The first match counts. */
const connectionReasons: readonly (readonly [RegExp, FailureReason])[] = [
	[/^ECONNREFUSED$/, "connection-refused"],
	[/^(ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_NONAME)$/, "name-not-found"],
	[
		/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|UNABLE_TO_|ERROR_IN_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH)/,
		"tls",
	],
	[/^\d{3}$/, "proxy-refused"],
	[/^(ERR_INVALID_CHAR|ERR_INVALID_HTTP_TOKEN)$/, "not-writable"],
];

/** Returns the failure of an attempt that had come to `stage`. */
export function failureAt(stage: AttemptStage, reason: FailureReason, errorCode?: string): TransportFailure {
	return { kind: "failure", reason, sent: stage === "connecting" ? "no" : "maybe", errorCode };
}

/** Returns what the error of an attempt means. The message and the members of the error are not kept. */
export function classifyTransportError(error: unknown, stage: AttemptStage): TransportFailure {
	const errorCode = codeOf(error);
	return failureAt(stage, reasonOf(errorCode ?? "", stage), errorCode);
}

function codeOf(error: unknown): string | undefined {
	if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
	return typeof error.code === "string" ? error.code : undefined;
}

function reasonOf(code: string, stage: AttemptStage): FailureReason {
	if (stage === "connecting") {
		return connectionReasons.find(([pattern]) => pattern.test(code))?.[1] ?? "not-connected";
	}
	// The codes of Node's parser. Headers or extensions without an end are HTTP.
	if (/^HPE_(?!.*OVERFLOW$)/.test(code)) return "no-http";
	return stage === "written" ? "reset" : "cut-short";
}

/** What a failure means for the user and for what may follow. */
interface FailureDescription {
	readonly message: string;
	readonly hint: Said | undefined;
	/** `briefly`: a few times, because waiting rarely helps and a mistyped address should fail soon. */
	readonly retry: "yes" | "briefly" | "no";
}

interface FailureContext extends Pick<TransportFailure, "sent" | "errorCode"> {
	readonly url: string;
	readonly proxy: string;
	/** ` (CODE)`, or the empty string. */
	readonly code: string;
	readonly timeoutMs: number;
}

type Describe = (context: FailureContext) => FailureDescription;

/** Returns the words for a failure. `timeoutMs` is the time of the attempt, `proxy` the address in use without a password. */
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

const describeAs = (retry: FailureDescription["retry"]) => (message: string, hint?: Said) => ({
	message,
	hint,
	retry,
});
const retried = describeAs("yes");
const briefly = describeAs("briefly");
const never = describeAs("no");

const proxyHint = "check the proxy's address in HTTPS_PROXY or HTTP_PROXY, or name the service in NO_PROXY";

/** The words for failures that a proxy causes. */
const proxyFailures: Partial<Readonly<Record<FailureReason, Describe>>> = {
	"connection-refused": ({ proxy }) => briefly(`no proxy answers at ${proxy} (connection refused)`, proxyHint),
	"name-not-found": ({ proxy, code }) =>
		briefly(`the name of the proxy cannot be resolved: ${new URL(proxy).hostname}${code}`, proxyHint),
	"not-connected": ({ url, proxy, code }) =>
		briefly(`no connection to ${url} through the proxy ${proxy}${code}`, proxyHint),
	"proxy-refused": ({ url, proxy, code, errorCode }) => {
		const hint =
			errorCode === "407"
				? "the proxy needs a user name and a password: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"
				: `does the proxy allow this address, and can it reach it? Otherwise ${proxyHint}`;
		const describe = /^5/.test(errorCode ?? "") ? briefly : never;
		return describe(`the proxy ${proxy} does not connect to ${url}${code}`, hint);
	},
};

const notConnected: Describe = ({ url, code }) =>
	briefly(`no connection to ${url}${code}`, say`check ${flag("url")} and the network`);

const failures: Readonly<Record<FailureReason, Describe>> = {
	"connection-refused": ({ url }) =>
		briefly(
			`no service answers at ${url} (connection refused)`,
			say`check ${flag("url")}, and that the service is running`,
		),
	"name-not-found": ({ url, code }) =>
		briefly(
			`the host name cannot be resolved: ${new URL(url).hostname}${code}`,
			say`check ${flag("url")}, and the network's name service`,
		),
	"proxy-refused": notConnected,
	"not-connected": notConnected,
	tls: ({ url, code }) =>
		never(
			`no secure connection to ${url}${code}`,
			say`check ${flag("url")}; to trust a private certificate authority, name its file in NODE_EXTRA_CA_CERTS`,
		),
	reset: ({ url, code }) => retried(`the connection to ${url} failed before an answer came${code}`),
	"cut-short": ({ url, code }) => retried(`the answer of ${url} was cut short${code}`),
	"time-out": ({ url, sent, timeoutMs }) =>
		retried(
			`${sent === "no" ? "no connection to" : "no answer from"} ${url} ${describeLimit(timeoutMs)}`,
			say`the service is slow or cannot be reached; allow more time with ${flag("timeout")}`,
		),
	"too-large": ({ url }) =>
		never(
			`the answer of ${url} is larger than ${maxAnswerBytes / 1024 / 1024} MiB and was not read`,
			say`check ${flag("url")}`,
		),
	"no-http": ({ url }) => never(`the server at ${url} does not speak HTTP`, say`check ${flag("url")}: http or https?`),
	"not-writable": () =>
		never(
			"the request cannot be sent: the stamper made a header that HTTP does not allow",
			"a stamp is one header of printable ASCII characters",
		),
	closed: () => never("the client is closed"),
};

/** A retry can have next to nothing left of the time limit. */
function describeLimit(timeoutMs: number): string {
	return timeoutMs < 50 ? "in the time that was left" : `within ${toSeconds(timeoutMs)} s`;
}
