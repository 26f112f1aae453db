/** Every assumption of the emulator where docs/internals/service.md is silent. A client should depend on none of them. */
import type { ActivityRecord, Vote } from "./state.ts";

// Unverified, chosen: the largest body; sizes are not documented (docs/internals/service.md#not-documented). A tag of 100 users needs
// about 8 kB.
export const maxBodyBytes = 1024 * 1024;

// Unverified, chosen: the same under /emulator/. A larger state is seeded from a file, or in several requests.
export const maxControlBodyBytes = 1024 * 1024;

// Unverified, chosen: the order of checks is path, JSON, organization, stamp, body, timestamp, known bytes, denial, parameters,
// and the first that fails is answered. So a request to an unknown organization answers 404 with any stamp, one with a bad stamp
// answers 401 whatever else is wrong with it, and only a holder of a key sees what is wrong in parameters.

// Unverified, chosen: known bytes are rejected like any other once their timestamp is too old. docs/internals/service.md#polling says
// that the same bytes can be posted again within the hour, and nothing of later. The two texts are assumptions too
// (docs/internals/service.md#not-documented).
export const staleTimestampMessage = "timestampMs is more than one hour old: the request is no longer live";
export const futureTimestampMessage = "timestampMs lies more than five minutes ahead of the service's clock";

// Unverified, chosen: the same bytes stamped by another user of the organization answer the same activity and are no vote of
// that user. A replay never changes anything.

// The text is the service's own (docs/internals/service.md#server-side-validation). Unverified, chosen: names are compared
// exactly, and renaming a tag to the name it has is accepted.
export const duplicateTagNameMessage = "a tag with that name already exists";

// The texts are the service's own, and so is that unknown fields are refused (docs/internals/service.md#server-side-validation).
// Unverified, chosen: what follows the second; that what an update changes is checked as in a creation, `time` too; and that expressions
// are refused which the emulator does not understand. Names are compared exactly. create_policies creates all of its policies or none.
export const duplicatePolicyNameMessage = "policy label must be unique";
export const invalidExpressionMessage = "invalid policy";

// Unverified, chosen: an empty text in update_policy clears the field. A rule, `emptyUpdate: keep`, keeps its value: a client has
// to read back what it cleared. An update that changes nothing is accepted and leaves `updatedAt`.

// Unverified, chosen: the status of both messages is 400, tokens are read and not verified, and no two users of an organization have
// the same issuer, subject and audience.
export const duplicateProviderMessage = "OAUTH_PROVIDER_ALREADY_EXISTS";
export const invalidProviderMessage =
	"invalid field oauthProviders: each needs oidcToken or oidcClaims, with iss, sub and aud";

// Unverified, chosen ("unknown ids"): unknown user tags, users, policies, OAuth providers or TVC apps in a submit answer 404
// with gRPC code 5 and make no activity (docs/internals/service.md#not-documented). A client that sends real differences only never
// meets it. Adding a user who has the tag and removing one who has not are accepted and have no effect, and so are an id that
// is listed twice and an empty `providerIds`.

// Unverified, chosen: a user in both lists of one update_user_tag answers 400 (docs/internals/service.md#not-documented).
export const userInBothListsMessage = "a user is in both addUserIds and removeUserIds";

// Unverified, chosen: an update of a tag changes its `updatedAt` with the name and with the members; it stays when nothing changed.
// It always grows, also within one millisecond and when the clock was set back.

// Unverified, chosen: a request is checked when it is submitted (then a problem is an error and no activity) and
// again when it is executed after approvals or a delay (then a problem is a FAILED activity). The votes and delays that an
// activity needs are those of the rules when it was submitted. The first answer to a delayed
// activity says CREATED, later ones PENDING.
export const delayedStatus = { first: "ACTIVITY_STATUS_CREATED", later: "ACTIVITY_STATUS_PENDING" } as const;

// Unverified, chosen: one rejection is enough.

// Unverified, chosen ("vote answers"): a vote is answered with its own activity. The vendor's texts disagree (docs/internals/service.md#votes),
// so a rule, `voteAnswer: target`, answers it with the activity that was voted on.

// Votes expire after 24 hours (docs/internals/service.md#votes). Unverified, chosen: a user whose vote expired may vote again.
export const voteLifetimeMs = 24 * 60 * 60 * 1000;

// Unverified, chosen: approving twice, or rejecting twice, answers 400, and so does a vote on an activity that is not pending. A
// user who approved may still reject while it is pending.
export const doubleVoteMessage = "the user has already cast this vote";
export const notPendingMessage = "the activity is not pending approval";

export function awaitsVotes(activity: ActivityRecord): boolean {
	return (
		activity.status === "ACTIVITY_STATUS_CONSENSUS_NEEDED" ||
		activity.status === "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED"
	);
}

function hasCast(activity: ActivityRecord, userId: string, selection: Vote["selection"]): boolean {
	return activity.votes.some((vote) => vote.userId === userId && vote.selection === selection);
}

// Unverified, chosen: a user who has not approved a pending activity can approve it. A completed one of a sole voter
// answers false (docs/internals/service.md#activity-object).
export function canApprove(activity: ActivityRecord, userId: string): boolean {
	return awaitsVotes(activity) && !hasCast(activity, userId, "VOTE_SELECTION_APPROVED");
}

// Unverified, chosen: true unless the activity was rejected or failed. A completed one of a sole voter answers true
// (docs/internals/service.md#activity-object), although rejecting it has no effect.
export function canReject(activity: ActivityRecord, userId: string): boolean {
	const over = activity.status === "ACTIVITY_STATUS_REJECTED" || activity.status === "ACTIVITY_STATUS_FAILED";
	return !over && !hasCast(activity, userId, "VOTE_SELECTION_REJECTED");
}

// Unverified, chosen: the `scheme` of a vote that was stamped with a passkey.
export const passkeyScheme = "SIGNATURE_SCHEME_TK_WEBAUTHN";

/** Returns whether an activity that needs another authenticator has it. */
// Unverified, chosen: the submitter provides it with a passkey stamp, on the submit itself or on an approval of it, and may cast
// that one approval although the submit was already a vote. MFA policies of the seed are shown and never enforced,
// because the grammar of their conditions is not known (docs/internals/service.md#not-documented).
export function hasSecondAuthenticator(activity: ActivityRecord): boolean {
	const submitter = activity.votes[0]?.userId;
	return activity.votes.some((vote) => vote.userId === submitter && vote.scheme === passkeyScheme);
}

// Unverified, chosen: what the service verifies in a passkey's assertion is not documented. The emulator verifies what WebAuthn
// (Level 3, 7.2) requires of a relying party: type, challenge, origin, no frame of another site, relying party, user present,
// user verified, signature, counter. A seed describes each passkey; these are its defaults.
export const passkeyClientDataType = "webauthn.get";
export const passkeyDefaults = { rpId: "localhost", userVerification: "required" } as const;

interface PasskeyUse {
	readonly rpId?: string;
	readonly origins?: readonly string[];
	readonly userVerification?: "required" | "preferred";
}

// Unverified, chosen: without `origins` in the seed, https at its relying party's host and every host below, on any port; http
// on localhost only, as browsers do.
export function isAllowedOrigin(origin: string, { rpId = passkeyDefaults.rpId, origins }: PasskeyUse): boolean {
	if (origins !== undefined) return origins.includes(origin);
	const url = URL.parse(origin);
	if (url === null || url.origin !== origin) return false;
	const below = url.hostname === rpId || url.hostname.endsWith(`.${rpId}`);
	return below && (url.protocol === "https:" || (url.protocol === "http:" && url.hostname === "localhost"));
}

/** Returns whether an assertion is accepted that does not say that the user was verified. */
export function allowsUnverifiedUser({ userVerification = passkeyDefaults.userVerification }: PasskeyUse): boolean {
	return userVerification === "preferred";
}

// Unverified, chosen ("replay"): when a stamp of a passkey is a replay. The challenge binds an assertion to its bytes, so it can
// come again for the same bytes only. The counter must be greater than that of the last accepted assertion, unless both are 0, as
// with passkeys that do not count. It is stored as soon as the stamp is verified, whatever becomes of the request. Two
// repetitions are no replay, because a client that got no answer sends the same bytes with the same stamp again: the assertion
// that an activity of these bytes has as a vote, at any time, which answers that activity and changes nothing; and the last
// accepted assertion, which is how a query is repeated.

/** Returns the voters that get_mfa_status answers about. */
// Unverified, chosen: `userId` narrows the list of users who voted and never adds to it. `satisfiedMethods` are the kinds
// of stamp that the user's votes carried.
export function votersOf(activity: ActivityRecord, userId: string | undefined): readonly string[] {
	const voters = [...new Set(activity.votes.map((vote) => vote.userId))];
	return userId === undefined ? voters : voters.filter((voter) => voter === userId);
}

/** How many items list_activities and list_suborgs show by default (vendor's published types, `v1Pagination`). */
export const defaultPageSize = 10;

/** Which activities list_activities shows. `before` and `after` are the ids of its cursors, which are in the list. */
export interface Page {
	readonly before: string | undefined;
	readonly after: string | undefined;
	readonly limit: number;
}

/** Returns one page of a list that is newest first. It reads no further than the page needs. */
// Unverified, chosen: before and after refer to time, as the ids do (UUIDv7). `before` shows activities older than the named one,
// `after` newer ones, both without that one; together they leave what is between. Of these the newest are shown, newest first. So
// the next page is `before` with the last id. Filters apply to what is shown; a cursor may name an activity that they leave out,
// and an empty filter is none. Votes are activities too and are listed.
export function takePage<Item>(
	newestFirst: Iterable<Item>,
	idOf: (item: Item) => string,
	fits: (item: Item) => boolean,
	{ before, after, limit }: Page,
): readonly Item[] {
	const page: Item[] = [];
	if (limit <= 0) return page;
	let isOlder = before === undefined;
	for (const item of newestFirst) {
		const id = idOf(item);
		if (id === after) break;
		if (isOlder && fits(item)) page.push(item);
		if (page.length >= limit) break;
		if (id === before) isOlder = true;
	}
	return page;
}

// Unverified, chosen: a cursor that names no activity, or no sub-organization, of the organization answers 400.
export const unknownCursorMessage = "invalid paginationOptions: nothing of the organization has the cursor's id";

// Unverified, chosen: list_suborgs has the order and the cursors of list_activities: newest first. Of its filters the emulator has
// `NAME` alone, compared exactly. Any user of the organization may list its sub-organizations, and those of them are not listed.
export const unknownFilterMessage = "invalid filterType: the emulator filters sub-organizations by NAME only";

// What decides activities is documented (docs/internals/service.md#how-an-activity-is-decided). Unverified, chosen ("policies"):
// - An organization without policies and without a root quorum is decided by its rules alone. The service's organizations always
//   have a root quorum.
// - Policies and the root quorum count the same approvals, and all of those at hand: an approval can bring a denial. Such an
//   activity stays pending, and further approvals can allow it.
// - Votes are not decided by policies. A vote of a user who is no part of the consensus is kept, and completes nothing.
// - An approval counts with the tags and credentials that its user has at the last vote. That of a removed user does not count, and
//   one with a removed credential counts without it.
// - A policy that errs takes no part: it neither allows nor denies (docs/internals/service.md#not-documented). Nor does one that is not
//   understood.
// - A policy that is not understood is ERROR at any time. Then its time, its condition and its consensus are looked at, in this
//   order. A policy that does not apply is DENY_IMPLICIT, also one that would deny. One that allows and lacks approvals is
//   REQUIRES_CONSENSUS if the submitter is in a smallest set that this policy alone allows, and REJECTED once a user rejects the
//   activity. Approvals of the root quorum have no outcomes.
// - Of two readings of the vendor's pages (docs/internals/service.md#how-an-activity-is-decided), users may no longer change their
//   own credentials once a policy covers credential activities. Plans say that it is unknown there.
// - A policy covers credential activities when its time and its condition are true of one of them, whatever its effect and its
//   consensus are. These are the activities that create, update or delete API keys, authenticators, OAuth providers and others.
//
// In the policy language (docs/internals/service.md#expressions): `&&` binds tighter than `||`. A text has no escapes: one with a backslash
// is not understood. Each field sees its own names alone: `approvers` in a condition is not understood, nor `activity` in a
// consensus. Bools, lists and structs are not compared with `==`. There is no arithmetic, and no negative number. `approvers` has
// the order of the organization's users. A user's alias is its name; an e-mail address that the user lacks is the empty text, and
// so is the `credential_id` of an API key. A local time that the clocks skip does not fire, and one that they repeat fires twice.

// Unverified, chosen: how deep and how long an expression may be, how many items of lists one evaluation looks at, and how many
// sets of approvers are looked at to find out whether a submitter is a part of a consensus. That is every set of 14 users, and of
// more where policies see the same of many. Otherwise some sets are tried at random, and a submitter who is in none of these is
// denied.
export const policyLimits = { depth: 100, tokens: 4_000, items: 1_000_000, sets: 20_000, randomTries: 24 } as const;

// Unverified, chosen: a query that a rule (`denyReads`) denies answers 403 with gRPC code 7 and no details; how the service denies
// a query is not documented. The stamp and the body are checked first.

// Unverified, chosen: a boot proof names its attestation field as the interface does, not as real answers do
// (docs/internals/service.md#boot-proof). A field that the seed leaves out is the empty string.
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
// fresh key whose private half is discarded: nothing can be imported.
export const importBundleVersion = "v1.0.0";

// Per organization (docs/internals/service.md#rates-and-limits). They are checked when state is seeded or changed under /emulator/,
// there without the one of sub-organizations, and when an activity creates something. Unverified, chosen ("limits"): the text of the
// error. No rate limit applies unless /emulator/limits sets one.
export const organizationLimits = {
	users: 100,
	policies: 100,
	userTags: 100,
	userTagsOfSubOrganization: 10,
	oauthProvidersPerUser: 10,
} as const;

/** Returns the headers of a 429 at a rate of `requestsPerSecond`; with `Retry-After` when `waitMs` is given. */
// The names are the service's (docs/internals/service.md#errors). Unverified, chosen: their values are the rate a second and 0,
// `Retry-After` is in whole seconds, rounded up, and the headers come with a 429 only. A request is counted when its
// path and method are served, before its stamp is verified and before any fault applies.
export function ratelimitHeaders(requestsPerSecond: number, waitMs: number | undefined): Record<string, string> {
	const headers = { "ratelimit-limit": String(requestsPerSecond), "ratelimit-remaining": "0" };
	return waitMs === undefined ? headers : { ...headers, "retry-after": String(Math.max(1, Math.ceil(waitMs / 1000))) };
}

/** Returns the gRPC code of a `5xx` fault with an HTTP status. */
// 404, 429 and 403 as docs/internals/service.md#errors has them. Unverified, chosen: 501 is 12 (unimplemented), the rest 14
// (unavailable).
export function grpcCodeOfStatus(status: number): number {
	const codes: Readonly<Record<number, number>> = { 403: 7, 404: 5, 429: 8, 501: 12 };
	return codes[status] ?? 14;
}

// Unverified, chosen: the longest delay of a fault, how many faults can be queued, and the range of the clock: the years 1970 to
// 9999.
export const maxFaultDelayMs = 60 * 60 * 1000;
export const maxQueuedFaults = 1_000;
export const minClockMs = 0;
export const maxClockMs = 253_402_300_799_999;

// Unverified, chosen: how many requests the log keeps; the oldest are removed first.
export const maxLoggedRequests = 10_000;

// Unverified, chosen: how many organizations and public keys stay in memory; others are loaded when they are needed.
export const maxLoadedOrganizations = 2_048;
export const maxCachedKeys = 20_000;

// Unverified, chosen: how long `close()` waits for requests in flight before it cuts their connections.
export const closeGraceMs = 2_000;

// Unverified, chosen: the defaults of a fault. A slow answer comes late, its effect does not.
export const faultDefaults = { delayMs: 5_000, failureStatus: 503, htmlStatus: 502 } as const;

// Unverified, chosen: /emulator/ is our own and needs no stamp. A request with an Origin comes from a web page and is rejected, and
// so is one with an unknown Host (allowed-hosts.ts), so that no open web page can change state by DNS rebinding. Known are these
// and the host that it listens on; beyond loopback also every IP address, which no name server can redirect, and the allowed names.
// Operations need a stamp, which no page has, so they accept any Host.
export const loopbackHosts = ["127.0.0.1", "localhost", "[::1]"] as const;
