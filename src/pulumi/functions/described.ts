/** Values with descriptions: arguments and results of functions, inputs and outputs of the component. The package schema has them too. */
import { defined } from "../../common/defined.ts";
import { checkInputSchema, type InputSchema, type PropertySchema } from "../inputs/input-schema.ts";
import { type CheckFailure, hasUnknown, type Properties } from "../inputs/inputs.ts";

/** `document`: the path of a YAML file, or an object of plain values. */
export type Shape =
	| "text"
	| "id"
	| "number"
	| "boolean"
	| "document"
	| { readonly listOf: Shape }
	/** An object type with its name in generated code, and what it is. */
	| { readonly object: string; readonly description: string; readonly fields: Described };

export interface DescribedField {
	readonly shape: Shape;
	/** One or more whole sentences. */
	readonly description: string;
	/** Whether it may be left out: an argument by the program, a result where there is nothing to say. */
	readonly isOptional?: true;
}

/** Fields by name. */
export type Described = Readonly<Record<string, DescribedField>>;

/** What is wrong with the arguments of a function or the inputs of a component. Unknown values are not checked. */
export function checkArguments(fields: Described, args: Properties): readonly CheckFailure[] {
	const failures = checkInputSchema(defined(args), inputSchemaOf(fields));
	return failures.length > 0
		? failures
		: Object.entries(fields).flatMap(([name, field]) => checkDocument(name, field, args));
}

function checkDocument(property: string, { shape }: DescribedField, args: Properties): readonly CheckFailure[] {
	const value = args[property];
	const isDocument =
		typeof value === "string" || (typeof value === "object" && value !== null && !Array.isArray(value));
	if (shape !== "document" || isDocument || hasUnknown(value)) return [];
	return [{ property, reason: "must be the path of a YAML file, or an object" }];
}

/** The schema that checks arguments. */
function inputSchemaOf(fields: Described): InputSchema {
	const all = Object.entries(fields);
	return {
		required: all.flatMap(([name, { isOptional }]) => (isOptional === true ? [] : [name])),
		fields: Object.fromEntries(all.map(([name, { shape }]) => [name, inputShapeOf(shape)])),
	};
}

function inputShapeOf(shape: Shape): PropertySchema {
	if (shape === "text" || shape === "id") return shape;
	const isListOfText = typeof shape === "object" && "listOf" in shape && shape.listOf === "text";
	return isListOfText ? { listOf: "text" } : "any";
}
