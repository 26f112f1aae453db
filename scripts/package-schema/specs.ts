/** The parts of Pulumi's package schema that this package uses. */
import { configurationNamespace } from "../../src/pulumi/settings/settings.ts";

export interface TypeSpec {
	readonly type?: "string" | "number" | "integer" | "boolean" | "array" | "object";
	readonly items?: TypeSpec;
	readonly additionalProperties?: TypeSpec;
	readonly oneOf?: readonly TypeSpec[];
	readonly $ref?: string;
}

interface PropertySpec extends TypeSpec {
	readonly description: string;
	readonly defaultInfo?: { readonly environment: readonly string[] };
	readonly secret?: boolean;
	readonly willReplaceOnChanges?: boolean;
}

export type PropertySpecs = Readonly<Record<string, PropertySpec>>;

export interface ObjectSpec {
	readonly description?: string;
	readonly type: "object";
	readonly properties: PropertySpecs;
	readonly required?: readonly string[];
}

export const text: TypeSpec = { type: "string" };
export const anything: TypeSpec = { $ref: "pulumi.json#/Any" };

export function listOf(items: TypeSpec): TypeSpec {
	return { type: "array", items };
}

/** The token of a resource, function or type of this package, for example `orgsync:index:UserTag`. */
export function tokenOf(name: string): string {
	return `${configurationNamespace}:index:${name}`;
}

export function namedType(name: string): TypeSpec {
	return { $ref: `#/types/${tokenOf(name)}` };
}
