/**
 * The time that one call of the engine may take: `customTimeouts` of its resource. At its end the call fails. A query goes on,
 * because other resources may share its answer, and a request that was submitted is in doubt.
 */
import { TransportError } from "../../common/errors.ts";
import type { Reader, Submitter } from "../../wire/client.ts";

export type TimedCall = "create" | "read" | "update" | "delete";

export class Deadline {
	readonly #call: TimedCall;
	readonly #seconds: number;
	readonly #steadyNow: () => number;
	readonly #endMs: number;

	/** `steadyNow`: milliseconds from an arbitrary start, never set back. */
	constructor(call: TimedCall, seconds: number, steadyNow: () => number) {
		this.#call = call;
		this.#seconds = seconds;
		this.#steadyNow = steadyNow;
		this.#endMs = steadyNow() + seconds * 1000;
	}

	/** 0 once the time is up. */
	leftMs(): number {
		return Math.max(0, this.#endMs - this.#steadyNow());
	}

	/** Returns the result of `work`. Once the time is up, returns that of `late` instead, and `work` goes on. */
	async within<T>(work: () => Promise<T>, late: () => T): Promise<T> {
		const leftMs = this.leftMs();
		if (leftMs === 0) return late();
		const started = work();
		const { promise, resolve } = Promise.withResolvers<"late">();
		const timer = setTimeout(resolve, Math.min(leftMs, maxTimerMs), "late");
		try {
			const first = await Promise.race([started, promise]);
			return first === "late" ? late() : (first as T);
		} finally {
			clearTimeout(timer);
			started.catch(() => undefined);
		}
	}

	/** Throws that the time is up. */
	readonly fail = (): never => {
		throw new TransportError(this.because, "maybe", {
			hint: `set a longer \`customTimeouts.${this.#call}\`, or leave it out`,
		});
	};

	get because(): string {
		const unit = this.#seconds === 1 ? "second" : "seconds";
		return `no answer within the customTimeouts of this ${this.#call}, ${this.#seconds} ${unit}`;
	}
}

const maxTimerMs = 2 ** 31 - 1;

/** A reader whose queries fail once the time is up. */
export function readUntil(reader: Reader, deadline: Deadline | undefined): Reader {
	if (deadline === undefined) return reader;
	return { query: (...question) => deadline.within(() => reader.query(...question), deadline.fail) };
}

/** A submitter that starts no request once the time is up, and then leaves one that it has started in doubt. */
export function submitUntil(submitter: Submitter, deadline: Deadline | undefined): Submitter {
	if (deadline === undefined) return submitter;
	return {
		submit(body) {
			const kind = deadline.leftMs() === 0 ? "not-sent" : "unknown";
			const late = () => ({ kind, because: deadline.because, requests: kind === "unknown" ? 1 : 0 }) as const;
			return deadline.within(() => submitter.submit(body), late);
		},
	};
}
