/**
 * Errors that the service answers: an HTTP status, a gRPC code and a message (docs/internals/service.md#errors). Handlers throw them;
 * service.ts turns them into error bodies. A failed request changes nothing but the counter of the passkey that stamped it.
 */
import type { PolicyEvaluation } from "./state.ts";

/** Thrown by handlers; becomes the answer. No stamp and no body may be in `message`. */
export class RequestError extends Error {
	readonly status: number;
	readonly code: number;
	readonly details: readonly unknown[];

	constructor(status: number, code: number, message: string, details: readonly unknown[] = []) {
		super(message);
		this.name = "RequestError";
		this.status = status;
		this.code = code;
		this.details = details;
	}

	/** Returns the error body of the service (docs/internals/service.md#errors). */
	body(): Readonly<Record<string, unknown>> {
		return { code: this.code, message: this.message, details: this.details, turnkeyErrorCode: "" };
	}
}

/** 400, gRPC 3: the request itself is wrong. */
export function badRequest(message: string): RequestError {
	return new RequestError(400, 3, message);
}

/** 401, gRPC 16: no stamp, a bad stamp or an unknown key. */
export function unauthenticated(message: string): RequestError {
	return new RequestError(401, 16, message);
}

/** 404, gRPC 5: what the request names is not there. */
export function notFound(message: string): RequestError {
	return new RequestError(404, 5, message);
}

/** 403, gRPC 7: a query is denied. */
export function denied(details: readonly unknown[] = []): RequestError {
	return new RequestError(403, 7, "You don't have sufficient permissions to take this action.", details);
}

/** 403, gRPC 7: policies or rules deny a submit. The details name them, each with its outcome. */
export function deniedByPolicies(policyEvaluations: readonly PolicyEvaluation[]): RequestError {
	return denied([
		{
			"@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
			message: "No policies evaluated to outcome: Allow",
			policyEvaluations,
		},
	]);
}
