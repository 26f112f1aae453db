/** What `lint` found in one organization, the most serious first. */
import type { OrganizationLint, PlacedFinding } from "../../plan/lint.ts";
import { type LintSeverity, lintSeverities } from "../../policy/lint/lint.ts";
import { count } from "../../say/count.ts";
import { sayLintFinding } from "../../say/lint.ts";
import { type Phrase, reason } from "../../say/phrase.ts";
import { reasonText } from "../../say/reason.ts";
import { type Look, notesOf, type Row, type Section, section } from "../../say/section.ts";

const looks: Readonly<Record<LintSeverity, Look>> = { error: "bad", warning: "attention", note: "plain" };

const titles: Readonly<Record<LintSeverity, string>> = { error: "Errors", warning: "Warnings", note: "Notes" };

export function lintSections({ findings, ignored, unread, isLive }: OrganizationLint): readonly Section[] {
	const bySeverity = lintSeverities.map((severity) =>
		section(`lint-${severity}`, titles[severity], [severity, `${severity}s`], {
			look: looks[severity],
			rows: findings.filter((one) => one.severity === severity).map(rowOf),
			form: "differences",
		}),
	);
	const others = ignored.length === 0 ? "" : `; ${count(ignored.length, "finding is", "findings are")} ignored`;
	const scope = isLive ? "" : " (the documents alone: with --live also what is live)";
	const counts = lintSeverities.flatMap((severity) => {
		const found = findings.filter((one) => one.severity === severity).length;
		return found === 0 ? [] : [count(found, severity, `${severity}s`)];
	});
	const sum = counts.length === 0 ? "No findings" : counts.join(", ");
	return [
		section("lint-unread", "Could not be read", ["unknown", "unknowns"], {
			look: "attention",
			rows: unread.map(({ what, because }) => ({ said: [`${what} unknown: `, reason(reasonText(because))] })),
		}),
		...bySeverity,
		section("lint-count", null, ["count", "counts"], { foot: [[`${sum}${others}${scope}.`]] }),
	];
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
