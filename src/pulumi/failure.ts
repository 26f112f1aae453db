/**
 * What goes wrong, in the forms in which Pulumi can show it: a failed check names its property, a resource whose activity
 * waits keeps its id and state, and nobody sees a stack trace.
 */
import { OrgsyncError } from "../errors.ts";
import { showLines, showText } from "../escape.ts";
import type { Outcome, PartResult, Report, StepResult } from "../plan/report.ts";
import type { CheckFailure, Properties } from "./inputs.ts";

/** Stands where the text of an error would be printed a second time, so that it can be left out there. */
const printedFailure = "(orgsync failure)";

/** Whether this line, as the dynamic provider prints it, says only what the engine shows beside the resource anyway. */
export function isRepeatedFailure(line: unknown): boolean {
	return line === `${printedFailure}: `;
}

/** A resource in the state, although it is not ready. */
export interface KeptState {
	readonly id: string;
	readonly properties: Properties;
}

/**
 * An error that the engine shows as it is. With `id` and `properties` the resource is kept in the state as one that is not
 * ready, and the next `up` updates it.
 */
export class ResourceFailure extends Error {
	readonly id?: string;
	readonly properties?: Properties;
	readonly reasons?: readonly string[];

	constructor(message: string, kept?: KeptState) {
		super(message);
		// Pulumi prints the stack of what a program throws; the message says all there is to say.
		this.stack = "";
		if (kept === undefined) return;
		this.id = kept.id;
		this.properties = kept.properties;
		this.reasons = [message];
	}

	/** The same failure with another message, and another state if it keeps one. */
	with(message: string, change: (id: string, properties: Properties) => KeptState): ResourceFailure {
		const { id, properties } = this;
		return new ResourceFailure(message, id && properties ? change(id, properties) : undefined);
	}

	/** What the dynamic provider prints of it, beside the answer in which the engine gets the message: see isRepeatedFailure. */
	override toString(): string {
		return printedFailure;
	}
}

/** Message and hint of an error that is thrown on purpose, in words for whoever runs Pulumi; any other is thrown again. */
export function explain(error: unknown): string {
	if (!(error instanceof OrgsyncError)) throw error;
	return showLines(replaceFlags(error.hint === undefined ? error.message : `${error.message}; ${error.hint}`));
}

/** An error of a check: about a property, or about none when it is not the inputs' fault. */
export function failCheck(error: unknown, property = ""): CheckFailure {
	return { property, reason: explain(error) };
}

const words: Readonly<Record<Exclude<Outcome, "completed">, string>> = {
	"awaiting-approval": "waits for approval",
	"awaiting-authenticator": "waits for an authenticator",
	rejected: "was rejected",
	denied: "was denied",
	failed: "failed",
	unknown: "perhaps arrived and perhaps did not",
	"not-attempted": "was not attempted",
};

/** Whether everything was submitted that had to be, and holds, as far as somebody has looked. */
export function isDone(report: Report | undefined): boolean {
	return report === undefined || listFailures(report).length === 0;
}

/** Why a report is not a success, and what to do, one sentence a step. */
export function explainReport(report: Report | undefined): string {
	return report === undefined ? "" : listFailures(report).map(showLines).join("\n");
}

function listFailures(report: Report): readonly string[] {
	const failed = report.steps.flatMap((result) =>
		result.outcome === "completed" ? [] : [explainStep(result, result.outcome)],
	);
	const left = (report.left ?? []).map(
		({ address }) => `${address} still differs, so somebody else has changed it meanwhile`,
	);
	return [...failed, ...left];
}

function explainStep(result: StepResult, outcome: Exclude<Outcome, "completed">): string {
	const { step, message, activityId, fingerprint, policyEvaluations, parts } = result;
	const lines = [`${step.reason}: ${words[outcome]}${message === null ? "" : ` (${showText(replaceFlags(message))})`}`];
	for (const { policyId, outcome: verdict } of policyEvaluations) {
		lines.push(`  policy ${policyId ?? "(no id)"}: ${verdict ?? "no outcome given"}`);
	}
	for (const part of parts) lines.push(...explainPart(part));
	if (parts.length > 0) return lines.join("\n");
	if (activityId !== null) lines.push(`  activity ${activityId}, fingerprint ${fingerprint ?? "(none)"}`);
	if (activityId !== null && outcome === "awaiting-authenticator") {
		lines.push(`  \`orgsync explain ${activityId}\` says which methods are missing`);
	}
	// Where a person has to give something up first, the message has said so.
	const next = message?.includes("--abandon") === true ? undefined : whatNext[outcome];
	if (next !== undefined) lines.push(`  ${next}`);
	return lines.join("\n");
}

/** A part of a removal that did not complete, with what follows; nothing for one that did. */
function explainPart({ address, outcome, message, activityId, fingerprint }: PartResult): readonly string[] {
	if (outcome === "completed") return [];
	const next = message?.includes("--abandon") === true ? undefined : whatNext[outcome];
	const named = activityId === null ? [] : [`    activity ${activityId}, fingerprint ${fingerprint ?? "(none)"}`];
	const explained =
		activityId !== null && outcome.startsWith("awaiting")
			? [`    \`orgsync explain ${activityId}\` says what it waits for`]
			: [];
	const said = `  ${address}: ${words[outcome]}${message === null ? "" : ` (${showText(replaceFlags(message))})`}`;
	return [said, ...named, ...explained, ...(next === undefined ? [] : [`    ${next}`])];
}

const joins = "the next run joins this activity and opens no other";
const sendsAnew = "the next run submits it anew";

/** What follows, by what became of a step. */
const whatNext: Partial<Record<Outcome, string>> = {
	"awaiting-approval": joins,
	"awaiting-authenticator": joins,
	rejected:
		"it is not submitted again until the program changes, or `ORGSYNC_RETRY_REJECTED=true pulumi up` asks for it",
	denied: sendsAnew,
	failed: sendsAnew,
	unknown: "the next run sends the same request, so that there is no second activity",
};

/** The setting that is a flag on the command line. */
const settingOf: Readonly<Record<string, string>> = {
	"--url": "orgsync:url",
	"--timeout": "orgsync:timeout",
	"--max-rps": "orgsync:maxRequestsPerSecond",
	"--journal FILE": "orgsync:journal",
};

/** What the command line would say with flags, said with configuration. */
export function replaceFlags(text: string): string {
	return (
		text
			.replaceAll(/`(?:orgsync apply )?--abandon ([^\s`]+)`|--abandon ([^\s`]+)/g, (_all, quoted, bare) => {
				return `\`pulumi config set orgsync:abandon ${quoted ?? bare}\``;
			})
			// How to do that is said below, with the variable.
			.replace("; --retry-rejected submits it", "")
			.replaceAll(/--retry-rejected\b/g, "`ORGSYNC_RETRY_REJECTED=true`")
			.replaceAll(/--(?:url|timeout|max-rps|journal FILE)\b/g, (flag) => settingOf[flag] ?? flag)
			.replace(
				"the document as it was then, applied within the hour,",
				"the program as it was then, run within the hour,",
			)
	);
}
