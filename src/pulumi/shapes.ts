/**
 * What each input of a resource has to look like, said in a program's words: the rules of a document speak of YAML, of lines
 * and of names for users, which a program does not have. What inputs mean together is for plan/document to judge.
 */
import { type CheckFailure, hasUnknown, type Properties } from "./inputs.ts";

export type Shape = "text" | "id" | "any" | OneOf | ListOf | Fields;

interface OneOf {
	readonly oneOf: readonly string[];
}

interface ListOf {
	readonly listOf: "text" | "id";
}

/** An object that has these fields and no others; each may be left out. */
interface Fields {
	readonly fields: Readonly<Record<string, Shape>>;
}

export interface InputShapes extends Fields {
	readonly required: readonly string[];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const longestShown = 60;

/** Each input that cannot be what it stands for; what is not known yet is not judged. */
export function checkShapes(given: Properties, { fields, required }: InputShapes): readonly CheckFailure[] {
	// Whose resource it is, is no input that a program writes.
	const { resource: _resource, partOf: _partOf, ...inputs } = given;
	const missing = required.filter((property) => inputs[property] === undefined);
	return [
		...missing.map((property) => ({ property, reason: "it is missing, and has to be there" })),
		...Object.entries(inputs).flatMap(([property, value]): readonly CheckFailure[] => {
			if (value === undefined) return [];
			const shape = fields[property];
			if (shape === undefined) {
				const known = joinWords(Object.keys(fields), "and");
				return [{ property, reason: `there is no such property; there are ${known}` }];
			}
			return findMistakes("", shape, value).map((mistake) => ({ property, reason: inPlace(property, mistake) }));
		}),
	];
}

interface Mistake {
	/** Below the property, for example `.atLeast[0]`. */
	readonly path: string;
	readonly message: string;
}

function inPlace(property: string, { path, message }: Mistake): string {
	return path === "" ? `it ${message}` : `${property}${path} ${message}`;
}

function findMistakes(path: string, shape: Shape, value: unknown): readonly Mistake[] {
	if (typeof value === "string" && hasUnknown(value)) return [];
	if (value === null) return [{ path, message: "is null; leave it out, or give it a value" }];
	if (shape === "any") return [];
	if (typeof shape === "string") return isOf(shape, value) ? [] : [mistake(path, wantedOf(shape), value)];
	if ("oneOf" in shape) {
		const wanted = joinWords(shape.oneOf, "or");
		return shape.oneOf.includes(value as string) ? [] : [mistake(path, wanted, value)];
	}
	if ("listOf" in shape) {
		if (!Array.isArray(value)) return [mistake(path, `a list of ${shape.listOf === "id" ? "UUIDs" : "texts"}`, value)];
		return value.flatMap((item: unknown, index) => findMistakes(`${path}[${index}]`, shape.listOf, item));
	}
	const names = Object.keys(shape.fields);
	if (typeof value !== "object" || Array.isArray(value)) {
		return [mistake(path, `an object with ${joinWords(names, "or")}`, value)];
	}
	return Object.entries(value).flatMap(([name, item]: [string, unknown]): readonly Mistake[] => {
		const field = shape.fields[name];
		const place = `${path}.${name}`;
		if (field !== undefined) return findMistakes(place, field, item);
		return [{ path: place, message: `is not known; here can be ${joinWords(names, "or")}` }];
	});
}

function isOf(shape: "text" | "id", value: unknown): boolean {
	return typeof value === "string" && (shape === "text" || uuid.test(value));
}

function wantedOf(shape: "text" | "id"): string {
	return shape === "text" ? "text" : "a UUID such as 3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001";
}

function mistake(path: string, wanted: string, value: unknown): Mistake {
	const text = JSON.stringify(value);
	const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
	return { path, message: `must be ${wanted}, and is ${shown}` };
}

function joinWords(words: readonly string[], last: "and" | "or"): string {
	return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
