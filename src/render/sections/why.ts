/** Why a user can do something or cannot: the answer, each policy concerned with its clauses, and assumptions. */
import { groupBy } from "../../common/group-by.ts";
import {
	type ClauseExplanation,
	noUser,
	type PolicyExplanation,
	type PowerExplanation,
} from "../../policy/powers/explain-power.ts";
import { printGroups } from "../../policy/powers/groups.ts";
import type { Ability, ConditionalPower } from "../../policy/powers/powers.ts";
import { sayOpening } from "../../say/cases.ts";
import { sayCondition, sayExample } from "../../say/condition.ts";
import { code, joinPhrases, listOf, type Phrase, time } from "../../say/phrase.ts";
import {
	describeGroups,
	describePolicies,
	describeThresholds,
	listPeople,
	namePerson,
	nameTag,
	type PowerNames,
} from "../../say/powers.ts";
import { sayReason } from "../../say/reason.ts";
import { type Row, type Section, section } from "../../say/section.ts";
import type { OrganizationPowers } from "../result/organization-powers.ts";

/** Returns one section for each answer; groups with the same answer are one. `isBrief`: without the policies. */
export function whySections(
	organization: OrganizationPowers,
	why: readonly PowerExplanation[],
	isBrief = false,
): readonly Section[] {
	const answers = isBrief ? why.map((one) => ({ ...one, policies: [], assumptions: [] })) : why;
	const merged = groupBy(answers, ({ group: _, ...same }) => JSON.stringify(same, withoutExamples));
	return merged.map((same) => sectionOf(same[0], same, organization, isBrief));
}

/** For JSON.stringify: an example is of one group. */
export const withoutExamples = (key: string, value: unknown): unknown => (key === "example" ? undefined : value);

function sectionOf(
	first: PowerExplanation,
	same: readonly PowerExplanation[],
	names: OrganizationPowers,
	isBrief: boolean,
): Section {
	const groups = same.map(({ group }) => group);
	const listed = listOf(printGroups(groups), (group) => code(group));
	const where: Phrase = first.where === undefined || first.where === "" ? [] : [", where ", code(first.where)];
	const lines: readonly Row[] = [
		...describeConditional(first.conditional, names),
		...(isBrief ? [] : policyRows(first, names)),
		...(isBrief ? [] : describeMissing(first, names).map((said) => ({ said }))),
		...first.assumptions.map((one): Row => ({ said: ["assumed, not documented: ", ...sayReason(one, names)] })),
	];
	return section("why", lines, {
		lead: [...describeVerdict(first, describeGroups(groups), names), " (", ...listed, ...where, ")"],
	});
}

interface AskedPolicies {
	readonly policies: readonly PolicyExplanation[];
	readonly userId: string;
	/** Of the one activity that is asked about. */
	readonly where?: string;
}

/** Returns what the request of one activity says, and what not, and the policies about it. */
export function activitySection({ activity, ...names }: OrganizationPowers): Section {
	const { where = "", notSaid = [], policies = [] } = activity ?? {};
	const said: readonly Phrase[] = [
		...(where === "" ? [] : [["The request says ", code(where), "."]]),
		...(notSaid.length === 0
			? []
			: [["The request does not say ", ...listOf(notSaid, code), ", which policies read."]]),
	];
	const rows = policyRows({ policies, where, userId: noUser }, names);
	return section("powers-policies", rows, said.length === 0 ? {} : { lead: joinPhrases(said, " ") });
}

function policyRows(asked: AskedPolicies, names: PowerNames): readonly Row[] {
	if (asked.policies.length === 0) return [{ said: ["no policy is about this"] }];
	return asked.policies.map((policy) => ({
		said: describePolicy(policy, asked, names),
		rows: policy.clauses.flatMap((clause) => describeClause(clause, policy, asked, names)).map((said) => ({ said })),
	}));
}

/** Whether it takes several users, by policies. */
export function isTogether(all: Ability["thresholds"][number]): boolean {
	return !all.some(({ isRootQuorum }) => isRootQuorum) && (all.length > 1 || all.some(({ atLeast }) => atLeast > 1));
}

/** Returns the conditions with who can do it where they hold or do not hold, those with the same users together. */
export function describeConditional(all: readonly ConditionalPower[], names: PowerNames): readonly Row[] {
	return groupBy(all, ({ alone, thresholds }) => JSON.stringify([alone, thresholds])).map((ones) => {
		const conditions = ones.map(
			({ holds, condition }): Phrase => [holds ? "where " : "except where ", ...sayCondition(condition)],
		);
		const [example] = ones.flatMap((one) => one.example ?? []);
		const shown: Phrase = example === undefined ? [] : [", for example ", sayExample(example)];
		const who = describeAbility(ones[0], names);
		return { said: [...joinPhrases(conditions, ", or "), ...(who.length === 0 ? [] : [": ", ...who]), ...shown] };
	});
}

/** Returns who can do it: those who can alone, then the alternatives of several; empty where no one can. */
function describeAbility({ alone, thresholds }: Ability, names: PowerNames): Phrase {
	const together = thresholds.filter((all) => isTogether(all));
	const shown: readonly Phrase[] = [
		...(alone.length === 0 ? [] : [[...listPeople(alone, names), alone.length === 1 ? " alone" : " each alone"]]),
		...(together.length === 0 ? [] : [describeThresholds(together, names)]),
	];
	return joinPhrases(shown, ", or ");
}

/** The answers, for a verdict on all of them. */
export const answerWords: Readonly<Record<PowerExplanation["verdict"], string>> = {
	alone: "yes",
	together: "yes, together",
	"root-quorum": "only with the root quorum",
	denied: "denied",
	conditional: "under a condition",
	no: "no",
	unknown: "unknown",
};

function describeVerdict(one: PowerExplanation, doing: Phrase, names: OrganizationPowers): Phrase {
	const { verdict, userId, thresholds, unknown, later } = one;
	const isOpenAlone = verdict === "unknown" && thresholds.length > 0;
	const takesSeveral = verdict === "together" || verdict === "root-quorum";
	return [
		verdict === "unknown" ? "unknown whether " : `${answerWords[verdict]}: `,
		namePerson(userId, names),
		verdict === "denied" || verdict === "no" ? " cannot " : " can ",
		...doing,
		...(verdict === "alone" || isOpenAlone ? [" alone"] : []),
		...(takesSeveral ? [", it takes ", ...describeThresholds(thresholds, names)] : []),
		...(verdict === "unknown" && unknown !== null ? [": ", ...sayReason(unknown, names)] : []),
		...(isOpenAlone ? ["; with others, it takes ", ...describeThresholds(thresholds, names)] : []),
		...(later === undefined ? [] : ["; from ", time(later.at), ` on: ${answerWords[later.verdict]}`]),
	];
}

const effects: ReadonlyMap<string, { readonly does: string; readonly name: string }> = new Map([
	["EFFECT_ALLOW", { does: "allows it", name: "allow" }],
	["EFFECT_DENY", { does: "denies it", name: "deny" }],
]);

function describePolicy(policy: PolicyExplanation, { userId, where }: AskedPolicies, names: PowerNames): Phrase {
	const effect = effects.get(policy.effect);
	const who = namePerson(userId, names);
	const does = effect?.does ?? "has an unknown effect";
	const kind: Phrase = effect === undefined ? [code(policy.effect), " "] : [`${effect.name} `];
	const subject: Phrase = [...kind, ...describePolicies([policy.policyId], names)];
	switch (policy.applies) {
		case "alone":
			return [...subject, ` ${does} with the approval of `, who, " alone"];
		case "together":
			return [...subject, ` ${does} with the approvals of `, who, " and others"];
		case "partly":
			return [...subject, where === undefined ? ` ${does} for some of these activities` : ` may or may not apply`];
		case "others":
			return userId === noUser ? [...subject, ` ${does}`] : [...subject, ` does not apply to `, who];
		case "never":
			return [...subject, " does not apply"];
		case "unknown":
			return [...subject, " may or may not apply"];
	}
}

const clauseWords: Readonly<
	Record<Exclude<ClauseExplanation["verdict"], "absent">, Readonly<Record<ClauseExplanation["clause"], string>>>
> = {
	true: { consensus: "is met", condition: "is true", time: "is in force" },
	partly: { consensus: "needs more approvals", condition: "depends on the activity", time: "depends on the activity" },
	errs: { consensus: "errs", condition: "errs", time: "errs" },
	false: {
		consensus: "is not met",
		condition: "is never true",
		time: "is not in force at this time",
	},
	unknown: { consensus: "is unknown", condition: "is unknown", time: "is unknown" },
};

function describeClause(
	{ clause, text, verdict, because, opensAt }: ClauseExplanation,
	policy: PolicyExplanation,
	{ userId }: AskedPolicies,
	names: PowerNames,
): readonly Phrase[] {
	if (verdict === "absent") return clause === "consensus" ? [["it has no consensus, so any user counts"]] : [];
	const isOfAll = clause === "consensus" && verdict === "partly" && userId === noUser;
	const words = `${clause} ${isOfAll ? "needs approvals" : clauseWords[verdict][clause]}`;
	const why: Phrase = because === null ? [] : [" (", ...sayReason(because), ")"];
	return [[words, ...why, ...sayOpening(opensAt), ...describeCounts(clause, policy, userId, names), ": ", code(text)]];
}

function describeCounts(
	clause: ClauseExplanation["clause"],
	{ thresholds, clauses }: PolicyExplanation,
	userId: string,
	names: PowerNames,
): Phrase {
	if (clause !== "consensus") return [];
	const { verdict } = clauses.find((one) => one.clause === "consensus") ?? {};
	if (thresholds.length === 0) return verdict === "false" ? [", no users here can meet it"] : [];
	const without: Phrase = verdict === "false" ? [", and ", namePerson(userId, names), " does not count"] : [];
	return [", it takes ", ...describeThresholds(thresholds, names), ...without];
}

/** Returns what would have to be different, where the user cannot do it. */
function describeMissing(one: PowerExplanation, names: PowerNames): readonly Phrase[] {
	const who = namePerson(one.userId, names);
	const applying = one.policies.filter(({ applies }) => applies !== "never" && applies !== "others");
	if (one.verdict === "denied") {
		const denies = applying.filter(({ effect }) => effect === "EFFECT_DENY");
		return denies.map(({ policyId }) => [
			"to change this, ",
			...describePolicies([policyId], names),
			" must not apply to ",
			who,
		]);
	}
	if (one.verdict !== "no" && one.verdict !== "root-quorum") return [];
	const tags = one.policies
		.filter(({ effect, applies }) => effect === "EFFECT_ALLOW" && applies === "others")
		.flatMap(({ missingTagIds }) => missingTagIds);
	// Without the word `tag`, which comes before all of them.
	const named = [...new Set(tags)].map((tagId) => nameTag(tagId, names).slice(-1));
	if (named.length > 0) return [["to change this, ", who, " needs the tag ", ...joinPhrases(named, ", ", " or ")]];
	return [["to change this, a policy must allow it to ", who]];
}
