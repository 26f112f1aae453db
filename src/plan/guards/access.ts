/**
 * Guards of who can do what: `lockout` and `escalation` (docs/guards.md). They judge the impact of the plan. What is unknown
 * is a warning, which blocks nothing; where the limit is `strict`, it blocks.
 */
import type { AccessState } from "../../policy/access.ts";
import { type ActivityGroup, namedPowers, printGroup, sensitivePowers } from "../../policy/powers/groups.ts";
import type { Reason } from "../../policy/powers/reason.ts";
import { reasonText } from "../../say/reason.ts";
import type { AddressText } from "../address.ts";
import type { Change } from "../change.ts";
import type { Consequences } from "../impact/consequences.ts";
import { listLoners, listPowers } from "../impact/finding-words.ts";
import type { PlanImpact } from "../impact/impact.ts";
import type { Limits, PowerLimit } from "../organization.ts";
import { coveredAddresses } from "../step.ts";
import type { UserNames } from "../users.ts";
import { compareText } from "../value.ts";
import type { Guard } from "./guards.ts";

/** What the guards of access judge: a plan so far as it is made. */
interface JudgedAccess {
	readonly limits: Limits;
	readonly changes: readonly Change[];
	readonly consequences: Consequences;
	/** Left out: it was not read. */
	readonly access: AccessState | undefined;
	readonly names: UserNames;
}

/** Returns the guards that these changes come near; none where no step can change who can do what. */
export function judgeAccess(judged: JudgedAccess): readonly Guard[] {
	const submitted = new Set<string>(
		coveredAddresses(
			judged.consequences.steps.filter(({ earlierActivity }) => earlierActivity?.relation !== "rejected"),
		),
	);
	const concerned = judged.changes.filter((change) => submitted.has(change.address) && changesAccess(change));
	if (concerned.length === 0) return [];
	return [...judgeLockout({ ...judged, changes: concerned }), ...judgeEscalation({ ...judged, changes: concerned })];
}

/** Whether the change is of something that policies mention; a rename is not, since policies hold ids. */
export function changesAccess(change: Change): boolean {
	if (change.kind === "userTag") return change.addUserIds.length + change.removeUserIds.length > 0;
	return change.kind === "policy" && change.action === "remove";
}

function judgeLockout(judged: JudgedAccess): readonly Guard[] {
	const { impact = [], impactAtOtherTimes: others = [] } = judged.consequences;
	const isLost = ({ change }: PlanImpact): boolean => change === "nobody";
	const [lost, later] = [impact.filter(isLost), others.filter(isLost)];
	const unknown = impact.filter(({ change }) => change === "unknown");
	return judge("lockout", judged, {
		findings: [...lost, ...later],
		count: lost.length + later.length,
		message: atTimes(
			[lost, later],
			(all) => `no one could ${listPowers(all, " or ")} any more, except the root quorum`,
		),
		unknown,
		doubt: unknown.length === 0 ? "who can still do what" : `who could still ${listPowers(unknown, " or ")}`,
	});
}

function judgeEscalation(judged: JudgedAccess): readonly Guard[] {
	const { impact = [], impactAtOtherTimes: others = [] } = judged.consequences;
	const isRaised = ({ isEscalation }: PlanImpact): boolean => isEscalation;
	const [now, later] = [impact.filter(isRaised), others.filter(isRaised)];
	const raised = [...now, ...later];
	const unknown = impact.filter(({ group, change }) => change === "unknown" && isSensitive(group));
	return judge("escalation", judged, {
		findings: raised,
		count: raised.reduce((sum, { userIds }) => sum + userIds.length, 0),
		message: atTimes([now, later], (all) => `${listLoners(all, judged.names)}, where two or more were needed`),
		unknown,
		doubt:
			unknown.length === 0
				? "whether one person can do more alone"
				: `whether one person could ${listPowers(unknown, " or ")} alone`,
	});
}

/** Returns what the findings of now mean, and those of another time, when other time windows of policies are open. */
function atTimes(
	[now, later]: readonly [readonly PlanImpact[], readonly PlanImpact[]],
	describe: (findings: readonly PlanImpact[]) => string,
): string {
	const said = now.length === 0 ? [] : [describe(now)];
	return [
		...said,
		...(later.length === 0 ? [] : [`at another time, by time windows of policies: ${describe(later)}`]),
	].join("; ");
}

const sensitiveGroups = new Set(sensitivePowers.flatMap((name) => namedPowers[name].map(printGroup)));

function isSensitive(group: ActivityGroup): boolean {
	// A policy that names a kind or a type can name one that signs.
	return !("resource" in group) || sensitiveGroups.has(printGroup(group));
}

interface Judgment {
	readonly findings: readonly PlanImpact[];
	readonly count: number;
	/** What the findings mean. */
	readonly message: string;
	/** Findings that could be more of the same. */
	readonly unknown: readonly PlanImpact[];
	/** What is not known then. */
	readonly doubt: string;
}

function judge(kind: "lockout" | "escalation", judged: JudgedAccess, judgment: Judgment): readonly Guard[] {
	const { findings, count, message, unknown, doubt } = judgment;
	const limit: PowerLimit = judged.limits[kind] ?? 0;
	const isStrict = limit === "strict";
	const because = whyUnknown(judged, unknown, isStrict);
	const doubts = because === null ? 0 : Math.max(unknown.length, 1);
	if (count + doubts === 0) return [];
	const said = because === null ? [] : [`${doubt} is unknown: ${because}`];
	return [
		{
			kind,
			limit: isStrict ? "none, and nothing unknown" : `at most ${limit}`,
			found: isStrict ? count + doubts : count,
			refuses: isStrict || count > limit,
			where: addressesOf([...findings, ...(isStrict || count === 0 ? unknown : [])], judged),
			message: [...(count === 0 ? [] : [message]), ...said].join("; "),
		},
	];
}

const notCompared: Reason = { kind: "not-comparable" };

/** Returns why something that matters is unknown; null where it is known. Only a strict guard asks about what was not read. */
function whyUnknown(
	{ consequences, access }: JudgedAccess,
	unknown: readonly PlanImpact[],
	isStrict: boolean,
): string | null {
	const { impact, impactVerdict } = consequences;
	if (access === undefined || impact === undefined) return isStrict ? "policies were not read" : null;
	const [first] = unknown;
	if (first !== undefined)
		return reasonText(first.because ?? first.after.unknown ?? first.before.unknown ?? notCompared, consequences);
	if (!access.policies.known) return reasonText(access.policies.because);
	if (!access.users.known) return reasonText(access.users.because);
	const isExplained = impactVerdict !== "unknown" || impact.some(({ change }) => change === "unknown");
	if (!isStrict || isExplained) return null;
	return reasonText(access.rootQuorum.known ? notCompared : access.rootQuorum.because);
}

/** Returns the changes that the findings come from: those of their policies, and of tags that these name. All where none is found. */
function addressesOf(findings: readonly PlanImpact[], { changes, access }: JudgedAccess): readonly AddressText[] {
	const policyIds = new Set(findings.flatMap((finding) => finding.policyIds));
	const policies = access?.policies.known === true ? access.policies.value.filter(({ id }) => policyIds.has(id)) : [];
	const texts = policies.map(({ consensus, condition }) => `${consensus}\n${condition}`.toLowerCase());
	const thresholds = findings.flatMap(({ before, after }) => [...before.thresholds, ...after.thresholds]).flat();
	const tagIds = new Set(thresholds.map(({ tagId }) => tagId));
	const concerned = changes.filter((change) =>
		change.kind === "userTag"
			? tagIds.has(change.tagId) || texts.some((text) => text.includes(change.tagId))
			: change.action === "remove" && policyIds.has(change.id),
	);
	return (concerned.length === 0 ? changes : concerned).map(({ address }) => address).sort(compareText);
}
