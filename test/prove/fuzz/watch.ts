/** Ends this process when a case does not end on its own, and measures the time and the memory of those that do. */
import { Worker } from "node:worker_threads";

/** After so long, a case hangs: the machine may be busy, so this is far above the limit of a case. */
const hangMs = 60_000;

const code = `
const { workerData } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const cell = new BigInt64Array(workerData.shared);
let [seen, sinceMs] = [-1n, Date.now()];
setInterval(() => {
	const [count, seed] = [Atomics.load(cell, 0), Atomics.load(cell, 1)];
	if (count !== seen || seed < 0n) [seen, sinceMs] = [count, Date.now()];
	else if (Date.now() - sinceMs > ${hangMs}) {
		writeSync(1, "FINDING (again: npm run prove -- fuzz --seed " + seed + " --cases 1)\\na case hangs for more than ${hangMs / 1000} s\\n");
		process.kill(process.pid, "SIGKILL");
	}
}, 1000);
`;

export class Watch {
	readonly #cell = new BigInt64Array(new SharedArrayBuffer(16));
	readonly #worker: Worker;

	constructor() {
		this.#cell[1] = -1n;
		this.#worker = new Worker(code, { eval: true, workerData: { shared: this.#cell.buffer } });
		this.#worker.unref();
	}

	/** Says that the case of this seed begins now. */
	begin(seed: number): void {
		Atomics.store(this.#cell, 1, BigInt(seed));
		Atomics.add(this.#cell, 0, 1n);
	}

	/** Says that no case runs. */
	pause(): void {
		Atomics.store(this.#cell, 1, -1n);
	}

	async end(): Promise<void> {
		await this.#worker.terminate();
	}
}

const warnings: string[] = [];

/** Keeps the warnings of Node and of packages from now on: a command would print them in words that are not its own. */
export function keepWarnings(): void {
	process.emitWarning = (warning) => {
		warnings.push(String(warning));
	};
}

/** Of this thread, in microseconds; of the whole process in a Node older than 22.19. */
const cpuUsage = (process.threadCpuUsage ?? process.cpuUsage).bind(process);

export interface Cost {
	/** The first warning of Node or of a package. */
	readonly warning: string | undefined;
	/** Time of this thread. */
	readonly cpuMs: number;
	/** How far the memory of the process rose above what it was before. */
	readonly grownBytes: number;
}

/** Returns what `work` returns, and what it took. */
export async function measure<T>(work: () => Promise<T> | T): Promise<{ readonly value: T; readonly cost: Cost }> {
	const before = { cpu: cpuUsage(), rss: process.memoryUsage.rss(), wallMs: performance.now() };
	warnings.length = 0;
	const value = await work();
	const wallMs = performance.now() - before.wallMs;
	const { user, system } = wallMs < 200 ? { user: 0, system: 0 } : cpuUsage(before.cpu);
	const peak = process.resourceUsage().maxRSS * 1024;
	const grownBytes = peak > highest ? peak - before.rss : 0;
	highest = Math.max(highest, peak);
	return { value, cost: { warning: warnings[0], cpuMs: (user + system) / 1000, grownBytes } };
}

/** The most memory that the process ever had: only a new peak is of the case that made it. */
let highest = process.resourceUsage().maxRSS * 1024;
