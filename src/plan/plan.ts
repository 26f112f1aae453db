/** The plan is data, and all that apply obeys. The same desired and live organization give the same bytes. */
import { defined, nonEmpty } from "../common/defined.ts";
import type { Problem } from "../common/errors.ts";
import type { AccessState } from "../policy/access.ts";
import type { UserCredentials } from "../policy/credentials.ts";
import type { SubmittingUser } from "../policy/powers/forecast.ts";
import type { PlanCases } from "./access-cases/finding.ts";
import { judgeCases } from "./access-cases/planned.ts";
import { defaultHorizonMs, desiredAt, type Expiry, findExpiries, nextChangeAfter, windowsOf } from "./access-window.ts";
import { findOtherPending, type OtherPending } from "./activities/other-pending.ts";
import { holdRejected, type PendingActivity, type RelatedActivity } from "./activities/pending.ts";
import { findTaken } from "./activities/taken-names.ts";
import { printAddress } from "./address.ts";
import { type BaseLimits, judgeByStricter } from "./base/stricter.ts";
import type { Change, Differences, RemovalChange, Unread } from "./change.ts";
import { diff } from "./diff.ts";
import { judgeAccess } from "./guards/access.ts";
import type { CompletedActivity } from "./guards/finding.ts";
import { type Guard, judgeGuards, judgeUnlisted } from "./guards/guards.ts";
import { judgeOldNames } from "./guards/old-names.ts";
import { type Override, overridesInPlan } from "./guards/overrides.ts";
import { judgeReversals } from "./guards/reversals.ts";
import { judgeOrder } from "./guards/unsafe-moments.ts";
import { judgeWrites } from "./guards/written-policies.ts";
import { type Consequences, findConsequences } from "./impact/consequences.ts";
import { holdOrdered } from "./order/awaited-tags.ts";
import { momentsOf } from "./order/for-submitter.ts";
import { orderChanges } from "./order/renamed-first.ts";
import {
	type DesiredOrganization,
	type Known,
	type LiveOrganization,
	type LiveRemovable,
	type LiveUserTag,
	tagsOf,
} from "./organization.ts";
import type { NamedOrganization } from "./organization-name.ts";
import { judgeRules } from "./rules/guards.ts";
import { brokenRules, describeRules, findRules, type JudgedRule, unreadRules } from "./rules/judge.ts";
import { coveredAddresses, type Step } from "./step.ts";
import { groupSteps } from "./step-groups.ts";
import { makeSteps } from "./steps.ts";
import { liveNamesFor, type UserNames, usersOf } from "./users.ts";
import { compareText, digestOf, textsIn } from "./value.ts";
import { findWarnings } from "./warnings.ts";

/** How much was asked of the service: the eight documented queries alone, or the extended reads too. */
export type Reads = "auto" | "documented";

/** What `plan` prints and `apply` obeys; schemas/plan.json describes it. */
export interface Plan extends NamedOrganization, Omit<UserNames, "aliases">, Omit<Consequences, "steps"> {
	readonly formatVersion: 1;
	readonly documentDigest: string;
	readonly reads: Reads;
	/** When the organization was read, ISO 8601 in UTC. */
	readonly readAt: string;
	/** The service's time at which the windows of the document were judged, ISO 8601 in UTC; left out where it has none. */
	readonly serviceTime?: string;
	/** When the document next wants other members, ISO 8601 in UTC: from then on the plan is stale. Left out if never. */
	readonly validUntil?: string;
	/** Windows that have ended, or that begin or end soon; left out when there is none. */
	readonly expiries?: readonly Expiry[];
	readonly unread: readonly Unread[];
	/** Why the organization cannot become what the document says; while there is one, there are no steps. */
	readonly problems: readonly Problem[];
	/** What the document says of objects that do not exist; left out when there is none. They block nothing. */
	readonly warnings?: readonly Problem[];
	readonly changes: readonly Change[];
	readonly steps: readonly Step[];
	/** Guards that were checked; one that refuses blocks apply. */
	readonly guards: readonly Guard[];
	/** The rules of the document, judged; left out when it has none. */
	readonly rules?: readonly JudgedRule[];
	/** The access cases beside the documents, live and after the steps; left out where there is none. */
	readonly accessCases?: PlanCases;
	/** Pending and rejected activities for objects of the steps. */
	readonly waiting: readonly RelatedActivity[];
	/** Pending activities on policies and user tags that no step is about; left out where none is, and where no policy is stated. */
	readonly otherPending?: readonly OtherPending[];
	/** Unmanaged user tags; empty when the document lists no tags. */
	readonly unmanaged: readonly { readonly address: string }[];
	/** What each touched object was when it was planned. */
	readonly touched: readonly { readonly address: string; readonly digest: string }[];
	/** Overrides that it uses; left out when there is none. It is for readers: nothing is allowed because a plan says so. */
	readonly overrides?: readonly Override[];
}

export interface SavedPlanFacts {
	readonly digest: string;
	/** When the first of its organizations was read, ISO 8601 in UTC; null when it has none. */
	readonly readAt: string | null;
	readonly generatedBy: string;
	/** When the first of its plans is stale at the latest; left out where none has a window that begins or ends. */
	readonly validUntil?: string;
	/** Organizations that could not be read, so that they have no plan; left out when there is none. */
	readonly unread?: readonly string[];
	/** Of a plan that was read from a file: the members that orgsync cannot confirm from the file alone. */
	readonly statedByFile?: readonly string[];
	/** Overrides of the run that made it; left out when there is none. */
	readonly overrides?: readonly Override[];
}

export interface PlanContext {
	readonly reads: Reads;
	/** Milliseconds since 1970: when the reading began. */
	readonly readAtMs: number;
	/** The same by the service's clock, which decides all time windows, of policies and of access; left out where it is the same. */
	readonly serviceTimeMs?: number;
	/** How far ahead `Plan.expiries` looks, milliseconds; 0 is not at all. Left out, it is 14 days. */
	readonly horizonMs?: number | undefined;
	/** Whose key it is; unknown where it was not asked for, or the service does not say. */
	readonly caller?: Known<string>;
	/** The name of the organization, as the service has it. */
	readonly liveOrganizationName?: string;
	/** Who can do what; left out where it was not read, because nothing would be submitted or extended reads are off. */
	readonly access?: AccessState;
	/** Live name by user id, as read with `access`: for documents that need no users themselves. Left out with it. */
	readonly userNames?: Known<Readonly<Record<string, string>>>;
	/** Who has which credentials, as read with `access`; left out with it. */
	readonly credentials?: Known<readonly UserCredentials[]>;
	/** Who will submit the plan; left out with `access`. */
	readonly submitter?: Known<SubmittingUser>;
	/** Activities of the organization that have not ended. */
	readonly waiting?: readonly PendingActivity[];
	/** All that are pending for policies and user tags of any user; left out where the document states no policy. */
	readonly otherPending?: readonly OtherPending[];
	/** Activities that were abandoned and are still pending. */
	readonly abandoned?: readonly PendingActivity[];
	/** Activities that were rejected. */
	readonly rejected?: readonly PendingActivity[];
	/** Whether the same as a rejected one is submitted again. */
	readonly retryRejected?: boolean;
	/** Whether pending activities are listed and the end of the list was not reached. */
	readonly isCutOff?: boolean;
	/** Completed activities that changed user tags, the newest first, as far as they are known. */
	readonly completed?: readonly CompletedActivity[];
	readonly unread?: readonly Unread[];
	/** The document that a change is compared with: its limits, protection and rules hold too. */
	readonly base?: BaseLimits;
}

/** The plan that makes live what is desired, without a step that changes nothing. `given`: differences known already. */
export function makePlan(
	document: DesiredOrganization,
	live: LiveOrganization,
	context: PlanContext,
	given?: Differences,
): Plan {
	const timeMs = context.serviceTimeMs ?? context.readAtMs;
	const desired = desiredAt(document, timeMs);
	const { changes, problems, unread } = given ?? diff(desired, live);
	const { completed = [], caller = notAsked } = context;
	const liveTags = live.userTags.known ? live.userTags.value : [];
	const livePolicies = live.policies?.known === true ? live.policies.value : [];
	const make = (renamedFirst: ReadonlySet<string>): readonly Step[] =>
		problems.length > 0 ? [] : makeSteps(changes, liveTags, { ...desired, renamedFirst }, livePolicies);
	const { steps: wanted, ...order } = orderChanges(changes, make, { ...context, atMs: timeMs });
	const withPending = holdOrdered({ ...order, steps: wanted }, livePolicies, { ...context, atMs: timeMs });
	const withRejected = holdRejected(withPending, context.rejected ?? []);
	const { steps, waiting } = context.retryRejected === true ? withPending : withRejected;
	const consequences = findConsequences({ steps, waiting }, context, live);
	const retried = context.retryRejected === true ? groupSteps(withRejected.steps).rejected : [];
	const overrides = overridesInPlan(wanted, context.abandoned ?? [], retried);
	const found = findRules(desired.rules ?? [], { ...context, live, steps, consequences, atMs: timeMs });
	const { expiries = [], ...windows } = describeWindows(desired, changes, timeMs, context.horizonMs);
	const moments = momentsOf(order, wanted, steps, { ...context, atMs: timeMs });
	const ofActivities = waiting.map(({ approvedBy, parameters }) => [approvedBy, parameters]);
	const ofRules = found.flatMap(({ before, after }) => [before.breaches, after.breaches]);
	const mentioned = textsIn([changes.map(usersOf), ofActivities, expiries, consequences, ofRules, moments.unsafe]);
	const names = namesFor(mentioned, desired, live, context.userNames);
	const judged = describeRules(found, names);
	const rules = judged.filter(({ isOfBase }) => isOfBase === undefined);
	const { guards, accessCases } = judgeCases(desired, live, { ...context, changes, steps, timeMs });
	const warnings = findWarnings(desired, live, timeMs, context.access);
	return {
		formatVersion: 1,
		organizationId: desired.organizationId,
		...defined({ organizationName: desired.name, liveOrganizationName: context.liveOrganizationName }),
		documentDigest: desired.digest,
		...names,
		reads: context.reads,
		readAt: new Date(context.readAtMs).toISOString(),
		...windows,
		...defined({ expiries: nonEmpty(expiries) }),
		unread: [...unread, ...(context.unread ?? []), ...unreadRules(judged)],
		problems,
		...defined({ warnings: nonEmpty(warnings) }),
		changes,
		...consequences,
		guards: [
			...judgeByStricter(desired, context.base, (judged) => [
				...judgeGuards(judged, live, { changes, caller, expiries }),
				...judgeWrites(judged, live, { changes, steps, access: context.access }),
				...judgeAccess({ limits: judged.limits, changes, consequences, access: context.access, names }),
			]),
			...judgeRules(found, judged, changes),
			...guards,
			...judgeOldNames(document, changes, context.access),
			...(context.isCutOff === true ? judgeUnlisted(steps) : []),
			...judgeOrder({ ...order, ...moments, steps }, consequences.steps, names),
			...judgeReversals(desired, { changes: submittedTags(changes, steps), completed, timeMs }),
		],
		...defined({ rules: nonEmpty(rules), accessCases }),
		waiting: waiting.map((one) => ({ ...one, ...defined({ taken: nonEmpty(findTaken(one, live)) }) })),
		...defined({ otherPending: nonEmpty(findOtherPending(context.otherPending ?? [], waiting, live)) }),
		unmanaged: unmanagedTags(desired, changes, liveTags),
		touched: touchedBy(changes, live),
		...defined({ overrides: nonEmpty(overrides) }),
	};
}

const notAsked: Known<string> = { known: false, because: { kind: "not-asked" } };

function touchedBy(changes: readonly Change[], live: LiveOrganization): Plan["touched"] {
	const touching = changes.filter(({ action }) => action !== "report");
	return touching.map((change) => ({ address: change.address, digest: digestTouched(change, live) }));
}

function namesFor(
	userIds: readonly string[],
	desired: DesiredOrganization,
	live: LiveOrganization,
	read: PlanContext["userNames"],
): Pick<Plan, "userNames" | "liveNames"> {
	const userNames = namesOfUsers(desired);
	const known = live.users.known ? live.users : (read ?? live.users);
	return { userNames, ...defined({ liveNames: liveNamesFor(userIds, userNames, known) }) };
}

function submittedTags(changes: readonly Change[], steps: readonly Step[]) {
	const submitted = new Set<string>(coveredAddresses(groupSteps(steps).sent));
	return changes.filter((change) => change.kind === "userTag").filter(({ address }) => submitted.has(address));
}

function describeWindows(
	desired: DesiredOrganization,
	changes: readonly Change[],
	timeMs: number,
	horizonMs = defaultHorizonMs,
): Pick<Plan, "serviceTime" | "validUntil" | "expiries"> {
	if (windowsOf(desired).length === 0) return {};
	const next = nextChangeAfter(desired, timeMs);
	const expiries = findExpiries(desired, { changes, timeMs, horizonMs });
	return {
		serviceTime: new Date(timeMs).toISOString(),
		...(next === undefined ? {} : { validUntil: new Date(next).toISOString() }),
		...defined({ expiries: nonEmpty(expiries) }),
	};
}

/** User id to the alias that the document gives it, sorted. */
export function namesOfUsers({ users }: Pick<DesiredOrganization, "users"> = { users: {} }): Plan["userNames"] {
	return Object.fromEntries(
		Object.entries(users)
			.map(([alias, id]) => [id, alias] as const)
			.sort(([left], [right]) => compareText(left, right)),
	);
}

/** Whether the plan finds anything that is not as desired, broken rules included, whether or not orgsync could change it. */
export function findsDifference(plan: Plan): boolean {
	return plan.changes.length > 0 || plan.problems.length > 0 || brokenRules(plan).length > 0;
}

/** Whether the organization is in sync: there is nothing to submit, to wait for or to decide. Access may end soon. */
export function isIdle(plan: Plan): boolean {
	const { steps, waiting, otherPending = [], overrides = [] } = plan;
	return steps.length + waiting.length + otherPending.length + overrides.length === 0 && !findsDifference(plan);
}

/** The digest of what the object of a change was when it was read, whatever is to become of it. */
export function digestTouched(change: Change, live: LiveOrganization): string {
	const { address, before, basis } = change;
	if (change.kind === "userTag") return digestOf({ tagId: change.tagId, before, basis });
	if (change.action === "create" || change.action === "update") return digestOf({ id: change.id, before, basis });
	// A plan shows only the name, and another object may have taken it: the record is part of the digest.
	const record = change.action === "remove" ? (findRemovable(change, live)?.digest ?? null) : null;
	return digestOf({ address, before, basis, record });
}

/** What the change removes, as it is live; undefined when it is not there or could not be read. */
export function findRemovable(
	{ kind, id, userId }: Pick<RemovalChange, "kind" | "id" | "userId">,
	live: LiveOrganization,
): LiveRemovable | undefined {
	const known = live.removables[kind];
	return known.known ? known.value.find((one) => one.id === id && one.userId === userId) : undefined;
}

function unmanagedTags(
	desired: DesiredOrganization,
	changes: readonly Change[],
	liveTags: readonly LiveUserTag[],
): Plan["unmanaged"] {
	const tags = tagsOf(desired);
	if (tags.length === 0 || desired.narrowed === true) return [];
	const ids = new Set([
		...tags.map(({ id }) => id),
		...changes.map((change) => (change.kind === "userTag" ? change.tagId : undefined)),
	]);
	const names = new Set(tags.filter(({ id }) => id === undefined).map(({ name }) => name));
	return liveTags
		.filter(({ id, name, type }) => (type === "TAG_TYPE_USER" || type === "") && !ids.has(id) && !names.has(name))
		.map(({ name }) => ({ address: printAddress("userTag", name) }))
		.sort((left, right) => compareText(left.address, right.address));
}
