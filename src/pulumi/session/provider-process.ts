/** The process of a provider, dynamic or plugin: one for each Pulumi provider, whose resources share one session. */

import { AsyncLocalStorage } from "node:async_hooks";
import { fstatSync } from "node:fs";
import { remember } from "../../common/remember.ts";
import { SecretValues } from "../inputs/secrets.ts";
import { type GivenSettings, readSettings } from "../settings/settings.ts";
import { ClaimsFile } from "./claims-file.ts";
import { Deadline, type TimedCall } from "./deadline.ts";
import { processContext, projectFolder } from "./project.ts";
import { Session } from "./session.ts";

interface ProviderProcessOptions {
	/** The address of the engine that started this process; undefined if no engine did. */
	readonly engine: string | undefined;
	/** Shows a line as information: beside the resource with this URN, if one is given. */
	readonly print: (line: string, resourceUrn?: string) => void;
}

/** How long an answer has to leave the process after an interruption. */
const answerMs = 1000;

export class ProviderProcess {
	/** Secret values of all resources of this process. Nothing that is printed shows them. */
	readonly secrets = new SecretValues();
	/** Milliseconds since 1970. */
	readonly now = processContext().now;
	readonly #options: ProviderProcessOptions;
	readonly #claimsFile: ClaimsFile | undefined;
	readonly #sessions = new Map<string, Session>();
	readonly #interruption = new AbortController();
	/** Until when the call in progress may work. */
	readonly #deadline = new AsyncLocalStorage<Deadline>();
	/** Resolves at the interruption. */
	readonly interrupted = new Promise<void>((resolve) => {
		this.#interruption.signal.addEventListener("abort", () => resolve());
	});
	/** Calls in flight that may submit something. */
	#inFlight = 0;
	#endsWithEngine = false;

	constructor(options: ProviderProcessOptions) {
		this.#options = options;
		this.#claimsFile = options.engine === undefined ? undefined : new ClaimsFile(options.engine, projectFolder());
	}

	/** The session of these settings; the same one for the same settings. Throws ConfigurationError for an invalid setting. */
	sessionFor(given: GivenSettings): Session {
		const open = (): Session =>
			new Session(readSettings(given, process.env), {
				...processContext(),
				sharedClaims: this.#claimsFile,
				warn: (line) => this.print(line),
				signal: this.#interruption.signal,
				deadline: () => this.#deadline.getStore(),
			});
		return remember(this.#sessions, JSON.stringify(given), open);
	}

	/** Prints a line, which Pulumi shows as information, without secrets. */
	print(line: string, resourceUrn?: string): void {
		this.#options.print(this.secrets.redact(line), resourceUrn);
	}

	/** Returns the result of `work`, which fails once it takes longer than so many seconds; 0 is without a limit. */
	timed<T>(call: TimedCall, seconds: number, work: () => Promise<T>): Promise<T> {
		if (seconds === 0) return work();
		return this.#deadline.run(new Deadline(call, seconds, processContext().steadyNow), work);
	}

	/** Returns the result of `work`, which an interruption does not cut short. */
	async uninterrupted<T>(work: () => Promise<T>): Promise<T> {
		this.#inFlight += 1;
		try {
			return await work();
		} finally {
			this.#inFlight -= 1;
			if (this.#interruption.signal.aborted) setTimeout(() => this.#endWhenDone(), answerMs);
		}
	}

	/** Lets requests in flight end, and starts no other. */
	interrupt(): void {
		this.#interruption.abort();
	}

	/** Withdraws the claims of this process. */
	close(): void {
		this.#claimsFile?.close();
	}

	/**
	 * Ends this process with its engine: at its signal, and when it is gone. The engine holds the other end of our standard
	 * input and writes nothing to it, so the input ends when the engine is killed. For an input of another kind, `whenGone` resolves
	 * when the engine is gone.
	 */
	endWithEngine(whenGone?: () => Promise<void>): void {
		if (this.#endsWithEngine) return;
		this.#endsWithEngine = true;
		const end = (): void => this.#endWhenDone();
		process.on("SIGINT", end).on("SIGTERM", end);
		process.on("exit", () => this.close());
		if (this.#options.engine === undefined) return;
		if (isPipe(0)) process.stdin.on("end", end).on("error", end).resume();
		else void whenGone?.().then(end);
	}

	/** Ends the process once every outcome is in the state: after every command the engine sends SIGINT and waits five seconds. */
	#endWhenDone(): void {
		this.interrupt();
		if (this.#inFlight === 0) process.exit(130);
	}
}

/** Whether another process holds the other end. Node starts its children with a socket instead of a pipe. */
function isPipe(descriptor: number): boolean {
	try {
		const found = fstatSync(descriptor);
		return found.isFIFO() || found.isSocket();
	} catch {
		return false;
	}
}
