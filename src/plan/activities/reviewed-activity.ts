/** A pending activity as a person reviews it before a vote, and the check of what its submitter signed. */
import { findRepeatedKey, isRecord, readJson } from "../../common/json.ts";
import { checkSchema } from "../../schema/schema.ts";
import { validators } from "../../schema/validators/requests.ts";
import type { Named } from "../organization.ts";
import type { Plan } from "../plan.ts";
import { isCounting } from "./activity-events.ts";
import type { PendingActivity } from "./pending.ts";
import { sameParameters } from "./requests.ts";

/** The operations whose activities orgsync understands. */
type ReviewedOperation = PendingActivity["operation"];

/** A vote as the service returned it, without its signature: together with the message, that is a stamp. */
export interface ReturnedVote {
	/** In lower case; null when the service does not say. */
	readonly userId: string | null;
	readonly userName: string | null;
	/** `VOTE_SELECTION_APPROVED`, `VOTE_SELECTION_REJECTED`, or what else the service says. */
	readonly selection: string | null;
	/** Milliseconds since 1970. */
	readonly castAtMs: number | null;
	/** The signed body; null when the service does not return it. */
	readonly message: string | null;
	/** The fingerprint of those bytes; null without them. */
	readonly messageFingerprint: string | null;
	/** Whether the signature is one of this message: `unverifiable` for a passkey's, and without key, scheme or signature. */
	readonly signature: "valid" | "invalid" | "unverifiable";
	/** In lower case; null when the service does not say. */
	readonly publicKey: string | null;
}

export interface ReturnedActivity {
	readonly activityId: string;
	readonly organizationId: string;
	readonly fingerprint: string;
	readonly type: string;
	readonly status: string;
	/** Null for a type that orgsync does not submit. */
	readonly operation: ReviewedOperation | null;
	/** The parameters as the service repeats them; null when it does not. */
	readonly intent: Readonly<Record<string, unknown>> | null;
	/** As the service lists them. */
	readonly votes: readonly ReturnedVote[];
	/** Whether the service lets this key vote so; null when it does not say. */
	readonly canApprove: boolean | null;
	readonly canReject: boolean | null;
	/** Milliseconds since 1970. */
	readonly createdAtMs: number | null;
	/** Ids of what it created, in the order of its request; none before it completed. */
	readonly createdIds: readonly string[];
}

/** A reason why no one can review what the submitter signed. */
interface ReviewMistake {
	readonly code:
		| "not-understood"
		| "no-request"
		| "other-bytes"
		| "bad-signature"
		| "not-json"
		| "other-organization"
		| "other-type"
		| "other-parameters";
	/** Completes "it cannot be reviewed: ". */
	readonly message: string;
}

/** One vote, the submitter's own included. */
export interface ShownVote {
	readonly userId: string | null;
	readonly selection: "approved" | "rejected" | "unknown";
	/** ISO 8601 in UTC; null when the service does not say. */
	readonly at: string | null;
	/** Whether it counts still: votes lapse after 24 hours. */
	readonly counts: boolean;
}

/** What differs between an activity and the document or the saved plan. Ids are in lower case, lists sorted. */
export type Disagreement =
	/** The document does not want these users to have the tag, or these to lose it. */
	| { readonly code: "adds-unwanted" | "removes-wanted"; readonly userIds: readonly string[] }
	/** The document leaves it open whether these users have the tag. */
	| { readonly code: "members-unmanaged"; readonly userIds: readonly string[] }
	/** `wanted`: the name in the document. */
	| { readonly code: "renames"; readonly name: string; readonly wanted: string }
	/** `absent` of the document does not list these objects. */
	| { readonly code: "not-absent"; readonly ids: readonly string[] }
	/** The document does not have its object, or cannot have one of this kind. */
	| { readonly code: "unmanaged" }
	/**
	 * The document has its objects, these fields of them with other values; other policies, by name, it does not have. `isPartial`:
	 * it leaves out fields that the document states, and their live values can change before it is approved.
	 */
	| {
			readonly code: "differs";
			readonly fields: readonly string[];
			readonly unmanaged: readonly string[];
			readonly isPartial: boolean;
	  }
	/** It gives names that these live objects have. */
	| { readonly code: "name-taken"; readonly kind: "policy" | "userTag"; readonly taken: readonly Named[] }
	/** No step of the saved plan is about its object. */
	| { readonly code: "no-step" }
	/** A step of the saved plan is about the same object, with other parameters. */
	| { readonly code: "differs-from-step"; readonly stepId: string; readonly differences: readonly StepDifference[] }
	/** An older activity equals the same step of the saved plan; null without one: an older activity does the same. */
	| { readonly code: "duplicate"; readonly stepId: string | null; readonly activityId: string };

/** One parameter of an activity that is not that of the step; a list is compared user by user, or id by id. */
export type StepDifference =
	| { readonly parameter: string; readonly more: readonly string[]; readonly missing: readonly string[] }
	| { readonly parameter: string; readonly is: string | null; readonly planned: string | null };

/** A pending activity, ready to be shown. */
export interface ReviewedActivity
	extends Pick<ReturnedActivity, "activityId" | "organizationId" | "fingerprint" | "type" | "status" | "operation"> {
	/** What the submitter signed; where that cannot be reviewed, what the service says, which nothing confirms. */
	readonly parameters: Readonly<Record<string, unknown>>;
	/** Why it cannot be reviewed, so that approve and reject refuse it; empty when it can. */
	readonly mistakes: readonly ReviewMistake[];
	/** User id in lower case; null when it is not known. */
	readonly submittedBy: string | null;
	/** ISO 8601 in UTC; null when the service does not say. */
	readonly createdAt: string | null;
	/** By time: the submitter's own comes first. */
	readonly votes: readonly ShownVote[];
	/** What the votes call their users, by user id in lower case. */
	readonly voterNames: Readonly<Record<string, string>>;
	/** The plan of this activity alone, as it was signed. Null for an import of a key, and where it cannot be reviewed. */
	readonly effect: Plan | null;
}

/** What the check of one activity needs besides it. */
interface ReviewContext {
	/** In lower case. */
	readonly organizationId: string;
	/** By the service's clock, milliseconds since 1970. */
	readonly nowMs: number;
}

/** Returns the activity as it is shown, without its effect, which needs the live organization. */
export function reviewActivity(
	activity: ReturnedActivity,
	{ organizationId, nowMs }: ReviewContext,
): Omit<ReviewedActivity, "effect"> {
	const request = findRequest(activity);
	const { mistakes, parameters } = checkRequest(activity, request, organizationId);
	const { activityId, fingerprint, type, status, operation, createdAtMs } = activity;
	const named = activity.votes.flatMap(({ userId, userName }) =>
		userId === null || userName === null ? [] : [[userId, userName] as const],
	);
	return {
		...{ activityId, organizationId, fingerprint, type, status, operation, parameters, mistakes },
		submittedBy: request?.userId ?? null,
		createdAt: createdAtMs === null ? null : toIso(createdAtMs),
		votes: byTime(activity.votes).map((vote) => ({
			userId: vote.userId,
			selection: selections.get(vote.selection ?? "") ?? "unknown",
			at: vote.castAtMs === null ? null : toIso(vote.castAtMs),
			counts: isCounting(vote, nowMs),
		})),
		voterNames: Object.fromEntries(named),
	};
}

/** A Map, because a selection can be any word. */
const selections: ReadonlyMap<string, ShownVote["selection"]> = new Map([
	["VOTE_SELECTION_APPROVED", "approved"],
	["VOTE_SELECTION_REJECTED", "rejected"],
]);

/** Returns the time, or null for one that no calendar has. */
function toIso(ms: number): string | null {
	const date = new Date(ms);
	return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Sorts votes by time; those of one time, or without any, keep the order of the service. */
function byTime(votes: readonly ReturnedVote[]): readonly ReturnedVote[] {
	return [...votes].sort((left, right) => (left.castAtMs ?? 0) - (right.castAtMs ?? 0));
}

/** Returns the submitter's vote, the first one; of several at that time, the one with the activity's request as its message. */
function findRequest({ votes, fingerprint }: ReturnedActivity): ReturnedVote | undefined {
	const [first, ...others] = byTime(votes);
	const together = others.filter(({ castAtMs }) => castAtMs === first?.castAtMs);
	return (
		together.find(
			({ messageFingerprint }) => messageFingerprint === fingerprint && first?.messageFingerprint !== fingerprint,
		) ?? first
	);
}

interface CheckedRequest {
	readonly mistakes: readonly ReviewMistake[];
	readonly parameters: Readonly<Record<string, unknown>>;
}

/** Compares what the submitter signed with what the service says of the activity. */
function checkRequest(
	{ operation, type, intent, fingerprint, organizationId: ownOrganization }: ReturnedActivity,
	request: ReturnedVote | undefined,
	organizationId: string,
): CheckedRequest {
	const refuse = (code: ReviewMistake["code"], message: string): CheckedRequest => {
		return { mistakes: [{ code, message }], parameters: intent ?? {} };
	};
	if (operation === null) return refuse("not-understood", "orgsync does not know activities of this type");
	if (ownOrganization.toLowerCase() !== organizationId)
		return refuse("other-organization", "it belongs to another organization");
	if (request === undefined) return refuse("no-request", "the service does not return the vote of its submitter");
	const { message, messageFingerprint, signature } = request;
	if (message === null)
		return refuse("no-request", "the service does not return the request that its submitter signed");
	if (messageFingerprint !== fingerprint) {
		return refuse("other-bytes", "its fingerprint is not that of the request that its submitter signed");
	}
	if (signature === "invalid")
		return refuse("bad-signature", "the signature of its submitter does not fit the request");
	const envelope = readEnvelope(message);
	if (typeof envelope === "string") return refuse("not-json", envelope);
	if (String(envelope.organizationId).toLowerCase() !== organizationId) {
		return refuse("other-organization", "its submitter signed a request for another organization");
	}
	if (envelope.type !== type) return refuse("other-type", "its submitter signed a request of another type");
	const { parameters } = envelope;
	if (!isRecord(parameters) || !isRequest(operation, envelope, parameters)) {
		return refuse("not-json", "its submitter signed no request of this operation");
	}
	if (intent === null) return refuse("other-parameters", "the service does not return its parameters");
	if (!sameParameters(parameters, intent)) {
		return refuse("other-parameters", "the parameters that its submitter signed are not those that the service shows");
	}
	return { mistakes: [], parameters };
}

/** Members of the envelope (docs/internals/service.md#activity-envelope). Unverified, chosen: a request with another one is not understood. */
const envelopeMembers = ["type", "timestampMs", "organizationId", "parameters", "generateAppProofs"];

/** Returns the request that the bytes are, or why they are none that one can be sure of. */
function readEnvelope(message: string): Readonly<Record<string, unknown>> | string {
	const read = readJson(message);
	if (!("value" in read) || !isRecord(read.value)) return "its submitter signed no JSON object";
	// Two readers of a repeated key can read two requests.
	const repeated = findRepeatedKey(message);
	if (repeated !== undefined) return "its submitter signed a request with a repeated key";
	if (!message.isWellFormed()) return "its submitter signed a request that is no valid text";
	const isPlain = Object.keys(read.value).every((name) => envelopeMembers.includes(name));
	return isPlain ? read.value : "its submitter signed a request with members that orgsync does not know";
}

const parameterNames: Readonly<Record<ReviewedOperation, readonly string[]>> = {
	update_user_tag: ["userTagId", "newUserTagName", "addUserIds", "removeUserIds"],
	delete_oauth_providers: ["userId", "providerIds"],
	delete_policies: ["policyIds"],
	create_user_tag: ["userTagName", "userIds"],
	delete_user_tags: ["userTagIds"],
	create_policies: ["policies"],
	update_policy: [
		...["policyId", "policyName", "policyEffect", "policyCondition", "policyConsensus", "policyNotes", "time"],
	],
	delete_tvc_app_and_deployments: ["appId"],
	init_import_private_key: ["userId"],
};

/** Whether it is a request of the operation, without other parameters. A list that is left out is empty. */
function isRequest(
	operation: ReviewedOperation,
	envelope: object,
	parameters: Readonly<Record<string, unknown>>,
): boolean {
	const names = parameterNames[operation];
	if (!Object.keys(parameters).every((name) => names.includes(name))) return false;
	const lists = names.filter((name) => name.endsWith("Ids")).map((name) => [name, []] as const);
	const complete = { ...envelope, parameters: { ...Object.fromEntries(lists), ...parameters } };
	return checkSchema(validators, `operations/${operation}.json#/$defs/request`, complete).length === 0;
}
