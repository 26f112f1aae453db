/** Which saved plan a result is of, what was done with it, and what only its file states. */
import { showText } from "../../common/escape.ts";
import { describeTime } from "../../plan/access-window.ts";
import type { SavedPlanFacts } from "../../plan/plan.ts";
import { identifier, joinPhrases, type Phrase, reason } from "../../say/phrase.ts";
import { type Section, section } from "../../say/section.ts";
import type { FoundOrganization } from "../result/found.ts";
import { type CommandResult, isCompared } from "../result/result.ts";

function foundIn(result: CommandResult): readonly FoundOrganization[] {
	return isCompared(result) ? result.organizations : [];
}

/** `ran` is whether `apply` ran it, for a result without its reports. */
export function savedPlanSection(result: CommandResult, ran?: boolean): Section {
	const { savedPlan } = result;
	return section("saved-plan", [], savedPlan === undefined ? {} : { lead: saySavedPlan(savedPlan, result, ran) });
}

function saySavedPlan(
	savedPlan: SavedPlanFacts,
	result: CommandResult,
	ran = foundIn(result).some(({ report }) => report !== undefined),
): Phrase {
	const { readAt, statedByFile } = savedPlan;
	const digest = identifier(savedPlan.digest);
	if (result.command !== "apply") {
		if (statedByFile !== undefined) return sayStated(savedPlan, result);
		const made = joinPhrases(sayOrigin(savedPlan), ", ");
		return ["Saved plan ", digest, readAt === null ? "" : ` of ${readAt}`, ", ", ...made, "."];
	}
	const read = statedByFile === undefined ? ` of ${readAt}` : ` (read at ${readAt}, as stated by the file)`;
	const which: Phrase = ["saved plan ", digest, readAt === null ? "" : read];
	return ran ? ["Ran the ", ...which, "."] : ["The ", ...which, " was not run."];
}

/** Returns who made it, and until when it is valid. */
function sayOrigin({ generatedBy, validUntil }: SavedPlanFacts): readonly Phrase[] {
	return [
		["made by ", reason(showMaker(generatedBy))],
		...(validUntil === undefined ? [] : [[`valid until ${describeTime(validUntil)}`]]),
	];
}

/** Returns which saved plan it is, and which of its parts only its file states. */
function sayStated(savedPlan: SavedPlanFacts, result: CommandResult): Phrase {
	const { digest, readAt } = savedPlan;
	const found = foundIn(result);
	const plans = found.flatMap(({ plan }) => plan ?? []);
	const hasBase = (result.dropped ?? []).length > 0 || found.some(({ threeWay }) => threeWay !== undefined);
	const stated: readonly Phrase[] = [
		...(readAt === null ? [] : [[`read at ${readAt}`]]),
		...sayOrigin(savedPlan),
		["live values, names, problems, guards, overrides, pending activities, unread and unmanaged objects"],
		...(plans.some(({ serviceTime }) => serviceTime !== undefined) ? [["access with an end"]] : []),
		...(plans.some(({ impact }) => impact !== undefined) ? [["impact and approvals"]] : []),
		...(hasBase ? [["the comparison with the base"]] : []),
	];
	return [
		"Saved plan ",
		identifier(digest),
		". As stated by the file, not verified: ",
		...joinPhrases(stated, ", "),
		".",
	];
}

/** Name and version as they are; anything else in quotes, for a file could say more than that. */
function showMaker(generatedBy: string): string {
	return /^orgsync [\w.+-]+$/.test(generatedBy) ? generatedBy : showText(JSON.stringify(generatedBy));
}
