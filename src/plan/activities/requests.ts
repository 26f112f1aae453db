/** Which objects requests change. Parameters of activities come from the service and may have any shape. */
import { isRecord } from "../../common/json.ts";
import { requestShapes } from "../kinds/index.ts";
import type { RemovalKindName } from "../kinds/names.ts";
import type { Step, StepOperation, StepRequest } from "../step.ts";
import { compareText, sameValue } from "../value.ts";

/** Parameters of an activity, ours or of others. */
export type AnyParameters = Readonly<Record<string, unknown>>;

interface AnyRequest {
	readonly operation: StepOperation;
	readonly parameters: AnyParameters;
}

/** Returns the name of the parameter that lists ids; undefined for an operation that is about a single object. */
export function listParameter(operation: string): string | undefined {
	return isStepOperation(operation) ? (requestShapes[operation].list ?? undefined) : undefined;
}

/** Returns the ids of the objects that a request changes, in lower case, sorted, each once. */
export function objectsOf({ operation, parameters }: AnyRequest): readonly string[] {
	const { list, subject, objects } = requestShapes[operation];
	if (objects !== undefined) return [...new Set(objects(parameters))].sort(compareText);
	return idsIn(list === null ? [parameters[subject ?? ""]] : parameters[list]);
}

/** Returns the id of the single object that a request is about, or of the user whose objects it lists; "" where it names none. */
export function subjectOf({ operation, parameters }: AnyRequest): string {
	return String(parameters[requestShapes[operation].subject ?? ""] ?? "");
}

export function isStepOperation(operation: string): operation is StepOperation {
	return Object.hasOwn(requestShapes, operation);
}

/** Returns the kind and the ids of the objects that a request changes, and the user whose they are, where it names one. */
export function targetOf(request: AnyRequest): {
	readonly kind: "userTag" | RemovalKindName;
	readonly userId: string | null;
	readonly ids: readonly string[];
} {
	const { kind, list, subject } = requestShapes[request.operation];
	const userId = list === null || subject === null ? null : subjectOf(request).toLowerCase();
	return { kind, userId, ids: objectsOf(request) };
}

export function commonObjects(
	{ operation, parameters }: StepRequest,
	other: { readonly operation: string; readonly parameters: AnyParameters },
): readonly string[] {
	const { subject } = requestShapes[operation];
	const all: AnyParameters = parameters;
	if (operation !== other.operation || (subject !== null && !isSameId(all[subject], other.parameters[subject])))
		return [];
	const theirs = new Set(objectsOf({ operation, parameters: other.parameters }));
	return objectsOf({ operation, parameters }).filter((id) => theirs.has(id));
}

/** Returns the part of the step that is about these ids; all of it where it is about a single object. */
export function narrowStep(step: Step, ids: readonly string[]): Step {
	if (requestShapes[step.operation].list === null) return step;
	const covers = step.covers.filter(({ id }) => ids.includes(id));
	const reason = "count" in step.reason ? { ...step.reason, count: covers.length } : step.reason;
	const named = reason.kind === "create" ? { ...reason, name: covers[0]?.id ?? reason.name } : reason;
	return { ...step, ...narrowRequest(step, ids), covers, reason: named };
}

/** Returns what a step can be split by: its objects, or the users whom it gives or takes a tag; nothing where it names a tag (order/renamed-first.ts). */
export function piecesOf(step: Step): readonly string[] {
	if (step.operation !== "update_user_tag") return listParameter(step.operation) === undefined ? [] : objectsOf(step);
	const { newUserTagName, addUserIds, removeUserIds } = step.parameters;
	return newUserTagName === undefined ? [...addUserIds, ...removeUserIds].sort(compareText) : [];
}

/** Returns the part of the step with these of its pieces. */
export function narrowToPieces(step: Step, pieces: readonly string[]): Step {
	if (step.operation !== "update_user_tag") return narrowStep(step, pieces);
	const { userTagId, addUserIds, removeUserIds } = step.parameters;
	const own = (userIds: readonly string[]): readonly string[] => userIds.filter((id) => pieces.includes(id));
	return { ...step, parameters: { userTagId, addUserIds: own(addUserIds), removeUserIds: own(removeUserIds) } };
}

function narrowRequest<O extends StepOperation>(request: StepRequest<O>, ids: readonly string[]): StepRequest<O> {
	return requestShapes[request.operation].narrow(request, ids);
}

/** Returns ids in lower case, sorted, each once; none for anything that is no list. */
export function idsIn(value: unknown): readonly string[] {
	return Array.isArray(value) ? [...new Set(value.map((id) => String(id).toLowerCase()))].sort(compareText) : [];
}

function isSameId(left: unknown, right: unknown): boolean {
	return typeof left === "string" && typeof right === "string" && left.toLowerCase() === right.toLowerCase();
}

/** Whether both ask for the same: the order of ids, their case, and what is left out, null or empty mean nothing. */
export function sameParameters(left: AnyParameters, right: AnyParameters): boolean {
	return sameValue(normalize(left), normalize(right));
}

/** Whether a request asks for all that the step does. What an update of a policy leaves out stays as it is then, also where the step clears it. */
export function isSameRequest({ operation, parameters }: StepRequest, asked: AnyParameters): boolean {
	const isWhole = Object.keys(parameters).every((name) => typeof asked[name] === "string");
	return (operation !== "update_policy" || isWhole) && sameParameters(parameters, asked);
}

function normalize(parameters: AnyParameters): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(parameters)
			.filter(([, value]) => value !== null && value !== undefined && value !== "" && !isEmptyList(value))
			.map(([key, value]) => [key, normalizeValue(key, value)]),
	);
}

/** Only ids have no case; a list of policies keeps its order, in which the service makes ids. */
function normalizeValue(key: string, value: unknown): unknown {
	if (Array.isArray(value))
		return value.some(isRecord) ? value.map((one) => (isRecord(one) ? normalize(one) : one)) : idsIn(value);
	return /Id$/.test(key) ? String(value).toLowerCase() : value;
}

function isEmptyList(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}
