/**
 * The nouns: what a document wants (`DesiredOrganization`) and what the service has (`LiveOrganization`).
 *
 * The rule it keeps: unknown is not empty. Everything that may be unreadable is a `Known<T>`, and code that wants the
 * value has to say what happens when it is not there. Values are plain data, deeply read-only, ids in lower case.
 */

/** A value that was read, or the reason why it could not be. */
export type Known<T> =
	| { readonly known: true; readonly value: T }
	| { readonly known: false; readonly because: string };

/** A place in a document; lines and columns begin at 1. */
export interface Position {
	readonly file: string;
	readonly line: number;
	readonly column: number;
}

/** What one document, or several that agree about the same organization, say must be. */
export interface DesiredOrganization {
	readonly organizationId: string;
	/** Names for this document: alias to user id. The service knows only the ids. */
	readonly users: Readonly<Record<string, string>>;
	/** Sorted by name. */
	readonly userTags: readonly DesiredUserTag[];
	readonly absent: DesiredAbsent;
	readonly expect: DesiredExpectations;
	readonly protect: { readonly userIds: readonly string[]; readonly userTags: readonly string[] };
	readonly limits: Limits;
	/** `sha256:` and hex of the desired organization as canonical JSON, positions left out (a digest, not a fingerprint). */
	readonly digest: string;
	readonly files: readonly string[];
	/** Whether parts of the document were left out (`--only`): then what it does not speak of is not known. */
	readonly narrowed?: boolean;
	/** Whether members of tags are read although no tag here speaks of them: what was left out may have. */
	readonly readsMembers?: boolean;
	/** By tag id, the names under which tags step aside where a plan chose them before; taken only while they are free. */
	readonly temporaryNames?: Readonly<Record<string, string>>;
}

export interface DesiredUserTag {
	readonly name: string;
	/** Without it the tag is found by its name. */
	readonly id?: string;
	/** Names by which the tag is found when `name` is not there; then it is a rename. */
	readonly previously: readonly string[];
	/** Left out: membership is not managed. */
	readonly members?: DesiredMembers;
	readonly at: Position;
}

/** User ids, sorted, without repeats. `exactly` says who; `atLeast` and `never` leave everybody else alone. */
export type DesiredMembers =
	| { readonly mode: "exactly"; readonly exactly: readonly string[] }
	| { readonly mode: "atLeast"; readonly atLeast: readonly string[]; readonly never: readonly string[] };

/** What must not exist. All lists sorted, without repeats. */
export interface DesiredAbsent {
	readonly policyIds: readonly string[];
	readonly oauthProviders: readonly { readonly userId: string; readonly providerIds: readonly string[] }[];
	readonly tvcAppIds: readonly string[];
}

/** What can only be read. In each, only the fields that were written are compared. */
export interface DesiredExpectations {
	readonly sessionProfiles: readonly ExpectedSessionProfile[];
	readonly mfaPolicies: readonly ExpectedMfaPolicy[];
	readonly bootProofs: readonly ExpectedBootProof[];
	readonly supportedAssets: readonly ExpectedAsset[];
}

/** docs/service.md#session-profile by its field names without the prefix: `{name?, scope?, expirationSeconds?, notes?}`. */
export interface ExpectedSessionProfile {
	readonly id: string;
	readonly fields: Readonly<Record<string, unknown>>;
	readonly at: Position;
}

/** docs/service.md#mfa-policy: `{name?, condition?, requiredAuthenticationMethods?, order?, notes?}`; found by id, or by name. */
export interface ExpectedMfaPolicy {
	readonly userId: string;
	readonly id?: string;
	readonly name?: string;
	readonly fields: Readonly<Record<string, unknown>>;
	readonly at: Position;
}

/** docs/service.md#boot-proof by its own field names, for example `{deploymentLabel, enclaveApp}`. */
export interface ExpectedBootProof {
	readonly appId: string;
	readonly fields: Readonly<Record<string, unknown>>;
	readonly at: Position;
}

/** docs/service.md#supported-asset by its own field names; found by symbol within its network. */
export interface ExpectedAsset {
	/** Canonical CAIP-2 value (docs/service.md#networks). */
	readonly caip2: string;
	readonly symbol: string;
	readonly fields: Readonly<Record<string, unknown>>;
	readonly at: Position;
}

/** How much one apply may take away without being told to. A number counts; a percentage is of the known members. */
export interface Limits {
	readonly memberRemovals?: { readonly percent: number } | { readonly count: number };
	readonly policies?: number;
	readonly oauthProviders?: number;
	readonly tvcApps?: number;
}

/** What the service has, as far as it was asked for and could be read. */
export interface LiveOrganization {
	readonly organizationId: string;
	/** Sorted by id. */
	readonly userTags: Known<readonly LiveUserTag[]>;
	readonly policies: Known<readonly LiveNamed[]>;
	readonly oauthProviders: Known<readonly LiveOauthProvider[]>;
	readonly tvcApps: Known<readonly LiveNamed[]>;
	/** User id to the name that the service has, which need not be unique; empty where it has none. */
	readonly users: Known<Readonly<Record<string, string>>>;
	/** By session profile id; a known `null` means that there is none. */
	readonly sessionProfiles: Readonly<Record<string, Known<LiveRecord | null>>>;
	/** By user id; each record has `mfaPolicyId` and the fields of docs/service.md#mfa-policy. */
	readonly mfaPolicies: Readonly<Record<string, Known<readonly LiveRecord[]>>>;
	/** By app id. */
	readonly bootProofs: Readonly<Record<string, Known<LiveRecord | null>>>;
	/** By canonical CAIP-2 value. */
	readonly supportedAssets: Readonly<Record<string, Known<readonly LiveRecord[]>>>;
	/** What we last applied ourselves, for where the service cannot be read. Never shown as live. */
	readonly memory: Memory;
}

/** A record as the service answered it, unknown fields kept. */
export type LiveRecord = Readonly<Record<string, unknown>>;

export interface LiveUserTag {
	readonly id: string;
	readonly name: string;
	/** `TAG_TYPE_USER`, or what else the service says. */
	readonly type: string;
	/** `seconds.nanos` as the service answered them; empty when it did not say. */
	readonly updatedAt: string;
	/** The same in milliseconds since 1970; left out when the service did not say, or in no form that orgsync knows. */
	readonly updatedAtMs?: number;
	/** User ids, sorted. Unknown without the extended reads (docs/service.md#extended-reads). */
	readonly members: Known<readonly string[]>;
}

/** Something that can only be removed. */
export interface LiveNamed {
	readonly id: string;
	readonly name: string;
	/** Digest of all that the service says of it but when; left out where nobody needs to know whether it changed. */
	readonly digest?: string;
}

export interface LiveOauthProvider extends LiveNamed {
	readonly userId: string;
}

/** What orgsync last applied to this organization, from the journal. Times are ISO 8601 in UTC. */
export interface Memory {
	/** By tag id. */
	readonly userTags: Readonly<Record<string, RememberedTag>>;
	readonly removedPolicies: Readonly<Record<string, Remembered>>;
	/** By `USER_ID/PROVIDER_ID`. */
	readonly removedOauthProviders: Readonly<Record<string, Remembered>>;
	readonly removedTvcApps: Readonly<Record<string, Remembered>>;
}

export interface Remembered {
	readonly appliedAt: string;
}

export interface RememberedTag extends Remembered {
	/** The name when it was applied. */
	readonly name: string;
	/** Users known to have had the tag then, and users known not to; of everybody else nothing is known. Sorted. */
	readonly present: readonly string[];
	readonly gone: readonly string[];
	/** The tag's `updatedAt` when our change was verified; when live shows another, the tag was changed since. */
	readonly updatedAt: string;
	/**
	 * When our activity was last updated, by the service's clock, milliseconds since 1970. It tells a later change where
	 * nobody verified ours; left out when the service did not say.
	 */
	readonly completedAtMs?: number;
}

export const emptyMemory: Memory = {
	userTags: {},
	removedPolicies: {},
	removedOauthProviders: {},
	removedTvcApps: {},
};

export const emptyExpectations: DesiredExpectations = {
	sessionProfiles: [],
	mfaPolicies: [],
	bootProofs: [],
	supportedAssets: [],
};

/** What an id looks like: a UUID, in any case. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A user as far as a document needs one. */
export interface LiveUser {
	readonly id: string;
	/** As the service has it: not unique, perhaps empty. */
	readonly name: string;
}

/** All that a key can read of an organization, for export. */
export interface WholeOrganization {
	readonly live: LiveOrganization;
	readonly users: Known<readonly LiveUser[]>;
	/** Whether the session profiles of `live` are all there are. */
	readonly sessionProfilesKnown: Known<unknown>;
}
