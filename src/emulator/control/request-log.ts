/** The request log: what was requested and how it was answered, never the stamp or the body. */
import { maxLoggedRequests } from "../assumptions.ts";
import type { FaultKind } from "./faults.ts";

/** One request to a path outside /emulator/. */
export interface RequestLogEntry {
	/** Counts up from 1 and is not reset when the log is cleared. */
	readonly sequence: number;
	/** When it came, in milliseconds of the emulator's clock. */
	readonly timeMs: number;
	readonly method: string;
	/** Without the query string. */
	readonly path: string;
	/** Null when no operation has the path. */
	readonly operation: string | null;
	/** Null when the body named no organization by a UUID. */
	readonly organizationId: string | null;
	/** Null when the connection was cut before an answer. */
	readonly status: number | null;
	/** Of submits. */
	readonly fingerprint: string | null;
	/** The same bytes had come before, and their activity was answered again. */
	readonly replayed: boolean;
	readonly fault: FaultKind | null;
}

const maxPathLength = 200;

type Begun = Pick<RequestLogEntry, "timeMs" | "method" | "path" | "operation">;

export type RequestLog = ReturnType<typeof makeRequestLog>;

export function makeRequestLog() {
	let entries: RequestLogEntry[] = [];
	let sequence = 0;
	let inFlight = 0;
	let max = 0;
	return {
		/** Adds an entry when a request comes. The returned function adds the result. */
		start(begun: Begun): (outcome: Partial<Omit<RequestLogEntry, keyof Begun | "sequence">>) => void {
			sequence += 1;
			const entry: { -readonly [Key in keyof RequestLogEntry]: RequestLogEntry[Key] } = {
				sequence,
				...begun,
				path: begun.path.slice(0, maxPathLength),
				organizationId: null,
				status: null,
				fingerprint: null,
				replayed: false,
				fault: null,
			};
			entries.push(entry);
			// Cut in blocks: shifting one entry for every request would copy the list each time.
			if (entries.length >= maxLoggedRequests * 2) entries = entries.slice(-maxLoggedRequests);
			return (outcome) => {
				Object.assign(entry, outcome);
			};
		},
		entries: (): readonly RequestLogEntry[] => entries.slice(-maxLoggedRequests).map((entry) => ({ ...entry })),
		/** Counts a request as in flight. Call the returned function once, when it is answered or cut off. */
		enter(): () => void {
			inFlight += 1;
			max = Math.max(max, inFlight);
			return () => {
				inFlight -= 1;
			};
		},
		maxInFlight: () => max,
		/** Removes the entries. The max starts again from the requests in flight. */
		clear(): void {
			entries = [];
			max = inFlight;
		},
	};
}
