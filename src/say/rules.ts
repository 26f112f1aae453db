/** What breaks a rule, in sentences that are safe for a terminal. */

import { showNameWithin } from "../common/escape.ts";
import { groupBy } from "../common/group-by.ts";
import { describeTime } from "../plan/access-window.ts";
import type { DesiredRule } from "../plan/organization.ts";
import type { BrokenRule, JudgedRule } from "../plan/rules/judge.ts";
import type { Breach } from "../plan/rules/rules.ts";
import { maxNameLength, type UserNames } from "../plan/users.ts";
import { compareText } from "../plan/value.ts";
import { join, joinPeople } from "./findings.ts";
import { describePower } from "./groups.ts";

type NewAccess = Extract<Breach, { readonly what: "newAccess" }>;

/** Returns what breaks a rule; empty where nothing does. */
export function breachText(state: JudgedRule["before"]): string {
	return state.state === "broken" ? brokenText(state.breach) : "";
}

export function brokenText(broken: BrokenRule | string): string {
	if (typeof broken === "string") return broken;
	if (broken.kind === "stated") return broken.text;
	const { rule, breaches, names } = broken;
	const parts = groupBy(breaches, respectOf).map((alike) => describeAlike(rule, alike, names));
	return [join(parts, "; ", "; "), ...describeDemand(rule)].join("; ");
}

/** Returns what several breaches have in common, so that one part of the sentence says all of them. */
function respectOf(breach: Breach): string {
	const { what } = breach;
	if (what === "credential") return JSON.stringify([what, breach.credential, breach.detail]);
	if (what === "tags") return JSON.stringify([what, breach.tags]);
	if (what === "enough") return JSON.stringify([what, breach.group, breach.condition, breach.userIds.length > 1]);
	return what === "outsider" || what === "newAccess" ? JSON.stringify({ ...breach, userIds: null }) : what;
}

/** Returns what the rule asks for, where the breach does not say it. */
function describeDemand(rule: DesiredRule): readonly string[] {
	if (rule.rule === "minApprovers") return [`the rule asks for at least ${approvers(rule.min)}`];
	if (rule.rule === "onlyBy") return [`the rule asks for a tag of ${rule.tags.map(showTag).join(", ")}`];
	if (rule.rule !== "credentials") return [];
	if (rule.check === "maxKeyAge") return [`the rule asks for keys of at most ${rule.written}`];
	return rule.check === "issuers" ? [`the rule asks for ${rule.issuers.map(showTag).join(", ")}`] : [];
}

function describeAlike(rule: DesiredRule, alike: readonly [Breach, ...Breach[]], names: UserNames): string {
	const [breach] = alike;
	const userIds = [...new Set(alike.flatMap((one) => one.userIds))].sort(compareText);
	const who = joinPeople(userIds, names);
	switch (breach.what) {
		case "tags":
			return `${who} ${userIds.length === 1 ? "has" : "have"} ${join(breach.tags.map(showTag), " and ")}`;
		case "members":
			return describeMembers(rule, breach.count, breach.beyond);
		case "rootQuorum":
			return `${approvers(breach.threshold)} of the root quorum (${who}) ${breach.threshold === 1 ? "is" : "are"} enough for every activity`;
		case "enough": {
			const power = describePower(breach.group, breach.condition);
			if (breach.userIds.length > 1) {
				const sets = alike.map((one) => joinPeople(one.userIds, names));
				return `${join(sets, ", or ", ", or ")} are enough to ${power}`;
			}
			return userIds.length === 1 ? `${who} alone is enough to ${power}` : `${who} are each enough alone to ${power}`;
		}
		case "credential":
			return describeCredential(rule, breach, who, userIds.length > 1);
		case "outsider":
			return `${who} can approve ${describePower(breach.group, breach.condition, "doing")}`;
		case "newAccess":
			return describeNewAccess(breach, who);
	}
}

function describeMembers(rule: DesiredRule, count: number, beyond: number): string {
	if (rule.rule !== "members") return "";
	const limit = beyond > 0 ? `at most ${rule.max}` : `at least ${rule.min}`;
	return `${showTag(rule.tag)} has ${count} ${count === 1 ? "member" : "members"}, where the rule asks for ${limit}`;
}

type CredentialBreach = Extract<Breach, { readonly what: "credential" }>;

function describeCredential(rule: DesiredRule, breach: CredentialBreach, who: string, areSeveral: boolean): string {
	if (rule.rule !== "credentials") return "";
	const { credential, detail } = breach;
	const name = `\`${showNameWithin(credential ?? "", maxNameLength)}\` of ${who}`;
	const since = detail === null ? "" : ` (since ${describeTime(detail)})`;
	switch (rule.check) {
		case "maxKeyAge":
			return `the API key ${name} is too old${since}`;
		case "keysExpire":
			return `the API key ${name} never expires${since}`;
		case "issuers":
			return `the OAuth provider ${name} is of the issuer \`${showNameWithin(detail ?? "", maxNameLength)}\``;
		case "sensitiveNeedsAuthenticator":
			return `${who} can do something sensitive alone, without an authenticator`;
		case "notKeysOnly":
			return `${who} ${areSeveral ? "have" : "has"} API keys only`;
	}
}

function describeNewAccess({ group, condition, change }: NewAccess, who: string): string {
	if (group === null) return "the plan is more permissive";
	if (change === "gains") return `${who} could newly approve ${describePower(group, condition, "doing")}`;
	const power = describePower(group, condition);
	return change === "alone" ? `${who} could ${power} alone` : `fewer approvers would be enough to ${power}`;
}

function approvers(count: number): string {
	return count === 1 ? "1 approver" : `${count} approvers`;
}

function showTag(name: string): string {
	return `\`${showNameWithin(name, maxNameLength)}\``;
}
