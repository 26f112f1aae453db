/**
 * Decides activities by the policies and the root quorum of their organization (docs/internals/service.md#how-an-activity-is-decided), with
 * the approvals at hand: enough of the root quorum, then policies that deny, then policies that allow.
 */

import type { Policy } from "../kinds/policy.ts";
import type { PolicyEvaluation, RootQuorum } from "../state.ts";
import { credentialActivities } from "./activity-kinds.ts";
import type { Compiled } from "./compile.ts";
import { isInSmallestSet, viewOf } from "./smallest-sets.ts";
import { PolicyError } from "./tokens.ts";
import type { Value } from "./types.ts";
import { compileField, type ExpressionField } from "./vocabularies.ts";
import type { Approvers, Voter } from "./voters.ts";

/** A policy's expressions; undefined for one that does not restrict. */
type Understood = Readonly<Record<ExpressionField, Compiled | undefined>>;

const compiledPolicies = new WeakMap<Policy, Understood | "not understood">();

/** Runs what may err. Undefined: it erred. */
function attempt<Result>(run: () => Result): Result | undefined {
	try {
		return run();
	} catch (error) {
		if (error instanceof PolicyError) return undefined;
		throw error;
	}
}

function understand(policy: Policy): Understood | "not understood" {
	const known = compiledPolicies.get(policy);
	if (known !== undefined) return known;
	const compiled =
		attempt(() => ({
			consensus: compileField(policy, "consensus"),
			condition: compileField(policy, "condition"),
			time: compileField(policy, "time"),
		})) ?? "not understood";
	compiledPolicies.set(policy, compiled);
	return compiled;
}

type Role = "ERROR" | "TIME_INACTIVE" | "other" | "takes part";

/** A policy for one activity at one time: only its consensus is left to evaluate. */
interface ReadyPolicy {
	readonly policyId: string;
	readonly isDeny: boolean;
	readonly role: Role;
	readonly consensus: Compiled | undefined;
	/** The same as it is written. */
	readonly text: string;
}

/** Returns what a policy has to do with an activity. One that errs or is not understood takes no part (assumptions.ts). */
function roleOf(compiled: Understood | "not understood", activity: Value, nowMs: number): Role {
	if (compiled === "not understood") return "ERROR";
	const { time, condition } = compiled;
	const isActive = attempt(() => time?.({ time: { now: nowMs } }) ?? true);
	if (isActive === undefined) return "ERROR";
	if (!isActive) return "TIME_INACTIVE";
	const isConcerned = attempt(() => condition?.({ activity }) ?? true);
	if (isConcerned === undefined) return "ERROR";
	return isConcerned ? "takes part" : "other";
}

function makeReady(policy: Policy, activity: Value, nowMs: number): ReadyPolicy {
	const compiled = understand(policy);
	return {
		policyId: policy.policyId,
		isDeny: policy.effect === "EFFECT_DENY",
		role: roleOf(compiled, activity, nowMs),
		consensus: compiled === "not understood" ? undefined : compiled.consensus,
		text: policy.consensus,
	};
}

/** Whether the consensus of a policy that takes part is reached; undefined when it errs. */
function isReached({ consensus }: ReadyPolicy, approvers: Approvers): boolean | undefined {
	return attempt(
		() =>
			consensus?.({
				approvers: approvers.map(({ user }) => user),
				credentials: approvers.flatMap(({ credentials }) => credentials),
			}) ?? true,
	);
}

function hasQuorum(rootQuorum: RootQuorum | undefined, approvers: Approvers): boolean {
	if (rootQuorum === undefined) return false;
	return approvers.filter(({ user }) => rootQuorum.userIds.includes(user.id)).length >= rootQuorum.threshold;
}

/** Whether a policy covers credential activities: it takes part in one of them (assumptions.ts). */
function coversCredentials(policy: Policy, nowMs: number): boolean {
	return credentialActivities.some((activity) => makeReady(policy, activity, nowMs).role === "takes part");
}

/** An activity to decide. */
export interface Case {
	readonly policies: readonly Policy[];
	readonly rootQuorum: RootQuorum | undefined;
	/** The keyword `activity` of its policies. */
	readonly activity: Value;
	/** The user whose own credentials it changes, if it changes any. */
	readonly ownerId: string | undefined;
	readonly submitterId: string;
	readonly nowMs: number;
}

/** Returns the functions that decide one activity at one time. */
export function makeDecider({ policies, rootQuorum, activity, ownerId, submitterId, nowMs }: Case) {
	const ready = policies.map((policy) => makeReady(policy, activity, nowMs));
	const concerned = ready.filter(({ role }) => role === "takes part");
	const [denying, allowing] = [concerned.filter(({ isDeny }) => isDeny), concerned.filter(({ isDeny }) => !isDeny)];
	const isOwn = ownerId === submitterId && !policies.some((policy) => coversCredentials(policy, nowMs));

	const isAllowed = (approvers: Approvers): boolean => {
		if (hasQuorum(rootQuorum, approvers)) return true;
		if (denying.some((policy) => isReached(policy, approvers) === true)) return false;
		if (isOwn && approvers.some(({ user }) => user.id === submitterId)) return true;
		return allowing.some((policy) => isReached(policy, approvers) === true);
	};

	const isPartOf = (submitter: Voter, voters: readonly Voter[], only?: ReadyPolicy): boolean => {
		const test = only === undefined ? isAllowed : (approvers: Approvers) => isReached(only, approvers) === true;
		const texts = (only === undefined ? concerned : [only]).map(({ text }) => text);
		const rootIds = only === undefined ? rootQuorum?.userIds : [];
		return isInSmallestSet(submitter, voters, viewOf(texts, rootIds), test);
	};

	const outcomeOf = (policy: ReadyPolicy, approvers: Approvers, voters: readonly Voter[]): string => {
		if (policy.role === "ERROR" || policy.role === "TIME_INACTIVE") return policy.role;
		if (policy.role === "other") return "DENY_IMPLICIT";
		const reached = isReached(policy, approvers);
		if (reached === undefined) return "ERROR";
		if (reached) return policy.isDeny ? "DENY_EXPLICIT" : "ALLOW";
		const submitter = approvers.find(({ user }) => user.id === submitterId);
		const isNeeded = !policy.isDeny && submitter !== undefined && isPartOf(submitter, voters, policy);
		return isNeeded ? "REQUIRES_CONSENSUS" : "DENY_IMPLICIT";
	};

	return {
		isAllowed,
		/** Whether the submitter, with the credential it used, belongs to a smallest set of users whose approvals are enough. */
		isPartOfConsensus: (submitter: Voter, voters: readonly Voter[]) => isPartOf(submitter, voters),
		/** Returns what each policy says of these approvals (assumptions.ts); nothing when the root quorum has decided. */
		evaluate(approvers: Approvers, voters: readonly Voter[]): readonly PolicyEvaluation[] {
			if (hasQuorum(rootQuorum, approvers)) return [];
			return ready.map((policy) => ({
				policyId: policy.policyId,
				outcome: `OUTCOME_${outcomeOf(policy, approvers, voters)}`,
			}));
		},
	};
}
