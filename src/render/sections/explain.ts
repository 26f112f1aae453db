/** Why an activity is not finished. An evaluation that its status or a later one replaced is history, in the past tense. */

import { showName } from "../../common/escape.ts";
import { type CommandContext, commandText } from "../../plan/suggested-command.ts";
import { labelUser, type UserNames } from "../../plan/users.ts";
import { sayStatus } from "../../say/activities.ts";
import { withReferences } from "../../say/cases.ts";
import {
	code,
	command,
	identifier,
	joinPhrases,
	listOf,
	nameSpan,
	type Phrase,
	reason,
	type Span,
} from "../../say/phrase.ts";
import type { PowerNames } from "../../say/powers.ts";
import { type Row, type Section, section } from "../../say/section.ts";
import type {
	AuthenticationMethod,
	ExplainedActivity,
	ExplainResult,
	JudgingPolicy,
	Judgment,
	MfaStatus,
} from "../result/result.ts";
import { describeRequest } from "./activity.ts";

export function explainSection(result: ExplainResult, commands: CommandContext = {}): Section {
	const rows = [
		...activityRows(result, commands),
		...describePolicies(result).map((said) => ({ said })),
		...result.mfaStatuses.map((status) => ({ said: describeMfa(status, result) })),
	];
	return section("lines", rows, { lead: ["Activity ", identifier(result.activityId)] });
}

const endedStatuses = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_REJECTED", "ACTIVITY_STATUS_FAILED"];

function activityRows(result: ExplainResult, commands: CommandContext): readonly Row[] {
	const { activity, activityId } = result;
	if (activity === null) return [];
	const { status, type, operation, fingerprint, parameters, covers, canApprove, failure } = activity;
	const request =
		parameters === null
			? []
			: describeRequest({ operation, parameters, covers, effect: null }, namesOf(parameters, result));
	const nameAll = (userIds: readonly string[]): Phrase => listOf(userIds, (userId) => nameUser(userId, result));
	const approve = command(commandText({ command: "approve", arguments: [activityId] }, commands));
	return [
		{
			said: [identifier(operation ?? type), " ", ...sayStatus(status), "; fingerprint ", identifier(fingerprint)],
			rows: request,
		},
		...(failure === null ? [] : [{ said: ["the service says: ", reason(failure)] }]),
		...(activity.approvedBy.length === 0 ? [] : [{ said: ["approved by ", ...nameAll(activity.approvedBy)] }]),
		...(activity.rejectedBy.length === 0 ? [] : [{ said: ["rejected by ", ...nameAll(activity.rejectedBy)] }]),
		...(isPendingApproval(activity) && canApprove !== null
			? [{ said: canApprove ? ["this key can approve it: ", approve] : ["this key cannot approve it"] }]
			: []),
	];
}

function isPendingApproval({ status }: ExplainedActivity): boolean {
	return status === "ACTIVITY_STATUS_CONSENSUS_NEEDED";
}

/** Returns the names for a request: without live ones where the service did not say all of its users' names. */
function namesOf(parameters: object, { userNames, liveNames, tagNames }: ExplainResult): PowerNames {
	const named = usersIn(JSON.stringify(parameters), { userNames, liveNames });
	const isWhole = named.every((userId) => Object.hasOwn(liveNames, userId));
	return { userNames, tagNames, ...(isWhole ? { liveNames } : {}) };
}

function usersIn(
	text: string,
	{ userNames, liveNames }: Required<Pick<UserNames, "userNames" | "liveNames">>,
): readonly string[] {
	const ids = text.toLowerCase().match(uuids) ?? [];
	return [...new Set(ids)].filter((id) => Object.hasOwn(userNames, id) || Object.hasOwn(liveNames, id));
}

const uuids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** Returns the document's alias, else the live name, with the id; the id alone where there is neither. */
function nameUser(userId: string, { userNames, liveNames }: ExplainResult): Span {
	const { name, isLive, liveName } = labelUser(userId, { userNames, liveNames });
	const shown = showName(userId);
	const other = liveName === null ? [] : [`live name ${showName(liveName)}`];
	const notes = [...(name === userId.toLowerCase() ? [] : [shown]), ...(isLive ? ["no alias"] : []), ...other];
	return nameSpan(notes.includes(shown) ? showName(name) : shown, notes);
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

function describePolicies(result: ExplainResult): readonly Phrase[] {
	const { judgments, policies, activity, reads } = result;
	if (judgments.length === 0) return [["the service shows no policy evaluation"]];
	const policyOf = ({ policyId }: Judgment) => policies.find((one) => one.policyId === policyId);
	const current = judgments.filter(({ isCurrent }) => isCurrent);
	const asking = current.filter(({ outcome }) => outcome === requiresConsensus);
	const isUnknown = asking.some((judgment) => policyOf(judgment)?.consensus == null);
	const mayApprove = activity === null || isPendingApproval(activity);
	const because = reads === "documented" ? "the documented queries do not say" : "the service does not say";
	return [
		...current.map((judgment): Phrase => {
			const consensus = asking.includes(judgment) ? policyOf(judgment)?.consensus : null;
			const required: Phrase =
				consensus == null ? [] : [": ", code(withReferences(consensus, result)), ...nameIn(consensus, result)];
			return [...describeJudgment(judgment, policyOf(judgment), 0), ...required];
		}),
		...judgments
			.filter(({ isCurrent }) => !isCurrent)
			.map((judgment): Phrase => ["earlier: ", ...describeJudgment(judgment, policyOf(judgment), 1)]),
		...(mayApprove && isUnknown ? [[`${because} who can approve it`]] : []),
	];
}

/** Returns who the users of an expression are, which names them by id; empty where it names none that is known. */
function nameIn(expression: string, result: ExplainResult): Phrase {
	const users = usersIn(expression, result).map((userId): Phrase => [nameUser(userId, result)]);
	return users.length === 0 ? [] : [", of ", ...joinPhrases(users, ", ")];
}

function describeJudgment({ policyId, outcome }: Judgment, policy: JudgingPolicy | undefined, tense: 0 | 1): Phrase {
	const name = policy?.policyName;
	const words = outcomeWords.get(outcome ?? "")?.[tense];
	const verdict: Phrase =
		words === undefined ? [tense === 0 ? "returns " : "returned ", reason(outcome ?? "nothing")] : [words];
	const named: Phrase = name == null ? [] : [" (", reason(showName(name)), ")"];
	return ["policy ", policyId === null ? "(no id)" : identifier(policyId), ...named, " ", ...verdict];
}

function describeMfa(entry: MfaStatus, result: ExplainResult): Phrase {
	const who: Phrase = ["user ", nameUser(entry.userId, result), ", MFA policy ", identifier(entry.mfaPolicyId), ": "];
	if (entry.satisfied === true) return [...who, "satisfied"];
	const { activity } = result;
	if (activity !== null && endedStatuses.includes(activity.status))
		return [...who, "not satisfied, and no longer needed"];
	if (entry.satisfied !== false) return [...who, "the service does not say whether it is satisfied"];
	const satisfied = entry.satisfiedMethods ?? [];
	const missing = (entry.requiredMethods ?? [])
		.map(({ any }) => any ?? [])
		.filter(
			(methods) =>
				!methods.some((method) =>
					satisfied.some(({ type, id }) => type === method.type && (hasNoId(method) || id === method.id)),
				),
		)
		.map((methods) => methods.map(showMethod).join(" or "));
	return [
		...who,
		"still missing: ",
		reason(missing.length === 0 ? "the service does not say what" : missing.join(", then ")),
	];
}

function hasNoId({ id }: AuthenticationMethod): boolean {
	return id === undefined || id === null || id === "";
}

function showMethod(method: AuthenticationMethod): string {
	const words = method.type
		.replace(/^AUTHENTICATION_TYPE_/, "")
		.toLowerCase()
		.replaceAll("_", " ");
	return hasNoId(method) ? words : `${words} (${method.id})`;
}
