/** The command line as a process that is stopped at one exact point: a write of its journal, a request, or an answer. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { commandFile } from "../../../scripts/manifest.ts";
import type { Place } from "../command.ts";
import type { Exchange, FaultHooks, FaultProxy } from "../faults.ts";
import { endWithThis } from "../leftovers.ts";

/**
 * What happens at the point. `kill`: -9, and a request that is on its way is lost. `kill-and-arrive`: it arrives. `kill-and-late`: it
 * arrives when `Stopped.release` is called. `interrupt` is Ctrl-C, `interrupt-twice` another one at the next point.
 */
export type Stop = "kill" | "kill-and-arrive" | "kill-and-late" | "interrupt" | "interrupt-twice";

export interface Stopping {
	/** The number of the point, counted from 1; never when it is left out. */
	readonly at?: number | undefined;
	readonly stop: Stop;
}

/** What became of the process. */
export interface Stopped {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	/** Everything that the process came to, in order. */
	readonly points: readonly string[];
	readonly stdout: string;
	readonly stderr: string;
	/** Delivers the requests that are late, and returns how many: when it resolves, they are on their way to the service. */
	release(): Promise<number>;
}

const pause = fileURLToPath(new URL("pause.cjs", import.meta.url));
const clock = fileURLToPath(new URL("../../clock.cjs", import.meta.url));

/** Called with each request of the process before the service gets it. Throws an Error for one that breaks the promise. */
export type Inspect = (exchange: Exchange) => void;

/** Runs a command through the proxy until it ends or is stopped. Rejects with what `inspect` throws, once the process has ended. */
export async function runVictim(
	words: readonly string[],
	place: Omit<Place, "sleep">,
	proxy: FaultProxy,
	{ at, stop }: Stopping,
	inspect: Inspect,
	choose: FaultHooks["choose"] = () => "none",
): Promise<Stopped> {
	const victim = new Victim(words, place, at, stop);
	let broken: unknown;
	proxy.use({
		choose,
		async arrived(exchange) {
			try {
				inspect(exchange);
			} catch (error) {
				broken ??= error;
			}
			return victim.letArrive(`request ${exchange.name}${exchange.fault === "none" ? "" : ` (${exchange.fault})`}`);
		},
		async answered(exchange, status) {
			await victim.pass(`answer ${status} of ${exchange.name}`);
			return true;
		},
	});
	const stopped = await victim.ended;
	proxy.use({});
	if (broken !== undefined) {
		await stopped.release();
		throw broken;
	}
	return stopped;
}

class Victim {
	readonly #child: ChildProcess;
	readonly #at: number | undefined;
	readonly #stop: Stop;
	readonly #points: string[] = [];
	readonly ended: Promise<Stopped>;
	readonly #released: Promise<void>;
	#late = 0;
	#isDead = false;

	constructor(
		words: readonly string[],
		{ directory, environment, now }: Omit<Place, "sleep">,
		at: number | undefined,
		stop: Stop,
	) {
		this.#at = at;
		this.#stop = stop;
		let deliver = () => {};
		this.#released = new Promise((resolve) => {
			deliver = resolve;
		});
		const release = async (): Promise<number> => {
			const late = this.#late;
			this.#late = 0;
			deliver();
			await nextTurn();
			return late;
		};
		this.#child = endWithThis(
			spawn(process.execPath, [commandFile, ...words], {
				cwd: directory,
				env: {
					...{ PATH: process.env.PATH, HOME: directory, TEST_CLOCK_AHEAD_MS: String(now() - Date.now()) },
					...{ NODE_OPTIONS: `--require=${clock} --require=${pause}`, ...environment },
				},
				stdio: ["ignore", "pipe", "pipe", "pipe"],
			}),
		);
		const texts = { stdout: "", stderr: "" };
		for (const name of ["stdout", "stderr"] as const) {
			this.#child[name]?.setEncoding("utf8").on("data", (text: string) => {
				texts[name] += text;
			});
		}
		this.#answerPauses(this.#child.stdio[3] as Duplex);
		this.ended = new Promise((resolve, reject) => {
			this.#child.on("error", reject);
			this.#child.on("close", (code, signal) => {
				this.#isDead = true;
				resolve({ code, signal, points: this.#points, ...texts, release });
			});
		});
	}

	#answerPauses(channel: Duplex): void {
		channel.setEncoding("utf8").on("error", () => undefined);
		channel.on("data", async (text: string) => {
			for (const line of text.split("\n")) {
				if (line === "") continue;
				await this.pass(line);
				if (!this.#isDead) channel.write("g");
			}
		});
	}

	/** Resolves with whether the request arrives. */
	async letArrive(what: string): Promise<boolean> {
		if (!this.#isDead) await this.pass(what);
		if (!this.#isDead || this.#stop === "kill-and-arrive") return true;
		if (this.#stop !== "kill-and-late") return false;
		this.#late += 1;
		await this.#released;
		return true;
	}

	/** Records a point; the process is stopped if it is the one. */
	async pass(what: string): Promise<void> {
		if (this.#isDead) return;
		this.#points.push(what);
		const number = this.#points.length;
		const isSecond = this.#stop === "interrupt-twice" && this.#at !== undefined && number === this.#at + 1;
		if (number !== this.#at && !isSecond) return;
		if (this.#stop.startsWith("interrupt")) {
			this.#child.kill("SIGINT");
			return;
		}
		this.#isDead = true;
		this.#child.kill("SIGKILL");
		await this.ended;
	}
}
