/** Described fields (../../described.ts) in the package schema. */
import { defined, nonEmpty } from "../../../common/defined.ts";
import type { Described, Shape } from "../../functions/described.ts";
import { anything, fromEntries, listOf, namedType, type ObjectSpec, type TypeSpec, text, tokenOf } from "./specs.ts";

/** The fields as properties of an object. */
export function describedSpec(fields: Described): ObjectSpec {
	const all = Object.entries(fields);
	const required = all.flatMap(([name, { isOptional }]) => (isOptional === true ? [] : [name]));
	return {
		type: "object",
		properties: fromEntries(
			all.map(([name, { shape, description }]) => [name, { ...typeOfShape(shape), description }] as const),
		),
		...defined({ required: nonEmpty(required) }),
	};
}

/** The object types of the fields, also of those in them, by token. */
export function describedTypes(fields: Described): Readonly<Record<string, ObjectSpec>> {
	return Object.assign({}, ...Object.values(fields).map(({ shape }) => typesIn(shape)));
}

function typesIn(shape: Shape): Readonly<Record<string, ObjectSpec>> {
	if (typeof shape === "string") return {};
	if ("listOf" in shape) return typesIn(shape.listOf);
	const { object, description, fields } = shape;
	return { [tokenOf(object)]: { description, ...describedSpec(fields) }, ...describedTypes(fields) };
}

function typeOfShape(shape: Shape): TypeSpec {
	if (typeof shape === "object") {
		return "listOf" in shape ? listOf(typeOfShape(shape.listOf)) : namedType(shape.object);
	}
	if (shape === "document") return { oneOf: [text, { type: "object", additionalProperties: anything }] };
	// All numbers are counts and positions.
	if (shape === "number") return { type: "integer" };
	return shape === "boolean" ? { type: shape } : text;
}
