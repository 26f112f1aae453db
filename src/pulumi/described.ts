/** Values with descriptions: arguments and results of functions, inputs and outputs of the component. The package schema has them too. */
import type { InputSchema, PropertySchema } from "./input-schema.ts";

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

/** The schema that checks arguments. */
export function inputSchemaOf(fields: Described): InputSchema {
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
