/** Judges the rules of a document before the steps of a plan and after them. */
import { defined } from "../../common/defined.ts";
import type { AccessState } from "../../policy/access.ts";
import type { UserCredentials } from "../../policy/credentials.ts";
import type { Reason } from "../../policy/powers/reason.ts";
import type { RuleAddress } from "../address.ts";
import type { Unread } from "../change.ts";
import { accessAfter, completing } from "../impact/access-after.ts";
import type { Consequences } from "../impact/consequences.ts";
import type { DesiredOrganization, DesiredRule, Known, LiveOrganization } from "../organization.ts";
import type { Step } from "../step.ts";
import type { UserNames } from "../users.ts";
import { compareText } from "../value.ts";
import { credentialsAfter, judgeCredentials } from "./credentials.ts";
import { judgeMinApprovers, judgeNewAccess, judgeOnlyBy, powersOf, type RulePowers } from "./powers.ts";
import {
	addressOfRule,
	type Breach,
	isWorse,
	keptFacts,
	needsPowers,
	type RuleFacts,
	tagNamesOf,
	valueOfRule,
} from "./rules.ts";
import {
	findTag,
	followTag,
	judgeExclusive,
	judgeMembers,
	type NamedTag,
	type NamedTags,
	tagsAfter,
	withoutMembers,
} from "./tags.ts";

/** Whether a rule holds. Unknown is not kept. */
type RuleState =
	| { readonly state: "kept" }
	| { readonly state: "unknown"; readonly because: Reason }
	| {
			readonly state: "broken";
			/** The users that it is about; sorted. */
			readonly userIds: readonly string[];
			/** What breaks it; src/say/rules.ts has the words. */
			readonly breach: BrokenRule;
	  };

/** What breaks a rule; in words where a file has only these. */
export type BrokenRule =
	| {
			readonly kind: "breaches";
			readonly rule: DesiredRule;
			readonly breaches: readonly Breach[];
			readonly names: UserNames;
	  }
	| { readonly kind: "stated"; readonly text: string };

/** What a plan does to a rule. `worsens`: it was broken already, and is then broken in another way or by more users. */
type RuleEffect = "none" | "repairs" | "breaks" | "worsens";

export interface JudgedRule {
	readonly address: RuleAddress;
	readonly rule: DesiredRule["rule"];
	/** It is a rule of the base document that this document does not have; left out otherwise. */
	readonly isOfBase?: true;
	readonly effect: RuleEffect;
	/** In live state. */
	readonly before: RuleState;
	/** Once all steps have completed; the same as `before` where nothing is submitted. */
	readonly after: RuleState;
}

/** A rule, and what was found. */
export interface FoundRule extends Pick<JudgedRule, "isOfBase"> {
	readonly rule: DesiredRule;
	readonly before: RuleFacts;
	readonly after: RuleFacts;
}

interface RulesContext {
	readonly live: Pick<LiveOrganization, "userTags">;
	/** Steps that were rejected before do not count. */
	readonly steps: readonly Step[];
	/** Left out: it was not read. */
	readonly access?: AccessState | undefined;
	/** Read with `access`. */
	readonly credentials?: Known<readonly UserCredentials[]> | undefined;
	/** Of these steps. */
	readonly consequences: Pick<Consequences, "impact" | "impactVerdict">;
	/** Milliseconds since 1970. */
	readonly atMs: number;
	/** The document that a change is compared with: its rules hold too. */
	readonly base?: Pick<DesiredOrganization, "rules"> | undefined;
}

/** Returns what each rule finds in live state, and once the steps have completed: those of the document, then others of its base. */
export function findRules(own: readonly DesiredRule[], context: RulesContext): readonly FoundRule[] {
	const ofBase = rulesOfBase(own, context.base?.rules ?? []);
	const rules = [...own, ...ofBase];
	// A thousand plans of one tag each have no rules.
	if (rules.length === 0) return [];
	const { live, access, credentials, atMs } = context;
	const steps = completing(context.steps);
	const names = new Set(rules.flatMap(tagNamesOf));
	const [tagsBefore, tags] = [live.userTags, tagsAfter(live.userTags, steps)];
	// A rule is about one tag: where the plan renames it, the rule goes by the name that it gets.
	const after: NamedTags = new Map([...names].map((name) => [name, findTag(tags, name)]));
	const before: NamedTags = new Map([...after].map(([name, tag]) => [name, beforeOf(name, tag, tagsBefore)]));
	const powers = access === undefined || !needsPowers(rules) ? undefined : powersOf(access, atMs);
	const isIdle = steps.length === 0;
	const powersAfter =
		access === undefined || powers === undefined || isIdle ? powers : powersOf(accessAfter(access, steps), atMs);
	const namedNow: NamedTags = new Map([...names].map((name) => [name, findTag(tagsBefore, name)]));
	const followed: NamedTags = new Map([...namedNow].map(([name, tag]) => [name, followTag(name, tag, tags)]));
	return rules.map((rule, index) => {
		// A rule of the base is about the tag that has its name now: a change that renames the tag does not end the rule.
		const isOfBase = index >= own.length;
		const now = (): RuleFacts => judge(rule, { tags: isOfBase ? namedNow : before, powers, credentials });
		// A tag that the plan creates is missing by what the document lists, not by the rule.
		const found = rule.rule === "members" && isCreated(before.get(rule.tag), tagsBefore) ? keptFacts : now();
		const then = (): RuleFacts =>
			rule.rule === "noNewAccess"
				? newAccessOf(context)
				: judge(rule, {
						tags: isOfBase ? followed : after,
						powers: powersAfter,
						credentials: credentials && credentialsAfter(credentials, steps),
					});
		return { rule, ...(isOfBase ? { isOfBase } : {}), before: found, after: isIdle ? found : then() };
	});
}

/** Returns the rules of the base that the document does not have, or has with another value. */
function rulesOfBase(own: readonly DesiredRule[], base: readonly DesiredRule[]): readonly DesiredRule[] {
	const values = new Map(own.map((rule) => [addressOfRule(rule), valueOfRule(rule)]));
	return base.filter((rule) => values.get(addressOfRule(rule)) !== valueOfRule(rule));
}

/** Returns the tag as it is live; one that has the name now and loses it counts where no other gets it. A new one is empty. */
function beforeOf(name: string, after: NamedTag, tags: LiveOrganization["userTags"]): NamedTag {
	const tag = after.known ? after.value : null;
	const same = tags.known ? tags.value.find(({ id }) => id === tag?.id) : undefined;
	if (same !== undefined) return { known: true, value: same };
	const named = findTag(tags, name);
	return named.known && named.value === null && tag !== null ? { known: true, value: withoutMembers(tag) } : named;
}

function isCreated(tag: NamedTag | undefined, tags: LiveOrganization["userTags"]): boolean {
	const id = tag?.known === true ? tag.value?.id : undefined;
	return id !== undefined && tags.known && tags.value.every((one) => one.id !== id);
}

interface Judged {
	readonly tags: NamedTags;
	readonly powers: RulePowers | undefined;
	readonly credentials: RulesContext["credentials"];
}

function judge(rule: DesiredRule, { tags, powers, credentials }: Judged): RuleFacts {
	switch (rule.rule) {
		case "exclusive":
			return judgeExclusive(rule, tags);
		case "members":
			return judgeMembers(rule, tags);
		case "minApprovers":
			return powers === undefined ? notRead : judgeMinApprovers(rule, powers);
		case "onlyBy":
			return powers === undefined ? notRead : judgeOnlyBy(rule, powers, tags);
		case "noNewAccess":
			return keptFacts;
		case "credentials":
			if (powers === undefined || credentials === undefined) return notRead;
			return judgeCredentials(rule, { tags, powers, credentials });
	}
}

const notRead: RuleFacts = { breaches: [], unknown: { kind: "access-not-read" } };

function newAccessOf({ consequences: { impact, impactVerdict } }: RulesContext): RuleFacts {
	if (impact === undefined || impactVerdict === undefined) return notRead;
	return judgeNewAccess({ impact, verdict: impactVerdict });
}

/** Returns the rules as a plan has them, with these names of users. */
export function describeRules(found: readonly FoundRule[], names: UserNames): readonly JudgedRule[] {
	return found.map(({ rule, isOfBase, before, after }) => ({
		address: addressOfRule(rule),
		rule: rule.rule,
		...defined({ isOfBase }),
		effect: effectOf(before, after),
		before: stateOf(rule, before, names),
		after: stateOf(rule, after, names),
	}));
}

function effectOf(before: RuleFacts, after: RuleFacts): RuleEffect {
	const wasBroken = before.breaches.length > 0;
	if (after.breaches.length === 0) return wasBroken && after.unknown === null ? "repairs" : "none";
	if (!wasBroken) return "breaks";
	return isWorse(before, after) ? "worsens" : "none";
}

function stateOf(rule: DesiredRule, { breaches, unknown }: RuleFacts, names: UserNames): RuleState {
	if (breaches.length > 0) {
		const userIds = [...new Set(breaches.flatMap((breach) => breach.userIds))].sort(compareText);
		return { state: "broken", userIds, breach: { kind: "breaches", rule, breaches, names } };
	}
	return unknown === null ? { state: "kept" } : { state: "unknown", because: unknown };
}

/** Returns the rules that live state breaks. */
export function brokenRules({ rules = [] }: { readonly rules?: readonly JudgedRule[] }): readonly JudgedRule[] {
	return rules.filter(({ before }) => before.state === "broken");
}

/** Returns the rules that could not be checked, before the steps or after them. */
export function unreadRules(rules: readonly JudgedRule[]): readonly Unread[] {
	const own = new Set(rules.flatMap(({ isOfBase, address }) => (isOfBase === true ? [] : [address])));
	return rules.flatMap(({ isOfBase, address, before, after }): readonly Unread[] => {
		if (isOfBase === true && own.has(address)) return [];
		const unknown = [before, after].find((one) => one.state === "unknown");
		return unknown?.state === "unknown"
			? [{ scope: "rule", address, because: unknown.because, standsIn: "nothing" }]
			: [];
	});
}
