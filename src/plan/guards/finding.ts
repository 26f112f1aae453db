/** What guards find, as data; src/say/guards.ts has the words. */
import type { AccessPolicy, NotRead } from "../../policy/access.ts";
import type { Reason } from "../../policy/powers/reason.ts";
import type { JudgedCase, PlannedCase } from "../access-cases/finding.ts";
import type { AnyParameters } from "../activities/requests.ts";
import type { AddressText, RuleAddress } from "../address.ts";
import type { Consequences } from "../impact/consequences.ts";
import type { PlanImpact } from "../impact/impact.ts";
import type { UnsafeMoment } from "../order/moments.ts";
import type { DesiredOrganization, DesiredRule, Limits, PowerLimit } from "../organization.ts";
import type { JudgedRule } from "../rules/judge.ts";
import type { UserNames } from "../users.ts";

/** What a guard found, and what is allowed. */
export type GuardFinding =
	/** `shares`: of tags over the percentage; `of`: their known members. `waived`: removals besides, of access that expired. */
	| {
			readonly what: "member-removals";
			readonly limit: NonNullable<Limits["memberRemovals"]>;
			readonly shares: readonly { readonly address: string; readonly count: number; readonly of: number | null }[];
			readonly waived: number;
	  }
	| { readonly what: "removals"; readonly limit: number }
	| { readonly what: "updates" | "takeovers"; readonly limit: number }
	| { readonly what: "protected" | "unlisted" }
	/** `isUnknown`: whether the user has others is unknown. */
	| { readonly what: "last-of-caller"; readonly userId: string; readonly names: UserNames; readonly isUnknown: boolean }
	| AccessFinding
	| { readonly what: "rules"; readonly rules: readonly JudgedRule[] }
	/** `because`: why more new access could be given; null where that is known. */
	| { readonly what: "new-access"; readonly rule: JudgedRule | null; readonly because: Reason | null }
	| { readonly what: "old-names"; readonly names: readonly UsedName[] }
	| { readonly what: "reversals"; readonly reversals: readonly Reversal[]; readonly document: Document }
	/** `unsearched`: how many steps are in groups too large to look at every order. */
	| { readonly what: "stranded"; readonly changes: readonly StrandedChange[]; readonly unsearched: number }
	/** `unjudged`: how many steps lead to states that were not judged. */
	| {
			readonly what: "unsafe-moments";
			readonly moments: readonly FoundMoment[];
			readonly unjudged: number;
			/** The first of those states; null where all were judged. */
			readonly firstUnjudged: Pick<FoundMoment, "completed" | "open" | "group"> | null;
			readonly names: UserNames;
	  }
	| {
			readonly what: "own-powers";
			readonly userId: string;
			readonly findings: readonly PlanImpact[];
			readonly names: UserNames;
	  }
	| { readonly what: "access-cases"; readonly cases: readonly BrokenCase[] }
	/** `policies`: those that name the tag; null where they are unknown. */
	| {
			readonly what: "dangling-tags";
			readonly uses: readonly { readonly address: string; readonly policies: readonly AccessPolicy[] | null }[];
	  }
	| { readonly what: "rebound"; readonly tags: readonly ReboundTag[] }
	/** In words: of a file that has only these. */
	| { readonly what: "stated"; readonly message: string; readonly limit: string };

/** Findings of the impact: now, at another time, and unknown ones that could be more of the same. */
export interface AccessFinding {
	readonly what: "access";
	readonly limit: PowerLimit;
	readonly now: readonly PlanImpact[];
	readonly later: readonly PlanImpact[];
	readonly unknown: readonly PlanImpact[];
	/** Why not all is known; null where it is. */
	readonly because: Reason | NotRead | null;
	readonly names: UserNames & Pick<Consequences, "policyNames">;
}

/** What a step changes that is denied: after the step that changes `by`; null where it is denied from the first. */
export interface StrandedChange {
	readonly addresses: readonly AddressText[];
	readonly by: readonly AddressText[] | null;
	readonly because: Reason | null;
}

/** A state between steps, by what these change. */
export interface FoundMoment extends Pick<UnsafeMoment, "change" | "group" | "condition" | "userIds"> {
	readonly completed: readonly AddressText[];
	readonly open: readonly AddressText[];
}

/** A case that holds, or that is unknown, and does not hold after the plan. */
type BrokenCase = Pick<JudgedCase, "name" | "at" | "verdict"> & Pick<PlannedCase, "change">;

type Document = Pick<DesiredOrganization, "files" | "users">;

/** An old name of a tag, and what uses it. */
export interface UsedName {
	readonly name: string;
	readonly uses: readonly NameUse[];
}

/** A tag's name that meant other tags before; `userIds`: who has the tag that it means now, null where that is unknown. */
export interface ReboundTag {
	readonly name: string;
	readonly before: readonly string[];
	readonly now: string;
	readonly userIds: readonly string[] | null;
}

export type NameUse =
	| { readonly in: "rule"; readonly address: RuleAddress; readonly at: DesiredRule["at"] }
	| { readonly in: "policy"; readonly policy: Pick<AccessPolicy, "id" | "name"> }
	| { readonly in: "protect" };

/** `undone`: the activity that undid it; undefined where the service does not show that one. `times`: how often it was made before. */
export interface Reversal {
	readonly address: string;
	readonly made: CompletedActivity;
	readonly undone: CompletedActivity | undefined;
	readonly times: number;
}

/** A completed activity that changed a user tag. */
export interface CompletedActivity {
	/** Null where no answer named it. */
	readonly activityId: string | null;
	readonly fingerprint: string;
	readonly parameters: AnyParameters;
	/** When it took effect, milliseconds since 1970; null when it is not known. */
	readonly completedAtMs: number | null;
	/** Who submitted it, in lower case, and what the activity calls the user; null when it is not known. */
	readonly userId: string | null;
	readonly userName: string | null;
	/** The service a moment ago, or our journal: then it was submitted from here. */
	readonly saidBy: "service" | "journal";
	/** Whether our journal has it; left out, where only the service said it. */
	readonly isOurs?: true;
}
