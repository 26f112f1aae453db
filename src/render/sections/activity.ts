/**
 * A pending activity in words, as a plan shows a step: what it changes, made of the parameters that its submitter signed, what
 * that changes for who can do what, who voted, and what is missing. Every format is made of these words.
 */
import { showAddress, showName, showNameWithin, showRename, showValue } from "../../common/escape.ts";
import { own } from "../../common/own.ts";
import { addressesOf } from "../../plan/activities/activity-objects.ts";
import { idsIn, isStepOperation, targetOf } from "../../plan/activities/requests.ts";
import type { ReviewedActivity, ShownVote } from "../../plan/activities/reviewed-activity.ts";
import type { Plan } from "../../plan/plan.ts";
import { namesForSaid } from "../../plan/user-labels.ts";
import { maxNameLength, type UserNames } from "../../plan/users.ts";
import type { Approval } from "../../policy/powers/forecast.ts";
import { sayStatus } from "../../say/activities.ts";
import { describeApprovers } from "../../say/approvals.ts";
import { code, identifier, nameSpan, type Phrase, reason, type Span } from "../../say/phrase.ts";
import { namePerson, type PowerNames } from "../../say/powers.ts";
import { sayReason } from "../../say/reason.ts";
import { notesOf, type Row, type Sign } from "../../say/section.ts";
import { impactRow } from "./impact.ts";
import { describeImpact, impactHeadingOf, summarizeImpact } from "./impact-words.ts";
import { describeWindow, findExpiry } from "./windows.ts";
import { changedPolicyRow, createdPolicyRows, createdTagRow, removedTagRows } from "./written-request.ts";

/** A request, and the plan of it alone where it could be made: its names, its change, and what that means. */
interface ShownRequest {
	/** Null for one that orgsync does not understand. */
	readonly operation: string | null;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly effect: Plan | null;
	/** Addresses of its objects, where they are known without a plan. */
	readonly covers?: readonly string[];
}

/**
 * Returns an activity as a row: below its title what speaks against it, what it changes and what that means, then who voted, and
 * what is missing. Nothing in it is a claim of its submitter but what a mistake warns of.
 */
export function activityRow(
	activity: ReviewedActivity,
	names: UserNames,
	voterId: string | null,
	against: readonly Phrase[] = [],
): Row {
	const { activityId, fingerprint, type, operation, status } = activity;
	const { mistakes, request, impact, votes, missing } = describeActivity(activity, names, voterId);
	return {
		said: [identifier(operation ?? type), ": activity ", identifier(activityId), " ", ...sayStatus(status)],
		rows: [...[...against, ...mistakes].map((said): Row => ({ sign: "!!", said })), ...request, ...impact],
		notes: [
			...notesOf("plain", ...votes),
			...notesOf("attention", missing),
			...notesOf("plain", ["fingerprint ", identifier(fingerprint)]),
		],
	};
}

/**
 * Returns why it cannot be reviewed, what it changes, what that means, who voted, and what is missing; null where that is not known.
 * `beside` are names that its effect lacks; `voterId` is who would vote: then the words say whether this vote would complete it.
 */
export function describeActivity(activity: ReviewedActivity, beside: UserNames, voterId: string | null) {
	const isReviewable = activity.mistakes.length === 0;
	const effect = activity.effect === null ? null : withNames(activity.effect, beside);
	const names = effect ?? beside;
	return {
		mistakes: activity.mistakes.map(({ message }): Phrase => ["cannot be reviewed: ", reason(message)]),
		request: describeRequest({ ...activity, effect }, names),
		impact: effect === null || !isReviewable ? [] : impactRows(effect),
		votes: describeVotes(activity, names),
		missing: isReviewable ? describeMissing({ ...activity, effect }, voterId) : null,
	};
}

/** Returns the verdict, under a heading where lines explain it, and those lines. */
function impactRows(effect: Plan): readonly Row[] {
	const summary = summarizeImpact(effect);
	if (summary === null) return [];
	const lines = describeImpact(effect);
	const heading = lines.length === 0 ? "" : `${impactHeadingOf(false)}: `;
	return [{ said: [`${heading}${summary}`] }, ...lines.map(impactRow)];
}

const noNames: UserNames = { userNames: {} };

export function withNames(plan: Plan, { userNames, liveNames }: UserNames): Plan {
	return {
		...plan,
		userNames: { ...plan.userNames, ...userNames },
		...(liveNames === undefined ? {} : { liveNames: { ...plan.liveNames, ...liveNames } }),
	};
}

/** Returns what a request changes, every parameter of it: one row for each object, with its parts below it. */
export function describeRequest(request: ShownRequest, names: PowerNames = request.effect ?? noNames): readonly Row[] {
	const [rowsOf, ...known] = own(requests, request.operation ?? "") ?? [];
	const rows = rowsOf?.(request, names) ?? null;
	return [...(rows ?? []), ...describeOthers(request.parameters, rows === null ? [] : known)];
}

/** The rows of each operation, null where they cannot show all of it; and the parameters that they show. */
const requests: Readonly<
	Record<string, readonly [(request: ShownRequest, names: PowerNames) => readonly Row[] | null, ...shown: string[]]>
> = {
	update_user_tag: [
		(one, names) => [describeTag(one, names)],
		...["userTagId", "newUserTagName", "addUserIds", "removeUserIds"],
	],
	create_user_tag: [({ parameters }, names) => [createdTagRow(parameters, names)], "userTagName", "userIds"],
	delete_user_tags: [({ parameters, effect }, names) => removedTagRows(parameters, effect, names), "userTagIds"],
	create_policies: [({ parameters, effect }, names) => createdPolicyRows(parameters, effect, names), "policies"],
	update_policy: [
		({ parameters, effect }, names) => [changedPolicyRow(parameters, effect, names)],
		...["policyId", "policyName", "policyEffect", "policyCondition", "policyConsensus", "policyNotes", "time"],
	],
	init_import_private_key: [
		({ parameters }, names) => [
			row("+", ["prepare the import of a private key for ", personOf(parameters.userId, names)]),
		],
		"userId",
	],
	delete_policies: [describeRemovals, "policyIds"],
	delete_oauth_providers: [describeRemovals, "userId", "providerIds"],
	delete_tvc_app_and_deployments: [describeRemovals, "appId"],
};

/** Max characters of a new name: a reader has to see all of a name that people have, and no more of another. */
const maxNewName = 120;

function describeTag(request: ShownRequest, names: UserNames): Row {
	const { parameters, effect } = request;
	const { userTagId, newUserTagName, addUserIds, removeUserIds } = parameters;
	const tagId = String(userTagId).toLowerCase();
	const change = effect?.changes.find((one) => one.kind === "userTag" && one.tagId === tagId);
	const before = change?.kind === "userTag" ? change.before : null;
	const [address = `userTag:${tagId}`] = coveredBy(request, names);
	const isNamed = typeof newUserTagName === "string" && newUserTagName !== "";
	const member = (sign: "+" | "-") => (userId: string) => {
		const has = before?.members?.includes(userId);
		const noOp = has === undefined || has !== (sign === "+") ? [] : [has ? ": has it already" : ": does not have it"];
		const expiry = effect === null ? undefined : findExpiry(effect, change?.address ?? address, userId);
		const window: Phrase = expiry === undefined ? [] : [" (", ...describeWindow(expiry, null), ")"];
		return row(sign, ["member ", personOf(userId, names), ...noOp, ...window]);
	};
	const lines = [
		...(isNamed ? [row("~", describeNewName(before?.name, newUserTagName))] : []),
		...idsIn(addUserIds).map(member("+")),
		...idsIn(removeUserIds).map(member("-")),
	];
	const own: Phrase = address.endsWith(tagId) ? [] : ["  ", identifier(tagId)];
	const nothing = lines.length === 0 ? [row("!", ["it changes nothing"])] : [];
	return { ...row("~", [identifier(showAddress(address)), ...own]), rows: [...lines, ...nothing] };
}

function describeNewName(before: string | undefined, after: string): Phrase {
	if (before === undefined) return ["new name: ", nameSpan(showNameWithin(after, maxNewName))];
	const [was, is] = showRename(before, after);
	return before === after ? ["name: ", nameSpan(is), " as before"] : ["name: ", nameSpan(was), " -> ", nameSpan(is)];
}

/** Returns the removed objects by address, each with its live name where that is known. */
function describeRemovals(request: ShownRequest, names: UserNames): readonly Row[] {
	const { operation, effect } = request;
	const addresses = coveredBy(request, names);
	if (addresses.length === 0) return [row("!", ["it removes nothing"])];
	return addresses.map((address) => {
		const change = effect?.changes.find((one) => one.address === address);
		const name = change?.before?.name;
		const shown: Phrase =
			typeof name !== "string" || name === "" ? [] : ["  ", nameSpan(showNameWithin(name, maxNameLength))];
		const more = operation === "delete_tvc_app_and_deployments" ? ["  with its deployments"] : [];
		return row("-", [identifier(showAddress(address)), ...shown, ...more]);
	});
}

/** Returns the addresses of the objects of a request: those of its plan or its own, else by id. */
export function coveredBy(request: ShownRequest, names: UserNames): readonly string[] {
	const { operation, parameters, effect } = request;
	if (operation === null || !isStepOperation(operation)) return [];
	const covers = new Map(effect?.steps.flatMap((step) => step.covers.map(({ id, address }) => [id, address] as const)));
	const { ids } = targetOf({ operation, parameters });
	if (ids.length > 0 && ids.every((id) => covers.has(id))) return ids.flatMap((id) => covers.get(id) ?? []);
	return request.covers ?? addressesOf({ operation, parameters }, { userNames: names.userNames, tagNames: new Map() });
}

/** Returns the parameters that no other line shows; those that are empty mean nothing. */
function describeOthers(parameters: ShownRequest["parameters"], known: readonly string[]): readonly Row[] {
	return Object.entries(parameters)
		.filter(([name, value]) => !known.includes(name) && value !== null && !(Array.isArray(value) && value.length === 0))
		.map(([name, value]) => row("!", ["parameter ", nameSpan(showName(name)), ": ", code(showValue(value))]));
}

function row(sign: Sign, said: Phrase): Row {
	return { sign, said };
}

function personOf(userId: unknown, names: UserNames): Span {
	return typeof userId === "string" ? namePerson(userId, names) : nameSpan(showName(""));
}

/** Returns who submitted it and who voted since; the submitter's own vote is the first. */
function describeVotes(activity: ReviewedActivity, names: UserNames): readonly Phrase[] {
	const { submittedBy, createdAt, voterNames, votes } = activity;
	const voter = (userId: string | null): Span =>
		userId === null
			? "a user whom the service does not name"
			: namePerson(userId, namesForSaid(userId, names, voterNames));
	const [first, ...others] = votes;
	const isOwn = first !== undefined && first.userId === submittedBy;
	const lapsed = isOwn && !first.counts ? [lapsedWords] : [];
	const since = isOwn ? others : votes;
	return [
		["submitted by ", voter(submittedBy), at(createdAt), ...lapsed],
		...since.map((vote) => [
			voteWords[vote.selection],
			voter(vote.userId),
			at(vote.at),
			...(vote.counts ? [] : [lapsedWords]),
		]),
	];
}

const voteWords: Readonly<Record<ShownVote["selection"], string>> = {
	approved: "approved by ",
	rejected: "rejected by ",
	unknown: "an unknown vote by ",
};

const lapsedWords = ": lapsed, since votes count for 24 hours";

function at(time: string | null): string {
	return time === null ? "" : ` at ${time}`;
}

/** Returns who can still complete it, and what the vote of the caller would do; null where policies were not read. */
function describeMissing({ status, effect }: ReviewedActivity, voterId: string | null): Phrase | null {
	if (status === "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED") return ["missing: an authenticator"];
	const approval = effect?.steps[0]?.approval;
	if (status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED" || approval === undefined || effect === null) return null;
	if (approval.verdict === "pending") {
		const who = describeApprovers(approval, effect);
		return who.length === 0 ? null : ["missing: ", ...who, ...describeOwnVote(approval, voterId)];
	}
	const { because } = approval;
	return ["missing: unknown", ...(because === null ? [] : [": ", ...sayReason(because, effect)])];
}

/** Returns what the approval of this user would do. More sets than these may be left out of the plan. */
function describeOwnVote({ approverSets }: Approval, voterId: string | null): Phrase {
	if (voterId === null) return [];
	const own = approverSets.filter((set) => set.includes(voterId));
	if (own.some(({ length }) => length === 1)) return ["; your approval completes it"];
	return own.length > 0 ? ["; with your approval, others are still missing"] : [];
}
