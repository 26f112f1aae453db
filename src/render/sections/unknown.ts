/** What could not be read, and why; and what is not managed. */

import { listFirst, showAddress, showName, showText } from "../../common/escape.ts";
import { groupBy } from "../../common/group-by.ts";
import { labelOf, parseAddress, printScope } from "../../plan/address.ts";
import type { Unread } from "../../plan/change.ts";
import type { Plan } from "../../plan/plan.ts";
import type { NotRead } from "../../policy/access.ts";
import type { Reason } from "../../policy/powers/reason.ts";
import { identifier, joinPhrases, type Phrase, reason } from "../../say/phrase.ts";
import { reasonText } from "../../say/reason.ts";
import { listed, type Section, section } from "../../say/section.ts";
import type { MissingObject } from "../result/organization-powers.ts";

export function unknownSection(plan: Pick<Plan, "unread" | "policyNames">): Section {
	return listed("unknown", describeUnread(plan), (line) => [reason(line)]);
}

/** Returns the same of what has no address. `id` is that of the section. */
export function unreadSection(id: string, unread: readonly MissingObject<NotRead | Reason>[]): Section {
	return listed("unread", sayUnread(unread), (said) => said, { id });
}

/** Returns what could not be read and why, one phrase a reason. */
export function sayUnread(unread: readonly MissingObject<NotRead | Reason>[]): readonly Phrase[] {
	return groupBy(unread, ({ because }) => reasonText(because)).map((same): Phrase => {
		const parts = same.map(({ what }) => [what]);
		return [...joinPhrases(parts, ", ", " and "), " unknown: ", reason(reasonText(same[0].because))];
	});
}

/** Returns what could not be read and why, one line a reason; at most five addresses in each. */
export function describeUnread(plan: Pick<Plan, "unread" | "policyNames">): readonly string[] {
	const byReason = groupBy(plan.unread, ({ because, standsIn }) => `${reasonText(because, plan)}\u0000${standsIn}`);
	return byReason.map((group) => {
		const [first] = group;
		const shown = group.map((one) => `${isOfTag(one) ? "members of " : ""}${showAddress(printScope(one))}`);
		const instead = first.standsIn === "last-applied" ? "; using the last-applied state" : "";
		return `${listFirst(shown, 5)}: ${showText(reasonText(first.because, plan))}${instead}`;
	});
}

/** Of a tag that was found, only the members can be unknown. */
function isOfTag(one: Unread): boolean {
	return one.scope === "object" && parseAddress(one.address)?.kind === "userTag";
}

/** Returns what the organization has and the document does not mention. */
export function unmanagedSection({ unmanaged }: Pick<Plan, "unmanaged">): Section {
	const rows = unmanaged.map(({ address }) => ({ said: [identifier(showName(labelOf(address)))] }));
	return section("unmanaged", rows);
}
