/**
 * Why an activity is not finished, as text. A policy evaluation that its status or a later evaluation replaced is history, in
 * the past tense.
 */
import { showName, showText } from "../../common/escape.ts";
import { type CommandContext, commandText } from "../../plan/suggested-command.ts";
import type { UserNames } from "../../plan/users.ts";
import type {
	AuthenticationMethod,
	ExplainedActivity,
	ExplainResult,
	JudgingPolicy,
	Judgment,
	MfaStatus,
} from "../result/result.ts";
import { plainStyle } from "../style.ts";
import { renderRequestLine } from "../votes/activity-text.ts";
import { describeRequest } from "../votes/activity-words.ts";
import { describeStatus } from "../waiting-text.ts";

export function renderExplain(result: ExplainResult, commands: CommandContext = {}): string {
	const lines = [
		...describeActivity(result, commands),
		...describePolicies(result),
		...result.mfaStatuses.map((status) => describeMfa(status, result)),
	];
	return `Activity ${showText(result.activityId)}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

const endedStatuses = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_REJECTED", "ACTIVITY_STATUS_FAILED"];

function describeActivity(result: ExplainResult, commands: CommandContext): readonly string[] {
	const { activity } = result;
	if (activity === null) return [];
	const { status, type, operation, fingerprint, parameters, covers, canApprove, failure } = activity;
	const request =
		parameters === null
			? []
			: describeRequest({ operation, parameters, covers, effect: null }, namesOf(parameters, result));
	const nameAll = (userIds: readonly string[]) => userIds.map((userId) => nameUser(userId, result)).join(", ");
	return [
		`${showText(operation ?? type)} ${describeStatus(status)}; fingerprint ${showText(fingerprint)}`,
		...request.map((line) => `  ${renderRequestLine(line, plainStyle)}`),
		...(failure === null ? [] : [`the service says: ${showText(failure)}`]),
		...(activity.approvedBy.length === 0 ? [] : [`approved by ${nameAll(activity.approvedBy)}`]),
		...(activity.rejectedBy.length === 0 ? [] : [`rejected by ${nameAll(activity.rejectedBy)}`]),
		...(isPendingApproval(activity) && canApprove !== null
			? [
					`this key ${canApprove ? "can" : "cannot"} approve it${canApprove ? `: ${describeApproveCommand(result, commands)}` : ""}`,
				]
			: []),
	];
}

function describeApproveCommand({ activityId }: ExplainResult, commands: CommandContext): string {
	return showText(commandText({ command: "approve", arguments: [activityId] }, commands));
}

function isPendingApproval({ status }: ExplainedActivity): boolean {
	return status === "ACTIVITY_STATUS_CONSENSUS_NEEDED";
}

/** Returns the names for a request: without live ones where the service did not say all of its users' names. */
function namesOf(parameters: object, { userNames, liveNames }: ExplainResult): UserNames {
	const named = usersIn(JSON.stringify(parameters), { userNames, liveNames });
	return named.every((userId) => Object.hasOwn(liveNames, userId)) ? { userNames, liveNames } : { userNames };
}

/** Returns the ids of known users in a text, each once. */
function usersIn(
	text: string,
	{ userNames, liveNames }: Required<Pick<UserNames, "userNames" | "liveNames">>,
): readonly string[] {
	const ids = text.toLowerCase().match(uuids) ?? [];
	return [...new Set(ids)].filter((id) => Object.hasOwn(userNames, id) || Object.hasOwn(liveNames, id));
}

const uuids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** Returns the document's alias, else the live name, with the id; the id alone where there is neither. */
function nameUser(userId: string, { userNames, liveNames }: ExplainResult): string {
	const id = userId.toLowerCase();
	const alias = Object.hasOwn(userNames, id) ? userNames[id] : undefined;
	const liveName = Object.hasOwn(liveNames, id) ? liveNames[id] : undefined;
	if (alias === undefined)
		return liveName === undefined ? showName(userId) : `${showName(liveName)} (${showName(userId)}, no alias)`;
	const note = liveName === undefined || liveName === alias ? "" : `, live name ${showName(liveName)}`;
	return `${showName(alias)} (${showName(userId)}${note})`;
}

const requiresConsensus = "OUTCOME_REQUIRES_CONSENSUS";

/** The outcomes of a policy (docs/internals/service.md#policy-evaluation): as it holds, and as it held. */
const outcomeWords: ReadonlyMap<string, readonly [now: string, then: string]> = new Map([
	["OUTCOME_ALLOW", ["allows it", "allowed it"]],
	["OUTCOME_DENY_EXPLICIT", ["denies it", "denied it"]],
	["OUTCOME_DENY_IMPLICIT", ["does not allow it", "did not allow it"]],
	[requiresConsensus, ["requires more approvals", "required more approvals"]],
	["OUTCOME_REJECTED", ["considers it rejected", "considered it rejected"]],
	["OUTCOME_ERROR", ["could not be evaluated", "could not be evaluated"]],
	["OUTCOME_REQUIRES_AUTHENTICATORS", ["requires authenticators", "required authenticators"]],
	["OUTCOME_TIME_INACTIVE", ["is not in force at this time", "was not in force at that time"]],
]);

function describePolicies(result: ExplainResult): readonly string[] {
	const { judgments, policies, activity, reads } = result;
	if (judgments.length === 0) return ["the service shows no policy evaluation"];
	const policyOf = ({ policyId }: Judgment) => policies.find((one) => one.policyId === policyId);
	const current = judgments.filter(({ isCurrent }) => isCurrent);
	const asking = current.filter(({ outcome }) => outcome === requiresConsensus);
	const isUnknown = asking.some((judgment) => policyOf(judgment)?.consensus == null);
	const mayApprove = activity === null || isPendingApproval(activity);
	const because = reads === "documented" ? "the documented queries do not say" : "the service does not say";
	return [
		...current.map((judgment) => {
			const consensus = asking.includes(judgment) ? policyOf(judgment)?.consensus : null;
			const required = consensus == null ? "" : `: \`${showText(consensus)}\`${nameIn(consensus, result)}`;
			return `${describeJudgment(judgment, policyOf(judgment), 0)}${required}`;
		}),
		...judgments
			.filter(({ isCurrent }) => !isCurrent)
			.map((judgment) => `earlier: ${describeJudgment(judgment, policyOf(judgment), 1)}`),
		...(mayApprove && isUnknown ? [`${because} who can approve it`] : []),
	];
}

/** Returns who the users of an expression are, which names them by id; empty where it names none that is known. */
function nameIn(expression: string, result: ExplainResult): string {
	const users = usersIn(expression, result).map((userId) => nameUser(userId, result));
	return users.length === 0 ? "" : `, of ${users.join(", ")}`;
}

function describeJudgment({ policyId, outcome }: Judgment, policy: JudgingPolicy | undefined, tense: 0 | 1): string {
	const name = policy?.policyName;
	const unknown = `${tense === 0 ? "returns" : "returned"} ${showText(outcome ?? "nothing")}`;
	const words = outcomeWords.get(outcome ?? "")?.[tense] ?? unknown;
	return `policy ${showText(policyId ?? "(no id)")}${name == null ? "" : ` (${showName(name)})`} ${words}`;
}

function describeMfa(entry: MfaStatus, result: ExplainResult): string {
	const who = `user ${nameUser(entry.userId, result)}, MFA policy ${showText(entry.mfaPolicyId)}: `;
	if (entry.satisfied === true) return `${who}satisfied`;
	const { activity } = result;
	if (activity !== null && endedStatuses.includes(activity.status)) return `${who}not satisfied, and no longer needed`;
	if (entry.satisfied !== false) return `${who}the service does not say whether it is satisfied`;
	const satisfied = entry.satisfiedMethods ?? [];
	const missing = (entry.requiredMethods ?? [])
		.map(({ any }) => any ?? [])
		.filter((methods) => !methods.some((method) => satisfied.some((done) => isMethod(done, method))))
		.map((methods) => methods.map(showMethod).join(" or "));
	return `${who}still missing: ${missing.length === 0 ? "the service does not say what" : missing.join(", then ")}`;
}

function isMethod(done: AuthenticationMethod, required: AuthenticationMethod): boolean {
	return done.type === required.type && (hasNoId(required) || done.id === required.id);
}

function hasNoId({ id }: AuthenticationMethod): boolean {
	return id === undefined || id === null || id === "";
}

function showMethod(method: AuthenticationMethod): string {
	const words = method.type
		.replace(/^AUTHENTICATION_TYPE_/, "")
		.toLowerCase()
		.replaceAll("_", " ");
	return hasNoId(method) ? showText(words) : `${showText(words)} (${showText(method.id ?? "")})`;
}
