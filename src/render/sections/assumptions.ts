/** What is assumed of policies, because no source says it: once for all that rests on it. */
import { type Assumed, joinAssumptions } from "../../policy/powers/reason.ts";
import { joinPhrases } from "../../say/phrase.ts";
import { type ReasonNames, sayReason } from "../../say/reason.ts";
import { listed, type Section } from "../../say/section.ts";

/** `isBrief`: all of it in one row. */
export function assumptionsSection(assumptions: readonly Assumed[], names: ReasonNames, isBrief: boolean): Section {
	const said = joinAssumptions(assumptions).map((one) => sayReason(one, names));
	const rows = isBrief && said.length > 0 ? [joinPhrases(said, "; ")] : said;
	return listed("assumptions", rows, (one) => one);
}
