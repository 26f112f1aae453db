/** Facts as the published JSON has them: in words. */
import { type Said, textOf } from "../common/said.ts";
import type { Guard } from "../plan/guards/guards.ts";
import type { Plan } from "../plan/plan.ts";
import type { JudgedRule } from "../plan/rules/judge.ts";
import type { StepReason } from "../plan/step.ts";
import { guardText, limitText } from "./guards.ts";
import { isReason, type ReasonNames, reasonText } from "./reason.ts";
import { breachText } from "./rules.ts";
import { stepText } from "./steps.ts";

/** For JSON.stringify: replaces reasons, what guards and rules found, and why a step did not complete by texts. */
export function inWords(this: unknown, key: string, value: unknown): unknown {
	if (key === "message" && isSaid(value)) return textOf(value);
	if (Array.isArray(value)) {
		if (key === "unread") return value.map((one: unknown) => withText(one, this as ReasonNames));
		if (key === "assumptions") return value.map((one: unknown) => (isReason(one) ? reasonText(one) : one));
		return value;
	}
	if (typeof value !== "object" || value === null) return value;
	if ("finding" in value) return publishGuard(value as Guard);
	if ("breach" in value) return publishState(value as RuleState);
	// A JSON Schema has properties of this name.
	if (key === "reason" && "kind" in value && typeof value.kind === "string") {
		return stepText({ reason: value as StepReason });
	}
	return (key === "because" || key === "unknown") && isReason(value) ? reasonText(value) : value;
}

function isSaid(value: unknown): value is Said {
	return Array.isArray(value) && value.some((span) => typeof span === "object" && span !== null && "kind" in span);
}

/** Returns what was not read with its reason as a text; a reason can be about a policy that the plan names. */
function withText(unread: unknown, names: ReasonNames): unknown {
	const { because } = (unread ?? {}) as { readonly because?: unknown };
	return isReason(because) ? { ...(unread as object), because: reasonText(because, names) } : unread;
}

type RuleState = JudgedRule["before"];

function publishGuard(guard: Guard): object {
	const { kind, found, refuses, where } = guard;
	return { kind, limit: limitText(guard), found, refuses, where, message: guardText(guard) };
}

function publishState(state: RuleState): object {
	return state.state === "broken" ? { state: state.state, userIds: state.userIds, message: breachText(state) } : state;
}

/** Returns the plan as a file has it: with guards and rules in words. */
export function savePlan(plan: Plan): object {
	const { guards, rules, steps } = plan;
	const saved = rules?.map((rule) => ({ ...rule, before: publishState(rule.before), after: publishState(rule.after) }));
	const worded = steps.map((step) => ({ ...step, reason: stepText(step) }));
	return { ...plan, guards: guards.map(publishGuard), steps: worded, ...(saved === undefined ? {} : { rules: saved }) };
}

/** Returns the plan of a file. What a guard or a rule found is what the file says. */
export function restorePlan(plan: Plan): Plan {
	const { guards, rules } = plan as unknown as SavedPlan;
	const restored = rules?.map((rule) => ({
		...rule,
		before: restoreState(rule.before),
		after: restoreState(rule.after),
	}));
	return {
		...plan,
		guards: guards.map(({ message, limit, ...guard }) => ({ ...guard, finding: { what: "stated", message, limit } })),
		...(restored === undefined ? {} : { rules: restored }),
	};
}

interface SavedPlan {
	readonly guards: readonly (Omit<Guard, "finding"> & { readonly message: string; readonly limit: string })[];
	readonly rules?: readonly (Omit<JudgedRule, "before" | "after"> & Readonly<Record<"before" | "after", SavedState>>)[];
}

type SavedState =
	| Exclude<RuleState, { readonly state: "broken" }>
	| { readonly state: "broken"; readonly userIds: readonly string[]; readonly message: string };

function restoreState(state: SavedState): RuleState {
	if (state.state !== "broken") return state;
	const { userIds, message: text } = state;
	return { state: "broken", userIds, breach: { kind: "stated", text } };
}
