/**
 * `query`: any query of the interface, its answer as JSON. And how a command that is about one organization finds it.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigurationError, exitCodes, ServiceError } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { readJson } from "../../json.ts";
import { type QueryResult, resultHead } from "../../render/result.ts";
import { checkSchema, type SchemaError } from "../../schema.ts";
import type { Reader } from "../../wire/client.ts";
import { findOrganizationId } from "../../wire/credentials.ts";
import { extendedReads, type QueryOperation, queries } from "../../wire/operations.ts";
import { type ConnectionFlags, connect, type ServiceFlags } from "../connect.ts";
import { localOrganizationId } from "../local-seed.ts";
import type { Output, Terminal } from "../output.ts";
import { type DocumentFlags, defaultDocument, readDesired } from "../sources.ts";
import { didYouMean } from "../suggest.ts";

export interface OrganizationFlags extends ConnectionFlags, DocumentFlags {
	readonly organization?: string;
}

/** Where an organization can be named. */
export type NamingFlags = Pick<OrganizationFlags, "organization" | "file" | "env" | "local">;

export interface QueryFlags extends NamingFlags, ServiceFlags {
	readonly json?: string;
}

const allQueries: Readonly<Record<string, QueryOperation>> = { ...queries, ...extendedReads };

/** The answer of the service to one query, as it came. Throws ConfigurationError for a field that the query does not have. */
export async function query(
	name: string,
	pairs: readonly string[],
	flags: QueryFlags,
	terminal: Terminal,
	output: Output,
): Promise<QueryResult> {
	const operation = Object.hasOwn(allQueries, name) ? allQueries[name] : undefined;
	if (operation === undefined) {
		throw new ConfigurationError(`there is no query ${showText(name)}${didYouMean(name, Object.keys(allQueries))}`, {
			hint: `queries of the interface: ${Object.keys(queries).join(", ")}; outside it: ${Object.keys(extendedReads).join(", ")}`,
		});
	}
	const given = flags.json === undefined ? readPairs(pairs) : readBody(flags.json, pairs);
	if (given.organizationId !== undefined && flags.organization !== undefined) {
		throw new ConfigurationError("the field organizationId and --organization exclude each other");
	}
	const organizationId = given.organizationId ?? (await findOrganization(flags, terminal));
	const fields = { ...given, organizationId };
	refuseUnsuitable(operation, fields);
	const connection = await connect(flags, terminal, output);
	try {
		const { value } = await askOne(connection.client.reader, operation, fields);
		return { ...resultHead("query", exitCodes.inSync, null), operation: operation.name, answer: value };
	} finally {
		await connection.close();
	}
}

/** The service's answer; where an extended read is not found, it may be the operation that the service does not have. */
async function askOne(
	reader: Reader,
	operation: QueryOperation,
	fields: Readonly<Record<string, unknown>>,
): ReturnType<Reader["query"]> {
	try {
		return await reader.query(operation, fields);
	} catch (error) {
		const isExtended = Object.hasOwn(extendedReads, operation.name);
		if (!isExtended || !(error instanceof ServiceError) || ![404, 501].includes(error.httpStatus)) throw error;
		const { message, httpStatus, grpcCode } = error;
		const lacking = `${operation.name} is an extended read, outside the interface: this service may not have it`;
		const hint = error.hint === undefined ? lacking : `${lacking}; if it does, ${error.hint}`;
		throw new ServiceError(message, httpStatus, grpcCode, { hint, cause: error });
	}
}

/** The organization by flag, environment or document, or the embedded service's; throws ConfigurationError without one. */
export async function findOrganization(flags: NamingFlags, terminal: Terminal): Promise<string> {
	refuseStrangeId(flags.organization);
	if (flags.organization !== undefined) return flags.organization.toLowerCase();
	const named = findOrganizationId(terminal.environment);
	if (named !== undefined && flags.local !== true && flags.file.length === 0) {
		refuseStrangeId(named, inEnvironment);
		return named;
	}
	const files = flags.local === true ? flags.file : documentsOf(flags, terminal);
	if (files.length > 0) {
		const ids = (await readDesired({ file: files, env: flags.env }, terminal)).map(
			({ organizationId }) => organizationId,
		);
		if (ids.length === 1 && ids[0] !== undefined) return ids[0];
		throw new ConfigurationError(
			`the documents speak of ${ids.length} organizations; say which with --organization ID`,
		);
	}
	if (flags.local === true) return localOrganizationId;
	throw new ConfigurationError("which organization? none is named", {
		hint: `use --organization ID, set ORGSYNC_ORGANIZATION_ID, or name a document with -f (for example -f ${defaultDocument})`,
	});
}

/** Hint for an organization that comes from the environment. */
export const inEnvironment = "the environment variable for the organization holds no id";

/**
 * Throws ConfigurationError for a name that no organization can have, before any service is asked. `hint` is where the name
 * comes from, unless that is in sight.
 */
export function refuseStrangeId(organizationId: string | undefined, hint?: string): void {
	if (organizationId === undefined) return;
	if (checkSchema("operations/list_user_tags.json", { organizationId }, "#/$defs/request").length === 0) return;
	const message = `\`${showText(organizationId)}\` is no organization id: it must be a UUID`;
	throw new ConfigurationError(message, hint === undefined ? {} : { hint });
}

/** The documents that were named, or the one that is there without being named; none when there is neither. */
export function documentsOf(flags: NamingFlags, terminal: Terminal): readonly string[] {
	const isThere = existsSync(resolve(terminal.directory, defaultDocument));
	return flags.file.length > 0 || !isThere ? flags.file : [defaultDocument];
}

function readPairs(pairs: readonly string[]): Record<string, unknown> {
	const fields: Record<string, unknown> = {};
	for (const pair of pairs) {
		const at = pair.indexOf("=");
		if (at <= 0) throw new ConfigurationError(`\`${showText(pair)}\` is no field; write NAME=VALUE`);
		const name = pair.slice(0, at);
		if (Object.hasOwn(fields, name))
			throw new ConfigurationError(`the field ${showText(name)} is given more than once`);
		Object.defineProperty(fields, name, { value: pair.slice(at + 1), enumerable: true });
	}
	return fields;
}

const jsonHint = `for example --json '{"userId": "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001"}'`;

function readBody(json: string, pairs: readonly string[]): Record<string, unknown> {
	if (pairs.length > 0) throw new ConfigurationError("--json and NAME=VALUE exclude each other");
	const read = readJson(json);
	if (!("value" in read)) throw new ConfigurationError(`--json is ${read.mistake}`, { hint: jsonHint });
	const body = read.value;
	if (body !== null && typeof body === "object" && !Array.isArray(body)) return body as Record<string, unknown>;
	throw new ConfigurationError("--json is no JSON object", { hint: jsonHint });
}

function refuseUnsuitable(operation: QueryOperation, fields: Readonly<Record<string, unknown>>): void {
	const unknown = Object.keys(fields).find((name) => !operation.fields.includes(name));
	const known = `${operation.name} has the fields ${operation.fields.join(", ")}`;
	if (unknown !== undefined)
		throw new ConfigurationError(`${operation.name} has no field ${showText(unknown)}`, { hint: known });
	const mistake = checkSchema(`operations/${operation.name}.json`, fields, "#/$defs/request")[0];
	if (mistake === undefined) return;
	throw new ConfigurationError(describeMistake(operation, mistake), {
		hint: `${known}; orgsync schema operations/${operation.name} prints its schema`,
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

/** The first of the types that a field may have; null is left out: it is the same as no field. */
function describeType(types: readonly string[]): string {
	const type = types.find((one) => one !== "null") ?? "null";
	return typeWords[type] ?? `a ${type}`;
}
