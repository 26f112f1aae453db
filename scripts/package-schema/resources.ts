/** The resources and the component in the package schema, and the types of their inputs and outputs. */
import type { PropertySchema } from "../../src/pulumi/inputs/input-schema.ts";
import { documentInputs } from "../../src/pulumi/organization/organization-fields.ts";
import type { ResourceDefinition } from "../../src/pulumi/resources/resource.ts";
import { resources } from "../../src/pulumi/resources/resources.ts";
import { configurationNamespace } from "../../src/pulumi/settings/settings.ts";
import { argumentsSpec } from "./functions.ts";
import { commentOfMember, objectSpec, sourceOf, typesFrom, typesIn } from "./sources.ts";
import {
	anything,
	listOf,
	namedType,
	type ObjectSpec,
	type PropertySpecs,
	type TypeSpec,
	text,
	tokenOf,
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

function resourceSpec({ name, schema, identity, computed = [] }: ResourceDefinition): ResourceSpec {
	const outputs = sourceOf(name).members;
	const propertyOf = (owner: string, property: string) => {
		const shape = computed.includes(property) ? "text" : schema.fields[property];
		if (shape === undefined) throw new Error(`${name} has no input ${property}`);
		return { ...typeOfShape(name, property, shape), description: commentOfMember(owner, property) };
	};
	const inputOf = (property: string) => {
		const input = propertyOf(`${name}Args`, property);
		// Not `replaceOnChanges`, by which the engine decides: it would also replace a resource whose id is unknown yet, or written
		// in upper case.
		return identity.includes(property) ? { ...input, willReplaceOnChanges: true } : input;
	};
	return {
		description: sourceOf(name).comment,
		type: "object",
		inputProperties: mapNames(Object.keys(schema.fields), inputOf),
		requiredInputs: schema.required,
		properties: mapNames(Object.keys(outputs), (property) => propertyOf(name, property)),
		required: Object.keys(outputs).filter((output) => outputs[output]?.isOptional === false),
		// In-place adoption of what the dynamic resources manage.
		aliases: [{ type: `pulumi-nodejs:dynamic/${configurationNamespace}:${name}` }],
	};
}

function mapNames<Value>(names: readonly string[], make: (name: string) => Value): Readonly<Record<string, Value>> {
	return Object.fromEntries(names.map((name) => [name, make(name)]));
}

/** The name of the type of a property whose values are objects or words. */
function typeName(resource: string, property: string): string {
	return property === "limits" ? `${resource}Limits` : property.replace(/^./, (letter) => letter.toUpperCase());
}

function typeOfShape(resource: string, property: string, shape: PropertySchema): TypeSpec {
	if (shape === "boolean") return { type: "boolean" };
	if (typeof shape === "string") return shape === "any" ? anything : text;
	if ("mapOf" in shape) return { type: "object", additionalProperties: text };
	return "listOf" in shape ? listOf(text) : namedType(typeName(resource, property));
}

/** Outputs of the component that are always set. The others are unknown where policies were not read. */
const always = ["organizationId", "summary", "changes", "activities"];

function organizationSpec(): ResourceSpec {
	const { properties, required = [] } = argumentsSpec(documentInputs, "OrganizationArgs");
	return {
		isComponent: true,
		description: sourceOf("Organization").comment,
		inputProperties: properties,
		requiredInputs: required,
		...objectSpec("Organization"),
		required: always,
	};
}

/** The values of an input that has a fixed set of them, by the name of its type. */
const enums = {
	Effect: {
		description: "What a policy does where its condition and its consensus hold.",
		values: { allow: "Allows the activity.", deny: "Denies the activity, whatever other policies allow." },
	},
	OnDestroy: {
		description: "What destroying a user tag does.",
		values: {
			keep: "Submits nothing.",
			removeMembers: "Removes the managed members from the tag.",
			delete: "Deletes the tag.",
		},
	},
	Reads: {
		description: "Which queries orgsync uses.",
		values: {
			auto: "The eight documented queries and, where the service has them, the extended reads.",
			documented: "Only the eight documented queries.",
		},
	},
};

/** The named types of resources, by token. */
export function resourceTypes(): Readonly<Record<string, object>> {
	const objects = resources.flatMap(({ name, schema }) =>
		Object.entries(schema.fields).flatMap(([property, shape]) =>
			typeof shape === "object" && "fields" in shape ? [typesFrom(typeName(name, property))] : [],
		),
	);
	const words = Object.entries(enums).map(([name, { description, values }]) => {
		const all = Object.entries(values).map(([value, meaning]) => ({ value, description: meaning }));
		return [tokenOf(name), { description, type: "string", enum: all }];
	});
	return { ...Object.assign({}, ...objects), ...typesIn("Organization"), ...Object.fromEntries(words) };
}
