/** Guards of rules: a plan must not break a rule of the document, nor break a broken one further (docs/guards.md). */
import { showAddress } from "../escape.ts";
import type { Change } from "./change.ts";
import type { Guard, GuardKind } from "./guards.ts";
import type { FoundRule, JudgedRule } from "./rules-judge.ts";
import { compareText } from "./value.ts";

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
	const isNewAccess = ({ judged: { rule } }: BrokenRule): boolean => rule === "noNewAccess";
	const access = broken.filter(isNewAccess);
	const others = broken.filter((one) => !isNewAccess(one));
	const findings = access.reduce((sum, { found: { after } }) => sum + after.breaches.length, 0);
	return [
		...makeGuard("rules", "no rule of the document broken", others.length, others, changes),
		...makeGuard("newAccess", "no new access", findings, access, changes),
	];
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
