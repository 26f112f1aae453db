/** The emulator: the whole interface as a service on loopback, for tests of clients. Its HTTP; service.ts decides answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { BoundedBody } from "../common/bounded-body.ts";
import { ConfigurationError } from "../common/errors.ts";
import type { Operation } from "../wire/operations.ts";
import type { ForcedEnd } from "./activities.ts";
import { closeGraceMs, faultDefaults, grpcCodeOfStatus, maxBodyBytes, maxControlBodyBytes } from "./assumptions.ts";
import { checkAllowedHosts, formatHost, isLoopbackAddress, makeHostCheck } from "./control/allowed-hosts.ts";
import { type Control, type EmulatorParts, makeClock, makeControl, seedStore } from "./control/control.ts";
import { answerControl } from "./control/endpoints.ts";
import { activityFaults, type Fault, makeFaultQueue, transportFaults } from "./control/faults.ts";
import { makeRateLimitBuckets } from "./control/rate-limit.ts";
import { makeRequestLog } from "./control/request-log.ts";
import { notFound, RequestError } from "./request-error.ts";
import type { Seed } from "./seed/check.ts";
import { handleOperation, operationsByPath, readLogFields, type ServiceAnswer } from "./service.ts";
import { type OrganizationSummary, openStore } from "./store.ts";

export type { ClockChange, Control, OrganizationView } from "./control/control.ts";
export type { Fault, FaultKind } from "./control/faults.ts";
export type { RateLimit } from "./control/rate-limit.ts";
export type { RequestLogEntry } from "./control/request-log.ts";
export type { SeedUser } from "./kinds/user.ts";
export type { SeedUserTag } from "./kinds/user-tag.ts";
export { RequestError } from "./request-error.ts";
export type { OrganizationPatch } from "./seed/changes.ts";
export type { Seed, SeedOrganization } from "./seed/check.ts";
export { parseSeed } from "./seed/seed.ts";
export type { Rules } from "./state.ts";
export type { OrganizationSummary } from "./store.ts";

/** Where an emulator listens, what it starts with and where it stores it. */
export interface EmulatorOptions {
	/** 0 or left out: any free port. */
	readonly port?: number;
	/** 127.0.0.1 when left out. */
	readonly host?: string;
	/** Further names at which /emulator/ answers, beside localhost, `host` and, beyond loopback, every IP address. */
	readonly allowHosts?: readonly string[];
	/** A SQLite file, private to its owner. Left out, state is in memory and lost at the end. */
	readonly dataFile?: string;
	/** Applied for organizations that the data file does not have. */
	readonly seed?: Seed;
	/** `"documented"` answers 404 to the reads and submits outside the 13 operations, but for votes. */
	readonly reads?: "all" | "documented";
	/** Milliseconds since 1970; the real clock when left out. */
	readonly now?: () => number;
	/** Gets lines for the user: a warning when other machines can reach the emulator, or a changed mode of the data file. */
	readonly notice?: (text: string) => void;
}

export interface Emulator extends Control {
	/** Without a slash at the end: `http://127.0.0.1:PORT`. */
	readonly url: string;
	/** All organizations and their users, as they are now. */
	readonly organizations: readonly OrganizationSummary[];
	/** Resolves when nothing listens any more, every answered change is on disk, and the data file is closed. */
	close(): Promise<void>;
}

interface Service extends EmulatorParts {
	readonly control: Control;
	readonly operations: ReadonlyMap<string, Operation>;
	readonly isKnownHost: (header: string | undefined) => boolean;
	/** Aborted when the emulator closes: slow answers stop waiting. */
	readonly closing: AbortSignal;
}

/** Returns the whole body. Bytes beyond the limit are discarded, so that the client still gets its answer. */
async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
	const body = new BoundedBody(limitBytes);
	for await (const chunk of request as AsyncIterable<Buffer>) body.add(chunk);
	const whole = body.read();
	if (whole === undefined) throw new RequestError(413, 3, `the body is larger than ${limitBytes} bytes`);
	return whole;
}

type Headers = Readonly<Record<string, string>>;

function send(response: ServerResponse, status: number, text: string, headers: Headers = {}): void {
	if (response.destroyed) return;
	const length = String(Buffer.byteLength(text));
	response.writeHead(status, { "content-type": "application/json", ...headers, "content-length": length });
	response.end(text);
}

function sendError(response: ServerResponse, error: RequestError, headers?: Headers): void {
	send(response, error.status, JSON.stringify(error.body()), headers);
}

const tooManyRequests = new RequestError(429, 8, "too many requests");

/** Sends the answer of a fault that replaces that of the service. Returns its status; undefined for other kinds of fault. */
function sendFault(response: ServerResponse, { fault, status: given, headers }: Fault): number | undefined {
	if (fault === "429") {
		sendError(response, tooManyRequests, headers);
		return tooManyRequests.status;
	}
	if (fault === "5xx") {
		const status = given ?? faultDefaults.failureStatus;
		sendError(response, new RequestError(status, grpcCodeOfStatus(status), "the service is unavailable"), headers);
		return status;
	}
	if (fault === "html") {
		const status = given ?? faultDefaults.htmlStatus;
		const page = `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>\n`;
		send(response, status, page, { "content-type": "text/html", ...headers });
		return status;
	}
	return undefined;
}

/** Sends the answer, changed by the fault. Returns the status that reached the client; null when the connection was cut. */
async function sendAnswer(
	response: ServerResponse,
	answer: ServiceAnswer,
	fault: Fault | undefined,
	closing: AbortSignal,
): Promise<number | null> {
	const spoken = fault === undefined ? undefined : sendFault(response, fault);
	if (spoken !== undefined) return spoken;
	const text = JSON.stringify(answer.body);
	if (fault?.fault === "drop-after") {
		response.socket?.destroy();
		return null;
	}
	if (fault?.fault === "truncated") {
		const whole = Buffer.from(text, "utf8");
		response.writeHead(answer.status, { "content-type": "application/json", "content-length": whole.length });
		response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => response.socket?.destroy());
		return answer.status;
	}
	if (fault?.fault === "slow") {
		await delay(fault.delayMs ?? faultDefaults.delayMs, undefined, { signal: closing }).catch(() => undefined);
	}
	send(response, answer.status, text, fault?.headers);
	return answer.status;
}

/** Returns the headers of the 429 when the request exceeds the rate limit; undefined when it may pass. */
function checkRateLimit({ limits, clock, store }: Service, operation: Operation, rawBody: Buffer): Headers | undefined {
	// Without a limit the body is not parsed twice.
	if (limits.get() === undefined) return undefined;
	const { organizationId } = readLogFields(operation, rawBody);
	// Unknown ids share one bucket, so that there are no more buckets than organizations.
	const isKnown = organizationId !== null && store.organization(organizationId) !== undefined;
	return limits.take(isKnown ? organizationId : null, clock.now());
}

async function answerOperation(service: Service, request: IncomingMessage, response: ServerResponse, path: string) {
	const { store, faults, log, clock, operations, closing } = service;
	const method = request.method ?? "";
	const operation = operations.get(path);
	const timeMs = clock.now();
	const finish = log.start({ timeMs, method, path, operation: operation?.name ?? null });
	const rawBody = await readBody(request, maxBodyBytes);
	const refuse = (error: RequestError, headers?: Headers): void => {
		finish({ status: error.status });
		sendError(response, error, headers);
	};
	if (method !== "POST") return refuse(new RequestError(405, 12, "only POST is served"), { allow: "POST" });
	if (operation === undefined) return refuse(notFound("Not Found"));
	const rejection = checkRateLimit(service, operation, rawBody);
	if (rejection !== undefined) {
		finish(readLogFields(operation, rawBody));
		return refuse(tooManyRequests, rejection);
	}
	const fault = faults.take(operation.name, transportFaults);
	if (fault !== undefined) finish({ fault: fault.fault, ...readLogFields(operation, rawBody) });
	if (fault?.fault === "drop-before") return response.socket?.destroy();
	const before = fault === undefined || fault.takesEffect === true ? undefined : sendFault(response, fault);
	if (before !== undefined) return finish({ status: before });
	const { "x-stamp": apiKey, "x-stamp-webauthn": passkey } = request.headers;
	const answer = handleOperation(store, {
		operation,
		stamps: { apiKey: apiKey?.toString(), passkey: passkey?.toString() },
		rawBody,
		nowMs: clock.now(),
		takeForcedEnd: () => faults.take(operation.name, activityFaults)?.fault as ForcedEnd,
	});
	const { organizationId, fingerprint, replayed } = answer;
	finish({ organizationId, fingerprint, replayed });
	finish({ status: await sendAnswer(response, answer, fault, closing) });
}

async function answerRequest(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
	try {
		// Clients read the service's time from it, so it follows the emulator's own clock.
		response.setHeader("date", new Date(service.clock.now()).toUTCString());
		if (service.clock.isSet()) response.setHeader("emulator-clock", "set");
		const target = request.url ?? "/";
		const path = target.split("?", 1)[0] ?? "/";
		if (path.startsWith("/emulator/")) {
			const { method = "", headers } = request;
			const read = () => readBody(request, maxControlBodyBytes);
			const url = new URL(target, "http://emulator");
			const answer = await answerControl(service, { method, url, headers, readBody: read });
			send(response, 200, JSON.stringify(answer));
		} else {
			// Ends when the answer is written, so that the next request of the client does not count as concurrent.
			const leave = service.log.enter();
			await answerOperation(service, request, response, path).finally(leave);
		}
	} catch (error) {
		if (response.headersSent) return void response.destroy();
		if (error instanceof RequestError) return sendError(response, error);
		const reason = error instanceof Error ? error.message : "unknown";
		sendError(response, new RequestError(500, 13, `the emulator failed: ${reason}`));
	}
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
	return new Promise((resolve, reject) => {
		server.once("error", (error: NodeJS.ErrnoException) => {
			const isTaken = error.code === "EADDRINUSE";
			const because = isTaken ? "another process listens there" : error.message;
			reject(
				new ConfigurationError(`cannot listen on ${host}:${port}: ${because}`, {
					cause: error,
					...(isTaken ? { hint: "choose another port; port 0 is any free one" } : {}),
				}),
			);
		});
		server.listen(port, host, () => resolve(server.address() as AddressInfo));
	});
}

function closeServer(server: Server): Promise<void> {
	return new Promise((resolve) => {
		const grace = setTimeout(() => server.closeAllConnections(), closeGraceMs);
		// A connection is idle, and can be closed, only after its last answer.
		const sweep = setInterval(() => server.closeIdleConnections(), 10);
		server.close(() => {
			clearTimeout(grace);
			clearInterval(sweep);
			resolve();
		});
	});
}

/** Starts an emulator, listening and seeded. Rejects with a ConfigurationError, or a StorageError for its data file. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
	const { host = "127.0.0.1", allowHosts = [], notice = () => undefined } = options;
	checkAllowedHosts(allowHosts);
	const closing = new AbortController();
	const store = openStore(options.dataFile, notice);
	const clock = makeClock(options.now ?? Date.now);
	const parts: EmulatorParts = {
		store,
		clock,
		faults: makeFaultQueue(),
		log: makeRequestLog(),
		limits: makeRateLimitBuckets(),
	};
	const control = makeControl(parts);
	const server = createServer();
	try {
		if (options.seed !== undefined) seedStore(store, options.seed, clock.now());
		const { port, address } = await listen(server, options.port ?? 0, host);
		const service: Service = {
			...parts,
			control,
			operations: operationsByPath(options.reads ?? "all"),
			isKnownHost: makeHostCheck(host, address, allowHosts),
			closing: closing.signal,
		};
		// No request can have come yet: it would need a later turn of the event loop.
		server.on("request", (request, response) => void answerRequest(service, request, response));
		if (!isLoopbackAddress(address)) {
			notice(
				`warning: the emulator listens on ${address}: other machines can reach it, /emulator/ requires no stamp, and nothing is encrypted`,
			);
		}
		return {
			...control,
			url: `http://${formatHost(host)}:${port}`,
			get organizations() {
				return store.summaries();
			},
			async close() {
				closing.abort();
				await closeServer(server);
				store.close();
			},
		};
	} catch (error) {
		store.close();
		throw error;
	}
}
