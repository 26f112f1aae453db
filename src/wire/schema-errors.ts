/** Puts into words why an answer does not fit the schema of its operation. Pure. */
import type { SchemaError } from "../schema/schema.ts";

/** Returns the first error in words, with the name of the field only: the value may be a secret. */
export function describeSchemaErrors(mistakes: readonly SchemaError[]): string {
	const first = mistakes[0];
	if (first === undefined) return "it is not an object";
	const steps = first.instancePath.split("/").slice(1);
	if (first.keyword === "required") steps.push(String(first.params.missingProperty));
	const field = steps
		.map((step, index) => (/^\d+$/.test(step) ? `[${step}]` : index === 0 ? step : `.${step}`))
		.join("");
	const wrong = first.keyword === "required" ? "is missing" : (first.message ?? "is not right");
	const more = mistakes.length > 1 ? `, and ${mistakes.length - 1} more` : "";
	return `${field === "" ? "it" : field} ${wrong}${more}`;
}
