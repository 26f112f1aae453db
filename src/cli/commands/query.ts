/**
 * `query`: any query of the interface, its answer as JSON; and `explain`: why an activity is not finished, in words.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigurationError, exitCodes } from "../../errors.ts";
import { showText } from "../../plan/render/escape.ts";
import { checkSchema, type SchemaError } from "../../schema.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, type QueryOperation, queries } from "../../wire/operations.ts";
import { type ConnectionFlags, connect } from "../connect.ts";
import { findOrganizationId } from "../credentials.ts";
import { localOrganizationId } from "../local-seed.ts";
import { defaultDocument, readDesired } from "../sources.ts";
import type { Result, Terminal, Voice } from "../voice.ts";

export interface OrganizationFlags extends ConnectionFlags {
	readonly organization?: string;
	readonly file: readonly string[];
}

export interface QueryFlags extends OrganizationFlags {
	readonly json?: string;
}

const allQueries: Readonly<Record<string, QueryOperation>> = { ...queries, ...extendedReads };

/** The answer of the service to one query, as it came. Throws ConfigurationError for a field that the query does not have. */
export async function query(
	name: string,
	pairs: readonly string[],
	flags: QueryFlags,
	terminal: Terminal,
	voice: Voice,
): Promise<Result> {
	const operation = Object.hasOwn(allQueries, name) ? allQueries[name] : undefined;
	if (operation === undefined) {
		throw new ConfigurationError(`there is no query ${showText(name)}`, {
			hint: `queries of the interface: ${Object.keys(queries).join(", ")}; outside it: ${Object.keys(extendedReads).join(", ")}`,
		});
	}
	const given = flags.json === undefined ? readPairs(pairs) : readBody(flags.json, pairs);
	const organizationId = given.organizationId ?? (await findOrganization(flags, terminal));
	const fields = { ...given, organizationId };
	refuseUnsuitable(operation, fields);
	const connection = await connect(flags, terminal, voice);
	try {
		const { value } = await connection.client.reader.query(operation, fields);
		return {
			exitCode: exitCodes.converged,
			text: () => `${JSON.stringify(value, null, 2)}\n`,
			json: { operation: operation.name, answer: value },
		};
	} finally {
		await connection.close();
	}
}

/** The organization by flag, environment or document, or the embedded service's; throws ConfigurationError without one. */
export async function findOrganization(flags: OrganizationFlags, terminal: Terminal): Promise<string> {
	if (flags.organization !== undefined) return flags.organization.toLowerCase();
	const named = findOrganizationId(terminal.environment);
	if (named !== undefined && flags.local !== true && flags.file.length === 0) return named;
	const files = flags.local === true ? flags.file : documentsOf(flags, terminal);
	if (files.length > 0) {
		const ids = (await readDesired(files, terminal)).map(({ organizationId }) => organizationId);
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

/** The documents that were named, or the one that is there without being named; none when there is neither. */
export function documentsOf(flags: OrganizationFlags, terminal: Terminal): readonly string[] {
	const isThere = existsSync(resolve(terminal.directory, defaultDocument));
	return flags.file.length > 0 || !isThere ? flags.file : [defaultDocument];
}

function readPairs(pairs: readonly string[]): Record<string, unknown> {
	return Object.fromEntries(
		pairs.map((pair) => {
			const at = pair.indexOf("=");
			if (at <= 0) throw new ConfigurationError(`\`${showText(pair)}\` is no field; write NAME=VALUE`);
			return [pair.slice(0, at), pair.slice(at + 1)];
		}),
	);
}

const jsonHint = `for example --json '{"userId": "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001"}'`;

function readBody(json: string, pairs: readonly string[]): Record<string, unknown> {
	if (pairs.length > 0) throw new ConfigurationError("--json and NAME=VALUE exclude each other");
	try {
		const body: unknown = JSON.parse(json);
		if (body !== null && typeof body === "object" && !Array.isArray(body)) return body as Record<string, unknown>;
	} catch {
		throw new ConfigurationError("--json is no JSON", { hint: jsonHint });
	}
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
	if (keyword === "type") return `the field ${field} must be a ${String(params.type)}`;
	return `the field ${field} ${message}`;
}

/** What the policies say of an activity and which authenticators are missing, in words. */
export async function explain(
	activityId: string,
	flags: OrganizationFlags,
	terminal: Terminal,
	voice: Voice,
): Promise<Result> {
	const organizationId = await findOrganization(flags, terminal);
	const fields = { organizationId, activityId };
	if (checkSchema("operations/get_policy_evaluations.json", fields, "#/$defs/request").length > 0) {
		throw new ConfigurationError(`\`${showText(activityId)}\` is no activity id: it must be a UUID`, {
			hint: "apply says the id of every activity that waits",
		});
	}
	const connection = await connect(flags, terminal, voice);
	try {
		const [evaluations, statuses] = await askBoth(connection.client.reader, fields);
		return {
			exitCode: exitCodes.converged,
			text: () => `${explainPolicies(activityId, evaluations)}${explainStatuses(statuses)}`,
			json: { activityId, policyEvaluations: evaluations, mfaStatuses: statuses },
		};
	} finally {
		await connection.close();
	}
}

interface EvaluationRecord {
	readonly policyEvaluations?: readonly { readonly policyId?: string; readonly outcome?: string }[] | null;
}

interface StatusEntry {
	readonly userId: string;
	readonly mfaPolicyId: string;
	readonly satisfied?: boolean | null;
	readonly satisfiedMethods?: readonly Method[] | null;
	readonly requiredMethods?: readonly { readonly any?: readonly Method[] | null }[] | null;
}

interface Method {
	readonly type: string;
	readonly id?: string | null;
}

async function askBoth(
	reader: Reader,
	fields: Readonly<Record<string, unknown>>,
): Promise<[readonly EvaluationRecord[], readonly StatusEntry[]]> {
	const [evaluations, statuses] = await Promise.all([
		reader.query(queries.get_policy_evaluations, fields),
		reader.query(queries.get_mfa_status, fields),
	]);
	return [
		(evaluations.value.policyEvaluations ?? []) as readonly EvaluationRecord[],
		(statuses.value.mfaStatuses ?? []) as readonly StatusEntry[],
	];
}

/** service-facts.md, "Answers to the 13 operations that differ": the outcomes of a policy. */
const outcomeWords: Readonly<Record<string, string>> = {
	OUTCOME_ALLOW: "allows it",
	OUTCOME_DENY_EXPLICIT: "denies it",
	OUTCOME_DENY_IMPLICIT: "does not allow it",
	OUTCOME_REQUIRES_CONSENSUS: "waits for more approvals",
	OUTCOME_REJECTED: "was ended by a rejection",
	OUTCOME_ERROR: "could not be evaluated",
	OUTCOME_REQUIRES_AUTHENTICATORS: "waits for authenticators",
	OUTCOME_TIME_INACTIVE: "is not in force at this time",
};

function explainPolicies(activityId: string, records: readonly EvaluationRecord[]): string {
	const lines = records.flatMap(({ policyEvaluations }) =>
		(policyEvaluations ?? []).map(({ policyId, outcome }) => {
			const words = outcomeWords[outcome ?? ""] ?? `says ${showText(outcome ?? "nothing")}`;
			return `  policy ${showText(policyId ?? "(no id)")} ${words}`;
		}),
	);
	const head = `Activity ${showText(activityId)}\n`;
	return `${head}${lines.length === 0 ? "  no policy has judged it\n" : `${lines.join("\n")}\n`}`;
}

function explainStatuses(statuses: readonly StatusEntry[]): string {
	return statuses
		.map((status) => {
			const who = `  user ${showText(status.userId)}, MFA policy ${showText(status.mfaPolicyId)}: `;
			if (status.satisfied === true) return `${who}satisfied\n`;
			if (status.satisfied !== false) return `${who}the service does not say whether it is satisfied\n`;
			const missing = (status.requiredMethods ?? [])
				.filter(
					({ any }) =>
						!(any ?? []).some((method) => (status.satisfiedMethods ?? []).some((done) => isMethod(done, method))),
				)
				.map(({ any }) => (any ?? []).map(showMethod).join(" or "));
			return `${who}still missing: ${missing.length === 0 ? "the service does not say what" : missing.join(", then ")}\n`;
		})
		.join("");
}

function isMethod(done: Method, required: Method): boolean {
	return (
		done.type === required.type &&
		(required.id === undefined || required.id === null || required.id === "" || done.id === required.id)
	);
}

function showMethod({ type, id }: Method): string {
	const name = showText(
		type
			.replace(/^AUTHENTICATION_TYPE_/, "")
			.toLowerCase()
			.replaceAll("_", " "),
	);
	return id === undefined || id === null || id === "" ? name : `${name} (${showText(id)})`;
}
