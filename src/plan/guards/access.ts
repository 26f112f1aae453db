/**
 * Guards of who can do what: `lockout` and `escalation` (docs/guards.md). They judge the impact of the plan. What is unknown
 * is a warning, which blocks nothing; by a policy that the plan writes, or where the limit is `strict`, it blocks.
 */
import { defined } from "../../common/defined.ts";
import type { AccessState, NotRead } from "../../policy/access.ts";
import { type ActivityGroup, printGroup, sensitiveGroups } from "../../policy/powers/groups.ts";
import { isUndocumented, type Reason } from "../../policy/powers/reason.ts";
import type { AddressText } from "../address.ts";
import { type Change, isWritten } from "../change.ts";
import { completing } from "../impact/access-after.ts";
import type { Consequences } from "../impact/consequences.ts";
import type { PlanImpact } from "../impact/impact.ts";
import type { Limits, PowerLimit, powerLimits } from "../organization.ts";
import { coveredAddresses } from "../step.ts";
import type { UserNames } from "../users.ts";
import { compareText } from "../value.ts";
import type { AccessFinding } from "./finding.ts";
import type { Guard } from "./guards.ts";
import { judgeOwnPowers } from "./own-powers.ts";

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
	const submitted = new Set<string>(coveredAddresses(completing(judged.consequences.steps)));
	const concerned = judged.changes.filter((change) => submitted.has(change.address) && changesAccess(change));
	if (concerned.length === 0) return [];
	return [
		...judgeLockout({ ...judged, changes: concerned }),
		...judgeEscalation({ ...judged, changes: concerned }),
		...judgeOwnPowers(concerned, judged.consequences, judged.names),
	];
}

/** Whether the change is of something that policies mention; a rename is not, since policies hold ids. */
export function changesAccess(change: Change): boolean {
	if (change.kind === "userTag") return change.addUserIds.length + change.removeUserIds.length > 0;
	return change.kind === "policy";
}

function judgeLockout(judged: JudgedAccess): readonly Guard[] {
	const { impact = [], impactAtOtherTimes: others = [] } = judged.consequences;
	const isLost = ({ change }: PlanImpact): boolean => change === "nobody";
	const unknown = [...impact, ...others].filter(isDoubtful);
	return judge("lockout", judged, { now: impact.filter(isLost), later: others.filter(isLost), unknown }, () => 1);
}

function judgeEscalation(judged: JudgedAccess): readonly Guard[] {
	const { impact = [], impactAtOtherTimes: others = [] } = judged.consequences;
	const isRaised = ({ isEscalation }: PlanImpact): boolean => isEscalation;
	const unknown = [...impact, ...others].filter((finding) => isDoubtful(finding) && isSensitive(finding.group));
	const found = { now: impact.filter(isRaised), later: others.filter(isRaised), unknown };
	return judge("escalation", judged, found, ({ userIds }) => userIds.length);
}

/** Whether something is unknown there that a policy or a read could say: what no documentation says does not count. */
const isDoubtful = ({ change, because }: PlanImpact): boolean => change === "unknown" && !isUndocumented(because);

function isSensitive(group: ActivityGroup): boolean {
	// A policy that names a kind or a type can name one that signs.
	return !("resource" in group) || sensitiveGroups.has(printGroup(group));
}

/** `countOf`: what a finding counts for. */
function judge(
	kind: (typeof powerLimits)[number],
	judged: JudgedAccess,
	found: Pick<AccessFinding, "now" | "later" | "unknown">,
	countOf: (finding: PlanImpact) => number,
): readonly Guard[] {
	const findings = [...found.now, ...found.later];
	const count = findings.reduce((sum, finding) => sum + countOf(finding), 0);
	const limit: PowerLimit = judged.limits[kind] ?? 0;
	const isStrict = limit === "strict";
	const because = whyUnknown(judged, found.unknown, isStrict);
	const doubts = because === null ? 0 : Math.max(found.unknown.length, 1);
	if (count + doubts === 0) return [];
	const worst = isStrict ? doubts : found.unknown.filter((finding) => isOfWritten(finding, judged.changes)).length;
	const names = { ...judged.names, ...defined({ policyNames: judged.consequences.policyNames }) };
	const where = addressesOf([...findings, ...(worst > 0 || count === 0 ? found.unknown : [])], judged);
	const refuses = isStrict || count + worst > limit;
	return [{ kind, found: count + worst, refuses, where, finding: { what: "access", limit, ...found, because, names } }];
}

/** Whether it is unknown by a policy that the plan writes: that counts as the worst. What is created has its name as id. */
function isOfWritten({ policyIds }: PlanImpact, changes: readonly Change[]): boolean {
	return changes.filter(isWritten).some(({ id, after }) => policyIds.includes(id) || policyIds.includes(after.name));
}

const notCompared: Reason = { kind: "not-comparable" };

/** Returns why something that matters is unknown; null where it is known. Only a strict guard asks about what was not read. */
function whyUnknown(
	{ consequences, access }: JudgedAccess,
	unknown: readonly PlanImpact[],
	isStrict: boolean,
): Reason | NotRead | null {
	const { impact, impactVerdict } = consequences;
	if (access === undefined || impact === undefined) return isStrict ? { kind: "policies-not-read" } : null;
	const [first] = unknown;
	if (first !== undefined) return first.because ?? first.after.unknown ?? first.before.unknown ?? notCompared;
	if (!access.policies.known) return access.policies.because;
	if (!access.users.known) return access.users.because;
	const isExplained = impactVerdict !== "unknown" || impact.some(({ change }) => change === "unknown");
	if (!isStrict || isExplained) return null;
	return access.rootQuorum.known ? notCompared : access.rootQuorum.because;
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
			: change.kind === "policy" && (policyIds.has(change.id) || policyIds.has(change.after?.name ?? "")),
	);
	return (concerned.length === 0 ? changes : concerned).map(({ address }) => address).sort(compareText);
}
