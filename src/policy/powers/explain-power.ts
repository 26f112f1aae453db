/** Explains one power of one user by the policies concerned (docs/powers.md#why). */
import type { AccessPolicy, AccessState } from "../access.ts";
import type { Clause } from "../language/syntax.ts";
import { factsOfGroup } from "./activity.ts";
import { outcomeFor } from "./compile.ts";
import type { ActivityGroup } from "./groups.ts";
import { findPolicyParts } from "./judge.ts";
import { type Ability, type ConditionalPower, findPower, type GroupPower, type Threshold } from "./powers.ts";
import { prepareAccess } from "./prepare.ts";
import { type Reason, withoutPolicy } from "./reason.ts";

const powerVerdicts = ["alone", "together", "root-quorum", "denied", "conditional", "no", "unknown"] as const;

/**
 * Whether a user can do something. `together`: with others, by policies. `root-quorum`: only with other members of it.
 * `conditional`: only where a condition on the activity holds or does not hold.
 */
type PowerVerdict = (typeof powerVerdicts)[number];

/**
 * Whether a clause is true for the group: `partly` where it depends on the activity, `errs` where these activities lack what it reads,
 * `absent` where it does not restrict.
 */
type ClauseVerdict = "true" | "false" | "partly" | "errs" | "unknown" | "absent";

export interface ClauseExplanation {
	readonly clause: Clause;
	/** As the policy has it. */
	readonly text: string;
	readonly verdict: ClauseVerdict;
	/** Why it errs or is unknown; null for the other verdicts. */
	readonly because: Reason | null;
}

/** What one policy does for the group and the user. */
export interface PolicyExplanation {
	readonly policyId: string;
	readonly effect: string;
	/** `alone`: it applies with the user's approval only. `together`: with that of others too. `others`: without the user. */
	readonly applies: "alone" | "together" | "others" | "never" | "partly" | "unknown";
	/** Who makes its consensus true, where its other clauses are; empty where no set of users does. */
	readonly thresholds: Ability["thresholds"];
	/** The tags that the consensus counts and the user does not have. */
	readonly missingTagIds: readonly string[];
	readonly clauses: readonly ClauseExplanation[];
}

export interface PowerExplanation {
	readonly group: ActivityGroup;
	readonly userId: string;
	readonly verdict: PowerVerdict;
	/** The alternatives that the user has a part in; empty unless the verdict is `alone`, `together` or `root-quorum`. */
	readonly thresholds: Ability["thresholds"];
	/** The conditions under which the user has a part in it. */
	readonly conditional: readonly ConditionalPower[];
	/** Why it is unknown; null where it is not. */
	readonly unknown: Reason | null;
	/** The policies that have a part in the group, those that apply first. */
	readonly policies: readonly PolicyExplanation[];
	/** What is assumed, because it is not documented. */
	readonly assumptions: readonly Reason[];
}

/** Returns whether the user can do something of the group, and why. `atMs`: milliseconds since 1970. */
export function explainPower(
	access: AccessState,
	group: ActivityGroup,
	userId: string,
	atMs: number,
): PowerExplanation {
	const power = findPower(prepareAccess(access, atMs), group);
	const conditional = power.conditional.filter((one) => hasPartByPolicies(one, userId));
	const verdict = verdictOf(power, conditional, userId);
	const takesPart = verdict === "alone" || verdict === "together" || verdict === "root-quorum";
	const policies = access.policies.known ? access.policies.value : [];
	return {
		group,
		userId,
		verdict,
		thresholds: takesPart ? power.thresholds.filter((all) => includesUser(all, userId)) : [],
		conditional,
		unknown: power.unknown,
		policies: policies
			.filter((policy) => outcomeFor(policy, factsOfGroup(group)).holds !== "no")
			.map((policy) => explainPolicy(policy, { access, group, userId, atMs }))
			.sort((left, right) => rankOf(left) - rankOf(right)),
		assumptions: power.assumptions,
	};
}

function verdictOf(power: GroupPower, conditional: readonly ConditionalPower[], userId: string): PowerVerdict {
	const part = partOf(power, userId);
	if (part === "alone") return "alone";
	if (hasPartByPolicies(power, userId)) return "together";
	if (power.denied.includes(userId)) return part === "together" ? "root-quorum" : "denied";
	if (conditional.length > 0) return "conditional";
	if (power.unknown !== null) return "unknown";
	return part === "together" ? "root-quorum" : "no";
}

/** Returns whether the user can do it alone, only with others, or has no part in it. */
function partOf(ability: Ability, userId: string): "alone" | "together" | "others" {
	if (ability.alone.includes(userId)) return "alone";
	if (ability.together.some((set) => set.includes(userId))) return "together";
	const isAmongOthers = !ability.isComplete && ability.thresholds.some((all) => includesUser(all, userId));
	return isAmongOthers ? "together" : "others";
}

/** Whether the user has a part in it that is not the root quorum's. */
function hasPartByPolicies({ thresholds }: Ability, userId: string): boolean {
	return thresholds.some((all) => !all.some(({ isRootQuorum }) => isRootQuorum) && includesUser(all, userId));
}

export function includesUser(all: readonly Threshold[], userId: string): boolean {
	return all.some(({ of }) => of.includes(userId));
}

const order: readonly PolicyExplanation["applies"][] = ["alone", "together", "partly", "unknown", "others", "never"];

/** Policies that apply first; of those that do as much, denies first. */
function rankOf({ applies, effect }: PolicyExplanation): number {
	return order.indexOf(applies) * 2 + (effect === "EFFECT_DENY" ? 0 : 1);
}

interface Question {
	readonly access: AccessState;
	readonly group: ActivityGroup;
	readonly userId: string;
	readonly atMs: number;
}

function explainPolicy(policy: AccessPolicy, question: Question): PolicyExplanation {
	const { userId } = question;
	const whole = powerOfPolicy(policy, question);
	const consensus = powerOfPolicy({ ...policy, condition: "", time: "" }, question);
	const { thresholds } = consensus;
	const missing = thresholds.flat().filter(({ tagId, of }) => tagId !== null && !of.includes(userId));
	return {
		policyId: policy.id,
		effect: policy.effect,
		applies: appliesTo(whole, userId),
		thresholds,
		missingTagIds: [...new Set(missing.flatMap(({ tagId }) => tagId ?? []))],
		clauses: [
			{ ...consensusVerdict(policy, consensus, userId), clause: "consensus", text: policy.consensus },
			{ ...clauseVerdict(policy, "condition", question), clause: "condition", text: policy.condition },
			{ ...clauseVerdict(policy, "time", question), clause: "time", text: policy.time },
		],
	};
}

function appliesTo(power: GroupPower, userId: string): PolicyExplanation["applies"] {
	const part = partOf(power, userId);
	if (part !== "others") return part;
	if (power.conditional.some((one) => partOf(one, userId) !== "others")) return "partly";
	if (power.unknown !== null) return "unknown";
	return power.thresholds.length > 0 || power.conditional.length > 0 ? "others" : "never";
}

type Verdict = Pick<ClauseExplanation, "verdict" | "because">;

/** Of consensus: `true` where the user's approval is enough, `partly` where others must approve too. */
function consensusVerdict(policy: AccessPolicy, power: GroupPower, userId: string): Verdict {
	if (policy.consensus.trim() === "") return { verdict: "absent", because: null };
	const part = partOf(power, userId);
	if (part === "alone") return { verdict: "true", because: null };
	if (part === "together") return { verdict: "partly", because: null };
	return falseOrUnknown(policy, power);
}

/** The clause is of the policy, so the reason need not say which. */
function falseOrUnknown({ id }: AccessPolicy, { unknown }: GroupPower): Verdict {
	if (unknown === null) return { verdict: "false", because: null };
	return { verdict: "unknown", because: withoutPolicy(unknown, id) };
}

/** A user for whom a clause that names no approver is what it is for everybody. */
const anyUser: AccessState["users"] = {
	known: true,
	value: [
		{
			id: "00000000-0000-0000-0000-000000000000",
			tagIds: { known: true, value: [] },
			email: { known: true, value: null },
			credentials: { known: true, value: [] },
		},
	],
};

function clauseVerdict(policy: AccessPolicy, clause: "condition" | "time", question: Question): Verdict {
	if (policy[clause].trim() === "") return { verdict: "absent", because: null };
	const outcome = clause === "condition" ? outcomeFor(policy, factsOfGroup(question.group)) : null;
	if (outcome?.holds === "absent") return { verdict: "errs", because: outcome.because };
	const alone = { ...policy, consensus: "", condition: "", time: "", [clause]: policy[clause] };
	const power = powerOfPolicy(alone, { ...question, access: { ...question.access, users: anyUser } });
	if (power.alone.length > 0) return { verdict: "true", because: null };
	if (power.conditional.length > 0) return { verdict: "partly", because: null };
	return falseOrUnknown(policy, power);
}

/** Returns who makes the policy apply: the powers of an organization in which it alone allows, without a root quorum. */
function powerOfPolicy(policy: AccessPolicy, { access, group, atMs }: Question): GroupPower {
	const only: AccessState = {
		users: access.users,
		policies: { known: true, value: [{ ...policy, effect: "EFFECT_ALLOW" }] },
		rootQuorum: { known: true, value: { threshold: 1, userIds: [] } },
	};
	return findPower(prepareAccess(only, atMs), group, findPolicyParts);
}
