/** The functions in the package schema, and the types of their results. */
import { readSchema } from "../../../schema.ts";
import { type QueryName, queries } from "../../../wire/operations.ts";
import { queriedOrganization, queryTexts, recordTexts } from "../../query-texts.ts";
import { fromEntries, listOf, namedType, type ObjectSpec, type TypeSpec, text, tokenOf, wordsOf } from "./specs.ts";

interface FunctionSpec {
	readonly description: string;
	readonly inputs: ObjectSpec;
	readonly outputs: ObjectSpec;
}

/** The functions by token. */
export function functionSpecs(): Readonly<Record<string, FunctionSpec>> {
	return Object.fromEntries(
		(Object.keys(queries) as QueryName[]).map((name) => [tokenOf(functionName(name)), functionSpec(name)]),
	);
}

/** The name of a query as a function: `getMfaPolicies` for `get_mfa_policies`. */
function functionName(query: QueryName): string {
	return query.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

function functionSpec(name: QueryName): FunctionSpec {
	const { description, arguments: texts, result } = queryTexts[name];
	const { answerKey } = queries[name];
	const { request, response } = operationSchema(name);
	const required = (request.required ?? []).filter((argument) => argument !== "organizationId");
	const record = response.properties?.[answerKey] ?? {};
	return {
		description,
		inputs: {
			type: "object",
			properties: fromEntries([
				...Object.entries(texts).map(([argument, words]) => [argument, { ...text, description: words }] as const),
				["organizationId", { ...text, description: queriedOrganization }],
			]),
			...(required.length === 0 ? {} : { required }),
		},
		outputs: {
			type: "object",
			properties: { [answerKey]: { ...typeOf(record, typeNames[answerKey]), description: result } },
			required: [answerKey],
		},
	};
}

/** The named types of results, by token. */
export function recordTypes(): Readonly<Record<string, ObjectSpec>> {
	const found = new Map<string, ObjectSpec>();
	for (const name of Object.keys(queries) as QueryName[]) {
		const { answerKey } = queries[name];
		addTypes(operationSchema(name).response.properties?.[answerKey] ?? {}, typeNames[answerKey], found);
	}
	return Object.fromEntries([...found].map(([name, spec]) => [tokenOf(name), spec]));
}

interface AnswerSchema {
	readonly type?: string | readonly string[];
	readonly properties?: Readonly<Record<string, AnswerSchema>>;
	readonly required?: readonly string[];
	readonly items?: AnswerSchema;
}

/** The request and the response of a query, as schemas/operations/ has them. */
function operationSchema(name: QueryName): { readonly request: AnswerSchema; readonly response: AnswerSchema } {
	return readSchema(`operations/${name}.json`).$defs as ReturnType<typeof operationSchema>;
}

/** The types of objects by the property that has one, or a list of them. */
const typeNames: Readonly<Record<string, string>> = {
	sessionProfile: "SessionProfile",
	mfaPolicy: "MfaPolicy",
	mfaPolicies: "MfaPolicy",
	mfaStatuses: "MfaStatus",
	bootProof: "BootProof",
	policyEvaluations: "PolicyEvaluationRecord",
	userTags: "UserTagRecord",
	assets: "SupportedAsset",
	requiredAuthenticationMethods: "AuthenticationStep",
	requiredMethods: "AuthenticationStep",
	any: "AuthenticationMethod",
	satisfiedMethods: "AuthenticationMethod",
	createdAt: "Timestamp",
	updatedAt: "Timestamp",
};

/** The type of a property of another type: an evaluation has a list by the name of the whole result. */
function nameOfType(owner: string, property: string): string | undefined {
	return owner === "PolicyEvaluationRecord" && property === "policyEvaluations" ? "PolicyOutcome" : typeNames[property];
}

function typeOf(schema: AnswerSchema, name: string | undefined): TypeSpec {
	if (schema.items !== undefined) return listOf(typeOf(schema.items, name));
	if (schema.properties !== undefined && name !== undefined) return namedType(name);
	// A time has numbers or text as the service sends it; programs get text.
	const [type] = [schema.type].flat().filter((one) => one !== "null");
	return { type: (type ?? "string") as "string" };
}

function addTypes(schema: AnswerSchema, name: string | undefined, found: Map<string, ObjectSpec>): void {
	const { properties } = schema.items ?? schema;
	if (properties === undefined || name === undefined || found.has(name)) return;
	found.set(name, recordSpec(name, schema.items ?? schema));
	for (const [property, inner] of Object.entries(properties)) addTypes(inner, nameOfType(name, property), found);
}

/** A type with the properties of an answer. Only what no answer may leave out or set to null is required. */
function recordSpec(name: string, { properties = {}, required = [] }: AnswerSchema): ObjectSpec {
	const texts = recordTexts[name];
	if (texts === undefined) throw new Error(`the type ${name} has no texts`);
	const specs = Object.entries(properties).map(([property, schema]) => {
		const words = texts.properties[property];
		if (words === undefined) throw new Error(`${name}.${property} has no text`);
		return [property, { ...typeOf(schema, nameOfType(name, property)), description: wordsOf(words) }] as const;
	});
	const always = required.filter((property) => !isNullable(properties[property]));
	return {
		description: texts.description,
		type: "object",
		properties: fromEntries(specs),
		...(always.length === 0 ? {} : { required: always }),
	};
}

function isNullable(schema: AnswerSchema | undefined): boolean {
	return [schema?.type].flat().includes("null");
}
