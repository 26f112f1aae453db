/** Guards of rules: a plan must not break a rule of the document, nor break a broken one further (docs/guards.md). */
import { showAddress } from "../../common/escape.ts";
import { reasonText } from "../../say/reason.ts";
import type { Change } from "../change.ts";
import { changesAccess } from "../guards/access.ts";
import type { Guard, GuardKind } from "../guards/guards.ts";
import { compareText } from "../value.ts";
import type { FoundRule, JudgedRule } from "./judge.ts";

/** A rule that the plan breaks, as it was found and in words. */
interface BrokenRule {
	readonly found: FoundRule;
	readonly judged: JudgedRule;
}

/** Returns the guards `rules` and `newAccess` where the plan breaks a rule. `judged` are the rules of `found`, in words. */
export function judgeRules(
	found: readonly FoundRule[],
	judged: readonly JudgedRule[],
	changes: readonly Change[],
): readonly Guard[] {
	const broken = found.flatMap((one, index): readonly BrokenRule[] => {
		const rule = judged[index];
		return rule?.effect === "breaks" || rule?.effect === "worsens" ? [{ found: one, judged: rule }] : [];
	});
	const others = broken.filter(({ judged: { rule } }) => rule !== "noNewAccess");
	return [
		...makeGuard("rules", "no rule of the document broken", others.length, others, changes),
		...found.flatMap((one, index) => judgeNewAccess(one, judged[index], changes)),
	];
}

/** Returns the guard of the rule that asks for no new access. What is unknown could give some, so it blocks as one finding. */
function judgeNewAccess(
	found: FoundRule,
	judged: JudgedRule | undefined,
	changes: readonly Change[],
): readonly Guard[] {
	const { breaches, unknown } = found.after;
	if (judged?.rule !== "noNewAccess") return [];
	const doubt = changes.some(changesAccess) ? unknown : null;
	const count = breaches.length + (doubt === null ? 0 : 1);
	if (count === 0) return [];
	const said = [
		...(breaches.length === 0 ? [] : [describe({ found, judged })]),
		...(doubt === null ? [] : [`whether the plan gives new access is unknown: ${reasonText(doubt)}`]),
	];
	const where = addressesFor({ found, judged }, changes);
	return [{ kind: "newAccess", limit: "no new access", found: count, refuses: true, where, message: said.join("; ") }];
}

function makeGuard(
	kind: GuardKind,
	limit: string,
	found: number,
	broken: readonly BrokenRule[],
	changes: readonly Change[],
): readonly Guard[] {
	if (broken.length === 0) return [];
	const message = broken.map(describe).join("; ");
	const where = [...new Set(broken.flatMap((one) => addressesFor(one, changes)))].sort(compareText);
	return [{ kind, limit, found, refuses: true, where, message }];
}

function describe({ judged: { address, effect, after } }: BrokenRule): string {
	const what = effect === "worsens" ? " further" : "";
	return `would break ${showAddress(address)}${what}: ${after.state === "broken" ? after.message : ""}`;
}

/** Returns the changes that can be the reason: those of the rule's tags, or all where the rule is about powers. */
function addressesFor({ found: { rule } }: BrokenRule, changes: readonly Change[]): readonly string[] {
	const tags = rule.rule === "members" ? [rule.tag] : rule.rule === "exclusive" ? rule.tags : null;
	const made = changes.filter(({ action }) => action !== "report");
	const own = made.filter(
		(change) => change.kind === "userTag" && (tags?.includes(change.after.name) || tags?.includes(change.before.name)),
	);
	return (own.length > 0 ? own : made).map(({ address }) => address);
}
