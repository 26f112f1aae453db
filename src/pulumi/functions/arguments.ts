/** Arguments of functions and inputs of the component, and the check of them. */
import { defined } from "../../common/defined.ts";
import { checkInputSchema } from "../inputs/input-schema.ts";
import { type CheckFailure, hasUnknown, type Properties } from "../inputs/inputs.ts";

/** `document`: the path of a YAML file, or an object of plain values. */
export type ArgumentShape = "text" | "id" | "texts" | "document";

/** Arguments by name. Those without a description are described where a program sees them. */
export type Arguments = Readonly<
	Record<string, { readonly shape: ArgumentShape; readonly description?: string; readonly isOptional?: true }>
>;

const shapes = { text: "text", id: "id", texts: { listOf: "text" }, document: "any" } as const;

/** What is wrong with the arguments of a function or the inputs of a component. Unknown values are not checked. */
export function checkArguments(fields: Arguments, args: Properties): readonly CheckFailure[] {
	const all = Object.entries(fields);
	const failures = checkInputSchema(defined(args), {
		required: all.flatMap(([name, { isOptional }]) => (isOptional === true ? [] : [name])),
		fields: Object.fromEntries(all.map(([name, { shape }]) => [name, shapes[shape]])),
	});
	if (failures.length > 0) return failures;
	return all.flatMap(([property, { shape }]) => {
		const value = args[property];
		const isDocument =
			typeof value === "string" || (typeof value === "object" && value !== null && !Array.isArray(value));
		if (shape !== "document" || isDocument || hasUnknown(value)) return [];
		return [{ property, reason: "must be the path of a YAML file, or an object" }];
	});
}
