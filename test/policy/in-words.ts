/** Questions of the policy engine whose answers have each reason in words, for tests that compare what readers see. */
import { forecastPending as forecastPendingAsData } from "../../src/plan/impact/forecast.ts";
import * as rules from "../../src/plan/rules/powers.ts";
import type { AccessState } from "../../src/policy/access.ts";
import * as activity from "../../src/policy/powers/activity.ts";
import * as compile from "../../src/policy/powers/compile.ts";
import * as explain from "../../src/policy/powers/explain-power.ts";
import * as approval from "../../src/policy/powers/forecast.ts";
import type { ActivityGroup } from "../../src/policy/powers/groups.ts";
import * as impact from "../../src/policy/powers/impact.ts";
import * as powers from "../../src/policy/powers/powers.ts";
import { inWords as replaceFact } from "../../src/say/published.ts";
import { makePlan as makeWordedPlan } from "../in-words.ts";

/** Returns a copy with words in place of reasons. Its type still has the reasons: only expectations look at them. */
export function inWords<T>(value: T): T {
	return replace("", value) as T;
}

function replace(key: string, given: unknown): unknown {
	const value = replaceFact.call({}, key, given);
	if (Array.isArray(value)) return value.map((one) => replace("", one));
	if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
	return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, replace(name, own)]));
}

const worded =
	<A extends readonly unknown[], R>(ask: (...given: A) => R) =>
	(...given: A): R =>
		inWords(ask(...given));

export const forecastApproval = worded(approval.forecastApproval);
export const compareAccess = worded(impact.compareAccess);
export const findPower = worded(powers.findPower);
export const findPowers = worded(powers.findPowers);
export const explainPower = worded((access: AccessState, group: ActivityGroup, userId: string, atMs: number) =>
	explain.explainPower({ access, group, atMs }, userId),
);
export const judgeCondition = worded(activity.judgeCondition);
export const compilePolicy = worded(compile.compilePolicy);
export const outcomeFor = worded(compile.outcomeFor);
export const judgeTime = worded(compile.judgeTime);
export const makePlan = worded(makeWordedPlan);
export const forecastPending = worded(forecastPendingAsData);
export const judgeMinApprovers = worded(rules.judgeMinApprovers);
export const judgeOnlyBy = worded(rules.judgeOnlyBy);
export const judgeNewAccess = worded(rules.judgeNewAccess);
