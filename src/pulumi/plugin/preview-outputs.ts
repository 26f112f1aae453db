/** The outputs of a resource in a preview, before anything is submitted. */
import { type Properties, unknownValue } from "../inputs/inputs.ts";
import { seal } from "../inputs/secrets.ts";
import { outputNames, type ResourceDefinition } from "../resources/resource.ts";

/**
 * Each output of the schema, from checked inputs: known, null if the program leaves it out, or unknown. On its own, only the id
 * of an object is unknown that the check has not found.
 */
export function previewOutputs(
	definition: Pick<ResourceDefinition, "schema" | "identity">,
	inputs: Properties,
): Properties {
	const outputOf = (name: string): unknown =>
		inputs[name] ?? (definition.identity.includes(name) ? unknownValue : null);
	const outputs = outputNames(definition).map((name) => [name, outputOf(name)]);
	return seal({ ...Object.fromEntries(outputs), secretInputs: inputs.secretInputs });
}
