/**
 * Compares a saved plan with a fresh one of the same document: which of its objects changed since. Apply runs the fresh plan,
 * and only when nothing is found here: then both do the same.
 *
 * The rule it keeps: only what the plan touches counts. Everything else in the organization may be as it likes.
 */
import { defined } from "../common/defined.ts";
import type { OutdatedObject, OutdatedState, Problem } from "../common/errors.ts";
import { type Expiry, isPastValidity } from "./access-window.ts";
import { listParameter, narrowStep, objectsOf, subjectOf } from "./activities/requests.ts";
import type { AddressText } from "./address.ts";
import type { Change, PolicyChange, RemovalChange, TagChange } from "./change.ts";
import { retriedIn } from "./guards/overrides.ts";
import { findOtherImpact, type StaleImpact } from "./impact/stale-impact.ts";
import type { LiveOrganization, Named } from "./organization.ts";
import { digestTouched, findRemovable, type Plan } from "./plan.ts";
import { coveredAddresses, type NewPolicy, type Step } from "./step.ts";
import { groupSteps } from "./step-groups.ts";
import { isSameLabel, labelUser, liveNamesFor, type UserNames, usersOf } from "./users.ts";
import { compareText, sameValue } from "./value.ts";

/** A plan that was saved, and what the organization and its plan are now, the document narrowed to what it touches. */
export interface Revisited {
	readonly saved: Plan;
	readonly fresh: Plan;
	readonly live: LiveOrganization;
	/** Whether steps of the saved plan completed, so that `saved` is the rest of it. */
	readonly isBegun?: boolean;
	/** The service's time, milliseconds since 1970; left out, when the fresh plan was read. */
	readonly serviceTimeMs?: number;
}

/** An object for which apply would not do what was reviewed, and why. */
export type StaleObject = Omit<OutdatedObject, "because"> & { readonly because: Staleness };

/** Why an object of a plan is stale; src/say/stale.ts has the words. */
export type Staleness =
	| { readonly what: "window"; readonly validUntil: string }
	| { readonly what: "not-from-orgsync" | "rejected" }
	| { readonly what: "label"; readonly userId: string; readonly saved: UserNames; readonly fresh: UserNames }
	| StaleTag
	/** `now`: null where it cannot be read. */
	| { readonly what: "removal"; readonly before: RemovalChange["before"]; readonly now: RemovalChange["before"] }
	/** Null: there is none. */
	| { readonly what: "policy"; readonly before: Named | null; readonly now: Named | null }
	| { readonly what: "gone" | "unread" }
	/** `activity`: what the plan file states of the activity that was not to be submitted again. */
	| { readonly what: "released"; readonly operation: string; readonly activity: "rejected" | "pending" }
	| { readonly what: "step"; readonly planned: Step | undefined; readonly wanted: Step | undefined }
	| StaleImpact;

/** `now`: null where the tag does not exist. `freshTagId`: the tag that the document means now; null where it needs no change. */
interface StaleTag {
	readonly what: "tag";
	readonly planned: TagChange;
	readonly freshTagId: string | null;
	readonly now: TagChange["before"] | null;
	readonly problem: string | null;
	readonly names: UserNames;
}

/** What the plan touches that is not as it was; empty when the fresh plan does the same, pending activities apart. */
export function findOutdated({ saved, fresh, live, isBegun, serviceTimeMs }: Revisited): readonly StaleObject[] {
	const [touched] = saved.touched;
	if (touched !== undefined && isPastValidity(saved, serviceTimeMs ?? Date.parse(fresh.readAt))) {
		const because = { what: "window", validUntil: saved.validUntil ?? "" } as const;
		return [unchangedObject(saved, touched.address, because, "time-passed")];
	}
	const changes = new Map(fresh.changes.map((change) => [change.address, change]));
	const problems = new Map(fresh.problems.map((problem) => [problem.path, problem]));
	const digests = new Map(saved.touched.map(({ address, digest }) => [address, digest]));
	const outdated: StaleObject[] = [];
	const hindered: StaleObject[] = [];
	const misstated: StaleObject[] = [];
	const names = namesNow({ saved, fresh, live });
	for (const before of saved.changes) {
		if (before.action === "report") continue;
		const { address } = before;
		const after = changes.get(address);
		const problem = problems.get(address);
		const isSame = after !== undefined && digestTouched(after, live) === digests.get(address);
		if (isSame && problem === undefined) {
			const isAlike = isShownAlike(before, after) && sameValue(windowsIn(before, saved), windowsIn(after, fresh));
			if (!isAlike) misstated.push(unchangedObject(saved, address, { what: "not-from-orgsync" }));
			continue;
		}
		const found =
			before.kind === "userTag"
				? compareTag(before, after as TagChange | undefined, problem, live, names)
				: before.action === "remove"
					? compareRemoval(before, after as RemovalChange | undefined, live)
					: comparePolicy(before, after as PolicyChange | undefined, problem, live);
		(isSame ? hindered : outdated).push({ organizationId: saved.organizationId, address, ...found });
	}
	// An outdated object can block others: those are not reported.
	if (outdated.length > 0) return outdated;
	if (misstated.length > 0) return misstated;
	const named = findOtherNames(saved, fresh);
	if (named.length > 0) return named;
	if (hindered.length > 0) return hindered;
	const others = findOtherSteps(saved, fresh);
	return others.length > 0 ? others : findImpact(saved, fresh, isBegun);
}

/** Returns an object whose change alters who can do what otherwise than reviewed; one stands for all of them. */
function findImpact(saved: Plan, fresh: Plan, isBegun: boolean | undefined): readonly StaleObject[] {
	const { userNames, liveNames } = fresh;
	const because = findOtherImpact(saved, fresh, { userNames, ...defined({ liveNames }), isBegun });
	const [address] = coveredAddresses(fresh.steps);
	if (because === null || address === undefined) return [];
	return [unchangedObject(saved, address, because, "impact-differs")];
}

/** Users as the documents and the service call them now, never as the file does. */
function namesNow({ saved, fresh, live }: Revisited): UserNames {
	const { userNames } = fresh;
	const liveNames = liveNamesFor([...saved.changes, ...fresh.changes].flatMap(usersOf), userNames, live.users);
	return { userNames, ...defined({ liveNames }) };
}

/** Whether both show a reader the same. */
function isShownAlike(saved: Change, fresh: Change): boolean {
	return sameValue({ ...saved, lastApplied: null }, { ...fresh, lastApplied: null });
}

/** Returns the windows of users whom the change adds or removes, which reviewers went by. */
function windowsIn(change: Change, { expiries = [] }: Plan): readonly Expiry[] {
	const users = change.kind === "userTag" ? [...change.addUserIds, ...change.removeUserIds] : [];
	return expiries.filter(({ address, userId }) => address === change.address && users.includes(userId));
}

/** Returns an object that is what it was when planned, but for which apply would do something else than was reviewed. */
function unchangedObject(
	{ organizationId, changes }: Plan,
	address: string,
	because: Staleness,
	reason: OutdatedObject["reason"] = "step-differs",
): StaleObject {
	const change = changes.find((one) => one.address === address);
	const state = (change?.before ?? null) as OutdatedState | null;
	return { organizationId, address, reason, before: state, after: state, because };
}

/** Returns the changes whose users have other labels now than reviewers went by: live names, and similar names of others. */
function findOtherNames(saved: Plan, fresh: Plan): readonly StaleObject[] {
	const current = new Map(fresh.changes.map((change) => [change.address, change]));
	return saved.changes.flatMap((change): readonly StaleObject[] => {
		// A difference that can only be reported is not looked at again.
		if (change.action === "report" || !current.has(change.address)) return [];
		const other = usersOf(change).find((userId) => !isSameLabel(labelUser(userId, saved), labelUser(userId, fresh)));
		if (other === undefined) return [];
		return [unchangedObject(saved, change.address, { what: "label", userId: other, saved, fresh }, "changed")];
	});
}

type Comparison = Pick<StaleObject, "reason" | "before" | "after" | "because">;

const unread = { reason: "changed", after: null, because: { what: "unread" } } as const;

function compareTag(
	planned: TagChange,
	fresh: TagChange | undefined,
	problem: Problem | undefined,
	live: LiveOrganization,
	names: UserNames,
): Comparison {
	if (!live.userTags.known) return { ...unread, before: planned.before };
	const tag = live.userTags.value.find(({ id }) => id === planned.tagId);
	const members = tag?.members.known === true ? tag.members.value : (fresh?.before.members ?? null);
	const now = tag === undefined ? null : { name: tag.name, members };
	const freshTagId = fresh?.tagId ?? null;
	return {
		reason: problem !== undefined ? "not-possible" : fresh === undefined ? "already-applied" : "changed",
		before: planned.before,
		after: now,
		because: { what: "tag", planned, freshTagId, now, problem: problem?.message ?? null, names },
	};
}

function comparePolicy(
	planned: PolicyChange,
	fresh: PolicyChange | undefined,
	problem: Problem | undefined,
	live: LiveOrganization,
): Comparison {
	const nameOf = (one: { readonly name: string } | null): OutdatedState | null => one && { name: one.name };
	if (live.policies?.known !== true) return { ...unread, before: nameOf(planned.before) };
	// What the plan creates has no live id; another of its name may have appeared.
	const found = live.policies.value.find(
		({ id, name }) => id === planned.id || (planned.before === null && name === planned.after.name),
	);
	const before = planned.before && { id: planned.id, name: planned.before.name };
	const now = found === undefined ? null : { id: found.id, name: found.name };
	const reason = problem !== undefined ? "not-possible" : fresh === undefined ? "already-applied" : "changed";
	return { reason, before: nameOf(before), after: nameOf(now), because: { what: "policy", before, now } };
}

function compareRemoval(
	{ before, kind, id, userId }: RemovalChange,
	fresh: RemovalChange | undefined,
	live: LiveOrganization,
): Comparison {
	const found = findRemovable({ kind, id, userId }, live);
	const now = found === undefined ? null : { name: found.name };
	return fresh === undefined
		? { reason: "already-applied", before, after: now, because: { what: "gone" } }
		: { reason: "changed", before, after: now, because: { what: "removal", before, now } };
}

/** Steps that would not be those of the saved plan although nothing that they touch changed: a temporary name is taken. */
function findOtherSteps(saved: Plan, fresh: Plan): readonly StaleObject[] {
	const [planned, wanted] = [joinParts(saved.steps), joinParts(fresh.steps)];
	const found = new Map<string, StaleObject>();
	const rejected = new Set<string>(coveredAddresses(groupSteps(saved.steps).rejected));
	for (const [operation, covers] of findReleased(saved.steps, fresh.steps)) {
		for (const address of covers) {
			const activity = rejected.has(address) ? "rejected" : "pending";
			found.set(address, unchangedObject(saved, address, { what: "released", operation, activity }));
		}
	}
	const reviewed = retriedIn(saved);
	for (const address of retriedIn(fresh)) {
		if (found.has(address) || reviewed.has(address)) continue;
		found.set(address, unchangedObject(saved, address, { what: "rejected" }));
	}
	for (const key of new Set([...planned.keys(), ...wanted.keys()])) {
		const [before, after] = [planned.get(key), wanted.get(key)];
		// Where it is known who can do what, the order is another one for another submitter.
		const isOrdered = saved.impact === undefined && fresh.impact === undefined;
		if (sameValue(requestOf(before, isOrdered), requestOf(after, isOrdered))) continue;
		for (const address of coveredAddresses([before ?? after ?? []].flat())) {
			found.set(address, unchangedObject(saved, address, { what: "step", planned: before, wanted: after }));
		}
	}
	return [...found.values()];
}

/** The operation of a step, and which of its objects an activity held when the plan was made. */
type Released = readonly [operation: string, addresses: readonly AddressText[]];

/** Returns the steps that would be submitted now, with the objects that were held when the plan was made. */
function findReleased(planned: readonly Step[], wanted: readonly Step[]): readonly Released[] {
	const held = new Set(coveredAddresses(planned.filter(({ earlierActivity }) => earlierActivity !== null)));
	const sent = wanted.filter(({ earlierActivity }) => earlierActivity === null);
	return sent.map((step) => [step.operation, coveredAddresses([step]).filter((address) => held.has(address))]);
}

/** Returns the steps by key, with the parts of each step joined again. The steps of one object have an order of their own. */
function joinParts(steps: readonly Step[]): ReadonlyMap<string, Step> {
	const whole = new Map<string, Step>();
	const counts = new Map<string, number>();
	for (const step of steps) {
		const object = `${step.operation} ${objectOf(step)}`;
		const isPart = listParameter(step.operation) !== undefined;
		const count = isPart ? 0 : (counts.get(object) ?? 0) + 1;
		counts.set(object, count);
		const key = `${object} ${count}`;
		const earlier = whole.get(key);
		whole.set(key, earlier === undefined ? step : joinSteps(earlier, step));
	}
	return whole;
}

/** Nothing has an id before it is created: a tag has a name. */
function objectOf(step: Step): string {
	return step.operation === "create_user_tag" ? step.parameters.userTagName : subjectOf(step);
}

function joinSteps(one: Step, other: Step): Step {
	const covers = [...one.covers, ...other.covers];
	if (one.operation === "create_policies" && other.operation === "create_policies") {
		const policies = [...one.parameters.policies, ...other.parameters.policies];
		return { ...one, parameters: { policies: policies.sort(byPolicyName) }, covers, dependsOn: other.dependsOn };
	}
	const ids = [...new Set([...objectsOf(one), ...objectsOf(other)])].sort(compareText);
	return { ...narrowStep({ ...one, covers }, ids), dependsOn: other.dependsOn };
}

function byPolicyName(one: NewPolicy, other: NewPolicy): number {
	return compareText(one.policyName, other.policyName);
}

function requestOf(step: Step | undefined, isOrdered: boolean): unknown {
	return step === undefined ? null : [step.operation, step.parameters, ...(isOrdered ? [step.dependsOn] : [])];
}
