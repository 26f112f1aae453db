/** What `grant` and `revoke` wrote, as text. */
import { showAddress, showText } from "../common/escape.ts";
import { type Phrase, quote, time } from "../say/phrase.ts";
import { namePerson } from "../say/powers.ts";
import { longestReason } from "./expiry-words.ts";
import { renderPlan } from "./plan-text.ts";
import { phraseText } from "./print/text.ts";
import { organizationsOf } from "./result/organizations.ts";
import type { AccessResult } from "./result/result.ts";
import type { Style } from "./style.ts";

/** Returns what became of the entry, the plan, and what to do next. */
export function renderAccess(result: AccessResult, style: Style): string {
	const { access, command, nextCommand } = result;
	const isUnchanged = access.effect === "unchanged";
	const isEnding = command === "grant" && access.until !== undefined;
	const next = [
		...(isUnchanged
			? []
			: [`Nothing was submitted. Next: review ${showText(access.file)}, then ${showText(nextCommand)}`]),
		...(isEnding ? ["The access ends with the first apply at or after its end: keep one on a schedule."] : []),
	];
	return [
		`${isUnchanged ? "Unchanged" : "Wrote"} ${showText(access.file)}:${access.line}: ${phraseText(describe(result))}.\n`,
		...organizationsOf(result).map(({ plan }) => renderPlan(plan, style)),
		...(next.length === 0 ? [] : [`${next.join("\n")}\n`]),
	].join("\n");
}

function describe({ access, command, organizations }: AccessResult): Phrase {
	const { address, effect, userId, until, reason } = access;
	const who = namePerson(userId, organizations[0]?.plan ?? { userNames: {} });
	const tag = showAddress(address);
	if (command === "grant") {
		const end: Phrase = until === undefined ? ["without an end"] : ["until ", time(until)];
		const why: Phrase = reason === undefined ? [] : [", reason ", quote(reason, longestReason)];
		return [who, effect === "unchanged" ? " already" : "", ` has ${tag} `, ...end, ...why];
	}
	if (effect === "unchanged") return [`the document does not give ${tag} to `, who];
	if (effect === "removed") return [who, ` is no longer listed for ${tag}`];
	return ["the access of ", who, ` to ${tag} ended `, time(until ?? "")];
}
