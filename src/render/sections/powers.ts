/** Who can do what: a table with a row for each power, or the explanation of one power. */
import { groupBy } from "../../common/group-by.ts";
import {
	type ActivityGroup,
	namedPowers,
	nameOfGroup,
	type PowerName,
	printGroup,
	printGroups,
	wholeResources,
} from "../../policy/powers/groups.ts";
import type { GroupPower } from "../../policy/powers/powers.ts";
import { isUndocumented, type Reason } from "../../policy/powers/reason.ts";
import { findSensitiveAlone } from "../../policy/powers/sensitive.ts";
import { count, counted } from "../../say/count.ts";
import { code, identifier, listOf, type Phrase } from "../../say/phrase.ts";
import { describeGroups, describeThresholds, listPeople } from "../../say/powers.ts";
import { sayReason } from "../../say/reason.ts";
import { type Row, type Section, section } from "../../say/section.ts";
import { type Summary, type Verdict, verdictOf } from "../../say/verdict.ts";
import type { OrganizationPowers } from "../result/organization-powers.ts";
import { assumptionsSection } from "./assumptions.ts";
import { unreadSection } from "./unknown.ts";
import { activitySection, answerWords, describeConditional, isTogether, whySections, withoutExamples } from "./why.ts";

/**
 * Returns what could not be read, and a table of who can do what; with `--why` the explanations instead, with `--activity` policies
 * too. Groups that the same users can do are one row, in the order of their first groups.
 */
export function powersSections(one: OrganizationPowers): readonly Section[] {
	const notes = [unreadSection("powers-unread", one.unread), warningsSection(one)];
	if (one.why !== undefined) return [...notes, ...whySections(one, one.why)];
	const policies = one.activity === undefined ? [] : [activitySection(one)];
	return [...notes, tableSection(one), ...policies, assumedSection(one)];
}

/** `isBrief`: all of it in one row. */
export const assumedSection = (one: OrganizationPowers, isBrief = false): Section =>
	assumptionsSection(
		one.powers.flatMap(({ assumptions }) => assumptions),
		one,
		isBrief,
	);

/** Returns the answers of `can`; where not everything is known what could not be read, and `because` the policies too. */
export function answerSections(one: OrganizationPowers, because: boolean): readonly Section[] {
	if (because) return powersSections(one);
	return [unreadSection("powers-unread", one.unread), ...whySections(one, one.why ?? [], true)];
}

function tableSection(organization: OrganizationPowers): Section {
	const rows = rowsOf(organization);
	return section("powers", rows, {
		lead: describeRootQuorum(organization),
		form: "table",
		columns: ["Power", "Who"],
		...(rows.length === 0 ? { foot: [["No powers to show."]] } : {}),
	});
}

/** Returns the policies that ask for a user tag by its name, and those of which the service says otherwise than orgsync. */
function warningsSection({ namedTags = [], statedTimes = [], policyNames }: OrganizationPowers): Section {
	const nameOf = (policyId: string): Phrase => ["policy ", code(policyNames[policyId] || policyId)];
	return section("powers-warnings", [
		...namedTags.map(({ policyId, name, tagIds }) => ({
			said: [
				...[...nameOf(policyId), " asks for the user tag ", code(name)],
				` by its name, which no user's tags have; did you mean its id ${tagIds.join(" or ")}?`,
			],
		})),
		...statedTimes.map(({ policyId, isActive }) => ({
			said: [
				...["the service says that ", ...nameOf(policyId)],
				...[` is ${isActive ? "in force" : "not in force"} now, and by its `, code("time")],
				" orgsync finds otherwise: the service's word counts",
			],
		})),
	]);
}

/** Returns what could not be read, and powers of which not everything is known, one row each. */
export function unknownPowersSection(one: OrganizationPowers): Section {
	const unread = unreadSection("powers-unread", one.unread);
	const known = one.powers.filter(({ unknown }) => !isUndocumented(unknown));
	const inPart = rowsOf({ ...one, powers: known }).flatMap(({ said, rows = [] }) =>
		rows.filter(({ badge }) => badge === badges.unknown).map((row) => ({ said: [...said, ": ", ...row.said] })),
	);
	return { ...unread, noun: ["powers unknown", "powers unknown"], rows: [...unread.rows, ...inPart] };
}

function rowsOf(organization: OrganizationPowers): readonly Row[] {
	// Everything that a row shows.
	const keyOf = ({ group: _, policyIds: __, assumptions: ___, ...power }: GroupPower): string =>
		JSON.stringify(power, withoutExamples);
	return groupBy(organization.powers, keyOf).map((powers) => {
		const groups = powers.map(({ group }) => group);
		const said = listOf(titlesOf(groups), identifier);
		const described = inWords(groups);
		const aside = described.length === 0 ? {} : { aside: describeGroups(described) };
		return { said, ...aside, rows: linesOf(powers[0], organization) };
	});
}

/** Returns the groups that a row puts into words: kinds and types only where there are few. */
function inWords(groups: readonly ActivityGroup[]): readonly ActivityGroup[] {
	const pairs = groups.filter((group) => "resource" in group);
	return groups.length - pairs.length > maxTitles ? pairs : groups;
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
			!namedPowers[name].every((one) => "resource" in one && whole.has(one.resource)),
	);
	const named = new Set(names.flatMap((name) => namedPowers[name].map(printGroup)));
	const isOfWhole = (group: ActivityGroup): boolean => "resource" in group && whole.has(group.resource);
	const others = groups.filter((group) => !isOfWhole(group) && !named.has(printGroup(group)));
	const titles = others.length > maxTitles ? partlyNamed(others) : printGroups(others);
	return [...names, ...titles, ...printGroups(groups.filter(isOfWhole))];
}

/** More groups of a row than this are named by the powers that they are a part of. */
const maxTitles = 4;

/** Returns what names a row of so many groups: `moveFunds in part`; the others by themselves. */
function partlyNamed(groups: readonly ActivityGroup[]): readonly string[] {
	const powers = new Set(groups.flatMap((group) => nameOfGroup(group) ?? []));
	const rest = groups.filter((group) => nameOfGroup(group) === null);
	return [...[...powers].map((name) => `${name} in part`), ...printGroups(rest)];
}

function linesOf(power: GroupPower, names: OrganizationPowers): readonly Row[] {
	const unknown = unknownOf(power, names);
	// Members of a root quorum of one can do everything: the first line of the table says so.
	const alone = power.alone.filter((userId) => !power.rootQuorumOnly.includes(userId));
	const together = power.thresholds.filter((all) => isTogether(all));
	const lines: Row[] = [
		...(alone.length === 0 ? [] : [{ badge: badges.alone, said: listPeople(alone, names) }]),
		...(together.length === 0 ? [] : [{ badge: badges.together, said: describeThresholds(together, names) }]),
		...(power.denied.length === 0 ? [] : [{ badge: badges.denied, said: listPeople(power.denied, names) }]),
		...describeConditional(power.conditional, names),
		...(unknown === null ? [] : [{ badge: badges.unknown, said: sayReason(unknown, names) }]),
	];
	if (alone.length + together.length + power.conditional.length > 0 || unknown !== null) return lines;
	const hasRootQuorum = power.thresholds.length > 0 || names.rootQuorum === null;
	return [hasRootQuorum ? { said: ["only the root quorum"] } : { badge: badges.noOne, said: [] }, ...lines];
}

const badges = {
	alone: { word: "alone", look: "attention" },
	together: { word: "together", look: "good" },
	denied: { word: "denied", look: "bad" },
	unknown: { word: "unknown", look: "attention" },
	noOne: { word: "no one", look: "bad" },
} as const satisfies Readonly<Record<string, NonNullable<Row["badge"]>>>;

/** Returns why not everything is known. That the root quorum could not be read is above the rows, once. */
function unknownOf({ unknown }: GroupPower, { rootQuorum, unread }: OrganizationPowers): Reason | null {
	const isRootQuorum =
		rootQuorum === null &&
		unread.some(({ what, because }) => what === unreadRoot && unknown?.kind === "not-read" && because === unknown.why);
	return isRootQuorum ? null : unknown;
}

/** The root quorum among what could not be read. */
const unreadRoot = "root quorum";

/** Returns that the root quorum can do everything, and who it is where that is known. */
function describeRootQuorum(organization: OrganizationPowers): Phrase {
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

/** Returns how many powers something beside the root quorum is unknown of. */
function countUnknown(organization: OrganizationPowers): number {
	return organization.powers.filter((power) => {
		const unknown = unknownOf(power, organization);
		return unknown !== null && !isUndocumented(unknown);
	}).length;
}

/** Returns the counts of all organizations in one sentence, or the answers to `--why`, and whether something is unknown. */
export function summarizePowers(organizations: readonly OrganizationPowers[]): Summary {
	const answers = new Set(organizations.flatMap(({ why = [] }) => why.map(({ verdict }) => answerWords[verdict])));
	const isUnknown =
		answers.size > 0
			? answers.has(answerWords.unknown)
			: organizations.some((one) => one.unread.length > 0 || countUnknown(one) > 0);
	const verdict = answers.size > 0 ? verdictOf(`Answer: ${[...answers].join("; ")}`) : describeCounts(organizations);
	return { verdict, tone: isUnknown ? "attention" : "good" };
}

/** Counts users who can do something sensitive alone, by policies or as a root quorum of one, and what is unknown. */
function describeCounts(organizations: readonly OrganizationPowers[]): Verdict {
	const sum = (numberOf: (one: OrganizationPowers) => number): number =>
		organizations.reduce((total, one) => total + numberOf(one), 0);
	const conditional = sum(({ powers }) => findSensitiveAlone(powers).conditional.size);
	const alone = conditional + sum(({ powers }) => findSensitiveAlone(powers).always.size);
	const unknown = sum(countUnknown);
	const noRoot = organizations.filter(({ rootQuorum }) => rootQuorum === null).length;
	if (sum(({ powers }) => powers.length) === 0) return verdictOf("Powers: none to show");
	const can =
		alone === 0
			? "no user can do something sensitive alone"
			: `${count(alone, "user", "users")} can do something sensitive alone${limitedTo(conditional, alone)}`;
	const where = organizations.length === 1 ? "" : ` in ${count(organizations.length, "organization", "organizations")}`;
	const open = [
		...counted(unknown, "power is unknown in part", "powers are unknown in part"),
		...(noRoot === 0 ? [] : [organizations.length === 1 ? noRootQuorum : `${noRootQuorum} in ${noRoot}`]),
	];
	return { headline: [`Powers${where}: ${can}`], clauses: open.map((text) => [text]) };
}

const noRootQuorum = "the root quorum is unknown";

function limitedTo(conditional: number, alone: number): string {
	if (conditional === 0) return "";
	return conditional === alone ? ", only under a condition" : `, ${conditional} of them only under a condition`;
}
