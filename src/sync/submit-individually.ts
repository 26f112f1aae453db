/**
 * Removals that could not be seen, sent apart. Where the service cannot be read, a removal names what the document lists,
 * and one thing that is gone already can make the service refuse all of it (docs/service.md#not-documented: unknown ids
 * among policies or providers). Then each thing is removed by itself, so that what is still there goes.
 *
 * That one of them is refused again is not taken for its absence: 404 is also the answer to an unknown organization.
 */
import type { PartResult } from "../plan/report.ts";
import type { SubmitResult } from "./outcomes.ts";
import { type ActivityRequest, type SubmitContext, submitOnce } from "./submit-once.ts";

/** The parameter under which an operation lists what it removes. */
const listOf: Readonly<Record<string, string>> = {
	delete_policies: "policyIds",
	delete_oauth_providers: "providerIds",
};

/** One thing that was removed, or was not, by itself. */
export interface SubmittedPart {
	readonly id: string;
	readonly address: string;
	readonly sent: SubmitResult;
}

/** What the report says of each of them. */
export function toPartResults(apart: readonly SubmittedPart[]): readonly PartResult[] {
	return apart.map(({ address, sent: { outcome, activityId, fingerprint, message, refusedStatus } }) => {
		return { address, outcome, activityId, fingerprint, message, refusedStatus };
	});
}

/** The ids of a wish that can be sent apart: at least two, none of which could be seen; else none. */
export function separableIds(wish: ActivityRequest): readonly string[] {
	const ids = wish.isUnobservable === true ? wish.parameters[listOf[wish.operation] ?? ""] : undefined;
	return Array.isArray(ids) && ids.length > 1 ? (ids as string[]) : [];
}

/** What became of each of them, sent one after the other. */
export async function submitIndividually(
	wish: ActivityRequest,
	context: SubmitContext,
): Promise<readonly SubmittedPart[]> {
	const list = listOf[wish.operation] ?? "";
	const results: SubmittedPart[] = [];
	let stop: SubmitResult | undefined;
	for (const id of separableIds(wish)) {
		const covers = wish.covers.filter((address) => address.endsWith(id));
		const address = covers[0] ?? id;
		if (stop !== undefined) {
			results.push({ id, address, sent: notAttemptedAfter(stop) });
			continue;
		}
		const sent = await submitOnce({ ...wish, covers, parameters: { ...wish.parameters, [list]: [id] } }, context);
		results.push({ id, address, sent });
		if (sent.isFatal || sent.journalError !== undefined) stop = sent;
	}
	return results;
}

/** A part that is not sent, because what became of the one before keeps everything from being sent. */
function notAttemptedAfter({ message, outcome }: SubmitResult): SubmitResult {
	return {
		outcome: "not-attempted",
		activity: null,
		activityId: null,
		fingerprint: null,
		requests: 0,
		message: `nothing more was sent after ${message ?? outcome}`,
		refusedStatus: null,
		keyNotAccepted: false,
		policyEvaluations: [],
		isFatal: false,
	};
}

/** All of it as one: how it went with the first that did not complete, and which they are. */
export function combineParts(together: SubmitResult, apart: readonly SubmittedPart[]): SubmitResult {
	const open = apart.filter(({ sent }) => sent.outcome !== "completed");
	const requests = apart.reduce((sum, { sent }) => sum + sent.requests, together.requests);
	const first = open[0]?.sent ?? apart.at(-1)?.sent ?? together;
	const journalError = apart.find(({ sent }) => sent.journalError !== undefined)?.sent.journalError;
	const isFatal = apart.some(({ sent }) => sent.isFatal);
	const isRetry = together.isRetry === true || apart.some(({ sent }) => sent.isRetry === true);
	const failed = {
		isFatal,
		...(isRetry ? { isRetry: true as const } : {}),
		...(journalError === undefined ? {} : { journalError }),
	};
	if (open.length === 0) return { ...first, requests, ...failed };
	const ids = open.map(({ id }) => id).join(", ");
	const message = `the service refused it as a whole (${together.message}); submitted one by one, ${apart.length - open.length} of ${apart.length} were removed, not ${ids}. What is gone already can be taken out of the document`;
	return { ...first, message, requests, ...failed };
}
