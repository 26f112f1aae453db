/** Decides what differs by one reading, and what else has to be read. Then the plan is made, once. Pure. */

import { areJudged } from "./access-cases/planned.ts";
import { desiredAt, windowsOf, withoutWindows } from "./access-window.ts";
import { type OthersAsked, othersAsked } from "./activities/other-pending.ts";
import { findLeftPolicies } from "./base/left-policies.ts";
import { type BaseDocument, type DriftedDifference, makeThreeWay, type ThreeWay, unite } from "./base/three-way.ts";
import type { Change, Differences } from "./change.ts";
import { diff } from "./diff.ts";
import { needsCaller } from "./guards/guards.ts";
import { type DesiredOrganization, type LiveOrganization, policiesOf } from "./organization.ts";
import { makePlan, type Plan, type PlanContext, type Reads } from "./plan.ts";
import { needsPowers } from "./rules/rules.ts";
import { isHeldByRejection } from "./step-groups.ts";
import { operationsFor } from "./steps.ts";
import { liveNamesFor } from "./users.ts";
import { textsIn } from "./value.ts";

/** The document, and how it is looked at. */
export interface Question {
	readonly document: DesiredOrganization;
	/** The document as it stood before: then the three-way comparison is made too, from one reading for both documents. */
	readonly base?: BaseDocument | undefined;
	readonly reads: Reads;
}

export interface Reading {
	/** Live state of the document, and of the base where there is one. */
	readonly live: LiveOrganization;
	/** The same as it is for the document alone, whose plan must not depend on the base. */
	readonly narrow: (desired: DesiredOrganization) => LiveOrganization;
	/** When the windows of the document are judged, milliseconds since 1970. */
	readonly timeMs: number;
	/** Why that time is not certain, in words; undefined where it is. */
	readonly whyUncertain: string | undefined;
}

/** What has to be read once more, because it can matter: each request is a cost. */
export interface Needs {
	/** The operations of the steps; where there is none, nothing about activities and the caller is needed. */
	readonly operations: ReturnType<typeof operationsFor>;
	/** Whose key it is, for guards. */
	readonly caller: boolean;
	/** Who can do what. */
	readonly powers: boolean;
	/** Activities that completed, for changes that were made and undone. */
	readonly completed: boolean;
	/** Pending activities of any user, beside those about the steps; undefined: none. */
	readonly otherPending: OthersAsked | undefined;
}

export interface Decision {
	/** What the document wants at that time. */
	readonly desired: DesiredOrganization;
	readonly live: LiveOrganization;
	readonly differences: Differences;
	readonly needs: Needs;
}

/** Returns the document united with its base: what is read for both at once. */
export function documentsToRead({ document, base }: Question): DesiredOrganization {
	return base?.desired ? unite(base.desired, document) : document;
}

/** Whether the documents have windows, so that they want other members at other times. */
export function dependsOnTime(question: Question): boolean {
	return windowsOf(documentsToRead(question)).length > 0;
}

/** Returns what differs, and what has to be read before there can be a plan. */
export function decide({ document, base, reads }: Question, reading: Reading): Decision {
	const { timeMs, whyUncertain } = reading;
	const before = base?.desired ?? undefined;
	const { desired, problems } =
		whyUncertain === undefined
			? { desired: desiredAt(document, timeMs), problems: [] }
			: withoutWindows(document, whyUncertain);
	const rules = [...(desired.rules ?? []), ...(before?.rules ?? [])];
	const live = reading.narrow({ ...desired, rules });
	const found = diff(desired, live);
	const differences = { ...found, problems: [...found.problems, ...problems] };
	const operations = differences.problems.length > 0 ? [] : operationsFor(differences.changes);
	const submits = operations.length > 0;
	const hasCases = areJudged(desired, before);
	const isAuto = reads === "auto";
	const needs = {
		operations,
		caller: submits && isAuto && needsCaller(differences.changes),
		powers: isAuto && (submits || needsPowers(rules) || (before && leavesPolicies(before, desired)) || hasCases),
		completed: submits && changesAgain(differences.changes, live),
		otherPending: isAuto ? othersAsked(desired, rules) : undefined,
	};
	return { desired, live, differences, needs };
}

/** Returns the plan of a decision whose needs were read. `context` has the time at which the windows were judged. */
export function planDecided(
	{ base }: Question,
	{ desired, live, differences }: Decision,
	{ live: wholeLive, timeMs }: Reading,
	context: PlanContext,
): { readonly plan: Plan; readonly threeWay?: ThreeWay } {
	const limits = base?.desired ?? undefined;
	const plan = makePlan(desired, live, limits === undefined ? context : { ...context, base: limits }, differences);
	if (base === undefined) return { plan };
	const compared = holdThreeWay(makeThreeWay(base, desired, wholeLive, timeMs), plan);
	if (limits === undefined) return { plan, threeWay: compared };
	return { plan, threeWay: withLeftPolicies(compared, limits, plan, { live: wholeLive, ...context, timeMs }) };
}

function leavesPolicies(base: DesiredOrganization, head: DesiredOrganization): boolean {
	const names = new Set(policiesOf(head).map(({ name }) => name));
	return policiesOf(base).some(({ name }) => !names.has(name));
}

/** Returns the comparison with what policies that left the document still give, and the names of the users whom that names. */
function withLeftPolicies(
	threeWay: ThreeWay,
	base: DesiredOrganization,
	{ steps }: Plan,
	{ live: { users, policies }, access, userNames, timeMs }: PlanContext & Pick<Reading, "live" | "timeMs">,
): ThreeWay {
	if (access === undefined) return threeWay;
	const leftPolicies = findLeftPolicies(threeWay.documentChanges, base, policies, steps, access, timeMs);
	if (leftPolicies.length === 0) return threeWay;
	const named = textsIn(leftPolicies.map(({ impact }) => impact));
	const known = users.known ? users : (userNames ?? users);
	const liveNames = { ...threeWay.liveNames, ...liveNamesFor(named, threeWay.userNames, known) };
	return { ...threeWay, leftPolicies, liveNames };
}

/** Whether a tag would be changed that may have been changed before: only such a change can repeat an undone one. */
function changesAgain(changes: readonly Change[], { userTags }: LiveOrganization): boolean {
	const unchanged = new Set(userTags.known ? userTags.value.flatMap((tag) => (tag.isUnchanged ? tag.id : [])) : []);
	return changes.some(
		(change) => change.kind === "userTag" && change.action === "update" && !unchanged.has(change.tagId),
	);
}

/** Returns the three-way plan with the fate `held` for drift that no step puts back, because it was rejected before. */
export function holdThreeWay(threeWay: ThreeWay, plan: Pick<Plan, "steps">): ThreeWay {
	const isHeld = ({ address }: { readonly address: string }): boolean => isHeldByRejection(address, plan);
	const hold = (one: DriftedDifference): DriftedDifference =>
		(one.fate === "reverted" || one.fate === "replaced") && isHeld(one) ? { ...one, fate: "held" } : one;
	return {
		...threeWay,
		drifted: threeWay.drifted.map(hold),
		reverts: threeWay.reverts.filter((one) => !isHeld(one)),
	};
}
