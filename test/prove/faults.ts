/**
 * A proxy between a client and a service, which does to requests and answers what networks and gateways do: it refuses
 * connections, resets them, delays, doubles, reorders and cuts short what passes, and answers in the service's place.
 */
import { createHash } from "node:crypto";
import {
	Agent,
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	request,
	type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** What becomes of a request. `…-after`: the service got it all the same. */
export const faultNames = [
	"none",
	/** This connection is reset, and for a while no other is accepted. */
	"refuse",
	"reset-before",
	"reset-after",
	/** No answer, until the client gives in or the connection is reset. */
	"stall-before",
	"stall-after",
	/** The connection ends in the middle of the head, or of the body, of the service's answer. */
	"half-head",
	"half-answer",
	"page-502-before",
	"page-503-before",
	"page-504-before",
	"page-502-after",
	"page-503-after",
	"page-504-after",
	/** The service gets the request twice at the same moment. */
	"duplicate",
	/** The request arrives after the one that follows it. */
	"reorder",
	/** The connection is reset, and the request arrives later: after others, or when the proxy is settled. */
	"late",
	/** Request and answer pass in small pieces. */
	"drip",
] as const;

export type FaultName = (typeof faultNames)[number];

/** A request as it came to the proxy. */
export interface Exchange {
	/** Counts from 1 since the proxy was opened. */
	readonly number: number;
	/** The last part of the path: the operation. */
	readonly name: string;
	readonly isSubmit: boolean;
	readonly body: Buffer;
	/** That of the body, as the service makes it. */
	readonly fingerprint: string;
	readonly fault: FaultName;
}

/** What decides about the requests that pass. */
export interface FaultHooks {
	/** Returns what becomes of a request. */
	choose(exchange: Omit<Exchange, "fault">): FaultName;
	/** Called before anything becomes of it: the request is held until this resolves. With `false` it is lost. */
	arrived(exchange: Exchange): Promise<boolean> | boolean;
	/** Called with the service's answer, which is held until this resolves. With `false` it is lost. */
	answered(exchange: Exchange, status: number): Promise<boolean> | boolean;
}

export interface FaultProxy {
	readonly url: string;
	/** Sets what decides about requests from now on. What is left out lets everything pass. */
	use(hooks: Partial<FaultHooks>): void;
	/** Delivers what is late, and resolves when the service has answered everything that it got and connections are accepted. */
	settle(): Promise<void>;
	close(): Promise<void>;
}

interface Passed {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly body: Buffer;
}

/** A stalled connection is reset after this. Longer than the `--timeout 1` of a client that should give in first. */
const stallMs = 2500;
/** How long nothing listens after a connection was refused. */
const refusalMs = 40;
/** A reordered request waits for another one, but no longer than this. */
const reorderMs = 40;
/** A late request arrives after so many others. */
const lateAfter = 3;
const pieces = 6;
const pieceMs = 2;

const passAll: FaultHooks = { choose: () => "none", arrived: () => true, answered: () => true };

/** Opens a proxy in front of the service at this address. Everything passes until `use` says otherwise. */
export async function openFaultProxy(service: string): Promise<FaultProxy> {
	const proxy = new FaultyProxy(service);
	await proxy.listen();
	return proxy;
}

class FaultyProxy implements FaultProxy {
	readonly #service: URL;
	readonly #agent = new Agent({ keepAlive: true });
	readonly #server = createServer((incoming, response) => {
		this.#accept(incoming, response).catch(() => reset(response.socket));
	});
	#hooks = passAll;
	#count = 0;
	#port = 0;
	#isClosed = false;
	/** Requests that the service has not answered yet. */
	readonly #inFlight = new Set<Promise<unknown>>();
	/** Late requests, each with the number of requests to wait for. */
	#late: { readonly deliver: () => Promise<unknown>; left: number }[] = [];
	#awaitingNext: (() => void)[] = [];
	/** Ends when connections are accepted again. */
	#refusing: Promise<void> | undefined;

	constructor(service: string) {
		this.#service = new URL(service);
	}

	get url(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	use(hooks: Partial<FaultHooks>): void {
		this.#hooks = { ...passAll, ...hooks };
	}

	async listen(): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			this.#server.once("error", reject);
			this.#server.listen(this.#port, "127.0.0.1", () => {
				this.#server.removeListener("error", reject);
				resolve();
			});
		});
		this.#port = (this.#server.address() as AddressInfo).port;
	}

	async settle(): Promise<void> {
		while (this.#late.length + this.#inFlight.size > 0) {
			const late = this.#late.splice(0).map(({ deliver }) => deliver());
			await Promise.allSettled([...late, ...this.#inFlight]);
		}
		await this.#refusing;
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		this.#late = [];
		this.#agent.destroy();
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	async #accept(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = await readAll(incoming);
		const path = incoming.url ?? "/";
		const fingerprint = `sha256:${createHash("sha256").update(body).digest("hex")}`;
		this.#count += 1;
		const arrived = {
			...{
				number: this.#count,
				name: path.split("/").at(-1) ?? path,
				isSubmit: path.includes("/submit/"),
				body,
				fingerprint,
			},
		};
		const exchange: Exchange = { ...arrived, fault: this.#hooks.choose(arrived) };
		if (!(await this.#hooks.arrived(exchange))) return reset(response.socket);
		await this.#carryOut(exchange, incoming, response);
	}

	async #carryOut(exchange: Exchange, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
		const { fault } = exchange;
		const forward = () => this.#forward(incoming, exchange);
		const page = /^page-(\d+)-(before|after)$/.exec(fault);
		if (fault === "refuse") this.#refusing ??= this.#refuse();
		if (fault === "refuse" || fault === "reset-before") return reset(response.socket);
		if (fault === "late") {
			this.#late.push({ deliver: forward, left: lateAfter });
			return reset(response.socket);
		}
		if (fault === "stall-before") return stall(response);
		if (page?.[2] === "before") return sendPage(response, Number(page[1]));
		if (fault === "reorder") await Promise.race([this.#next(), delay(reorderMs)]);
		const [answer] = await Promise.all(fault === "duplicate" ? [forward(), forward()] : [forward()]);
		if (!(await this.#hooks.answered(exchange, answer.status))) return reset(response.socket);
		if (page !== null) return sendPage(response, Number(page[1]));
		if (fault === "reset-after") return reset(response.socket);
		if (fault === "stall-after") return stall(response);
		if (fault === "half-head") return cut(response.socket, `HTTP/1.1 ${answer.status} OK\r\nContent-Ty`);
		const { connection: _connection, "keep-alive": _keepAlive, ...headers } = answer.headers;
		response.writeHead(answer.status, headers);
		if (fault === "half-answer") {
			response.write(answer.body.subarray(0, answer.body.length >> 1), () => reset(response.socket));
		} else if (fault === "drip") {
			await drip(answer.body, (piece) => response.write(piece));
			response.end();
		} else response.end(answer.body);
	}

	/** Sends the request to the service, whatever becomes of the client. */
	#forward({ url, method, headers }: IncomingMessage, { body, fault }: Exchange): Promise<Passed> {
		const passing = new Promise<Passed>((resolve, reject) => {
			const { hostname, port, host } = this.#service;
			const options = { hostname, port, path: url, method, agent: this.#agent, headers: { ...headers, host } };
			const outgoing = request(options, (answer) => {
				readAll(answer).then(
					(read) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: read }),
					reject,
				);
			});
			outgoing.on("error", reject);
			if (fault !== "drip") outgoing.end(body);
			else void drip(body, (piece) => outgoing.write(piece)).then(() => outgoing.end());
		});
		const ended = passing.then(
			() => this.#hasPassed(),
			() => undefined,
		);
		this.#inFlight.add(ended);
		void ended.finally(() => this.#inFlight.delete(ended));
		return passing;
	}

	#hasPassed(): void {
		for (const resolve of this.#awaitingNext.splice(0)) resolve();
		const waiting = this.#late.splice(0);
		for (const one of waiting) one.left -= 1;
		this.#late.push(...waiting.filter(({ left }) => left > 0));
		for (const { deliver, left } of waiting) if (left <= 0) void deliver().catch(() => undefined);
	}

	/** Resolves when the service has answered another request. */
	#next(): Promise<void> {
		return new Promise((resolve) => this.#awaitingNext.push(resolve));
	}

	async #refuse(): Promise<void> {
		const closed = new Promise((resolve) => this.#server.close(resolve));
		this.#server.closeAllConnections();
		await closed;
		await delay(refusalMs);
		// Another process can have the port for a moment.
		while (!this.#isClosed && !this.#server.listening) await this.listen().catch(() => delay(refusalMs));
		this.#refusing = undefined;
	}
}

/** Ends a connection at once, as a crashed peer or a firewall does. */
function reset(socket: Socket | null): void {
	if (socket !== null && !socket.destroyed) socket.resetAndDestroy();
}

function cut(socket: Socket | null, text: string): void {
	socket?.write(text, () => reset(socket));
}

function stall(response: ServerResponse): void {
	const timer = setTimeout(() => reset(response.socket), stallMs);
	response.on("close", () => clearTimeout(timer));
}

function sendPage(response: ServerResponse, status: number): void {
	const page = `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center></body></html>\n`;
	response.writeHead(status, { "content-type": "text/html", "content-length": Buffer.byteLength(page) }).end(page);
}

async function drip(body: Buffer, write: (piece: Buffer) => void): Promise<void> {
	const size = Math.ceil(body.length / pieces) || 1;
	for (let start = 0; start < body.length; start += size) {
		write(body.subarray(start, start + size));
		await delay(pieceMs);
	}
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}

/** Returns a choice that follows from the numbers alone: so many of the requests, from 0 to 1, get one of these faults. */
export function drawFaults(
	random: () => number,
	share: number,
	names: readonly FaultName[] = faultNames,
): FaultHooks["choose"] {
	return () => {
		const [isFault, which] = [random() < share, random()];
		return isFault ? (names[Math.floor(which * names.length)] ?? "none") : "none";
	};
}
