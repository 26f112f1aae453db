/**
 * Lets the requests of several runners reach a service one at a time, in an order that a proof chooses. Each request is held, and
 * each answer too, so that a runner can be overtaken between any two of them.
 */
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Returns the index of the runner that goes next. `able` are those that wait at the turnstile; there is at least one. */
export type ChooseNext = (able: readonly number[]) => number;

interface Answer {
	readonly status: number;
	readonly headers: IncomingMessage["headers"];
	readonly body: Buffer;
}

/** What one runner waits for, first come first: to be let through. */
interface Lane {
	readonly held: (() => Promise<void> | void)[];
	hasEnded: boolean;
}

export class Turnstile {
	readonly #lanes: Lane[] = [];
	readonly #agent = new Agent({ keepAlive: true });
	readonly #server: Server;
	readonly #target: URL;
	/** The steps of the current race, in order, for people. */
	#steps: string[] = [];
	#isOpen = false;
	#wake: () => void = () => {};

	private constructor(target: URL) {
		this.#target = target;
		this.#server = createServer((incoming, response) => void this.#accept(incoming, response));
	}

	/** Opens a turnstile in front of a service. */
	static async open(url: string): Promise<Turnstile> {
		const turnstile = new Turnstile(new URL(url));
		await new Promise<void>((resolve) => turnstile.#server.listen(0, "127.0.0.1", resolve));
		return turnstile;
	}

	/** Returns the address of the service for this runner. */
	url(runner: number): string {
		const { port } = this.#server.address() as AddressInfo;
		return `http://127.0.0.1:${port}/runner-${runner}`;
	}

	/** Returns what happened since the last race began, one line for each step. */
	get steps(): readonly string[] {
		return this.#steps;
	}

	/** Resolves when the runner is let through: a pause is a step of its own. */
	pass(runner: number, what: string): Promise<void> {
		return new Promise((resolve) => this.#hold(runner, what, resolve));
	}

	/**
	 * Runs these together and returns their results. `choose` decides who goes next whenever all of them wait; without it everything
	 * passes as it comes.
	 */
	async race<T>(runners: readonly (() => Promise<T>)[], choose: ChooseNext | undefined): Promise<readonly T[]> {
		this.#steps = [];
		this.#isOpen = choose === undefined;
		this.#lanes.splice(0, this.#lanes.length, ...runners.map(() => ({ held: [], hasEnded: false })));
		const results = Promise.all(
			runners.map(async (run, index) => {
				try {
					return await run();
				} finally {
					const lane = this.#lanes[index];
					if (lane !== undefined) lane.hasEnded = true;
					this.#wake();
				}
			}),
		);
		if (choose !== undefined) await Promise.race([results, this.#conduct(choose)]);
		return results;
	}

	async #conduct(choose: ChooseNext): Promise<void> {
		for (;;) {
			while (this.#lanes.some(({ held, hasEnded }) => held.length === 0 && !hasEnded)) {
				await new Promise<void>((resolve) => {
					this.#wake = resolve;
				});
			}
			const able = this.#lanes.flatMap(({ hasEnded }, index) => (hasEnded ? [] : [index]));
			if (able.length === 0) return;
			const next = choose(able);
			await this.#lanes[next]?.held.shift()?.();
		}
	}

	#hold(runner: number, what: string, letThrough: () => Promise<void> | void): void {
		const pass = () => {
			this.#steps.push(`runner ${runner}: ${what}`);
			return letThrough();
		};
		if (this.#isOpen) void pass();
		else {
			this.#lanes[runner]?.held.push(pass);
			this.#wake();
		}
	}

	async #accept(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
		const [, lane = "0", path = "/"] = /^\/runner-(\d+)(\/.*)$/.exec(incoming.url ?? "") ?? [];
		const runner = Number(lane);
		const name = path.split("/").at(-1) ?? path;
		const body = await readAll(incoming);
		this.#hold(runner, `sends ${name}`, async () => {
			const answer = await this.#forward(incoming, path, body);
			this.#hold(runner, `hears ${answer.status} of ${name}`, () => {
				response.writeHead(answer.status, answer.headers).end(answer.body);
			});
		});
	}

	#forward({ method, headers }: IncomingMessage, path: string, body: Buffer): Promise<Answer> {
		return new Promise((resolve, reject) => {
			const { hostname, port, host } = this.#target;
			const options = { hostname, port, path, method, agent: this.#agent, headers: { ...headers, host } };
			const outgoing = request(options, async (answer) => {
				resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: await readAll(answer) });
			});
			outgoing.on("error", reject).end(body);
		});
	}

	async close(): Promise<void> {
		this.#agent.destroy();
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}

/**
 * Returns a choice that follows from the numbers alone. Most races are lost at one or two places where a runner is overtaken, so
 * half of the choices let one runner go on until such a place; the others choose at each step, or take turns.
 */
export function drawOrder(random: () => number): ChooseNext {
	const style = random();
	let turn = 0;
	if (style < 0.2) return (able) => able[turn++ % able.length] ?? 0;
	if (style < 0.5) return (able) => able[Math.floor(random() * able.length)] ?? 0;
	let current = 0;
	let left = Math.floor(random() * 40);
	return (able) => {
		if (left <= 0 || !able.includes(current)) {
			const others = able.filter((index) => index !== current);
			current = others[Math.floor(random() * others.length)] ?? able[0] ?? 0;
			left = 1 + Math.floor(random() * 30);
		}
		left -= 1;
		return current;
	};
}
