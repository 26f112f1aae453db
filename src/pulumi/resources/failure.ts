/** Failures in the forms that Pulumi shows, without a stack trace. */
import { OrgsyncError } from "../../common/errors.ts";
import { showLines, showText } from "../../common/escape.ts";
import { isAdvice, textOf } from "../../common/said.ts";
import type { Outcome, PartResult, Report, StepResult } from "../../plan/report.ts";
import { explainText } from "../../plan/suggested-command.ts";
import { outcomeWords } from "../../say/outcomes.ts";
import { stepText } from "../../say/steps.ts";
import type { CheckFailure, Properties } from "../inputs/inputs.ts";
import { pulumiVoice } from "../settings/voice.ts";

/** Replaces the text of an error where it would be printed a second time. */
const printedFailure = "(orgsync failure)";

/** Whether this line of the dynamic provider repeats a failure that the engine shows beside the resource. */
export function isRepeatedFailure(line: unknown): boolean {
	return line === `${printedFailure}: `;
}

interface PartialState {
	readonly id: string;
	readonly properties: Properties;
}

/** An error whose message the engine shows. With `id` and `properties`, the state keeps the resource for the next `up` to update. */
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
	const { message, advice } = error;
	return showLines(advice === undefined ? message : `${message}; ${textOf(advice, pulumiVoice)}`);
}

/** The error as a check failure; without a property if the inputs are not its cause. */
export function failCheck(error: unknown, property = ""): CheckFailure {
	return { property, reason: explain(error) };
}

const outcomeLabels: Readonly<Record<Outcome, string>> = {
	...outcomeWords,
	unknown: "in doubt: submitted, and no answer arrived",
};

/** Whether every step completed. True without a report: then nothing had to be submitted. */
export function isDone(report: Report | undefined): boolean {
	return explainReport(report) === "";
}

/** Why steps did not complete, and what to do. Empty if all did. */
export function explainReport(report: Report | undefined): string {
	if (report === undefined) return "";
	const left = (report.left ?? []).map(
		({ address }) => `${address} still differs: another client changed it during the run`,
	);
	return [...report.steps.flatMap((step) => explainStep(step, report.organizationId)), ...left]
		.map(showLines)
		.join("\n");
}

function explainStep(
	{ step, policyEvaluations, parts, ...result }: StepResult,
	organization: string,
): readonly string[] {
	const policies = policyEvaluations.map(
		({ policyId, outcome }) => `  policy ${policyId ?? "(no id)"}: ${outcome ?? "no outcome given"}`,
	);
	const [first, ...more] = explainOutcome(stepText(step), result, organization);
	if (first === undefined) return [];
	const ofParts = parts.flatMap((part) => explainOutcome(part.address, part, organization)).map((line) => `  ${line}`);
	return [first, ...policies, ...(parts.length > 0 ? ofParts : more)];
}

/** What became of a step, or of a part of it, and what to do; no line if it completed. */
function explainOutcome(
	subject: string,
	result: PartResult | Omit<PartResult, "address">,
	organization: string,
): readonly string[] {
	const { outcome, message, activityId, fingerprint } = result;
	if (outcome === "completed") return [];
	const said = message === null ? "" : ` (${showText(textOf(message, pulumiVoice))})`;
	const lines = [`${subject}: ${outcomeLabels[outcome]}${said}`];
	if (activityId !== null) lines.push(`  activity ${activityId}, fingerprint ${fingerprint ?? "(none)"}`);
	// A step that awaits approval shows its policies instead.
	const isUnclear = "address" in result ? outcome.startsWith("awaiting") : outcome === "awaiting-authenticator";
	if (activityId !== null && isUnclear) {
		const explain = explainText(activityId, organization, { organization });
		if (explain !== null) lines.push(`  \`${explain}\` shows what is missing`);
	}
	// If a person has to do something first, the message says so.
	const next = message !== null && isAdvice(message) ? undefined : nextRun[outcome];
	return next === undefined ? lines : [...lines, `  ${next}`];
}

const continues = "the next run continues with this activity and submits no other";
const submitsAgain = "the next run submits it again";

const nextRun: Partial<Record<Outcome, string>> = {
	"awaiting-approval": continues,
	"awaiting-authenticator": continues,
	rejected: "the next run does not submit it again; to override: `ORGSYNC_RETRY_REJECTED=true pulumi up`",
	denied: submitsAgain,
	failed: submitsAgain,
	unknown: "the next run resubmits the same request, so there is no second activity",
};
