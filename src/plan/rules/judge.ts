/** Judges the rules of a document before the steps of a plan and after them. */
import type { AccessState } from "../../policy/access.ts";
import type { Reason } from "../../policy/powers/reason.ts";
import type { RuleAddress } from "../address.ts";
import type { Unread } from "../change.ts";
import { accessAfter } from "../impact/access-after.ts";
import type { Consequences } from "../impact/consequences.ts";
import type { DesiredRule, LiveOrganization } from "../organization.ts";
import type { Step } from "../step.ts";
import type { UserNames } from "../users.ts";
import { compareText } from "../value.ts";
import { judgeMinApprovers, judgeNewAccess, judgeOnlyBy, powersOf, type RulePowers } from "./powers.ts";
import { addressOfRule, type Breach, isWorse, keptFacts, needsPowers, type RuleFacts, tagNamesOf } from "./rules.ts";
import { findTag, judgeExclusive, judgeMembers, type NamedTag, type NamedTags, tagsAfter } from "./tags.ts";

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
	readonly effect: RuleEffect;
	/** In live state. */
	readonly before: RuleState;
	/** Once all steps have completed; the same as `before` where nothing is submitted. */
	readonly after: RuleState;
}

/** A rule, and what was found. */
export interface FoundRule {
	readonly rule: DesiredRule;
	readonly before: RuleFacts;
	readonly after: RuleFacts;
}

interface RulesContext {
	readonly live: LiveOrganization;
	/** Steps that were rejected before do not count. */
	readonly steps: readonly Step[];
	/** Left out: it was not read. */
	readonly access?: AccessState | undefined;
	/** Of these steps. */
	readonly consequences: Pick<Consequences, "impact" | "impactVerdict">;
	/** Milliseconds since 1970. */
	readonly atMs: number;
}

/** Returns what each rule finds in live state, and once the steps have completed. */
export function findRules(rules: readonly DesiredRule[], context: RulesContext): readonly FoundRule[] {
	// A thousand plans of one tag each have no rules.
	if (rules.length === 0) return [];
	const { live, access, atMs } = context;
	const steps = context.steps.filter(({ earlierActivity }) => earlierActivity?.relation !== "rejected");
	const names = new Set(rules.flatMap(tagNamesOf));
	const [tagsBefore, tags] = [live.userTags, tagsAfter(live.userTags, steps)];
	// A rule is about one tag: where the plan renames it, the rule goes by the name that it gets.
	const after: NamedTags = new Map([...names].map((name) => [name, findTag(tags, name)]));
	const before: NamedTags = new Map([...after].map(([name, tag]) => [name, beforeOf(name, tag, tagsBefore)]));
	const powers = access === undefined || !needsPowers(rules) ? undefined : powersOf(access, atMs);
	const isIdle = steps.length === 0;
	const powersAfter =
		access === undefined || powers === undefined || isIdle ? powers : powersOf(accessAfter(access, steps), atMs);
	return rules.map((rule) => {
		const found = judge(rule, { tags: before, powers });
		if (rule.rule === "noNewAccess") return { rule, before: found, after: isIdle ? found : newAccessOf(context) };
		return { rule, before: found, after: isIdle ? found : judge(rule, { tags: after, powers: powersAfter }) };
	});
}

/** Returns the tag as it is live; one that has the name now and loses it counts where no other gets it. */
function beforeOf(name: string, after: NamedTag, tags: LiveOrganization["userTags"]): NamedTag {
	const id = after.known ? after.value?.id : undefined;
	const same = tags.known ? tags.value.find((tag) => tag.id === id) : undefined;
	return same === undefined ? findTag(tags, name) : { known: true, value: same };
}

interface Judged {
	readonly tags: NamedTags;
	readonly powers: RulePowers | undefined;
}

function judge(rule: DesiredRule, { tags, powers }: Judged): RuleFacts {
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
	}
}

const notRead: RuleFacts = { breaches: [], unknown: { kind: "access-not-read" } };

function newAccessOf({ consequences: { impact, impactVerdict } }: RulesContext): RuleFacts {
	if (impact === undefined || impactVerdict === undefined) return notRead;
	return judgeNewAccess({ impact, verdict: impactVerdict });
}

/** Returns ids of all users that break a rule. */
export function usersOfRules(found: readonly FoundRule[]): readonly string[] {
	const facts = found.flatMap(({ before, after }) => [before, after]);
	return facts.flatMap(({ breaches }) => breaches.flatMap(({ userIds }) => userIds));
}

/** Returns the rules as a plan has them, with these names of users. */
export function describeRules(found: readonly FoundRule[], names: UserNames): readonly JudgedRule[] {
	return found.map(({ rule, before, after }) => ({
		address: addressOfRule(rule),
		rule: rule.rule,
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
	return rules.flatMap(({ address, before, after }): readonly Unread[] => {
		const unknown = [before, after].find((one) => one.state === "unknown");
		return unknown?.state === "unknown"
			? [{ scope: "rule", address, because: unknown.because, standsIn: "nothing" }]
			: [];
	});
}
