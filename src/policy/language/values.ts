/**
 * Values of the policy language. A value that is not known is a value too, with the reason: nothing is guessed, and no
 * error is thrown (docs/internals/policies.md#unknown).
 */
import type { Doubt } from "../access.ts";

export type Value = boolean | bigint | string | Timestamp | Count | List | Struct | Unknown;

export interface Timestamp {
	/** Nanoseconds since 1970. */
	readonly timestamp: bigint;
}

/** A number that is not known exactly: how many members a list has of which some may be missing. */
export interface Count {
	readonly atLeast: bigint;
	readonly atMost: bigint;
	/** Why it is not known. */
	readonly because: Unknown;
}

export interface List {
	readonly items: readonly Value[];
	/** Why an item, by its index, may be missing from the list. Null: all are there. */
	readonly doubts: ReadonlyMap<number, Unknown> | null;
}

/** A struct, or a map of texts to values. */
export interface Struct {
	readonly fields: ReadonlyMap<string, Value>;
	/** What a field is that is not listed; null: it is missing, which is an error. */
	readonly rest: Unknown | null;
}

/**
 * `error`: the expression errs. `unread`: no read shows the value, or its meaning is not documented. `activity`: it depends
 * on the activity.
 */
type Cause = "error" | "unread" | "activity";

export interface Unknown {
	readonly unknown: true;
	readonly cause: Cause;
	readonly because: Doubt;
	/** What kind of error it is; only where the cause is `error`. */
	readonly error?: "missing-field" | "wrong-type" | "out-of-range";
	/** Whether some of the activities lack it, so that for them the expression errs. */
	readonly mayBeMissing?: true;
}

/** Returns a list of which all items are there. */
export const listOf = (items: readonly Value[]): List => ({ items, doubts: null });

/** Returns a struct. `rest`: what every other field is; null: there is no other. */
export function structOf(fields: Readonly<Record<string, Value>>, rest: Unknown | null = null): Struct {
	return { fields: new Map(Object.entries(fields)), rest };
}

/** Returns the moment as a value. `ms`: milliseconds since 1970. */
export const timestampOf = (ms: number): Timestamp => ({ timestamp: BigInt(Math.trunc(ms)) * 1_000_000n });

/** What depends on the activity. */
export const ofActivity: Unknown = { unknown: true, cause: "activity", because: "it depends on the activity" };

/** The same, where some of the activities lack it. */
export const ofSomeActivities: Unknown = { ...ofActivity, mayBeMissing: true };

/** Returns what no read shows, or what is not documented. */
export const unread = (because: Doubt): Unknown => ({ unknown: true, cause: "unread", because });

export const errs = (error: NonNullable<Unknown["error"]>, because: string): Unknown => ({
	unknown: true,
	cause: "error",
	because,
	error,
});

/** Returns the reason of several: an error is one for all, and what no read shows outweighs what depends on the activity. Null: of none. */
export const combine = (unknowns: readonly Unknown[]): Unknown | null =>
	unknowns.find(isError) ?? unknowns.find(({ cause }) => cause === "unread") ?? unknowns[0] ?? null;

export const isUnknown = (value: Value): value is Unknown => typeof value === "object" && "unknown" in value;
export const isError = (value: Value): value is Unknown => isUnknown(value) && value.cause === "error";
export const isList = (value: Value): value is List => typeof value === "object" && "items" in value;
export const isStruct = (value: Value): value is Struct => typeof value === "object" && "fields" in value;
export const isTimestamp = (value: Value): value is Timestamp => typeof value === "object" && "timestamp" in value;
export const isCount = (value: Value): value is Count => typeof value === "object" && "atLeast" in value;

/** Returns what kind of value it is, as messages write it. */
export function describeValue(value: Value): string {
	if (typeof value === "boolean") return "a bool";
	if (typeof value === "bigint" || isCount(value)) return "a number";
	if (typeof value === "string") return "a string";
	if (isTimestamp(value)) return "a timestamp";
	if (isList(value)) return "a list";
	return isStruct(value) ? "a struct" : "an unknown value";
}
