/**
 * A report of drift in Markdown: each object with its differences, since when, by whom and what to do, never folded. It
 * replaces the changes of a plan.
 */

import { showAddress, showText } from "../../common/escape.ts";
import type { Change } from "../../plan/change.ts";
import type { Finding } from "../../plan/drift/drift.ts";
import type { Plan } from "../../plan/plan.ts";
import { type Block, bullets, codeSpan, fenced } from "../markdown-text.ts";
import { diffLines } from "../print/markdown.ts";
import type { OrganizationResult } from "../result/organizations.ts";
import { changeRow } from "../sections/changes.ts";
import {
	describeDifference,
	describeFinding,
	describeUnattributed,
	driftHeadings,
	reportedLists,
	seenFindings,
	seenPending,
	unknownObjects,
} from "./words.ts";

export function driftBlocks({ drift, plan }: OrganizationResult): readonly Block[] {
	if (drift === null) return [];
	const changes = new Map<string, Change>(plan.changes.map((change) => [change.address, change]));
	const show = (finding: Finding): readonly string[] => {
		const change = changes.get(finding.address);
		return [
			...(change === undefined
				? [`! ${showAddress(finding.address)}  ${describeDifference(finding)}`]
				: changeLines(change, plan)),
			...describeFinding(finding, drift, plan).map((line) => `    ${line}`),
		];
	};
	const [seen, pending] = [seenFindings(drift), seenPending(drift)];
	const unattributed = describeUnattributed(drift, plan);
	const lists = [
		...reportedLists(drift),
		{ title: driftHeadings.unattributed, lines: unattributed === null ? [] : [unattributed] },
	];
	return [
		objectsBlock(2, driftHeadings.findings, seen.map(show)),
		objectsBlock(3, driftHeadings.waiting, pending.map(show)),
		objectsBlock(
			4,
			driftHeadings.unknown,
			unknownObjects(drift, plan).map(({ scope, because, change }) =>
				change === null ? [`? ${showAddress(scope)}  ${showText(because)}`] : changeLines(change, plan),
			),
		),
		...lists.map(({ title, lines }) =>
			bullets(
				3,
				["line on the last report", "lines on the last report"],
				title,
				lines.map((line) => codeSpan(line)),
			),
		),
	];
}

function objectsBlock(rank: number, title: string, objects: readonly (readonly string[])[]): Block {
	const lines = objects.flatMap((one, index) => (index === 0 ? one : ["", ...one]));
	return fenced(rank, ["line of differences", "lines of differences"], `${title} (${objects.length})`, lines, "diff");
}

function changeLines(change: Change, plan: Plan): readonly string[] {
	return diffLines(changeRow(change, plan));
}
