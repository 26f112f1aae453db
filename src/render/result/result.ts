/**
 * The result of every command: one union, tagged by `command`. All formats are made from it; JSON through `publish`.
 */

import type { ActivityEvent } from "../../plan/activities/activity-events.ts";
import type { PendingActivity } from "../../plan/activities/pending.ts";
import type { OrganizationDrift } from "../../plan/drift/drift.ts";
import type { NamedOrganization } from "../../plan/organization-name.ts";
import type { Reads } from "../../plan/plan.ts";
import type { Outcome, StepResult } from "../../plan/report.ts";
import type { WithNames } from "../../say/powers.ts";
import { isTest, type TestResult } from "./cases.ts";
import type { FoundOrganization } from "./found.ts";
import type { ErrorDescription, Head } from "./head.ts";
import type { LintResult } from "./lint.ts";
import type { CredentialsResult } from "./organization-credentials.ts";
import type { CanResult, MissingObject, PowersResult } from "./organization-powers.ts";
import type { ExplainPolicyResult } from "./policy-history.ts";
import type { VoteResult } from "./votes.ts";

export { type ErrorDescription, resultHead } from "./head.ts";

/** `error` is that of the call, or of the first organization that failed. */
export interface PlannedResult<Command extends string = "plan" | "show" | "drift" | "apply">
	extends Head<Command, ErrorDescription | null> {
	readonly organizations: readonly FoundOrganization[];
	/** With `drift --accept`: where the documents were changed. */
	readonly accepted?: readonly AcceptedValue[];
	/** Which run of `apply` it is; left out where there is nothing to resume. */
	readonly run?: ResumableRun;
}

/** A run of `apply` over several organizations. */
export interface ResumableRun {
	readonly id: string;
	/** Whether it went on after an interruption, by `--resume`. */
	readonly resumed: boolean;
}

export interface AccessResult extends PlannedResult<"grant" | "revoke"> {
	readonly access: EditedAccess;
	readonly nextCommand: string;
}

/** What the document says after `grant` or `revoke` of one user and one tag. */
interface EditedAccess {
	readonly organizationId: string;
	/** Of the tag. */
	readonly address: string;
	readonly userId: string;
	readonly effect: "added" | "changed" | "removed" | "unchanged";
	/** Where the entry is, or the tag if the user has no window. */
	readonly file: string;
	readonly line: number;
	/** The window, ISO 8601 in UTC; left out where it has none. */
	readonly from?: string;
	readonly until?: string;
	readonly reason?: string;
}

type AcceptedValue = Pick<EditedAccess, "organizationId" | "address" | "file" | "line">;

export interface ValidateResult extends Head<"validate"> {
	readonly organizations: readonly (NamedOrganization & {
		readonly documentDigest: string;
		readonly files: readonly string[];
	})[];
}

interface DiscoveredOrganization extends NamedOrganization {
	readonly managed: boolean;
	readonly files: readonly string[];
}

/** The parent, and what it has. */
export interface DiscoveryResult extends Head<"organizations">, NamedOrganization {
	readonly organizations: readonly DiscoveredOrganization[];
	/** Organizations of the documents that are not among them. */
	readonly elsewhere: readonly DiscoveredOrganization[];
	readonly complete: boolean;
}

export interface InitResult extends Head<"init"> {
	readonly file: string;
	/** With `--fence-credentials`: the access cases. */
	readonly casesFile?: string;
	/** Null where the document takes it from ORGSYNC_ORGANIZATION_ID. */
	readonly organizationId: string | null;
	readonly nextCommand: string;
}

export interface ExportResult extends Head<"export"> {
	readonly organizationId: string;
	/** The document, or the Pulumi program if `--format` asked for one. */
	readonly document: string;
	readonly unread: readonly MissingObject[];
	/** Objects that it cannot state. */
	readonly leftOut: readonly MissingObject[];
}

export interface QueryResult extends Head<"query"> {
	readonly operation: string;
	readonly answer: Readonly<Record<string, unknown>>;
}

export interface SchemaResult extends Head<"schema"> {
	readonly name: string;
	readonly schema: object;
}

export interface CompletionResult extends Head<"completion"> {
	readonly script: string;
}

/** Nothing but its exit code: the emulator announces its address itself when it is ready. */
export type EmulatorResult = Head<"emulator">;

export interface StatusResult extends Head<"status"> {
	readonly open: readonly OpenActivities[];
}

export interface OpenActivities extends NamedOrganization, WithNames<"userNames"> {
	readonly activities: readonly OpenActivity[];
	/** Activities that were abandoned here and are still pending at the service, where they can still be approved. */
	readonly abandoned: readonly OpenActivity[];
	/** Requests in doubt: sent, or about to be, and without an answer. */
	readonly unanswered: readonly UnansweredRequest[];
	readonly complete: boolean;
	/** Why it did not; null when it did. */
	readonly unlisted: string | null;
}

export type OpenActivity = PendingActivity & {
	/** Addresses of the objects that it changes, by id where a name is not known without another request. */
	readonly covers: readonly string[];
};

export interface UnansweredRequest {
	readonly fingerprint: string;
	readonly operation: string;
	readonly covers: readonly string[];
	/** ISO 8601 in UTC. */
	readonly sentAt: string;
}

export interface WaitResult extends Head<"wait"> {
	readonly activities: readonly EndedActivity[];
	/** Why the service's pending activities are not known; null when it listed them, or activities were named. */
	readonly unlisted: string | null;
}

export interface EndedActivity {
	readonly activityId: string | null;
	/** Null for one of which only the id is known. */
	readonly fingerprint: string | null;
	/** Null for an operation that orgsync does not submit. */
	readonly operation: string | null;
	/** Addresses of the objects that it changes, by id where a name is not known without another request. */
	readonly covers: readonly string[];
	readonly outcome: Outcome;
	/** Why the outcome is in doubt; null when it is known. */
	readonly message: string | null;
	/** Votes and new statuses that were read meanwhile. */
	readonly events: readonly ActivityEvent[];
}

/**
 * `liveNames` are of users who voted, and of the other users shown where one of them has no alias; `tagNames` of the user tags in
 * the texts of policies.
 */
export interface ExplainResult extends Head<"explain">, WithNames<"userNames" | "liveNames" | "tagNames"> {
	readonly activityId: string;
	readonly reads: Reads;
	/** Null where the service does not show it. */
	readonly activity: ExplainedActivity | null;
	/** The service's records of how policies judged the activity, unchanged. */
	readonly policyEvaluations: readonly object[];
	/** The policies among them that could be read. */
	readonly policies: readonly JudgingPolicy[];
	/** What those records say, in the order of their times; a judgment that only repeats the one before it is left out. */
	readonly judgments: readonly Judgment[];
	/** The service's records of authenticators, unchanged. */
	readonly mfaStatuses: readonly MfaStatus[];
}

export interface ExplainedActivity {
	readonly status: string;
	readonly type: string;
	/** The operation that submits activities of this type; null for a type that orgsync does not know. */
	readonly operation: string | null;
	readonly fingerprint: string;
	/** As the service shows them, which nothing confirms; null where it does not, or for an unknown type. */
	readonly parameters: Readonly<Record<string, unknown>> | null;
	/** Addresses of the objects that it changes, by id where the document does not name them. */
	readonly covers: readonly string[];
	/** User ids, in the order of their votes. */
	readonly approvedBy: readonly string[];
	readonly rejectedBy: readonly string[];
	/** Null when the service does not say. */
	readonly canApprove: boolean | null;
	/** Why a failed activity failed; null where it did not, or the service does not say. */
	readonly failure: string | null;
}

export interface JudgingPolicy {
	readonly policyId: string;
	readonly policyName: string | null;
	readonly consensus: string | null;
}

/** How one policy judged the activity. */
export interface Judgment {
	readonly policyId: string | null;
	readonly outcome: string | null;
	/** Whether it still holds: no later judgment of the policy replaced it, and the activity's status agrees with it. */
	readonly isCurrent: boolean;
}

export interface MfaStatus {
	readonly userId: string;
	readonly mfaPolicyId: string;
	readonly satisfied?: boolean | null;
	readonly satisfiedMethods?: readonly AuthenticationMethod[] | null;
	readonly requiredMethods?: readonly { readonly any?: readonly AuthenticationMethod[] | null }[] | null;
}

export interface AuthenticationMethod {
	readonly type: string;
	readonly id?: string | null;
}

export interface ImportKeyResult extends Head<"import-key"> {
	readonly outcome: Outcome;
	readonly activityId: string | null;
	readonly fingerprint: string | null;
	/** The bundle, where the activity completed and `--out` names no file. */
	readonly importBundle?: string;
	readonly out?: string;
	/** Where the activity did not complete: why, and what the policies said. */
	readonly message?: string | null;
	readonly policyEvaluations?: StepResult["policyEvaluations"];
}

/** A new passkey, and how to register it (docs/approve.md#register-it). */
export interface PasskeyResult extends Head<"passkey"> {
	readonly userId: string;
	/** Of `create_authenticators`. */
	readonly parameters: object;
	/** The entry of the user's `authenticators` in a seed of the emulator. */
	readonly seed: object;
}

/** The result of a command that an error ended. `command` is `orgsync` when none was named. */
export interface FailureResult extends Head<string, ErrorDescription> {
	/** With `drift --since`: the findings of the last report, marked as not checked. */
	readonly drift?: readonly OrganizationDrift[];
}

/** Results about organizations that were compared with their documents. */
export type OrganizationsResult = PlannedResult | AccessResult;

/** The result of a command that did its work. */
type CompletedResult =
	| OrganizationsResult
	| ValidateResult
	| LintResult
	| DiscoveryResult
	| InitResult
	| ExportResult
	| QueryResult
	| SchemaResult
	| CompletionResult
	| EmulatorResult
	| StatusResult
	| VoteResult
	| WaitResult
	| PowersResult
	| CanResult
	| TestResult
	| CredentialsResult
	| ExplainResult
	| ExplainPolicyResult
	| ImportKeyResult
	| PasskeyResult;

export type CommandResult = CompletedResult | FailureResult;

/** Whether an error ended the command before it had anything else to show. */
export function isFailure(result: CommandResult): result is FailureResult {
	return result.error !== null && !isCompared(result) && !isTest(result);
}

const comparing: ReadonlySet<string> = new Set(["plan", "show", "drift", "apply", "grant", "revoke"]);

/** Whether it is a result about organizations that were compared; false if an error ended the command before. */
export function isCompared(result: CommandResult): result is OrganizationsResult {
	return comparing.has(result.command) && "organizations" in result;
}

/** Returns what drifted, organization by organization; also what an error kept of the last report. */
export function driftIn(result: CommandResult): readonly OrganizationDrift[] {
	if ("drift" in result) return result.drift ?? [];
	return isCompared(result) ? result.organizations.flatMap(({ drift }) => drift ?? []) : [];
}
