/** The evaluations of policies in a refusal of the service. Pure. */
import { defined } from "../common/defined.ts";
import { isRecord } from "../common/json.ts";

/** How one policy evaluated a request (docs/internals/service.md#policy-evaluation). Both members may be missing. */
export interface PolicyEvaluation {
	readonly policyId?: string;
	readonly outcome?: string;
}

/** Returns the first list named `policyEvaluations`, at most four levels down: its exact place is not documented. */
export function findPolicyEvaluations(value: unknown, depth: number): readonly PolicyEvaluation[] {
	if (typeof value !== "object" || value === null || depth > 4) return [];
	const list = (value as Record<string, unknown>).policyEvaluations;
	if (Array.isArray(list)) return list.filter(isRecord).map(readPolicyEvaluation);
	for (const inner of Object.values(value)) {
		const found = findPolicyEvaluations(inner, depth + 1);
		if (found.length > 0) return found;
	}
	return [];
}

function readPolicyEvaluation(value: Readonly<Record<string, unknown>>): PolicyEvaluation {
	const text = (name: string) => (typeof value[name] === "string" ? value[name] : undefined);
	return defined({ policyId: text("policyId"), outcome: text("outcome") });
}
