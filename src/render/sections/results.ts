/** What a run of apply ended with: differences that are left, what was not verified, and the verdict in one sentence. */
import { showAddress } from "../../common/escape.ts";
import type { Plan } from "../../plan/plan.ts";
import { outcomesOf, type Report } from "../../plan/report.ts";
import { type CommandContext, commandText, inOrganization } from "../../plan/suggested-command.ts";
import { count } from "../../say/count.ts";
import { countOutcomes } from "../../say/outcomes.ts";
import { command, identifier, reason } from "../../say/phrase.ts";
import { listed, notesOf, type Section, section } from "../../say/section.ts";
import { type Verdict, verdictOf, withSentences } from "../../say/verdict.ts";
import { describeWrong } from "./steps.ts";

/** The verdict when the plan was not confirmed. */
export const notApplied = verdictOf("Not applied: nothing was submitted");

/** Differences that are left after the last step, and that the result could not be verified; none before an apply. */
export function endSections(report: Report | null, plan: Plan, commands: CommandContext = {}): readonly Section[] {
	if (report === null) return [];
	const drift = commandText({ command: "drift" }, inOrganization(commands, plan.organizationId));
	return [
		listed("still-different", report.left ?? [], ({ address }) => ({
			said: [identifier(showAddress(address))],
			about: [address],
		})),
		section(
			"not-verified",
			report.unverified === null
				? []
				: [{ said: [reason(report.unverified)], notes: notesOf("plain", ["to check: ", command(drift)]) }],
		),
	];
}

/** More outcomes than this are not in the headline. */
const maxInHeadline = 2;

/** Returns whether the organization is in sync, and what is missing. */
export function summarizeReport(report: Report): Verdict {
	const counts = countOutcomes(outcomesOf(report.steps));
	const { queries, submits, retries } = report.stats;
	const retried = retries === 0 ? "" : `, ${retries} retried`;
	const requests = `${count(queries, "query", "queries")}, ${count(submits, "submit", "submits")}${retried}`;
	const verdict = report.interrupted ? "Interrupted" : report.inSync ? "Applied" : "Not in sync";
	const wrong = report.steps.filter((result) => describeWrong(result) !== null).length;
	const forecasts = wrong === 0 ? "" : `${count(wrong, "forecast was", "forecasts were")} wrong.`;
	const counted = counts.join(", ") || "nothing to do";
	const said =
		counts.length > maxInHeadline ? { headline: [verdict], counts: [counted] } : verdictOf(`${verdict}: ${counted}`);
	return withSentences({ ...said, details: [requests] }, forecasts);
}

/** Returns the verdict on an organization in which an error ended the work; the error is shown beside it. */
export function summarizeFailed(finished: number, total: number): Verdict {
	if (total === 0) return verdictOf("Cannot converge: nothing was submitted");
	return {
		...verdictOf(`Stopped: ${finished} of ${count(total, "step", "steps")} finished`),
		clauses: [["see the error"]],
	};
}
