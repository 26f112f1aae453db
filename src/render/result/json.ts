/** Results as JSON: what is a value within orgsync is a text there (schemas/output.json). */
import { writeJson } from "../../common/escape.ts";
import type { OrganizationDrift } from "../../plan/drift/drift.ts";
import { reasonsAsText } from "../../say/reason.ts";
import { todoText } from "../../say/todo.ts";
import type { CommandResult } from "./result.ts";

/** Returns the result as indented JSON that ends with a newline. */
export function renderJson(result: CommandResult): string {
	// An answer of the service is printed unchanged.
	const replace = result.command === "query" ? undefined : reasonsAsText;
	const drift = "drift" in result ? result.drift?.map(driftAsText) : undefined;
	return `${writeJson(drift === undefined ? result : { ...result, drift }, 2, replace)}\n`;
}

/** Returns the report with what to do as texts. */
export function driftAsText(drift: OrganizationDrift): OrganizationDrift {
	const asText = <F extends OrganizationDrift["findings"][number]>(one: F): F => ({ ...one, todo: todoText(one.todo) });
	return { ...drift, findings: drift.findings.map(asText), waiting: drift.waiting.map(asText) };
}
