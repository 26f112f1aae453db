/** Rules of an organization's own: what must hold of live state, however it is changed (docs/document.md#rules). */
import { type ActivityGroup, printGroup } from "../../policy/powers/groups.ts";
import type { ImpactChange } from "../../policy/powers/impact.ts";
import { notRead, type Reason } from "../../policy/powers/reason.ts";
import type { RuleAddress } from "../address.ts";
import type { DesiredRule, Known } from "../organization.ts";

/** Returns the address of a rule: the path of its key in `rules`, for example `rule:members.signers`. */
export function addressOfRule(rule: DesiredRule): RuleAddress {
	switch (rule.rule) {
		case "exclusive":
			return `rule:exclusive.${rule.tags.map(printTag).join("+")}`;
		case "members":
			return `rule:members.${rule.tag}`;
		case "minApprovers":
		case "onlyBy":
			return `rule:powers.${rule.power}.${rule.rule}`;
		case "noNewAccess":
			return "rule:noNewAccess";
		case "credentials":
			return `rule:credentials.${rule.check}`;
	}
}

/** Quotes a name where it could be read as two. */
function printTag(name: string): string {
	return /[+"]/.test(name) ? JSON.stringify(name) : name;
}

/** Returns the names of the tags that the rule is about. */
export function tagNamesOf(rule: DesiredRule): readonly string[] {
	if (rule.rule === "members") return [rule.tag];
	if (rule.rule === "credentials") return "except" in rule ? rule.except.userTags : [];
	return rule.rule === "exclusive" || rule.rule === "onlyBy" ? rule.tags : [];
}

/** Whether it has to be read who can do what, with which credentials. */
export function needsPowers(rules: readonly DesiredRule[]): boolean {
	return rules.some(({ rule }) => rule === "minApprovers" || rule === "onlyBy" || rule === "credentials");
}

/** Returns what the rule says at its address, as documents write it. */
export function valueOfRule(rule: DesiredRule): string {
	switch (rule.rule) {
		case "members":
			return (["min", "max"] as const)
				.flatMap((key) => (rule[key] === undefined ? [] : `${key} ${rule[key]}`))
				.join(", ");
		case "minApprovers":
			return String(rule.min);
		case "noNewAccess":
			return "true";
		case "credentials":
			if (rule.check === "maxKeyAge") return rule.written;
			if ("issuers" in rule) return rule.issuers.join(", ");
			return valueOfExcept("except" in rule ? [...rule.except.userIds, ...rule.except.userTags] : []);
		case "exclusive":
		case "onlyBy":
			return rule.tags.join(", ");
	}
}

function valueOfExcept(excepted: readonly string[]): string {
	return excepted.length === 0 ? "true" : `except ${excepted.join(", ")}`;
}

/** Whether a rule is about user tags, so that tags and their members have to be read. */
export function namesTags(rules: readonly DesiredRule[]): boolean {
	return rules.some((rule) => rule.rule === "members" || tagNamesOf(rule).length > 0);
}

export type RuleOf<N extends DesiredRule["rule"]> = Extract<DesiredRule, { readonly rule: N }>;

/** One way in which a rule is broken. Lists are sorted; `condition` is null where it is always so. */
export type Breach =
	/** The user has these tags, and may have one of them. */
	| { readonly what: "tags"; readonly userIds: readonly string[]; readonly tags: readonly string[] }
	/** The tag has so many members; `beyond` is how many too many, or below zero how many too few. */
	| {
			readonly what: "members";
			readonly userIds: readonly string[];
			readonly count: number;
			readonly beyond: number;
	  }
	/** These users are enough for the group, or take part in it without one of the tags. */
	| {
			readonly what: "enough" | "outsider";
			readonly userIds: readonly string[];
			readonly group: ActivityGroup;
			readonly condition: string | null;
	  }
	/** So few of these users are enough for everything. */
	| { readonly what: "rootQuorum"; readonly userIds: readonly string[]; readonly threshold: number }
	/** `credential` is the name of one, or null where it is about all of the user. `detail`: since when, or its issuer. */
	| {
			readonly what: "credential";
			readonly userIds: readonly string[];
			readonly credential: string | null;
			readonly detail: string | null;
	  }
	/** A finding of the impact lets these users do more. */
	| {
			readonly what: "newAccess";
			readonly userIds: readonly string[];
			/** Null: the plan as a whole. */
			readonly group: ActivityGroup | null;
			readonly condition: string | null;
			readonly change: ImpactChange | null;
	  };

/** What a rule finds in one state. It can be broken although not everything is known. */
export interface RuleFacts {
	readonly breaches: readonly Breach[];
	/** Why the rest could not be checked; null where all was. */
	readonly unknown: Reason | null;
}

export const keptFacts: RuleFacts = { breaches: [], unknown: null };

/** Whether the state after breaks the rule in a way in which the state before did not. */
export function isWorse(before: RuleFacts, after: RuleFacts): boolean {
	return withoutKnown(after.breaches, before.breaches).length > 0;
}

/** Returns the breaches that are worse than each of those that are known. */
export function withoutKnown(breaches: readonly Breach[], known: readonly Breach[]): readonly Breach[] {
	// There can be a thousand of each, most of them the same.
	const same = new Set(known.map((breach) => JSON.stringify(breach)));
	return breaches.filter((breach) => !same.has(JSON.stringify(breach)) && !known.some((one) => isAsBad(one, breach)));
}

/** Whether `old` was as bad as `now`, or worse, in the same respect. */
function isAsBad(old: Breach, now: Breach): boolean {
	if (old.what === "tags" && now.what === "tags") {
		return includesAll(old.userIds, now.userIds) && includesAll(old.tags, now.tags);
	}
	if (old.what === "members" && now.what === "members") {
		return Math.sign(old.beyond) === Math.sign(now.beyond) && Math.abs(old.beyond) >= Math.abs(now.beyond);
	}
	if (old.what === "rootQuorum" && now.what === "rootQuorum") return old.threshold <= now.threshold;
	const isPower = (old.what === "enough" || old.what === "outsider") && old.what === now.what;
	return isPower && isSameRespect(old, now) && includesAll(now.userIds, old.userIds);
}

interface OfGroup {
	readonly group: ActivityGroup;
	readonly condition: string | null;
}

function isSameRespect(old: OfGroup, now: OfGroup): boolean {
	return printGroup(old.group) === printGroup(now.group) && (old.condition === null || old.condition === now.condition);
}

function includesAll(all: readonly string[], some: readonly string[]): boolean {
	return some.every((one) => all.includes(one));
}

/** Returns what all of these find, and the first reason why something is unknown. */
export function joinFacts(all: readonly RuleFacts[]): RuleFacts {
	return {
		breaches: all.flatMap(({ breaches }) => breaches),
		unknown: all.find(({ unknown }) => unknown !== null)?.unknown ?? null,
	};
}

/** Returns the facts of a known value; without it, nothing is known. */
export function factsOf<T>(known: Known<T>, judge: (value: T) => RuleFacts): RuleFacts {
	return known.known ? judge(known.value) : { breaches: [], unknown: notRead(known.because) };
}
