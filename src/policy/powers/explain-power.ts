/** Explains one power of one user by the policies concerned (docs/powers.md#why). */
import { defined } from "../../common/defined.ts";
import type { AccessPolicy, AccessState } from "../access.ts";
import { fieldsIn } from "../language/mentions.ts";
import type { Clause } from "../language/syntax.ts";
import { orTooComplex } from "../sets/formula.ts";
import { setOf } from "../sets/sets.ts";
import { aloneIn } from "../sets/user-sets.ts";
import { factsOfGroup } from "./activity.ts";
import { outcomeFor } from "./compile.ts";
import { judgeCells, takingPart } from "./conditional.ts";
import { type Fields, printFields } from "./fields.ts";
import type { ActivityGroup } from "./groups.ts";
import { findParts, findPolicyParts, ownCredentials, partsOfOwner, withRootQuorum } from "./judge.ts";
import { findLater, findOpening, type Later } from "./moments.ts";
import { type Ability, type ConditionalPower, findPower, type GroupPower, type Threshold } from "./powers.ts";
import { prepareAccess } from "./prepare.ts";
import { type Assumed, type Reason, withoutPolicy } from "./reason.ts";

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
	/** When a time that is false opens next, ISO 8601 in UTC; left out where it does not within a year. */
	readonly opensAt?: string;
}

/** What one policy does for the group and the user. */
export interface PolicyExplanation {
	readonly policyId: string;
	readonly effect: string;
	/**
	 * `alone`: it applies with the user's approval only. `together`: with that of others too. `others`: without the user, or with the
	 * approvals of `thresholds` where no user is asked about.
	 */
	readonly applies: "alone" | "together" | "others" | "never" | "partly" | "unknown";
	/** Who makes its consensus true, where its other clauses are; empty where no set of users does. */
	readonly thresholds: Ability["thresholds"];
	/** The tags that the consensus counts and the user does not have. */
	readonly missingTagIds: readonly string[];
	readonly clauses: readonly ClauseExplanation[];
}

export interface PowerExplanation {
	readonly group: ActivityGroup;
	/** The fields of the one activity that is asked about, as `printFields` writes them; left out for all of the group. */
	readonly where?: string;
	readonly userId: string;
	readonly verdict: PowerVerdict;
	/** Of one that cannot: the first time window in which the user can; left out where there is none. */
	readonly later?: Later<PowerVerdict>;
	/** The alternatives that the user surely has a part in; empty where a policy denies it, or it depends on a condition. */
	readonly thresholds: Ability["thresholds"];
	/** The conditions under which the user has a part in it. */
	readonly conditional: readonly ConditionalPower[];
	/** Why it is unknown; null where it is not. */
	readonly unknown: Reason | null;
	/** The policies that have a part in the group, those that apply first. */
	readonly policies: readonly PolicyExplanation[];
	/** What is assumed, because it is not documented. */
	readonly assumptions: readonly Assumed[];
}

/** A group of activities, or with `fields` one of them, and when it is asked about: milliseconds since 1970. */
interface Asked {
	readonly access: AccessState;
	readonly group: ActivityGroup;
	readonly fields?: Fields | undefined;
	/** The user whose credentials the one activity changes, in lower case; left out where it names none. */
	readonly ownerId?: string | undefined;
	readonly atMs: number;
}

/** Returns whether the user can do something of the group, and why. */
export function explainPower(about: Asked, userId: string): PowerExplanation {
	// What one user may do with own credentials lets no one else submit it.
	const isOfOther = about.ownerId !== undefined && about.ownerId !== userId;
	const asked = isOfOther ? { ...about, ownerId: noUser } : about;
	const { power, conditional, verdict, isSure } = judgeUser(asked, userId);
	const takesPart = ["alone", "together", "root-quorum"].includes(verdict) || (verdict === "unknown" && isSure);
	const isRefused = verdict === "denied" || verdict === "no";
	return {
		group: asked.group,
		...(asked.fields === undefined ? {} : { where: printFields(asked.fields) }),
		userId,
		verdict,
		...(isRefused ? defined({ later: findAllowed(asked, userId) }) : {}),
		thresholds: takesPart ? power.thresholds.filter((all) => includesUser(all, userId)) : [],
		conditional,
		unknown: power.unknown,
		policies: explainPolicies(asked, userId),
		assumptions: power.assumptions,
	};
}

function findAllowed(asked: Asked, userId: string): PowerExplanation["later"] {
	const verdictAt = (atMs: number): PowerVerdict => judgeUser({ ...asked, atMs }, userId).verdict;
	// Whether users may change their own credentials depends on every policy.
	const isAbout = (policy: AccessPolicy): boolean =>
		asked.ownerId !== undefined || outcomeFor(policy, factsOfGroup(asked.group, asked.fields)).holds !== "no";
	const { policies } = asked.access;
	const about = policies.known ? policies.value.filter(isAbout) : [];
	return findLater(about, asked.atMs, verdictAt, ["alone", "together", "root-quorum", "conditional"]);
}

function explainPolicies(asked: Asked, userId: string): readonly PolicyExplanation[] {
	const { policies } = asked.access;
	return (policies.known ? policies.value : [])
		.filter((policy) => outcomeFor(policy, factsOfGroup(asked.group)).holds !== "no")
		.map((policy) => explainPolicy(policy, { ...asked, userId }))
		.sort((left, right) => rankOf(left) - rankOf(right));
}

/** In the place of a user where all are asked about. */
export const noUser = "";

/** Who can do one activity, by which policies. */
export interface ActivityExplanation {
	readonly power: GroupPower;
	/** What is known of it, as `printFields` writes it. */
	readonly where: string;
	/** Fields that conditions read and of which nothing is known, where that matters; sorted. */
	readonly notSaid: readonly string[];
	/** The policies about it, those that apply first. */
	readonly policies: readonly PolicyExplanation[];
}

/** Returns who can do the activity that has these fields, and what is not known of it. */
export function explainActivity(asked: Asked & { readonly fields: Fields }): ActivityExplanation {
	const { access, group, fields, atMs } = asked;
	const { parts } = findParts(prepareAccess(access, atMs), factsOfGroup(group, fields));
	return {
		power: powerIn(asked),
		where: printFields(fields),
		notSaid: [...new Set(parts.flatMap(({ anyOf }) => anyOf.flatMap((one) => [...fieldsIn(one)])))].sort(),
		policies: explainPolicies(asked, noUser),
	};
}

/** Whether the user may be enough alone, may have a part in it, and surely has one, where something is unknown. */
interface Open {
	readonly alone: boolean;
	readonly part: boolean;
	readonly isSure: boolean;
}

const nothing: Open = { alone: false, part: false, isSure: true };
const everything: Open = { alone: true, part: true, isSure: false };

function openFor({ access, atMs, group, fields, ownerId }: Asked, userId: string): Open {
	const prepared = prepareAccess(access, atMs);
	const found = partsOfOwner(prepared, findParts(prepared, factsOfGroup(group, fields)), ownerId);
	const { users, rootQuorum } = prepared;
	if (found.missing !== null || rootQuorum === null || !access.users.known) return everything;
	const user = setOf([users.userIds.indexOf(userId)].filter((index) => index >= 0));
	const find = (): Open => {
		const cells = judgeCells(prepared, found).map((cell) => ({ ...cell, ...takingPart(prepared, cell.parts, true) }));
		const others = cells.filter(({ holding }) => !holding.has(ownCredentials));
		return {
			alone: others.some(({ possible }) => (aloneIn(withRootQuorum(prepared, possible)) & user) !== 0n),
			part: cells.some(({ may }) => (may & user) !== 0n),
			isSure: others.every(({ surely }) => (surely & user) !== 0n),
		};
	};
	return orTooComplex(find, () => everything);
}

function judgeUser(asked: Asked, userId: string) {
	const power = powerIn(asked);
	const conditional = power.conditional.filter((one) => hasPartByPolicies(one, userId));
	const open = power.unknown === null ? nothing : openFor(asked, userId);
	return { power, conditional, verdict: verdictOf(power, conditional.length > 0, userId, open), isSure: open.isSure };
}

function verdictOf(power: GroupPower, isConditional: boolean, userId: string, open: Open): PowerVerdict {
	const part = partOf(power, userId);
	if (part === "alone") return "alone";
	if (open.alone) return "unknown";
	if (open.isSure && hasPartByPolicies(power, userId)) return "together";
	if (power.denied.includes(userId)) return part === "together" ? "root-quorum" : "denied";
	if (isConditional) return "conditional";
	if (open.part && !open.isSure) return "unknown";
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

interface Question extends Asked {
	readonly userId: string;
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
	if (userId === noUser && power.thresholds.length > 0) return "others";
	if (power.conditional.some((one) => userId === noUser || partOf(one, userId) !== "others")) return "partly";
	if (power.unknown !== null) return "unknown";
	return power.thresholds.length > 0 || power.conditional.length > 0 ? "others" : "never";
}

type Verdict = Pick<ClauseExplanation, "verdict" | "because" | "opensAt">;

/** Of consensus: `true` where the user's approval is enough, `partly` where others must approve too. */
function consensusVerdict(policy: AccessPolicy, power: GroupPower, userId: string): Verdict {
	if (policy.consensus.trim() === "") return { verdict: "absent", because: null };
	const part = partOf(power, userId);
	if (part === "alone") return { verdict: "true", because: null };
	if (part === "together" || (userId === noUser && power.thresholds.length > 0))
		return { verdict: "partly", because: null };
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
	const outcome = clause === "condition" ? outcomeFor(policy, factsOfGroup(question.group, question.fields)) : null;
	if (outcome?.holds === "absent") return { verdict: "errs", because: outcome.because };
	const alone = { ...policy, consensus: "", condition: "", time: "", [clause]: policy[clause] };
	const power = powerOfPolicy(alone, { ...question, access: { ...question.access, users: anyUser } });
	if (power.alone.length > 0) return { verdict: "true", because: null };
	if (power.conditional.length > 0) return { verdict: "partly", because: null };
	const found = falseOrUnknown(policy, power);
	const isClosed = clause === "time" && found.verdict === "false";
	return isClosed ? { ...found, ...defined({ opensAt: findOpening(policy, question.atMs) }) } : found;
}

/** Returns who makes the policy apply: the powers of an organization in which it alone allows, without a root quorum. */
function powerOfPolicy(policy: AccessPolicy, asked: Asked): GroupPower {
	const only: AccessState = {
		users: asked.access.users,
		policies: { known: true, value: [{ ...policy, effect: "EFFECT_ALLOW" }] },
		rootQuorum: { known: true, value: { threshold: 1, userIds: [] } },
	};
	return powerIn({ ...asked, access: only }, findPolicyParts);
}

function powerIn({ access, group, fields, ownerId, atMs }: Asked, partsIn = findParts): GroupPower {
	const ofOwner: typeof findParts = (prepared, facts) => partsOfOwner(prepared, partsIn(prepared, facts), ownerId);
	return findPower(prepareAccess(access, atMs), group, { fields, partsIn: ofOwner });
}
