/**
 * Words for powers (docs/powers.md): what a group of activities lets people do, and who can do it, written short.
 */

import { showNameWithin } from "../common/escape.ts";
import { groupBy } from "../common/group-by.ts";
import { own } from "../common/own.ts";
import { userParts } from "../plan/user-labels.ts";
import { maxNameLength, type UserNames } from "../plan/users.ts";
import { type ActivityGroup, nameOfGroup, printGroup, wholeResources } from "../policy/powers/groups.ts";
import type { Threshold } from "../policy/powers/powers.ts";
import { type GroupWords, groupWords, resourceWords, type VerbForm } from "./groups.ts";
import { code, identifier, joinPhrases, listOf, listSome, nameSpan, type Phrase, type Span } from "./phrase.ts";

/** The names that phrases about powers are made of; a plan has them. */
export interface PowerNames extends UserNames {
	/** Tag id to live name. */
	readonly tagNames?: Readonly<Record<string, string>>;
	/** Policy id to live name. */
	readonly policyNames?: Readonly<Record<string, string>>;
}

/** Names that a result always has. */
export type WithNames<Name extends keyof PowerNames> = Required<Pick<PowerNames, Name>>;

/** More than so many activities are counted in a sentence. */
const maxPowers = 5;

/** Beside groups that have a name, more than so many others are counted: a policy about a resource is about all its actions. */
const maxUnnamed = 2;

/** Returns what the groups let people do: `export wallets and private keys`, `create, change and remove policies`. */
export function describeGroups(groups: readonly ActivityGroup[], form: VerbForm = "do"): Phrase {
	const whole = wholeResources(groups);
	const single = groups.filter((group) => !("resource" in group) || !whole.has(group.resource));
	const isCrowded = single.filter((group) => !("resource" in group)).length > maxPowers;
	const named = single.filter((group) => ("resource" in group || !isCrowded) && nameOfGroup(group) !== null);
	const others = single.length - named.length;
	const isCounted = named.length + whole.size > 0 && others > maxUnnamed;
	const anything = [...whole].map(resourceWords);
	const powers = joinWords([...anything, ...shortenUsers(isCounted ? named : single)], form);
	const shown = powers.length > maxPowers ? powers.slice(0, maxPowers - 1) : powers;
	const more = powers.length - shown.length;
	const counted = [
		...(more === 0 ? [] : [[`${form} ${more} other things`]]),
		...(isCounted ? [[`${form} ${others} other kinds of activities`]] : []),
	];
	const all = [...shown, ...counted];
	return joinPhrases(all, ", ", all.length === 2 && !isCounted ? " and " : ", and ");
}

/** Returns the words of these groups. The tags of users go without saying where more of users can be changed. */
function shortenUsers(groups: readonly ActivityGroup[]): readonly GroupWords[] {
	const ofUsers = groups.filter((group) => "resource" in group && group.resource === "USER").length;
	return groups.map((group) => {
		const words = groupWords(group);
		return ofUsers > 1 && printGroup(group) === "USER/UPDATE" ? { ...words, object: ["users"] } : words;
	});
}

/** Returns the words with verbs of the same object joined, and then objects of the same verbs. */
function joinWords(words: readonly GroupWords[], form: VerbForm): readonly Phrase[] {
	const joined = groupBy(words, ({ object }) => JSON.stringify(object)).map((same) => ({
		verbs: [...new Set(same.map(({ verb }) => verb[form]))],
		object: same[0].object,
	}));
	return groupBy(joined, (one) => one.verbs.join(" ")).map((same): Phrase => {
		const verbs = same[0].verbs.map((verb): Phrase => [verb]);
		const objects = same.map(({ object }) => object);
		const shown = objects.length > maxPowers ? objects.slice(0, maxPowers - 1) : objects;
		const more = objects.length - shown.length;
		const counted = more === 0 ? [] : [[`${more} more`]];
		return [...joinPhrases(verbs, ", ", " and "), " ", ...joinPhrases([...shown, ...counted], ", ", " and ")];
	});
}

/** Returns the user by alias, and what distinguishes the user from others; by id where there is no name. */
export function namePerson(userId: string, names: UserNames): Span {
	const { name, notes } = userParts(userId, names);
	if (notes.length === 0 && name === userId) return identifier(userId);
	return nameSpan(name, notes);
}

/** Returns the tag by its live name; by its id where no read shows the name. */
export function nameTag(tagId: string, { tagNames = {} }: PowerNames): Phrase {
	const name = own(tagNames, tagId);
	const part = nameSpan(showNameWithin(name ?? tagId, maxNameLength));
	return name === undefined ? ["tag ", part] : [part];
}

/** More people than this are counted; then one fewer is named. */
const maxPeople = 5;

/** Returns people by name, `joint` between the last two. */
export function listPeople(userIds: readonly string[], names: UserNames, joint: "and" | "," = "and"): Phrase {
	return listSome(userIds, (userId) => namePerson(userId, names), maxPeople, joint === "," ? ", " : " and ");
}

const maxAlternatives = 3;

/**
 * Returns who can do it: `2 of signers (alice, bob, carol)`, `alice and 1 of treasury (dave, erin)`. The root quorum can do
 * everything, so beside others it is left out, or comes last.
 */
export function describeThresholds(
	alternatives: readonly (readonly Threshold[])[],
	names: PowerNames,
	rootQuorum: "last" | "omit" = "omit",
): Phrase {
	const isRoot = (one: readonly Threshold[]): boolean => one.some(({ isRootQuorum }) => isRootQuorum);
	const others = alternatives.filter((one) => !isRoot(one));
	const listed = others.length === 0 ? alternatives : others;
	const beside = rootQuorum === "omit" || others.length === 0 ? [] : alternatives.filter(isRoot);
	const isSimple = listed.length === 1 && listed[0]?.length === 1 && beside.length === 0;
	const describe = (all: readonly Threshold[]): Phrase =>
		listOf(all, (one) => describeThreshold(one, names, isSimple), " and ");
	const shown = listed.slice(0, listed.length > maxAlternatives ? maxAlternatives - 1 : maxAlternatives);
	const more = listed.length - shown.length;
	return joinPhrases(
		[...shown.map(describe), ...(more === 0 ? [] : [[`${more} other ways`]]), ...beside.map(describe)],
		", or ",
	);
}

/** `isSimple`: nothing else is beside it, so a list of names needs no brackets. */
function describeThreshold(
	{ atLeast, of, tagId, isRootQuorum }: Threshold,
	names: PowerNames,
	isSimple: boolean,
): Phrase {
	const people: Phrase = of.length === 0 ? ["no members"] : listPeople(of, names, ",");
	if (isRootQuorum && atLeast >= of.length) return ["the root quorum (", ...listPeople(of, names), ")"];
	if (isRootQuorum) return [`the root quorum (${atLeast} of `, ...people, ")"];
	if (tagId !== null) return [`${atLeast} of `, ...nameTag(tagId, names), " (", ...people, ")"];
	if (atLeast >= of.length) return listPeople(of, names);
	return isSimple ? [`${atLeast} of `, ...people] : [`${atLeast} of (`, ...people, ")"];
}

const maxPolicies = 3;

/** Returns the policies by name, by id where the name is not known; empty without one. */
export function describePolicies(policyIds: readonly string[], { policyNames = {} }: PowerNames): Phrase {
	if (policyIds.length === 0) return [];
	const listed = listSome(policyIds, (id) => code(own(policyNames, id) || id), maxPolicies, " and ");
	return [policyIds.length === 1 ? "policy " : "policies ", ...listed];
}
