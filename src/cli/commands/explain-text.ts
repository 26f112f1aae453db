/**
 * What `explain` says of an activity, in words. The activity's status decides: a policy evaluation that contradicts it, or
 * that a later one of the same policy replaced, is history and is told in the past tense. Pure.
 */

import { showName, showText } from "../../escape.ts";
import type { Reads } from "../../plan/plan.ts";
import { type Activity, readTime } from "../../wire/activity.ts";
import { submits } from "../../wire/operations.ts";

/** A user as a person knows it: the document's alias with the id, or the id alone, and the live name where it is another. */
export type NameUser = (userId: string, liveName?: string) => string;

/** What the service says of one activity. */
export interface Findings {
	/** Undefined where the service does not show it. */
	readonly activity: Activity | undefined;
	readonly evaluations: readonly EvaluationRecord[];
	/** Of the policies that judged it, those that could be read. */
	readonly policies: readonly JudgingPolicy[];
	readonly statuses: readonly StatusEntry[];
}

export interface JudgingPolicy {
	readonly policyId: string;
	readonly policyName: string | null;
	readonly consensus: string | null;
}

/** How the policies judged the activity at one moment. */
export interface EvaluationRecord {
	readonly policyEvaluations?: readonly Judgment[] | null;
	readonly createdAt?: unknown;
}

export interface Judgment {
	readonly policyId?: string | null;
	readonly outcome?: string | null;
}

export interface StatusEntry {
	readonly userId: string;
	readonly mfaPolicyId: string;
	readonly satisfied?: boolean | null;
	readonly satisfiedMethods?: readonly Method[] | null;
	readonly requiredMethods?: readonly { readonly any?: readonly Method[] | null }[] | null;
}

interface Method {
	readonly type: string;
	readonly id?: string | null;
}

/** The lines below the activity's id: its status, its policy evaluations and its MFA policies. */
export function renderFindings(found: Findings, reads: Reads, nameUser: NameUser): string {
	const lines = [
		...describeStatus(found.activity, nameUser),
		...describePolicies(found, reads),
		...found.statuses.map((status) => describeMfa(status, found.activity, nameUser)),
	];
	return lines.map((line) => `  ${line}\n`).join("");
}

/** Ids of the users who voted so, each once, in the order of their votes. */
export function votersOf(activity: Activity, selection: string): readonly string[] {
	return [...votersIn(activity, selection).keys()];
}

/** The same users with the name that the vote has. */
function votersIn({ votes }: Activity, selection: string): ReadonlyMap<string, string | undefined> {
	const cast = votes.filter((vote) => vote.selection === selection);
	return new Map(cast.flatMap(({ userId, userName }) => (userId === undefined ? [] : [[userId, userName] as const])));
}

/** The judgments of one record; none where it has null in their place. */
export function judgmentsOf({ policyEvaluations }: EvaluationRecord): readonly Judgment[] {
	return policyEvaluations ?? [];
}

/** How a status reads, and which policy outcomes can hold beside it; undefined: every outcome can. */
interface Status {
	readonly words: string;
	readonly outcomes?: readonly string[];
}

const requiresConsensus = "OUTCOME_REQUIRES_CONSENSUS";
const denials = ["OUTCOME_DENY_EXPLICIT", "OUTCOME_DENY_IMPLICIT"];
const judged = ["OUTCOME_ALLOW", ...denials, "OUTCOME_ERROR"];
const unfinished = [...judged, requiresConsensus, "OUTCOME_REQUIRES_AUTHENTICATORS", "OUTCOME_TIME_INACTIVE"];

/** A Map, because a status can be any word, `constructor` too. */
const statuses: ReadonlyMap<string, Status> = new Map([
	["ACTIVITY_STATUS_COMPLETED", { words: "is completed", outcomes: ["OUTCOME_ALLOW"] }],
	["ACTIVITY_STATUS_CONSENSUS_NEEDED", { words: "waits for approval", outcomes: unfinished }],
	["ACTIVITY_STATUS_AUTHENTICATORS_NEEDED", { words: "waits for an authenticator", outcomes: unfinished }],
	["ACTIVITY_STATUS_REJECTED", { words: "was rejected", outcomes: ["OUTCOME_REJECTED", ...denials] }],
	["ACTIVITY_STATUS_FAILED", { words: "failed", outcomes: judged }],
	["ACTIVITY_STATUS_CREATED", { words: "has not begun", outcomes: judged }],
	["ACTIVITY_STATUS_PENDING", { words: "is under way", outcomes: judged }],
]);

const ended = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_REJECTED", "ACTIVITY_STATUS_FAILED"];

function describeStatus(activity: Activity | undefined, nameUser: NameUser): readonly string[] {
	if (activity === undefined) return [];
	const { status, type, fingerprint, canApprove, failure } = activity;
	const state = statuses.get(status)?.words ?? `has the status ${status}`;
	const operation = Object.values(submits).find((one) => one.type === type);
	const nameVoters = (selection: string): readonly string[] =>
		[...votersIn(activity, selection)].map(([userId, liveName]) => nameUser(userId, liveName));
	const approved = nameVoters("VOTE_SELECTION_APPROVED");
	const rejected = nameVoters("VOTE_SELECTION_REJECTED");
	const reason = status === "ACTIVITY_STATUS_FAILED" ? failure?.message : undefined;
	return [
		`${showText(operation?.name ?? type)} ${showText(state)}; fingerprint ${showText(fingerprint)}`,
		...(reason === undefined ? [] : [`the service says: ${showText(reason)}`]),
		...(approved.length === 0 ? [] : [`approved by ${approved.join(", ")}`]),
		...(rejected.length === 0 ? [] : [`rejected by ${rejected.join(", ")}`]),
		...(status === "ACTIVITY_STATUS_CONSENSUS_NEEDED" && canApprove !== undefined
			? [`this key ${canApprove ? "can" : "cannot"} approve it`]
			: []),
	];
}

/** The outcomes of a policy (docs/service.md#policy-evaluation): as it holds, and as it held. */
const outcomeWords: ReadonlyMap<string, readonly [now: string, then: string]> = new Map([
	["OUTCOME_ALLOW", ["allows it", "allowed it"]],
	["OUTCOME_DENY_EXPLICIT", ["denies it", "denied it"]],
	["OUTCOME_DENY_IMPLICIT", ["does not allow it", "did not allow it"]],
	[requiresConsensus, ["waits for more approvals", "waited for more approvals"]],
	["OUTCOME_REJECTED", ["considers it rejected", "considered it rejected"]],
	["OUTCOME_ERROR", ["could not be evaluated", "could not be evaluated"]],
	["OUTCOME_REQUIRES_AUTHENTICATORS", ["waits for authenticators", "waited for authenticators"]],
	["OUTCOME_TIME_INACTIVE", ["is not in force at this time", "was not in force at that time"]],
]);

function describePolicies({ evaluations, policies, activity }: Findings, reads: Reads): readonly string[] {
	const { now, before } = sortJudgments(evaluations, activity?.status);
	if (now.length + before.length === 0) return ["the service shows no policy evaluation"];
	const policyOf = ({ policyId }: Judgment) => policies.find((one) => one.policyId === policyId);
	const tell = (judgment: Judgment, tense: 0 | 1): string => {
		const { policyId } = judgment;
		const outcome = judgment.outcome ?? "nothing";
		const name = policyOf(judgment)?.policyName;
		const words = outcomeWords.get(outcome)?.[tense] ?? `${tense === 0 ? "says" : "said"} ${showText(outcome)}`;
		return `policy ${showText(policyId ?? "(no id)")}${name == null ? "" : ` (${showName(name)})`} ${words}`;
	};
	const asking = now.filter(({ outcome }) => outcome === requiresConsensus);
	const isUnsaid = asking.some((judgment) => policyOf(judgment)?.consensus == null);
	const mayApprove = activity === undefined || activity.status === "ACTIVITY_STATUS_CONSENSUS_NEEDED";
	const because = reads === "documented" ? "the documented queries do not say" : "the service does not say";
	return [
		...now.map((judgment) => {
			const consensus = asking.includes(judgment) ? policyOf(judgment)?.consensus : null;
			return `${tell(judgment, 0)}${consensus == null ? "" : `; it asks for \`${showText(consensus)}\``}`;
		}),
		...before.map((judgment) => `earlier: ${tell(judgment, 1)}`),
		...(mayApprove && isUnsaid ? [`${because} who may approve it`] : []),
	];
}

/**
 * The last judgment of each policy that can hold beside the status, and what is history: judgments that a later one of the
 * same policy replaced, and those that the status contradicts. A judgment that only repeats the one before it is left out.
 *
 * Unverified, chosen: records that do not tell their times are in the order in which they were made.
 */
function sortJudgments(
	evaluations: readonly EvaluationRecord[],
	status: string | undefined,
): { readonly now: readonly Judgment[]; readonly before: readonly Judgment[] } {
	const byTime = [...evaluations].sort((left, right) => {
		const [one, other] = [readTime(left.createdAt), readTime(right.createdAt)];
		return one === undefined || other === undefined ? 0 : one - other;
	});
	const all = byTime.flatMap(judgmentsOf);
	const changes = all.filter((judgment, index) => {
		const previous = all.slice(0, index).findLast(({ policyId }) => policyId === judgment.policyId);
		return previous === undefined || previous.outcome !== judgment.outcome;
	});
	const possible = statuses.get(status ?? "")?.outcomes;
	const isNow = (judgment: Judgment, index: number): boolean => {
		const isLast = !changes.slice(index + 1).some(({ policyId }) => policyId === judgment.policyId);
		return isLast && (possible === undefined || possible.includes(judgment.outcome ?? ""));
	};
	return { now: changes.filter(isNow), before: changes.filter((judgment, index) => !isNow(judgment, index)) };
}

function describeMfa(entry: StatusEntry, activity: Activity | undefined, nameUser: NameUser): string {
	const who = `user ${nameUser(entry.userId)}, MFA policy ${showText(entry.mfaPolicyId)}: `;
	if (entry.satisfied === true) return `${who}satisfied`;
	if (activity !== undefined && ended.includes(activity.status))
		return `${who}not satisfied; nothing is needed any more`;
	if (entry.satisfied !== false) return `${who}the service does not say whether it is satisfied`;
	const missing = (entry.requiredMethods ?? [])
		.filter(
			({ any }) => !(any ?? []).some((method) => (entry.satisfiedMethods ?? []).some((done) => isMethod(done, method))),
		)
		.map(({ any }) => (any ?? []).map(showMethod).join(" or "));
	return `${who}still missing: ${missing.length === 0 ? "the service does not say what" : missing.join(", then ")}`;
}

function isMethod(done: Method, required: Method): boolean {
	return (
		done.type === required.type &&
		(required.id === undefined || required.id === null || required.id === "" || done.id === required.id)
	);
}

function showMethod({ type, id }: Method): string {
	const name = showText(
		type
			.replace(/^AUTHENTICATION_TYPE_/, "")
			.toLowerCase()
			.replaceAll("_", " "),
	);
	return id === undefined || id === null || id === "" ? name : `${name} (${showText(id)})`;
}
