/** The windows of members whom a plan adds or removes, on the page. */
import type { TagChange } from "../../plan/change.ts";
import type { Plan } from "../../plan/plan.ts";
import { namePerson } from "../../say/powers.ts";
import { describeMemberWindow, findExpiry } from "../expiry-words.ts";
import { phraseHtml } from "../print/html.ts";
import { foldAbove } from "./details.ts";
import { type Html, html } from "./html.ts";

/** More windows of one tag than this are folded. */
const maxOpen = 8;

/** Returns until when and why, of each member with a window whom the change adds or removes; null where there is none. */
export function renderMemberWindows({ address, addUserIds, removeUserIds }: TagChange, plan: Plan): Html | null {
	const lines = [...addUserIds, ...removeUserIds].flatMap((userId) => {
		const expiry = findExpiry(plan, address, userId);
		if (expiry === undefined) return [];
		return [html`<p class="soft">${phraseHtml([namePerson(userId, plan), ": ", ...describeMemberWindow(expiry)])}</p>`];
	});
	return lines.length === 0
		? null
		: foldAbove(maxOpen, lines.length, ["access with an end", "accesses with an end"], html`${lines}`);
}
