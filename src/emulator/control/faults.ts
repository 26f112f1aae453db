/** Faults: how the next requests fail, by operation and count, for tests of clients. */

export const faultKinds = [
	"drop-before",
	"drop-after",
	"429",
	"5xx",
	"html",
	"truncated",
	"slow",
	"fail",
	"reject",
	"fewer-ids",
	"fewer-policies",
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** One fault. It is removed from the queue after `count` requests. */
export interface Fault {
	/** The name of an operation, or `*` for any. */
	readonly operation: string;
	/** How many requests it applies to; 1 when left out. */
	readonly count?: number;
	/** docs/emulator.md describes each kind. */
	readonly fault: FaultKind;
	/** Headers added to the answer, for example `retry-after`. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly delayMs?: number;
	readonly status?: number;
	/** For `429`, `5xx` and `html`: the operation takes effect although the answer says otherwise. */
	readonly takesEffect?: boolean;
}

/** Kinds that change an activity; they apply to a submit that makes one. */
export const activityFaults = ["fail", "reject", "fewer-ids", "fewer-policies"] as const satisfies readonly FaultKind[];

/** Those of them that are about the ids of created policies. */
export const creationFaults: readonly FaultKind[] = ["fewer-ids", "fewer-policies"];

/** Kinds that change how an answer travels. */
export const transportFaults: readonly FaultKind[] = faultKinds.filter(
	(kind) => !activityFaults.some((one) => one === kind),
);

export type FaultQueue = ReturnType<typeof makeFaultQueue>;

export function makeFaultQueue() {
	let queue: { fault: Fault; left: number }[] = [];
	return {
		add(fault: Fault): void {
			queue.push({ fault, left: fault.count ?? 1 });
		},
		list: (): readonly Fault[] => queue.map(({ fault, left }) => ({ ...fault, count: left })),
		clear(): void {
			queue = [];
		},
		/** Returns the first fault for `operation` among `kinds` and counts it as used; undefined when there is none. */
		take(operation: string, kinds: readonly FaultKind[]): Fault | undefined {
			const entry = queue.find(
				({ fault }) => (fault.operation === operation || fault.operation === "*") && kinds.includes(fault.fault),
			);
			if (entry === undefined) return undefined;
			entry.left -= 1;
			if (entry.left <= 0) queue = queue.filter((other) => other !== entry);
			return entry.fault;
		},
	};
}
