/** Guards of rules: a plan must not break a rule of the document, nor break a broken one further (docs/guards.md). */
import type { Change } from "../change.ts";
import { changesAccess } from "../guards/access.ts";
import { type Guard, guardOf } from "../guards/guards.ts";
import { compareText } from "../value.ts";
import type { FoundRule, JudgedRule } from "./judge.ts";

/** Returns the guards `rules` and `newAccess` where the plan breaks a rule. `judged` are the rules of `found`. */
export function judgeRules(
	found: readonly FoundRule[],
	judged: readonly JudgedRule[],
	changes: readonly Change[],
): readonly Guard[] {
	const others = judged.flatMap((rule, index) =>
		isBroken(rule) && rule.rule !== "noNewAccess" ? [{ rule, where: addressesFor(found[index], changes) }] : [],
	);
	const where = [...new Set(others.flatMap((one) => one.where))].sort(compareText);
	return [
		...guardOf("rules", others.length, where, { what: "rules", rules: others.map(({ rule }) => rule) }),
		...found.flatMap((one, index) => judgeNewAccess(one, judged[index], changes)),
	];
}

function isBroken({ effect }: JudgedRule): boolean {
	return effect === "breaks" || effect === "worsens";
}

/** Returns the guard of the rule that asks for no new access. What is unknown could give some, so it blocks as one finding. */
function judgeNewAccess(found: FoundRule, rule: JudgedRule | undefined, changes: readonly Change[]): readonly Guard[] {
	const { breaches, unknown } = found.after;
	if (rule?.rule !== "noNewAccess") return [];
	const because = changes.some(changesAccess) ? unknown : null;
	const count = breaches.length + (because === null ? 0 : 1);
	const finding = { what: "new-access", rule: breaches.length === 0 ? null : rule, because } as const;
	return guardOf("newAccess", count, addressesFor(found, changes), finding);
}

/** Returns the changes that can be the reason: those of the rule's tags, or all where the rule is about powers. */
function addressesFor(found: FoundRule | undefined, changes: readonly Change[]): readonly string[] {
	const rule = found?.rule;
	const tags = rule?.rule === "members" ? [rule.tag] : rule?.rule === "exclusive" ? rule.tags : null;
	const made = changes.filter(({ action }) => action !== "report");
	const own = made.filter(
		(change) => change.kind === "userTag" && (tags?.includes(change.after.name) || tags?.includes(change.before.name)),
	);
	return (own.length > 0 ? own : made).map(({ address }) => address);
}
