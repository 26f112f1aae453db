import { ConfigurationError, exitCodes, ServiceError } from "../../common/errors.ts";
import { showName, showText } from "../../common/escape.ts";
import { isRecord, readJson } from "../../common/json.ts";
import { commandText } from "../../plan/suggested-command.ts";
import { type QueryResult, resultHead } from "../../render/result/result.ts";
import { checkSchema, type SchemaError } from "../../schema/schema.ts";
import { validators } from "../../schema/validators/requests.ts";
import { extendedReads, type QueryOperation, queries } from "../../wire/operations.ts";
import { type ServiceFlags, withConnection } from "../connect.ts";
import type { Flags } from "../flags/given-flags.ts";
import { didYouMean } from "../flags/suggest.ts";
import type { Call } from "../output/output.ts";
import { findOrganization, type NamingFlags } from "./selection.ts";

type QueryFlags = NamingFlags & ServiceFlags & Flags<"json">;

const allQueries: Readonly<Record<string, QueryOperation>> = { ...queries, ...extendedReads };

/** Returns the answer of the service, unchanged. Throws ConfigurationError for a field that the query does not have. */
export async function query([name = "", ...pairs]: readonly string[], call: Call<QueryFlags>): Promise<QueryResult> {
	const { flags } = call;
	const operation = Object.hasOwn(allQueries, name) ? allQueries[name] : undefined;
	if (operation === undefined) {
		throw new ConfigurationError(`unknown query: ${showName(name)}${didYouMean(name, Object.keys(allQueries))}`, {
			hint: `queries: ${Object.keys(queries).join(", ")}; extended reads: ${Object.keys(extendedReads).join(", ")}`,
		});
	}
	const given = flags.json === undefined ? readPairs(pairs) : readBody(flags.json, pairs);
	if (given.organizationId !== undefined && flags.organization !== undefined) {
		throw new ConfigurationError("the field organizationId and --organization cannot be used together");
	}
	const organizationId = given.organizationId ?? (await findOrganization(call));
	const fields = { ...given, organizationId };
	refuseUnsuitable(operation, fields);
	const answer = await withConnection(call, ({ client }) =>
		explainLacking(operation, async () => (await client.reader.query(operation, fields)).value),
	);
	return { ...resultHead("query", exitCodes.inSync, null), operation: operation.name, answer };
}

/** Returns what `read` returns. The error for an extended read says that the service may not have the operation. */
export async function explainLacking<T>(operation: QueryOperation, read: () => Promise<T>): Promise<T> {
	try {
		return await read();
	} catch (error) {
		const isExtended = Object.hasOwn(extendedReads, operation.name);
		if (!isExtended || !(error instanceof ServiceError) || ![404, 501].includes(error.httpStatus)) throw error;
		const { message, httpStatus, grpcCode } = error;
		const lacking = `${operation.name} is an extended read, outside the interface: this service may not have it`;
		const hint = error.hint === undefined ? lacking : `${lacking}; if it does, ${error.hint}`;
		throw new ServiceError(message, httpStatus, grpcCode, { hint, cause: error });
	}
}

function readPairs(pairs: readonly string[]): Record<string, unknown> {
	const fields: Record<string, unknown> = {};
	for (const pair of pairs) {
		const at = pair.indexOf("=");
		if (at <= 0) throw new ConfigurationError(`\`${showText(pair)}\` is not a field; write NAME=VALUE`);
		const name = pair.slice(0, at);
		if (Object.hasOwn(fields, name))
			throw new ConfigurationError(`the field ${showText(name)} is given more than once`);
		Object.defineProperty(fields, name, { value: pair.slice(at + 1), enumerable: true });
	}
	return fields;
}

const jsonHint = `for example --json '{"userId": "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001"}'`;

function readBody(json: string, pairs: readonly string[]): Record<string, unknown> {
	if (pairs.length > 0) throw new ConfigurationError("--json and NAME=VALUE cannot be used together");
	const read = readJson(json);
	if (!("value" in read)) throw new ConfigurationError(`--json is ${read.mistake}`, { hint: jsonHint });
	if (isRecord(read.value)) return read.value;
	throw new ConfigurationError("--json is not a JSON object", { hint: jsonHint });
}

function refuseUnsuitable(operation: QueryOperation, fields: Readonly<Record<string, unknown>>): void {
	const unknown = Object.keys(fields).find((name) => !operation.fields.includes(name));
	const known = `${operation.name} has the fields ${operation.fields.join(", ")}`;
	if (unknown !== undefined)
		throw new ConfigurationError(`${operation.name} has no field ${showText(unknown)}`, { hint: known });
	const mistake = checkSchema(validators, `operations/${operation.name}.json#/$defs/request`, fields)[0];
	if (mistake === undefined) return;
	throw new ConfigurationError(describeMistake(operation, mistake), {
		hint: `${known}; \`${commandText({ command: "schema", arguments: [`operations/${operation.name}`] }, {})}\` prints its schema`,
	});
}

function describeMistake(operation: QueryOperation, { keyword, instancePath, params, message }: SchemaError): string {
	const field = instancePath.slice(1);
	if (keyword === "required") return `${operation.name} needs the field ${params.missingProperty}`;
	if (keyword === "format") return `the field ${field} must be a ${String(params.format).toUpperCase()}`;
	if (keyword === "enum") return `the field ${field} must be one of ${params.allowedValues.join(", ")}`;
	if (keyword === "type") return `the field ${field} must be ${describeType([params.type].flat())}`;
	return `the field ${field} ${message}`;
}

const typeWords: Readonly<Record<string, string>> = {
	string: "a string",
	array: "a list, which --json takes",
	object: "an object, which --json takes",
};

/** Returns the first type that a field can have, in words; null means the same as no field. */
function describeType(types: readonly string[]): string {
	const type = types.find((one) => one !== "null") ?? "null";
	return typeWords[type] ?? `a ${type}`;
}
