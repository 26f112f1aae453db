/**
 * What the bodies under /emulator/ may hold: every field with what is right for it. A body with an unknown field or a wrong
 * value is refused whole, and told all of it. docs/emulator.md lists the same fields. Pure.
 */
import { validateHeaderName, validateHeaderValue } from "node:http";
import { approvals, extendedReads, operations, submits } from "../wire/operations.ts";
import { faultTimeLimitMs, firstMs, lastMs } from "./choices.ts";
import { faultKinds, outcomeFaults } from "./faults.ts";
import { isUuid } from "./identifiers.ts";
import { invalid } from "./refusals.ts";
import { type EntityKind, entityKinds } from "./state.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

interface Field {
	/** What a value has to be, after `must be`. */
	readonly right: string;
	readonly fits: (value: unknown) => boolean;
	readonly required?: boolean;
}

type Fields = Readonly<Record<string, Field>>;

function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isNumber = (least: number, most: number) => (value: unknown) =>
	typeof value === "number" && value >= least && value <= most;
const isWhole = (least: number, most: number) => (value: unknown) =>
	Number.isSafeInteger(value) && isNumber(least, most)(value);
const isOneOf = (choices: readonly string[]) => (value: unknown) => choices.some((choice) => choice === value);

const mostTimes = 1_000_000_000;
/** One request in eleven days. */
const leastRate = 0.000001;
const operationNames = Object.keys({ ...operations, ...approvals, ...extendedReads });
const submitNames = Object.keys({ ...submits, ...approvals });

/** Sets the length of an answer or how long its connection lasts: the emulator's own. */
const framing = ["connection", "content-length", "keep-alive", "trailer", "transfer-encoding", "upgrade"];

function isHeaders(value: unknown): boolean {
	if (!isObject(value)) return false;
	return Object.entries(value).every(([name, text]) => {
		try {
			validateHeaderName(name);
			validateHeaderValue(name, text as string);
			return typeof text === "string" && !framing.includes(name.toLowerCase());
		} catch {
			return false;
		}
	});
}

const times = { right: `a whole number from 1 to ${mostTimes}`, fits: isWhole(1, mostTimes) };

const faultFields: Fields = {
	operation: {
		right: "the name of an operation, for example list_user_tags, or *",
		fits: isOneOf([...operationNames, "*"]),
		required: true,
	},
	fault: { right: `one of ${faultKinds.join(", ")}`, fits: isOneOf(faultKinds), required: true },
	count: times,
	headers: {
		right: `an object of header names and texts, without ${framing.join(", ")}`,
		fits: isHeaders,
	},
	delayMs: { right: `milliseconds from 0 to ${faultTimeLimitMs}`, fits: isNumber(0, faultTimeLimitMs) },
	status: { right: "an HTTP status from 200 to 599", fits: isWhole(200, 599) },
	acted: { right: "true or false", fits: isBoolean },
};

/** The kinds of fault that a field is for; those that are not here are for all. */
const kindsOfField: Readonly<Record<string, readonly string[]>> = {
	headers: ["429", "5xx", "html", "slow"],
	delayMs: ["slow"],
	status: ["5xx", "html"],
	acted: ["429", "5xx", "html"],
};

const limitFields: Fields = {
	requestsPerSecond: {
		right: `a number from ${leastRate} to ${mostTimes}`,
		fits: isNumber(leastRate, mostTimes),
		required: true,
	},
	burst: times,
	retryAfter: { right: "true or false", fits: isBoolean },
	per: { right: "server or organization", fits: isOneOf(["server", "organization"]) },
};

const instant = `milliseconds from ${firstMs} to ${lastMs}`;
const clockFields: Fields = {
	nowMs: { right: instant, fits: isNumber(firstMs, lastMs) },
	advanceMs: { right: `milliseconds from -${lastMs} to ${lastMs}`, fits: isNumber(-lastMs, lastMs) },
	reset: { right: "true", fits: (value) => value === true },
};

const organizationId: Field = {
	right: "a UUID",
	fits: (value) => typeof value === "string" && isUuid(value.toLowerCase()),
	required: true,
};

const rulesFields: Fields = {
	organizationId,
	rules: { right: "an object, in the form of a seed's rules, or {} to lift them", fits: isObject, required: true },
};

const isListOf = (fits: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(fits);
const sectionOf = (kind: EntityKind): Field =>
	kind === "supportedAssets"
		? { right: "an object with a list of assets by network, as in a seed", fits: isObject }
		: { right: "a list of objects, as in a seed", fits: isListOf(isObject) };

const patchFields: Fields = {
	organizationId,
	organizationName: { right: "a text", fits: (value) => typeof value === "string" },
	...Object.fromEntries(entityKinds.map((kind) => [kind, sectionOf(kind)])),
	rules: { right: "an object, in the form of a seed's rules", fits: isObject },
	remove: { right: "an object with lists of ids by kind", fits: isObject },
};

const removeFields: Fields = Object.fromEntries(
	entityKinds.map((kind) => [
		kind,
		kind === "supportedAssets"
			? { right: "a list of networks", fits: isListOf((id) => typeof id === "string") }
			: { right: "a list of UUIDs", fits: isListOf(organizationId.fits) },
	]),
);

const seedFields: Fields = {
	organizations: { right: "a list of organizations: orgsync schema seed", fits: Array.isArray, required: true },
};

/** The fields of every body under /emulator/, by the method and path of its endpoint, for the page that lists them. */
export const fieldsByEndpoint: Readonly<Record<string, readonly string[]>> = {
	"POST /emulator/state": [...Object.keys(seedFields), ...Object.keys(patchFields)],
	"POST /emulator/rules": Object.keys(rulesFields),
	"POST /emulator/clock": Object.keys(clockFields),
	"POST /emulator/limits": Object.keys(limitFields),
	"POST /emulator/faults": Object.keys(faultFields),
};

function mistakesIn(order: JsonObject, fields: Fields, at = ""): readonly string[] {
	const known = Object.keys(fields);
	const unknown = Object.keys(order)
		.filter((name) => !known.includes(name))
		.map(
			(name) =>
				`${at}${name}: is not known here, ${known.length === 0 ? "and nothing is" : `known are ${known.join(", ")}`}`,
		);
	const wrong = Object.entries(fields).flatMap(([name, { right, fits, required }]) => {
		const value = order[name];
		if (value === undefined) return required === true ? [`${at}${name}: is missing, and must be ${right}`] : [];
		return fits(value) ? [] : [`${at}${name}: must be ${right}`];
	});
	return [...unknown, ...wrong];
}

function refuse(mistakes: readonly string[]): void {
	if (mistakes.length > 0) throw invalid(mistakes.join("; "));
}

/** Throws a refusal for any field: the endpoint takes no body. */
export function refuseFields(order: JsonObject): void {
	refuse(mistakesIn(order, {}));
}

/** Throws a refusal, which names every mistake, for a value that orders no fault. */
export function checkFault(order: object): void {
	const { operation, fault, ...rest } = order as JsonObject;
	const kind = faultKinds.find((one) => one === fault);
	const misplaced = Object.entries(kindsOfField)
		.filter(([name, kinds]) => rest[name] !== undefined && kind !== undefined && !kinds.includes(kind))
		.map(([name, kinds]) => `${name}: is for the faults ${kinds.join(", ")} only`);
	const strikesNothing =
		outcomeFaults.some((one) => one === kind) && isOneOf(operationNames)(operation) && !isOneOf(submitNames)(operation);
	const misled = strikesNothing ? [`operation: ${kind} strikes submits only: ${submitNames.join(", ")}, or *`] : [];
	refuse([...mistakesIn(order as JsonObject, faultFields), ...misplaced, ...misled]);
}

/** Throws a refusal, which names every mistake, for a value that orders no limit. */
export function checkLimit(order: object): void {
	refuse(mistakesIn(order as JsonObject, limitFields));
}

/** Throws a refusal when a value orders the clock nothing, several things, or what is no time. */
export function checkClockOrder(order: object): void {
	refuse(mistakesIn(order as JsonObject, clockFields));
	if (Object.keys(order).length === 1) return;
	throw invalid("the clock takes one of {nowMs: milliseconds}, {advanceMs: milliseconds}, {reset: true}");
}

/** Throws a refusal when a value is not an organization and its rules; whether the rules are rules is not looked at. */
export function checkRulesOrder(order: object): void {
	refuse(mistakesIn(order as JsonObject, rulesFields));
}

/** Throws a refusal when a value is neither a seed nor a patch; what they hold is checked where they are merged. */
export function checkStateOrder(order: object): void {
	if ("organizations" in order) {
		refuse(mistakesIn(order as JsonObject, seedFields));
		return;
	}
	refuse(mistakesIn(order as JsonObject, patchFields));
	const { remove } = order as JsonObject;
	if (isObject(remove)) refuse(mistakesIn(remove, removeFields, "remove."));
}

/** The organization that a query string asks for, or undefined. Throws a refusal for any other parameter. */
export function readStateQuery(query: URLSearchParams): string | undefined {
	const order = Object.fromEntries(query);
	refuse(mistakesIn(order, { organizationId: { ...organizationId, required: false } }));
	return order.organizationId;
}
