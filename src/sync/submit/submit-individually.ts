/**
 * Submits a refused removal again, object by object. If live state cannot be read, a removal lists what the document lists,
 * and one object that is gone already can make the service refuse all of it (docs/internals/service.md#not-documented). Submitted
 * individually, the others are removed.
 *
 * A 404 for one of them does not mean that it is gone: the service answers it for an unknown organization too.
 */

import { say } from "../../common/said.ts";
import { listParameter } from "../../plan/activities/requests.ts";
import type { PartResult } from "../../plan/report.ts";
import type { ActivityRequest, SubmitContext } from "./activity-request.ts";
import { notAttempted, type SubmitResult } from "./outcomes.ts";
import { submitOnce } from "./submit-once.ts";

/** One object of a removal, and the result of its own request. */
export interface SubmittedPart {
	readonly id: string;
	readonly address: string;
	readonly request: ActivityRequest;
	readonly result: SubmitResult;
}

export function toPartResults(parts: readonly SubmittedPart[]): readonly PartResult[] {
	return parts.map(({ address, result: { outcome, activityId, fingerprint, message, refusedStatus } }) => {
		return { address, outcome, activityId, fingerprint, message, refusedStatus };
	});
}

/** Submits each object of a refused removal in turn; none if nothing is missing, or there is nothing to separate. */
export async function submitIndividually(
	request: ActivityRequest,
	refused: SubmitResult,
	context: SubmitContext,
): Promise<readonly SubmittedPart[]> {
	if (refused.outcome !== "failed" || refused.refusedStatus !== 404 || request.isUnobservable !== true) return [];
	const list = listParameter(request.operation);
	if (list === undefined) return [];
	const ids = [request.parameters[list]].flat().map(String);
	if (ids.length < 2) return [];
	const parts: SubmittedPart[] = [];
	let last: SubmitResult | undefined;
	for (const id of ids) {
		const covers = request.covers.filter((one) => one.id === id);
		const address = covers[0]?.address ?? id;
		const part = { ...request, covers, parameters: { ...request.parameters, [list]: [id] } };
		if (last !== undefined && (last.isFatal || last.journalError !== null)) {
			const message = say`nothing more was submitted after ${last.message ?? last.outcome}`;
			parts.push({ id, address, request: part, result: notAttempted(message) });
			continue;
		}
		last = await submitOnce(part, context);
		parts.push({ id, address, request: part, result: last });
	}
	return parts;
}

/** Returns one result for the whole removal: that of the first part that did not complete, with the ids of all of them. */
export function combineParts(whole: SubmitResult, parts: readonly SubmittedPart[]): SubmitResult {
	const results = parts.map(({ result }) => result);
	const incomplete = parts.filter(({ result }) => result.outcome !== "completed");
	const combined: SubmitResult = {
		...(incomplete[0]?.result ?? results.at(-1) ?? whole),
		requests: results.reduce((sum, { requests }) => sum + requests, whole.requests),
		isFatal: results.some(({ isFatal }) => isFatal),
		isRetry: [whole, ...results].some(({ isRetry }) => isRetry),
		journalError: results.find(({ journalError }) => journalError !== null)?.journalError ?? null,
	};
	if (incomplete.length === 0) return combined;
	const ids = incomplete.map(({ id }) => id).join(", ");
	const removed = `${parts.length - incomplete.length} of ${parts.length}`;
	const message = say`the service refused it as a whole (${whole.message ?? whole.outcome}); submitted one by one, ${removed} were removed, not ${ids}. Take objects that no longer exist out of the document`;
	return { ...combined, message };
}
