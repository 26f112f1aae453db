/** The functions in the package schema, and the types of their results. */
import { defined, nonEmpty } from "../../../common/defined.ts";
import { readSchema } from "../../../schema/bundle.ts";
import { type QueryName, queries } from "../../../wire/operations.ts";
import { functions } from "../../functions/functions.ts";
import { queryFunctions } from "../../functions/queries.ts";
import { recordTexts, resultTexts } from "../../functions/query-records.ts";
import { describedSpec, describedTypes } from "./described.ts";
import { fromEntries, listOf, namedType, type ObjectSpec, type TypeSpec, tokenOf, wordsOf } from "./specs.ts";

type FunctionResult = (typeof functions)[number]["result"];

interface FunctionSpec {
	readonly description: string;
	readonly inputs: ObjectSpec;
	readonly outputs: ObjectSpec;
}

/** The functions by token. */
export function functionSpecs(): Readonly<Record<string, FunctionSpec>> {
	return Object.fromEntries(
		functions.map(({ name, description, arguments: inputs, result }) => [
			tokenOf(name),
			{
				description,
				inputs: describedSpec(inputs),
				outputs: isQuery(result) ? answerSpec(result.operation) : describedSpec(result),
			},
		]),
	);
}

/** The named types of results, by token. */
export function recordTypes(): Readonly<Record<string, ObjectSpec>> {
	const found = new Map<string, ObjectSpec>();
	for (const { operation } of queryFunctions) {
		const { answerKey } = queries[operation];
		addTypes(answerSchema(operation), typeNames[answerKey], found);
	}
	const records = [...found].map(([name, spec]) => [tokenOf(name), spec] as const);
	const others = functions.flatMap(({ result }) => (isQuery(result) ? [] : [describedTypes(result)]));
	return Object.assign({}, Object.fromEntries(records), ...others);
}

function isQuery(result: FunctionResult): result is { readonly operation: QueryName } {
	return "operation" in result && typeof result.operation === "string";
}

function answerSpec(operation: QueryName): ObjectSpec {
	const { answerKey } = queries[operation];
	const description = resultTexts[operation];
	if (description === undefined) throw new Error(`the result of ${operation} has no text`);
	const type = typeOf(answerSchema(operation), typeNames[answerKey]);
	return {
		type: "object",
		properties: { [answerKey]: { ...type, description } },
		required: [answerKey],
	};
}

/** The schema of the only field of an answer. */
function answerSchema(operation: QueryName): AnswerSchema {
	const { response } = readSchema(`operations/${operation}.json`).$defs as { readonly response: AnswerSchema };
	return response.properties?.[queries[operation].answerKey] ?? {};
}

interface AnswerSchema {
	readonly type?: string | readonly string[];
	readonly properties?: Readonly<Record<string, AnswerSchema>>;
	readonly required?: readonly string[];
	readonly items?: AnswerSchema;
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
		...defined({ required: nonEmpty(always) }),
	};
}

function isNullable(schema: AnswerSchema | undefined): boolean {
	return [schema?.type].flat().includes("null");
}
