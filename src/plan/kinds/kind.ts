/** The three types of kinds: a user tag can be changed, some kinds can only be removed, others only read. */
import type { Differences, RemovalChange } from "../change.ts";
import type { DesiredExpectation, DesiredOrganization, LiveOrganization, LiveRecord } from "../organization.ts";
import type { CoveredObject, StepOperation, StepParameters, StepReason, StepRequest } from "../step.ts";
import type { KindName, ReadOnlyKindName, RemovalKindName } from "./names.ts";

export type Kind = UserTagKind | RemovalKind | ReadOnlyKind;

interface KindBase {
	readonly name: KindName;
	/** The word for a person, one and many. */
	readonly words: readonly [one: string, many: string];
	/** Returns what differs, and why some of it cannot be changed. */
	readonly differences: (desired: DesiredOrganization, live: LiveOrganization) => Differences;
}

export interface UserTagKind extends KindBase {
	readonly name: "userTag";
	readonly action: "update";
}

export interface RemovalKind extends KindBase {
	readonly name: RemovalKindName;
	readonly action: "remove";
	/** Whether every object belongs to a user, under whom documents list it. */
	readonly isOfUser: boolean;
	readonly operation: StepOperation;
	/** Returns the fewest activities that make these changes of the kind. */
	readonly steps: (changes: readonly RemovalChange[]) => readonly StepDraft[];
	/** Types of activities that make such an object. Unverified, chosen: only removals are in the interface. */
	readonly creations: RegExp;
}

export interface ReadOnlyKind extends KindBase {
	readonly name: ReadOnlyKindName;
	readonly action: "report";
	/** What documents list its objects under: a user, a network, or nothing. */
	readonly groupedBy: "user" | "network" | null;
	/** The keys by which an entry can name its object; the first one that is written counts. */
	readonly identities: readonly string[];
	/** Whether the identity is an id; else it is any text. */
	readonly isIdentityId: (identity: string) => boolean;
	/** The other keys of an entry, in the order in which they are kept; those that are written are compared. */
	readonly fields: readonly string[];
	/** Whether the live record is the expected object, of those that live state holds for its group. */
	readonly matches: (record: LiveRecord, expected: DesiredExpectation) => boolean;
	/** What the service calls the field that documents call `name`; null when it is `name` there too. */
	readonly nameField: string | null;
	/** Types of activities that are about the kind; null where no activity is. Unverified, chosen: none is in the interface. */
	readonly activities: RegExp | null;
	/** What a person can do about drift; how the document gets live state follows. */
	readonly remedy: string;
	/** What of it `export` writes; null where it is not exported. */
	readonly exported: ExportedKind | null;
}

export interface ExportedKind {
	/** The member of a live record that holds its id. */
	readonly idField: string;
	/** The fields in the order in which they are written. */
	readonly fields: readonly string[];
}

/** A step before it has its place in the plan; `key` and `after` name drafts. */
export type StepDraft = StepRequest & {
	readonly key: string;
	readonly covers: readonly CoveredObject[];
	readonly after: readonly string[];
	readonly reason: StepReason;
};

export interface RequestShape<O extends StepOperation> {
	/** The kind whose objects it changes. */
	readonly kind: "userTag" | RemovalKindName;
	/** The parameter that lists the ids of the objects; null where a request is about a single object. */
	readonly list: (keyof StepParameters[O] & string) | null;
	/** The parameter that names the single object, or the user whose objects are listed; null where there is neither. */
	readonly subject: (keyof StepParameters[O] & string) | null;
	/** Returns the objects of a request that are known by other than ids in lower case; left out where all are. */
	readonly objects?: (parameters: Readonly<Record<string, unknown>>) => readonly string[];
	/** Returns the part of the request that is about these ids; all of it where it is about a single object. */
	readonly narrow: (request: StepRequest<O>, ids: readonly string[]) => StepRequest<O>;
}
