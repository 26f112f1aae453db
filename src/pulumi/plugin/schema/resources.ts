/** The resources and the component in the package schema, and the types of their inputs and outputs. */
import type { Fields, PropertySchema } from "../../inputs/input-schema.ts";
import {
	documentInputs,
	organizationDescription,
	organizationOutputs,
} from "../../organization/organization-fields.ts";
import type { ResourceDefinition } from "../../resources/resource.ts";
import { enumTexts, type ResourceTexts, resourceTexts, type Text, typeTexts } from "../../resources/resource-texts.ts";
import { resources } from "../../resources/resources.ts";
import { configurationNamespace } from "../../settings/settings.ts";
import { describedSpec, describedTypes } from "./described.ts";
import {
	anything,
	documentProperty,
	fromEntries,
	listOf,
	namedType,
	type ObjectSpec,
	type PropertySpec,
	type PropertySpecs,
	type TypeSpec,
	text,
	tokenOf,
	wordsOf,
} from "./specs.ts";

interface ResourceSpec extends ObjectSpec {
	readonly isComponent?: boolean;
	readonly inputProperties: PropertySpecs;
	readonly requiredInputs: readonly string[];
	readonly aliases?: readonly { readonly type: string }[];
}

/** The resources and the component, by token. */
export function resourceSpecs(): Readonly<Record<string, ResourceSpec>> {
	const specs = resources.map((definition) => [tokenOf(definition.name), resourceSpec(definition)] as const);
	return Object.fromEntries([...specs, [tokenOf("Organization"), organizationSpec()]]);
}

function resourceSpec({ name, schema, identity }: ResourceDefinition): ResourceSpec {
	const texts = textsOf(name);
	const typeOf = (property: string): TypeSpec => {
		const shape = schema.fields[property];
		if (shape === undefined) throw new Error(`${name} has no input ${property}`);
		return typeOfShape(name, property, shape);
	};
	return {
		description: texts.description,
		type: "object",
		inputProperties: fromEntries(
			Object.entries(texts.inputs).map(([property, words]) => [
				property,
				identity.includes(property) ? replacing(typeOf(property), words) : described(typeOf(property), words),
			]),
		),
		requiredInputs: schema.required,
		properties: outputsOf(texts, typeOf),
		required: requiredOf(texts, schema.required),
		// In-place adoption of what the dynamic resources manage.
		aliases: [{ type: `pulumi-nodejs:dynamic/${configurationNamespace}:${name}` }],
	};
}

function described(type: TypeSpec, words: Text): PropertySpec {
	return { ...type, description: wordsOf(words) };
}

/** An input whose change replaces the resource. */
function replacing(type: TypeSpec, words: Text): PropertySpec {
	const description = `${wordsOf(words)} Changing it replaces the resource.`;
	// Not `replaceOnChanges`, by which the engine decides: it would also replace a resource whose id is unknown yet, or written
	// in upper case.
	return { ...type, description, willReplaceOnChanges: true };
}

function textsOf(name: string): ResourceTexts {
	const texts = resourceTexts[name];
	if (texts === undefined) throw new Error(`the resource ${name} has no texts`);
	return texts;
}

function outputsOf({ outputs }: ResourceTexts, typeOf: (property: string) => TypeSpec): PropertySpecs {
	return fromEntries(
		Object.entries(outputs).map(([property, words]) => [property, described(typeOf(property), words)]),
	);
}

/** Outputs that are always set, in the order of the outputs. */
function requiredOf({ outputs, filledIn }: ResourceTexts, required: readonly string[]): readonly string[] {
	return Object.keys(outputs).filter((output) => required.includes(output) || filledIn.includes(output));
}

/** The name of the type of a property whose values are objects or words. */
function typeName(resource: string, property: string): string {
	return property === "limits" ? `${resource}Limits` : property.replace(/^./, (letter) => letter.toUpperCase());
}

function typeOfShape(resource: string, property: string, shape: PropertySchema): TypeSpec {
	if (typeof shape === "string") return shape === "any" ? anything : text;
	if ("listOf" in shape) {
		const { listOf: item } = shape;
		return listOf(typeof item === "string" ? text : { oneOf: [text, namedType(item.idOr)] });
	}
	return namedType(typeName(resource, property));
}

function organizationSpec(): ResourceSpec {
	const { required = [], properties } = describedSpec(documentInputs);
	return {
		isComponent: true,
		description: organizationDescription,
		inputProperties: properties,
		requiredInputs: required,
		...describedSpec(organizationOutputs),
	};
}

/** The named types of resources, by token. */
export function resourceTypes(): Readonly<Record<string, object>> {
	const objects = resources.flatMap(({ name, schema }) =>
		Object.entries(schema.fields).flatMap(([property, shape]) =>
			typeof shape === "object" && "fields" in shape ? objectTypes(typeName(name, property), shape) : [],
		),
	);
	const enums = Object.entries(enumTexts).map(([name, { description, values }]) => [
		tokenOf(name),
		{
			description,
			type: "string",
			enum: Object.entries(values).map(([value, words]) => ({ value, description: words })),
		},
	]);
	return { ...Object.fromEntries(objects), ...describedTypes(organizationOutputs), ...Object.fromEntries(enums) };
}

/** The type of an object, and the types of the objects in its lists. */
function objectTypes(name: string, { fields }: Fields): readonly (readonly [string, ObjectSpec])[] {
	const items = Object.values(fields).flatMap((shape) =>
		typeof shape === "object" && "listOf" in shape && typeof shape.listOf === "object" ? [shape.listOf] : [],
	);
	return [
		[tokenOf(name), objectSpec(name, fields)],
		...items.map(({ idOr, fields: own, required }) => [tokenOf(idOr), { ...objectSpec(idOr, own), required }] as const),
	];
}

function objectSpec(name: string, fields: Fields["fields"]): ObjectSpec {
	const types = Object.entries(fields).map(([field, shape]) => [
		field,
		shape === "any" ? limitType(field) : typeOfShape(name, field, shape),
	]);
	return describedObject(name, Object.fromEntries(types) as Readonly<Record<string, TypeSpec>>);
}

function describedObject(name: string, types: Readonly<Record<string, TypeSpec>>): ObjectSpec {
	const texts = typeTexts[name];
	if (texts === undefined) throw new Error(`the type ${name} has no texts`);
	const properties = Object.entries(texts.properties).map(
		([property, words]) => [property, described(types[property] ?? anything, words)] as const,
	);
	return { description: texts.description, type: "object", properties: fromEntries(properties) };
}

/** The type of a limit as schemas/document.json has it: a number, or a number or text. */
function limitType(limit: string): TypeSpec {
	const { type } = documentProperty(`limits.${limit}`);
	return Array.isArray(type) && type.includes("string") ? { oneOf: [{ type: "integer" }, text] } : { type: "integer" };
}
