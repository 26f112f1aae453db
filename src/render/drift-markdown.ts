/**
 * A report of drift as parts of a Markdown page: what moved with since when, by whom and what to do, never folded, and what
 * is gone. The page has them in place of what it says of a plan's changes.
 */

import { showAddress } from "../escape.ts";
import type { Change } from "../plan/change.ts";
import type { Finding } from "../plan/drift.ts";
import type { Plan } from "../plan/plan.ts";
import {
	describeDifference,
	describeFinding,
	describeGone,
	describeKept,
	describeUnattributed,
	driftHeadings,
	seenFindings,
} from "./drift-words.ts";
import type { OrganizationResult } from "./organizations.ts";
import { type NoteOf, plainStyle, renderChange } from "./text.ts";

/** A heading and its lines, each of them text of others that has to be shown as text. */
export interface DriftPart {
	readonly title: string;
	readonly lines: readonly string[];
}

/**
 * What is not as the document says, what an activity makes so, and what is not known to be, as lines of a `diff`: each object
 * with its differences, then what is said of it.
 */
export function objectParts({ drift, plan }: OrganizationResult): readonly DriftPart[] {
	if (drift === null) return [];
	const changes = new Map<string, Change>(plan.changes.map((change) => [change.address, change]));
	const show = (address: string, finding?: Finding): readonly string[] => {
		const change = changes.get(address);
		const what = finding === undefined ? "" : `  ${describeDifference(finding)}`;
		return [
			...(change === undefined ? [`! ${showAddress(address)}${what}`] : changeLines(change, plan)),
			...(finding === undefined ? [] : describeFinding(finding, drift, plan).map((line) => `    ${line}`)),
		];
	};
	const part = (title: string, objects: readonly (readonly string[])[]): DriftPart => {
		const lines = objects.flatMap((one, index) => (index === 0 ? one : ["", ...one]));
		return { title: `${title} (${objects.length})`, lines };
	};
	const waiting = drift.waiting.filter(({ state }) => state !== "not-looked-at");
	const told = new Set<string>([...drift.findings, ...waiting].map(({ address }) => address));
	return [
		part(
			driftHeadings.findings,
			seenFindings(drift).map((one) => show(one.address, one)),
		),
		part(
			driftHeadings.waiting,
			waiting.map((one) => show(one.address, one)),
		),
		part(
			driftHeadings.unknown,
			[...changes.keys()].filter((address) => !told.has(address)).map((address) => show(address)),
		),
	];
}

/** What is gone since the last report, what of it is kept unseen, and why nobody is named. */
export function otherParts({ drift, plan }: OrganizationResult): readonly DriftPart[] {
	if (drift === null) return [];
	const kept = drift.findings.filter(({ state }) => state === "not-looked-at");
	const nobody = describeUnattributed(drift, plan);
	return [
		{ title: driftHeadings.gone, lines: drift.gone.map(describeGone) },
		{ title: driftHeadings.kept, lines: kept.map(describeKept) },
		{ title: driftHeadings.nobody, lines: nobody === null ? [] : [nobody] },
	];
}

/** The lines of a change with the marks of members in front, where a `diff` block colours them. */
export function changeLines(change: Plan["changes"][number], plan: Plan, note?: NoteOf): readonly string[] {
	return renderChange(change, plan, plainStyle, note).map((line) => line.replace(/^ {4}([+-]) /, "$1   "));
}
