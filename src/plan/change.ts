/** The result of comparing desired with live state: changes, problems, and what could not be read. */
import type { Problem } from "../common/errors.ts";
import type { AccessPolicy, NotRead } from "../policy/access.ts";
import type { Reason } from "../policy/powers/reason.ts";
import type { AddressText, Scope } from "./address.ts";
import type { KindName, ReadOnlyKindName, RemovalKindName } from "./kinds/names.ts";

/** What can be done about a difference: change the object, remove it, or only say so. */
type Action = "create" | "update" | "remove" | "report";

/** Where `before` comes from; where it is unknown, the change may not be needed. */
export type Basis = "live" | "last-applied" | "unknown";

export type Change = TagChange | PolicyChange | RemovalChange | ReportChange;

interface ChangeOf<K extends KindName, A extends Action> {
	readonly address: AddressText;
	readonly kind: K;
	readonly action: A;
	readonly reason: string;
	readonly basis: Basis;
}

/** Of a tag that is created, `before` has its name and no members; of one that is removed, `after` has. */
export interface TagChange extends ChangeOf<"userTag", "create" | "update" | "remove"> {
	readonly reason: "name-differs" | "members-differ" | "name-and-members-differ" | "not-there" | "is-there";
	/** Of a tag that is created, a stand-in (stand-in.ts). */
	readonly tagId: string;
	readonly before: { readonly name: string; readonly members: readonly string[] | null };
	readonly after: { readonly name: string; readonly members: readonly string[] | null };
	/** User ids, sorted; only real differences, except where `basis` says that they are not known to be needed. */
	readonly addUserIds: readonly string[];
	readonly removeUserIds: readonly string[];
	/** When `basis` is `last-applied`: when it was last applied (ISO 8601), and whether the tag was changed since by others. */
	readonly lastApplied: { readonly at: string; readonly changedSince: boolean } | null;
}

/** All that can be managed of a policy. In `after`, ids of tags that the plan creates are stand-ins. */
export interface PolicyContent extends Omit<AccessPolicy, "id" | "stated"> {
	readonly notes: string;
}

export type WrittenExpressions = Pick<PolicyContent, "consensus" | "condition">;

export interface PolicyChange extends ChangeOf<"policy", "create" | "update"> {
	readonly reason: "differs" | "not-there";
	/** Of a policy that is created, a stand-in (stand-in.ts). */
	readonly id: string;
	readonly userId: null;
	/** Null: it is created. */
	readonly before: PolicyContent | null;
	readonly after: PolicyContent;
	/** The expressions as the document writes them: with the names of tags and users. */
	readonly written: WrittenExpressions;
	/** The live ones in the same terms; null: it is created. */
	readonly writtenBefore: WrittenExpressions | null;
	/** Whether the text of a policy is replaced that was never applied from here. */
	readonly takesOver: boolean;
	/** The document marks it as not understood: its texts are compared and submitted as they are. Left out otherwise. */
	readonly unchecked?: true;
}

/** Whether the change creates or changes a policy. */
export function isWritten(change: Change): change is PolicyChange {
	return change.kind === "policy" && change.action !== "remove";
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
