/**
 * `explain`: why an activity is not finished. The consensus expression of a policy says who has to approve; where it cannot
 * be read, the result says so and guesses nothing.
 */
import { ConfigurationError, exitCodes, isUnavailable, OrgsyncError } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { isRecord } from "../../json.ts";
import { namesOfUsers, type Reads } from "../../plan/plan.ts";
import {
	type ExplainedActivity,
	type ExplainResult,
	type JudgingPolicy,
	type MfaStatus,
	resultHead,
} from "../../render/result.ts";
import { checkSchema } from "../../schema.ts";
import { type Activity, readActivity } from "../../wire/activity.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, type QueryOperation, queries, submits } from "../../wire/operations.ts";
import { connect, type ServiceFlags } from "../connect.ts";
import type { Output, Terminal } from "../output.ts";
import { readDesired } from "../sources.ts";
import { type EvaluationRecord, recordedJudgments, sortJudgments } from "./judgments.ts";
import { documentsOf, findOrganization, type NamingFlags } from "./query.ts";

export interface ExplainFlags extends NamingFlags, ServiceFlags {
	readonly reads: Reads;
}

/** What the policies say of an activity, who approved it and which authenticators are missing, in words. */
export async function explain(
	activityId: string,
	flags: ExplainFlags,
	terminal: Terminal,
	output: Output,
): Promise<ExplainResult> {
	const organizationId = await findOrganization(flags, terminal);
	const fields = { organizationId, activityId };
	if (checkSchema("operations/get_policy_evaluations.json", fields, "#/$defs/request").length > 0) {
		throw new ConfigurationError(`\`${showText(activityId)}\` is no activity id: it must be a UUID`, {
			hint: "apply says the id of every activity that waits",
		});
	}
	const userNames = await readAliases(organizationId, flags, terminal);
	const connection = await connect(flags, terminal, output);
	try {
		const found = await readFindings(connection.client.reader, fields, flags.reads);
		const { activity, policies, evaluations, statuses } = found;
		return {
			...resultHead("explain", exitCodes.inSync, null),
			activityId,
			reads: flags.reads,
			activity: activity === undefined ? null : toExplainedActivity(activity),
			policyEvaluations: evaluations,
			policies,
			judgments: sortJudgments(evaluations, activity?.status),
			mfaStatuses: statuses,
			userNames,
			liveNames: activity === undefined ? {} : namesOfVoters(activity),
		};
	} finally {
		await connection.close();
	}
}

/** Returns the aliases of the documents by user id. Documents that were not named and cannot be read give none. */
async function readAliases(
	organizationId: string,
	flags: ExplainFlags,
	terminal: Terminal,
): Promise<ExplainResult["userNames"]> {
	const files = documentsOf(flags, terminal);
	try {
		const organizations = files.length === 0 ? [] : await readDesired({ file: files, env: flags.env }, terminal);
		const desired = organizations.find((one) => one.organizationId === organizationId);
		return desired === undefined ? {} : namesOfUsers(desired);
	} catch (error) {
		if (flags.file.length > 0 || !(error instanceof OrgsyncError)) throw error;
		return {};
	}
}

/** What the service says of one activity. */
interface Findings {
	/** Undefined where the service does not show it. */
	readonly activity: Activity | undefined;
	readonly evaluations: readonly EvaluationRecord[];
	/** The policies that judged it, as far as they could be read. */
	readonly policies: readonly JudgingPolicy[];
	readonly statuses: readonly MfaStatus[];
}

/** The two documented queries, then, unless they are off, what the extended reads add. Only the documented have to answer. */
async function readFindings(
	reader: Reader,
	fields: { readonly organizationId: string; readonly activityId: string },
	reads: Reads,
): Promise<Findings> {
	const [evaluated, mfa] = await Promise.all([
		reader.query(queries.get_policy_evaluations, fields),
		reader.query(queries.get_mfa_status, fields),
	]);
	const evaluations = (evaluated.value.policyEvaluations ?? []) as readonly EvaluationRecord[];
	const statuses = (mfa.value.mfaStatuses ?? []) as readonly MfaStatus[];
	if (reads === "documented") return { activity: undefined, evaluations, policies: [], statuses };
	const judging = new Set(evaluations.flatMap(recordedJudgments).flatMap(({ policyId }) => policyId ?? []));
	const [one, all] = await Promise.all([
		orUndefined(reader, extendedReads.get_activity, fields),
		judging.size === 0
			? undefined
			: orUndefined(reader, extendedReads.list_policies, { organizationId: fields.organizationId }),
	]);
	const listed = Array.isArray(all?.policies) ? all.policies.filter(isRecord) : [];
	const policies = listed.filter(({ policyId }) => judging.has(String(policyId))).map(readPolicy);
	return { activity: isRecord(one?.activity) ? readAny(one.activity) : undefined, evaluations, policies, statuses };
}

async function orUndefined(
	reader: Reader,
	operation: QueryOperation,
	fields: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
	try {
		return (await reader.query(operation, fields)).value;
	} catch (error) {
		if (isUnavailable(error)) return undefined;
		throw error;
	}
}

/** An activity of whatever operation: its intent, which only the right one would find, is not looked at here. */
function readAny(record: Readonly<Record<string, unknown>>): Activity {
	const operation = Object.values(submits).find(({ type }) => type === record.type) ?? submits.update_user_tag;
	return readActivity(operation, record);
}

function readPolicy({ policyId, policyName, consensus }: Readonly<Record<string, unknown>>): JudgingPolicy {
	const textOrNull = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
	return { policyId: String(policyId), policyName: textOrNull(policyName), consensus: textOrNull(consensus) };
}

export function toExplainedActivity(activity: Activity): ExplainedActivity {
	return {
		status: activity.status,
		type: activity.type,
		operation: Object.values(submits).find(({ type }) => type === activity.type)?.name ?? null,
		fingerprint: activity.fingerprint,
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

function namesOfVoters({ votes }: Activity): ExplainResult["liveNames"] {
	return Object.fromEntries(
		votes.flatMap(({ userId, userName }) =>
			userId === undefined || userName === undefined ? [] : [[userId, userName] as const],
		),
	);
}
