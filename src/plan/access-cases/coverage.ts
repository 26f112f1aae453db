/** Which policies and clauses no case is about: those that could be gone, and every case would still hold. */
import type { AccessPolicy, AccessState } from "../../policy/access.ts";
import type { Clause } from "../../policy/language/syntax.ts";

/** A policy, or one clause of it, whose removal no case would notice. */
export interface Uncovered {
	readonly policyId: string;
	/** Null: the whole policy. */
	readonly clause: Clause | null;
}

const clauses = ["consensus", "condition", "time"] as const;

/** Returns what `isNoticed` says no case notices. A clause of a policy that is not noticed as a whole is left out. */
export function findUncovered(access: AccessState, isNoticed: (changed: AccessState) => boolean): readonly Uncovered[] {
	const { policies } = access;
	if (!policies.known) return [];
	const all = policies.value;
	const withPolicies = (value: readonly AccessPolicy[]): AccessState => ({
		...access,
		policies: { known: true, value },
	});
	return all.flatMap((policy): readonly Uncovered[] => {
		const policyId = policy.id;
		if (!isNoticed(withPolicies(all.filter((one) => one !== policy)))) return [{ policyId, clause: null }];
		return clauses
			.filter((clause) => policy[clause].trim() !== "" && policy[clause].trim() !== "true")
			.filter((clause) => {
				const without = { ...policy, [clause]: "" };
				return !isNoticed(withPolicies(all.map((one) => (one === policy ? without : one))));
			})
			.map((clause) => ({ policyId, clause }));
	});
}
