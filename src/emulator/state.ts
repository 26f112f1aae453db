/**
 * What the emulator knows of one organization, and the changes that requests make to it. Handlers read the state and
 * return changes; only the store applies them, so that memory never runs ahead of the file.
 */
import type { Time } from "./identifiers.ts";

export interface ApiKey {
	/** Compressed P-256 point, 33 bytes in lower-case hex. */
	readonly publicKey: string;
	readonly apiKeyName?: string;
}

export interface Authenticator {
	/** base64url. */
	readonly credentialId: string;
	/** Compressed P-256 point, 33 bytes in lower-case hex. */
	readonly publicKey: string;
	readonly authenticatorName?: string;
	/** The relying party that it was made for: a host name. */
	readonly rpId?: string;
	/** The only origins whose assertions count; left out, those that `originFits` derives from `rpId`. */
	readonly origins?: readonly string[];
	/** Whether an assertion has to say that the user was verified. */
	readonly userVerification?: "required" | "preferred";
	/** The counter of the last assertion that was accepted; 0 when left out. */
	readonly signCount?: number;
	/** The digest of that assertion: a retry may repeat it. */
	readonly lastAssertion?: string;
}

export interface OauthProvider {
	readonly providerId: string;
	readonly providerName: string;
	readonly issuer: string;
	readonly audience: string;
	readonly subject: string;
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

/** docs/service.md#mfa-policy. */
interface AuthenticationMethod {
	readonly type: string;
	readonly id?: string;
}

/** docs/service.md#mfa-policy. */
export interface MfaPolicy {
	readonly mfaPolicyId: string;
	readonly mfaPolicyName: string;
	readonly condition: string;
	readonly requiredAuthenticationMethods: readonly { readonly any: readonly AuthenticationMethod[] }[];
	readonly order: number;
	readonly notes: string;
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

export interface User {
	readonly userId: string;
	readonly userName: string;
	readonly userEmail?: string;
	readonly userPhoneNumber?: string;
	readonly apiKeys: readonly ApiKey[];
	readonly authenticators: readonly Authenticator[];
	readonly oauthProviders: readonly OauthProvider[];
	readonly mfaPolicies: readonly MfaPolicy[];
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

/** docs/service.md#user-tag, and who has the tag. */
export interface UserTag {
	readonly tagId: string;
	readonly tagName: string;
	readonly tagType: string;
	readonly userIds: readonly string[];
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

export interface Policy {
	readonly policyId: string;
	readonly policyName: string;
	readonly effect: string;
	readonly condition: string;
	readonly consensus: string;
	readonly notes: string;
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

export interface TvcApp {
	readonly id: string;
	readonly name: string;
	readonly liveDeploymentId?: string;
	/** docs/service.md#boot-proof. */
	readonly bootProof?: Readonly<Record<string, unknown>>;
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

/** docs/service.md#session-profile. */
export interface SessionProfile {
	readonly sessionProfileId: string;
	readonly sessionProfileName: string;
	readonly scope: string;
	readonly expirationSeconds: string;
	readonly notes: string;
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

/** The assets of one network, by its canonical name. */
export interface NetworkAssets {
	readonly caip2: string;
	/** docs/service.md#supported-asset. */
	readonly assets: readonly Readonly<Record<string, unknown>>[];
}

/** What an organization demands of its activities; the emulator's stand-in for policies that it does not evaluate. */
export interface Rules {
	/** How many users must approve activities of a type; the submitter's own vote counts. */
	readonly approvals?: Readonly<Record<string, number>>;
	/** Activity types that wait for a passkey. */
	readonly authenticators?: readonly string[];
	/** Activity types that a user, or everyone when no user is named, may not submit. */
	readonly deny?: readonly { readonly type: string; readonly userId?: string }[];
	/** Names of queries that everyone is denied. */
	readonly denyReads?: readonly string[];
	/** How long activities of a type stay pending before they are executed. */
	readonly pendingMs?: Readonly<Record<string, number>>;
}

/** The kinds of entities an organization holds; each entity is one row of the store. */
export interface Entities {
	readonly users: ReadonlyMap<string, User>;
	readonly userTags: ReadonlyMap<string, UserTag>;
	readonly policies: ReadonlyMap<string, Policy>;
	readonly tvcApps: ReadonlyMap<string, TvcApp>;
	readonly sessionProfiles: ReadonlyMap<string, SessionProfile>;
	readonly supportedAssets: ReadonlyMap<string, NetworkAssets>;
}

export type EntityKind = keyof Entities;

/** Every kind with the field that identifies its entities. */
export const identifyingFields = {
	users: "userId",
	userTags: "tagId",
	policies: "policyId",
	tvcApps: "id",
	sessionProfiles: "sessionProfileId",
	supportedAssets: "caip2",
} as const satisfies Record<EntityKind, string>;

/** The kinds in the order they are stored and shown. */
export const entityKinds = Object.keys(identifyingFields) as EntityKind[];

export interface OrganizationHead {
	readonly organizationId: string;
	readonly organizationName: string;
	readonly rules: Rules;
}

/** One organization, complete but for its activities, which are looked up one by one. */
export interface Organization extends OrganizationHead, Entities {
	/** Activities that execute when the clock reaches the time, in milliseconds. */
	readonly due: ReadonlyMap<string, number>;
}

/** A vote (docs/service.md#votes). */
export interface Vote {
	readonly id: string;
	readonly userId: string;
	readonly user: Readonly<Record<string, unknown>>;
	readonly activityId: string;
	readonly selection: "VOTE_SELECTION_APPROVED" | "VOTE_SELECTION_REJECTED";
	/** The raw signed body. */
	readonly message: string;
	readonly publicKey: string;
	readonly signature: string;
	readonly scheme: string;
	readonly createdAt: Time;
}

type ActivityStatus = `ACTIVITY_STATUS_${
	| "CREATED"
	| "PENDING"
	| "COMPLETED"
	| "FAILED"
	| "CONSENSUS_NEEDED"
	| "REJECTED"
	| "AUTHENTICATORS_NEEDED"}`;

/** An activity as it is stored; what a user is shown of it is made by `describeActivity`. */
export interface ActivityRecord {
	readonly id: string;
	readonly organizationId: string;
	readonly operation: string;
	readonly type: string;
	readonly status: ActivityStatus;
	readonly timestampMs: string;
	readonly fingerprint: string;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly result: Readonly<Record<string, unknown>> | null;
	readonly failure: { readonly code: number; readonly message: string; readonly details: readonly unknown[] } | null;
	readonly votes: readonly Vote[];
	readonly approvalsNeeded: number;
	readonly authenticatorNeeded: boolean;
	readonly pendingMs: number;
	/** When it executes by itself; null when nothing is due. */
	readonly dueMs: number | null;
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

/** One change of one organization. All changes of a request are committed together. */
export type Change =
	| { readonly change: "head"; readonly head: OrganizationHead }
	| {
			readonly change: "put";
			readonly kind: EntityKind;
			readonly id: string;
			readonly value: Entities[EntityKind] extends ReadonlyMap<string, infer Value> ? Value : never;
	  }
	| { readonly change: "remove"; readonly kind: EntityKind; readonly id: string }
	| { readonly change: "activity"; readonly activity: ActivityRecord }
	| { readonly change: "clear" };

/** One use of a passkey. */
export interface Assertion {
	readonly credentialId: string;
	readonly signCount: number;
	/** `sha256:` and the SHA-256 of what was signed and the signature. */
	readonly digest: string;
}

/** Who stamped a request, and how. */
export interface Voter {
	readonly userId: string;
	readonly publicKey: string;
	readonly signature: string;
	readonly scheme: string;
	readonly passkey: boolean;
	/** Of a passkey. */
	readonly assertion?: Assertion;
}

/** What a handler may look at: one organization, its activities, the clock, and sources of fresh values. */
export interface World {
	readonly organization: Organization;
	readonly nowMs: number;
	findByFingerprint(fingerprint: string): ActivityRecord | undefined;
	findById(activityId: string): ActivityRecord | undefined;
	/** All activities of the organization, oldest first. */
	listActivities(): readonly ActivityRecord[];
	makeId(nowMs: number): string;
	makeImportBundle(organizationId: string, userId: string): string;
}

/** A request whose stamp was verified. */
export interface StampedRequest {
	readonly body: Readonly<Record<string, unknown>>;
	readonly rawBody: Buffer;
	readonly voter: Voter;
}
