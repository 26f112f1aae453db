/** Removals in Markdown, in lines too short to be cut, so that a reader sees every one. */

import { showAddressWithin } from "../escape.ts";
import { isHeldByRejection } from "../plan/step-groups.ts";
import { showUser } from "../plan/user-labels.ts";
import { compareText } from "../plan/value.ts";
import { noteWindow } from "./expiry-words.ts";
import { longestText } from "./markdown-text.ts";
import { type OrganizationResult, resultsByAddress } from "./organizations.ts";
import { describeOutcome } from "./report-text.ts";
import { plainStyle, renderChange } from "./text.ts";
import { noteReverted } from "./three-way-text.ts";

/** Longest beginning of an address in such a line, in characters: a user needs up to 180 of the line. */
const longestAddress = 60;

/** Returns a line for each removed object or a few members of a tag; after an apply with the result. */
export function removalLines({ plan, threeWay, results, failed, drift }: OrganizationResult): readonly string[] {
	if (drift !== null) return [];
	const byAddress = resultsByAddress(results);
	const note = noteReverted(threeWay, plainStyle);
	const became = (address: string): string => {
		const result = byAddress.get(address);
		if (result === undefined && failed === null) return isHeldByRejection(address, plan) ? "  [on hold: rejected]" : "";
		if (result === undefined) return "  [no result]";
		return `  [${describeOutcome({ ...result, message: null })}]`;
	};
	return plan.changes.flatMap((change) => {
		if (change.action === "remove")
			return [`${renderChange(change, plan, plainStyle, note)[0]}${became(change.address)}`];
		if (change.kind !== "userTag") return [];
		const start = `- ${showAddressWithin(change.address, longestAddress)}  loses`;
		const byNote = Map.groupBy(
			change.removeUserIds,
			(userId) => `${noteWindow(plan, change.address, userId, true)}${note(change, "remove-member", userId)}`,
		);
		return [...byNote].flatMap(([said, userIds]) => {
			const names = userIds.map((userId) => showUser(userId, plan)).sort(compareText);
			return groupNames(names).map((group) => `${start} ${group}${said}${became(change.address)}`);
		});
	});
}

function groupNames(names: readonly string[]): readonly string[] {
	const lines: string[] = [];
	for (const name of names) {
		const last = lines.at(-1);
		if (last !== undefined && last.length + name.length < longestText / 5) lines[lines.length - 1] = `${last}, ${name}`;
		else lines.push(name);
	}
	return lines;
}
