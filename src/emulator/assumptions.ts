/**
 * Every choice that the emulator makes where docs/service.md is silent, in one place. A client that
 * depends on one of these depends on the emulator, not on the service.
 */
import type { ActivityRecord, Vote } from "./state.ts";

// Unverified, chosen: the largest body; sizes are not documented (docs/service.md#not-documented). A tag of 100 users needs about 8 kB.
export const maxBodyBytes = 1024 * 1024;

// Unverified, chosen: the same under /emulator/. A larger state is seeded from a file, or in several requests.
export const maxControlBodyBytes = 1024 * 1024;

// Unverified, chosen: the order of checks is path, JSON, organization, stamp, body, timestamp, known bytes, denial,
// parameters, and the first that fails is answered. So a request to an unknown organization answers 404 whoever stamped
// it, one with a bad stamp 401 whatever else is wrong with it, and only who has a key hears of problems in parameters.

// Unverified, chosen: bytes that the service knows are refused like any other once their timestamp is too old.
// docs/service.md#polling says that the same bytes can be posted again within the hour, nothing of later. And the two texts (docs/service.md#not-documented).
export const staleTimestampMessage = "timestampMs is more than one hour old: the request is no longer live";
export const futureTimestampMessage = "timestampMs lies more than five minutes ahead of the service's clock";

// Unverified, chosen: the same bytes stamped by another user of the organization answer the same activity and are no
// vote of that user: an answer to a replay never carries a change.

// The text is the service's own (docs/service.md#server-side-validation). Unverified, chosen: names are compared
// exactly, and renaming a tag to the name it has is accepted.
export const duplicateTagNameMessage = "a tag with that name already exists";

// Unverified, chosen ("unknown ids"): a missing tag, and unknown users, policies, OAuth providers or TVC apps in a submit, answer 404
// with gRPC code 5 and make no activity (docs/service.md#not-documented). A client that sends real differences only
// never meets it. Adding a user who has the tag and removing one who has not are accepted and have no effect, and so are
// an id named twice in one list and an empty `providerIds`.

// Unverified, chosen: a user in both lists of one update_user_tag answers 400 (docs/service.md#not-documented).
export const userInBothListsMessage = "a user is in both addUserIds and removeUserIds";

/** Whether `updatedAt` of a tag moves. */
// Unverified, chosen: it moves with the name and with the members, and stays when nothing changed. Its nanoseconds
// always grow, also within one millisecond and when the clock was set back.
export function changesUpdatedAt(renamed: boolean, membersChanged: boolean): boolean {
	return renamed || membersChanged;
}

// Unverified, chosen: what a request must meet is checked when it is submitted (then a problem is an error and no
// activity) and again when it is executed after approvals or a delay (then a problem is a FAILED activity). The votes
// and delays that an activity needs are those that the rules named when it was submitted. The first answer to a delayed
// activity says CREATED, later ones PENDING.
export const delayedStatus = { first: "ACTIVITY_STATUS_CREATED", later: "ACTIVITY_STATUS_PENDING" } as const;

// Unverified, chosen: one rejection is enough.
export const rejectionsNeeded = 1;

// Votes lapse after 24 hours (docs/service.md#votes). Unverified, chosen: whose vote lapsed may vote again.
export const voteLifetimeMs = 24 * 60 * 60 * 1000;

// Unverified, chosen: the same user approving twice, or rejecting twice, answers 400, and so does a vote on an activity
// that does not wait; who approved may still reject while it waits.
export const doubleVoteMessage = "the user has already cast this vote";
export const notPendingMessage = "the activity is not pending votes";

/** Whether an activity waits for votes. */
export function awaitsVotes(activity: ActivityRecord): boolean {
	return (
		activity.status === "ACTIVITY_STATUS_CONSENSUS_NEEDED" ||
		activity.status === "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED"
	);
}

function hasCast(activity: ActivityRecord, userId: string, selection: Vote["selection"]): boolean {
	return activity.votes.some((vote) => vote.userId === userId && vote.selection === selection);
}

/** `canApprove` as the user who asks sees it. */
// Unverified, chosen: who has not approved an activity that waits can approve it. A completed one of a sole voter
// answers false (docs/service.md#activity-object).
export function canApprove(activity: ActivityRecord, userId: string): boolean {
	return awaitsVotes(activity) && !hasCast(activity, userId, "VOTE_SELECTION_APPROVED");
}

/** `canReject` as the user who asks sees it. */
// Unverified, chosen: true unless the activity was rejected or failed. A completed one of a sole voter answers true
// (docs/service.md#activity-object), although nothing comes of rejecting it.
export function canReject(activity: ActivityRecord, userId: string): boolean {
	const over = activity.status === "ACTIVITY_STATUS_REJECTED" || activity.status === "ACTIVITY_STATUS_FAILED";
	return !over && !hasCast(activity, userId, "VOTE_SELECTION_REJECTED");
}

// Unverified, chosen: the `scheme` of a vote that was stamped with a passkey.
export const passkeyScheme = "SIGNATURE_SCHEME_TK_WEBAUTHN";

/** Whether an activity that needs another authenticator has it. */
// Unverified, chosen: the submitter gives it with a passkey stamp, on the submit itself or on an approval of it, and may
// cast that one approval although the submit was already a vote. MFA policies of the seed are shown and never enforced,
// because the grammar of their conditions is not known (docs/service.md#not-documented).
export function hasSecondAuthenticator(activity: ActivityRecord): boolean {
	const submitter = activity.votes[0]?.userId;
	return activity.votes.some((vote) => vote.userId === submitter && vote.scheme === passkeyScheme);
}

// Unverified, chosen: what the service looks at in a passkey's assertion is not documented. The emulator judges it as
// WebAuthn (Level 3, 7.2) tells a relying party to: type, challenge, origin, no frame of another site, relying party, user
// present, user verified, signature, counter. A seed says for each passkey what it is for; this is what it leaves out.
export const passkeyClientDataType = "webauthn.get";
export const passkeyDefaults = { rpId: "localhost", userVerification: "required" } as const;

/** What a seed says of where and how a passkey may be used. */
interface PasskeyUse {
	readonly rpId?: string;
	readonly origins?: readonly string[];
	readonly userVerification?: "required" | "preferred";
}

/** Whether a passkey may be used at `origin`. */
// Unverified, chosen: without `origins` in the seed, at its relying party's host and every host below, on any port, by https;
// by http on localhost only, as browsers allow it.
export function isAllowedOrigin(origin: string, { rpId = passkeyDefaults.rpId, origins }: PasskeyUse): boolean {
	if (origins !== undefined) return origins.includes(origin);
	const url = URL.parse(origin);
	if (url === null || url.origin !== origin) return false;
	const below = url.hostname === rpId || url.hostname.endsWith(`.${rpId}`);
	return below && (url.protocol === "https:" || (url.protocol === "http:" && url.hostname === "localhost"));
}

/** Whether an assertion counts that does not say that the user was verified. */
export function allowsUnverifiedUser({ userVerification = passkeyDefaults.userVerification }: PasskeyUse): boolean {
	return userVerification === "preferred";
}

// Unverified, chosen: what a replay of a passkey's stamp is. The challenge ties an assertion to its bytes, so it can come
// again for the same bytes only. The counter must be greater than that of the last assertion that was accepted, unless both
// are 0, as with passkeys that do not count; it moves as soon as the stamp is verified, whatever becomes of the request.
// Two repeats are no replay, because a client that got no answer sends the same bytes with the same stamp again: the very
// assertion that an activity of these bytes holds as a vote, however long ago, which answers that activity and changes
// nothing; and the very assertion that was accepted last, which is how a query is repeated.

/** The voters that get_mfa_status answers about. */
// Unverified, chosen: `userId` narrows the list of users who voted and never adds to it. `satisfiedMethods` are the kinds
// of stamp that the user's votes carried.
export function votersOf(activity: ActivityRecord, userId: string | undefined): readonly string[] {
	const voters = [...new Set(activity.votes.map((vote) => vote.userId))];
	return userId === undefined ? voters : voters.filter((voter) => voter === userId);
}

/** How many activities list_activities shows when it is not told (vendor's published types, `v1Pagination`). */
export const defaultPageSize = 10;

/** Which activities list_activities shows, given the places of its cursors in the whole list. */
export interface Page {
	readonly before: number | undefined;
	readonly after: number | undefined;
	readonly limit: number;
}

/** The page of a list that is newest first. */
// Unverified, chosen: before and after are meant in time, as the ids count (UUIDv7): `before` shows older activities than
// the one it names, `after` newer ones, never that one itself; both leave what lies between. Of what is left the newest
// are shown, newest first. So the next page is asked for with `before` and the last id. Filters choose among what lies
// there; a cursor may name an activity that they leave out, and an empty filter is none. Votes are activities too and
// are listed.
export function takePage<Item>(
	list: readonly Item[],
	fits: (item: Item) => boolean,
	{ before, after, limit }: Page,
): readonly Item[] {
	return list
		.slice(before === undefined ? 0 : before + 1, after)
		.filter(fits)
		.slice(0, limit);
}

// Unverified, chosen: a cursor that names no activity of the organization answers 400.
export const unknownCursorMessage = "invalid paginationOptions: no activity of the organization has the cursor's id";

// Unverified, chosen: a query that a rule (`denyReads`) denies answers 403 with gRPC code 7 and no details, for how the
// service denies a query is not documented. The stamp and the body are judged first.

// Unverified, chosen: a boot proof names its attestation field as the interface does, not as real answers do (docs/service.md#boot-proof),
// and what the seed leaves out of it is the empty string.
export const bootProofFields = [
	"ephemeralPublicKeyHex",
	"cloudAttestationDocB64",
	"qosManifestB64",
	"qosManifestEnvelopeB64",
	"deploymentLabel",
	"enclaveApp",
	"owner",
	"qosManifestVersion",
] as const;

// Unverified, chosen: the bundle of init_import_private_key has the members of the vendor's published bundles, with a
// fresh key whose private half is thrown away: nothing can be imported.
export const importBundleVersion = "v1.0.0";

// Per organization (docs/service.md#rates-and-limits). Unverified, chosen: they are checked when state is seeded or
// changed under /emulator/, since none of the 13 operations creates anything. No request rate is enforced unless
// /emulator/limits orders it.
export const organizationLimits = { users: 100, policies: 100, userTags: 100, oauthProvidersPerUser: 10 } as const;

/** The headers of a 429 at a rate of `requestsPerSecond`; with `Retry-After` when `waitMs` is given. */
// The names are the service's (docs/service.md#errors). Unverified, chosen: their values are the rate a second and 0,
// `Retry-After` is in whole seconds, rounded up, and the headers come with a 429 only. A request is counted when its
// path and method are served, before its stamp is looked at and before any fault strikes it.
export function ratelimitHeaders(requestsPerSecond: number, waitMs: number | undefined): Record<string, string> {
	const headers = { "ratelimit-limit": String(requestsPerSecond), "ratelimit-remaining": "0" };
	return waitMs === undefined ? headers : { ...headers, "retry-after": String(Math.max(1, Math.ceil(waitMs / 1000))) };
}

/** The gRPC code of a `5xx` fault, by its HTTP status. */
// 404, 429 and 403 as docs/service.md#errors has them. Unverified, chosen: 501 is 12 (unimplemented), the rest 14
// (unavailable).
export function grpcCodeOfStatus(status: number): number {
	const codes: Readonly<Record<number, number>> = { 403: 7, 404: 5, 429: 8, 501: 12 };
	return codes[status] ?? 14;
}

// Unverified, chosen: the longest delay of a fault, how many orders may wait, and the times that the clock may be set to: the
// years 1970 to 9999.
export const maxFaultDelayMs = 60 * 60 * 1000;
export const maxQueuedFaults = 1_000;
export const minClockMs = 0;
export const maxClockMs = 253_402_300_799_999;

// Unverified, chosen: how many requests the log keeps; the oldest go first.
export const maxLoggedRequests = 10_000;

// Unverified, chosen: how many organizations and public keys stay in memory; others are loaded again when asked for.
export const maxLoadedOrganizations = 2_048;
export const maxCachedKeys = 20_000;

// Unverified, chosen: how long `close()` waits for answers under way before it cuts their connections.
export const closeGraceMs = 2_000;

// Unverified, chosen: what a fault does when the order leaves it open. A slow answer comes late, its effect does not.
export const faultDefaults = { delayMs: 5_000, failureStatus: 503, htmlStatus: 502 } as const;

// Unverified, chosen: /emulator/ is ours and carries no stamp. A request that names an Origin comes from a web page and is
// refused, and so is a Host that is not known (allowed-hosts.ts), so that no page that the developer happens to have open can change
// state by DNS rebinding. Known are these and the host that it listens on; beyond loopback also every IP address, which no
// name server can rebind, and the names that its owner allows. Operations ask for a stamp, which no page has: any Host will do.
export const loopbackHosts = ["127.0.0.1", "localhost", "[::1]"] as const;
