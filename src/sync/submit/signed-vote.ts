/**
 * Reads the votes of an activity with what their users signed (docs/internals/service.md#votes), and verifies signatures of API keys. No
 * signature leaves this file: with its message it is a stamp.
 */
import { verify } from "node:crypto";
import { isRecord, textOrNull } from "../../common/json.ts";
import type { ReturnedVote } from "../../plan/activities/reviewed-activity.ts";
import { readTime } from "../../wire/activity.ts";
import { readPublicKey } from "../../wire/public-key.ts";
import { fingerprintOf } from "../../wire/request-body.ts";
import { apiKeyScheme } from "../../wire/stamp.ts";

/** Returns the votes of an activity as the service lists them. */
export function readSignedVotes(activity: Readonly<Record<string, unknown>>): readonly ReturnedVote[] {
	return Array.isArray(activity.votes) ? activity.votes.filter(isRecord).map(readSignedVote) : [];
}

function readSignedVote(vote: Readonly<Record<string, unknown>>): ReturnedVote {
	const message = textOrNull(vote.message);
	return {
		userId: textOrNull(vote.userId)?.toLowerCase() ?? null,
		userName: isRecord(vote.user) ? textOrNull(vote.user.userName) : null,
		selection: textOrNull(vote.selection),
		castAtMs: readTime(vote.createdAt) ?? null,
		message,
		messageFingerprint: message === null ? null : fingerprintOf(message),
		signature: judgeSignature(message, vote),
		publicKey: textOrNull(vote.publicKey)?.toLowerCase() ?? null,
	};
}

function judgeSignature(
	message: string | null,
	{ publicKey, scheme, signature }: Readonly<Record<string, unknown>>,
): ReturnedVote["signature"] {
	const isApiKey = scheme === apiKeyScheme && typeof publicKey === "string" && typeof signature === "string";
	if (message === null || !isApiKey || publicKey === "" || signature === "") return "unverifiable";
	return fits(message, publicKey, signature) ? "valid" : "invalid";
}

/** Whether the signature, DER in hex, is one of this key for the message: ECDSA on P-256 over SHA-256 (docs/internals/service.md#stamps). */
function fits(message: string, publicKey: string, signature: string): boolean {
	const key = /^(?:[0-9a-f]{2})+$/i.test(signature) ? readPublicKey(publicKey) : undefined;
	return key !== undefined && verify("sha256", Buffer.from(message, "utf8"), key, Buffer.from(signature, "hex"));
}
