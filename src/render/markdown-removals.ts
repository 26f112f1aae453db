/** Removals in Markdown, in lines too short to be cut, so that a reader sees every one. */

import { showAddressWithin } from "../common/escape.ts";
import type { TagChange } from "../plan/change.ts";
import { countChanges } from "../plan/change-counts.ts";
import type { Plan } from "../plan/plan.ts";
import { showUser } from "../plan/user-labels.ts";
import { compareText } from "../plan/value.ts";
import { noteReverted } from "./base/text.ts";
import { wordsOfChanges } from "./change-words.ts";
import { noteWindow } from "./expiry-words.ts";
import { type Block, fenced, longestText } from "./markdown-text.ts";
import type { OrganizationResult } from "./result/organizations.ts";
import { type NoteOf, plainStyle, renderChange } from "./text.ts";

/** Longest beginning of an address in such a line, in characters: a user needs up to 180 of the line. */
const longestAddress = 60;

/** Returns the removed objects and, in a block of their own, the members that lose a tag; after an apply with their results. */
export function removalBlocks(one: OrganizationResult): readonly Block[] {
	const { plan, threeWay, drift, results } = one;
	if (drift !== null) return [];
	const note = noteReverted(threeWay, plainStyle);
	const wordOf = wordsOfChanges(one);
	const became = (address: string): string => {
		const said = wordOf(address);
		return said === null ? "" : `  [${said.word}]`;
	};
	const objects = plan.changes
		.filter(({ action }) => action === "remove")
		.map((change) => `${renderChange(change, plan, plainStyle, note)[0]}${became(change.address)}`);
	const members = plan.changes
		.filter((change) => change.kind === "userTag")
		.flatMap((change) => memberLines(change, plan, note, became(change.address)));
	const { lost } = countChanges(plan, () => true);
	const ended = results === null ? "" : " and their results";
	return [
		fenced(2, ["line of removals", "lines of removals"], `Removals${ended} (${objects.length})`, objects, "diff"),
		fenced(
			2,
			["line of memberships", "lines of memberships"],
			`Memberships lost${ended} (${lost.all})`,
			members,
			"diff",
		),
	];
}

function memberLines(change: TagChange, plan: Plan, note: NoteOf, became: string): readonly string[] {
	const start = `- ${showAddressWithin(change.address, longestAddress)}  loses`;
	const byNote = Map.groupBy(
		change.removeUserIds,
		(userId) => `${noteWindow(plan, change.address, userId, true)}${note(change, "remove-member", userId)}`,
	);
	return [...byNote].flatMap(([said, userIds]) => {
		const names = userIds.map((userId) => showUser(userId, plan)).sort(compareText);
		return groupNames(names).map((group) => `${start} ${group}${said}${became}`);
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
