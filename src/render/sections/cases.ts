/** Access cases and what became of them: those that failed first, each with its reasons. */
import { groupBy } from "../../common/group-by.ts";
import type { CaseFinding, JudgedCase, PlannedCase } from "../../plan/access-cases/finding.ts";
import { isBroken, isOfBase } from "../../plan/access-cases/planned.ts";
import type { Plan } from "../../plan/plan.ts";
import { sayClause, sayFinding } from "../../say/cases.ts";
import { count } from "../../say/count.ts";
import { code, type Phrase, title } from "../../say/phrase.ts";
import { describePolicies, type PowerNames } from "../../say/powers.ts";
import { sayReason } from "../../say/reason.ts";
import { notesOf, type Row, type Section, section } from "../../say/section.ts";
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
	const assumed = section(
		"cases-assumed",
		"Assumed, not documented",
		["assumption, not documented", "assumptions, not documented"],
		{
			rows:
				format === "annotations" ? [] : (one.assumptions ?? []).map((because) => ({ said: sayReason(because, one) })),
			...{ isFolded: true, shorten: "first" },
		},
	);
	return [...sections, assumed, uncoveredSection(one)];
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
export function caseRow(judged: JudgedCase, one: PowerNames): Row {
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

/** Returns the cases of a plan: those that it breaks, those that the change of the files touches, and the rest. */
export function plannedCasesSections({ accessCases, ...plan }: Plan): readonly Section[] {
	if (accessCases === undefined) return [];
	const names = { ...plan, ...accessCases };
	const isFailing = ({ judged }: PlannedCase): boolean => judged.verdict !== "passed";
	const isTouching = (one: PlannedCase): boolean => isFailing(one) && (isBroken(one) || isNew(one));
	const rest = accessCases.cases.filter((one) => !isTouching(one));
	const rows = (cases: readonly PlannedCase[]): readonly Row[] =>
		// Without the change of the files, a reader looks for what fails.
		["deleted", "replaced", "changed", "added", null].flatMap((change) =>
			cases.filter((one) => one.change === change).map((one) => plannedRow(one, names)),
		);
	const of = (id: string, heading: string, look: Section["look"], cases: readonly PlannedCase[]) =>
		section(id, heading, ["access case", "access cases"], { look, rows: rows(cases) });
	return [
		of("cases-broken", "Access cases that do not hold after this plan", "bad", accessCases.cases.filter(isTouching)),
		of("cases-gone", "Access cases that this change deletes or changes", "attention", rest.filter(isOfBase)),
		of(
			"cases-failing",
			"Access cases that do not hold, before and after",
			"attention",
			rest.filter((one) => isFailing(one) && !isOfBase(one)),
		),
		{
			...of(
				"cases-passing",
				"Access cases that hold",
				"good",
				rest.filter((one) => !isFailing(one) && !isOfBase(one)),
			),
			...{ isFolded: true, shorten: "first" },
		},
	];
}

const isNew = ({ change }: PlannedCase): boolean => change === "added" || change === "changed";

const changeWords = { added: "new", changed: "changed", replaced: "as it was", deleted: "deleted" } as const;

function plannedRow({ judged, before, change }: PlannedCase, names: PowerNames): Row {
	const words = [
		...(change === null ? [] : [changeWords[change]]),
		...(judged.verdict === "unknown" ? ["cannot be judged"] : []),
		...(judged.verdict !== "passed" && before === "passed" ? ["holds now"] : []),
	];
	return { ...caseRow(judged, names), marks: notesOf("plain", words.length === 0 ? null : [words.join(", ")]) };
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
