/** What can happen in a history, drawn by fast-check: small numbers are simple, so that what fails becomes short. */
import fc from "fast-check";
import { type Cursor, type Mishap, mishaps } from "./service.ts";

/** Runs of these two share a journal, or have one each. */
export type Machine = 0 | 1;

/** What goes wrong in one run. */
export interface Trouble {
	readonly mishaps: readonly Mishap[];
	readonly queryMishaps: readonly Mishap[];
	readonly kill: { readonly at: number; readonly when: "before" | "after" } | undefined;
	/** What happens in the middle of it. */
	readonly meanwhile:
		| { readonly at: number; readonly when: "before" | "after"; readonly happens: readonly Action[] }
		| undefined;
}

export type Action =
	| {
			readonly kind: "apply";
			readonly machine: Machine;
			readonly trouble: Trouble;
			readonly retryRejected: boolean;
	  }
	| { readonly kind: "up"; readonly machine: Machine; readonly trouble: Trouble }
	/** `apply --wait-for-approval`; the events happen in its pauses. */
	| {
			readonly kind: "apply-and-wait";
			readonly machine: Machine;
			readonly trouble: Trouble;
			readonly inPauses: readonly Action[];
	  }
	| { readonly kind: "read"; readonly command: Reading; readonly machine: Machine; readonly trouble: Trouble }
	| {
			readonly kind: "vote-command";
			readonly command: "approve" | "reject";
			readonly who: Voter;
			readonly trouble: Trouble;
	  }
	| {
			readonly kind: "vote";
			readonly how: "approve_activity" | "reject_activity";
			readonly who: Voter;
			readonly which: number;
	  }
	| { readonly kind: "pass"; readonly ms: number }
	| { readonly kind: "set-clock"; readonly machine: Machine; readonly minutes: number }
	| { readonly kind: "outside-state"; readonly which: number }
	| { readonly kind: "outside-activity"; readonly which: number }
	| { readonly kind: "next-outcome"; readonly outcome: "fail" | "reject" }
	| { readonly kind: "journal"; readonly what: "lose" | "back-up" | "restore"; readonly machine: Machine }
	| { readonly kind: "crowd" };

export type Voter = "bob" | "carol";
const readings = ["plan", "drift", "status", "wait", "preview"] as const;
type Reading = (typeof readings)[number];

/** How the world of a history is. */
export interface Setting {
	readonly world: number;
	readonly reads: "all" | "documented";
	readonly deniedReads: readonly string[];
	readonly approvals: number;
	readonly pendingMs: number;
	readonly isShared: boolean;
	readonly cursor: Cursor;
	/** Limits of the document, or none. */
	readonly isLimited: boolean;
	readonly concurrency: number;
	readonly startMs: number;
	/** Whether the document writes policies and tags, where the service shows them. */
	readonly writes: boolean;
}

const someMishaps = fc.array(fc.constantFrom(...mishaps), { maxLength: 5 });
const at = fc.record({
	at: fc.integer({ min: 1, max: 14 }),
	when: fc.constantFrom<"before" | "after">("before", "after"),
});
const machine = fc.constantFrom<Machine>(0, 1);
const who = fc.constantFrom<Voter>("bob", "carol");

function troubleWith(inside: fc.Arbitrary<Action> | undefined): fc.Arbitrary<Trouble> {
	const meanwhile =
		inside === undefined
			? fc.constant(undefined)
			: fc.option(
					fc
						.tuple(at, fc.array(inside, { minLength: 1, maxLength: 2 }))
						.map(([where, happens]) => ({ ...where, happens })),
					{ nil: undefined, freq: 2 },
				);
	// A query that is denied in the service's own words is denied: no client knows who said it.
	const someQueryMishaps = fc.array(
		fc.constantFrom(...mishaps.filter((mishap) => !mishap.startsWith("imitated") || mishap.endsWith("401"))),
		{ maxLength: 5 },
	);
	return fc.record({
		mishaps: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: someMishaps }),
		queryMishaps: fc.oneof({ weight: 6, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: someQueryMishaps }),
		kill: fc.option(at, { nil: undefined, freq: 2 }),
		meanwhile,
	});
}

function withoutTime(trouble: fc.Arbitrary<Trouble>, inside: fc.Arbitrary<Action>): [number, fc.Arbitrary<Action>][] {
	const record = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
		fc.record(fields) as unknown as fc.Arbitrary<Action>;
	const just = <T>(value: T) => fc.constant(value);
	return [
		[
			6,
			record({
				kind: just("apply"),
				machine,
				trouble,
				retryRejected: fc.integer({ max: 9, min: 0 }).map((n) => n === 9),
			}),
		],
		[4, record({ kind: just("up"), machine, trouble })],
		[1, record({ kind: just("apply-and-wait"), machine, trouble, inPauses: fc.array(inside, { maxLength: 3 }) })],
		[2, record({ kind: just("read"), command: fc.constantFrom(...readings), machine, trouble })],
		[2, record({ kind: just("vote-command"), command: fc.constantFrom("approve", "approve", "reject"), who, trouble })],
	];
}

/** What others do, and what happens to the world. */
const events: [number, fc.Arbitrary<Action>][] = [
	[
		4,
		fc.record({
			kind: fc.constant("vote" as const),
			how: fc.constantFrom("approve_activity" as const, "approve_activity" as const, "reject_activity" as const),
			who,
			which: fc.nat(7),
		}),
	],
	[
		3,
		fc.record({
			kind: fc.constant("pass" as const),
			ms: fc.constantFrom(1000, 180_000, 900_000, 2_400_000, 7_200_000, 90_000_000),
		}),
	],
	[
		1,
		fc.record({
			kind: fc.constant("set-clock" as const),
			machine,
			minutes: fc.constantFrom(0, 0, -120, -61, -40, -15, -1, 1, 4, 20, 61, 120),
		}),
	],
	[2, fc.record({ kind: fc.constant("outside-state" as const), which: fc.nat(99) })],
	[1, fc.record({ kind: fc.constant("outside-activity" as const), which: fc.nat(99) })],
	[
		1,
		fc.record({
			kind: fc.constant("next-outcome" as const),
			outcome: fc.constantFrom("fail" as const, "reject" as const),
		}),
	],
	[
		1,
		fc.record({
			kind: fc.constant("journal" as const),
			what: fc.constantFrom("lose" as const, "back-up" as const, "restore" as const, "restore" as const),
			machine,
		}),
	],
	[1, fc.constant({ kind: "crowd" as const })],
];

const oneOf = (rows: readonly [number, fc.Arbitrary<Action>][]) =>
	fc.oneof(...rows.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const plainEvents = oneOf(events);
/** A run inside a run has troubles, and no run inside of its own. */
const inner = oneOf([...withoutTime(troubleWith(undefined), plainEvents), ...events]);
const action = oneOf([...withoutTime(troubleWith(inner), plainEvents), ...events]);

export const actions = fc.array(action, { minLength: 2, maxLength: 60, size: "max" });

const quarterHourMs = 900_000;
export const setting: fc.Arbitrary<Setting> = fc.record({
	world: fc.nat(999_999),
	reads: fc.constantFrom("all", "all", "all", "documented"),
	deniedReads: fc.constantFrom(
		[],
		[],
		[],
		[],
		["list_activities"],
		["get_activity"],
		["list_activities", "get_activity"],
	),
	approvals: fc.constantFrom(1, 2, 2, 3),
	pendingMs: fc.constantFrom(0, 0, 0, 120_000),
	isShared: fc.boolean(),
	cursor: fc.constantFrom<Cursor>("as-documented", "as-documented", "other-direction", "ignored"),
	isLimited: fc.integer({ min: 0, max: 4 }).map((number) => number === 4),
	concurrency: fc.constantFrom(1, 1, 4),
	startMs: fc.constantFrom(0, 60_000, quarterHourMs / 2, quarterHourMs - 50),
	writes: fc.boolean(),
});
