/** The result of comparing desired with live state: changes, problems, and what could not be read. */
import type { Problem } from "../common/errors.ts";
import type { NotRead } from "../policy/access.ts";
import type { Reason } from "../policy/powers/reason.ts";
import type { AddressText, Scope } from "./address.ts";
import type { KindName, ReadOnlyKindName, RemovalKindName } from "./kinds/names.ts";

/** What can be done about a difference: change the object, remove it, or only say so. */
type Action = "update" | "remove" | "report";

/** Where `before` comes from; where it is unknown, the change may not be needed. */
export type Basis = "live" | "last-applied" | "unknown";

export type Change = TagChange | RemovalChange | ReportChange;

interface ChangeOf<K extends KindName, A extends Action> {
	readonly address: AddressText;
	readonly kind: K;
	readonly action: A;
	readonly reason: string;
	readonly basis: Basis;
}

export interface TagChange extends ChangeOf<"userTag", "update"> {
	readonly reason: "name-differs" | "members-differ" | "name-and-members-differ";
	readonly tagId: string;
	readonly before: { readonly name: string; readonly members: readonly string[] | null };
	readonly after: { readonly name: string; readonly members: readonly string[] | null };
	/** User ids, sorted; only real differences, except where `basis` says that they are not known to be needed. */
	readonly addUserIds: readonly string[];
	readonly removeUserIds: readonly string[];
	/** When `basis` is `last-applied`: when it was last applied (ISO 8601), and whether the tag was changed since by others. */
	readonly lastApplied: { readonly at: string; readonly changedSince: boolean } | null;
}

export interface RemovalChange extends ChangeOf<RemovalKindName, "remove"> {
	readonly reason: "is-there" | "not-known-to-be-absent";
	readonly id: string;
	/** The user whose provider it is; null for the other kinds. */
	readonly userId: string | null;
	readonly before: { readonly name: string } | null;
	readonly after: null;
}

export interface ReportChange extends ChangeOf<ReadOnlyKindName, "report"> {
	readonly reason: "differs" | "not-there";
	/** The user whose MFA policy it is; left out for the other kinds. */
	readonly userId?: string;
	/** Only the fields that the document writes and that differ; null when the object is not there. */
	readonly before: Readonly<Record<string, unknown>> | null;
	readonly after: Readonly<Record<string, unknown>>;
}

/** Something that the plan depends on and that could not be read. */
export type Unread = Scope & {
	readonly because: Reason | NotRead;
	/** What orgsync uses instead: what it last applied, or nothing. */
	readonly standsIn: "last-applied" | "nothing";
};

export interface Differences {
	readonly changes: readonly Change[];
	/** Why live cannot become what is desired whatever is submitted; positions are those of the document. */
	readonly problems: readonly Problem[];
	readonly unread: readonly Unread[];
}
