/**
 * Decides activities by the policies and the root quorum of their organization (docs/internals/service.md#how-an-activity-is-decided), with
 * the approvals at hand: enough of the root quorum, then policies that deny, then policies that allow. The rules of a seed apply as
 * well.
 */

import { approvals } from "../../wire/operations.ts";
import { type Policy, policies } from "../kinds/policy.ts";
import type { ActivityRecord, Organization, PolicyEvaluation, RootQuorum, Vote } from "../state.ts";
import { credentialActivities, describeForPolicies } from "./activity-kinds.ts";
import type { Compiled } from "./compile.ts";
import { isInSmallestSet, viewOf } from "./smallest-sets.ts";
import { PolicyError } from "./tokens.ts";
import type { Value } from "./types.ts";
import { compileField, type ExpressionField } from "./vocabularies.ts";
import { type Approvers, approversOf, votersOf } from "./voters.ts";

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
type ReadyPolicy = ReturnType<typeof makeReady>;

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

function makeReady(policy: Policy, activity: Value, nowMs: number) {
	const compiled = understand(policy);
	return {
		policyId: policy.policyId,
		isDeny: policy.effect === "EFFECT_DENY",
		role: roleOf(compiled, activity, nowMs),
		consensus: compiled === "not understood" ? undefined : compiled.consensus,
		/** The consensus as it is written. */
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

/** The user whose own credentials an activity changes. */
function ownerOf({ operation, parameters }: ActivityRecord): string | undefined {
	const isOfCredentials = operation === "create_oauth_providers" || operation === "delete_oauth_providers";
	return isOfCredentials ? String(parameters.userId).toLowerCase() : undefined;
}

export interface Decision {
	readonly isAllowed: boolean;
	/** Whether the submitter, with the credential it used, belongs to a smallest set of users whose approvals are enough. */
	readonly isPossible: () => boolean;
	/** What each policy says of the approvals (assumptions.ts); nothing when the root quorum has decided. */
	readonly evaluations: readonly PolicyEvaluation[];
}

/** Returns the decision about an activity; undefined where policies decide nothing: votes, and organizations that have none. */
export function decide(
	organization: Organization,
	activity: ActivityRecord,
	approving: readonly Vote[],
	nowMs: number,
): Decision | undefined {
	const { rootQuorum } = organization;
	const known = [...organization.entities(policies).values()];
	// A user who belongs to the consensus needs no permission to approve (docs/internals/service.md#how-an-activity-is-decided).
	if (activity.operation in approvals || (known.length === 0 && rootQuorum === undefined)) return undefined;
	const voters = votersOf(organization);
	const approvers = approversOf(voters, approving);
	const submitterId = activity.votes[0]?.userId ?? "";
	const submitter = approvers.find(({ user }) => user.id === submitterId);
	const ready = known.map((policy) => makeReady(policy, describeForPolicies(activity.type), nowMs));
	const concerned = ready.filter(({ role }) => role === "takes part");
	const [denying, allowing] = [concerned.filter(({ isDeny }) => isDeny), concerned.filter(({ isDeny }) => !isDeny)];
	const isOwn = ownerOf(activity) === submitterId && !known.some((policy) => coversCredentials(policy, nowMs));

	const isAllowed = (set: Approvers): boolean => {
		if (hasQuorum(rootQuorum, set)) return true;
		if (denying.some((policy) => isReached(policy, set) === true)) return false;
		if (isOwn && set.some(({ user }) => user.id === submitterId)) return true;
		return allowing.some((policy) => isReached(policy, set) === true);
	};

	const outcomeOf = (policy: ReadyPolicy): string => {
		if (policy.role === "ERROR" || policy.role === "TIME_INACTIVE") return policy.role;
		if (policy.role === "other") return "DENY_IMPLICIT";
		const reached = isReached(policy, approvers);
		if (reached === undefined) return "ERROR";
		if (reached) return policy.isDeny ? "DENY_EXPLICIT" : "ALLOW";
		const isEnough = (set: Approvers) => isReached(policy, set) === true;
		const isNeeded =
			!policy.isDeny && submitter !== undefined && isInSmallestSet(submitter, voters, viewOf([policy.text]), isEnough);
		return isNeeded ? "REQUIRES_CONSENSUS" : "DENY_IMPLICIT";
	};

	const evaluate = (policy: ReadyPolicy) => ({ policyId: policy.policyId, outcome: `OUTCOME_${outcomeOf(policy)}` });
	const texts = concerned.map(({ text }) => text);
	return {
		isAllowed: isAllowed(approvers),
		isPossible: () =>
			submitter !== undefined && isInSmallestSet(submitter, voters, viewOf(texts, rootQuorum?.userIds), isAllowed),
		evaluations: hasQuorum(rootQuorum, approvers) ? [] : ready.map(evaluate),
	};
}
