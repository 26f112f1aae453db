/** What is known of the run itself, for its metrics, and the file of `--metrics`. */
import { resolve } from "node:path";
import { showText } from "../../common/escape.ts";
import type { RequestCounts, RunFacts } from "../../render/metrics/openmetrics.ts";
import { checkWritable, replaceFile, writeOrRefuse } from "../files/write-file.ts";
import type { Terminal } from "./terminal.ts";

/** The folder and the clocks of a command. */
type Surroundings = Pick<Terminal, "directory" | "now" | "steadyNow">;

export interface MetricsFlags {
	/** Of orgsync. */
	readonly version: string;
	/** A file that takes the metrics besides the result. */
	readonly file: string | undefined;
	/** Added to every metric. */
	readonly labels: Readonly<Record<string, string>>;
}

export class RunMetrics {
	readonly #terminal: Surroundings;
	readonly #flags: MetricsFlags;
	readonly #startedMs: number;
	#requests: RequestCounts | null = null;
	/** Undefined until it was checked. */
	#file: string | undefined;

	constructor(terminal: Surroundings, flags: MetricsFlags) {
		this.#terminal = terminal;
		this.#flags = flags;
		this.#startedMs = terminal.steadyNow();
	}

	/** The file to write; undefined without one, and for one that was refused. */
	get file(): string | undefined {
		return this.#file;
	}

	recordRequests(requests: RequestCounts): void {
		this.#requests = requests;
	}

	/** Returns what is known of the run now. */
	facts(): RunFacts {
		const { version, labels } = this.#flags;
		const { now, steadyNow } = this.#terminal;
		return { version, labels, endedAtMs: now(), durationMs: steadyNow() - this.#startedMs, requests: this.#requests };
	}

	/** Throws ConfigurationError if `refuse` throws or the file is not writable. */
	check(refuse: () => void): void {
		const { file } = this.#flags;
		if (file === undefined) return;
		refuse();
		writeOrRefuse(`--metrics: ${showText(file)} cannot be written`, () =>
			checkWritable(resolve(this.#terminal.directory, file), this.#terminal),
		);
		this.#file = file;
	}

	/** Replaces the file as a whole. Throws what replaceFile throws. */
	write(text: string): void {
		if (this.#file !== undefined) replaceFile(resolve(this.#terminal.directory, this.#file), text, this.#terminal);
	}
}
