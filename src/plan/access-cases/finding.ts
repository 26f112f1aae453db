/** What is found of access cases, and what they are judged by. */
import type { Clause } from "../../policy/language/syntax.ts";
import type { Allowed } from "../../policy/powers/conditional.ts";
import type { ActivityExample } from "../../policy/powers/fields.ts";
import type { ActivityGroup } from "../../policy/powers/groups.ts";
import type { GroupParts } from "../../policy/powers/judge.ts";
import type { PreparedAccess } from "../../policy/powers/prepare.ts";
import type { Reason } from "../../policy/powers/reason.ts";
import type { Position } from "../organization.ts";

/** Why it is so: a policy, and one clause of it. */
export interface DecidingClause {
	/** Null: the root quorum. */
	readonly policyId: string | null;
	readonly effect: "allow" | "deny";
	/** Whether the policy applies; where it does not, it is because of the clause. */
	readonly applies: boolean;
	readonly clause: Clause;
	/** As the policy has it; empty where it has none. */
	readonly text: string;
	/** When a time that is closed opens next, ISO 8601 in UTC; left out where it does not within a year. */
	readonly opensAt?: string;
}

/** What a case says that does not hold, or may not. */
export interface CaseFinding {
	readonly state: "failed" | "unknown";
	/** The key of the case that says it, such as `alone.exactly`. */
	readonly key: string;
	/**
	 * `can`: these users can do it, alone or together. `cannot`: they cannot. `takesPart`: they take part in a smallest set.
	 * `decides`, `does-not-decide`: the policy does. `too-few`: the tag has fewer members. `unjudged`: nothing can be said.
	 */
	readonly found: "can" | "cannot" | "takesPart" | "decides" | "does-not-decide" | "too-few" | "unjudged";
	/** Sorted. */
	readonly userIds: readonly string[];
	/** Of `decides` and `does-not-decide`. */
	readonly policyId?: string;
	/** Of `too-few`. */
	readonly tagId?: string;
	/** The activities for which it is so, and when: ISO 8601 in UTC, where the time matters. */
	readonly group: ActivityGroup | null;
	readonly condition: string | null;
	readonly example?: ActivityExample;
	readonly at?: string;
	/** Why it is unknown; null where it is not. */
	readonly because: Reason | null;
	/** The policies and clauses that decide it. */
	readonly clauses: readonly DecidingClause[];
}

export interface JudgedCase {
	readonly name: string;
	readonly at: Position;
	/** The activities, as text. */
	readonly asked: string;
	readonly verdict: "passed" | "failed" | "unknown";
	readonly findings: readonly CaseFinding[];
	/** How many findings there are besides; left out where there are none. */
	readonly more?: number;
}

/** One kind of activities at one time: all that a case says has the same answer there. */
export interface Point extends Allowed {
	readonly prepared: PreparedAccess;
	readonly group: ActivityGroup;
	readonly found: GroupParts;
	readonly condition: string | null;
	readonly unless: readonly string[];
	/** Null where it is the same at all times. */
	readonly atMs: number | null;
	readonly hasRootQuorum: boolean;
}

/** A finding without the activities that it is about. */
export type Check = Pick<CaseFinding, "state" | "key" | "found" | "userIds" | "policyId" | "tagId">;

/** A case of a plan. */
export interface PlannedCase {
	/** What it is after the plan. */
	readonly judged: JudgedCase;
	/** What it is live. */
	readonly before: JudgedCase["verdict"];
	/** What the comparison with a base says: `replaced` is what the base has in place of one that is `changed`. */
	readonly change: "added" | "changed" | "replaced" | "deleted" | null;
}

export interface PlanCases {
	/** Of the cases of the documents, whatever their places. */
	readonly digest: string;
	/** Those of the documents in their order, then those that only the base has. */
	readonly cases: readonly PlannedCase[];
	/** Names of what the cases name and find, by id. */
	readonly userNames: Readonly<Record<string, string>>;
	readonly tagNames: Readonly<Record<string, string>>;
	readonly policyNames: Readonly<Record<string, string>>;
}
