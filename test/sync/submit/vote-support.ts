/** What a vote of the approver needs, on the clock of a bench. */
import type { VoteContext } from "../../../src/sync/submit/vote-once.ts";
import { approverId, approverStamper, type Bench } from "../support.ts";

export function voteContextOf(bench: Bench, parts: Partial<VoteContext> = {}): VoteContext {
	const client = bench.client({ stamper: approverStamper });
	return {
		...{ voter: client.voter, reader: client.reader, journal: bench.journal, now: () => bench.nowMs },
		identity: { userId: approverId, publicKey: null },
		sleep: async (ms) => {
			bench.nowMs += ms;
		},
		...{ clockOffsetMs: 0, waitMs: 0 },
		...parts,
	};
}
