/** One organization in the emulator. Handlers return changes and only the store applies them: memory is never ahead of the file. */
import type { activityStatuses } from "../wire/operations.ts";
import type { Time } from "./identifiers.ts";

export interface PolicyEvaluation {
	readonly policyId: string;
	readonly outcome: string;
}

/** What the activities of an organization need beside its policies. */
export interface Rules {
	/** How many users must approve activities of a type; the submitter's own vote counts. */
	readonly approvals?: Readonly<Record<string, number>>;
	/** Activity types that need a passkey stamp. */
	readonly authenticators?: readonly string[];
	/** Activity types that a user, or everyone when no user is named, may not submit. */
	readonly deny?: readonly { readonly type: string; readonly userId?: string }[];
	/** Names of queries that everyone is denied. */
	readonly denyReads?: readonly string[];
	/** Which activity answers a vote: its own (when left out), or the one that was voted on. */
	readonly voteAnswer?: "own" | "target";
	/** What an empty text in update_policy does to the field that has it: clear it (when left out), or keep its value. */
	readonly emptyUpdate?: "clear" | "keep";
	/** How long activities of a type stay pending before they are executed. */
	readonly pendingMs?: Readonly<Record<string, number>>;
}

export interface EntitySection<Entity extends object> {
	/** The name of the section in seeds, in patches and in the data file. */
	readonly section: string;
	idOf(entity: Entity): string;
}

/** `threshold` of these users together can do everything (docs/internals/service.md#how-an-activity-is-decided). */
export interface RootQuorum {
	readonly threshold: number;
	readonly userIds: readonly string[];
}

export interface OrganizationSettings {
	readonly organizationId: string;
	readonly organizationName: string;
	/** Left out, the organization shows none, and none decides anything. */
	readonly rootQuorum?: RootQuorum;
	/** Left out, it is not a sub-organization. */
	readonly parentOrganizationId?: string;
	readonly rules: Rules;
}

/** An organization as its parent lists it. */
export interface SubOrganization {
	readonly organizationId: string;
	readonly organizationName: string;
}

/** One organization, complete but for its activities, which are looked up one by one. */
export interface Organization extends OrganizationSettings {
	entities<Entity extends object>(kind: EntitySection<Entity>): ReadonlyMap<string, Entity>;
	/** Activities that execute when the clock reaches the time, in milliseconds. */
	readonly due: ReadonlyMap<string, number>;
}

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

/** An activity as it is stored; what a user is shown of it is made by `describeActivity`. */
export interface ActivityRecord {
	readonly id: string;
	readonly organizationId: string;
	readonly operation: string;
	readonly type: string;
	readonly status: (typeof activityStatuses)[number];
	readonly timestampMs: string;
	readonly fingerprint: string;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly result: Readonly<Record<string, unknown>> | null;
	readonly failure: { readonly code: number; readonly message: string; readonly details: readonly unknown[] } | null;
	readonly votes: readonly Vote[];
	/** What each policy said at a vote, by the id of the vote. Left out where policies decided nothing. */
	readonly evaluations?: Readonly<Record<string, readonly PolicyEvaluation[]>>;
	readonly approvalsNeeded: number;
	readonly authenticatorNeeded: boolean;
	readonly pendingMs: number;
	/** What a fault leaves out when it creates policies: the last id in its result, or the last policy too. Usually nothing. */
	readonly leavesOut?: "fewer-ids" | "fewer-policies";
	/** When a delayed activity is executed; null when none is due. */
	readonly dueMs: number | null;
	readonly createdAt: Time;
	readonly updatedAt: Time;
}

/** One change of one organization. */
export type StateChange =
	| { readonly change: "settings"; readonly settings: OrganizationSettings }
	| { readonly change: "put"; readonly section: string; readonly id: string; readonly value: object }
	| { readonly change: "remove"; readonly section: string; readonly id: string }
	| { readonly change: "activity"; readonly activity: ActivityRecord }
	| { readonly change: "clear" };

export interface Assertion {
	readonly credentialId: string;
	readonly signCount: number;
	/** `sha256:` and the SHA-256 of what was signed and the signature. */
	readonly digest: string;
}

export interface Signer {
	readonly userId: string;
	readonly publicKey: string;
	readonly signature: string;
	readonly scheme: string;
	/** Of a passkey only. */
	readonly assertion?: Assertion;
}

/** What a handler can read: one organization, its activities and the clock. */
export interface OperationContext {
	readonly organization: Organization;
	readonly nowMs: number;
	findByFingerprint(fingerprint: string): ActivityRecord | undefined;
	findById(activityId: string): ActivityRecord | undefined;
	/** All activities of the organization, newest first, each read when it is needed. */
	activitiesNewestFirst(): Iterable<ActivityRecord>;
	/** The sub-organizations of the organization, newest first. */
	listSubOrganizations(): readonly SubOrganization[];
}

export interface StampedRequest {
	readonly body: Readonly<Record<string, unknown>>;
	readonly rawBody: Buffer;
	readonly signer: Signer;
}
