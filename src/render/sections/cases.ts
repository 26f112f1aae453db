/** Access cases and what became of them: those that failed first, each with its reasons. */
import { groupBy } from "../../common/group-by.ts";
import type { CaseFinding, JudgedCase, PlannedCase } from "../../plan/access-cases/finding.ts";
import { isBroken, isOfBase } from "../../plan/access-cases/planned.ts";
import type { Plan } from "../../plan/plan.ts";
import { sayClause, sayFinding } from "../../say/cases.ts";
import { count } from "../../say/count.ts";
import { code, type Phrase, title } from "../../say/phrase.ts";
import { describePolicies, type PowerNames } from "../../say/powers.ts";
import { listed, notesOf, type Row, type Section, section } from "../../say/section.ts";
import { type Summary, verdictOf } from "../../say/verdict.ts";
import type { OrganizationCases, TestResult } from "../result/cases.ts";
import { assumptionsSection } from "./assumptions.ts";

const verdicts = ["failed", "unknown", "passed"] as const;

const shown = {
	failed: ["failed", "bad"],
	unknown: ["could not be judged", "attention"],
	passed: ["passed", "good"],
} as const;

/** Returns the cases by what became of them, what they assume, and what none is about; an annotation is about none that passed. */
export function casesSections(
	one: OrganizationCases,
	format: "text" | "markdown" | "html" | "annotations",
): readonly Section[] {
	const { assumptions = [], uncovered = [] } = one;
	const sections = [
		...verdicts.map((verdict) =>
			listed(
				`cases-${verdict}`,
				one.cases.filter((own) => own.verdict === verdict),
				(own) => caseRow(own, one),
				verdict === "passed" ? { isFolded: format !== "text" } : {},
			),
		),
		assumptionsSection(assumptions, one, false),
		listed(
			"cases-uncovered",
			uncovered,
			({ policyId, clause }) => {
				const policy = describePolicies([policyId], one);
				return { said: clause === null ? policy : [`the ${clause} of `, ...policy] };
			},
			one.uncovered?.length === 0 ? { foot: [["A case notices for each policy and clause."]] } : {},
		),
	];
	return format === "annotations" ? sections.filter(({ shorten }) => shorten !== "first") : sections;
}

/** Returns a case with its place and its findings. */
export function caseRow(judged: JudgedCase, one: PowerNames): Row {
	const { file, line, column } = judged.at;
	return {
		said: [title(judged.name)],
		...(judged.verdict === "passed" ? {} : { at: { file, line, column, code: `case-${judged.verdict}` } }),
		rows: [
			...mergeAlike(judged.findings).map(({ finding, groups, isEach }) => ({
				said: [...(finding.key === "" ? [] : [code(finding.key), ": "]), ...sayFinding(finding, groups, isEach, one)],
				rows: finding.clauses.map((clause) => ({ said: sayClause(clause, one) })),
			})),
			...(judged.more === undefined ? [] : [{ said: [`${judged.more} more`] }]),
		],
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

const planned = ["broken", "gone", "failing", "passing"] as const;

/** Returns the names for the cases of a plan, whose live users the rest of the plan need not mention. */
export function namesOfCases(plan: Plan): PowerNames {
	const { liveNames, userNames, accessCases } = plan;
	if (liveNames === undefined) return { ...plan, ...accessCases };
	const found = Object.entries(accessCases?.userNames ?? {}).filter(([id]) => !Object.hasOwn(userNames, id));
	return { ...plan, ...accessCases, liveNames: { ...Object.fromEntries(found), ...liveNames } };
}

/** Returns the cases of a plan: those that it breaks, those that the change of the files touches, and the rest. */
export function plannedCasesSections(plan: Plan): readonly Section[] {
	const { accessCases } = plan;
	if (accessCases === undefined) return [];
	const names = namesOfCases(plan);
	return planned.map((kind) => {
		const cases = accessCases.cases.filter((one) => kindOf(one) === kind);
		// Without the change of the files, a reader looks for what fails.
		const rows = ["deleted", "replaced", "changed", "added", null].flatMap((change) =>
			cases.filter((one) => one.change === change).map((one) => plannedRow(one, names)),
		);
		return section(`cases-${kind}`, rows);
	});
}

function kindOf(one: PlannedCase): (typeof planned)[number] {
	const isFailing = one.judged.verdict !== "passed";
	const isNew = one.change === "added" || one.change === "changed";
	if (isFailing && (isBroken(one) || isNew)) return "broken";
	return isOfBase(one) ? "gone" : isFailing ? "failing" : "passing";
}

const changeWords = { added: "new", changed: "changed", replaced: "as it was", deleted: "deleted" } as const;

function plannedRow({ judged, before, change }: PlannedCase, names: PowerNames): Row {
	const words = [
		...(change === null ? [] : [changeWords[change]]),
		...(judged.verdict === "unknown" ? ["cannot be judged"] : []),
		...(judged.verdict !== "passed" && before === "passed" ? ["holds now"] : []),
	];
	return { ...caseRow(judged, names), marks: notesOf("plain", words.length === 0 ? null : [words.join(", ")]) };
}

export function summarizeCases({ organizations }: TestResult): Summary {
	const all = organizations.flatMap(({ cases }) => cases.map(({ verdict }) => verdict));
	const parts = verdicts.flatMap((verdict) => {
		const number = all.filter((one) => one === verdict).length;
		return number === 0 ? [] : [`${number} ${shown[verdict][0]}`];
	});
	const worst = verdicts.find((verdict) => all.includes(verdict)) ?? "passed";
	const headline = `${count(all.length, "access case", "access cases")}: ${parts.join(", ")}`;
	return { verdict: verdictOf(headline), tone: shown[worst][1] };
}

/** The state that the cases were judged in, for a heading. */
export function sayState(state: TestResult["state"]): Phrase {
	return [
		{ live: " as it is live", after: " after the plan", plan: " after the saved plan", offline: " of the seed" }[state],
	];
}
