/** Access that ends or begins soon, and that no change of the plan shows (docs/access.md). */
import { showAddress } from "../../common/escape.ts";
import type { Expiry } from "../../plan/access-window.ts";
import type { Plan } from "../../plan/plan.ts";
import { identifier } from "../../say/phrase.ts";
import { namePerson } from "../../say/powers.ts";
import { type Row, type Section, section } from "../../say/section.ts";
import { describeWindow, nowOf } from "./windows.ts";

export function expiriesSection(plan: Plan): Section {
	const hidden = (plan.expiries ?? []).filter((expiry) => !isShown(expiry, plan));
	return section("access-with-an-end", "Access with an end", ["access with an end", "accesses with an end"], {
		rows: hidden.map((expiry) => rowOf(expiry, plan)),
		shorten: "early",
	});
}

/** Whether the plan adds or removes the user, so that the change itself says until when and why. */
function isShown({ address, userId }: Expiry, { changes }: Plan): boolean {
	const change = changes.find((one) => one.address === address);
	if (change?.kind !== "userTag") return false;
	return change.addUserIds.includes(userId) || change.removeUserIds.includes(userId);
}

function rowOf(expiry: Expiry, plan: Plan): Row {
	const { address, userId, state } = expiry;
	return {
		badge: { word: state === "not-begun" ? "begins" : "ends", look: "attention" },
		said: [
			identifier(showAddress(address)),
			"  ",
			namePerson(userId, plan),
			": ",
			...describeWindow(expiry, nowOf(plan)),
		],
		about: [address],
	};
}
