/** Why the engine reads a resource, which its protocol does not say. */
import type { Properties } from "../inputs/inputs.ts";
import type { ResourceDefinition } from "../resources/resource.ts";
import type { ResourceOperations } from "../resources/resource-operations.ts";

/**
 * The operation of a read with this state, as it was sent. An import sends nothing. A look-up (`.get`) sends what the program
 * knows of the object; a state has everything that identifies it, or says that it was looked up.
 */
export function operationOfRead(
	{ schema, identity }: Pick<ResourceDefinition, "schema" | "identity">,
	inputs: object | undefined,
	state: Properties,
): keyof Pick<ResourceOperations, "read" | "lookUp" | "import"> {
	if (inputs === undefined && Object.keys(state).length === 0) return "import";
	const isState = "lookUp" in state || [...schema.required, ...identity].every((name) => name in state);
	return isState ? "read" : "lookUp";
}
