/**
 * Orders to misbehave, by operation and count, for tests of clients: what a network or a service does on a bad day.
 */

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
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** One order. It is used up after `count` requests. */
export interface Fault {
	/** Name of an operation, or `*` for any of them. */
	readonly operation: string;
	/** How many requests it strikes; 1 when left out. */
	readonly count?: number;
	/**
	 * `drop-before` and `drop-after` cut the connection before or after the effect; `429`, `5xx` and `html` answer so
	 * instead of acting (`5xx` with `status` 404 or 501 is how a server without the operation answers); `truncated` acts
	 * and sends half of the answer; `slow` acts and answers late; `fail` and `reject` make the next activity FAILED or
	 * REJECTED.
	 */
	readonly fault: FaultKind;
	/** Headers added to the answer, for example `retry-after`. */
	readonly headers?: Readonly<Record<string, string>>;
	/** How late a `slow` answer comes. */
	readonly delayMs?: number;
	/** The HTTP status of `5xx` and `html`. */
	readonly status?: number;
	/** For `429`, `5xx` and `html`: the effect happens although the answer says otherwise. */
	readonly takesEffect?: boolean;
}

/** Orders that wait, oldest first. */
export interface FaultQueue {
	add(fault: Fault): void;
	list(): readonly Fault[];
	clear(): void;
	/** The first order for `operation` among `kinds`, counted as used; undefined when there is none. */
	take(operation: string, kinds: readonly FaultKind[]): Fault | undefined;
}

/** Kinds that change an activity; they wait for a submit that makes one. */
export const activityFaults: readonly FaultKind[] = ["fail", "reject"];

/** Kinds that change how an answer travels. */
export const transportFaults: readonly FaultKind[] = faultKinds.filter((kind) => !activityFaults.includes(kind));

/** An empty list of orders. */
export function makeFaultQueue(): FaultQueue {
	let orders: { fault: Fault; left: number }[] = [];
	return {
		add(fault) {
			orders.push({ fault, left: fault.count ?? 1 });
		},
		list: () => orders.map(({ fault, left }) => ({ ...fault, count: left })),
		clear() {
			orders = [];
		},
		take(operation, kinds) {
			const order = orders.find(
				({ fault }) => (fault.operation === operation || fault.operation === "*") && kinds.includes(fault.fault),
			);
			if (order === undefined) return undefined;
			order.left -= 1;
			if (order.left <= 0) orders = orders.filter((other) => other !== order);
			return order.fault;
		},
	};
}
