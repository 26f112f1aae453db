/**
 * The votes of a journal: the bytes of each on disk before they are sent, and whether it was read among the votes of its
 * activity. Evidence, not authority: a vote is sent because a person asked for it, never because a row exists.
 */
import type { DatabaseSync } from "node:sqlite";
import type { VoteName } from "../../wire/operations.ts";
import { decodeVote, parametersOf, type RequestBody } from "../../wire/request-body.ts";
import { isTime, refuseRow, shownName } from "./distrust.ts";
import { inTransaction } from "./schema.ts";

/** Which vote of whom. Two users never share the bytes of a vote: the same bytes are one activity, and one vote. */
interface VoteKey {
	readonly organizationId: string;
	readonly operation: VoteName;
	/** The fingerprint of the activity that is voted on. */
	readonly target: string;
	/** The user id of the voter; the public key where that is not known. In lower case. */
	readonly voter: string;
}

/** In flight until known. `counted`: read among the votes of its activity. `void`: refused, or it never can arrive. */
type VoteState = "in-flight" | "counted" | "void";

/** A vote that was sent, or was about to be. */
export interface VoteEntry extends VoteKey {
	readonly body: RequestBody;
	readonly state: VoteState;
	/** Milliseconds since 1970, by our clock. */
	readonly sentAtMs: number;
	/** When it was recorded what became of it; null while it is in flight. */
	readonly settledAtMs: number | null;
}

/** What to do about a vote: nothing, send new bytes, or send those of an entry again. */
export type VoteDecision =
	| { readonly kind: "skip" }
	| { readonly kind: "send"; readonly body: RequestBody; readonly nowMs: number }
	| { readonly kind: "resend"; readonly entry: VoteEntry };

export interface VoteJournal {
	/**
	 * Decides about a vote and puts its bytes on disk, in one transaction: no other process can decide about the same vote in
	 * between. `choose` gets the entries of the same vote, the latest written first. When this returns, the bytes survive a crash
	 * and a power cut. Throws StorageError for a row that contradicts itself, and if the bytes cannot be written.
	 */
	claimVote<D extends VoteDecision>(key: VoteKey, choose: (entries: readonly VoteEntry[]) => D): D;
	/** Records what became of a vote. One that counted stays so. */
	recordVote(fingerprint: string, state: "counted" | "void", nowMs: number): void;
}

interface VoteRow {
	readonly fingerprint: string;
	readonly organization_id: string;
	readonly operation: string;
	readonly target: string;
	readonly voter: string;
	readonly bytes: string;
	readonly timestamp_ms: number;
	readonly sent_at_ms: number;
	readonly outcome: string | null;
	readonly settled_at_ms: number | null;
}

/** Returns the votes in a database whose tables are of this version. */
export function votesIn(database: DatabaseSync): VoteJournal {
	const entriesOf = ({ organizationId, operation, target, voter }: VoteKey): readonly VoteEntry[] => {
		const rows = database
			.prepare(
				"SELECT * FROM votes WHERE organization_id = ? AND target = ? AND operation = ? AND voter = ? ORDER BY written DESC",
			)
			.all(organizationId, target, operation, voter);
		return (rows as unknown as VoteRow[]).map(toVoteEntry);
	};
	const insert = (key: VoteKey, { bytes, fingerprint, timestampMs }: RequestBody, nowMs: number): void => {
		database
			.prepare(
				`INSERT INTO votes (fingerprint, organization_id, operation, target, voter, bytes, timestamp_ms, sent_at_ms, written)
					VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(written), 0) + 1 FROM votes))`,
			)
			.run(fingerprint, key.organizationId, key.operation, key.target, key.voter, bytes, timestampMs, nowMs);
	};
	return {
		claimVote(key, choose) {
			try {
				// As for requests: the bytes must survive a power cut.
				database.exec("PRAGMA synchronous = FULL");
				return inTransaction(database, () => {
					const decision = choose(entriesOf(key));
					if (decision.kind === "send") insert(key, decision.body, decision.nowMs);
					return decision;
				});
			} finally {
				if (database.isOpen) database.exec("PRAGMA synchronous = NORMAL");
			}
		},
		recordVote(fingerprint, state, nowMs) {
			database
				.prepare(
					"UPDATE votes SET outcome = ?, settled_at_ms = ? WHERE fingerprint = ? AND (outcome IS NULL OR outcome <> 'counted')",
				)
				.run(state, nowMs, fingerprint);
		},
	};
}

/** Returns the entry of a row. Throws StorageError if the bytes are not the vote that the row describes. */
function toVoteEntry(row: VoteRow): VoteEntry {
	const body = decodeVote(row.bytes);
	const { outcome } = row;
	const agrees =
		body !== undefined &&
		body.fingerprint === row.fingerprint &&
		body.organizationId === row.organization_id &&
		body.operation.name === row.operation &&
		body.timestampMs === row.timestamp_ms &&
		parametersOf(body).fingerprint === row.target &&
		isTime(row.sent_at_ms) &&
		isTime(row.settled_at_ms ?? 0);
	if (!agrees || !(outcome === null || outcome === "counted" || outcome === "void")) {
		return refuseRow(`the vote ${shownName(row.fingerprint)} in the journal does not agree with itself`);
	}
	return {
		organizationId: row.organization_id,
		operation: row.operation as VoteName,
		target: row.target,
		voter: row.voter,
		body,
		state: outcome ?? "in-flight",
		sentAtMs: row.sent_at_ms,
		settledAtMs: row.settled_at_ms,
	};
}
