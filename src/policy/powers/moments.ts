/** The moments at which other time windows of policies are open: one for each combination that occurs. */
import type { AccessPolicy } from "../access.ts";
import { childrenOf, type Expression } from "../language/syntax.ts";
import { boundariesOf, type CronSpan, isYearly, parseCronSpan, parseTimestamp } from "../language/time.ts";
import { compilePolicy, judgeTime } from "./compile.ts";

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
	for (const at of timed.length === 0 ? [] : candidatesFor(timed, atMs)) {
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
		moments: all.length === 0 ? [atMs] : all.map(({ at }) => at),
		isComplete,
	};
}

/** Returns the moments at which some window may open or close, the present one first. */
function candidatesFor(policies: readonly AccessPolicy[], atMs: number): readonly number[] {
	const spans: CronSpan[] = [];
	const moments = new Set<number>([atMs]);
	for (const policy of policies) {
		const { time } = compilePolicy(policy);
		if (time.is === "tree") collect(time.tree, spans, moments);
	}
	const isAhead = (at: number): boolean => at >= atMs && at <= atMs + horizonMs;
	// A bound is met, and not met, around a moment.
	const fixed = [...moments].flatMap((at) => (at === atMs ? [at] : [at - 1, at, at + 1])).filter(isAhead);
	const anchors = [...new Set(fixed)].sort((one, other) => one - other);
	const opened = anchors.flatMap((anchor) =>
		spans.flatMap((span) => boundariesOf(span, anchor, anchor + (isYearly(span) ? horizonMs : weekMs), maxBoundaries)),
	);
	return [...new Set([...anchors, ...opened.filter(isAhead)])].sort((one, other) => one - other);
}

/** Notes the schedules and moments that the expression names. */
function collect(expression: Expression, spans: CronSpan[], moments: Set<number>): void {
	for (const part of childrenOf(expression)) collect(part, spans, moments);
	if (expression.node !== "construct") return;
	const [first = "", second = "", third = ""] = expression.arguments.map((one) =>
		one.node === "literal" && typeof one.value === "string" ? one.value : "",
	);
	if (expression.name === "Timestamp") {
		const moment = parseTimestamp(first);
		if (typeof moment === "bigint") moments.add(Number(moment / 1_000_000n));
		return;
	}
	const span = parseCronSpan(first, second, third);
	if (!("wrong" in span)) spans.push(span);
}
