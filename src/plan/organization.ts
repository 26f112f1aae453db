/** Desired and live organizations. Unknown is not empty: use `Known<T>` for anything unreadable. Ids are lower case. */
import type { AccessPolicy, Known } from "../policy/access.ts";
import type { PowerName } from "../policy/powers/groups.ts";
import type { DocumentCases } from "./access-cases/case.ts";
import type { LabelSelection } from "./glob.ts";
import type { ReadOnlyKindName, RemovalKindName, removalLists } from "./kinds/names.ts";
import type { CredentialCheck } from "./rules/credential-check.ts";

export type { Known };

/** A place in a document; lines and columns begin at 1. */
export interface Position {
	readonly file: string;
	readonly line: number;
	readonly column: number;
}

/** What one document, or several that agree about the same organization, say must be. */
export interface DesiredOrganization extends DocumentCases {
	readonly organizationId: string;
	/** What people call it; for reading only. */
	readonly name?: string;
	/** Names for this document: alias to user id. The service knows only the ids. */
	readonly users: Readonly<Record<string, string>>;
	readonly places?: NamePlaces;
	/** Everything that it lists, in the order of the kinds; objects of a kind are sorted. */
	readonly objects: readonly DesiredObject[];
	/** Lists that are complete: what else is live is removed, except what these globs match. Left out where none is. */
	readonly exactly?: { readonly policies?: Exceptions; readonly userTags?: Exceptions };
	readonly protect: {
		readonly userIds: readonly string[];
		readonly userTags: readonly string[];
		/** Names or ids; left out where there is none. */
		readonly policies?: readonly string[];
	};
	readonly limits: Limits;
	/** Sorted by address; left out when there is none. They are about all of the organization, whatever `--only` leaves out. */
	readonly rules?: readonly DesiredRule[];
	/** Findings of `lint` that are meant, in the order of the documents; left out where there is none. They change no digest. */
	readonly ignoredFindings?: readonly IgnoredFinding[];
	/** `sha256:` and hex of the desired organization as canonical JSON, positions left out (a digest, not a fingerprint). */
	readonly digest: string;
	readonly files: readonly string[];
	/** Where a list has this organization, and the file of the document that describes all organizations of that list. */
	readonly row?: Position & { readonly document: string };
	/** Whether parts of the document were left out (`--only`): then an object that it does not list may still be managed. */
	readonly narrowed?: boolean;
	/** Whether members of tags are read although no tag here manages them: a tag that was left out may. */
	readonly readsMembers?: boolean;
	/** Whether each policy is created by an activity of its own: a Pulumi program has a resource for each. */
	readonly separately?: true;
	/** By tag id, temporary names that an earlier plan chose; used only while they are free. */
	readonly temporaryNames?: Readonly<Record<string, string>>;
}

/** A complete list: what else is live is removed. */
export interface Exceptions {
	/** Globs over names that stay; `*` is any text. Sorted. */
	readonly except: readonly string[];
	/** With `--only`: which removals are selected, by name or id, and what the whole document lists. Left out where all are. */
	readonly part?: {
		readonly selected: readonly LabelSelection[];
		readonly entries: readonly (DesiredPolicy | DesiredUserTag)[];
		/** Those that select nothing in any document, where no other organization has such a list: nothing live either is a warning. */
		readonly unlisted: readonly LabelSelection[];
	};
}

/** Where a document has names that have no place elsewhere. */
export interface NamePlaces {
	/** By id, users whom tags or `protect` name: at the alias, or else at the first use of the id. */
	readonly users: Readonly<Record<string, Position>>;
	/** By name, user tags under `protect`. */
	readonly protectedTags: Readonly<Record<string, Position>>;
	/** By what is written, policies under `protect` and under `absent`; left out where there is none. */
	readonly protectedPolicies?: Readonly<Record<string, Position>>;
	readonly absentPolicies?: Readonly<Record<string, Position>>;
}

/** A finding of `lint` that a document says is meant. `name`: of the policy or the user tag. */
export interface IgnoredFinding {
	readonly rule: string;
	readonly on: "policy" | "userTag";
	readonly name: string;
	readonly reason: string;
	readonly at: Position;
}

export interface DesiredUserTag {
	readonly kind: "userTag";
	readonly name: string;
	/** Without it the tag is found by its name. */
	readonly id?: string;
	/** Names by which the tag is found when `name` is not there; then it is a rename. */
	readonly previously: readonly string[];
	/** Left out: membership is not managed. */
	readonly members?: DesiredMembers;
	/** Whether the tag is created where it is not there. */
	readonly create?: true;
	readonly at: Position;
}

/** A user tag that must not exist: `name` is its id, or its name. */
export interface AbsentUserTag {
	readonly kind: "userTag";
	readonly absent: true;
	readonly name: string;
	readonly at: Position;
}

export type PolicyEffect = "EFFECT_ALLOW" | "EFFECT_DENY";

/** A policy as a document writes it. Its expressions are templates: they name tags and users of the document by references. */
export interface DesiredPolicy {
	readonly kind: "policy";
	/** Names are unique in the service (docs/internals/service.md#server-side-validation). */
	readonly name: string;
	/** Without it the policy is found by its name. */
	readonly id?: string;
	readonly previously: readonly string[];
	readonly effect: PolicyEffect;
	/** Empty: the policy has none. */
	readonly consensus: string;
	readonly condition: string;
	/** Left out: unmanaged. */
	readonly notes?: string;
	/** Left out: no window. */
	readonly time?: string;
	/** Whether its expressions are compared and submitted as exact text, their meaning unknown. */
	readonly unchecked?: true;
	readonly at: Position;
}

/**
 * User ids, sorted, without repeats. `exactly` says who; `atLeast` and `never` leave everybody else alone. A document lists users
 * with a window in `exactly` or `atLeast`; `desiredAt` (access-window.ts) moves those outside their window to `never`.
 */
export type DesiredMembers = (
	| { readonly mode: "exactly"; readonly exactly: readonly string[]; readonly never?: readonly string[] }
	| { readonly mode: "atLeast"; readonly atLeast: readonly string[]; readonly never: readonly string[] }
) & {
	/** Sorted by user, at most one for each; left out when there is none. */
	readonly windows?: readonly AccessWindow[];
};

/** When a user has the tag: from `fromMs` on and before `untilMs`, at least one, by the service's clock. */
export interface AccessWindow {
	readonly userId: string;
	readonly fromMs?: number;
	readonly untilMs?: number;
	/** As the document writes them, zone included: for readers. */
	readonly from?: string;
	readonly until?: string;
	/** Why the user has it, for reviewers. */
	readonly reason?: string;
	readonly at: Position;
}

/** An object that must not exist. */
export interface DesiredRemoval {
	readonly kind: RemovalKindName;
	/** The user whose object it is; null for kinds whose objects belong to no user. */
	readonly userId: string | null;
	readonly id: string;
}

/** An object that can only be read; only the fields that were written are compared. */
export interface DesiredExpectation {
	readonly kind: ReadOnlyKindName;
	/** The user id or the network (a canonical CAIP-2 value) under which a document lists it; null where it lists it under none. */
	readonly group: string | null;
	/** The key by which the document names the object, such as `id` or `symbol`, and its value. */
	readonly foundBy: string;
	readonly key: string;
	/** By the service's field names; the name of the object is `name`. */
	readonly fields: Readonly<Record<string, unknown>>;
	readonly at: Position;
}

/** One rule of `rules` (docs/document.md#rules). Tags are live names: the document need not manage them. Lists are sorted. */
export type DesiredRule =
	/** No user may have two of these tags. */
	(
		| { readonly rule: "exclusive"; readonly tags: readonly string[] }
		/** How many members the tag may have; at least one of both limits is there. */
		| { readonly rule: "members"; readonly tag: string; readonly min?: number; readonly max?: number }
		/** No fewer approvers may be enough for the power; the root quorum counts. */
		| { readonly rule: "minApprovers"; readonly power: PowerName; readonly min: number }
		/** Users who take part in the power, the root quorum aside, must have one of these tags. */
		| { readonly rule: "onlyBy"; readonly power: PowerName; readonly tags: readonly string[] }
		/** A plan must not let a user do more. */
		| { readonly rule: "noNewAccess" }
		| ({ readonly rule: "credentials" } & CredentialCheck)
	) & { readonly at: Position };

export type DesiredObject = DesiredUserTag | AbsentUserTag | DesiredPolicy | DesiredRemoval | DesiredExpectation;

/** Returns the user tags that the document lists, sorted by name. */
export function tagsOf({ objects }: Pick<DesiredOrganization, "objects">): readonly DesiredUserTag[] {
	return objects.filter((object): object is DesiredUserTag => object.kind === "userTag" && !("absent" in object));
}

/** Returns the user tags that must not exist, sorted by name. */
export function absentTagsOf({ objects }: Pick<DesiredOrganization, "objects">): readonly AbsentUserTag[] {
	return objects.filter((object): object is AbsentUserTag => object.kind === "userTag" && "absent" in object);
}

/** Returns the policies that the document writes, sorted by name. */
export function policiesOf({ objects }: Pick<DesiredOrganization, "objects">): readonly DesiredPolicy[] {
	return objects.filter((object): object is DesiredPolicy => object.kind === "policy" && "effect" in object);
}

export function removalsOf(
	{ objects }: Pick<DesiredOrganization, "objects">,
	kind: RemovalKindName,
): readonly DesiredRemoval[] {
	return objects.filter((object): object is DesiredRemoval => object.kind === kind && "userId" in object);
}

export function expectationsOf(
	{ objects }: Pick<DesiredOrganization, "objects">,
	kind: ReadOnlyKindName,
): readonly DesiredExpectation[] {
	return objects.filter((object): object is DesiredExpectation => object.kind === kind);
}

/** Returns the key under which live state holds the records among which the object is. */
export function liveKeyOf({ group, key }: DesiredExpectation): string {
	return group ?? key;
}

/** How much one apply may remove or change without an override. A number counts; a percentage is of the known members. */
export type Limits = {
	readonly memberRemovals?: { readonly percent: number } | { readonly count: number };
	readonly lockout?: PowerLimit;
	readonly escalation?: PowerLimit;
	/** Removals of tags. */
	readonly userTags?: number;
	readonly policyUpdates?: number;
	/** Live policies whose text is replaced and that were never applied from here. */
	readonly takeovers?: number;
	/** Removals of members whose access expired do not count for `memberRemovals`. */
	readonly expiries?: "any";
} & { readonly [K in RemovalKindName as (typeof removalLists)[K]]?: number };

/** How many powers a guard may find; `strict` allows none, and nothing that is unknown. */
export type PowerLimit = number | "strict";

/** Limits of what extended writes do. */
export const writeLimits = ["userTags", "policyUpdates", "takeovers"] as const;

/** Limits of the guards that compare who can do what before and after. */
export const powerLimits = ["lockout", "escalation"] as const;

/** What the service has, as far as it was asked for and could be read. */
export interface LiveOrganization {
	readonly organizationId: string;
	/** Sorted by id. */
	readonly userTags: Known<readonly LiveUserTag[]>;
	/** What policies say, sorted by id; left out where the document states none. */
	readonly policies?: Known<readonly LivePolicy[]>;
	/** Objects that can be removed, by kind. */
	readonly removables: { readonly [K in RemovalKindName]: Known<readonly LiveRemovable[]> };
	/** User id to the name that the service has, which need not be unique; empty where it has none. */
	readonly users: Known<Readonly<Record<string, string>>>;
	/** Objects that can only be read, by kind and then by `liveKeyOf`: those that were asked for. */
	readonly records: { readonly [K in ReadOnlyKindName]?: Readonly<Record<string, Known<readonly LiveRecord[]>>> };
	/** What orgsync last applied, for where the service cannot be read. Never shown as live. */
	readonly lastApplied: LastApplied;
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
	/** The service says that it was updated when it was created, and not since; left out otherwise. */
	readonly isUnchanged?: true;
	/** User ids, sorted. Unknown without the extended reads (docs/internals/service.md#extended-reads). */
	readonly members: Known<readonly string[]>;
}

/** A policy as the service has it. */
export interface LivePolicy extends AccessPolicy {
	readonly notes: string;
	/** ISO 8601 in UTC; left out when the service did not say, or in no form that orgsync knows. */
	readonly createdAt?: string;
}

export interface LiveRemovable {
	readonly id: string;
	/** The user whose object it is; null for kinds whose objects belong to no user. */
	readonly userId: string | null;
	readonly name: string;
	/** Digest of the record without its times; left out where changes of it do not matter. */
	readonly digest?: string;
}

/** What orgsync last applied to this organization, from the journal. Times are ISO 8601 in UTC. */
export interface LastApplied {
	/** By tag id. */
	readonly userTags: Readonly<Record<string, LastAppliedTag>>;
	/** What was removed, by kind and then by `keyOfRemoval`. */
	readonly removed: { readonly [K in RemovalKindName]?: Readonly<Record<string, LastAppliedRemoval>> };
	/** Policies whose text was applied from here, by id; left out where there is none. */
	readonly policies?: Readonly<Record<string, LastAppliedPolicy>>;
}

export interface LastAppliedPolicy extends LastAppliedRemoval {
	readonly name: string;
}

export interface LastAppliedRemoval {
	readonly appliedAt: string;
}

export interface LastAppliedTag extends LastAppliedRemoval {
	readonly name: string;
	/** Users known to have had the tag then, and users known not to; of everybody else nothing is known. Sorted. */
	readonly present: readonly string[];
	readonly gone: readonly string[];
	/** The tag's `updatedAt` when our change was verified: another in live is a later change. `unknown`: members were not read. */
	readonly updatedAt: string;
	/** When our activity was last updated, by the service's clock: a later change is by others. Left out if unknown; 0 where members were not read. */
	readonly completedAtMs?: number;
}

export const emptyLastApplied: LastApplied = { userTags: {}, removed: {} };

/** An object, or a user, as the service calls it. Names of users are not unique, and perhaps empty. */
export interface Named {
	readonly id: string;
	readonly name: string;
}

/** All that a key can read of an organization, for export. */
export interface WholeOrganization {
	readonly live: LiveOrganization;
	readonly users: Known<readonly Named[]>;
	/** Whether the session profiles of `live` are all there are. */
	readonly sessionProfilesKnown: Known<unknown>;
}
