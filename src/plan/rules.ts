/** Rules of an organization's own: what must hold of live state, whoever changes it (docs/document.md#rules). */
import type { DesiredRule } from "./organization.ts";

export type RuleAddress = `rule:${string}`;

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
	}
}

/** Quotes a name where it could be read as two. */
function printTag(name: string): string {
	return /[+"]/.test(name) ? JSON.stringify(name) : name;
}

/** Whether a rule is about user tags, so that tags and their members have to be read. */
export function namesTags(rules: readonly DesiredRule[]): boolean {
	return rules.some(({ rule }) => rule === "exclusive" || rule === "members" || rule === "onlyBy");
}
