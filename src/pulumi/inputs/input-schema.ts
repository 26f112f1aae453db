/** The schema of a resource's inputs. Its messages do not mention YAML, lines or aliases: programs have none. */

import { defined } from "../../common/defined.ts";
import { uuid } from "../../common/uuid.ts";
import { type CheckFailure, hasUnknown, type Properties, withoutMeta } from "./inputs.ts";
import { namesOfSecrets } from "./secrets.ts";

/** `expression`: a text in the policy language. */
export type PropertySchema = "text" | "expression" | "id" | "boolean" | "any" | OneOf | ListOf | MapOf | Fields;

interface OneOf {
	readonly oneOf: readonly string[];
}

/** An object that has ids by any names. */
interface MapOf {
	readonly mapOf: "id";
}

interface ListOf {
	readonly listOf: "text" | "id" | IdOr;
}

/** An id, or an object that says more of it. */
export interface IdOr {
	/** The name of the object's type in the package schema. */
	readonly idOr: string;
	readonly fields: Fields["fields"];
	readonly required: readonly string[];
}

/** An object that has these fields and no others; each may be left out. */
export interface Fields {
	readonly fields: Readonly<Record<string, PropertySchema>>;
}

export interface InputSchema extends Fields {
	readonly required: readonly string[];
}

const maxShownLength = 60;

/** What is wrong with each input. Unknown values are not checked. */
export function checkInputSchema(given: Properties, { fields, required }: InputSchema): readonly CheckFailure[] {
	const inputs = withoutMeta(given);
	const secrets = namesOfSecrets(given);
	const missing = required.filter((property) => inputs[property] === undefined);
	return [
		...missing.map((property) => ({ property, reason: "is required" })),
		...Object.entries(inputs).flatMap(([property, value]): readonly CheckFailure[] => {
			if (value === undefined) return [];
			const shape = Object.hasOwn(fields, property) ? fields[property] : undefined;
			if (shape === undefined) return [{ property, reason: unknownProperty(Object.keys(fields)) }];
			const show = secrets.includes(property) ? () => "a secret value" : showValue;
			return findMistakes("", shape, value, show).map(({ path, message }) => {
				return { property, reason: path === "" ? message : `${property}${path} ${message}` };
			});
		}),
	];
}

interface Mistake {
	/** Below the property, for example `.atLeast[0]`. */
	readonly path: string;
	readonly message: string;
}

type Show = (value: unknown) => string;

function findMistakes(path: string, shape: PropertySchema | IdOr, value: unknown, show: Show): readonly Mistake[] {
	const mistake = (wanted: string): readonly Mistake[] => [{ path, message: `must be ${wanted}, got ${show(value)}` }];
	if (typeof value === "string" && hasUnknown(value)) return [];
	if (value === null) return [{ path, message: "is null; omit it or set a value" }];
	if (shape === "any") return [];
	if (shape === "boolean") return typeof value === "boolean" ? [] : mistake("true or false");
	if (typeof shape === "string") {
		return typeof value === "string" && (shape !== "id" || uuid.test(value)) ? [] : mistake(wantedOf(shape));
	}
	if ("oneOf" in shape) {
		return shape.oneOf.includes(value as string) ? [] : mistake(joinWords(shape.oneOf));
	}
	if ("idOr" in shape) {
		if (typeof value === "string") return findMistakes(path, "id", value, show);
		if (typeof value === "object" && !Array.isArray(value))
			return findMistakes(path, { fields: shape.fields }, value, show);
		return mistake(`${wantedOf("id")}, or an object with ${joinWords(Object.keys(shape.fields))}`);
	}
	if ("listOf" in shape) {
		if (!Array.isArray(value)) return mistake(`a list of ${shape.listOf === "text" ? "strings" : "UUIDs"}`);
		return value.flatMap((item: unknown, index) => findMistakes(`${path}[${index}]`, shape.listOf, item, show));
	}
	if ("mapOf" in shape) {
		if (typeof value !== "object" || Array.isArray(value)) return mistake("an object of UUIDs by name");
		return Object.entries(value).flatMap(([name, item]) => findMistakes(`.${name}`, shape.mapOf, item, show));
	}
	const names = Object.keys(shape.fields);
	if (typeof value !== "object" || Array.isArray(value)) {
		return mistake(`an object with ${joinWords(names)}`);
	}
	return Object.entries(value).flatMap(([name, item]: [string, unknown]): readonly Mistake[] => {
		const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
		const place = `${path}.${name}`;
		if (field !== undefined) return findMistakes(place, field, item, show);
		return [{ path: place, message: `is an ${unknownProperty(names)}` }];
	});
}

function wantedOf(shape: "text" | "expression" | "id"): string {
	return shape !== "id" ? "a string" : "a UUID such as 3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001";
}

/** Why a property that has no meaning is a problem. */
export function unknownProperty(known: readonly string[]): string {
	return `unknown property; known: ${known.join(", ")}`;
}

function showValue(value: unknown): string {
	const text = JSON.stringify(value);
	return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
}

function joinWords(words: readonly string[]): string {
	return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

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
