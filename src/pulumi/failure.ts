/**
 * Failures in the forms that Pulumi shows: a failed check names its property, a resource with a pending activity stays in
 * the state, and no stack trace is printed.
 */
import { OrgsyncError } from "../errors.ts";
import { showLines, showText } from "../escape.ts";
import type { Outcome, PartResult, Report, StepResult } from "../plan/report.ts";
import type { CheckFailure, Properties } from "./inputs.ts";

/** Replaces the text of an error where it would be printed a second time. */
const printedFailure = "(orgsync failure)";

/** Whether this line of the dynamic provider repeats a failure that the engine shows beside the resource. */
export function isRepeatedFailure(line: unknown): boolean {
	return line === `${printedFailure}: `;
}

/** A resource that is in the state although it is not ready. */
export interface PartialState {
	readonly id: string;
	readonly properties: Properties;
}

/**
 * An error whose message the engine shows. With `id` and `properties`, the resource stays in the state as one that is not
 * ready, and the next `up` updates it.
 */
export class ResourceFailure extends Error {
	readonly id?: string;
	readonly properties?: Properties;
	readonly reasons?: readonly string[];

	constructor(message: string, partial?: PartialState) {
		super(message);
		// Pulumi prints the stack of an error; the message is enough.
		this.stack = "";
		if (partial === undefined) return;
		this.id = partial.id;
		this.properties = partial.properties;
		this.reasons = [message];
	}

	/** The same failure with another message, and another state if it has one. */
	with(message: string, change: (id: string, properties: Properties) => PartialState): ResourceFailure {
		const { id, properties } = this;
		return new ResourceFailure(message, id && properties ? change(id, properties) : undefined);
	}

	/** The text that the dynamic provider prints in addition to its answer to the engine: see isRepeatedFailure. */
	override toString(): string {
		return printedFailure;
	}
}

/** Message and hint of an OrgsyncError, in Pulumi's terms. Throws any other error again. */
export function explain(error: unknown): string {
	if (!(error instanceof OrgsyncError)) throw error;
	return showLines(replaceFlags(error.hint === undefined ? error.message : `${error.message}; ${error.hint}`));
}

/** The error as a check failure; without a property if the inputs are not its cause. */
export function failCheck(error: unknown, property = ""): CheckFailure {
	return { property, reason: explain(error) };
}

const outcomeLabels: Readonly<Record<Exclude<Outcome, "completed">, string>> = {
	"awaiting-approval": "pending approval",
	"awaiting-authenticator": "pending authentication",
	rejected: "rejected",
	denied: "denied",
	failed: "failed",
	unknown: "in doubt: submitted, and no answer arrived",
	"not-attempted": "not attempted",
};

/** Whether every step completed. True without a report: then nothing had to be submitted. */
export function isDone(report: Report | undefined): boolean {
	return report === undefined || listFailures(report).length === 0;
}

/** Why steps did not complete, and what to do. Empty if all did. */
export function explainReport(report: Report | undefined): string {
	return report === undefined ? "" : listFailures(report).map(showLines).join("\n");
}

function listFailures(report: Report): readonly string[] {
	const failed = report.steps.flatMap((result) =>
		result.outcome === "completed" ? [] : [explainStep(result, result.outcome)],
	);
	const left = (report.left ?? []).map(
		({ address }) => `${address} still differs: another client changed it during the run`,
	);
	return [...failed, ...left];
}

function explainStep(result: StepResult, outcome: Exclude<Outcome, "completed">): string {
	const { step, message, activityId, fingerprint, policyEvaluations, parts } = result;
	const lines = [
		`${step.reason}: ${outcomeLabels[outcome]}${message === null ? "" : ` (${showText(replaceFlags(message))})`}`,
	];
	for (const { policyId, outcome: verdict } of policyEvaluations) {
		lines.push(`  policy ${policyId ?? "(no id)"}: ${verdict ?? "no outcome given"}`);
	}
	for (const part of parts) lines.push(...explainPart(part));
	if (parts.length > 0) return lines.join("\n");
	if (activityId !== null) lines.push(`  activity ${activityId}, fingerprint ${fingerprint ?? "(none)"}`);
	if (activityId !== null && outcome === "awaiting-authenticator") {
		lines.push(`  \`orgsync explain ${activityId}\` shows the missing authentication methods`);
	}
	// If an activity has to be abandoned first, the message says so.
	const next = message?.includes("--abandon") === true ? undefined : nextRun[outcome];
	if (next !== undefined) lines.push(`  ${next}`);
	return lines.join("\n");
}

/** A part of a removal that did not complete; no line for one that did. */
function explainPart({ address, outcome, message, activityId, fingerprint }: PartResult): readonly string[] {
	if (outcome === "completed") return [];
	const next = message?.includes("--abandon") === true ? undefined : nextRun[outcome];
	const named = activityId === null ? [] : [`    activity ${activityId}, fingerprint ${fingerprint ?? "(none)"}`];
	const explained =
		activityId !== null && outcome.startsWith("awaiting")
			? [`    \`orgsync explain ${activityId}\` shows what is missing`]
			: [];
	const said = `  ${address}: ${outcomeLabels[outcome]}${message === null ? "" : ` (${showText(replaceFlags(message))})`}`;
	return [said, ...named, ...explained, ...(next === undefined ? [] : [`    ${next}`])];
}

const continues = "the next run continues with this activity and submits no other";
const submitsAgain = "the next run submits it again";

/** What the next run does, by outcome. */
const nextRun: Partial<Record<Outcome, string>> = {
	"awaiting-approval": continues,
	"awaiting-authenticator": continues,
	rejected: "the next run does not submit it again; to override: `ORGSYNC_RETRY_REJECTED=true pulumi up`",
	denied: submitsAgain,
	failed: submitsAgain,
	unknown: "the next run resubmits the same request, so there is no second activity",
};

/** The setting that is a flag on the command line. */
const settingOf: Readonly<Record<string, string>> = {
	"--url": "orgsync:url",
	"--timeout": "orgsync:timeout",
	"--max-rps": "orgsync:maxRequestsPerSecond",
	"--journal FILE": "orgsync:journal",
};

/** The text with settings in place of the flags of the command line. */
export function replaceFlags(text: string): string {
	return (
		text
			.replaceAll(/`(?:orgsync apply )?--abandon ([^\s`]+)`|--abandon ([^\s`]+)/g, (_all, quoted, bare) => {
				return `\`pulumi config set orgsync:abandon ${quoted ?? bare}\``;
			})
			// The next line names the variable for that.
			.replace("; --retry-rejected submits it", "")
			.replaceAll(/--retry-rejected\b/g, "`ORGSYNC_RETRY_REJECTED=true`")
			.replaceAll(/--(?:url|timeout|max-rps|journal FILE)\b/g, (flag) => settingOf[flag] ?? flag)
			.replace(
				"the document as it was then, applied within the hour,",
				"the program as it was then, run within the hour,",
			)
	);
}
