/** The parts of Pulumi's package schema that this package uses, and the texts in it. */
import { readSchema } from "../../../schema/bundle.ts";
import type { Text } from "../../resources/resource-texts.ts";
import { configurationNamespace } from "../../settings/settings.ts";

export interface TypeSpec {
	readonly type?: "string" | "number" | "integer" | "boolean" | "array" | "object";
	readonly items?: TypeSpec;
	readonly additionalProperties?: TypeSpec;
	readonly oneOf?: readonly TypeSpec[];
	readonly $ref?: string;
}

export interface PropertySpec extends TypeSpec {
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

/** The entries as an object; those without a value are left out. */
export function fromEntries<Value>(
	entries: readonly (readonly [string, Value | undefined])[],
): Readonly<Record<string, Value>> {
	return Object.fromEntries(entries.filter((entry): entry is [string, Value] => entry[1] !== undefined));
}

/** The words of a text. Throws if schemas/document.json lacks what it names: a defect of the package. */
export function wordsOf(given: Text): string {
	if (typeof given === "string") return given;
	const { description } = documentProperty(given.document);
	if (description === undefined) throw new Error(`schemas/document.json does not describe ${given.document}`);
	return given.and === undefined ? description : `${description} ${given.and}`;
}

interface DocumentSchema {
	readonly description?: string;
	readonly type?: string | readonly string[];
	readonly properties?: Readonly<Record<string, DocumentSchema>>;
	readonly $defs?: Readonly<Record<string, DocumentSchema>>;
}

let document: DocumentSchema | undefined;

/** The schema of a property of documents; the path begins with a key of the document or of its `$defs`. */
export function documentProperty(path: string): DocumentSchema {
	document ??= readSchema("document.json") as DocumentSchema;
	const [start = "", ...rest] = path.split(".");
	const found = document.properties?.[start] ?? document.$defs?.[start];
	return rest.reduce<DocumentSchema | undefined>((part, name) => part?.properties?.[name], found) ?? {};
}
