/**
 * One connection of a client, and what all connections of a case share: the count of requests, and the gate that is closed
 * while the server is down.
 */
import { connect } from "node:net";
import { Client } from "undici";

export interface LoadAnswer {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by the clients.
	readonly body: any;
}

/** No answer for so long is a hang. A machine with much else to do can leave a process without a turn for a minute. */
const hangMs = 300_000;

/** What the connections of a case share. */
export class Traffic {
	readonly #limit: number;
	readonly #onSent: (sent: number) => void;
	#gate: Promise<void> = Promise.resolve();
	#isStopped = false;
	sent = 0;
	/** Counts the kills, so that a connection knows whether one came during its request. */
	kills = 0;

	constructor(limit: number, onSent: (sent: number) => void) {
		this.#limit = limit;
		this.#onSent = onSent;
	}

	/** Whether clients go on: the requests are not used up, and no client has found anything. */
	get goesOn(): boolean {
		return !this.#isStopped && this.sent < this.#limit;
	}

	get isStopped(): boolean {
		return this.#isStopped;
	}

	stop(): void {
		this.#isStopped = true;
	}

	count(): void {
		this.sent += 1;
		this.#onSent(this.sent);
	}

	/** Closes the gate until the promise is settled. */
	closeGate(until: Promise<unknown>): void {
		this.kills += 1;
		this.#gate = until.then(
			() => undefined,
			() => undefined,
		);
	}

	/** Resolves when the server is up. */
	up(): Promise<void> {
		return this.#gate;
	}
}

/** A connection to the server, opened again after each kill. */
export class Connection {
	readonly #client: Client;
	readonly #origin: string;
	readonly #traffic: Traffic;

	constructor(origin: string, traffic: Traffic) {
		this.#origin = origin;
		this.#traffic = traffic;
		this.#client = new Client(origin, { headersTimeout: hangMs, bodyTimeout: hangMs, keepAliveTimeout: 600_000 });
	}

	/** Sends a request once. Undefined: a kill took the answer. Throws for a lost answer without a kill, and for a hang. */
	async once(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<LoadAnswer | undefined> {
		await this.#traffic.up();
		const { kills } = this.#traffic;
		this.#traffic.count();
		const method = path.startsWith("GET ") ? "GET" : "POST";
		const isPost = method === "POST";
		try {
			const answer = await this.#client.request({
				method,
				path: isPost ? path : path.slice(4),
				headers: { ...(isPost ? { "content-type": "application/json" } : {}), ...headers },
				...(isPost ? { body } : {}),
			});
			const text = await answer.body.text();
			return { status: answer.statusCode, body: JSON.parse(text) };
		} catch (error) {
			if (kills !== this.#traffic.kills) return undefined;
			throw new Error(`${path} was not answered, and the server was not killed: ${String(error)}`, { cause: error });
		}
	}

	/** Sends the same request until it is answered. Undefined: a client has found something meanwhile. */
	async deliver(
		path: string,
		body: string,
		headers: Readonly<Record<string, string>>,
	): Promise<LoadAnswer | undefined> {
		while (!this.#traffic.isStopped) {
			const answer = await this.once(path, body, headers);
			if (answer !== undefined) return answer;
		}
		return undefined;
	}

	/** Writes bytes on a socket of its own, and resolves when that is closed: by the server, or after `holdMs` by the client. */
	async raw(bytes: string, holdMs: number): Promise<void> {
		await this.#traffic.up();
		this.#traffic.count();
		const { hostname, port } = new URL(this.#origin);
		await new Promise<void>((resolve) => {
			const socket = connect(Number(port), hostname, () => {
				socket.write(bytes, () => setTimeout(() => socket.destroy(), holdMs));
			});
			socket.on("error", () => undefined).on("close", () => resolve());
			socket.resume();
		});
	}

	close(): Promise<void> {
		return this.#client.destroy();
	}
}
