/** The moments at which other time windows of policies are open: one for each combination that occurs. */
import type { AccessPolicy } from "../access.ts";
import { boundariesOf, isYearly, timesIn } from "../language/time.ts";
import { compilePolicy, judgeTime, statedMs } from "./compile.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** A window that opens or closes later than this does not count: plans are made again before. */
const horizonMs = 366 * dayMs;

/** How long schedules that are the same each week are followed: a week, and the longest duration of a window. */
const weekMs = 14 * dayMs;

/** Max moments that are tried of one schedule, and max combinations that are found where a caller names no other. Unverified, chosen. */
const maxBoundaries = 1_000;
const defaultCombinations = 64;

export interface Moments {
	/** Ids of policies that are in force at one of the moments and not at another, in order. */
	readonly policyIds: readonly string[];
	/** The first moment of each combination of windows from now on, the present one first. Milliseconds since 1970. */
	readonly moments: readonly number[];
	/** Whether these are all combinations. */
	readonly isComplete: boolean;
}

/** Returns the moments from `atMs` on. */
export function findMoments(
	policies: readonly AccessPolicy[],
	atMs: number,
	maxCombinations = defaultCombinations,
): Moments {
	const timed = policies.filter(({ time }) => time.trim() !== "");
	const found = new Map<string, { readonly at: number; readonly states: readonly string[] }>();
	let isComplete = true;
	for (const at of candidatesFor(timed, atMs)) {
		const states = timed.map((policy) => {
			const state = judgeTime(policy, at);
			return typeof state === "string" ? state : "unknown";
		});
		const key = states.join();
		if (found.has(key)) continue;
		isComplete = found.size < maxCombinations;
		if (!isComplete) break;
		found.set(key, { at, states });
	}
	const all = [...found.values()];
	const isChanging = (index: number): boolean => new Set(all.map(({ states }) => states[index])).size > 1;
	return {
		policyIds: timed.flatMap(({ id }, index) => (isChanging(index) ? [id] : [])),
		moments: all.map(({ at }) => at),
		isComplete,
	};
}

/** An answer that time windows give later. */
export interface Later<V> {
	/** ISO 8601 in UTC. */
	readonly at: string;
	readonly verdict: V;
}

/** Returns the first moment after `atMs` at which windows of the policies make the verdict one of these; undefined where none does. */
export function findLater<V extends string>(
	policies: readonly AccessPolicy[],
	atMs: number,
	verdictAt: (atMs: number) => unknown,
	wanted: readonly V[],
): Later<V> | undefined {
	for (const at of findMoments(policies, atMs).moments.slice(1)) {
		const found = verdictAt(at);
		const verdict = wanted.find((one) => one === found);
		if (verdict !== undefined) return { at: new Date(at).toISOString(), verdict };
	}
	return undefined;
}

/** Returns when the time of a policy that is closed opens, ISO 8601 in UTC; undefined where it does not within a year. */
export function findOpening(policy: AccessPolicy, atMs: number): string | undefined {
	return findLater([policy], atMs, (at) => judgeTime(policy, at), ["open"])?.at;
}

/** Returns the moments at which some window may open or close, the present one first. */
function candidatesFor(policies: readonly AccessPolicy[], atMs: number): readonly number[] {
	const named = policies.map((policy) => timesIn(compilePolicy(policy).time.tree));
	const spans = named.flatMap((one) => one.spans);
	const isAhead = (at: number): boolean => at >= atMs && at <= atMs + horizonMs;
	// A bound is met, and not met, around a moment.
	const around = named.flatMap(({ moments }) => moments.flatMap((at) => [at - 1, at, at + 1]));
	// What the service says of a time holds for a while only.
	const unstated = policies.flatMap(({ stated }) => (stated === undefined ? [] : [stated.atMs + statedMs + 1]));
	const anchors = [...new Set([atMs, ...[...around, ...unstated].filter(isAhead)])];
	const opened = anchors.flatMap((anchor) =>
		spans.flatMap((span) => boundariesOf(span, anchor, anchor + (isYearly(span) ? horizonMs : weekMs), maxBoundaries)),
	);
	return [...new Set([...anchors, ...opened.filter(isAhead)])].sort((one, other) => one - other);
}
