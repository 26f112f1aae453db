/** The committed package schema, as tests look into it. */
import { readFileSync } from "node:fs";

export interface Type {
	readonly type?: string;
	readonly $ref?: string;
	readonly items?: Type;
	readonly additionalProperties?: Type;
	readonly oneOf?: readonly Type[];
}

export interface Property extends Type {
	readonly description: string;
	readonly secret?: boolean;
	readonly willReplaceOnChanges?: boolean;
	readonly defaultInfo?: { readonly environment: readonly string[] };
}

export type Properties = Readonly<Record<string, Property>>;

export interface ObjectType {
	readonly description: string;
	readonly properties: Properties;
	readonly required?: readonly string[];
	readonly enum?: readonly { readonly value: string; readonly description: string }[];
}

export interface Resource extends ObjectType {
	readonly inputProperties: Properties;
	readonly requiredInputs: readonly string[];
	readonly isComponent?: boolean;
	readonly aliases?: readonly { readonly type: string }[];
}

export interface Function {
	readonly description: string;
	readonly inputs: ObjectType;
	readonly outputs: ObjectType;
}

export interface PackageSchema {
	readonly config: { readonly variables: Properties };
	readonly provider: { readonly description: string; readonly inputProperties: Properties };
	readonly types: Readonly<Record<string, ObjectType>>;
	readonly resources: Readonly<Record<string, Resource>>;
	readonly functions: Readonly<Record<string, Function>>;
	readonly language: { readonly go: { readonly importBasePath: string } };
}

export const schema = JSON.parse(readFileSync("schemas/pulumi.json", "utf8")) as PackageSchema;

/** The name in a token, for example `UserTag` in `orgsync:index:UserTag`. */
export function nameOf(token: string): string {
	return token.split(":").at(-1) ?? "";
}
