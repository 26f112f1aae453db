/** The functions in the package schema, and the types of their results. */
import { defined, nonEmpty } from "../../src/common/defined.ts";
import { type QueryFunction, queryFunctions } from "../../src/pulumi/functions/queries.ts";
import type { ArgumentShape, Arguments } from "../../src/pulumi/inputs/input-schema.ts";
import { getPlanName } from "../../src/pulumi/organization/get-plan.ts";
import { documentInputs } from "../../src/pulumi/organization/organization-fields.ts";
import { readSchema } from "../../src/schema/bundle.ts";
import { type QueryName, queries } from "../../src/wire/operations.ts";
import { commentOfMember, objectSpec, sourceOf, typesIn } from "./sources.ts";
import { anything, listOf, namedType, type ObjectSpec, type TypeSpec, text, tokenOf } from "./specs.ts";

interface FunctionSpec {
	readonly description: string;
	readonly inputs: ObjectSpec;
	readonly outputs: ObjectSpec;
}

/** The functions by token. */
export function functionSpecs(): Readonly<Record<string, FunctionSpec>> {
	const getPlan = {
		description: sourceOf(getPlanName).comment,
		inputs: argumentsSpec(documentInputs, "OrganizationArgs"),
		outputs: objectSpec("DocumentPlan"),
	};
	const specs = queryFunctions.map((query) => [tokenOf(query.name), querySpec(query)] as const);
	return Object.fromEntries([...specs, [tokenOf(getPlanName), getPlan]]);
}

/** Arguments of a function or inputs of a component; the interface `owner` describes those without a description. */
export function argumentsSpec(fields: Arguments, owner: string): ObjectSpec {
	const all = Object.entries(fields);
	const required = all.flatMap(([name, { isOptional }]) => (isOptional === true ? [] : [name]));
	return {
		type: "object",
		properties: Object.fromEntries(
			all.map(([name, { shape, description = commentOfMember(owner, name) }]) => [
				name,
				{ ...argumentTypes[shape], description },
			]),
		),
		...defined({ required: nonEmpty(required) }),
	};
}

const argumentTypes: Readonly<Record<ArgumentShape, TypeSpec>> = {
	text,
	id: text,
	texts: listOf(text),
	document: { oneOf: [text, { type: "object", additionalProperties: anything }] },
};

/** What the only field of each result is. */
const resultTexts: Readonly<Record<QueryName, string>> = {
	get_session_profile: "The session profile.",
	get_mfa_policy: "The MFA policy.",
	get_mfa_policies: "The MFA policies of the user.",
	get_mfa_status: "One entry for each MFA policy and voting user.",
	get_latest_boot_proof: "The latest boot proof.",
	get_policy_evaluations: "One entry for each evaluated vote.",
	list_user_tags: "The user tags.",
	list_supported_assets: "The supported assets.",
};

function querySpec({ name, operation, arguments: fields }: QueryFunction): FunctionSpec {
	const { answerKey } = queries[operation];
	const type = typeOf(answerSchema(operation), typeNames[answerKey]);
	return {
		description: sourceOf(name).comment.replace(/ \(`\w+`\)/, ""),
		inputs: argumentsSpec(fields, name),
		outputs: {
			type: "object",
			properties: { [answerKey]: { ...type, description: resultTexts[operation] } },
			required: [answerKey],
		},
	};
}

/** The named types of results, by token. */
export function recordTypes(): Readonly<Record<string, ObjectSpec>> {
	const found = new Map<string, ObjectSpec>();
	for (const { operation } of queryFunctions) {
		addTypes(answerSchema(operation), typeNames[queries[operation].answerKey], found);
	}
	const records = [...found].map(([name, spec]) => [tokenOf(name), spec] as const);
	return { ...Object.fromEntries(records), ...typesIn("DocumentPlan") };
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
	const specs = Object.entries(properties).map(([property, schema]) => [
		property,
		{ ...typeOf(schema, nameOfType(name, property)), description: commentOfMember(name, property) },
	]);
	const always = required.filter((property) => !isNullable(properties[property]));
	return {
		description: sourceOf(name).comment,
		type: "object",
		properties: Object.fromEntries(specs),
		...defined({ required: nonEmpty(always) }),
	};
}

function isNullable(schema: AnswerSchema | undefined): boolean {
	return [schema?.type].flat().includes("null");
}
