/**
 * The three-way plan in Markdown: what apply would undo first and never folded, then the parts, each with its own title.
 */

import { showAddress, showName } from "../escape.ts";
import type { Plan } from "../plan/plan.ts";
import { groupSteps } from "../plan/step-groups.ts";
import type { ThreeWay } from "../plan/three-way.ts";
import { type Block, codeSpan, fence } from "./markdown-text.ts";
import { count, plainStyle } from "./text.ts";
import { aliasHeading, describeMovedAliases } from "./three-way-aliases.ts";
import {
	describeDocumentChanges,
	describeDrifted,
	describeDropped,
	describeEmptyPart,
	describeReverted,
	describeUnreadDrift,
	renderEntry,
	revertsDrift,
	threeWayHeadings,
} from "./three-way-text.ts";

/** Parts of more lines than this are folded. */
const mostLinesOpen = 30;

const none: Block = { rank: 0, noun: ["line", "lines"], lines: [], wrap: () => "" };

/** What apply would undo; only guards and problems, which are few, are kept before it. */
export function undoneBlock(threeWay: ThreeWay | null): Block {
	if (threeWay === null) return none;
	const lines = threeWay.reverts.map((one) => {
		const words = describeReverted(one, threeWay).map((part, index) => (index % 2 === 0 ? part : codeSpan(part)));
		return `${codeSpan(showAddress(one.address))}: ${words.join("")}`;
	});
	return bullets(
		1.5,
		["change that would be reverted", "changes that would be reverted"],
		threeWayHeadings.reverts,
		lines,
	);
}

/** The aliases that mean another user; kept as what apply would undo is. */
export function aliasBlock(threeWay: ThreeWay | null): Block {
	const lines = describeMovedAliases(threeWay).map(
		({ alias, now, before }) => `${codeSpan(alias)} is now ${codeSpan(now)}, before ${codeSpan(before)}`,
	);
	return bullets(1.4, ["alias of another user", "aliases of other users"], aliasHeading, lines);
}

/** Where the base is named, behind what is said of the organization; empty without one. */
export function describeBase(threeWay: ThreeWay | null): string {
	return threeWay === null ? "" : ` Base: ${codeSpan(showName(threeWay.base.name))}.`;
}

/** What the change means, or what had drifted before it. */
export function partBlock(part: "documentChanges" | "drifted", threeWay: ThreeWay | null): Block {
	if (threeWay === null) return none;
	const entries = part === "documentChanges" ? describeDocumentChanges(threeWay) : describeDrifted(threeWay);
	const unread = part === "drifted" ? describeUnreadDrift(threeWay) : [];
	const shown = [...entries.flatMap((entry) => renderEntry(entry, plainStyle)), ...unread.map((line) => `! ${line}`)];
	// Marks in front are what a `diff` block colours.
	const lines = shown.map((line) => line.replace(/^ {4}([+-]) /, "$1   "));
	const title = threeWayHeadings[part];
	const nothing = entries.length === 0 ? describeEmptyPart(part, threeWay) : null;
	if (lines.length === 0) return sentence(4, `**${title}**\n\n${nothing}`);
	return {
		rank: part === "documentChanges" ? 5 : 4,
		noun: ["line of the three-way plan", "lines of the three-way plan"],
		lines,
		wrap: (kept, more) => {
			const body = fence(more === 0 ? kept : [...kept, `… and ${more} more`], "diff");
			const said = nothing === null ? body : `${nothing}\n\n${body}`;
			if (lines.length <= mostLinesOpen) return `**${title}**\n\n${said}`;
			return `<details><summary>${title}: ${count(entries.length, "object", "objects")}</summary>\n\n${said}\n\n</details>`;
		},
	};
}

/** The title above what the plan holds. */
export function plannedHead(threeWay: ThreeWay | null, plan: Plan): Block {
	if (threeWay === null) return none;
	return sentence(4, `**${threeWayHeadings.planned}**\n\n${describePlanned(threeWay, plan)}`);
}

/** One sentence on what the plan holds, for a reader who finds the rest below. */
export function describePlanned(threeWay: ThreeWay, plan: Plan): string {
	if (plan.problems.length > 0) return "Nothing: the organization cannot converge.";
	if (plan.changes.length === 0) return describeEmptyPart("planned", threeWay);
	const sent = groupSteps(plan.steps).sent.length;
	const changes = `${count(plan.changes.length, "object differs", "objects differ")}, ${count(sent, "activity", "activities")} to submit.`;
	return threeWay.reverts.length === 0 ? changes : `${changes} Parts that revert drift are marked (${revertsDrift}).`;
}

/** Organizations that only the base speaks of. */
export function droppedBlock(dropped: readonly ThreeWay[]): Block {
	const lines = dropped.map((one) => codeSpan(describeDropped(one)));
	return bullets(3, ["organization", "organizations"], threeWayHeadings.dropped, lines);
}

function sentence(rank: number, text: string): Block {
	return { rank, noun: ["paragraph", "paragraphs"], lines: [text], wrap: ([line = ""]) => line };
}

function bullets(rank: number, noun: Block["noun"], title: string, lines: readonly string[]): Block {
	const list = (kept: readonly string[]): string => kept.map((line) => `- ${line}`).join("\n");
	return {
		rank,
		noun,
		lines,
		wrap: (kept, more) => `**${title}**\n\n${list(more === 0 ? kept : [...kept, `… and ${more} more`])}`,
	};
}
