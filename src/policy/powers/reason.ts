/** Why something is denied or unknown, as data; src/say/reason.ts has the words. */
import { groupBy } from "../../common/group-by.ts";
import type { Doubt, NotRead } from "../access.ts";
import type { Clause, Span } from "../language/syntax.ts";
import type { ComplexityLimit } from "../sets/formula.ts";

export type ApprovalVerdict = "runs" | "pending" | "denied" | "unknown";

export type Reason =
	/** It was not read, or the service does not say. */
	| { readonly kind: "not-read"; readonly why: NotRead }
	| { readonly kind: "policy"; readonly policyId: string; readonly because: Reason }
	| Assumed
	/** `span` is where in the clause. */
	| { readonly kind: "not-understood"; readonly clause: Clause; readonly message: string; readonly span: Span }
	| { readonly kind: "not-evaluated"; readonly clause: Clause; readonly message: Doubt }
	| { readonly kind: "not-boolean"; readonly clause: Clause }
	| { readonly kind: "unknown-effect"; readonly effect: string }
	| { readonly kind: "too-complex"; readonly task: ComplexTask; readonly limit: ComplexityLimit }
	| { readonly kind: "open-condition"; readonly condition: string }
	| { readonly kind: "submitter-unknown"; readonly why: NotRead }
	/** It depends on which of these steps complete first: what becomes of it, or, without verdicts, who can complete it. */
	| { readonly kind: "order"; readonly stepIds: readonly string[]; readonly verdicts: readonly ApprovalVerdict[] }
	| { readonly kind: "too-many-orders"; readonly steps: number }
	/** A case names something that does not exist, or more than one. */
	| { readonly kind: "wrong-name"; readonly of: "user" | "tag" | "policy" | "given"; readonly name: string }
	/** From a file that has only words. */
	| { readonly kind: "stated"; readonly text: string }
	| { readonly kind: PlainReason };

/** What is assumed of these policies, because no source says it (docs/internals/policies.md#what-is-assumed). */
export interface Assumed {
	readonly kind: "assumed";
	readonly what: "errors" | "bools" | "precedence" | "negation";
	/** Sorted. */
	readonly policyIds: readonly string[];
}

/** Returns the assumptions, each once. */
export function joinAssumptions(all: readonly Assumed[]): readonly Assumed[] {
	return groupBy(all, ({ what }) => what).map((same) => {
		const policyIds = [...new Set(same.flatMap((one) => one.policyIds))].sort();
		return { ...same[0], policyIds };
	});
}

/** What is too complex. */
export type ComplexTask = "consensus" | "judge" | "judge-together" | "compare";

/** Reasons without details. */
export type PlainReason =
	| "access-not-read"
	| "approvals-lapsed"
	| "approvers-unknown"
	| "awaited-unknown"
	| "complete-but-pending"
	| "credential-policies-unknown"
	| "denied-by-policy"
	| "impact-unknown"
	| "no-policy"
	| "not-comparable"
	| "not-enough-approvals"
	| "own-credentials-disputed"
	| "policies-unknown"
	| "stamping-credential-unknown"
	| "submitter-not-listed"
	| "too-many-conditions"
	| "too-many-sets"
	| "too-many-windows"
	| "undocumented-pair"
	| "user-attributes-unknown";

export function notRead(why: NotRead): Reason {
	return { kind: "not-read", why };
}

/** Whether it is unknown because no documentation says it, or two pages say different things: no one made a mistake there. */
export const isUndocumented = (reason: Reason | null): boolean => {
	if (reason?.kind === "policy") return isUndocumented(reason.because);
	return reason?.kind === "undocumented-pair" || reason?.kind === "own-credentials-disputed";
};

/** Returns the reason without this policy, for a place that says which policy it is. */
export function withoutPolicy(reason: Reason, policyId: string): Reason {
	return reason.kind === "policy" && reason.policyId === policyId ? reason.because : reason;
}

/** Whether both reasons state the same facts, in whatever words. A file that has only words means any. */
export function isSameReason(one: Reason | null, other: Reason | null): boolean {
	if (one === null || other === null) return one === other;
	return one.kind === "stated" || other.kind === "stated" || factsOf(one) === factsOf(other);
}

/** Returns all of a reason but why something was not read, sentences, and the order in which a file has its members. */
function factsOf(reason: object): string {
	const facts = Object.entries(reason).filter(([name]) => name !== "why" && name !== "message");
	const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null || Array.isArray(value);
	return JSON.stringify(facts.map(([name, value]) => [name, isPlain(value) ? value : factsOf(value as object)]).sort());
}
