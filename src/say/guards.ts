/** The words of guards: what each found, and what is allowed. All are safe for a terminal. */
import { GuardError } from "../common/errors.ts";
import { listFirst, showAddress, showName, showText } from "../common/escape.ts";
import { parseAddress, printAddress } from "../plan/address.ts";
import type { AccessFinding, CompletedActivity, GuardFinding, Reversal, UsedName } from "../plan/guards/finding.ts";
import { type Allowed, type Guard, type GuardKind, refusingGuards } from "../plan/guards/guards.ts";
import type { PlanImpact } from "../plan/impact/impact.ts";
import { kindOf } from "../plan/kinds/index.ts";
import { removalKindNames, removalLists } from "../plan/kinds/names.ts";
import { showUser } from "../plan/user-labels.ts";
import { describeLabel, labelUser } from "../plan/users.ts";
import { count } from "./count.ts";
import { firstOf, joinPeople, listFindings, listLoners, listPowers } from "./findings.ts";
import { describePower } from "./groups.ts";
import { reasonText } from "./reason.ts";
import { breachText } from "./rules.ts";

type Finding<W extends GuardFinding["what"]> = Extract<GuardFinding, { readonly what: W }>;

export function guardText({ kind, found, where, finding }: Guard): string {
	switch (finding.what) {
		case "member-removals":
			return removalsText(finding, found);
		case "removals":
			return `${count(found, ...wordsOf(kind))} would be removed`;
		case "updates":
			return `${count(found, "policy", "policies")} would be changed`;
		case "takeovers":
			return `the text of ${count(found, "live policy", "live policies")} that was never applied from here would be replaced`;
		case "dangling-tags":
			return finding.uses.map(danglingText).join("; ");
		case "rebound":
			return finding.tags.map(reboundText).join("; ");
		case "protected":
			return `${where.map(showAddress).join(", ")} would change protected ${where.some((address) => parseAddress(address)?.kind === "policy") ? "users, tags or policies" : "users or tags"}`;
		case "unlisted":
			return `${count(found, "activity", "activities")} could be pending already: the service did not list all pending activities`;
		case "last-of-caller":
			return callerText(finding, kind);
		case "access":
			return accessText(finding, kind);
		case "rules":
			return finding.rules.map(brokenRuleText).join("; ");
		case "new-access":
			return [
				...(finding.rule === null ? [] : [brokenRuleText(finding.rule)]),
				...(finding.because === null
					? []
					: [`whether the plan gives new access is unknown: ${reasonText(finding.because)}`]),
			].join("; ");
		case "old-names":
			return finding.names.map(oldNameText).join("; ");
		case "reversals":
			return finding.reversals.map((one) => reversalText(one, finding.document)).join("; ");
		case "stranded":
			return strandedText(finding);
		case "unsafe-moments":
			return momentsText(finding);
		case "own-powers":
			return `${joinPeople([finding.userId], finding.names)} submits or approves this plan, and ${listFindings(finding.findings, finding.names)}`;
		case "access-cases": {
			const or = finding.cases.some(({ verdict }) => verdict === "unknown") ? ", or cannot be judged" : "";
			return `${count(found, "access case", "access cases")} would no longer hold${or}: ${casesText(finding.cases)}`;
		}
		case "stated":
			return finding.message;
	}
}

export function limitText(guard: Pick<Guard, "kind" | "finding" | "isOfBase">): string {
	return guard.isOfBase === true ? `${ownLimitText(guard)} by the base document` : ownLimitText(guard);
}

function ownLimitText({ kind, finding }: Pick<Guard, "kind" | "finding">): string {
	switch (finding.what) {
		case "member-removals": {
			const { limit } = finding;
			return "count" in limit ? `at most ${limit.count}` : `at most ${limit.percent}% of a tag's known members`;
		}
		case "access":
			return finding.limit === "strict" ? "none, and nothing unknown" : `at most ${finding.limit}`;
		case "removals":
		case "updates":
		case "takeovers":
			return `at most ${finding.limit}`;
		case "last-of-caller":
			return `not the last ${ownWords(kind)} of the user who applies`;
		case "stated":
			return finding.limit;
		default:
			return limits[finding.what];
	}
}

const limits = {
	protected: "none",
	unlisted: "none until all pending activities are listed",
	rules: "no rule of the document broken",
	"new-access": "no new access",
	"dangling-tags": "no removed tag that a policy names",
	rebound: "the tags that were last applied by these names",
	"old-names": "any number of uses",
	reversals: "no change that was made and undone before",
	stranded: "no activity denied because of another one of the plan",
	"access-cases": "no access case that holds",
	"own-powers": "no policy that gives its submitter more, or takes what the plan needs",
	"unsafe-moments": "no moment between two activities that is worse than before and after the plan",
} as const;

/** Throws GuardError if a guard blocks and is not overridden. `overrideFor` returns what overrides these guards. */
export function refuseBlocked(
	guards: readonly Guard[],
	allowed: Allowed,
	overrideFor: (blocking: readonly Guard[]) => string,
): void {
	const blocking = refusingGuards(guards, allowed);
	if (blocking.length === 0) return;
	const found = blocking.map((guard) => `${guardText(guard)} (allowed: ${limitText(guard)})`).join("; ");
	throw new GuardError(`blocked by a guard, nothing was submitted: ${found}`, {
		hint: `to override: ${overrideFor(blocking)}`,
	});
}

function danglingText({ address, policies }: Finding<"dangling-tags">["uses"][number]): string {
	const named = policies?.map(({ name, id }) => `\`${showName(name)}\` (${showText(id)})`).join(", ");
	const shown = showAddress(address);
	if (named === undefined)
		return `${shown} would be removed, and policies were not read: a policy that names it would match no user by it`;
	return `${shown} would be removed, and ${named} would still name it, and match no user by it`;
}

function reboundText({ name, before, now, userIds }: Finding<"rebound">["tags"][number]): string {
	const who = userIds === null ? "members, who are unknown" : count(userIds.length, "member", "members");
	return `\`${showName(name)}\` is another user tag now, ${now} in place of ${before.join(" and ")}: policies that name it would be about its ${who}`;
}

function wordsOf(kind: GuardKind): readonly [one: string, many: string] {
	if (kind === "userTags") return kindOf("userTag").words;
	const name = removalKindNames.find((one) => removalLists[one] === kind);
	return name === undefined ? ["object", "objects"] : kindOf(name).words;
}

function removalsText({ shares, waived }: Finding<"member-removals">, found: number): string {
	const besides = waived === 0 ? "" : `, besides ${waived} whose access expired`;
	if (shares.length === 0) return `${count(found, "member", "members")} would be removed${besides}`;
	const said = shares.map(
		({ address, count: lost, of }) => `${showAddress(address)} would lose ${lost} of ${of ?? "an unknown number"}`,
	);
	return `${said.join(", ")}; ${found} in all${besides}`;
}

function ownWords(kind: GuardKind): string {
	return kind === "ownUserTags" ? "user tag" : "OAuth provider";
}

/** The caller by alias, with live name and id where the alias alone could be mistaken. */
function callerText({ userId, names, isUnknown }: Finding<"last-of-caller">, kind: GuardKind): string {
	const name = showUser(userId, names);
	const what = ownWords(kind);
	return isUnknown
		? `${name} applies this plan and could be left without any ${what}: whether this user has others is unknown`
		: `${name} applies this plan and would be left without any ${what}`;
}

function accessText({ now, later, unknown, because, names }: AccessFinding, kind: GuardKind): string {
	const say = (all: readonly PlanImpact[]): string =>
		kind === "lockout"
			? `no one could ${listPowers(all, " or ")} any more, except the root quorum`
			: `${listLoners(all, names)}, where two or more were needed`;
	return [
		...(now.length === 0 ? [] : [say(now)]),
		...(later.length === 0 ? [] : [`${timeText(later)}${say(later)}`]),
		...(because === null
			? []
			: [`${timeText(unknown)}${doubtText(unknown, kind)} is unknown: ${reasonText(because, names)}`]),
	].join("; ");
}

/** Returns from when the first finding is so; empty where one is so now. */
function timeText(findings: readonly PlanImpact[]): string {
	const [first = ""] = findings.map(({ at = "" }) => at).sort();
	return first === "" ? "" : `at another time (from ${first}), by time windows of policies: `;
}

function doubtText(unknown: readonly PlanImpact[], kind: GuardKind): string {
	const powers = unknown.length === 0 ? null : listPowers(unknown, " or ");
	if (kind === "lockout") return powers === null ? "who can still do what" : `who could still ${powers}`;
	return powers === null ? "whether one person can do more alone" : `whether one person could ${powers} alone`;
}

function brokenRuleText({ address, isOfBase, effect, after }: Finding<"rules">["rules"][number]): string {
	const of = isOfBase === true ? " of the base document" : "";
	return `would break ${showAddress(address)}${of}${effect === "worsens" ? " further" : ""}: ${breachText(after)}`;
}

const maxListed = 10;

function oldNameText({ name, uses }: UsedName): string {
	const shown = firstOf(uses.map(useText), maxListed).join(", ");
	return `after the rename, no user tag has the name ${showName(name)}, which is used in ${shown}`;
}

function useText(use: UsedName["uses"][number]): string {
	if (use.in === "protect") return "protect";
	if (use.in === "rule") return `${showAddress(use.address)} (${use.at.file}:${use.at.line})`;
	return `${showAddress(printAddress("policy", use.policy.id))} (${showName(use.policy.name)})`;
}

function reversalText({ address, made, undone, times }: Reversal, { files, users }: Finding<"reversals">["document"]) {
	const by = (activity: CompletedActivity): string => activityText(activity, users);
	const undid = undone === undefined ? "an unknown activity" : by(undone);
	const past =
		times === 1
			? `${by(made)} made this change, ${undid} undid it`
			: `this change was made ${times} times, last by ${by(made)}, and undone each time, last by ${undid}`;
	const document = files.length === 0 ? "this program" : files.map(showText).join(", ");
	return `${showAddress(address)} was changed and changed back: ${past}, and ${document} would make the change again`;
}

function strandedText({ changes, unsearched }: Finding<"stranded">): string {
	const list = (addresses: readonly string[]): string => addresses.map(showAddress).join(", ");
	const said = changes.map(({ addresses, by, because }) => {
		const when = by === null ? "when its turn comes" : `once ${list(by)} has changed`;
		return `${list(addresses)} would be denied ${when}${because === null ? "" : `: ${reasonText(because)}`}`;
	});
	const isComplete = unsearched === 0;
	const rest = isComplete
		? "no order of the activities avoids it"
		: `not every order of ${count(unsearched, "activity", "activities")} was checked`;
	return [...said, rest].join("; ");
}

function momentsText({ moments, unjudged, firstUnjudged, names }: Finding<"unsafe-moments">): string {
	const list = (addresses: readonly string[]): string => addresses.map(showAddress).join(" and ");
	const said = moments.map(({ completed, open, change, group, condition, userIds }) => {
		const who = `${joinPeople(userIds, names)}${userIds.length > 1 ? " together" : ""}`;
		const power = describePower(group, condition);
		const worse =
			change === "gains"
				? `could ${power}, and neither before nor after the plan`
				: `could not ${power}, as before and after the plan`;
		return `while ${list(completed)} has changed and ${list(open)} has not, ${who} ${worse}`;
	});
	if (firstUnjudged === null) return said.join("; ");
	const { completed, open, group } = firstUnjudged;
	const some = (all: readonly string[]): string =>
		`${listFirst(all.map(showAddress), 3, " and ")} ${all.length === 1 ? "has" : "have"}`;
	const first = `who can ${describePower(group, null)} while ${some(completed)} changed and ${some(open)} not`;
	const rest = `not every moment between ${count(unjudged, "activity", "activities")} was checked, first of all ${first}`;
	return [...said, rest].join("; ");
}

function casesText(cases: Finding<"access-cases">["cases"]): string {
	const all = cases.map(({ name, at, change, verdict }) => {
		const changed = change === "deleted" ? ", deleted" : change === "replaced" ? ", changed" : "";
		const note = `${changed}${verdict === "unknown" ? ", cannot be judged" : ""}`;
		return `${showName(name)} (${showText(at.file)}:${at.line}${note})`;
	});
	return firstOf(all, maxListed).join(", ");
}

type Aliases = Finding<"reversals">["document"]["users"];

function activityText(activity: CompletedActivity, users: Aliases): string {
	const { activityId, fingerprint, completedAtMs } = activity;
	const at = completedAtMs === null ? "" : `, ${new Date(completedAtMs).toISOString()}`;
	return `activity ${showText(activityId ?? fingerprint)} (${submitterText(activity, users)}${at})`;
}

function submitterText({ userId, userName, saidBy }: CompletedActivity, users: Aliases): string {
	if (userId === null) return saidBy === "journal" ? "submitted with this journal" : "of an unknown user";
	const userNames = Object.fromEntries(Object.entries(users).map(([alias, id]) => [id, alias]));
	const label = labelUser(userId, { userNames, ...(userName === null ? {} : { liveNames: { [userId]: userName } }) });
	return `of ${[showName(label.name), ...describeLabel(label, showName)].join(", ")}`;
}
