/**
 * Compares a saved plan with a fresh one of the same document: which of its objects changed since. Apply runs the fresh plan,
 * and only when nothing is found here: then both do the same.
 *
 * The rule it keeps: only what the plan touches counts. Everything else in the organization may be as it likes.
 */
import { defined } from "../common/defined.ts";
import {
	type OutdatedObject,
	type OutdatedState,
	PlanModelError,
	type Problem,
	StalePlanError,
} from "../common/errors.ts";
import { showAddress, showName, showText } from "../common/escape.ts";
import { describeTime, type Expiry, isPastValidity } from "./access-window.ts";
import { narrowStep, objectsOf, subjectOf } from "./activities/requests.ts";
import type { AddressText } from "./address.ts";
import type { Change, RemovalChange, TagChange } from "./change.ts";
import { retriedIn } from "./guards/overrides.ts";
import { ageOfImpact, describeOtherImpact, isCompared } from "./impact/stale-impact.ts";
import type { LiveOrganization } from "./organization.ts";
import { showOrganization } from "./organization-name.ts";
import { digestTouched, findRemovable, type Plan } from "./plan.ts";
import { coveredAddresses, type Step } from "./step.ts";
import { groupSteps } from "./step-groups.ts";
import { showUser } from "./user-labels.ts";
import { isSameLabel, labelUser, liveNamesFor, type UserNames, usersOf } from "./users.ts";
import { compareText, sameValue } from "./value.ts";

/** A plan that was saved, and what the organization and its plan are now, the document narrowed to what it touches. */
export interface Revisited {
	readonly saved: Plan;
	readonly fresh: Plan;
	readonly live: LiveOrganization;
	/** The service's time, milliseconds since 1970; left out, when the fresh plan was read. */
	readonly serviceTimeMs?: number;
}

/**
 * Throws StalePlanError when an object that one of the plans touches is outdated; all of them are named, in words too. Throws
 * PlanModelError when nothing is, and another version of orgsync found an impact by other rules.
 */
export function refuseStale(revisited: readonly Revisited[]): void {
	const outdated = revisited.flatMap(findOutdated);
	if (outdated.length === 0) {
		const ages = revisited.flatMap(({ saved, fresh }) => (isCompared(fresh) ? ageOfImpact(saved) : "same"));
		const age = ages.find((one) => one !== "same");
		if (age !== undefined) throw new PlanModelError(age);
		return;
	}
	const plans = new Map(revisited.map(({ fresh }) => [fresh.organizationId, fresh]));
	const several = revisited.length > 1;
	const all = revisited.reduce((sum, { saved }) => sum + saved.touched.length, 0);
	const isDone = outdated.length === all && outdated.every(({ reason }) => reason === "already-applied");
	throw new StalePlanError(
		outdated,
		outdated.map((one) => {
			const about = several ? `organization ${showOrganization(plans.get(one.organizationId) ?? one)}: ` : "";
			return `${about}${describeOutdated(one)}`;
		}),
		isDone
			? "all of it is as the plan wanted already: there is nothing left to apply"
			: "plan again, and have the new plan reviewed",
	);
}

/** Returns one outdated object in a line that is safe for a terminal. */
function describeOutdated({ address, because }: OutdatedObject): string {
	return `${showAddress(address)}: ${showText(because)}`;
}

/** What the plan touches that is not as it was; empty when the fresh plan does the same, pending activities apart. */
export function findOutdated({ saved, fresh, live, serviceTimeMs }: Revisited): readonly OutdatedObject[] {
	const [touched] = saved.touched;
	if (touched !== undefined && isPastValidity(saved, serviceTimeMs ?? Date.parse(fresh.readAt))) {
		const because = `the plan was valid until ${describeTime(saved.validUntil ?? "")}, when a window of the document begins or ends`;
		return [unchangedObject(saved, touched.address, because, "time-passed")];
	}
	const changes = new Map(fresh.changes.map((change) => [change.address, change]));
	const problems = new Map(fresh.problems.map((problem) => [problem.path, problem]));
	const digests = new Map(saved.touched.map(({ address, digest }) => [address, digest]));
	const outdated: OutdatedObject[] = [];
	const hindered: OutdatedObject[] = [];
	const misstated: OutdatedObject[] = [];
	const names = namesNow({ saved, fresh, live });
	for (const before of saved.changes) {
		if (before.action === "report") continue;
		const { address } = before;
		const after = changes.get(address);
		const problem = problems.get(address);
		const isSame = after !== undefined && digestTouched(after, live) === digests.get(address);
		if (isSame && problem === undefined) {
			const isAlike = isShownAlike(before, after) && sameValue(windowsIn(before, saved), windowsIn(after, fresh));
			if (!isAlike) misstated.push(unchangedObject(saved, address, notFromOrgsync));
			continue;
		}
		const found =
			before.kind === "userTag"
				? describeTag(before, after as TagChange | undefined, problem, live, names)
				: describeRemoval(before, after as RemovalChange | undefined, live);
		(isSame ? hindered : outdated).push({ organizationId: saved.organizationId, address, ...found });
	}
	// An outdated object can block others: those are not reported.
	if (outdated.length > 0) return outdated;
	if (misstated.length > 0) return misstated;
	const named = findOtherNames(saved, fresh);
	if (named.length > 0) return named;
	if (hindered.length > 0) return hindered;
	const others = findOtherSteps(saved, fresh);
	return others.length > 0 ? others : findOtherImpact(saved, fresh);
}

/** Returns an object whose change alters who can do what otherwise than reviewed; one stands for all of them. */
function findOtherImpact(saved: Plan, fresh: Plan): readonly OutdatedObject[] {
	const because = describeOtherImpact(saved, fresh, fresh);
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

const notFromOrgsync =
	"nothing changed, but the saved plan describes the change differently: it was not made by orgsync plan";

/** Whether both show a reader the same. */
function isShownAlike(saved: Change, fresh: Change): boolean {
	const shown = (change: Change): unknown => (change.kind === "userTag" ? { ...change, lastApplied: null } : change);
	return sameValue(shown(saved), shown(fresh));
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
	because: string,
	reason: OutdatedObject["reason"] = "step-differs",
): OutdatedObject {
	const change = changes.find((one) => one.address === address);
	const state = (change?.before ?? null) as OutdatedState | null;
	return { organizationId, address, reason, before: state, after: state, because };
}

/** Returns the changes whose users have other labels now than reviewers went by: live names, and similar names of others. */
function findOtherNames(saved: Plan, fresh: Plan): readonly OutdatedObject[] {
	const current = new Map(fresh.changes.map((change) => [change.address, change]));
	return saved.changes.flatMap((change): readonly OutdatedObject[] => {
		// A difference that can only be reported is not looked at again.
		if (change.action === "report" || !current.has(change.address)) return [];
		const other = usersOf(change).find((userId) => !isSameLabel(labelUser(userId, saved), labelUser(userId, fresh)));
		if (other === undefined) return [];
		const [was, is] = [saved, fresh].map((plan) => showUser(other, plan));
		const because = `the saved plan shows user ${other} as ${was}, and now that is ${is}: its reviewers went by its names`;
		return [unchangedObject(saved, change.address, because, "changed")];
	});
}

type Description = Pick<OutdatedObject, "reason" | "before" | "after" | "because">;

function describeTag(
	planned: TagChange,
	fresh: TagChange | undefined,
	problem: Problem | undefined,
	live: LiveOrganization,
	names: UserNames,
): Description {
	const tag = live.userTags.known ? live.userTags.value.find(({ id }) => id === planned.tagId) : undefined;
	const members = tag?.members.known === true ? tag.members.value : (fresh?.before.members ?? null);
	const now = tag === undefined ? null : { name: tag.name, members };
	const said = [...listTagChanges(planned, fresh, now, names), ...(problem === undefined ? [] : [problem.message])];
	const states = { before: planned.before, after: now };
	if (problem !== undefined) return { reason: "not-possible", ...states, because: said.join("; ") };
	if (fresh !== undefined) return { reason: "changed", ...states, because: said.join("; ") || "it is not what it was" };
	const because =
		now === null
			? "it is not there any more, and another tag is as the plan wanted"
			: "it is as the plan wanted already";
	return { reason: "already-applied", ...states, because: now === null ? because : [because, ...said].join("; ") };
}

function listTagChanges(
	{ tagId, before, basis }: TagChange,
	fresh: TagChange | undefined,
	now: { readonly name: string; readonly members: readonly string[] | null } | null,
	names: UserNames,
): readonly string[] {
	const said: string[] = [];
	if (fresh !== undefined && fresh.tagId !== tagId) {
		said.push(`the document means another tag now, ${fresh.tagId} in place of ${tagId}`);
	}
	if (now === null)
		return [
			...said,
			`the plan file states that it was called \`${showName(before.name)}\`, now it is not there any more`,
		];
	if (now.name !== before.name)
		said.push(`the plan file states that it was called \`${showName(before.name)}\`, now \`${showName(now.name)}\``);
	const had = before.members;
	if (had === null && now.members === null) return said;
	if (had === null) {
		said.push(
			`the plan file states that its members could not be read, now ${describeHolders(now.members ?? [], names, "have")}`,
		);
	} else if (now.members === null) {
		const why =
			basis === "last-applied"
				? ", as last applied; here that is unknown, or the tag was changed since"
				: ", now that cannot be read any more";
		said.push(`the plan file states that ${describeHolders(had, names, "had")}${why}`);
	} else if (!sameValue(had, now.members)) said.push(describeMembers(had, now.members, names));
	return said;
}

/** For more names than this, only the difference is shown. */
const maxNames = 8;

function describeMembers(had: readonly string[], have: readonly string[], names: UserNames): string {
	if (had.length <= maxNames && have.length <= maxNames) {
		return `the plan file states that ${describeHolders(had, names, "had")}, now ${describeHolders(have, names, "have")}`;
	}
	const [before, after] = [new Set(had), new Set(have)];
	const came = have.filter((userId) => !before.has(userId));
	const went = had.filter((userId) => !after.has(userId));
	const since = [
		...(came.length === 0 ? [] : [`${listNames(came, names)} got it`]),
		...(went.length === 0 ? [] : [`${listNames(went, names)} lost it`]),
	];
	return `the plan file states that ${had.length} users had it, now ${have.length}; since then ${since.join(", and ")}`;
}

function describeHolders(userIds: readonly string[], names: UserNames, verb: "had" | "have"): string {
	if (userIds.length === 0) return `no user ${verb === "had" ? "had" : "has"} it`;
	const word = verb === "have" && userIds.length === 1 ? "has" : verb;
	return `${listNames(userIds, names)} ${word} it`;
}

function listNames(userIds: readonly string[], names: UserNames): string {
	const shown = userIds.map((id) => showUser(id, names)).sort(compareText);
	const more = shown.length > maxNames ? ` and ${shown.length - maxNames} more` : "";
	return `${shown.slice(0, maxNames).join(", ")}${more}`;
}

function describeRemoval(
	{ before, kind, id, userId }: RemovalChange,
	fresh: RemovalChange | undefined,
	live: LiveOrganization,
): Description {
	const found = findRemovable({ kind, id, userId }, live);
	const there = found === undefined ? null : { name: found.name };
	const states = { before, after: there };
	if (fresh === undefined)
		return { reason: "already-applied", ...states, because: "it is gone already, as the plan wanted" };
	if (before === null) {
		return {
			reason: "changed",
			...states,
			because: "the plan file states that it could not be read, now it is known to be there",
		};
	}
	if (there === null)
		return { reason: "changed", ...states, because: "the plan file states that it was there, now it cannot be read" };
	const because =
		before.name === there.name
			? "it has the name that the plan file states, and is another thing: what the service says of it has changed"
			: `the plan file states that it was called \`${showName(before.name)}\`, now \`${showName(there.name)}\``;
	return { reason: "changed", ...states, because };
}

/** Steps that would not be those of the saved plan although nothing that they touch changed: a temporary name is taken. */
function findOtherSteps(saved: Plan, fresh: Plan): readonly OutdatedObject[] {
	const [planned, wanted] = [joinParts(saved.steps), joinParts(fresh.steps)];
	const found = new Map<string, OutdatedObject>();
	const rejected = new Set<string>(coveredAddresses(groupSteps(saved.steps).rejected));
	for (const [part, covers] of findReleased(saved.steps, fresh.steps)) {
		for (const address of covers) {
			const stated = rejected.has(address) ? `${part} had been rejected before` : `an activity was pending for ${part}`;
			const because = `the plan file states that ${stated}, so that nothing was to be submitted; now it would be`;
			found.set(address, unchangedObject(saved, address, because));
		}
	}
	const reviewed = retriedIn(saved);
	for (const address of retriedIn(fresh)) {
		if (found.has(address) || reviewed.has(address)) continue;
		const because = "it was rejected after it was planned, so that submitting it again was not reviewed";
		found.set(address, unchangedObject(saved, address, because));
	}
	for (const key of new Set([...planned.keys(), ...wanted.keys()])) {
		const [before, after] = [planned.get(key), wanted.get(key)];
		// Where it is known who can do what, the order is another one for another submitter.
		const isOrdered = saved.impact === undefined && fresh.impact === undefined;
		if (sameValue(requestOf(before, isOrdered), requestOf(after, isOrdered))) continue;
		const because = `what would be submitted for it is not what was reviewed: ${describeStep(before)} in the plan file, ${describeStep(after)} now`;
		for (const address of coveredAddresses([before ?? after ?? []].flat())) {
			found.set(address, unchangedObject(saved, address, because));
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

/** Returns the steps by key, with the parts of each step joined again. The steps of one tag have an order of their own. */
function joinParts(steps: readonly Step[]): ReadonlyMap<string, Step> {
	const whole = new Map<string, Step>();
	const tags = new Map<string, number>();
	for (const step of steps) {
		const subject = subjectOf(step);
		const ofTag = step.operation === "update_user_tag" ? (tags.get(subject) ?? 0) + 1 : 0;
		tags.set(subject, ofTag);
		const key = `${step.operation} ${subject} ${ofTag}`;
		const earlier = whole.get(key);
		whole.set(key, earlier === undefined ? step : joinSteps(earlier, step));
	}
	return whole;
}

function joinSteps(one: Step, other: Step): Step {
	const ids = [...new Set([...objectsOf(one), ...objectsOf(other)])].sort(compareText);
	const covers = [...one.covers, ...other.covers];
	return { ...narrowStep({ ...one, covers }, ids), dependsOn: other.dependsOn };
}

function requestOf(step: Step | undefined, isOrdered: boolean): unknown {
	return step === undefined ? null : [step.operation, step.parameters, ...(isOrdered ? [step.dependsOn] : [])];
}

function describeStep(step: Step | undefined): string {
	if (step === undefined) return "nothing";
	const after = step.dependsOn.length === 0 ? "" : ` after ${step.dependsOn.join(", ")}`;
	return `${step.operation} ${JSON.stringify(step.parameters)}${after}`;
}
