/**
 * The bodies under /emulator/: every field and its valid values. A body with an unknown field or a wrong value is rejected as a
 * whole, with every problem. docs/emulator.md lists the same fields. Pure.
 */

import { validateHeaderName, validateHeaderValue } from "node:http";
import { isRecord } from "../json.ts";
import { approvals, extendedReads, operations, submits } from "../wire/operations.ts";
import { maxClockMs, maxFaultDelayMs, minClockMs } from "./assumptions.ts";
import { activityFaults, faultKinds } from "./faults.ts";
import { isUuid } from "./identifiers.ts";
import type { JsonObject } from "./kinds/entity-kind.ts";
import { entityKinds } from "./kinds/table.ts";
import { badRequest } from "./request-error.ts";

interface Field {
	/** What a value has to be, after `must be`. */
	readonly description: string;
	readonly isValid: (value: unknown) => boolean;
	readonly required?: boolean;
}

type Fields = Readonly<Record<string, Field>>;

const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isNumber = (min: number, max: number) => (value: unknown) =>
	typeof value === "number" && value >= min && value <= max;
const isWhole = (min: number, max: number) => (value: unknown) =>
	Number.isSafeInteger(value) && isNumber(min, max)(value);
const isOneOf = (values: readonly string[]) => (value: unknown) => values.some((choice) => choice === value);

const maxCount = 1_000_000_000;
/** One request in eleven days. */
const minRate = 0.000001;
const operationNames = Object.keys({ ...operations, ...approvals, ...extendedReads });
const submitNames = Object.keys({ ...submits, ...approvals });

/** Sets the length of an answer or how long its connection lasts: the emulator's own. */
const framingHeaders = ["connection", "content-length", "keep-alive", "trailer", "transfer-encoding", "upgrade"];

function isHeaders(value: unknown): boolean {
	if (!isRecord(value)) return false;
	return Object.entries(value).every(([name, text]) => {
		try {
			validateHeaderName(name);
			validateHeaderValue(name, text as string);
			return typeof text === "string" && !framingHeaders.includes(name.toLowerCase());
		} catch {
			return false;
		}
	});
}

const countField = { description: `a whole number from 1 to ${maxCount}`, isValid: isWhole(1, maxCount) };

const faultFields: Fields = {
	operation: {
		description: "the name of an operation, for example list_user_tags, or *",
		isValid: isOneOf([...operationNames, "*"]),
		required: true,
	},
	fault: { description: `one of ${faultKinds.join(", ")}`, isValid: isOneOf(faultKinds), required: true },
	count: countField,
	headers: {
		description: `an object of header names and texts, without ${framingHeaders.join(", ")}`,
		isValid: isHeaders,
	},
	delayMs: { description: `milliseconds from 0 to ${maxFaultDelayMs}`, isValid: isNumber(0, maxFaultDelayMs) },
	status: { description: "an HTTP status from 200 to 599", isValid: isWhole(200, 599) },
	takesEffect: { description: "true or false", isValid: isBoolean },
};

/** The kinds of fault that a field is for; those that are not here are for all. */
const kindsOfField: Readonly<Record<string, readonly string[]>> = {
	headers: ["429", "5xx", "html", "slow"],
	delayMs: ["slow"],
	status: ["5xx", "html"],
	takesEffect: ["429", "5xx", "html"],
};

const limitFields: Fields = {
	requestsPerSecond: {
		description: `a number from ${minRate} to ${maxCount}`,
		isValid: isNumber(minRate, maxCount),
		required: true,
	},
	burst: countField,
	retryAfter: { description: "true or false", isValid: isBoolean },
	per: { description: "server or organization", isValid: isOneOf(["server", "organization"]) },
};

const instant = `milliseconds from ${minClockMs} to ${maxClockMs}`;
const clockFields: Fields = {
	nowMs: { description: instant, isValid: isNumber(minClockMs, maxClockMs) },
	advanceMs: {
		description: `milliseconds from -${maxClockMs} to ${maxClockMs}`,
		isValid: isNumber(-maxClockMs, maxClockMs),
	},
	reset: { description: "true", isValid: (value) => value === true },
};

const organizationId: Field = {
	description: "a UUID",
	isValid: (value) => typeof value === "string" && isUuid(value.toLowerCase()),
	required: true,
};

const rulesFields: Fields = {
	organizationId,
	rules: {
		description: "an object, in the form of a seed's rules, or {} to remove them",
		isValid: isRecord,
		required: true,
	},
};

const patchFields: Fields = {
	organizationId,
	organizationName: { description: "a text", isValid: (value) => typeof value === "string" },
	...Object.fromEntries(
		entityKinds.map(({ section, expected, isSection }) => [
			section,
			{ description: expected.section, isValid: isSection },
		]),
	),
	rules: { description: "an object, in the form of a seed's rules", isValid: isRecord },
	remove: { description: "an object with lists of ids by kind", isValid: isRecord },
};

const removeFields: Fields = Object.fromEntries(
	entityKinds.map(({ section, expected, isId }) => [
		section,
		{ description: expected.ids, isValid: (value: unknown) => Array.isArray(value) && value.every(isId) },
	]),
);

const seedFields: Fields = {
	organizations: {
		description: "a list of organizations: orgsync schema seed",
		isValid: Array.isArray,
		required: true,
	},
};

/** The fields of every body under /emulator/, by the method and path of its endpoint, for the page that lists them. */
export const fieldsByEndpoint: Readonly<Record<string, readonly string[]>> = {
	"POST /emulator/state": [...Object.keys(seedFields), ...Object.keys(patchFields)],
	"POST /emulator/rules": Object.keys(rulesFields),
	"POST /emulator/clock": Object.keys(clockFields),
	"POST /emulator/limits": Object.keys(limitFields),
	"POST /emulator/faults": Object.keys(faultFields),
};

function findFieldProblems(body: JsonObject, fields: Fields, at = ""): readonly string[] {
	const known = Object.keys(fields);
	const unknown = Object.keys(body)
		.filter((name) => !known.includes(name))
		.map((name) => `${at}${name}: unknown field (known: ${known.length === 0 ? "none" : known.join(", ")})`);
	const invalid = Object.entries(fields).flatMap(([name, { description, isValid, required }]) => {
		const value = body[name];
		if (value === undefined) return required === true ? [`${at}${name}: missing, must be ${description}`] : [];
		return isValid(value) ? [] : [`${at}${name}: must be ${description}`];
	});
	return [...unknown, ...invalid];
}

function rejectProblems(problems: readonly string[]): void {
	if (problems.length > 0) throw badRequest(problems.join("; "));
}

/** Throws a RequestError for any field: the endpoint takes no body. */
export function rejectFields(body: JsonObject): void {
	rejectProblems(findFieldProblems(body, {}));
}

/** Throws a RequestError with every problem unless the value is a fault. */
export function checkFault(body: object): void {
	const { operation, fault, ...rest } = body as JsonObject;
	const kind = faultKinds.find((one) => one === fault);
	const misplaced = Object.entries(kindsOfField)
		.filter(([name, kinds]) => rest[name] !== undefined && kind !== undefined && !kinds.includes(kind))
		.map(([name, kinds]) => `${name}: only for ${kinds.join(", ")}`);
	const hasNoSubmit =
		activityFaults.some((one) => one === kind) &&
		isOneOf(operationNames)(operation) &&
		!isOneOf(submitNames)(operation);
	const unusable = hasNoSubmit ? [`operation: ${kind} is only for submits: ${submitNames.join(", ")}, or *`] : [];
	rejectProblems([...findFieldProblems(body as JsonObject, faultFields), ...misplaced, ...unusable]);
}

/** Throws a RequestError with every problem unless the value is a rate limit. */
export function checkRateLimit(body: object): void {
	rejectProblems(findFieldProblems(body as JsonObject, limitFields));
}

/** Throws a RequestError unless the value has exactly one valid change of the clock. */
export function checkClockChange(body: object): void {
	rejectProblems(findFieldProblems(body as JsonObject, clockFields));
	if (Object.keys(body).length === 1) return;
	throw badRequest("the body must have one of nowMs (milliseconds), advanceMs (milliseconds), reset (true)");
}

/** Throws a RequestError unless the value is an organization id and an object of rules. The rules themselves are not checked. */
export function checkRulesRequest(body: object): void {
	rejectProblems(findFieldProblems(body as JsonObject, rulesFields));
}

/** Throws a RequestError unless the value has the form of a seed or a patch. Its entities are checked when they are merged. */
export function checkStateRequest(body: object): void {
	if ("organizations" in body) {
		rejectProblems(findFieldProblems(body as JsonObject, seedFields));
		return;
	}
	rejectProblems(findFieldProblems(body as JsonObject, patchFields));
	const { remove } = body as JsonObject;
	if (isRecord(remove)) rejectProblems(findFieldProblems(remove, removeFields, "remove."));
}

/** Returns the organization of a query string, or undefined. Throws a RequestError for any other parameter. */
export function readStateQuery(query: URLSearchParams): string | undefined {
	const body = Object.fromEntries(query);
	rejectProblems(findFieldProblems(body, { organizationId: { ...organizationId, required: false } }));
	return body.organizationId;
}
