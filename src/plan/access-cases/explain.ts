/** Why users can do something, or cannot: the policies that decide it, each with the clause that does. */
import { defined } from "../../common/defined.ts";
import type { AccessPolicy } from "../../policy/access.ts";
import { factsOfGroup } from "../../policy/powers/activity.ts";
import { judgeTime, outcomeFor } from "../../policy/powers/compile.ts";
import type { Part } from "../../policy/powers/judge.ts";
import { findOpening } from "../../policy/powers/moments.ts";
import { isMember, participantsIn } from "../../policy/sets/user-sets.ts";
import { bitsOf, decidingParts, isMetBy } from "./checks.ts";
import type { Check, DecidingClause, Point } from "./finding.ts";

/** Max policies that a finding names. */
const maxClauses = 3;

/** Returns the policies that let the users do it, or that keep them from it. Throws TooComplex. */
export function explainSet({ found, userIds, policyId }: Check, point: Point): readonly DecidingClause[] {
	const { prepared, parts, hasRootQuorum } = point;
	const policies = prepared.access.policies.known ? prepared.access.policies.value : [];
	const own = policies.filter(({ id }) => id === policyId);
	if (found === "decides") return own.map(applying);
	if (found === "does-not-decide") return own.flatMap((policy) => missing(policy, point));
	if (found === "too-few") return [];
	const named = (ids: readonly (string | null)[]): readonly DecidingClause[] =>
		policies.filter(({ id }) => ids.includes(id)).map(applying);
	const met = (effect: Part["effect"]): readonly DecidingClause[] =>
		named(parts.filter((part) => part.effect === effect && isMetBy(part, userIds, point)).map((one) => one.policyId));
	if (found === "cannot") {
		const about = policies.filter(({ effect }) => effect !== "EFFECT_DENY");
		return [...met("deny"), ...about.flatMap((policy) => missing(policy, point))].slice(0, maxClauses);
	}
	const users = bitsOf(userIds, prepared);
	const quorum = hasRootQuorum ? (prepared.rootQuorum ?? []) : [];
	const isRoot = isMember(quorum, users);
	const isInRoot = (participantsIn(quorum, prepared.budget) & users) !== 0n;
	const root: DecidingClause = { policyId: null, effect: "allow", applies: true, clause: "consensus", text: "" };
	const allows = found === "takesPart" ? named(decidingParts(point, userIds)) : met("allow");
	return [...allows, ...(isRoot || (allows.length === 0 && isInRoot) ? [root] : [])].slice(0, maxClauses);
}

function effectOf({ effect }: AccessPolicy): DecidingClause["effect"] {
	return effect === "EFFECT_DENY" ? "deny" : "allow";
}

function applying(policy: AccessPolicy): DecidingClause {
	const clause = policy.consensus.trim() === "" ? "condition" : "consensus";
	return { policyId: policy.id, effect: effectOf(policy), applies: true, clause, text: policy[clause] };
}

/** Returns why a policy about these activities does not apply; nothing for a policy about others. */
function missing(policy: AccessPolicy, { prepared, group, parts }: Point): readonly DecidingClause[] {
	if (outcomeFor(policy, factsOfGroup(group)).holds === "no") return [];
	const isClosed = judgeTime(policy, prepared.atMs) === "closed";
	const hasPart = parts.some(({ policyId }) => policyId === policy.id);
	const clause = isClosed ? "time" : hasPart ? "consensus" : "condition";
	const opensAt = isClosed ? findOpening(policy, prepared.atMs) : undefined;
	const text = policy[clause];
	return [{ policyId: policy.id, effect: effectOf(policy), applies: false, clause, text, ...defined({ opensAt }) }];
}
