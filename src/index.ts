/**
 * The front door of the library: the names that programs may rely on. Everything else may change without notice.
 *
 * ```ts
 * const { organizations, problems } = parseDocuments([{ file: "orgsync.yaml", content }], process.env);
 * const client = createClient({ url, stamper: createApiKeyStamper({ privateKey }) });
 * const journal = await openJournal(".orgsync/journal.sqlite");
 * const comparison = await compareLive(desired, client.reader, journal.lastApplied(desired.organizationId), options);
 * const report = reportOf(await applyPlan(comparison, context));
 * ```
 */

export {
	AppliedPlanError,
	AuthenticationError,
	ConfigurationError,
	DocumentError,
	type ExitCode,
	exitCodes,
	GuardError,
	LiveProblemError,
	OrgsyncError,
	type OutdatedObject,
	PlanAgeError,
	PlanModelError,
	type Problem,
	ServiceError,
	StalePlanError,
	StorageError,
	TransportError,
} from "./common/errors.ts";
export {
	type DocumentSource,
	type ListFile,
	type ListFinder,
	type ParsedDocuments,
	type ParseOptions,
	parseDocuments,
	type VariableOptions,
} from "./document/read/parse.ts";
export { refuseStale } from "./document/saved/refuse-stale.ts";
export {
	decodeSavedPlan,
	encodeSavedPlan,
	makeSavedPlan,
	matchDocuments,
	type Planned,
	type SavedPlan,
} from "./document/saved/saved-plan.ts";
export type { Change, RemovalChange, ReportChange, TagChange, Unread } from "./plan/change.ts";
export { type Finding, type OrganizationDrift, reportDrift } from "./plan/drift/drift.ts";
export type { Override } from "./plan/guards/overrides.ts";
export {
	type DesiredOrganization,
	emptyLastApplied,
	type Known,
	type LastApplied,
	type LiveOrganization,
} from "./plan/organization.ts";
export { findsDifference, makePlan, type Plan, type Reads } from "./plan/plan.ts";
export { exitCodeOf, type Outcome, type Report, type StepResult } from "./plan/report.ts";
export type { Revisited } from "./plan/stale.ts";
export type { Step } from "./plan/step.ts";
export type { AccessState } from "./policy/access.ts";
export {
	type Approval,
	forecastApproval,
	type SubmittedActivity,
	type SubmittingUser,
} from "./policy/powers/forecast.ts";
export { compareAccess, type Impact, type ImpactFinding } from "./policy/powers/impact.ts";
export { findPowers, type GroupPower } from "./policy/powers/powers.ts";
export { type GithubOptions, type GithubResult, renderGithub } from "./render/github.ts";
export { renderHtml } from "./render/html/page.ts";
export { type MarkdownOptions, renderMarkdown } from "./render/markdown.ts";
export { type PositionOf, positionsOf } from "./render/positions.ts";
export type { CommandResult } from "./render/result/result.ts";
export { renderPlan, renderReport } from "./render/result-text.ts";
export { plainStyle, type Style } from "./render/style.ts";
export { type AppliedPlan, type ApplyContext, applyPlan, reportOf } from "./sync/apply.ts";
export { attributeDrift, type DriftAttributions } from "./sync/attribute.ts";
export { type Comparison, compareLive } from "./sync/converge.ts";
export { openJournal, readJournal } from "./sync/journal/file.ts";
export type { Journal, JournalView } from "./sync/journal/journal.ts";
export { readLive } from "./sync/read/read.ts";
export { readAccessOnly } from "./sync/read/read-access.ts";
export { settleOpenEntries } from "./sync/settle.ts";
export {
	type Client,
	type ClientOptions,
	createClient,
	type Reader,
	type Submitter,
	type Voter,
} from "./wire/client.ts";
export { approvals, extendedReads, operations, queries, submits } from "./wire/operations.ts";
export { encodeSubmit, type RequestBody } from "./wire/request-body.ts";
export { createApiKeyStamper, createCommandStamper, type Stamper } from "./wire/stamp.ts";
