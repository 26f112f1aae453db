/** Access cases as JUnit XML, which pipelines show as a list of tests. */
import type { JudgedCase } from "../../plan/access-cases/finding.ts";
import { isOfBase } from "../../plan/access-cases/planned.ts";
import { showOrganization } from "../../plan/organization-name.ts";
import type { PowerNames } from "../../say/powers.ts";
import { escapeHtml } from "../html/html.ts";
import { isTest } from "../result/cases.ts";
import type { FoundOrganization } from "../result/found.ts";
import { type CommandResult, isCompared } from "../result/result.ts";
import { caseRow, namesOfCases } from "../sections/cases.ts";
import { listLines, phraseText } from "./text.ts";

/** Returns one suite for each organization, of a plan with the cases of its documents; of an error, a suite with it. */
export function renderJunit(result: CommandResult): string {
	const suites = suitesOf(result);
	return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="access cases">\n${suites.join("")}</testsuites>\n`;
}

function suitesOf(result: CommandResult): readonly string[] {
	if (isTest(result))
		return result.organizations.map((one) => {
			const name = showOrganization(one);
			return suite(name, one.error === null ? one.cases.map((own) => caseOf(own, one)) : [errorCase(name, one)]);
		});
	if (isCompared(result) && result.error === null) return result.organizations.map(suiteOfPlan);
	return [suite("orgsync", [errorCase("orgsync", result)])];
}

interface TestCase {
	readonly verdict: "passed" | "failed" | "unknown";
	readonly xml: string;
}

function suite(name: string, cases: readonly TestCase[]): string {
	const of = (verdict: TestCase["verdict"]): number => cases.filter((one) => one.verdict === verdict).length;
	const counts = `tests="${cases.length}" failures="${of("failed")}" errors="${of("unknown")}" skipped="0"`;
	return `  <testsuite name="${escapeHtml(name)}" ${counts}>\n${cases.map(({ xml }) => xml).join("")}  </testsuite>\n`;
}

function suiteOfPlan({ organizationId, plan, failed }: FoundOrganization): string {
	const name = showOrganization(plan ?? failed ?? { organizationId });
	if (plan === undefined) return suite(name, failed === undefined ? [] : [errorCase(name, failed)]);
	const own = (plan.accessCases?.cases ?? []).filter((one) => !isOfBase(one));
	const names = namesOfCases(plan);
	return suite(
		name,
		own.map(({ judged }) => caseOf(judged, names)),
	);
}

/** A case that could not be judged is an error: it says nothing of what it tests. */
function caseOf(judged: JudgedCase, one: PowerNames): TestCase {
	const { name, at, verdict } = judged;
	const place = `name="${escapeHtml(name)}" classname="${escapeHtml(at.file)}" file="${escapeHtml(at.file)}" line="${at.line}"`;
	if (verdict === "passed") return { verdict, xml: `    <testcase ${place}/>\n` };
	const { rows = [] } = caseRow(judged, one);
	const [first] = rows;
	const message = first === undefined ? "" : phraseText(first.said);
	const lines = rows.flatMap(listLines);
	const element = verdict === "failed" ? "failure" : "error";
	const body = `<${element} message="${escapeHtml(message)}">${lines.map(escapeHtml).join("\n")}</${element}>`;
	return { verdict, xml: `    <testcase ${place}>${body}</testcase>\n` };
}

function errorCase(name: string, { error }: Pick<CommandResult, "error">): TestCase {
	const message = escapeHtml([error?.message, error?.hint ?? []].flat().join("; "));
	const xml = `    <testcase name="${escapeHtml(name)}" classname="orgsync"><error message="${message}"></error></testcase>\n`;
	return { verdict: "unknown", xml };
}
