/**
 * What a plan changes for who can do what, in sentences for people who do not know the policy language
 * (docs/powers.md#impact).
 */
import { groupBy } from "../../common/group-by.ts";
import type { AddressText } from "../../plan/address.ts";
import type { Change, TagChange } from "../../plan/change.ts";
import type { PlanImpact } from "../../plan/impact/impact.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Ability } from "../../policy/powers/ability.ts";
import { printGroup, printGroups } from "../../policy/powers/groups.ts";
import type { ImpactChange, ImpactVerdict } from "../../policy/powers/impact.ts";
import type { Threshold } from "../../policy/powers/powers.ts";
import { sayCondition, sayExample } from "../../say/condition.ts";
import { count } from "../../say/count.ts";
import { code, joinPhrases, listOf, listSome, type Phrase } from "../../say/phrase.ts";
import {
	describeGroups,
	describePolicies,
	describeThresholds,
	listPeople,
	namePerson,
	nameTag,
} from "../../say/powers.ts";
import { sayReason } from "../../say/reason.ts";
import { phraseText } from "../print/text.ts";

/** What a line is about: bad news, a user gains, a user loses, not known. `!` alone is that of a report-only difference. */
type ImpactSign = "!!" | "+" | "-" | "?";

/** Findings with the same change for the same people, in one sentence. */
export interface ImpactLine {
	readonly sign: ImpactSign;
	/** Whether a reader must see it: never folded. */
	readonly isBad: boolean;
	readonly sentence: Phrase;
	/** The beginning of the sentence: what becomes true, without why, what was true before, and conditions that are long. */
	readonly claim: Phrase;
	/** An example of people who can do it on one side only, and the policies; empty where there is neither. */
	readonly detail: Phrase;
	/** At least one. */
	readonly findings: readonly PlanImpact[];
}

/** Returns the heading above the impact. In a report of drift it is what apply would change, not what has changed. */
export function impactHeadingOf(isDrift: boolean): string {
	return isDrift ? "What apply would change for who can do what" : "What changes for who can do what";
}

/** Returns the whole in one sentence of orgsync's own words; null where the plan has no impact. */
export function summarizeImpact(plan: Pick<Plan, "impact" | "impactVerdict" | "impactTimed">): string | null {
	const now = summarizeNow(plan);
	const { impactTimed: { length } = [] } = plan;
	if (now === null || length === 0) return now;
	return `${now} At other times the impact differs: ${count(length, "policy has", "policies have")} a time window.`;
}

function summarizeNow({ impact, impactVerdict }: Pick<Plan, "impact" | "impactVerdict">): string | null {
	if (impact === undefined) return null;
	const verdict = impactVerdict ?? "unknown";
	if (verdict === "equivalent" && impact.length === 0) return "Who can do what stays the same.";
	const unclear = impact.filter(({ change }) => change === "unknown").length;
	const partly =
		unclear === 0 || verdict === "unknown"
			? ""
			: ` ${count(unclear, "group", "groups")} of activities could not be compared.`;
	const changes = impact.some(({ change }) => change !== "unknown");
	if (verdict === "unknown" && !changes) return "Unknown: who can do what could not be compared.";
	return `${verdictWords[verdict]}: ${countPeople(impact)}.${partly}`;
}

const verdictWords: Readonly<Record<ImpactVerdict, string>> = {
	equivalent: "Equivalent",
	"more-permissive": "More permissive",
	"less-permissive": "Less permissive",
	both: "More and less permissive",
	unknown: "Partly unknown",
};

/** Returns how many people can do more and how many can do less. */
function countPeople(impact: readonly PlanImpact[]): string {
	const usersOf = (...changes: readonly ImpactChange[]): number =>
		new Set(impact.filter(({ change }) => changes.includes(change)).flatMap(({ userIds }) => userIds)).size;
	const [more, less] = [usersOf("alone", "fewer", "gains"), usersOf("nobody", "loses")];
	const say = (number: number, what: string): string =>
		`${number === 0 ? "no one" : count(number, "person", "people")} can do ${what}`;
	return more === 0 && less > 0
		? `${say(less, "less")}, no one can do more`
		: `${say(more, "more")}, ${say(less, "less")}`;
}

/** Returns the impact in sentences, worst first; none where nothing changes, or it is not known at all. */
export function describeImpact(plan: Plan): readonly ImpactLine[] {
	const keys = new Map((plan.impact ?? []).map((one) => [one, keyOf(one, plan)]));
	const ofGroups = groupBy([...keys.keys()], (one) => JSON.stringify([one.group, keys.get(one)]));
	// The same of several groups is one sentence where it is so under the same conditions.
	const merged = groupBy(ofGroups, (findings) => {
		const conditions = findings.map(({ condition, unless }) => [condition, unless]);
		return JSON.stringify([keys.get(findings[0]), conditions]);
	});
	return merged.map((groups) => describeFindings(groups.flat() as [PlanImpact, ...PlanImpact[]], plan));
}

/** Findings with the same key say the same, of several groups or under several conditions. */
function keyOf(finding: PlanImpact, plan: Plan): string {
	const { change, userIds, because, before, after } = finding;
	const sides = [before, after].map((side) => describeAbility(side, plan));
	return JSON.stringify([change, userIds, because, ...sides, change === "nobody" ? whyNobody(finding, plan) : ""]);
}

function describeFindings(findings: Findings, plan: Plan): ImpactLine {
	const [first] = findings;
	const { change } = first;
	const policyIds = [...new Set(findings.flatMap((one) => one.policyIds))].sort();
	const where = describeConditions(...findings);
	const groups = printGroups(findings.map(({ group }) => group));
	const { example } = first;
	const witness = first.witness.length < 2 ? [] : [["for example ", ...listPeople(first.witness, plan)]];
	const activity = example === undefined ? [] : [["for example ", sayExample(example)]];
	const policies = describePolicies(policyIds, plan);
	const detail = [
		...(policies.length === 0 ? [] : [policies]),
		...witness,
		...activity,
		listSome(groups, code, maxGroups),
	];
	const short = phraseText(where).length > maxClaimed ? [", under some conditions"] : where;
	const [sign, describe] = describers[change];
	const [claim, more] = describe(findings, plan);
	return {
		sign,
		isBad: change !== "gains" && change !== "loses",
		sentence: [...claim, ...where, ...more],
		claim: [...claim, ...short],
		detail: joinPhrases(detail, "; "),
		findings,
	};
}

const maxGroups = 4;

/** Longest conditions of a claim, in characters: a claim is read in one glance. */
const maxClaimed = 120;

/** Returns the conditions after the power, that one of them holds; empty where it is always so. */
export function describeConditions(...findings: readonly PlanImpact[]): Phrase {
	const said = findings.map(({ condition, unless }): Phrase => {
		const except = joinPhrases(unless.map(sayCondition), ", ", " or ");
		const where = condition === null ? [] : [["where ", ...sayCondition(condition)]];
		return joinPhrases([...where, ...(except.length === 0 ? [] : [["except where ", ...except]])], ", ");
	});
	const each = [...new Map(said.map((one) => [JSON.stringify(one), one])).values()];
	return each.some((one) => one.length === 0) ? [] : [", ", ...joinPhrases(each, ", or ")];
}

type Findings = readonly [PlanImpact, ...PlanImpact[]];

/** A sentence in two parts, between which its conditions are: what becomes true; why, and what was true before. */
type Sentence = readonly [claim: Phrase, more: Phrase];

type Describer = (findings: Findings, plan: Plan) => Sentence;

const describers: Readonly<Record<ImpactChange, readonly [sign: ImpactSign, describe: Describer]>> = {
	nobody: ["!!", describeNobody],
	alone: ["!!", describeAlone],
	fewer: ["!!", describeFewer],
	gains: ["+", describeGains],
	loses: ["-", describeLoses],
	unknown: ["?", describeUnknown],
};

function describeUnknown(findings: Findings, plan: Plan): Sentence {
	const [{ because }] = findings;
	const why: Phrase = because === null ? [] : [": ", ...sayReason(because, plan)];
	return [["could not compare who can ", ...powerOf(findings)], why];
}

function powerOf(findings: readonly PlanImpact[], form: "do" | "doing" = "do"): Phrase {
	return describeGroups(
		findings.map(({ group }) => group),
		form,
	);
}

/** Returns who can do it on one side; empty where no one can. */
function describeAbility({ alone, thresholds }: Ability, plan: Plan): Phrase {
	if (thresholds.length > 0) return describeThresholds(thresholds, plan);
	return listOf(alone, (userId) => namePerson(userId, plan), ", ", " or ");
}

/** Returns who could do it before by policies; empty where no one could. */
function describeBefore({ before }: PlanImpact, plan: Plan): Phrase {
	const isByPolicies = before.alone.length > 0 || before.thresholds.some(([first]) => first?.isRootQuorum === false);
	const ability = isByPolicies ? describeAbility(before, plan) : [];
	return ability.length === 0 ? [] : ["; before: ", ...ability];
}

/** Returns who can do it after the plan, after `lead`; empty where no one can. */
function describeAfter({ after }: PlanImpact, plan: Plan, lead: string): Phrase {
	const ability = describeAbility(after, plan);
	return ability.length === 0 ? [] : [lead, ...ability];
}

/** Returns whether the approval of each of these users can count. */
function canApprove(userIds: readonly string[], { alone, together, thresholds }: Ability): boolean {
	const known = new Set([...alone, ...together.flat(), ...thresholds.flat().flatMap(({ of }) => of)]);
	return userIds.every((userId) => known.has(userId));
}

function describeNobody(findings: Findings, plan: Plan): Sentence {
	const [first] = findings;
	const { alone, thresholds } = first.after;
	const subject = alone.length + thresholds.length > 0 ? "no one but the root quorum can " : "no one can ";
	const why = whyNobody(first, plan);
	return [[subject, ...powerOf(findings), " any more"], why === null ? describeBefore(first, plan) : [": ", ...why]];
}

/** Returns why no one can do it any more, where the plan itself shows it: a removed policy, or a tag with too few members. */
function whyNobody({ before, policyIds }: PlanImpact, plan: Plan): Phrase | null {
	const removed = new Set(plan.changes.flatMap(removedPolicy));
	const gone = policyIds.filter((id) => removed.has(id));
	if (gone.length > 0 && gone.length === policyIds.length) {
		return [...describePolicies(gone, plan), gone.length === 1 ? " is removed" : " are removed"];
	}
	const byPolicies = before.thresholds.filter((all) => !all.some(({ isRootQuorum }) => isRootQuorum));
	const [alternative, ...others] = byPolicies;
	if (gone.length > 0 || others.length > 0 || alternative === undefined) return null;
	const short = alternative.flatMap((threshold) => tooFewFor(threshold, plan));
	return short.length === 0 ? null : joinPhrases(short, ", and ");
}

/** Returns the addresses of the changes that a line comes from: removed policies, and tags that its sides name. */
export function originsOf({ findings }: ImpactLine, { changes }: Plan): readonly AddressText[] {
	const policyIds = new Set(findings.flatMap((finding) => finding.policyIds));
	const thresholds = findings.flatMap(({ before, after }) => [...before.thresholds, ...after.thresholds]).flat();
	const tagIds = new Set(thresholds.map(({ tagId }) => tagId));
	const userIds = new Set(findings.flatMap((finding) => finding.userIds));
	const isOrigin = (change: Change): boolean =>
		change.kind === "userTag" ? tagIds.has(change.tagId) : removedPolicy(change).some((id) => policyIds.has(id));
	// A tag that gives a power alone may be in no threshold: then it is one that moves these users.
	const moves = (change: Change): boolean =>
		change.kind === "userTag" && [...change.addUserIds, ...change.removeUserIds].some((id) => userIds.has(id));
	return [...changes.filter(isOrigin), ...changes.filter(moves)].map(({ address }) => address);
}

function removedPolicy(change: Change): readonly string[] {
	return change.kind === "policy" && change.action === "remove" ? [change.id] : [];
}

/** Returns that the plan leaves the tag with fewer members than are needed; none where it does not. */
function tooFewFor({ tagId, atLeast }: Threshold, plan: Plan): readonly Phrase[] {
	const change = plan.changes.find((one): one is TagChange => one.kind === "userTag" && one.tagId === tagId);
	if (tagId === null || change?.before.members == null) return [];
	const { addUserIds, removeUserIds, before } = change;
	const left = [...new Set([...(before.members ?? []), ...addUserIds])]
		.filter((id) => !removeUserIds.includes(id))
		.sort();
	if (left.length >= atLeast) return [];
	const who: Phrase =
		left.length === 0
			? ["no one is left"]
			: ["only ", ...listPeople(left, plan), left.length === 1 ? " is left" : " are left"];
	return [[`it needs ${atLeast} of `, ...nameTag(tagId, plan), ", and ", ...who]];
}

function describeAlone(findings: Findings, plan: Plan): Sentence {
	const [first] = findings;
	const can = first.userIds.length > 1 ? " can now each " : " can now ";
	return [[...listPeople(first.userIds, plan), can, ...describeAlonePower(findings)], describeBefore(first, plan)];
}

/** Returns the power with the word `alone` where it is read first. */
function describeAlonePower(findings: readonly PlanImpact[]): Phrase {
	const groups = new Set(findings.map(({ group }) => printGroup(group)));
	if (groups.size > 1) return ["do this alone: ", ...powerOf(findings)];
	return groups.has("PRIVATE_KEY/SIGN") ? ["sign alone, with any wallet or key"] : [...powerOf(findings), " alone"];
}

function describeFewer(findings: Findings, plan: Plan): Sentence {
	const [first] = findings;
	const more = [...describeAfter(first, plan, ": "), ...describeBefore(first, plan)];
	return [["fewer approvals are needed to ", ...powerOf(findings)], more];
}

/** Returns what users can do on a side: the activity, where each is enough alone; else approve it, which includes submitting it. */
function shareOf(userIds: readonly string[], findings: readonly PlanImpact[], { alone }: Ability): Phrase {
	return userIds.every((userId) => alone.includes(userId))
		? powerOf(findings)
		: ["approve ", ...powerOf(findings, "doing")];
}

function describeGains(findings: Findings, plan: Plan): Sentence {
	const [{ userIds, before, after }] = findings;
	// All of them could approve before: what is new is that their approvals suffice.
	const isJoint = userIds.length > 1 && canApprove(userIds, before);
	const power = isJoint ? [...powerOf(findings), " together"] : shareOf(userIds, findings, after);
	return [[...listPeople(userIds, plan), " can now ", ...power], describeAfter(findings[0], plan, ": ")];
}

function describeLoses(findings: Findings, plan: Plan): Sentence {
	const [{ userIds, before, after }] = findings;
	const how = userIds.length > 1 ? " together" : " alone";
	const isJoint = canApprove(userIds, after);
	const power = isJoint ? [...powerOf(findings), how] : shareOf(userIds, findings, before);
	return [[...listPeople(userIds, plan), " can no longer ", ...power], describeAfter(findings[0], plan, ": now ")];
}
