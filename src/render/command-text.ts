/**
 * The results of the small commands as text, each ending with a newline.
 */
import { showText, writeJson } from "../escape.ts";
import type {
	CompletionResult,
	ExportResult,
	ImportKeyResult,
	InitResult,
	QueryResult,
	SchemaResult,
	ValidateResult,
} from "./result.ts";

/** Returns one line for each organization of the documents. */
export function renderValidate({ organizations }: ValidateResult): string {
	return organizations
		.map(({ files, organizationId }) => `${files.map(showText).join(", ")}: valid, organization ${organizationId}\n`)
		.join("");
}

/** Returns what was written and what to do next. */
export function renderInit({ file, organizationId, nextCommand }: InitResult): string {
	const set = organizationId === null ? "Set ORGSYNC_ORGANIZATION_ID first.\n" : "";
	return `Wrote ${file}.\n${set}Next: ${nextCommand}\n`;
}

/** Returns the document, unchanged. */
export function renderExport({ document }: ExportResult): string {
	return document;
}

/** Returns the service's answer as JSON. */
export function renderQuery({ answer }: QueryResult): string {
	return `${writeJson(answer, 2)}\n`;
}

/** Returns the schema as JSON. */
export function renderSchema({ schema }: SchemaResult): string {
	return `${writeJson(schema, 2)}\n`;
}

/** Returns the script, unchanged. */
export function renderCompletion({ script }: CompletionResult): string {
	return script;
}

/** Returns the bundle unchanged, the file that holds it, or why there is none yet. */
export function renderImportKey({
	outcome,
	activityId,
	fingerprint,
	importBundle,
	out,
	message,
}: ImportKeyResult): string {
	if (importBundle !== undefined) return `${importBundle}\n`;
	if (out !== undefined) return `The import bundle is in ${showText(out)}.\n`;
	const detail = message === null || message === undefined ? "" : `: ${showText(message)}`;
	const activity = activityId === null ? "" : `${showText(`activity ${activityId}, fingerprint ${fingerprint}`)}\n`;
	return `No bundle yet, ${outcome.replaceAll("-", " ")}${detail}\n${activity}`;
}
