/** Readings that an interruption ends. */
import { InterruptedError } from "../../common/errors.ts";
import type { Reader } from "../../wire/client.ts";

/** Returns a reader whose queries throw InterruptedError with this message as soon as the signal is aborted. */
export function readUntilInterrupted(reader: Reader, signal: AbortSignal | undefined, message: string): Reader {
	if (signal === undefined) return reader;
	return {
		query: (operation, fields) =>
			new Promise((resolve, reject) => {
				const end = (): void => reject(new InterruptedError(message));
				if (signal.aborted) return end();
				signal.addEventListener("abort", end, { once: true });
				const answer = reader.query(operation, fields).then(resolve, reject);
				void answer.finally(() => signal.removeEventListener("abort", end));
			}),
	};
}
