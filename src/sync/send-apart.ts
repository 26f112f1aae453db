/**
 * Removals that could not be seen, sent apart. Where the service cannot be read, a removal names what the document lists,
 * and one thing that is gone already can make the service refuse all of it (docs/service.md#not-documented: unknown ids
 * among policies or providers). Then each thing is removed by itself, so that what is still there goes.
 *
 * That one of them is refused again is not taken for its absence: 404 is also the answer to an unknown organization.
 */
import type { PartResult } from "../plan/report.ts";
import type { Sent } from "./outcomes.ts";
import { type SendContext, sendWish, type Wish } from "./send.ts";

/** The parameter under which an operation lists what it removes. */
const listOf: Readonly<Record<string, string>> = {
	delete_policies: "policyIds",
	delete_oauth_providers: "providerIds",
};

/** One thing that was removed, or was not, by itself. */
export interface Apart {
	readonly id: string;
	readonly address: string;
	readonly sent: Sent;
}

/** What the report says of each of them. */
export function partResults(apart: readonly Apart[]): readonly PartResult[] {
	return apart.map(({ address, sent: { outcome, activityId, fingerprint, message, refusedStatus } }) => {
		return { address, outcome, activityId, fingerprint, message, refusedStatus };
	});
}

/** The ids of a wish that can be sent apart: at least two, none of which could be seen; else none. */
export function idsApart(wish: Wish): readonly string[] {
	const ids = wish.unseen === true ? wish.parameters[listOf[wish.operation] ?? ""] : undefined;
	return Array.isArray(ids) && ids.length > 1 ? (ids as string[]) : [];
}

/** What became of each of them, sent one after the other. */
export async function sendApart(wish: Wish, context: SendContext): Promise<readonly Apart[]> {
	const list = listOf[wish.operation] ?? "";
	const results: Apart[] = [];
	let stop: Sent | undefined;
	for (const id of idsApart(wish)) {
		const covers = wish.covers.filter((address) => address.endsWith(id));
		const address = covers[0] ?? id;
		if (stop !== undefined) {
			results.push({ id, address, sent: notAttemptedAfter(stop) });
			continue;
		}
		const sent = await sendWish({ ...wish, covers, parameters: { ...wish.parameters, [list]: [id] } }, context);
		results.push({ id, address, sent });
		if (sent.hopeless || sent.unrecorded !== undefined) stop = sent;
	}
	return results;
}

/** A part that is not sent, because what became of the one before keeps everything from being sent. */
function notAttemptedAfter({ message, outcome }: Sent): Sent {
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
		hopeless: false,
	};
}

/** All of it as one: how it went with the first that did not complete, and which they are. */
export function asOne(together: Sent, apart: readonly Apart[]): Sent {
	const open = apart.filter(({ sent }) => sent.outcome !== "completed");
	const requests = apart.reduce((sum, { sent }) => sum + sent.requests, together.requests);
	const first = open[0]?.sent ?? apart.at(-1)?.sent ?? together;
	const unrecorded = apart.find(({ sent }) => sent.unrecorded !== undefined)?.sent.unrecorded;
	const hopeless = apart.some(({ sent }) => sent.hopeless);
	const isRetry = together.isRetry === true || apart.some(({ sent }) => sent.isRetry === true);
	const failed = {
		hopeless,
		...(isRetry ? { isRetry: true as const } : {}),
		...(unrecorded === undefined ? {} : { unrecorded }),
	};
	if (open.length === 0) return { ...first, requests, ...failed };
	const ids = open.map(({ id }) => id).join(", ");
	const message = `the service refused it as a whole (${together.message}); submitted one by one, ${apart.length - open.length} of ${apart.length} were removed, not ${ids}. What is gone already can be taken out of the document`;
	return { ...first, message, requests, ...failed };
}
