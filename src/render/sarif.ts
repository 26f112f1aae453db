/** Findings of `lint` in SARIF 2.1.0, as code scanning reads them. */
import { version } from "../common/version.ts";
import { type LintSeverity, lintRules } from "../policy/lint/lint.ts";
import { sayNotCompared } from "../say/lint.ts";
import { phraseText } from "./print/text.ts";
import { isLint, type PublishedFinding, publishLint } from "./result/lint.ts";
import type { CommandResult } from "./result/result.ts";
import { sayUnread } from "./sections/unknown.ts";

const rules = [...lintRules, { code: "unused-ignore", severity: "warning" } as const].map(({ code, severity }) => ({
	id: code as string,
	defaultConfiguration: { level: severity },
}));

/** Returns the log, which ends with a newline. A call that an error ended has no results, and says why. */
export function renderSarif(result: CommandResult): string {
	const { error, problems } = result;
	const organizations = isLint(result) ? result.organizations.map(publishLint) : [];
	const results = organizations.flatMap(({ findings, ignored }) => [...findings, ...ignored].map(toResult));
	const notes = [
		...(error === null ? [] : [toNotification(error.message)]),
		...organizations.flatMap(({ unread }) =>
			sayUnread(unread).map((said) => toNotification(phraseText(said), "warning")),
		),
		...organizations.flatMap(({ notCompared }) =>
			notCompared.map((some) => toNotification(phraseText(sayNotCompared(some)), "note")),
		),
		...problems.map(({ file, line, column, message }) => ({
			...toNotification(message),
			...placeOf({ file, line, column }),
		})),
	];
	const log = {
		$schema: "https://json.schemastore.org/sarif-2.1.0.json",
		version: "2.1.0",
		runs: [
			{
				tool: { driver: { name: "orgsync", version, rules } },
				columnKind: "utf16CodeUnits",
				invocations: [{ executionSuccessful: error === null, toolExecutionNotifications: notes }],
				results,
			},
		],
	};
	return `${JSON.stringify(log, null, 2)}\n`;
}

function toNotification(text: string, level: LintSeverity = "error") {
	return { level, message: { text } };
}

function toResult(finding: PublishedFinding) {
	const { rule, severity, message, witness, fix, fingerprint, on, name, reason } = finding;
	const shown = witness === null ? "" : ` (for example ${witness})`;
	const [location] = placeOf(finding).locations;
	return {
		ruleId: rule,
		ruleIndex: rules.findIndex(({ id }) => id === rule),
		level: severity,
		message: { text: `${message}${shown}; fix: ${fix}` },
		locations: [{ ...location, logicalLocations: [{ name, kind: on }] }],
		partialFingerprints: { "policyAndRule/v1": fingerprint },
		...(reason === undefined ? {} : { suppressions: [{ kind: "inSource", justification: reason }] }),
	};
}

function placeOf({ file, line, column }: Pick<PublishedFinding, "file" | "line" | "column">) {
	const region = { startLine: line, startColumn: column };
	return { locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(file) }, region } }] };
}

/** Returns the path as a relative reference, or as the URI of an absolute one. */
function uriOf(file: string): string {
	if (file === "-") return "stdin";
	const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
	return path.startsWith("/") ? `file://${path}` : path;
}
