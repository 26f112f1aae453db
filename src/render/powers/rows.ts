/** Powers as rows: groups that the same users can do are one row, and each row says who can do it in a few lines. */
import {
	type ActivityGroup,
	namedPowers,
	type PowerName,
	printGroup,
	printGroups,
	sensitivePowers,
	wholeResources,
} from "../../policy/powers/groups.ts";
import { ownCredentials } from "../../policy/powers/judge.ts";
import type { Ability, ConditionalPower, GroupPower } from "../../policy/powers/powers.ts";
import type { Reason } from "../../policy/powers/reason.ts";
import { code, joinPhrases, type Phrase, reason } from "../../say/phrase.ts";
import { describeGroups, describePolicies, describeThresholds, listPeople, type PowerNames } from "../../say/powers.ts";
import { sayReason } from "../../say/reason.ts";
import { count } from "../text.ts";
import type { OrganizationPowers } from "./organization-powers.ts";

export interface PowerRow {
	/** Names of powers, and the groups that have none, as reports write them. */
	readonly titles: readonly string[];
	/** What the groups let users do. */
	readonly doing: Phrase;
	readonly lines: readonly PowerLine[];
}

export interface PowerLine {
	readonly label: "alone" | "together" | "only" | "denied" | "if" | "unknown" | "no one";
	readonly who: Phrase;
}

/** Returns one row for all groups that the same users can do, in the order of their first groups. */
export function rowsOf(organization: OrganizationPowers): readonly PowerRow[] {
	const merged = Map.groupBy(organization.powers, keyOf);
	return [...merged.values()].flatMap((powers) => {
		const [first] = powers;
		if (first === undefined) return [];
		const groups = powers.map(({ group }) => group);
		return [{ titles: titlesOf(groups), doing: describeGroups(groups), lines: linesOf(first, organization) }];
	});
}

/** Everything that a row shows. */
function keyOf({ group: _, policyIds: __, assumptions: ___, ...power }: GroupPower): string {
	return JSON.stringify(power);
}

/**
 * Returns the names of powers whose groups are all there, then the other groups. All actions of a resource are `POLICY/*`; a
 * name that says no more is left out.
 */
function titlesOf(groups: readonly ActivityGroup[]): readonly string[] {
	const all = new Set(groups.map(printGroup));
	const whole = wholeResources(groups);
	const names = (Object.keys(namedPowers) as PowerName[]).filter(
		(name) =>
			namedPowers[name].every((one) => all.has(printGroup(one))) &&
			!namedPowers[name].every(({ resource }) => whole.has(resource)),
	);
	const named = new Set(names.flatMap((name) => namedPowers[name].map(printGroup)));
	const others = groups.filter(
		(group) => ("resource" in group && whole.has(group.resource)) || !named.has(printGroup(group)),
	);
	return [...names, ...printGroups(others)];
}

function linesOf(power: GroupPower, names: OrganizationPowers): readonly PowerLine[] {
	const unknown = unknownOf(power, names);
	// Members of a root quorum of one can do everything: the first line of the table says so.
	const alone = power.alone.filter((userId) => !power.rootQuorumOnly.includes(userId));
	const together = power.thresholds.filter((all) => isTogether(all));
	const lines: PowerLine[] = [
		...(alone.length === 0 ? [] : [{ label: "alone" as const, who: listPeople(alone, names) }]),
		...(together.length === 0 ? [] : [{ label: "together" as const, who: describeThresholds(together, names) }]),
		...(power.denied.length === 0 ? [] : [{ label: "denied" as const, who: listPeople(power.denied, names) }]),
		...power.conditional.map((one) => ({ label: "if" as const, who: describeConditional(one, names) })),
		...(unknown === null ? [] : [{ label: "unknown" as const, who: sayReason(unknown, names) }]),
	];
	if (alone.length + together.length + power.conditional.length > 0 || unknown !== null) return lines;
	const hasRootQuorum = power.thresholds.length > 0 || names.rootQuorum === null;
	return [hasRootQuorum ? { label: "only", who: ["the root quorum"] } : { label: "no one", who: [] }, ...lines];
}

/** Returns why not everything is known. That the root quorum could not be read is above the rows, once. */
function unknownOf({ unknown }: GroupPower, { rootQuorum, unread }: OrganizationPowers): Reason | null {
	const isRootQuorum =
		rootQuorum === null &&
		unread.some(({ what, because }) => what === unreadRoot && unknown?.kind === "not-read" && because === unknown.why);
	return isRootQuorum ? null : unknown;
}

/** The root quorum among what could not be read. */
const unreadRoot = "root quorum";

/** Whether it takes several users, by policies. */
function isTogether(all: Ability["thresholds"][number]): boolean {
	return !all.some(({ isRootQuorum }) => isRootQuorum) && (all.length > 1 || all.some(({ atLeast }) => atLeast > 1));
}

/** Returns the condition, and who can do it where it holds or does not hold. */
export function describeConditional(one: ConditionalPower, names: PowerNames): Phrase {
	const condition = one.condition === ownCredentials ? ownCredentials : code(one.condition);
	return [one.holds ? "where " : "except where ", condition, ...prefix(": ", describeAbility(one, names))];
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

function prefix(text: string, phrase: Phrase): Phrase {
	return phrase.length === 0 ? [] : [text, ...phrase];
}

/** Returns that the root quorum can do everything, and who it is where that is known. */
export function describeRootQuorum(organization: OrganizationPowers): Phrase {
	const { rootQuorum } = organization;
	if (rootQuorum === null) return ["The root quorum can do everything."];
	const { threshold, userIds } = rootQuorum;
	const all = "The root quorum can do everything: ";
	const isAll = threshold >= userIds.length;
	const people = listPeople(userIds, organization, isAll ? "and" : ",");
	if (userIds.length === 0) return ["The root quorum has no members."];
	if (threshold === 1) return [all, ...people, userIds.length === 1 ? " alone." : ", each alone."];
	return isAll ? [all, ...people, " together."] : [all, `${threshold} of `, ...people, "."];
}

/** Returns what could not be read, one line each. */
export function describeUnreadAccess({ unread }: OrganizationPowers): readonly Phrase[] {
	return unread.map(({ what, because }) => [`${what} unknown: `, reason(because)]);
}

/** What is worth a look before the rows are read. */
export interface PowerCounts {
	/** Users who can do something alone that guards count as sensitive, by policies or as a root quorum of one. */
	readonly sensitiveAlone: readonly string[];
	/** Those of them who can only under a condition on the activity. */
	readonly onlyConditionally: readonly string[];
	/** Powers of which something beside the root quorum is unknown. */
	readonly unknown: number;
}

export function countPowers(organization: OrganizationPowers): PowerCounts {
	const { powers } = organization;
	const sensitive = new Set(sensitivePowers.flatMap((name) => namedPowers[name].map(printGroup)));
	const checked = powers.filter(({ group }) => sensitive.has(printGroup(group)));
	const always = new Set(checked.flatMap(({ alone }) => alone));
	const conditional = checked
		.flatMap((power) => power.conditional)
		.filter(({ condition }) => condition !== ownCredentials)
		.flatMap(({ alone }) => alone);
	const onlyConditionally = [...new Set(conditional)].filter((userId) => !always.has(userId)).sort();
	return {
		sensitiveAlone: [...always, ...onlyConditionally].sort(),
		onlyConditionally,
		unknown: powers.filter((power) => unknownOf(power, organization) !== null).length,
	};
}

/** Returns the counts of all organizations in one sentence of orgsync's own words. */
export function summarizeCounts(organizations: readonly OrganizationPowers[]): string {
	const counts = organizations.map(countPowers);
	const alone = counts.reduce((sum, { sensitiveAlone }) => sum + sensitiveAlone.length, 0);
	const conditional = counts.reduce((sum, { onlyConditionally }) => sum + onlyConditionally.length, 0);
	const unknown = counts.reduce((sum, one) => sum + one.unknown, 0);
	const noRoot = organizations.filter(({ rootQuorum }) => rootQuorum === null).length;
	const total = organizations.reduce((sum, { powers }) => sum + powers.length, 0);
	if (total === 0) return "Powers: none to show.";
	const can =
		alone === 0
			? "no user can do something sensitive alone"
			: `${count(alone, "user", "users")} can do something sensitive alone${limitedTo(conditional, alone)}`;
	const where = organizations.length === 1 ? "" : ` in ${count(organizations.length, "organization", "organizations")}`;
	const open = [
		...(unknown === 0 ? [] : [`${count(unknown, "power is", "powers are")} unknown in part`]),
		...(noRoot === 0 ? [] : [organizations.length === 1 ? noRootQuorum : `${noRootQuorum} in ${noRoot}`]),
	];
	return `${[`Powers${where}: ${can}`, ...open].join("; ")}.`;
}

const noRootQuorum = "the root quorum is unknown";

function limitedTo(conditional: number, alone: number): string {
	if (conditional === 0) return "";
	return conditional === alone ? ", only under a condition" : `, ${conditional} of them only under a condition`;
}

/** The policies by name, or nothing. */
export function policyPhrase(policyId: string, names: PowerNames): Phrase {
	return describePolicies([policyId], names) ?? [];
}
