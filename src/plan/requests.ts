/**
 * What requests change, by operation: the objects that they list, and whose they are. Parameters of activities come from the
 * service and may have any shape; those of steps are ours.
 */
import type { Step, StepOperation, StepParameters, StepRequest } from "./step.ts";
import { compareText } from "./value.ts";

/** Parameters of an activity, ours or of others. */
export type AnyParameters = Readonly<Record<string, unknown>>;

interface AnyRequest {
	readonly operation: StepOperation;
	readonly parameters: AnyParameters;
}

/** What is to know of the requests of one operation. */
interface RequestShape<O extends StepOperation> {
	/** The parameter that lists the ids of the objects; null where a request is about a single object. */
	readonly list: (keyof StepParameters[O] & string) | null;
	/** The parameter that names the single object, or the user whose objects are listed; null where there is neither. */
	readonly subject: (keyof StepParameters[O] & string) | null;
	/** Returns the part of the request that is about these ids; all of it where it is about a single object. */
	readonly narrow: (request: StepRequest<O>, ids: readonly string[]) => StepRequest<O>;
}

const shapes: { readonly [O in StepOperation]: RequestShape<O> } = {
	update_user_tag: { list: null, subject: "userTagId", narrow: (request) => request },
	delete_oauth_providers: {
		list: "providerIds",
		subject: "userId",
		narrow: ({ operation, parameters }, providerIds) => ({ operation, parameters: { ...parameters, providerIds } }),
	},
	delete_policies: {
		list: "policyIds",
		subject: null,
		narrow: ({ operation }, policyIds) => ({ operation, parameters: { policyIds } }),
	},
	delete_tvc_app_and_deployments: { list: null, subject: "appId", narrow: (request) => request },
};

/** Returns the name of the parameter that lists ids; undefined for an operation that is about a single object. */
export function listParameter(operation: string): string | undefined {
	return Object.hasOwn(shapes, operation) ? (shapes[operation as StepOperation].list ?? undefined) : undefined;
}

/** Returns the ids of the objects that a request changes, in lower case, sorted, each once. */
export function objectsOf({ operation, parameters }: AnyRequest): readonly string[] {
	const { list, subject } = shapes[operation];
	return idsIn(list === null ? [parameters[subject ?? ""]] : parameters[list]);
}

/** Returns the id of the single object that a request is about, or of the user whose objects it lists; "" where it names none. */
export function subjectOf({ operation, parameters }: AnyRequest): string {
	return String(parameters[shapes[operation].subject ?? ""] ?? "");
}

/** Returns the objects that both requests change. */
export function commonObjects(
	{ operation, parameters }: StepRequest,
	other: { readonly operation: string; readonly parameters: AnyParameters },
): readonly string[] {
	const { subject } = shapes[operation];
	const all: AnyParameters = parameters;
	if (operation !== other.operation || (subject !== null && !isSameId(all[subject], other.parameters[subject])))
		return [];
	const theirs = new Set(objectsOf({ operation, parameters: other.parameters }));
	return objectsOf({ operation, parameters }).filter((id) => theirs.has(id));
}

/** Returns the part of the step that is about these ids; all of it where it is about a single object. */
export function narrowStep(step: Step, ids: readonly string[]): Step {
	if (listParameter(step.operation) === undefined) return step;
	return { ...step, ...narrowRequest(step, ids), covers: step.covers.filter(({ id }) => ids.includes(id)) };
}

function narrowRequest<O extends StepOperation>(request: StepRequest<O>, ids: readonly string[]): StepRequest<O> {
	return shapes[request.operation].narrow(request, ids);
}

/** Returns ids in lower case, sorted, each once; none for anything that is no list. */
export function idsIn(value: unknown): readonly string[] {
	return Array.isArray(value) ? [...new Set(value.map((id) => String(id).toLowerCase()))].sort(compareText) : [];
}

function isSameId(left: unknown, right: unknown): boolean {
	return typeof left === "string" && typeof right === "string" && left.toLowerCase() === right.toLowerCase();
}
