/** The second step of the action: runs the command with the key of the service. It has no token of GitHub. */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Terminal } from "../cli/output/output.ts";
import { run } from "../cli/run.ts";
import { type ExitCode, exitCodes } from "../common/errors.ts";
import { version } from "../common/version.ts";
import { renderMarkdown } from "../render/markdown.ts";
import { renderJunit } from "../render/print/junit.ts";
import { renderJson } from "../render/result/published.ts";
import { type CommandResult, isCompared } from "../render/result/result.ts";
import { factsOf, isGreen, issueOf } from "./result.ts";
import type { Environment, Settings } from "./settings.ts";
import { annotate, type Step, settingsOf, temporaryOf } from "./step.ts";
import { type ActionFiles, filesOf, wordsOf } from "./words.ts";

/** Runs the command, renders its result for people and programs, and ends red where a person has to act. */
export async function runCommand({ terminal, put }: Step): Promise<ExitCode> {
	const { environment } = terminal;
	const settings = settingsOf(environment);
	const files = filesOf(temporaryOf(environment), settings);
	warnOfOverrides(settings, environment);
	let result: CommandResult | undefined;
	const code = await run(wordsOf(settings, files), {
		...terminal,
		environment: connectionOf(settings, environment),
		observe: (one) => {
			result = one;
		},
	});
	put("exit-code", code);
	if (result === undefined) return code;
	await writeResults(result, settings, files);
	if (settings.command === "validate") {
		for (const { message, ...at } of result.problems) annotate(terminal, "error", message, at);
	}
	const facts = factsOf(result);
	put("changes", facts.changes);
	put("activities", facts.activities);
	put("plan-digest", facts.planDigest);
	put("drift", facts.drifted > 0);
	put("drifted", facts.drifted);
	put("pending", code === exitCodes.pendingApproval);
	put("has-report", hasReport(result));
	if (hasCases(settings)) put("junit", join(files.result, casesFile));
	if (settings.command === "drift" && settings.issue) put("issue", issueOf(code, facts));
	return sayEnd(code, settings, terminal);
}

/** The environment of the command: inputs win over variables of the job, and no token is in it. */
function connectionOf({ url }: Settings, environment: Environment): Environment {
	const { INPUT_PRIVATE_KEY: key = "", ...others } = environment;
	return {
		...others,
		...(url === "" ? {} : { ORGSYNC_URL: url }),
		...(key === "" ? {} : { ORGSYNC_API_PRIVATE_KEY: key.trim() }),
	};
}

/** Reviewers see which guards the apply will override, above the plan. */
function warnOfOverrides({ command, allow }: Settings, { GITHUB_STEP_SUMMARY: file = "" }: Environment): void {
	if (file === "" || !["plan", "show", "apply"].includes(command)) return;
	const shown = allow.map(
		(one) => `> [!WARNING]\n> This overrides a guard: \`--allow ${one.replace(/[^\w=.-]/g, "?")}\`\n\n`,
	);
	if (shown.length > 0) writeFileSync(file, shown.join(""), { flag: "a" });
}

/** Writes the result in the formats that people and programs take it in. */
async function writeResults(result: CommandResult, settings: Settings, files: ActionFiles): Promise<void> {
	const write = (name: string, text: string): void => writeFileSync(join(files.result, name), text);
	write("result.json", renderJson(result));
	if (settings.command === "validate") return;
	const options = { key: settings.commentKey, whole: settings.runUrl, generatedBy: `orgsync ${version}` };
	write("comment.md", renderMarkdown(result, options));
	if (hasCases(settings)) write(casesFile, renderJunit(result));
	if (settings.command === "plan" || settings.command === "show") {
		write("plan.html", (await import("../render/html/page.ts")).renderHtml(result, options));
	}
	if (settings.command === "show" && result.exitCode === exitCodes.inSync) {
		copyFileSync(files.reviewed, join(files.result, "plan.json"));
	}
	// What could not be read keeps its earlier findings in the report; without one, the last report stays.
	if (hasReport(result)) copyFileSync(join(files.result, "result.json"), files.lastDrift);
}

const casesFile = "cases.xml";

/** Whether the command judges access cases, and writes a report of them. */
const hasCases = ({ command }: Settings): boolean => command === "plan" || command === "test";

/** Whether the result has findings, of this run or of the last report. */
function hasReport(result: CommandResult): boolean {
	return result.command === "drift" && (isCompared(result) || "drift" in result);
}

function sayEnd(code: ExitCode, settings: Settings, terminal: Terminal): ExitCode {
	const { command, issue } = settings;
	if (code === exitCodes.pendingApproval && isGreen(command, code, issue)) {
		const said =
			command === "apply" ? "Submitted; pending approval at the service." : "All differences are pending approval.";
		annotate(terminal, "notice", said);
	}
	if (isGreen(command, code, issue)) return exitCodes.inSync;
	annotate(terminal, "error", `orgsync ${command} ended with exit code ${code}; the summary says why.`);
	return code;
}
