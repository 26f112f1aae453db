/** The worst that a plan does, in one line: what every format begins with, and what the question of apply repeats. */

import { countChanges } from "../../plan/change-counts.ts";
import { findDanger } from "../../plan/impact/danger.ts";
import { showOrganization } from "../../plan/organization-name.ts";
import type { Plan } from "../../plan/plan.ts";
import { count, counted } from "../../say/count.ts";
import { joinPhrases, type Phrase, reason } from "../../say/phrase.ts";
import { type CommandResult, isCompared } from "../result/result.ts";
import { describeImpact } from "./impact-words.ts";

/** Returns what is dangerous in one plan; null where nothing is. */
function describe(plan: Plan): Phrase | null {
	const danger = findDanger(plan);
	if (danger === null) return null;
	const { findings, overLimit, activities } = danger;
	const { lost, removals } = countChanges(plan, () => true);
	const [worst, ...others] = describeImpact({ ...plan, impact: findings });
	const removed = [
		...counted(removals.all, "removal", "removals"),
		...counted(lost.all, "membership lost", "memberships lost"),
	].join(" \u00b7 ");
	const tooMany = overLimit.length === 0 ? "" : ", more than the limits allow";
	const parts: readonly Phrase[] = [
		...(worst === undefined
			? []
			: [[...worst.claim, ...(others.length === 0 ? [] : [` (and ${others.length} more)`])]]),
		...(removed === "" ? [] : [[`${removed}${tooMany}`]]),
		[count(activities, "activity", "activities")],
	];
	return joinPhrases(parts, " \u00b7 ");
}

const maxShown = 5;

/** Returns the lines of several plans, each with its organization; of one plan without. */
export function describeDangers(plans: readonly Plan[]): readonly Phrase[] {
	const found = plans.flatMap((plan) => {
		const said = describe(plan);
		if (said === null) return [];
		return [
			plans.length === 1
				? ["\u26a0 ", ...said]
				: ["\u26a0 organization ", reason(showOrganization(plan)), ": ", ...said],
		];
	});
	const more = found.length - maxShown;
	return more <= 0
		? found
		: [...found.slice(0, maxShown), [`\u26a0 and ${count(more, "organization", "organizations")} more`]];
}

/** Returns what is dangerous in the plans of a result; nothing after an apply, and of drift. */
export function dangersOf(result: CommandResult): readonly Phrase[] {
	if (result.command !== "plan" && result.command !== "show") return [];
	return isCompared(result) ? describeDangers(result.organizations.flatMap(({ plan }) => plan ?? [])) : [];
}
