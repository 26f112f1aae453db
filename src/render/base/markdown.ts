/**
 * The three-way plan in Markdown: first and never folded what apply would revert, then the parts, each with its own title.
 */

import { showAddress, showName } from "../../common/escape.ts";
import type { ThreeWay } from "../../plan/base/three-way.ts";
import { type Block, bullets, codeSpan, fence, foldUnder, paragraph, withMore } from "../markdown-text.ts";
import { markInFront } from "../print/markdown.ts";
import type { OrganizationResult } from "../result/organizations.ts";
import { count, plainStyle } from "../text.ts";
import { aliasHeading, describeMovedAliases } from "./aliases.ts";
import {
	describeDropped,
	describePlanned,
	describeReverted,
	type Part,
	partsOf,
	renderEntry,
	threeWayHeadings,
} from "./text.ts";

/** Parts of more lines than this are folded. */
const maxLinesOpen = 30;

/** Returns what apply would revert; only guards and problems, which are few, are kept before it. */
export function revertedBlock(threeWay: ThreeWay): Block {
	const lines = threeWay.reverts.map((one) => {
		const words = describeReverted(one, threeWay).map((part, index) => (index % 2 === 0 ? part : codeSpan(part)));
		return `${codeSpan(showAddress(one.address))}: ${words.join("")}`;
	});
	const noun = ["change that would be reverted", "changes that would be reverted"] as const;
	return bullets(1.5, noun, threeWayHeadings.reverts, lines);
}

/** Returns the aliases that now mean another user; kept before what apply would revert. */
export function aliasBlock(threeWay: ThreeWay): Block {
	const lines = describeMovedAliases(threeWay).map(
		({ alias, now, before }) => `${codeSpan(alias)} is now ${codeSpan(now)}, before ${codeSpan(before)}`,
	);
	return bullets(1.4, ["alias of another user", "aliases of other users"], aliasHeading, lines);
}

/** Returns the name of the base as a sentence, with a space before it; empty without one. */
export function describeBase(threeWay: ThreeWay | null): string {
	return threeWay === null ? "" : ` Base: ${codeSpan(showName(threeWay.base.name))}.`;
}

/** Returns the three parts; the changes of the plan follow the last. */
export function partBlocks({ threeWay, plan }: OrganizationResult): readonly Block[] {
	if (threeWay === null) return [];
	const [changed, drifted] = partsOf(threeWay);
	return [
		partBlock(changed, 5),
		partBlock(drifted, 4),
		paragraph(`**${threeWayHeadings.planned}**\n\n${describePlanned(threeWay, plan)}`, 4),
	];
}

function partBlock({ title, entries, empty, unread }: Part, rank: number): Block {
	const lines = [
		...entries.flatMap((entry) => renderEntry(entry, plainStyle)).map(markInFront),
		...unread.map((line) => `? ${line}`),
	];
	const lead = entries.length === 0 ? `${empty}\n\n` : "";
	if (lines.length === 0) return paragraph(`**${title}**\n\n${empty}`, 4);
	return {
		rank,
		noun: ["line of the three-way plan", "lines of the three-way plan"],
		lines,
		wrap: (kept, more) => {
			const body = `${lead}${fence(withMore(kept, more), "diff")}`;
			if (lines.length <= maxLinesOpen) return `**${title}**\n\n${body}`;
			return foldUnder(`${title}: ${count(entries.length, "object", "objects")}`, body);
		},
	};
}

export function droppedBlock(dropped: readonly ThreeWay[]): Block {
	const lines = dropped.map((one) => codeSpan(describeDropped(one)));
	return bullets(3, ["organization", "organizations"], threeWayHeadings.dropped, lines);
}
