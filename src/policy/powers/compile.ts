/** Compiles a policy once: its trees, whether its time is open, and for which groups its condition holds. */
import { remember } from "../../common/remember.ts";
import type { AccessPolicy } from "../access.ts";
import { checkExpression } from "../language/checker.ts";
import { evaluate } from "../language/evaluate.ts";
import { parseExpression } from "../language/parser.ts";
import { readClause } from "../language/read-clause.ts";
import type { Clause, Expression } from "../language/syntax.ts";
import { isError, isUnknown, structOf, timestampOf } from "../language/values.ts";
import { type ActivityFacts, judgeCondition, type Outcome } from "./activity.ts";
import type { Reason } from "./reason.ts";

/** A clause as a tree. `absent`: the policy has none, which does not restrict. */
type CompiledClause =
	| { readonly is: "absent" }
	| { readonly is: "tree"; readonly tree: Expression }
	| { readonly is: "unclear"; readonly because: Reason };

interface CompiledPolicy {
	readonly consensus: CompiledClause;
	readonly condition: CompiledClause;
	readonly time: CompiledClause;
	/** What of the condition is not understood: its opaque parts are unknown for this reason. */
	readonly slip: Reason | null;
	/** Outcomes of the condition by what is known of an activity. */
	readonly outcomes: Map<string, Outcome>;
}

/** Policies are compiled once, however often they are asked about. */
const compiled = new WeakMap<AccessPolicy, CompiledPolicy>();

export function compilePolicy(policy: AccessPolicy): CompiledPolicy {
	return remember(compiled, policy, () => ({
		consensus: compileClause(policy.consensus, "consensus"),
		...compileCondition(policy.condition),
		time: compileClause(policy.time, "time"),
		outcomes: new Map(),
	}));
}

function compileClause(text: string, clause: Clause): CompiledClause {
	if (text.trim() === "") return { is: "absent" };
	const parsed = parseExpression(text);
	const [mistake] = "mistakes" in parsed ? parsed.mistakes : checkExpression(parsed.expression, clause);
	if (mistake !== undefined) return { is: "unclear", because: { kind: "not-understood", clause, ...mistake } };
	return "mistakes" in parsed ? { is: "absent" } : { is: "tree", tree: parsed.expression };
}

function compileCondition(text: string): Pick<CompiledPolicy, "condition" | "slip"> {
	if (text.trim() === "") return { condition: { is: "absent" }, slip: null };
	const { expression, mistakes } = readClause(text, "condition");
	const [mistake] = mistakes;
	const slip: Reason | null =
		mistake === undefined ? null : { kind: "not-understood", clause: "condition", ...mistake };
	return { condition: { is: "tree", tree: expression }, slip };
}

export function outcomeFor(policy: AccessPolicy, facts: ActivityFacts): Outcome {
	const { condition, slip, outcomes } = compilePolicy(policy);
	if (condition.is === "absent") return { holds: "yes" };
	if (condition.is === "unclear") return { holds: "unknown", because: condition.because };
	const key = `${facts.resource},${facts.action},${facts.kind},${facts.type}`;
	return remember(facts.fields === undefined ? outcomes : new Map<string, Outcome>(), key, () => {
		const judged = judgeCondition(condition.tree, facts);
		return judged.holds === "unknown" && slip !== null ? { ...judged, because: slip } : judged;
	});
}

/** Whether a policy is in force at a moment. */
type TimeOutcome = "open" | "closed" | { readonly because: Reason };

/** How long what the service says of a time holds: about as long as an organization is read. Unverified, chosen. */
const statedMs = 60_000;

export function judgeTime(policy: AccessPolicy, atMs: number): TimeOutcome {
	const { time } = compilePolicy(policy);
	if (time.is === "absent") return "open";
	const { stated } = policy;
	if (stated !== undefined && Math.abs(atMs - stated.atMs) <= statedMs) return stated.isActive ? "open" : "closed";
	if (time.is === "unclear") return { because: time.because };
	const value = evaluate(time.tree, new Map([["time", structOf({ now: timestampOf(atMs) })]]));
	if (typeof value === "boolean") return value ? "open" : "closed";
	if (!isUnknown(value)) return { because: { kind: "not-boolean", clause: "time" } };
	// A time that errs takes no part, as a condition that does; a slip in a type is not understood.
	if (isError(value) && value.error !== "wrong-type") return "closed";
	return { because: { kind: "not-evaluated", clause: "time", message: value.because } };
}
