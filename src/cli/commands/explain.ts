/** `explain`: why an activity is not finished, or the history of a policy. A policy that cannot be read is said to be so: nothing is guessed. */

import { ConfigurationError, exitCodes, ifAvailable } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { isRecord, textOrNull } from "../../common/json.ts";
import { uuid } from "../../common/uuid.ts";
import { addressesOf, type ObjectNames } from "../../plan/activities/activity-objects.ts";
import type { Reads } from "../../plan/plan.ts";
import type { ExplainPolicyResult } from "../../render/result/policy-history.ts";
import {
	type ExplainedActivity,
	type ExplainResult,
	type JudgingPolicy,
	type Judgment,
	type MfaStatus,
	resultHead,
} from "../../render/result/result.ts";
import { emptyJournal } from "../../sync/journal/journal.ts";
import { type Activity, readAnyActivity, readTime } from "../../wire/activity.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, queries, writeOfType } from "../../wire/operations.ts";
import { type ServiceFlags, withConnection } from "../connect.ts";
import type { Flags } from "../flags/given-flags.ts";
import type { Call } from "../output/output.ts";
import { namesFrom, readNamesOf } from "./activity-names.ts";
import { findOrganization, type NamingFlags, readNamed, readOrElse } from "./selection.ts";

type ExplainFlags = NamingFlags & ServiceFlags & Flags<"reads">;

/** Returns how policies judged an activity, who approved it and which authenticators are missing; or the history of a policy. */
export async function explain(subject: string, call: Call<ExplainFlags>): Promise<ExplainResult | ExplainPolicyResult> {
	const organizationId = await findOrganization(call);
	if (!/^policy:./s.test(subject)) return explainActivity(subject, organizationId, call);
	if (call.flags.reads === "documented")
		throw new ConfigurationError("the documented queries do not show the history of a policy", {
			hint: "leave out --reads documented",
		});
	const { userNames } = await readNames(organizationId, call);
	const { explainPolicy } = await import("./explain-policy.ts");
	return explainPolicy({ organizationId, label: subject.slice("policy:".length), userNames }, call);
}

async function explainActivity(
	activityId: string,
	organizationId: string,
	call: Call<ExplainFlags>,
): Promise<ExplainResult> {
	const { reads } = call.flags;
	const fields = { organizationId, activityId };
	if (!uuid.test(activityId)) {
		throw new ConfigurationError(`\`${showText(activityId)}\` is not an activity id: it must be a UUID`, {
			hint: "apply and status print the ids of pending activities; for a policy: policy:NAME",
		});
	}
	const names = await readNames(organizationId, call);
	const { found, live } = await withConnection(call, async ({ client: { reader } }) => {
		const read = await readFindings(reader, fields, reads);
		return { found: read, live: await readLiveNames(reader, read, { organizationId, reads, names }) };
	});
	const { activity, policies, evaluations, statuses } = found;
	return {
		...resultHead("explain", exitCodes.inSync, null),
		activityId,
		reads,
		activity: activity === undefined ? null : toExplainedActivity(activity, names),
		policyEvaluations: evaluations,
		policies,
		judgments: sortJudgments(evaluations, activity?.status),
		mfaStatuses: statuses,
		userNames: names.userNames,
		...live,
	};
}

/** Returns the names of the documents by id. Ignores errors of a document that no flag names. */
function readNames(organizationId: string, call: Call<ExplainFlags>): Promise<ObjectNames> {
	const read = async (): Promise<ObjectNames> => {
		const desired = (await readNamed(call)).find((one) => one.organizationId === organizationId);
		return namesFrom(organizationId, desired, emptyJournal);
	};
	return readOrElse(call, read, () => noNames);
}

const noNames: ObjectNames = { userNames: {}, tagNames: new Map() };

/** The service's records of one activity. */
interface ActivityRecords {
	/** Undefined if the service does not return it. */
	readonly activity: Activity | undefined;
	readonly evaluations: readonly EvaluationRecord[];
	/** The policies that judged it, if they could be read. */
	readonly policies: readonly JudgingPolicy[];
	readonly statuses: readonly MfaStatus[];
}

/** Runs the two documented queries, then the extended reads unless they are off. Only the documented ones must answer. */
async function readFindings(
	reader: Reader,
	fields: { readonly organizationId: string; readonly activityId: string },
	reads: Reads,
): Promise<ActivityRecords> {
	const [evaluated, mfa] = await Promise.all([
		reader.query(queries.get_policy_evaluations, fields),
		reader.query(queries.get_mfa_status, fields),
	]);
	const evaluations = (evaluated.value.policyEvaluations ?? []) as readonly EvaluationRecord[];
	const statuses = (mfa.value.mfaStatuses ?? []) as readonly MfaStatus[];
	if (reads === "documented") return { activity: undefined, evaluations, policies: [], statuses };
	const judging = new Set(evaluations.flatMap(recordedJudgments).flatMap(({ policyId }) => policyId ?? []));
	const [one, all] = await Promise.all([
		ifAvailable(reader.query(extendedReads.get_activity, fields)),
		judging.size === 0
			? undefined
			: ifAvailable(reader.query(extendedReads.list_policies, { organizationId: fields.organizationId })),
	]);
	const activity = one?.value.activity;
	const listed = Array.isArray(all?.value.policies) ? all.value.policies.filter(isRecord) : [];
	const policies = listed
		.filter(({ policyId }) => judging.has(String(policyId)))
		.map(({ policyId, policyName, consensus }): JudgingPolicy => {
			return { policyId: String(policyId), policyName: textOrNull(policyName), consensus: textOrNull(consensus) };
		});
	return { activity: isRecord(activity) ? readAnyActivity(activity) : undefined, evaluations, policies, statuses };
}

export function toExplainedActivity(activity: Activity, names: ObjectNames = noNames): ExplainedActivity {
	const operation = writeOfType(activity.type)?.name ?? null;
	const parameters = operation === null ? null : activity.intent;
	return {
		status: activity.status,
		type: activity.type,
		operation,
		fingerprint: activity.fingerprint,
		parameters,
		covers: operation === null || parameters === null ? [] : addressesOf({ operation, parameters }, names),
		approvedBy: votersOf(activity, "VOTE_SELECTION_APPROVED"),
		rejectedBy: votersOf(activity, "VOTE_SELECTION_REJECTED"),
		canApprove: activity.canApprove ?? null,
		failure: activity.status === "ACTIVITY_STATUS_FAILED" ? (activity.failure?.message ?? null) : null,
	};
}

/** Returns the ids of the users who voted so, each once, in the order of their votes. */
function votersOf({ votes }: Activity, selection: string): readonly string[] {
	const cast = votes.filter((vote) => vote.selection === selection);
	return [...new Set(cast.flatMap(({ userId }) => userId ?? []))];
}

/**
 * Returns the names of the users that the result shows, those of the votes, and where others have no alias, as the service lists them;
 * and of the user tags in the texts of policies.
 */
async function readLiveNames(
	reader: Reader,
	{ activity, policies, statuses }: ActivityRecords,
	{ organizationId, reads, names }: Pick<ExplainResult, "reads"> & { organizationId: string; names: ObjectNames },
): Promise<Pick<ExplainResult, "liveNames" | "tagNames">> {
	const liveNames = Object.fromEntries(
		(activity?.votes ?? []).flatMap(({ userId, userName }) =>
			userId === undefined || userName === undefined ? [] : [[userId.toLowerCase(), userName] as const],
		),
	);
	const { addUserIds, removeUserIds, userId, ...written } = activity?.intent ?? {};
	const texts = JSON.stringify([
		...policies.map(({ consensus }) => consensus),
		...[written.policies, written.policyConsensus, written.policyCondition],
	]).toLowerCase();
	const users = [
		...(activity?.votes ?? []).map((vote) => vote.userId ?? ""),
		...statuses.map((one) => one.userId),
		...[addUserIds, removeUserIds, userId].flat().filter((one) => typeof one === "string"),
	];
	const tagNames = Object.fromEntries([...names.tagNames].filter(([id]) => texts.includes(id)));
	const isUnnamed = (id: string): boolean =>
		![liveNames, names.userNames, tagNames].some((some) => Object.hasOwn(some, id));
	const inTexts = texts.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
	const ids = [...users.map((id) => id.toLowerCase()), ...inTexts];
	if (reads === "documented" || !ids.some(isUnnamed)) return { liveNames, tagNames };
	const isShown = (id: string): boolean => ids.includes(id);
	if (inTexts.some(isUnnamed)) {
		Object.assign(tagNames, await readNamesOf(reader, organizationId, "tags", isShown));
	}
	if (!ids.some(isUnnamed)) return { liveNames, tagNames };
	return { liveNames: { ...(await readNamesOf(reader, organizationId, "users", isShown)), ...liveNames }, tagNames };
}

/** How the policies judged the activity at one moment, as the service has it. */
export interface EvaluationRecord {
	readonly policyEvaluations?: readonly RecordedJudgment[] | null;
	readonly createdAt?: unknown;
}

interface RecordedJudgment {
	readonly policyId?: string | null;
	readonly outcome?: string | null;
}

/** Returns the judgments of one record; none where it has null in their place. */
export function recordedJudgments({ policyEvaluations }: EvaluationRecord): readonly RecordedJudgment[] {
	return policyEvaluations ?? [];
}

const denials = ["OUTCOME_DENY_EXPLICIT", "OUTCOME_DENY_IMPLICIT"];
const judged = ["OUTCOME_ALLOW", ...denials, "OUTCOME_ERROR"];
const unfinished = [
	...judged,
	"OUTCOME_REQUIRES_CONSENSUS",
	"OUTCOME_REQUIRES_AUTHENTICATORS",
	"OUTCOME_TIME_INACTIVE",
];

/** The outcomes that agree with a status. A Map, because a status can be any word, `constructor` included. */
const outcomesOfStatus: ReadonlyMap<string, readonly string[]> = new Map([
	["ACTIVITY_STATUS_COMPLETED", ["OUTCOME_ALLOW"]],
	["ACTIVITY_STATUS_CONSENSUS_NEEDED", unfinished],
	["ACTIVITY_STATUS_AUTHENTICATORS_NEEDED", unfinished],
	["ACTIVITY_STATUS_REJECTED", ["OUTCOME_REJECTED", ...denials]],
	["ACTIVITY_STATUS_FAILED", judged],
	["ACTIVITY_STATUS_CREATED", judged],
	["ACTIVITY_STATUS_PENDING", judged],
]);

/**
 * Returns the judgments in the order of their times, each with whether it still holds. One that only repeats the one before
 * it is left out.
 *
 * Unverified, chosen: records without times are in the order in which they were made.
 */
export function sortJudgments(records: readonly EvaluationRecord[], status: string | undefined): readonly Judgment[] {
	const byTime = [...records].sort((left, right) => {
		const [one, other] = [readTime(left.createdAt), readTime(right.createdAt)];
		return one === undefined || other === undefined ? 0 : one - other;
	});
	const all = byTime.flatMap(recordedJudgments);
	const changes = all.filter((judgment, index) => {
		const previous = all.slice(0, index).findLast(({ policyId }) => policyId === judgment.policyId);
		return previous === undefined || previous.outcome !== judgment.outcome;
	});
	const possible = outcomesOfStatus.get(status ?? "");
	return changes.map(({ policyId, outcome }, index) => {
		const isLast = !changes.slice(index + 1).some((later) => later.policyId === policyId);
		const isCurrent = isLast && (possible === undefined || possible.includes(outcome ?? ""));
		return { policyId: policyId ?? null, outcome: outcome ?? null, isCurrent };
	});
}
