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
	/** For example "depends on `wallet.id`". */
	readonly because: Doubt;
	/** What it is, for example `wallet.id`; it grows with each field and index. Undefined for errors, and for several. */
	readonly path?: string;
	/** What kind of error it is; only where the cause is `error`. */
	readonly error?: "missing-field" | "wrong-type" | "out-of-range";
	/** The paths of all that it depends on, where it is not one value itself. */
	readonly paths?: readonly string[];
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

/** Returns what depends on the activity. `path`: how the language writes it, for example `wallet`. */
export const dependsOn = (path: string): Unknown => dependsOnAll([path]);

/** Returns what depends on the activity, where some of the activities lack it. */
export const mayBeMissing = (path: string): Unknown => ({ ...dependsOn(path), mayBeMissing: true });

/** Returns what no read shows, or what is not documented. `path`: how the language writes it; undefined for no one value. */
export const unread = (because: Doubt, path?: string): Unknown => ({
	unknown: true,
	cause: "unread",
	because,
	...(path === undefined ? {} : { path }),
});

export const errs = (error: NonNullable<Unknown["error"]>, because: string): Unknown => ({
	unknown: true,
	cause: "error",
	because,
	error,
});

/** Max paths of one reason; the others are counted. */
const maxPaths = 5;

function dependsOnAll(paths: readonly string[]): Unknown {
	const [path = ""] = paths;
	const more = paths.length > maxPaths ? ` and ${paths.length - maxPaths} more` : "";
	const written = paths.slice(0, maxPaths).map((one) => `\`${one}\``);
	const because = `depends on ${written.join(", ")}${more}`;
	const unknown = { unknown: true, cause: "activity", because } as const;
	return paths.length === 1 ? { ...unknown, path } : { ...unknown, paths };
}

/** Returns the part of an unknown value behind a field or an index, for example `.id` or `[0]`. */
export function partOf(whole: Unknown, part: string): Unknown {
	if (whole.path === undefined || whole.path.length > 200) return whole;
	const path = `${whole.path}${part}`;
	if (whole.cause !== "activity") return { ...whole, path };
	return whole.mayBeMissing === true ? mayBeMissing(path) : dependsOn(path);
}

/** Returns the unknown value as the reason of another, which has no part of it: its path does not grow. */
export function reasonOf({ path, ...reason }: Unknown): Unknown {
	return path === undefined || reason.paths !== undefined ? reason : { ...reason, paths: [path] };
}

/** Returns the reason of several: an error is one for all, and what no read shows outweighs what depends on the activity. Null: of none. */
export function combine(unknowns: readonly Unknown[]): Unknown | null {
	const [first = null] = unknowns;
	if (unknowns.length <= 1) return first;
	for (const cause of ["error", "unread"] as const) {
		const found = unknowns.find((one) => one.cause === cause);
		if (found !== undefined) return found;
	}
	const paths = new Set<string>();
	for (const one of unknowns) {
		for (const path of one.paths ?? (one.path === undefined ? [] : [one.path])) paths.add(path);
	}
	return paths.size === 0 ? first : dependsOnAll([...paths]);
}

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
