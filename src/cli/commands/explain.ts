/**
 * `explain`: why an activity is not finished, in words. Who has to approve is what the consensus expression of a policy
 * says; where it cannot be read that is said, and nobody is guessed.
 */
import { ConfigurationError, exitCodes, OrgsyncError, ServiceError } from "../../errors.ts";
import type { Reads } from "../../plan/plan.ts";
import { showName, showText } from "../../plan/render/escape.ts";
import { checkSchema } from "../../schema.ts";
import { type Activity, isRecord, readActivity } from "../../wire/activity.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads, type QueryOperation, queries, submits } from "../../wire/operations.ts";
import { connect, type ServiceFlags } from "../connect.ts";
import { readDesired } from "../sources.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { documentsOf, findOrganization, type NamingFlags } from "./query.ts";

export interface ExplainFlags extends NamingFlags, ServiceFlags {
	readonly reads: Reads;
}

/** What the policies say of an activity, who approved it and which authenticators are missing, in words. */
export async function explain(
	activityId: string,
	flags: ExplainFlags,
	terminal: Terminal,
	voice: Voice,
): Promise<Result> {
	const organizationId = await findOrganization(flags, terminal);
	const fields = { organizationId, activityId };
	if (checkSchema("operations/get_policy_evaluations.json", fields, "#/$defs/request").length > 0) {
		throw new ConfigurationError(`\`${showText(activityId)}\` is no activity id: it must be a UUID`, {
			hint: "apply says the id of every activity that waits",
		});
	}
	const nameUser = await readNames(organizationId, flags, terminal);
	const connection = await connect(flags, terminal, voice);
	try {
		const found = await readFindings(connection.client.reader, fields, flags.reads);
		const { activity, policies, evaluations, statuses } = found;
		return {
			exitCode: exitCodes.converged,
			text: () =>
				[
					`Activity ${showText(activityId)}\n`,
					...explainActivity(activity, nameUser),
					...explainPolicies(found, flags.reads),
					...explainStatuses(statuses, nameUser),
				].join(""),
			json: {
				activityId,
				activity: activity === undefined ? null : describeActivity(activity),
				policyEvaluations: evaluations,
				policies,
				mfaStatuses: statuses,
			},
		};
	} finally {
		await connection.close();
	}
}

/** A user as a person knows it: the document's alias with the id, or the id alone, and the live name where it is another. */
type NameUser = (userId: string, liveName?: string) => string;

/** Names from the documents; one that nobody named and that cannot be read is no reason to explain nothing. */
async function readNames(organizationId: string, flags: ExplainFlags, terminal: Terminal): Promise<NameUser> {
	const files = documentsOf(flags, terminal);
	const aliases = new Map<string, string>();
	try {
		const organizations = files.length === 0 ? [] : await readDesired(files, terminal);
		const users = organizations.find((desired) => desired.organizationId === organizationId)?.users ?? {};
		for (const [alias, id] of Object.entries(users)) aliases.set(id, alias);
	} catch (error) {
		if (flags.file.length > 0 || !(error instanceof OrgsyncError)) throw error;
	}
	return (userId, liveName) => {
		const alias = aliases.get(userId.toLowerCase());
		const notes = [
			...(alias === undefined ? [] : [showName(userId)]),
			...(liveName === undefined || liveName === alias ? [] : [`live name ${showName(liveName)}`]),
		];
		return `${showName(alias ?? userId)}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
	};
}

interface Findings {
	readonly activity: Activity | undefined;
	readonly evaluations: readonly EvaluationRecord[];
	/** Of the policies that judged it, those that could be read. */
	readonly policies: readonly JudgingPolicy[];
	readonly statuses: readonly StatusEntry[];
}

interface JudgingPolicy {
	readonly policyId: string;
	readonly policyName: string | null;
	readonly consensus: string | null;
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
	const statuses = (mfa.value.mfaStatuses ?? []) as readonly StatusEntry[];
	if (reads === "documented") return { activity: undefined, evaluations, policies: [], statuses };
	const judging = new Set(evaluations.flatMap(judgments).flatMap(({ policyId }) => policyId ?? []));
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
		if (error instanceof ServiceError && [403, 404, 501].includes(error.httpStatus)) return undefined;
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

function votersOf(activity: Activity, selection: string): readonly string[] {
	return [...votersIn(activity, selection).keys()];
}

/** Who voted so, with the name that the vote has. */
function votersIn({ votes }: Activity, selection: string): ReadonlyMap<string, string | undefined> {
	const cast = votes.filter((vote) => vote.selection === selection);
	return new Map(cast.flatMap(({ userId, userName }) => (userId === undefined ? [] : [[userId, userName] as const])));
}

function describeActivity(activity: Activity): Readonly<Record<string, unknown>> {
	return {
		status: activity.status,
		type: activity.type,
		fingerprint: activity.fingerprint,
		approvedBy: votersOf(activity, "VOTE_SELECTION_APPROVED"),
		rejectedBy: votersOf(activity, "VOTE_SELECTION_REJECTED"),
		canApprove: activity.canApprove ?? null,
	};
}

/** A Map, because a status can be any word, `constructor` too. */
const statusWords: ReadonlyMap<string, string> = new Map([
	["ACTIVITY_STATUS_COMPLETED", "is completed"],
	["ACTIVITY_STATUS_CONSENSUS_NEEDED", "waits for approval"],
	["ACTIVITY_STATUS_AUTHENTICATORS_NEEDED", "waits for an authenticator"],
	["ACTIVITY_STATUS_REJECTED", "was rejected"],
	["ACTIVITY_STATUS_FAILED", "failed"],
	["ACTIVITY_STATUS_CREATED", "has not begun"],
	["ACTIVITY_STATUS_PENDING", "is under way"],
]);

function explainActivity(activity: Activity | undefined, nameUser: NameUser): readonly string[] {
	if (activity === undefined) return [];
	const { status, type, fingerprint, canApprove } = activity;
	const state = statusWords.get(status) ?? `has the status ${status}`;
	const operation = Object.values(submits).find((one) => one.type === type);
	const nameVoters = (selection: string): readonly string[] =>
		[...votersIn(activity, selection)].map(([userId, liveName]) => nameUser(userId, liveName));
	const approved = nameVoters("VOTE_SELECTION_APPROVED");
	const rejected = nameVoters("VOTE_SELECTION_REJECTED");
	const lines = [
		`${showText(operation?.name ?? type)} ${showText(state)}; fingerprint ${showText(fingerprint)}`,
		...(approved.length === 0 ? [] : [`approved by ${approved.join(", ")}`]),
		...(rejected.length === 0 ? [] : [`rejected by ${rejected.join(", ")}`]),
		...(status === "ACTIVITY_STATUS_CONSENSUS_NEEDED" && canApprove !== undefined
			? [`this key ${canApprove ? "can" : "cannot"} approve it`]
			: []),
	];
	return lines.map((line) => `  ${line}\n`);
}

interface EvaluationRecord {
	readonly policyEvaluations?: readonly Judgment[] | null;
}

interface Judgment {
	readonly policyId?: string;
	readonly outcome?: string;
}

function judgments({ policyEvaluations }: EvaluationRecord): readonly Judgment[] {
	return policyEvaluations ?? [];
}

interface StatusEntry {
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

/** service-facts.md, "Answers to the 13 operations that differ": the outcomes of a policy. */
const outcomeWords: ReadonlyMap<string, string> = new Map([
	["OUTCOME_ALLOW", "allows it"],
	["OUTCOME_DENY_EXPLICIT", "denies it"],
	["OUTCOME_DENY_IMPLICIT", "does not allow it"],
	["OUTCOME_REQUIRES_CONSENSUS", "waits for more approvals"],
	["OUTCOME_REJECTED", "was ended by a rejection"],
	["OUTCOME_ERROR", "could not be evaluated"],
	["OUTCOME_REQUIRES_AUTHENTICATORS", "waits for authenticators"],
	["OUTCOME_TIME_INACTIVE", "is not in force at this time"],
]);

/** Outcomes for which somebody's approval is missing. */
const asksForApproval = "OUTCOME_REQUIRES_CONSENSUS";

function explainPolicies({ evaluations, policies, activity }: Findings, reads: Reads): readonly string[] {
	const all = evaluations.flatMap(judgments);
	if (all.length === 0) return ["  no policy has judged it\n"];
	const lines = all.map(({ policyId, outcome }) => {
		const words = outcomeWords.get(outcome ?? "") ?? `says ${showText(outcome ?? "nothing")}`;
		const policy = policies.find((one) => one.policyId === policyId);
		const name = policy?.policyName == null ? "" : ` (${showName(policy.policyName)})`;
		const expression =
			outcome === asksForApproval && policy?.consensus != null ? `; it asks for \`${showText(policy.consensus)}\`` : "";
		return `  policy ${showText(policyId ?? "(no id)")}${name} ${words}${expression}\n`;
	});
	const waits = activity === undefined || activity.status === "ACTIVITY_STATUS_CONSENSUS_NEEDED";
	const unsaid = all.some(
		({ policyId, outcome }) =>
			outcome === asksForApproval && !policies.some((one) => one.policyId === policyId && one.consensus !== null),
	);
	const because = reads === "documented" ? "the documented queries do not say" : "the service does not say";
	return [...lines, ...(waits && unsaid ? [`  ${because} who may approve it\n`] : [])];
}

function explainStatuses(statuses: readonly StatusEntry[], nameUser: NameUser): readonly string[] {
	return statuses.map((status) => {
		const who = `  user ${nameUser(status.userId)}, MFA policy ${showText(status.mfaPolicyId)}: `;
		if (status.satisfied === true) return `${who}satisfied\n`;
		if (status.satisfied !== false) return `${who}the service does not say whether it is satisfied\n`;
		const missing = (status.requiredMethods ?? [])
			.filter(
				({ any }) =>
					!(any ?? []).some((method) => (status.satisfiedMethods ?? []).some((done) => isMethod(done, method))),
			)
			.map(({ any }) => (any ?? []).map(showMethod).join(" or "));
		return `${who}still missing: ${missing.length === 0 ? "the service does not say what" : missing.join(", then ")}\n`;
	});
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
