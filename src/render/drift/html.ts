/**
 * A report of drift on the page: the objects that drifted, those that a pending activity fixes, and the figures above them.
 */

import type { Change } from "../../plan/change.ts";
import type { Finding, OrganizationDrift } from "../../plan/drift/drift.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Sign } from "../../say/section.ts";
import { sayTodo } from "../../say/todo.ts";
import { formatDuration } from "../duration.ts";
import { changesSection, listSection, markedRow, renderOwner, type Section } from "../html/details.ts";
import { bdi, type Html, html, sentence } from "../html/html.ts";
import { belowHtml, phraseHtml } from "../print/html.ts";
import type { OrganizationResult } from "../result/organizations.ts";
import { changeRow } from "../sections/changes.ts";
import { needsSigns, signsMean } from "../text.ts";
import {
	describeActor,
	describeDifference,
	describeSince,
	describeState,
	describeUnattributed,
	driftHeadings,
	reportedLists,
	seenFindings,
	seenPending,
	unknownObjects,
} from "./words.ts";

/** Returns what drifted, what a pending activity fixes, and the lists of the report; none for other commands. */
export function driftSections({ drift, plan }: OrganizationResult): readonly Section[] {
	if (drift === null) return [];
	const unknown = unknownObjects(drift, plan).map(({ scope, because, change }) =>
		markedRow(
			change === null ? "?" : signs[change.action],
			html`<code>${scope}</code> ${bdi(because)}${change === null ? null : renderDifference(change, plan)}`,
		),
	);
	return [
		findingsSection(driftHeadings.findings, "attention", seenFindings(drift), drift, plan),
		findingsSection(driftHeadings.waiting, "plain", seenPending(drift), drift, plan),
		changesSection(driftHeadings.unknown, "attention", unknown),
		...reportedLists(drift).map(({ title, look, lines }) => listSection(title, look, lines.map(bdi))),
	];
}

function findingsSection(
	title: string,
	look: Section["look"],
	findings: readonly Finding[],
	drift: OrganizationDrift,
	plan: Plan,
): Section {
	const rows = changesSection(
		title,
		look,
		findings.map((finding) => renderFinding(finding, drift, plan)),
	);
	if (rows.body === null) return rows;
	const unattributed = describeUnattributed(drift, plan);
	const body = html`${needsSigns(plan) ? html`<p class="note">${signsMean}</p>` : null}${rows.body}${
		unattributed === null ? null : html`<p class="note">${unattributed}</p>`
	}`;
	return { ...rows, body };
}

function renderFinding(finding: Finding, drift: OrganizationDrift, plan: Plan): Html {
	const state = describeState(finding, drift);
	const since = finding.state === "new" ? null : describeSince(finding, drift);
	const by = describeActor(finding, drift, plan);
	const word =
		state === null ? null : html`<span class="word ${finding.state === "new" ? "bad" : "attention"}">${state}</span> `;
	const change = plan.changes.find(({ address }) => address === finding.address);
	const owner = change !== undefined && "userId" in change ? renderOwner(change.userId, plan) : null;
	const difference = change === undefined ? null : renderDifference(change, plan);
	return markedRow(
		signs[change?.action ?? "report"],
		html`<code>${finding.address}</code>${owner} ${word}${sentence(describeDifference(finding))}${difference}${
			since === null ? null : html`<p>${since}</p>`
		}${by === null ? null : html`<p>${by}</p>`}<p><span class="kind">to do:</span> ${phraseHtml(sayTodo(finding.todo))}</p>`,
	);
}

const signs: Readonly<Record<Change["action"], Sign>> = { update: "~", remove: "-", report: "!" };

/** Returns what apply would do about it. */
function renderDifference(change: Change, plan: Plan): Html | null {
	const name = change.action === "remove" ? (change.before?.name ?? "") : "";
	const row = changeRow(change, plan);
	const marks = change.action === "remove" ? (row.marks ?? []) : [];
	return html`${name === "" ? null : html` <strong>${bdi(name)}</strong>`}${belowHtml({ ...row, notes: [...marks, ...(row.notes ?? [])] })}`;
}

/** A large figure above the page; `look` is its colour. */
export type Figure = readonly [number: string, words: string, look: string];

export function driftFigures(drift: OrganizationDrift): readonly Figure[] {
	const seen = seenFindings(drift);
	const isOld = ({ state }: Finding): boolean => state !== "new";
	const [oldest] = seen
		.filter(isOld)
		.sort((left, right) => Date.parse(left.firstSeenAt) - Date.parse(right.firstSeenAt));
	const compared = drift.comparedWith !== null;
	const broken = seen.filter(({ kind }) => kind === "rule").length;
	const objects = seen.length - broken;
	const figures: readonly (readonly [number | string, string, string, boolean])[] = [
		[objects, objects === 1 ? "object drifted" : "objects drifted", objects === 0 ? "a" : "w", true],
		[broken, broken === 1 ? "rule broken" : "rules broken", "r", broken > 0],
		[seen.filter((one) => !isOld(one)).length, "new", "r", compared],
		[seen.filter(isOld).length, "from before", "w", compared],
		[oldest === undefined ? 0 : formatDuration(oldest.firstSeenAt, oldest.lastSeenAt), "oldest", "w", compared],
		[drift.gone.length, "resolved", "a", drift.gone.length > 0],
		[drift.waiting.length, "pending", "", drift.waiting.length > 0],
		[drift.unread.length, "unknown", "w", drift.unread.length > 0],
	];
	return figures
		.filter(([value, , , shown], index) => shown && (value !== 0 || index === 0))
		.map(([value, name, look]) => [String(value), name, look]);
}
