/** What `lint` found in one organization, the most serious first. */
import type { OrganizationLint, PlacedFinding } from "../../plan/lint.ts";
import { lintSeverities } from "../../policy/lint/lint.ts";
import { counted } from "../../say/count.ts";
import { sayLintFinding, sayNotCompared } from "../../say/lint.ts";
import type { Phrase } from "../../say/phrase.ts";
import { listed, notesOf, type Row, type Section } from "../../say/section.ts";
import type { Summary } from "../../say/verdict.ts";
import { unreadSection } from "./unknown.ts";

/** Whether there is anything to show of the organization. */
export const hasLint = ({ findings, unread, notCompared }: OrganizationLint): boolean =>
	findings.length + unread.length + notCompared.length > 0;

/** `hasLines`: whether a finding has several lines; else it is one row. */
export function lintSections(one: OrganizationLint, hasLines: boolean): readonly Section[] {
	const { findings, unread, notCompared } = one;
	return [
		unreadSection("lint-unread", unread),
		...lintSeverities.map((severity) =>
			listed(
				`lint-${severity}`,
				findings.filter((one) => one.severity === severity),
				rowOf,
				{ form: hasLines ? "differences" : "list" },
			),
		),
		listed("lint-not-compared", notCompared, (some) => sayNotCompared(some)),
	];
}

export function summarizeLint(organizations: readonly OrganizationLint[]): Summary {
	const all = organizations.flatMap(({ findings }) => findings);
	const counts = lintSeverities.flatMap((severity) =>
		counted(all.filter((one) => one.severity === severity).length, severity, `${severity}s`),
	);
	const ignored = organizations.reduce((sum, one) => sum + one.ignored.length, 0);
	const clauses = [
		...counted(ignored, "finding is ignored", "findings are ignored"),
		...(organizations.some(({ isLive }) => isLive) ? [] : ["only documents were judged, --live adds what is live"]),
	];
	const isUnread = organizations.some(({ unread }) => unread.length > 0);
	const has = (one: string): boolean => all.some(({ severity }) => severity === one);
	const tone = has("error") ? "bad" : has("warning") || isUnread ? "attention" : "good";
	const headline = [counts.length === 0 ? "No findings" : counts.join(", ")];
	return { verdict: { headline, clauses: clauses.map((text) => [text]) }, tone };
}

function rowOf(finding: PlacedFinding): Row {
	const { message, witness, fix } = sayLintFinding(finding);
	const { rule, at } = finding;
	const shown: Phrase | null = witness === null ? null : ["for example ", ...witness];
	return {
		at: { ...at, code: rule },
		said: message,
		marks: notesOf("plain", [rule]),
		notes: [...notesOf("plain", shown), ...notesOf("plain", ["fix: ", ...fix])],
	};
}
