/** The bodies under /emulator/, as docs/emulator.md lists them. A wrong one is rejected whole, with every problem. Pure. */

import { validateHeaderName, validateHeaderValue } from "node:http";
import { isRecord } from "../../common/json.ts";
import { approvals, extendedReads, queries } from "../../wire/operations.ts";
import { maxClockMs, maxFaultDelayMs, minClockMs } from "../assumptions.ts";
import { isUuid } from "../identifiers.ts";
import type { JsonObject } from "../kinds/entity-kind.ts";
import { entityKinds } from "../kinds/table.ts";
import { badRequest } from "../request-error.ts";
import { servedSubmits } from "../served-submits.ts";
import { activityFaults, creationFaults, faultKinds } from "./faults.ts";

interface Field {
	/** What a value has to be, after `must be`. */
	readonly description: string;
	readonly isValid: (value: unknown) => boolean;
	readonly required?: boolean;
	/** The kinds of fault that the field is for; all when left out. */
	readonly onlyFor?: readonly string[];
}

type Fields = Readonly<Record<string, Field>>;

const aNumber = (what: string, min: number, max: number): Field => ({
	description: `${what} from ${min} to ${max}`,
	isValid: (value) => typeof value === "number" && value >= min && value <= max,
});
const aWholeNumber = (what: string, min: number, max: number): Field => {
	const { description, isValid } = aNumber(what, min, max);
	return { description, isValid: (value) => Number.isSafeInteger(value) && isValid(value) };
};
const oneOf = (values: readonly string[], description = `one of ${values.join(", ")}`): Field => ({
	description,
	isValid: (value) => values.some((choice) => choice === value),
});
const anObject = (description: string): Field => ({ description, isValid: isRecord });
const trueOrFalse: Field = { description: "true or false", isValid: (value) => typeof value === "boolean" };

const maxCount = 1_000_000_000;
/** One request in eleven days. */
const minRate = 0.000001;
const submitNames = Object.keys({ ...servedSubmits, ...approvals });
const operationNames = [...submitNames, ...Object.keys({ ...queries, ...extendedReads })];

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

const count = aWholeNumber("a whole number", 1, maxCount);

const faultFields: Fields = {
	operation: {
		...oneOf([...operationNames, "*"], "the name of an operation, for example list_user_tags, or *"),
		required: true,
	},
	fault: { ...oneOf(faultKinds), required: true },
	count,
	headers: {
		description: `an object of header names and texts, without ${framingHeaders.join(", ")}`,
		isValid: isHeaders,
		onlyFor: ["429", "5xx", "html", "slow"],
	},
	delayMs: { ...aNumber("milliseconds", 0, maxFaultDelayMs), onlyFor: ["slow"] },
	status: { ...aWholeNumber("an HTTP status", 200, 599), onlyFor: ["5xx", "html"] },
	takesEffect: { ...trueOrFalse, onlyFor: ["429", "5xx", "html"] },
};

export const limitFields: Fields = {
	requestsPerSecond: { ...aNumber("a number", minRate, maxCount), required: true },
	burst: count,
	retryAfter: trueOrFalse,
	per: oneOf(["server", "organization"], "server or organization"),
};

const clockFields: Fields = {
	nowMs: aNumber("milliseconds", minClockMs, maxClockMs),
	advanceMs: aNumber("milliseconds", -maxClockMs, maxClockMs),
	reset: { description: "true", isValid: (value) => value === true },
};

const organizationId: Field = {
	description: "a UUID",
	isValid: (value) => typeof value === "string" && isUuid(value.toLowerCase()),
	required: true,
};

/** The rules themselves are checked by `findRulesProblems`. */
export const rulesFields: Fields = {
	organizationId,
	rules: { ...anObject("an object, in the form of a seed's rules, or {} to remove them"), required: true },
};

const patchFields: Fields = {
	organizationId,
	organizationName: { description: "a text", isValid: (value) => typeof value === "string" },
	parentOrganizationId: { ...organizationId, required: false },
	...Object.fromEntries(
		entityKinds.map(({ section, expected, isSection }) => [
			section,
			{ description: expected.section, isValid: isSection },
		]),
	),
	rootQuorum: {
		description: "an object with threshold and userIds, or null to remove it",
		isValid: (value) => value === null || isRecord(value),
	},
	rules: anObject("an object, in the form of a seed's rules"),
	remove: anObject("an object with lists of ids by kind"),
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

/** Throws a RequestError with every problem of a body or a query, and `others`, if there is any. `at` precedes their names. */
export function checkFields(body: object, fields: Fields, at = "", others: readonly string[] = []): void {
	const known = Object.keys(fields);
	const unknown = Object.keys(body)
		.filter((name) => !known.includes(name))
		.map((name) => `${at}${name}: unknown field (known: ${known.length === 0 ? "none" : known.join(", ")})`);
	const invalid = Object.entries(fields).flatMap(([name, { description, isValid, required }]) => {
		const value = (body as JsonObject)[name];
		if (value === undefined) return required === true ? [`${at}${name}: missing, must be ${description}`] : [];
		return isValid(value) ? [] : [`${at}${name}: must be ${description}`];
	});
	const problems = [...unknown, ...invalid, ...others];
	if (problems.length > 0) throw badRequest(problems.join("; "));
}

/** Throws a RequestError with every problem unless the value is a fault. */
export function checkFault(body: object): void {
	const { operation, fault, ...rest } = body as JsonObject;
	const kind = faultKinds.find((one) => one === fault);
	const misplaced = Object.entries(faultFields)
		.filter(
			([name, { onlyFor }]) => rest[name] !== undefined && kind !== undefined && onlyFor?.includes(kind) === false,
		)
		.map(([name, { onlyFor = [] }]) => `${name}: only for ${onlyFor.join(", ")}`);
	const name = operationNames.find((one) => one === operation);
	const hasNoSubmit = name !== undefined && !submitNames.includes(name) && activityFaults.some((one) => one === kind);
	const isOfCreation = kind !== undefined && creationFaults.includes(kind);
	const unusable = hasNoSubmit ? [`operation: ${kind} is only for submits: ${submitNames.join(", ")}, or *`] : [];
	if (isOfCreation && name !== "create_policies") unusable.push(`operation: ${kind} is only for create_policies`);
	checkFields(body, faultFields, "", [...misplaced, ...unusable]);
}

/** Throws a RequestError unless the value has exactly one valid change of the clock. */
export function checkClockChange(body: object): void {
	checkFields(body, clockFields);
	if (Object.keys(body).length === 1) return;
	throw badRequest("the body must have one of nowMs (milliseconds), advanceMs (milliseconds), reset (true)");
}

/** Throws a RequestError unless the value has the form of a seed or a patch. Its entities are checked when they are merged. */
export function checkStateRequest(body: object): void {
	if ("organizations" in body) {
		checkFields(body, seedFields);
		return;
	}
	checkFields(body, patchFields);
	const { remove } = body as JsonObject;
	if (isRecord(remove)) checkFields(remove, removeFields, "remove.");
}

/** Returns the organization of a query string, or undefined. Throws a RequestError for any other parameter. */
export function readStateQuery(query: JsonObject): string | undefined {
	checkFields(query, { organizationId: { ...organizationId, required: false } });
	return query.organizationId as string | undefined;
}
