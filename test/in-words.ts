/** Data in words, as the command line prints it. */
import { textOf } from "../src/common/said.ts";
import type { Guard } from "../src/plan/guards/guards.ts";
import { makePlan as makePlanAsData, type Plan } from "../src/plan/plan.ts";
import type { StepResult } from "../src/plan/report.ts";
import type { JudgedRule } from "../src/plan/rules/judge.ts";
import type { NotRead } from "../src/policy/access.ts";
import { guardText, limitText } from "../src/say/guards.ts";
import { reasonText } from "../src/say/reason.ts";
import { breachText } from "../src/say/rules.ts";

export function inWords<Result extends Pick<StepResult, "message">>(
	results: readonly Result[],
): readonly (Omit<Result, "message"> & { readonly message: string | null })[] {
	return results.map((one) => ({ ...one, message: one.message === null ? null : textOf(one.message) }));
}

export type WordedGuard = Guard & { readonly message: string; readonly limit: string };

export interface WordedPlan extends Plan {
	readonly guards: readonly WordedGuard[];
}

/** Returns the guard with what it found, and what is allowed, in words; its data are there, but not compared. */
export function wordGuard({ finding, ...guard }: Guard): WordedGuard {
	const all = { ...guard, finding };
	return hide({ ...guard, message: guardText(all), limit: limitText(all) }, { finding });
}

function hide<T extends object, H extends object>(value: T, hidden: H): T & H {
	for (const [name, own] of Object.entries(hidden))
		Object.defineProperty(value, name, { value: own, enumerable: false });
	return value as T & H;
}

/** Makes a plan whose guards and broken rules have words in place of their data, which are there and not compared. */
export function makePlan(...given: Parameters<typeof makePlanAsData>): WordedPlan {
	const plan = makePlanAsData(...given);
	const wordState = (state: JudgedRule["before"]) => {
		if (state.state !== "broken") return state;
		const { breach, ...others } = state;
		return hide({ ...others, message: breachText(state) }, { breach });
	};
	const rules = plan.rules?.map((rule) => ({ ...rule, before: wordState(rule.before), after: wordState(rule.after) }));
	return { ...plan, guards: plan.guards.map(wordGuard), ...(rules === undefined ? {} : { rules }) };
}

/** Matches a reason whose words are this text, or match this expression. */
export function saying(words: string | RegExp): unknown {
	return {
		asymmetricMatch: (why: NotRead) =>
			typeof words === "string" ? reasonText(why) === words : words.test(reasonText(why)),
	};
}
