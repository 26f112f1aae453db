/** Access cases and what became of them: those that failed first, each with its reasons. */
import { groupBy } from "../../common/group-by.ts";
import type { CaseFinding, JudgedCase } from "../../plan/access-cases/finding.ts";
import { sayClause, sayFinding } from "../../say/cases.ts";
import { count } from "../../say/count.ts";
import { code, type Phrase, title } from "../../say/phrase.ts";
import { describePolicies } from "../../say/powers.ts";
import { type Row, type Section, section } from "../../say/section.ts";
import { type Verdict, verdictOf } from "../../say/verdict.ts";
import type { OrganizationCases, TestResult } from "../result/cases.ts";
import type { Tone } from "../result/organizations.ts";

const shown = {
	failed: { title: "Failed", look: "bad" },
	unknown: { title: "Could not be judged", look: "attention" },
	passed: { title: "Passed", look: "good" },
} as const;

/** Returns the cases by what became of them; an annotation is about none that passed. */
export function casesSections(
	one: OrganizationCases,
	format: "text" | "markdown" | "html" | "annotations",
): readonly Section[] {
	const verdicts = (["failed", "unknown", "passed"] as const).filter(
		(verdict) => verdict !== "passed" || format !== "annotations",
	);
	const sections = verdicts.map((verdict) => {
		const { title: heading, look } = shown[verdict];
		return section(`cases-${verdict}`, heading, ["case", "cases"], {
			look,
			rows: one.cases.filter((own) => own.verdict === verdict).map((own) => caseRow(own, one)),
			...(verdict === "passed" ? { isFolded: format !== "text", shorten: "first" } : {}),
		});
	});
	return [...sections, uncoveredSection(one)];
}

function uncoveredSection(one: OrganizationCases): Section {
	const { uncovered } = one;
	const isEmpty = uncovered?.length === 0;
	return section("cases-uncovered", "No case would notice without", ["policy or clause", "policies and clauses"], {
		look: "attention",
		rows: (uncovered ?? []).map(({ policyId, clause }) => {
			const policy = describePolicies([policyId], one) ?? [];
			return { said: clause === null ? policy : [`the ${clause} of `, ...policy] };
		}),
		...(isEmpty ? { foot: [["A case notices for each policy and clause."]] } : {}),
	});
}

/** Returns a case with its place and its findings. */
export function caseRow(judged: JudgedCase, one: OrganizationCases): Row {
	const { file, line, column } = judged.at;
	return {
		said: [title(judged.name)],
		...(judged.verdict === "passed" ? {} : { at: { file, line, column, code: `case-${judged.verdict}` } }),
		rows: mergeAlike(judged.findings).map(({ finding, groups, isEach }) => ({
			said: [...(finding.key === "" ? [] : [code(finding.key), ": "]), ...sayFinding(finding, groups, isEach, one)],
			rows: finding.clauses.map((clause) => ({ said: sayClause(clause, one) })),
		})),
	};
}

/** Returns findings that differ only in their activities, or in the one user that each is about, as one. */
function mergeAlike(findings: readonly CaseFinding[]) {
	const ofUsers = groupBy(findings, ({ group: _, example: __, ...same }) => JSON.stringify(same)).map((alike) => {
		return { finding: alike[0], groups: alike.flatMap(({ group }) => group ?? []), isEach: false };
	});
	const same = groupBy(ofUsers, ({ finding: { userIds, example: _, ...others }, groups }) =>
		JSON.stringify([others, groups, userIds.length === 1 ? null : userIds]),
	);
	return same.map((alike) => {
		const userIds = [...new Set(alike.flatMap(({ finding }) => finding.userIds))];
		return { ...alike[0], finding: { ...alike[0].finding, userIds }, isEach: alike.length > 1 };
	});
}

export function summarizeCases({ organizations }: TestResult): { readonly verdict: Verdict; readonly tone: Tone } {
	const all = groupBy(
		organizations.flatMap(({ cases }) => cases),
		({ verdict }) => verdict,
	);
	const numbers = new Map(all.map((same) => [same[0].verdict, same.length]));
	const of = (verdict: JudgedCase["verdict"]): number => numbers.get(verdict) ?? 0;
	const parts: readonly string[] = [
		...(of("failed") === 0 ? [] : [`${of("failed")} failed`]),
		...(of("unknown") === 0 ? [] : [`${of("unknown")} could not be judged`]),
		...(of("passed") === 0 ? [] : [`${of("passed")} passed`]),
	];
	const total = of("failed") + of("unknown") + of("passed");
	const headline = `${count(total, "access case", "access cases")}: ${parts.join(", ")}`;
	return { verdict: verdictOf(headline), tone: of("failed") > 0 ? "bad" : of("unknown") > 0 ? "attention" : "good" };
}

/** The state that the cases were judged in, for a heading. */
export function sayState(state: TestResult["state"]): Phrase {
	return [
		{ live: " as it is live", after: " after the plan", plan: " after the saved plan", offline: " of the seed" }[state],
	];
}
