/** Access cases: what must be true of who can do what (docs/testing.md), as their files write them. */
import type { Problem } from "../../common/errors.ts";
import type { Fields } from "../../policy/powers/fields.ts";
import type { ActivityGroup } from "../../policy/powers/groups.ts";

type Position = Pick<Problem, "file" | "line" | "column">;

/** A user, a tag or a policy as a case names it. */
export interface CaseName {
	readonly text: string;
	readonly at: Position;
	/** Where in its file. */
	readonly path: string;
}

/** Sets of users: any `count` members of a tag, or these users. */
export type NamedSet =
	| { readonly count: number; readonly tag: CaseName }
	| { readonly users: readonly CaseName[]; readonly at: Position };

/** How a list is meant, as under `members` of a tag. */
export const listModes = ["exactly", "atLeast", "never"] as const;

type ListMode = (typeof listModes)[number];

/** What a list is about: who can do it alone, which sets of users together, who takes part in one. */
export type ListTopic = "alone" | "together" | "takesPart";

/** A list of sets; for `alone` and `takesPart` each is of one user. */
export interface CaseList<S = NamedSet> {
	readonly about: ListTopic;
	readonly mode: ListMode;
	readonly sets: readonly S[];
}

/** The activities that a case is about. */
export interface AskedActivities {
	readonly groups: readonly ActivityGroup[];
	/** What is known of each of them. */
	readonly fields?: Fields | undefined;
	/** Whether it is about a user's own credentials. */
	readonly isOwn: boolean;
	/** The user whose credentials the one activity changes, in lower case. */
	readonly ownerId?: string;
	/** As a reader writes it: `kind SIGN_TRANSACTION where wallet.id == '…'`. Equal for equal activities. */
	readonly text: string;
}

export interface AccessCase {
	readonly name: string;
	readonly at: Position;
	readonly asked: AskedActivities;
	/** Milliseconds since 1970; null: at all times. */
	readonly atMs: number | null;
	readonly lists: readonly CaseList[];
	/** The policies that must decide it; null where the case does not say. */
	readonly by: readonly CaseName[] | null;
}

/** A user that does not exist yet. */
export interface GivenUser {
	readonly name: string;
	readonly at: Position;
	readonly tags: readonly CaseName[];
}

/** The cases of one file. */
export interface CaseFile {
	readonly file: string;
	/** Null: each organization of the run. */
	readonly organizationId: string | null;
	/** Whether the root quorum is left out. */
	readonly isRootQuorumAside: boolean;
	readonly given: readonly GivenUser[];
	readonly cases: readonly AccessCase[];
}

/** What belongs to a document of its access cases. */
export interface DocumentCases {
	/** Whether a plan must not break a case that holds. */
	readonly accessTests?: "required";
	/** The cases beside the documents; left out where there is none, and for commands that judge none. */
	readonly cases?: readonly CaseFile[];
	/** What the guard `accessCases` found in a reviewed plan, which can have a base; in words. */
	readonly reviewedCases?: {
		readonly found: number;
		readonly where: readonly string[];
		readonly message: string;
		readonly limit: string;
	};
}
